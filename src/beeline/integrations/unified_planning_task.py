"""Problems of the unified-planning library as tasks of Beeline, and what is found there back.

Problems travel as the PDDL text that the library's own writer makes; the writer remembers which
action, object or fluent each name stands for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unified_planning.io import PDDLWriter
from unified_planning.model import UPState
from unified_planning.plans import ActionInstance, SequentialPlan

from beeline.pddl import parse_domain, parse_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from unified_planning.model import FNode, Problem, State

    from beeline.pddl.model import Problem as LiftedProblem
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
    "FORALL_EFFECTS",
    "STATIC_FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
    "ACTIONS_COST",
    "STATIC_FLUENTS_IN_ACTIONS_COST",
    "INT_NUMBERS_IN_ACTIONS_COST",
    "PLAN_LENGTH",
)
# Effects that depend on what no action can change work, others do not; kinds do not tell.
PERHAPS = ("CONDITIONAL_EFFECTS", "FLUENTS_IN_BOOLEAN_ASSIGNMENTS")


def beyond(problem: Problem) -> list[str]:
    """What a problem has that Beeline would not see or not understand."""
    return sorted(problem.kind.features.difference((*SUPPORTED, *PERHAPS)))


class WrittenProblem:
    """A problem of the library, written as PDDL and read again."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        # Copying a static fluent becomes two effects under opposite conditions, which grounding
        # decides.
        self._writer = PDDLWriter(problem, rewrite_bool_assignments=True)

    def lifted(self) -> LiftedProblem:
        """The problem as Beeline reads it."""
        domain = parse_domain(self._writer.get_domain(), "<unified-planning domain>")
        return parse_problem(domain, self._writer.get_problem(), "<unified-planning problem>")

    def plan(self, steps: Sequence[str]) -> SequentialPlan:
        """Steps such as `(move a b)` as a plan of the library."""
        return SequentialPlan(list(map(self._action, steps)), self.problem.environment)

    def heuristic(self, function: StateHeuristic, task: GroundTask) -> UPHeuristic:
        """A function of the library's states as a heuristic of the task."""
        return UPHeuristic(function, self.problem, list(map(self._fluent, task.fact_names)), task)

    def _action(self, step: str) -> ActionInstance:
        action, arguments = self._items(step)
        return ActionInstance(action, arguments)

    def _fluent(self, fact: str) -> FNode:
        fluent, arguments = self._items(fact)
        return self.problem.environment.expression_manager.FluentExp(fluent, arguments)

    def _items(self, text: str) -> tuple[Any, tuple[FNode, ...]]:
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
        fluents: Sequence[FNode],
        task: GroundTask,
    ) -> None:
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        self._function = function
        self._fluents = fluents
        self._initial_state = UPState(problem.explicit_initial_values, problem)
        manager = problem.environment.expression_manager
        self._constants = (manager.FALSE(), manager.TRUE())
        self._initial_facts = _initial_facts(task)

    def evaluate(self, batch: StateBatch) -> list[float]:
        """One value per state; a state without a value is a dead end."""
        values = []
        for facts in batch.facts:
            value = self._function(self._state(facts))
            values.append(float("inf") if value is None else float(value))
        return values

    def _state(self, facts: NDArray[np.uint8]) -> UPState:
        changed = (facts != self._initial_facts).nonzero()[0].tolist()
        return self._initial_state.make_child(
            {self._fluents[number]: self._constants[facts[number]] for number in changed}
        )


def _initial_facts(task: GroundTask) -> NDArray[np.uint8]:
    """Which facts hold initially: uint8[facts]."""
    import numpy as np

    facts = task.native.fact_of[task.initial]
    holds = np.zeros(task.num_facts, np.uint8)
    holds[facts[facts >= 0]] = 1
    return holds
