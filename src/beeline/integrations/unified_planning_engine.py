"""The engines `beeline` and `beeline-opt` of the unified-planning library.

A problem is written as PDDL, planned in this process, and its plan told in the library's own
actions. Problems beyond the kind that Beeline understands are refused by `supports`, before
anything is written.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any
from warnings import warn

from unified_planning.engines import (
    AnytimeGuarantee,
    Credits,
    Engine,
    OptimalityGuarantee,
)
from unified_planning.engines.mixins import AnytimePlannerMixin, OneshotPlannerMixin
from unified_planning.model import ProblemKind

from beeline.integrations.searcher import PlanStream, Searcher
from beeline.integrations.unified_planning_call import Call, Ended
from beeline.integrations.unified_planning_task import SUPPORTED
from beeline.task.plan_file import Plan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unified_planning.engines import PlanGenerationResult
    from unified_planning.model import Problem

    from beeline.integrations.searcher import GoesOn, ModelWord, Report
    from beeline.integrations.unified_planning_task import StateHeuristic
    from beeline.planning.result import Result

KIND_VERSION = 2  # of the library's vocabulary for kinds
ABOUT = "Greedy search with h_FF, or with a heuristic that was learned in the domain."


class BeelineEngine(Engine, OneshotPlannerMixin, AnytimePlannerMixin):
    """Finds plans, and as an anytime planner better and better ones.

    `model` is the file or the name of a learned model, or `auto` for the packaged one that fits;
    it plans as `beeline plan` does, and if a `search` is named as well, it is the heuristic of
    that search. Otherwise `search`, `heuristic` and `preferred` are the words of `beeline solve`,
    by default greedy search with h_FF and its preferred operators. `memory_limit` is in bytes of
    the whole process.
    """

    def __init__(
        self,
        model: ModelWord | None = None,
        search: str | None = None,
        heuristic: str | None = None,
        preferred: str | None = None,
        seed: int = 0,
        memory_limit: int | None = None,
    ) -> None:
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)
        AnytimePlannerMixin.__init__(self)
        self._searcher = Searcher(model, search, heuristic, preferred, seed, memory_limit)

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
    def ensures(anytime_guarantee: AnytimeGuarantee) -> bool:
        """Each plan is cheaper than the one before."""
        return bool(anytime_guarantee == AnytimeGuarantee.INCREASING_QUALITY)

    @staticmethod
    def get_credits(**_: Any) -> Credits:
        """Who made it."""
        return Credits("Beeline", "The Beeline authors", "", "", "GPL-3.0-or-later", ABOUT, ABOUT)

    def _solve(
        self,
        problem: Problem,
        heuristic: StateHeuristic | None = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
    ) -> PlanGenerationResult:
        call = Call(self.name, problem, timeout, output_stream)
        try:
            task = call.ground(self._searcher.memory_limit)
            return call.outcome(
                self._searcher.search(
                    task,
                    heuristic=heuristic and call.written.heuristic(heuristic, task),
                    time_limit=call.seconds_left(),
                    progress=call.show,
                ),
                is_proof=heuristic is None,
            )
        except Ended as event:
            return event.result

    def _get_solutions(
        self,
        problem: Problem,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
    ) -> Iterator[PlanGenerationResult]:
        call = Call(self.name, problem, timeout, output_stream)

        def search(report: Report, goes_on: GoesOn) -> Result:
            return self._searcher.search(
                task,
                anytime=True,
                time_limit=call.seconds_left(),
                progress=lambda glance: goes_on() and call.show(glance),
                on_plan=lambda steps, _: report(steps),
            )

        try:
            task = call.ground(
                self._searcher.memory_limit
            )  # here and not in the thread, which has no alarm clock
            with PlanStream(search) as stream:
                for found in stream:
                    if isinstance(found, Plan):
                        yield call.intermediate(found)
                    else:
                        yield call.outcome(found)
        except Ended as event:
            yield event.result


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
        self,
        problem: Problem,
        heuristic: StateHeuristic | None = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
    ) -> PlanGenerationResult:
        if heuristic is not None:
            warn(f"{self.name} does not use the heuristic: it may overestimate", stacklevel=4)
        return super()._solve(problem, None, timeout, output_stream)
