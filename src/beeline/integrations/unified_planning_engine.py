"""The engines `beeline` and `beeline-opt` of the unified-planning library.

A problem is written as PDDL, planned in this process, and its plan told in the library's own
actions. Problems beyond the kind that Beeline understands are refused by `supports`, before
anything is written. Plans of an anytime search are an iterator: the search runs in a thread.
"""

from __future__ import annotations

import os
from queue import SimpleQueue
from threading import Event, Thread
from typing import IO, TYPE_CHECKING, Any
from warnings import warn

from unified_planning.engines import (
    AnytimeGuarantee,
    Credits,
    Engine,
    OptimalityGuarantee,
    PlanGenerationResult,
    PlanGenerationResultStatus,
)
from unified_planning.engines.mixins import AnytimePlannerMixin, OneshotPlannerMixin
from unified_planning.engines.mixins.plan_repairer import PlanRepairerMixin
from unified_planning.engines.mixins.plan_validator import PlanValidatorMixin
from unified_planning.engines.results import (
    FailedValidationReason,
    LogLevel,
    LogMessage,
    ValidationResult,
    ValidationResultStatus,
)
from unified_planning.model import ProblemKind
from unified_planning.plans import PlanKind

from beeline.core.errors import BeelineError
from beeline.integrations.unified_planning_call import SUPPORTED, Call, Ended, WrittenProblem
from beeline.models.model_file import AUTO, find_model, is_automatic, load_model
from beeline.planning.plan import plan
from beeline.planning.solve import solve
from beeline.planning.specification import make_spec
from beeline.task.plan_file import Plan
from beeline.task.validator import validate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Self
    from unified_planning.model import Problem
    from unified_planning.plans import SequentialPlan

    from beeline.integrations.unified_planning_call import StateHeuristic
    from beeline.planning.model import Model
    from beeline.planning.python_heuristics import Heuristic
    from beeline.planning.result import Result
    from beeline.task.ground_task import GroundTask

    Report = Callable[[Plan], None]
    GoesOn = Callable[[], bool]

KIND_VERSION = 2  # of the library's vocabulary for kinds
ABOUT = "Greedy search with h_FF, or with a heuristic that was learned in the domain."
DEFAULT_SEARCH = "gbfs"
DEFAULT_PREFERRED = "ff"


class BeelineEngine(
    Engine, OneshotPlannerMixin, AnytimePlannerMixin, PlanValidatorMixin, PlanRepairerMixin
):
    """Finds plans, and as an anytime planner better and better ones; judges and repairs plans.

    Plans are judged by what the PDDL text says. To repair a plan means to leave it if it is valid,
    and to plan anew otherwise.

    `model` is the file or the name of a learned model, or `auto` for the packaged one that fits;
    it plans as `beeline plan` does, and if a `search` is named as well, it is the heuristic of
    that search. Otherwise `search`, `heuristic` and `preferred` are the words of `beeline solve`,
    by default greedy search with h_FF and its preferred operators. `memory_limit` is in bytes of
    the whole process. Wrong words and broken models are refused here.

    >>> BeelineEngine(search="gbsf")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: unknown search 'gbsf': there are ...
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | Model | None = None,
        search: str | None = None,
        heuristic: str | None = None,
        preferred: str | None = None,
        seed: int = 0,
        memory_limit: int | None = None,
    ) -> None:
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)
        AnytimePlannerMixin.__init__(self)
        PlanRepairerMixin.__init__(self)
        if model is not None and heuristic is not None:
            raise BeelineError("a model and a heuristic", hint="leave one of them out")
        if model is not None and search is None and preferred is not None:
            hint = "name a search, such as 'gbfs'"
            raise BeelineError("preferred operators without a search", hint=hint)
        if (model, search, heuristic, preferred) == (None, None, None, None):
            preferred = DEFAULT_PREFERRED
        self._model: Any = model
        if isinstance(model, str | os.PathLike):  # `auto` leaves the choice to the domain
            self._model = AUTO if is_automatic(model) else load_model(model)
        self._plans_alone = model is not None and search is None
        self._heuristic = heuristic
        self._limits: dict[str, Any] = {"seed": seed, "memory_limit": memory_limit}
        self._words: dict[str, Any] = {"preferred": preferred or (), **self._limits}
        self._words["search"] = search or DEFAULT_SEARCH
        make_spec(heuristic=heuristic if model is None else "ff", **self._words)

    @property
    def name(self) -> str:
        """What results call the engine."""
        return "Beeline"

    @staticmethod
    def supported_kind() -> ProblemKind:
        """Classical planning with action costs."""
        return ProblemKind(SUPPORTED, version=KIND_VERSION)

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        """Whether problems of a kind can be planned."""
        return bool(problem_kind <= BeelineEngine.supported_kind())

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        """Plans are not always optimal."""
        return bool(optimality_guarantee == OptimalityGuarantee.SATISFICING)

    @staticmethod
    def supports_plan(plan_kind: PlanKind) -> bool:
        """Plans are sequences of actions."""
        return bool(plan_kind == PlanKind.SEQUENTIAL_PLAN)

    @staticmethod
    def ensures(anytime_guarantee: AnytimeGuarantee) -> bool:
        """Each plan is cheaper than the one before."""
        return bool(anytime_guarantee == AnytimeGuarantee.INCREASING_QUALITY)

    @staticmethod
    def get_credits(**_: Any) -> Credits:
        """Who made it."""
        return Credits("Beeline", "The Beeline authors", "", "", "GPL-3.0-or-later", ABOUT, ABOUT)

    def _search(
        self, task: GroundTask, heuristic: Heuristic | None = None, **manners: Any
    ) -> Result:
        """Plan in a task; a `heuristic` that is given here comes before everything else."""
        model = self._model
        if isinstance(model, str) and heuristic is None:
            model = find_model(model, task.problem.domain)
        if self._plans_alone and heuristic is None:
            return plan(model, task, **self._limits, **manners)
        return solve(
            task, heuristic=heuristic or model or self._heuristic, **self._words, **manners
        )

    def _solve(
        self,
        problem: Problem,
        heuristic: StateHeuristic | None = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
    ) -> PlanGenerationResult:
        call = Call(self.name, problem, timeout, output_stream)
        try:
            task = call.ground(self._limits["memory_limit"])
            result = self._search(
                task,
                heuristic and call.written.heuristic(heuristic, task),
                time_limit=call.seconds_left(),
                progress=call.show,
            )
            return call.outcome(result, is_proof=heuristic is None)
        except Ended as event:
            return event.result

    def _get_solutions(
        self, problem: Problem, timeout: float | None = None, output_stream: IO[str] | None = None
    ) -> Iterator[PlanGenerationResult]:
        call = Call(self.name, problem, timeout, output_stream)

        def search(report: Report, goes_on: GoesOn) -> Result:
            return self._search(
                task,
                anytime=True,
                time_limit=call.seconds_left(),
                progress=lambda glance: goes_on() and call.show(glance),
                on_plan=lambda steps, _: report(steps),
            )

        try:
            # Here and not in the thread, which has no alarm clock.
            task = call.ground(self._limits["memory_limit"])
            with PlanStream(search) as stream:
                for found in stream:
                    if isinstance(found, Plan):
                        yield call.intermediate(found)
                    else:
                        yield call.outcome(found)
        except Ended as event:
            yield event.result

    def _validate(self, problem: Problem, plan: SequentialPlan) -> ValidationResult:
        written = WrittenProblem(problem)
        verdict = validate(written.lifted(), written.steps(plan))
        failure = verdict.failure
        if failure is None:
            costs = dict.fromkeys(problem.quality_metrics, verdict.cost)
            valid = ValidationResultStatus.VALID
            return ValidationResult(valid, self.name, metric_evaluations=costs or None)
        goal, step = FailedValidationReason.UNSATISFIED_GOALS, None
        reason = FailedValidationReason.INAPPLICABLE_ACTION if failure.step else goal
        if failure.step is not None:
            step = plan.actions[failure.step - 1]
        logs = [LogMessage(LogLevel.INFO, failure.message)]
        invalid = ValidationResultStatus.INVALID
        return ValidationResult(
            invalid, self.name, logs, None, reason=reason, inapplicable_action=step
        )

    def _repair(self, problem: Problem, plan: SequentialPlan) -> PlanGenerationResult:
        if self._validate(problem, plan).status is ValidationResultStatus.VALID:
            satisficing = PlanGenerationResultStatus.SOLVED_SATISFICING
            return PlanGenerationResult(satisficing, plan, self.name)
        return self._solve(problem)


class BeelineOptimalEngine(BeelineEngine):
    """Finds cheapest plans: A* with LM-cut."""

    def __init__(self, seed: int = 0, memory_limit: int | None = None) -> None:
        super().__init__(search="astar", heuristic="lmcut", seed=seed, memory_limit=memory_limit)

    @property
    def name(self) -> str:
        """What results call the engine."""
        return "Beeline (optimal)"

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        """Every plan is optimal."""
        return True

    def _solve(
        self, problem: Problem, heuristic: StateHeuristic | None = None, *rest: Any, **more: Any
    ) -> PlanGenerationResult:
        if heuristic is not None:
            warn(f"{self.name} does not use the heuristic: it may overestimate", stacklevel=4)
        return super()._solve(problem, None, *rest, **more)

    def _repair(self, problem: Problem, plan: SequentialPlan) -> PlanGenerationResult:
        return self._solve(problem)  # a valid plan may not be the cheapest


class PlanStream:
    """The plans of a search as they are found, and its result after the last one.

    The search is called with a function that takes each plan, and another one that tells whether
    anybody still wants plans. Leaving the block ends the search.
    """

    def __init__(self, search: Callable[[Report, GoesOn], Result]) -> None:
        self._search = search
        self._unwanted = Event()
        self._found: SimpleQueue[Plan | Result | BaseException] = SimpleQueue()
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._unwanted.set()
        self._thread.join()

    def __iter__(self) -> Iterator[Plan | Result]:
        while True:
            found = self._found.get()
            if isinstance(found, BaseException):
                raise found
            yield found
            if not isinstance(found, Plan):
                return

    def _run(self) -> None:
        try:
            self._found.put(self._search(self._found.put, lambda: not self._unwanted.is_set()))
        except BaseException as error:  # whatever it is, the reader must not wait for ever
            self._found.put(error)
