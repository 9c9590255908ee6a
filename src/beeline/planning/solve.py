"""`solve`: a task and some words in, a result with a validated plan out."""

from __future__ import annotations

import math
import signal
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError, Status
from beeline.core.limits import Clock, StopRequest, TimeIsUp, limited_memory, peak_memory
from beeline.core.settings import keywords
from beeline.planning.engine import Engine, stages
from beeline.planning.python_heuristics import ModelHeuristic, PythonHeuristic, TaskHeuristics
from beeline.planning.result import (
    GENERATED,
    LOGGED,
    Improvement,
    Result,
    SearchTrace,
    checked_plan,
    explanation,
    left,
    states_for,
    sums,
)
from beeline.planning.searches import SEARCHES
from beeline.planning.specification import SearchSettings, completed
from beeline.task.grounding import as_task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from beeline._native import SearchProgress, SearchResult
    from beeline.pddl.model import Problem
    from beeline.planning.python_heuristics import Heuristic, HeuristicFunction
    from beeline.planning.result import OnSearch
    from beeline.planning.specification import SearchSpec
    from beeline.task.ground_task import GroundTask
    from beeline.task.plan_file import Plan

    GivenHeuristic = HeuristicFunction | Heuristic | TaskHeuristics
    AnyHeuristic = str | GivenHeuristic
    Given = PythonHeuristic | ModelHeuristic
    Progress = Callable[[SearchProgress], bool | None]
    OnPlan = Callable[[Plan, int], None]

# In anytime mode a search is left for one with a smaller weight that has found nothing for this
# many times the work of those before it.
PATIENCE, LEAST_WORK = 2.0, 1e6
NO_END = 2**60  # states


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SearchCall(SearchSettings):
    """Settings of a search, and what only Python can say.

    `progress` is called about ten times a second and stops the search by returning False;
    `on_plan` is called with each plan and its cost, `on_search` with each search that has ended.
    """

    progress: Progress | None = None
    on_plan: OnPlan | None = None
    on_search: OnSearch | None = None


@keywords(SearchCall)
def solve(task: GroundTask | Problem, call: SearchCall) -> Result:
    """Search for a plan.

    Keyword arguments are the fields of `SearchSettings`, and `progress`, `on_plan` and `on_search`;
    `search` and `heuristic` may go without their names. Time counts from this call. Ctrl-C ends the
    search in good order.

    >>> from beeline.pddl import parse_domain, parse_problem
    >>> from beeline.task.grounding import ground
    >>> domain = parse_domain('''(define (domain lamps) (:predicates (on ?l))
    ...   (:action switch :parameters (?l) :precondition (not (on ?l)) :effect (on ?l)))''')
    >>> problem = parse_problem(domain, '''(define (problem two) (:domain lamps)
    ...   (:objects hall desk) (:init) (:goal (and (on hall) (on desk))))''')
    >>> result = solve(ground(problem), "astar", "lmcut")
    >>> result.status.value, result.cost, result.plan
    ('solved', 2, ('(switch hall)', '(switch desk)'))
    """
    task = as_task(task)
    python: dict[str, Given] = {}
    names = None if call.heuristic is None else _register(call.heuristic, python)
    preferred = None if call.preferred is None else _register(call.preferred, python)
    _check_preferred(preferred or [], python)
    spec = completed(replace(call, heuristic=names, preferred=preferred))
    return run(
        task,
        spec,
        python,
        progress=call.progress,
        on_plan=call.on_plan,
        on_search=call.on_search,
    )


def run(
    task: GroundTask,
    spec: SearchSpec,
    python: Mapping[str, Given] | None = None,
    *,
    progress: Progress | None = None,
    on_plan: OnPlan | None = None,
    on_search: OnSearch | None = None,
    stop_signals: Iterable[int] = (signal.SIGINT,),
    since: Clock | None = None,
) -> Result:
    """Search as a specification says; `python` has those heuristics that are not in the registry.

    Limits of time count from this call, or `since` an earlier moment.
    """
    clock = Clock(spec.time_limit, spec.processor_time_limit, since=since)
    if SEARCHES[spec.search].ordered and not python:  # what Python has may know the task as it was
        task = task.ordered
    if task.unsolvable_reason is not None:
        return empty_result(Status.UNSOLVABLE, spec, clock.elapsed())
    try:
        with clock.alarm(), limited_memory(spec.memory_limit):
            engine = Engine(task, spec, python or {})
    except (TimeIsUp, MemoryError) as event:
        status = Status.TIME_LIMIT if isinstance(event, TimeIsUp) else Status.MEMORY_LIMIT
        return empty_result(status, spec, clock.elapsed())
    with StopRequest(stop_signals) as stop:
        return _Run(task, spec, engine, clock, stop, progress, on_plan, on_search).result()


def empty_result(status: Status, spec: SearchSpec, total_time: float) -> Result:
    """The result of a run that ended before the search began."""
    return Result(status, spec, total_time=total_time, peak_memory=peak_memory())


class _Run:
    """The searches of one call, their sums, and the best plan so far."""

    def __init__(
        self,
        task: GroundTask,
        spec: SearchSpec,
        engine: Engine,
        clock: Clock,
        stop: StopRequest,
        progress: Progress | None,
        on_plan: OnPlan | None,
        on_search: OnSearch | None,
    ) -> None:
        self._task = task
        self._spec = spec
        self._engine = engine
        self._clock = clock
        self._stop = stop
        self._progress = progress
        self._on_plan = on_plan
        self._on_search = on_search
        self._plan: Plan | None = None
        self._bound = spec.bound
        self._costs: list[int] = []
        self._searches: list[SearchResult] = []
        self._improvement: Improvement | None = None  # in anytime mode, beside the searches
        self._work = 0.0  # of the searches beside it, in microseconds of a usual machine

    def result(self) -> Result:
        optimal = False
        unit_costs = self._spec.anytime and self._task.all_costs_one
        for stage in stages(self._spec, unit_costs=unit_costs):
            status = self._search(stage)
            if self._improvement is not None and self._improvement.optimal:
                optimal = True
                break
            if status is None:
                continue
            if status is Status.SOLVED:
                optimal = stage.promises_optimal_plans or self._bound == 0
                if optimal or not self._spec.anytime:
                    break
            else:
                exhausted = status in (Status.UNSOLVABLE, Status.INCOMPLETE)
                optimal = exhausted and self._plan is not None and self._left_nothing_out
                if exhausted and not optimal and self._improvement is not None:
                    self._improve_for(math.inf)
                    optimal = self._improvement.optimal
                break
        if status is None or self._plan is not None:
            status = Status.SOLVED
        return self._summary(status, optimal)

    def _search(self, stage: SearchSpec) -> Status | None:
        """One search; a plan that it finds is checked and becomes the best one.

        None if it was left for the next one, which begins anew with more regard for costs.
        """
        counters = [search.counters for search in self._searches]
        evaluations_left = left(stage.max_evaluations, [each.evaluated for each in counters])
        expansions_left = left(stage.max_expansions, [each.expanded for each in counters])
        if evaluations_left == 0:
            return Status.EVALUATION_LIMIT
        if expansions_left == 0:
            return Status.EXPANSION_LIMIT
        if self._clock.is_up:
            return Status.TIME_LIMIT
        found = self._engine.search(
            stage,
            bound=self._bound,
            max_evaluations=evaluations_left,
            max_expansions=expansions_left,
            seconds=self._clock.left,
            watch=self._watch,
            between=None if self._improvement is None else self._between(stage),
            log=LOGGED if self._on_search is not None else 0,
        )
        self._searches.append(found)
        if self._on_search is not None and self._engine.states is not None:
            heuristic = stage.heuristics[0] if stage.heuristics else ""
            where = (self._task, self._engine.states, heuristic)
            self._on_search(SearchTrace(stage.search, found, *where, stage.alpha, stage.beta))
        if found.status.name == "PAUSED":
            return None
        status = Status[found.status.name]
        if found.interrupted and self._clock.has_worked_enough:
            status = Status.TIME_LIMIT
        if status is Status.SOLVED:
            found_plan = checked_plan(self._task, found)
            if self._spec.as_found or stage.promises_optimal_plans:
                self._keep(*found_plan)
            elif self._improvement is not None and self._improvement.offer(found.plan):
                self._keep(self._improvement.plan, self._improvement.cost)
            else:
                self._improve(found.plan, *found_plan)
        return status

    def _keep(self, plan: Plan, cost: int) -> None:
        self._plan, self._bound = plan, cost
        self._costs.append(cost)
        if self._on_plan is not None:
            self._on_plan(plan, cost)

    def _improve(self, operators: Sequence[int], plan: Plan, cost: int) -> None:
        """Keep a plan without its useless steps, then what becomes of it with some effort."""
        goes_on = self._spec.anytime and self._spec.improve > 0
        try:  # states of the search are not kept for longer than it
            states = None if goes_on else self._engine.states
            improvement = Improvement(self._task, operators, states)
        except MemoryError:
            return self._keep(plan, cost)
        self._keep(improvement.plan, improvement.cost)
        if goes_on:
            self._improvement = improvement
        evaluated = sum(search.counters.evaluated for search in self._searches)
        better = improvement.advance(
            states_for(self._spec.improve, evaluated * self._engine.work, self._task),
            seconds=self._clock.left(),
            memory_limit=self._spec.memory_limit,
            watch=self._watch,
        )
        if better:
            self._keep(improvement.plan, improvement.cost)
        return None

    def _between(self, stage: SearchSpec) -> Callable[[float], int | None]:
        """What is done between the turns of a search, and says whether it goes on."""
        patience = max(LEAST_WORK, PATIENCE * self._work)
        work_before = self._work

        def improve(work: float) -> int | None:
            self._work += work
            self._improve_for(work)
            impatient = stage.beta != 1 and self._work - work_before > patience
            proved = self._improvement is not None and self._improvement.optimal
            return None if impatient or proved else self._bound

        return improve

    def _improve_for(self, work: float) -> None:
        """Make the best plan better for a share of the work of searches, in microseconds."""
        if self._improvement is not None:
            self._improvement.advance(
                int(min(self._spec.improve * work / GENERATED, NO_END)),
                seconds=self._clock.left(),
                memory_limit=self._spec.memory_limit,
                watch=self._watch,
                on_plan=self._keep_cheaper,
            )

    def _keep_cheaper(self, plan: Plan, cost: int) -> None:
        if self._bound is None or cost < self._bound:
            self._keep(plan, cost)

    @property
    def _left_nothing_out(self) -> bool:
        """Whether the last search saw all that lies below its bound."""
        return not (self._interrupted or self._searches[-1].unproven_dead_ends)

    @property
    def _interrupted(self) -> bool:
        ended = any(search.interrupted for search in self._searches)
        return ended and not self._clock.has_worked_enough

    def _watch(self, progress: SearchProgress) -> bool:
        if self._stop.requested or self._clock.has_worked_enough:
            return False
        return self._progress is None or self._progress(progress) is not False

    def _summary(self, status: Status, optimal: bool) -> Result:
        first = self._searches[0] if self._searches else None
        last = self._searches[-1] if self._searches else None
        return Result(
            status=status,
            spec=self._spec,
            plan=self._plan,
            cost=self._costs[-1] if self._costs else None,
            **sums([search.counters for search in self._searches]),
            initial_h=first.initial_h[0] if first is not None and first.initial_h else None,
            search_time=sum(search.seconds for search in self._searches),
            total_time=self._clock.elapsed(),
            peak_memory=peak_memory(),
            states=last.states if last is not None else 0,
            bytes_per_state=last.bytes / last.states if last is not None and last.states else None,
            interrupted=self._interrupted,
            explanation=None if last is None else explanation(last, self._spec.bound),
            optimal=optimal,
            plan_costs=self._costs,
        )


def _register(
    heuristics: AnyHeuristic | Sequence[AnyHeuristic], python: dict[str, Given]
) -> list[str]:
    """Names for all of them; those that are not names already go into `python`."""
    from collections.abc import Sequence as AnySequence

    if isinstance(heuristics, str):
        return heuristics.split(",")
    listed = heuristics if isinstance(heuristics, AnySequence) else [heuristics]
    names = []
    for each in listed:
        if isinstance(each, str):
            names.append(each)
        else:
            names.append(_register_object(each, python))
    return names


def _check_preferred(names: list[str], python: Mapping[str, Given]) -> None:
    for name in names:
        if name in python and not python[name].has_preferred:
            raise BeelineError(
                f"heuristic '{name}' has no preferred operators",
                hint="give an object with a method preferred(batch), or 'ff'",
            )


def _register_object(source: GivenHeuristic, python: dict[str, Given]) -> str:
    for name, known in python.items():  # an object that also gives preferred operators
        if known.source is source:
            return name
    heuristic: Given
    if isinstance(source, TaskHeuristics):
        heuristic = ModelHeuristic(source)
    else:
        heuristic = PythonHeuristic(source)
    stem, number = heuristic.name, 1
    while heuristic.name in python:
        number += 1
        heuristic.name = f"{stem}#{number}"
    python[heuristic.name] = heuristic
    return heuristic.name
