"""One call of an engine of the unified-planning library: its task, clock, messages and outcome.

Problems travel as the PDDL text that the library's own writer makes; the writer remembers which
action, object or fluent each name stands for.
"""

from __future__ import annotations

import math
from time import perf_counter
from typing import IO, TYPE_CHECKING, Any

from unified_planning.engines import PlanGenerationResult
from unified_planning.engines import PlanGenerationResultStatus as Outcome
from unified_planning.engines.results import LogLevel, LogMessage
from unified_planning.exceptions import (
    UPProblemDefinitionError,
    UPTypeError,
    UPUnsupportedProblemTypeError,
)
from unified_planning.io import PDDLWriter
from unified_planning.model import UPState
from unified_planning.plans import ActionInstance, SequentialPlan

from beeline.core.errors import Status, UnsupportedError
from beeline.core.limits import TimeIsUp, alarm, limited_memory
from beeline.pddl import parse_domain, parse_problem
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from unified_planning.model import FNode, Problem, State

    from beeline._native import SearchProgress
    from beeline.pddl.model import Problem as LiftedProblem
    from beeline.planning.result import Result
    from beeline.task.ground_task import GroundTask
    from beeline.task.states import StateBatch

    StateHeuristic = Callable[[State], float | None]

# The library's words for what problems of a kind may have.
SUPPORTED = (
    "ACTION_BASED",
    "FLAT_TYPING",
    "HIERARCHICAL_TYPING",
    "NEGATIVE_CONDITIONS",
    "DISJUNCTIVE_CONDITIONS",
    "EXISTENTIAL_CONDITIONS",
    "UNIVERSAL_CONDITIONS",
    "EQUALITIES",
    "CONDITIONAL_EFFECTS",
    "FORALL_EFFECTS",
    "FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
    "STATIC_FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
    "ACTIONS_COST",
    "STATIC_FLUENTS_IN_ACTIONS_COST",
    "INT_NUMBERS_IN_ACTIONS_COST",
    "PLAN_LENGTH",
)


def beyond(problem: Problem) -> list[str]:
    """What a problem has that Beeline would not see or not understand."""
    return sorted(problem.kind.features.difference(SUPPORTED))


class WrittenProblem:
    """A problem of the library, written as PDDL and read again."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        # Copying a fluent becomes two effects under opposite conditions.
        self._writer = PDDLWriter(problem, rewrite_bool_assignments=True)

    def lifted(self) -> LiftedProblem:
        """The problem as Beeline reads it."""
        domain = parse_domain(self._writer.get_domain(), "<unified-planning domain>")
        return parse_problem(domain, self._writer.get_problem(), "<unified-planning problem>")

    def plan(self, steps: Sequence[str]) -> SequentialPlan:
        """Steps such as `(move a b)` as a plan of the library."""
        actions = [ActionInstance(*self._items(step)) for step in steps]
        return SequentialPlan(actions, self.problem.environment)

    def steps(self, plan: SequentialPlan) -> list[tuple[str, ...]]:
        """A plan of the library as names of actions with names of objects."""
        name = self._writer.get_pddl_name
        return [
            (name(each.action), *(name(word.object()) for word in each.actual_parameters))
            for each in plan.actions
        ]

    def heuristic(self, function: StateHeuristic, task: GroundTask) -> UPHeuristic:
        """A function of the library's states as a heuristic of the task."""
        fluent = self.problem.environment.expression_manager.FluentExp
        fluents = [  # none for what Beeline itself has added
            None if "@" in fact else fluent(*self._items(fact)) for fact in task.fact_names
        ]
        return UPHeuristic(function, self.problem, fluents, task)

    def _items(self, text: str) -> tuple[Any, tuple[FNode, ...]]:
        """What stands for the head of a step or fact, and for its arguments."""
        head, *names = text[1:-1].split()
        objects = map(self._writer.get_item_named, names)
        constant = self.problem.environment.expression_manager.ObjectExp
        return self._writer.get_item_named(head), tuple(map(constant, objects))


class UPHeuristic:
    """Evaluates states one by one with a function of the library's states.

    Fluents that have no influence on the goal are no part of Beeline's states: the function sees
    their initial values.
    """

    def __init__(
        self,
        function: StateHeuristic,
        problem: Problem,
        fluents: Sequence[FNode | None],
        task: GroundTask,
    ) -> None:
        import numpy as np

        self.__name__ = getattr(function, "__name__", type(function).__name__)
        self._function = function
        self._fluents = fluents
        self._initial_state = UPState(problem.explicit_initial_values, problem)
        manager = problem.environment.expression_manager
        self._constants = (manager.FALSE(), manager.TRUE())
        initial = task.native.fact_of[task.initial]
        self._initial_facts = np.zeros(task.num_facts, np.uint8)  # which of them hold
        self._initial_facts[initial[initial >= 0]] = 1

    def evaluate(self, batch: StateBatch) -> list[float]:
        """One value per state; a state without a value is a dead end."""
        values = [self._function(self._state(facts)) for facts in batch.facts]
        return [float("inf") if value is None else float(value) for value in values]

    def _state(self, facts: NDArray[np.uint8]) -> UPState:
        changed = (facts != self._initial_facts).nonzero()[0].tolist()
        return self._initial_state.make_child(
            {
                fluent: self._constants[facts[number]]
                for number in changed
                if (fluent := self._fluents[number]) is not None
            }
        )


OUTCOMES = {
    Status.SOLVED: Outcome.SOLVED_SATISFICING,
    Status.UNSOLVABLE: Outcome.UNSOLVABLE_PROVEN,
    Status.INCOMPLETE: Outcome.UNSOLVABLE_INCOMPLETELY,
    Status.TIME_LIMIT: Outcome.TIMEOUT,
    Status.MEMORY_LIMIT: Outcome.MEMOUT,
}
REFUSALS = (UnsupportedError, UPProblemDefinitionError, UPTypeError, UPUnsupportedProblemTypeError)
COUNTERS = ("expanded", "evaluated", "generated", "search_time")
BETWEEN_GLANCES = 1.0  # seconds


class Ended(Exception):  # noqa: N818 (an event, not an error)
    """The call ends before its search."""

    def __init__(self, result: PlanGenerationResult) -> None:
        super().__init__(result)
        self.result = result


class Call:
    """From a problem to a result, within so many seconds."""

    def __init__(
        self, engine: str, problem: Problem, timeout: float | None, stream: IO[str] | None
    ) -> None:
        self._start = perf_counter()
        self._engine = engine
        self._problem = problem
        self._timeout = timeout
        self._stream = stream
        self._next_glance = 0.0
        self.written: WrittenProblem

    def ground(self, memory_limit: int | None) -> GroundTask:
        """The ground task of the problem; the limit is in bytes of the whole process."""
        unknown = beyond(self._problem)  # engines chosen by name may ignore the library's checks
        if unknown:
            message = f"this is beyond classical planning: {', '.join(unknown)}"
            raise self._ended(Outcome.UNSUPPORTED_PROBLEM, message)
        try:
            with alarm(self._timeout), limited_memory(memory_limit):
                self.written = WrittenProblem(self._problem)
                task = ground(self.written.lifted())
        except TimeIsUp:
            raise self._ended(Outcome.TIMEOUT) from None
        except MemoryError:
            raise self._ended(Outcome.MEMOUT) from None
        except REFUSALS as error:
            raise self._ended(Outcome.UNSUPPORTED_PROBLEM, str(error)) from error
        facts, operators = f"{task.num_facts:,} facts", f"{task.num_operators:,} operators"
        self._say(f"{facts}, {operators}, {task.num_variables:,} variables")
        return task

    def seconds_left(self) -> float | None:
        """What is left of the time limit; the call ends where nothing is."""
        if self._timeout is None:
            return None
        left = self._timeout - (perf_counter() - self._start)
        if left <= 0:
            raise self._ended(Outcome.TIMEOUT)
        return left

    def show(self, progress: SearchProgress) -> bool:
        """Tell how the search is doing, now and then; it goes on."""
        if self._stream is not None and perf_counter() >= self._next_glance:
            self._next_glance = perf_counter() + BETWEEN_GLANCES
            best = f", best h {progress.best_h:g}" if math.isfinite(progress.best_h) else ""
            self._say(f"{progress.seconds:.1f} s, {progress.counters.evaluated:,} evaluated{best}")
        return True

    def intermediate(self, steps: Sequence[str]) -> PlanGenerationResult:
        """A plan that may not be the last one."""
        self._say(f"a plan of {len(steps)} steps")
        plan = self.written.plan(steps)
        return PlanGenerationResult(Outcome.INTERMEDIATE, plan, self._engine)

    def outcome(self, result: Result, *, is_proof: bool = True) -> PlanGenerationResult:
        """The last word; unless `is_proof`, the heuristic's dead ends are only its opinion."""
        if result.interrupted:
            raise KeyboardInterrupt
        status = OUTCOMES[result.status]
        # A plan is optimal with respect to a metric only.
        if result.optimal and self._problem.quality_metrics:
            status = Outcome.SOLVED_OPTIMALLY
        elif result.status is Status.UNSOLVABLE and result.dead_ends and not is_proof:
            status = Outcome.UNSOLVABLE_INCOMPLETELY
        counters = {name: getattr(result, name) for name in COUNTERS}
        text = ", ".join(f"{name} {value:g}" for name, value in counters.items())
        steps = "" if result.plan is None else f", {result.length} steps of cost {result.cost}"
        self._say(f"{status.name}{steps}, {text}")
        plan = None if result.plan is None else self.written.plan(result.plan)
        metrics = {"engine_internal_time": str(perf_counter() - self._start)}
        metrics |= {name: str(value) for name, value in counters.items()}
        return PlanGenerationResult(status, plan, self._engine, metrics=metrics)

    def _ended(self, status: Outcome, message: str | None = None) -> Ended:
        self._say(status.name if message is None else f"{status.name}: {message}")
        logs = [] if message is None else [LogMessage(LogLevel.ERROR, message)]
        return Ended(PlanGenerationResult(status, None, self._engine, log_messages=logs))

    def _say(self, line: str) -> None:
        if self._stream is not None:
            self._stream.write(f"{line}\n")
