"""`plan`: search with a learned model, with a classical search at its side, and better plans.

Two searches take turns by the rules of `contestants`: greedy search on the learned score, of
whatever kind the model is, and LAMA's first search, greedy with deferred evaluation on h_FF and
landmarks. They share nothing but the task: whoever finds a plan first wins.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError, Status
from beeline.core.limits import StopRequest, peak_memory
from beeline.core.settings import keywords, setting, values_of
from beeline.planning.contestants import Race
from beeline.planning.result import IMPROVE, Limits, Result, check_share, left, states_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from beeline._native import SearchProgress
    from beeline.planning.model import Model, SearchStyle
    from beeline.planning.solve import OnPlan, Progress
    from beeline.task.ground_task import GroundTask
    from beeline.task.plan_file import Plan


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
        race = Race(model, task, spec, deadline, watch)
        result = race.run()
        if result.plan is not None and not spec.as_found:
            result = _improved(task, spec, result, race, deadline, watch, call.on_plan)
        elif result.plan is not None and result.cost is not None and call.on_plan is not None:
            call.on_plan(result.plan, result.cost)
    return replace(result, total_time=perf_counter() - start, peak_memory=peak_memory())


def _watch(stop: StopRequest, progress: Progress | None) -> Callable[[SearchProgress], bool]:
    def watch(glance: SearchProgress) -> bool:
        if stop.requested:
            return False
        return progress is None or progress(glance) is not False

    return watch


def _improved(
    task: GroundTask,
    spec: PlanSpec,
    first: Result,
    race: Race,
    deadline: float | None,
    watch: Callable[[SearchProgress], bool],
    on_plan: OnPlan | None,
) -> Result:
    """The same result with a better plan: for a share of the effort, or as long as time is left."""
    from beeline.planning.anytime import Anytime
    from beeline.planning.engine import Improvement

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
            seconds=None if deadline is None else deadline - perf_counter(),
            memory_limit=spec.memory_limit,
            watch=watch,
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
    if race.second_opinion(spec.improve):
        with suppress(MemoryError):
            rival = Improvement(task, *race.found)
            for each in (improvement, rival):
                advance(each, states // 4)
            improvement = min(improvement, rival, key=lambda each: (each.cost, len(each.plan)))
            states //= 2
    rest: Anytime | None = None
    if spec.anytime:
        limits = (
            left(spec.max_evaluations, [first.evaluated]),
            left(spec.max_expansions, [first.expanded]),
        )
        rest = Anytime(
            task, spec, improvement, limits=limits, deadline=deadline, watch=watch, on_plan=on_plan
        )
        rest.run()
        costs += rest.costs
    else:
        advance(improvement, states)
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
        phases=race.phases,
    )
