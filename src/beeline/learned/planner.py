"""`plan`: search with a learned model, with a classical search at its side.

Two searches take turns by the rules of `schedule`: greedy search on the learned score, of whatever
kind the model is, and greedy search with deferred evaluation on h_FF and its preferred operators.
They share nothing but the task: whoever finds a plan first wins.
"""

from __future__ import annotations

import signal
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from beeline.core.alarm import TimeIsUp, alarm
from beeline.core.process import peak_memory
from beeline.core.statuses import Status
from beeline.learned import schedule
from beeline.learned.contestants import Contestant, classical_search, learned_search
from beeline.learned.plan_spec import PlanSpec
from beeline.planning.interruption import StopRequest
from beeline.planning.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from beeline._native import SearchCounters, SearchProgress
    from beeline.learned.model import SearchStyle
    from beeline.learned.model_file import AnyModel
    from beeline.planning.solve import OnPlan, Progress
    from beeline.task.ground_task import GroundTask


def plan(
    model: AnyModel,
    task: GroundTask,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    max_evaluations: int | None = None,
    max_expansions: int | None = None,
    anytime: bool = False,
    seed: int = 0,
    style: SearchStyle | None = None,
    fallback: bool = True,
    progress: Progress | None = None,
    on_plan: OnPlan | None = None,
    stop_signals: Iterable[int] = (signal.SIGINT,),
    time_spent: float = 0.0,
) -> Result:
    """Find a plan of a task with a model of its domain.

    Without `fallback` only the learned search runs. `style` is the model's unless given. Limits
    and callbacks are those of `beeline.solve`; limits on evaluations and expansions count both
    searches together. With `anytime`, cheaper plans are sought until none is left.
    """
    from beeline.learned.domain_match import check_fits

    check_fits(model, task.problem.domain)
    spec = PlanSpec(
        domain=model.domain_name,
        style=style or model.style,
        fallback=fallback,
        anytime=anytime,
        seed=seed,
        max_evaluations=max_evaluations,
        max_expansions=max_expansions,
        time_limit=time_limit,
        memory_limit=memory_limit,
    )
    start = perf_counter() - time_spent
    if task.unsolvable_reason is not None:
        return Result(Status.UNSOLVABLE, spec, total_time=perf_counter() - start)
    deadline = None if time_limit is None else start + time_limit
    with StopRequest(stop_signals) as stop:
        race = _Race(model, task, spec, deadline, _watch(stop, progress))
        result = race.run(start)
        if anytime and result.plan is not None and result.cost:
            if on_plan is not None:
                on_plan(result.plan, result.cost)
            result = _improved(task, spec, result, deadline, stop, progress, on_plan)
        elif result.plan is not None and result.cost is not None and on_plan is not None:
            on_plan(result.plan, result.cost)
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
        model: AnyModel,
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

    def _take_turns(self, learned: Contestant) -> Status:
        turn = schedule.FIRST_TURN
        while True:
            status = self._turn(learned, turn)
            if status is not None:
                break
            if self._spec.fallback and schedule.stagnates(learned.result, learned.work):
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
            turn *= schedule.GROWTH
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
            evaluations=schedule.evaluations_for(work, runner.work),
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
        from beeline.planning.solve import checked_plan, explanation

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
    deadline: float | None,
    stop: StopRequest,
    progress: Progress | None,
    on_plan: OnPlan | None,
) -> Result:
    """The same result with the cheapest plan that restarting weighted A* finds in the time left."""
    from beeline.planning.solve import solve

    seconds = None if deadline is None else deadline - perf_counter()
    if stop.requested or (seconds is not None and seconds <= 0):
        return first
    watch = _watch(stop, progress)
    better = solve(
        task,
        "wastar",
        "ff",
        weight=5,
        anytime=True,
        bound=first.cost,
        seed=spec.seed,
        time_limit=seconds,
        memory_limit=spec.memory_limit,
        progress=watch,
        on_plan=on_plan,
    )
    exhausted = better.status in (Status.UNSOLVABLE, Status.INCOMPLETE) and not better.interrupted
    return replace(
        first,
        plan=better.plan or first.plan,
        cost=first.cost if better.cost is None else better.cost,
        expanded=first.expanded + better.expanded,
        evaluated=first.evaluated + better.evaluated,
        generated=first.generated + better.generated,
        reopened=first.reopened + better.reopened,
        dead_ends=first.dead_ends + better.dead_ends,
        search_time=first.search_time + better.search_time,
        interrupted=first.interrupted or better.interrupted,
        optimal=better.optimal or exhausted,
        plan_costs=[*first.plan_costs, *better.plan_costs],
    )
