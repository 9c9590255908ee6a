"""After the first plan of `plan`: better and better ones, until none is left or time is up.

The plan's improvement and weighted A* on h_FF with falling weights take turns, half and half by
work; turns grow as those of `contestants`. Each looks only for what is cheaper than the best plan
so far, and goes on from it when the other one has found it. A search of weight 1 that ends
without a plan proves the best one optimal (see `engine`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.core.limits import TimeIsUp
from beeline.planning import contestants
from beeline.planning.contestants import Contestant, weighted_search
from beeline.planning.engine import WEIGHTS
from beeline.planning.result import GENERATED, left

if TYPE_CHECKING:
    from beeline._native import SearchCounters, SearchProgress, SearchResult
    from beeline.core.limits import Clock
    from beeline.planning.engine import Improvement, Watch
    from beeline.planning.plan import PlanSpec
    from beeline.planning.solve import OnPlan
    from beeline.task.ground_task import GroundTask
    from beeline.task.plan_file import Plan


class Anytime:
    """The two, with the best plan in `improvement`."""

    def __init__(
        self,
        task: GroundTask,
        spec: PlanSpec,
        improvement: Improvement,
        *,
        limits: tuple[int | None, int | None],
        clock: Clock,
        watch: Watch,
        on_plan: OnPlan | None,
    ) -> None:
        self._task = task
        self._spec = spec
        self._improvement = improvement
        self._limits = limits  # evaluations and expansions left to weighted A*
        self._clock = clock
        self._watch = watch
        self._report = on_plan
        self._weight = 0  # of the series
        self._search: Contestant | None = None
        self._ended: list[SearchResult] = []  # searches that have
        self._searching = True  # whether weighted A* goes on
        self.costs: list[int] = []
        self.optimal = False
        self.interrupted = False

    @property
    def searches(self) -> list[SearchResult]:
        """How the searches of the series stand."""
        running = self._search is not None and self._search.started
        return [*self._ended, *([self._search.result] if self._search and running else [])]

    def run(self) -> None:
        """Until no plan can be cheaper, both have given up, or something ends it."""
        turn = contestants.FIRST_TURN
        try:
            while not self._over():
                self._improve(turn)
                if self._searching and not self._over():
                    self._take_turn(turn)
                elif self._improvement.finished or self._improvement.stopped:
                    break
                turn *= contestants.GROWTH
        except (TimeIsUp, MemoryError):
            pass

    def _improve(self, turn: float) -> None:
        self._improvement.advance(
            int(turn / GENERATED),
            seconds=self._clock.left(),
            memory_limit=self._spec.memory_limit,
            watch=self._watch_closely,
            on_plan=self._found,
        )
        self.optimal = self._improvement.optimal

    def _take_turn(self, turn: float) -> None:
        if self._search is None:
            with self._clock.alarm():
                weight = WEIGHTS[min(self._weight, len(WEIGHTS) - 1)]
                self._search = weighted_search(self._task, self._spec, weight)
        search = self._search
        search.tighten(self._improvement.cost)
        counters: list[SearchCounters] = [result.counters for result in self._ended]
        if search.started:
            counters.append(search.result.counters)
        limits = (
            left(self._limits[0], [each.evaluated for each in counters]),
            left(self._limits[1], [each.expanded for each in counters]),
        )
        if 0 in limits:
            self._searching = False
            return
        result = search.advance(
            evaluations=contestants.evaluations_for(turn, search.work),
            limits=limits,
            seconds=self._clock.left(),
            watch=self._watch_closely,
        )
        if result.status.name == "PAUSED" or result.interrupted:
            return
        self._ended.append(result)
        self._search = None
        self._weight += 1
        if result.status.name == "SOLVED":
            if self._improvement.offer(result.plan):
                self._found(self._improvement.plan, self._improvement.cost)
        else:
            self._searching = False
            exhausted = result.status.name in ("UNSOLVABLE", "INCOMPLETE")
            self.optimal = exhausted and not result.unproven_dead_ends

    def _found(self, plan: Plan, cost: int) -> None:
        self.costs.append(cost)
        if self._report is not None:
            self._report(plan, cost)

    def _watch_closely(self, progress: SearchProgress) -> bool:
        goes_on = self._watch(progress)
        if not goes_on and not self._clock.has_worked_enough:
            self.interrupted = True
        return goes_on

    def _over(self) -> bool:
        return self.optimal or self.interrupted or self._clock.is_up
