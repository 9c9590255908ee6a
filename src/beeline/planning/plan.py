"""`plan`: search with a learned model, with a classical search at its side.

Two searches take turns by the rules of `contestants`: greedy search on the learned score, of
whatever kind the model is, and LAMA's first search, greedy with deferred evaluation on h_FF and
landmarks. They share nothing but the task: whoever finds a plan first wins.
"""

from __future__ import annotations

import os
import signal
from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError, Status
from beeline.core.limits import StopRequest, TimeIsUp, alarm, peak_memory
from beeline.core.settings import keywords, setting, values_of
from beeline.planning import contestants
from beeline.planning.contestants import Contestant, classical_search, learned_search
from beeline.planning.result import (
    IMPROVE,
    Limits,
    Result,
    check_share,
    explanation,
    states_for,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from beeline._native import SearchCounters, SearchProgress
    from beeline.planning.model import Model, SearchStyle
    from beeline.planning.solve import OnPlan, Progress
    from beeline.task.ground_task import GroundTask


@dataclass(frozen=True, kw_only=True)
class PlanSettings(Limits):
    """What can be said about planning with a model.

    Limits on evaluations and expansions count both searches together.
    """

    fallback: bool = setting(True, "Trust the model alone: never turn to LAMA's search for help.")
    improve: float = setting(
        IMPROVE,
        "Improve the plan for this share of the effort so far; with anytime, until time is up. 0:"
        " only take out useless steps.",
        "SHARE",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.improve, as_found=False)
        if self.anytime and self.as_found:
            raise BeelineError(
                "plans as they are found, and better ones until time is up",
                hint="leave out as_found or anytime",
            )
        if not 0 <= self.seed < 2**63:
            raise BeelineError(f"the seed is {self.seed}", hint="seeds are numbers from 0 up")


@dataclass(frozen=True, kw_only=True)
class PlanSpec(PlanSettings):
    """All settings of a call of `plan`, as they stand in results and records."""

    domain: str = ""
    style: SearchStyle | None = None

    def to_json(self) -> dict[str, object]:
        """The settings as plain words and numbers."""
        return {"search": "learned", **asdict(self)}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PlanCall(PlanSettings):
    """Settings, and what only Python can say; `style` is the model's unless given.

    `time_spent` are seconds that count against the time limit but lie before the call.
    """

    style: SearchStyle | None = None
    progress: Progress | None = None
    on_plan: OnPlan | None = None
    stop_signals: Iterable[int] = (signal.SIGINT,)
    time_spent: float = 0.0


@keywords(PlanCall)
def plan(model: Model | str | os.PathLike[str], task: GroundTask, call: PlanCall) -> Result:
    """Find a plan of a task with a model of its domain.

    `model` may also be the file of one, the name of one that comes with the package, or "auto":
    whichever of those fits the domain. Keyword arguments are the fields of `PlanSettings` and
    `PlanCall`; callbacks are those of `beeline.solve`.
    """
    from beeline.planning.model import check_fits

    if isinstance(model, str | os.PathLike):
        from beeline.models.model_file import find_model

        model = find_model(model, task.problem.domain)
    check_fits(model, task.problem.domain)
    spec = PlanSpec(**values_of(call), domain=model.domain_name, style=call.style or model.style)
    start = perf_counter() - call.time_spent
    if task.unsolvable_reason is not None:
        return Result(Status.UNSOLVABLE, spec, total_time=perf_counter() - start)
    deadline = None if spec.time_limit is None else start + spec.time_limit
    with StopRequest(call.stop_signals) as stop:
        watch = _watch(stop, call.progress)
        race = _Race(model, task, spec, deadline, watch)
        result = race.run(start)
        winner = race.winner
        if winner is not None and not spec.as_found:
            on_plan, work = call.on_plan, race.work
            result = _improved(task, spec, result, winner, work, deadline, watch, on_plan)
        elif result.plan is not None and result.cost is not None and call.on_plan is not None:
            call.on_plan(result.plan, result.cost)
    return replace(result, total_time=perf_counter() - start, peak_memory=peak_memory())


def _watch(stop: StopRequest, progress: Progress | None) -> Callable[[SearchProgress], bool]:
    def watch(glance: SearchProgress) -> bool:
        if stop.requested:
            return False
        return progress is None or progress(glance) is not False

    return watch


class _Race:
    """The searches of one call, in turns."""

    def __init__(
        self,
        model: Model,
        task: GroundTask,
        spec: PlanSpec,
        deadline: float | None,
        watch: Callable[[SearchProgress], bool],
    ) -> None:
        self._model = model
        self._task = task
        self._spec = spec
        self._deadline = deadline
        self._watch = watch
        self._runners: list[Contestant] = []

    def run(self, start: float) -> Result:
        """Until one search has an answer or a limit is reached."""
        try:
            with alarm(self._seconds_left()):
                learned = learned_search(self._model, self._task, self._spec)
            self._runners.append(learned)
            status = self._take_turns(learned)
        except TimeIsUp:
            status = Status.TIME_LIMIT
        except MemoryError:
            status = Status.MEMORY_LIMIT
        return self._summary(status)

    @property
    def winner(self) -> Contestant | None:
        """The search that has found a plan."""
        for runner in self._runners:
            if runner.started and runner.result.status.name == "SOLVED":
                return runner
        return None

    @property
    def work(self) -> float:
        """What all evaluations have cost."""
        return sum(
            runner.result.counters.evaluated * runner.work
            for runner in self._runners
            if runner.started
        )

    def _take_turns(self, learned: Contestant) -> Status:
        turn = contestants.FIRST_TURN
        while True:
            status = self._turn(learned, turn)
            if status is not None:
                break
            if self._spec.fallback and contestants.stagnates(learned.result, learned.work):
                break
        if status is None or (self._spec.fallback and _gave_up(status, learned)):
            return self._alternate(learned, turn, alone=status is not None)
        return status

    def _alternate(self, learned: Contestant, turn: float, *, alone: bool) -> Status:
        """Half and half; a search that gives up leaves it to the other one."""
        with alarm(self._seconds_left()):
            classical = classical_search(self._task, self._spec)
        self._runners.append(classical)
        if alone:
            learned.leave()
        active = [classical] if alone else [classical, learned]
        while active:
            for runner in list(active):
                status = self._turn(runner, turn)
                if len(active) > 1 and _gave_up(status, runner):
                    active.remove(runner)
                    runner.leave()
                elif status is not None:
                    return status
            turn *= contestants.GROWTH
        return Status.MEMORY_LIMIT

    def _turn(self, runner: Contestant, work: float) -> Status | None:
        """How the search ended, or None if only its turn has."""
        limits = (
            _left(self._spec.max_evaluations, [each.evaluated for each in self._counters()]),
            _left(self._spec.max_expansions, [each.expanded for each in self._counters()]),
        )
        if limits[0] == 0:
            return Status.EVALUATION_LIMIT
        if limits[1] == 0:
            return Status.EXPANSION_LIMIT
        seconds = self._seconds_left()
        if seconds is not None and seconds <= 0:
            return Status.TIME_LIMIT
        result = runner.advance(
            evaluations=contestants.evaluations_for(work, runner.work),
            limits=limits,
            seconds=seconds,
            watch=self._watch,
        )
        return None if result.status.name == "PAUSED" else Status[result.status.name]

    def _counters(self) -> list[SearchCounters]:
        return [runner.result.counters for runner in self._runners if runner.started]

    def _seconds_left(self) -> float | None:
        return None if self._deadline is None else self._deadline - perf_counter()

    def _summary(self, status: Status) -> Result:
        from beeline.planning.engine import checked_plan

        plan, cost = None, None
        started = [runner for runner in self._runners if runner.started]
        for runner in started:
            if runner.result.status.name == "SOLVED":
                plan, cost = checked_plan(self._task, runner.result)
        counters = [runner.result.counters for runner in started]
        first = started[0].result if started else None
        return Result(
            status=status,
            spec=self._spec,
            plan=plan,
            cost=cost,
            expanded=sum(each.expanded for each in counters),
            evaluated=sum(each.evaluated for each in counters),
            generated=sum(each.generated for each in counters),
            reopened=sum(each.reopened for each in counters),
            dead_ends=sum(each.dead_ends for each in counters),
            initial_h=first.initial_h[0] if first is not None and first.initial_h else None,
            search_time=sum(runner.result.seconds for runner in started),
            states=sum(runner.result.states for runner in started),
            interrupted=any(runner.result.interrupted for runner in started),
            explanation=explanation(started[-1].result) if started else None,
            plan_costs=[] if cost is None else [cost],
            phases=[runner.describe() for runner in started],
        )


def _gave_up(status: Status | None, runner: Contestant) -> bool:
    """Whether a search ended that says nothing about what another one can find."""
    unproven = status is Status.INCOMPLETE and runner.result.unproven_dead_ends
    return status is Status.MEMORY_LIMIT or (unproven and not runner.result.interrupted)


def _left(limit: int | None, spent: list[int]) -> int | None:
    return None if limit is None else max(0, limit - sum(spent))


def _improved(
    task: GroundTask,
    spec: PlanSpec,
    first: Result,
    winner: Contestant,
    work: float,
    deadline: float | None,
    watch: Callable[[SearchProgress], bool],
    on_plan: OnPlan | None,
) -> Result:
    """The same result with a better plan: for a share of the effort, or as long as time is left."""
    from beeline.planning.anytime import Anytime
    from beeline.planning.engine import Improvement

    try:
        improvement = Improvement(task, winner.result.plan, winner.states)
    except MemoryError:
        if first.plan is not None and first.cost is not None and on_plan is not None:
            on_plan(first.plan, first.cost)
        return first
    costs = [improvement.cost]
    if on_plan is not None:
        on_plan(improvement.plan, improvement.cost)
    seconds = None if deadline is None else deadline - perf_counter()
    rest: Anytime | None = None
    started = perf_counter()
    if spec.anytime:
        rest = Anytime(
            task,
            spec,
            improvement,
            limits=(
                _left(spec.max_evaluations, [first.evaluated]),
                _left(spec.max_expansions, [first.expanded]),
            ),
            deadline=deadline,
            watch=watch,
            on_plan=on_plan,
        )
        rest.run()
        costs += rest.costs
    elif improvement.advance(
        states_for(spec.improve, work, task),
        seconds=seconds,
        memory_limit=spec.memory_limit,
        watch=watch,
    ):
        costs.append(improvement.cost)
        if on_plan is not None:
            on_plan(improvement.plan, improvement.cost)
    counters = [] if rest is None else [search.counters for search in rest.searches]
    return replace(
        first,
        plan=improvement.plan,
        cost=improvement.cost,
        expanded=first.expanded + sum(each.expanded for each in counters),
        evaluated=first.evaluated + sum(each.evaluated for each in counters),
        generated=first.generated + sum(each.generated for each in counters),
        reopened=first.reopened + sum(each.reopened for each in counters),
        dead_ends=first.dead_ends + sum(each.dead_ends for each in counters),
        search_time=first.search_time + perf_counter() - started,
        interrupted=first.interrupted or (rest is not None and rest.interrupted),
        optimal=improvement.optimal or (rest is not None and rest.optimal),
        plan_costs=costs,
    )
