"""`plan`: search with a learned model, with a classical search at its side, and better plans.

Two searches take turns by the rules of `contestants`: greedy search on the learned score and LAMA's
first search, greedy with deferred evaluation on h_FF and landmarks. They share nothing but the
task: whoever finds a plan first wins.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError, Status
from beeline.core.limits import Clock, StopRequest, TimeIsUp, peak_memory
from beeline.core.settings import keywords, setting, values_of
from beeline.planning import contestants
from beeline.planning.anytime import Anytime, shorter_by_beams
from beeline.planning.result import (
    IMPROVE,
    LOGGED,
    LONGEST,
    Improvement,
    Limits,
    Result,
    check_share,
    explanation,
    left,
    states_for,
    sums,
    told,
)
from beeline.task.grounding import as_task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from beeline._native import SearchProgress, States
    from beeline.pddl.model import Problem
    from beeline.planning.contestants import Contestant
    from beeline.planning.model import Model, SearchStyle
    from beeline.planning.result import OnSearch
    from beeline.planning.solve import OnPlan, Progress
    from beeline.task.ground_task import GroundTask
    from beeline.task.plan_file import Plan

DETOURS = 1.05  # expansions for each step of a plan, above which a learned search looked around


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
        return told({"search": "learned", **asdict(self)})


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PlanCall(PlanSettings):
    """Settings, and what only Python can say; `style` is the model's unless given.

    Limits of time count from the call, or `since` an earlier moment.
    """

    style: SearchStyle | None = None
    progress: Progress | None = None
    on_plan: OnPlan | None = None
    on_search: OnSearch | None = None
    stop_signals: Iterable[int] = (signal.SIGINT,)
    since: Clock | None = None


@keywords(PlanCall)
def plan(
    model: Model | str | os.PathLike[str], task: GroundTask | Problem, call: PlanCall
) -> Result:
    """Find a plan of a task with a model of its domain.

    `model` may also be the file of one, the name of one that comes with the package, or "auto":
    whichever of those fits the domain. Keyword arguments are the fields of `PlanSettings` and
    `PlanCall`; callbacks are those of `beeline.solve`.

    >>> from beeline import generators, ground
    >>> result = plan("auto", ground(generators.generate("ferry", cars=2, locations=3)))
    >>> result.status.value, result.plan[0].name
    ('solved', ...)
    """
    from beeline.planning.model import check_fits

    task = as_task(task).ordered
    if isinstance(model, str | os.PathLike):
        from beeline.models.model_file import find_model

        model = find_model(model, task.problem.domain)
    check_fits(model, task.problem.domain)
    spec = PlanSpec(**values_of(call), domain=model.domain_name, style=call.style or model.style)
    clock = Clock(spec.time_limit, spec.processor_time_limit, since=call.since)
    if task.unsolvable_reason is not None:
        return Result(Status.UNSOLVABLE, spec, total_time=clock.elapsed())
    with StopRequest(call.stop_signals) as stop:

        def watch(glance: SearchProgress) -> bool:
            if stop.requested or clock.has_worked_enough:
                return False
            return call.progress is None or call.progress(glance) is not False

        race = Race(model, task, spec, clock, watch, LOGGED if call.on_search else 0)
        result = race.run()
        if result.plan is not None and not spec.as_found:
            result = _improved(task, spec, result, race, clock, watch, call.on_plan)
        elif result.plan is not None and result.cost is not None and call.on_plan is not None:
            call.on_plan(result.plan, result.cost)
        if call.on_search is not None:
            race.show(call.on_search)
    return replace(result, total_time=clock.elapsed(), peak_memory=peak_memory())


def _improved(
    task: GroundTask,
    spec: PlanSpec,
    first: Result,
    race: Race,
    clock: Clock,
    watch: Callable[[SearchProgress], bool],
    on_plan: OnPlan | None,
) -> Result:
    """The same result with a better plan: for a share of the effort, or as long as time is left."""
    started = perf_counter()
    costs: list[int] = []
    best: Plan | None = None

    def keep(plan: Plan, cost: int) -> None:
        nonlocal best
        if best is None or (cost, len(plan)) < (costs[-1], len(best)):
            best = plan
            costs.append(cost)
            if on_plan is not None:
                on_plan(plan, cost)

    def advance(improvement: Improvement, states: int) -> None:
        improvement.advance(
            states,
            seconds=clock.left(),
            memory_limit=spec.memory_limit,
            watch=lambda glance: not clock.is_nearly_up and watch(glance),
        )
        keep(improvement.plan, improvement.cost)

    states = states_for(spec.improve, race.work, task)
    try:
        improvement = Improvement(task, *race.found)
    except MemoryError:
        if first.plan is not None and first.cost is not None:
            keep(first.plan, first.cost)
        return first
    keep(improvement.plan, improvement.cost)
    early = states // 4
    advance(improvement, early)
    rivals = [improvement]
    with suppress(MemoryError):
        rivals += [Improvement(task, *found) for found in race.others(spec.improve, improvement)]
    for each in rivals[1:]:
        advance(each, early // (len(rivals) - 1))
    improvement = min(rivals, key=lambda each: (each.cost, len(each.plan)))
    states -= early * min(len(rivals), 2)
    rest: Anytime | None = None
    if spec.anytime:
        limits = (
            left(spec.max_evaluations, [first.evaluated]),
            left(spec.max_expansions, [first.expanded]),
        )
        rest = Anytime(race.model, task, spec, improvement, limits, clock, watch, on_plan)
        rest.run()
        costs += rest.costs
    else:
        advance(improvement, states)
    counters = [] if rest is None else [search.counters for search in rest.searches]
    return replace(
        first,
        plan=improvement.plan,
        cost=improvement.cost,
        **sums([first, *counters]),
        search_time=first.search_time + perf_counter() - started,
        interrupted=first.interrupted or (rest is not None and rest.interrupted),
        optimal=improvement.optimal or (rest is not None and rest.optimal),
        plan_costs=costs,
        phases=race.phases,
    )


class Race:
    """The searches of one call, in turns."""

    def __init__(
        self,
        model: Model,
        task: GroundTask,
        spec: PlanSpec,
        clock: Clock,
        watch: Callable[[SearchProgress], bool],
        log: int = 0,
    ) -> None:
        self.model = model
        self.task = task
        self.spec = spec
        self._clock = clock
        self._watch = watch
        self._log = log
        self._runners: list[Contestant] = []  # the learned search, then others as they join in
        self._classical: Contestant | None = None
        self._solved: list[Contestant] = []

    def run(self) -> Result:
        """Until one search has an answer or a limit is reached."""
        try:
            status = self._take_turns(self.join(partial(contestants.learned_search, self.model)))
        except TimeIsUp:
            status = Status.TIME_LIMIT
        except MemoryError:
            status = Status.MEMORY_LIMIT
        return self._summary(status)

    @property
    def found(self) -> tuple[list[int], States | None]:
        """The operators of the plan that was found last, and the states of its search."""
        return self._solved[-1].result.plan, self._solved[-1].states

    @property
    def phases(self) -> list[dict[str, object]]:
        """What each search did, for records."""
        return [runner.describe() for runner in self._runners if runner.started]

    def show(self, on_search: OnSearch) -> None:
        """Tell of all searches that still have their states, last of the first to find a plan."""
        for runner in sorted(self._runners, key=lambda each: each in self._solved[:1]):
            if (trace := runner.trace(self.task)) is not None:
                on_search(trace)

    @property
    def work(self) -> float:
        """What all evaluations have cost."""
        return sum(runner.spent for runner in self._runners)

    def others(self, share: float, known: Improvement) -> Iterator[tuple[list[int], States | None]]:
        """Plans of the classical search, and of beams, each for a share of the work."""
        first, works = self._solved[-1], self.work
        if not (share and self.spec.fallback) or self.task.unwritten:
            return
        with suppress(TimeIsUp, MemoryError):
            allowed = max(contestants.OPINION, share * min(first.spent, LONGEST))
            if first is not self._classical and self._asks_classical(allowed):
                yield self.found
        looked_around = first.result.counters.expanded > DETOURS * len(known.plan)
        beams = first.name == contestants.SPRINT or (first.by_model and looked_around)
        with suppress(TimeIsUp, MemoryError):
            if beams and shorter_by_beams(self, first, known, share, works):
                yield self.found

    def _asks_classical(self, allowed: float) -> bool:
        if self._classical is None:
            if contestants.preparation(self.task) > allowed:
                return False
            self._classical = self.join(contestants.classical_search)
        return self.solves(self._classical, allowed)

    def solves(self, runner: Contestant, work: float) -> bool:
        """Whether a search has a plan when it has done so much in all."""
        while runner.spent < work and not runner.has_left:
            if self._turn(runner, work - runner.spent) is not None:
                break
        return self._solved[-1] is runner

    def join(self, search: Callable[[GroundTask, PlanSpec], Contestant]) -> Contestant:
        """One more search."""
        with self._clock.alarm():
            self._runners.append(search(self.task, self.spec))
        self._runners[-1].keep_log(self._log)
        return self._runners[-1]

    def _take_turns(self, learned: Contestant) -> Status:
        turn, head_start = contestants.FIRST_TURN, contestants.head_start(self.task)
        while True:
            astray, share = contestants.standing(learned, self._classical)
            sprinter = None
            if self.spec.fallback and (astray or learned.spent >= head_start or learned.has_left):
                sprinter = self._call_for_help(astray)
            active = [each for each in self._runners if not each.has_left]
            runner = sprinter or contestants.whose_turn(self._runners, share, self.task)
            status = self._turn(runner, turn * min(1.0, runner.steadiness / contestants.STEADY))
            someone_left = len(active) > 1 or contestants.help_may_come(self._runners, self.task)
            if self.spec.fallback and someone_left and contestants.gave_up(status, runner):
                runner.leave()
            elif status is not None:
                return status
            turn *= contestants.GROWTH if len(active) > 1 else 1

    def _call_for_help(self, astray: bool) -> Contestant | None:
        """More searches, each once; if one of them is to have the floor, that one."""
        names = {each.name: each for each in self._runners}
        sprinter = names.get(contestants.SPRINT)
        if sprinter is None and contestants.can_sprint(self._runners[0], self.task):
            sprinter = self.join(contestants.sprint)
        if sprinter and not sprinter.has_left and sprinter.spent < contestants.SPRINT_WORK:
            return sprinter if astray or self._runners[0].has_left else None
        if self._classical is None and not self.task.unwritten:
            self._classical = self.join(contestants.classical_search)
        if astray and contestants.EXPLORING not in names and not self._runners[0].has_left:
            self.join(partial(contestants.learned_search, self.model, exploring=True))
            if not contestants.is_crowded(self._runners[0], self.task):
                self.join(partial(contestants.goalwise_search, self.model))
        classical = self._classical
        if classical and classical.spent >= contestants.LONG and contestants.WIDTH not in names:
            self.join(partial(contestants.width_search, like=classical))
        return None

    def _turn(self, runner: Contestant, work: float) -> Status | None:
        """How the search ended, or None if only its turn has."""
        counters = [each.result.counters for each in self._runners if each.started]
        limits = (
            left(self.spec.max_evaluations, [each.evaluated for each in counters]),
            left(self.spec.max_expansions, [each.expanded for each in counters]),
        )
        if limits[0] == 0:
            return Status.EVALUATION_LIMIT
        if limits[1] == 0:
            return Status.EXPANSION_LIMIT
        if self._clock.is_up:
            return Status.TIME_LIMIT
        evaluations = contestants.evaluations_for(work, runner.work)
        result = runner.advance(
            evaluations=evaluations if runner.started else min(evaluations, contestants.PROBE),
            limits=limits,
            seconds=self._clock.left(),
            watch=self._watch,
        )
        if result.status.name == "SOLVED":
            self._solved.append(runner)
        if result.interrupted and self._clock.has_worked_enough:
            return Status.TIME_LIMIT
        return None if result.status.name == "PAUSED" else Status[result.status.name]

    def _summary(self, status: Status) -> Result:
        from beeline.planning.result import checked_plan

        plan, cost = None, None
        started = [runner for runner in self._runners if runner.started]
        if self._solved:
            plan, cost = checked_plan(self.task, self._solved[-1].result)
        first = started[0].result if started else None
        return Result(
            status=status,
            spec=self.spec,
            plan=plan,
            cost=cost,
            **sums([runner.result.counters for runner in started]),
            initial_h=first.initial_h[0] if first is not None and first.initial_h else None,
            search_time=sum(runner.result.seconds for runner in started),
            states=sum(runner.result.states for runner in started),
            interrupted=any(runner.result.interrupted for runner in started)
            and not self._clock.has_worked_enough,
            explanation=explanation(started[-1].result) if started else None,
            plan_costs=[] if cost is None else [cost],
            phases=self.phases,
        )
