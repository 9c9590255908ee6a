"""What `solve` and `plan` have in common: limits, results, the work they take, better plans.

Work is counted in evaluations and generated states, weighted by what each costs on a usual machine,
and not by a clock: equal calls give equal plans everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from beeline.core.errors import BeelineError, Status
from beeline.core.limits import memory_size
from beeline.core.settings import setting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from beeline._native import PlanImprover, SearchCounters, SearchResult, States
    from beeline.planning.engine import Watch
    from beeline.planning.solve import OnPlan
    from beeline.task.ground_task import GroundTask
    from beeline.task.plan_file import Plan

    OnSearch = Callable[["SearchTrace"], None]


LOGGED = 50_000  # evaluated states that are remembered


class SearchTrace(NamedTuple):
    """How a search ended, with its log; of searches in turns, the first with a plan comes last."""

    name: str
    result: SearchResult
    task: GroundTask  # as the search knew it
    states: States  # whose numbers the log has
    heuristic: str = ""  # whose values the log has; "" if there is none
    alpha: float = 0.0  # of the merit alpha * g + beta * h
    beta: float = 1.0


class Specification(Protocol):
    """All settings of a search or of several."""

    @property
    def seed(self) -> int:
        """The seed for random decisions."""

    def to_json(self) -> dict[str, object]:
        """The settings as plain words and numbers."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Limits:
    """The settings that every search has.

    >>> Limits(memory_limit="2G").memory_limit
    2147483648
    """

    anytime: bool = setting(
        False, "After the first plan look for better ones, until none is left: PLAN.1, PLAN.2 ..."
    )
    as_found: bool | None = setting(
        None,
        "Whether plans stay as the search has found them, useless steps included: their lengths are"
        " then the search's own, as papers give them. By default so in Python and in suites that"
        " name a search, unless plans are improved, and nowhere else.",
    )
    unbounded: bool = setting(
        False,
        "In anytime mode, do not tell a model with a truncated Gaussian what the best plan so far"
        " costs: it would bound every state's cost from above, and prune.",
    )
    seed: int = setting(0, "Seed for random tie-breaking.", "N")
    time_limit: float | None = setting(None, "Stop after this time.", "SECONDS")
    processor_time_limit: float | None = setting(
        None, "Stop after this time of the processor, whatever else it does meanwhile.", "SECONDS"
    )
    memory_limit: int | str | None = setting(
        None, "Of the whole process, such as 200M or 2G; a plain number means MB.", "SIZE"
    )
    max_evaluations: int | None = setting(None, "Stop after N evaluations.", "N")
    max_expansions: int | None = setting(None, "Stop after N expansions.", "N")

    def __post_init__(self) -> None:
        object.__setattr__(self, "memory_limit", memory_size("memory limit", self.memory_limit))
        for name in ("max_evaluations", "max_expansions", "memory_limit"):
            check_count(name, getattr(self, name))
        for name in ("time_limit", "processor_time_limit"):
            given = getattr(self, name)
            if given is not None:
                seconds = float(given)
                object.__setattr__(self, name, seconds)
                if not 0 < seconds < math.inf:
                    words = name.replace("_", " ")
                    raise BeelineError(f"the {words} {seconds} is not a number of seconds above 0")


def told(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings as results and records have them: what is seldom said only where it is.

    Records of runs under the same settings stay the same when a setting is added.
    """
    seldom = ("processor_time_limit", "unbounded", "symmetry")
    return {name: value for name, value in settings.items() if value or name not in seldom}


def check_count(name: str, value: int | None) -> None:
    """Refuse a count below 1."""
    if value is not None and not 1 <= value < 2**62:
        raise BeelineError(f"{name.replace('_', ' ')} {value} is not a number from 1 up")


@dataclass(frozen=True)
class Result:
    """How a search ended, its plan and its counters.

    Counters mean what they mean in Fast Downward; in anytime mode they are sums over all
    searches. `cost` and `plan` are None unless the status is solved.
    """

    status: Status
    spec: Specification
    plan: Plan | None = None  # has been validated
    cost: int | None = None
    expanded: int = 0
    evaluated: int = 0
    generated: int = 0
    reopened: int = 0
    dead_ends: int = 0
    initial_h: float | None = None  # by the first heuristic; None if there is none
    search_time: float = 0.0  # seconds in the engine
    total_time: float = 0.0  # seconds since the call
    peak_memory: int | None = None  # KB, of the process
    states: int = 0  # registered, in the last search
    bytes_per_state: float | None = None  # states, their hash table and search nodes
    explanation: str | None = None  # why the status is incomplete, where that is known
    interrupted: bool = False  # by Ctrl-C, a signal or the progress callback
    optimal: bool = False  # whether no plan can be cheaper
    plan_costs: list[int] = field(default_factory=list)  # of all plans found, in order
    phases: list[dict[str, object]] = field(default_factory=list)  # where several searches ran

    @property
    def solved(self) -> bool:
        """Whether there is a plan."""
        return self.status is Status.SOLVED

    @property
    def length(self) -> int | None:
        """Steps of the plan."""
        return None if self.plan is None else len(self.plan)

    @property
    def seed(self) -> int:
        """The seed for random decisions."""
        return self.spec.seed

    @property
    def config(self) -> dict[str, object]:
        """All settings of the search as plain words and numbers."""
        return self.spec.to_json()

    def _repr_html_(self) -> str:
        from beeline.pages.notebook import result_html

        return result_html(self)

    def to_json(self) -> dict[str, object]:
        """The fields that scripts rely on; an infinite `initial_h` becomes null."""
        finite = self.initial_h is not None and math.isfinite(self.initial_h)
        return {
            "status": self.status.value,
            "cost": self.cost,
            "length": self.length,
            "plan": None if self.plan is None else list(self.plan),
            "expanded": self.expanded,
            "evaluated": self.evaluated,
            "generated": self.generated,
            "reopened": self.reopened,
            "dead_ends": self.dead_ends,
            "initial_h": self.initial_h if finite else None,
            "search_time": round(self.search_time, 6),
            "total_time": round(self.total_time, 6),
            "peak_memory": self.peak_memory,
            "seed": self.seed,
            "config": self.config,
            **({"phases": self.phases} if self.phases else {}),
        }


# All work is in microseconds of a usual machine.
COLOURS = 3.0  # updating the colours of a state
RELAXATION = 5.0  # a relaxed plan, in a task without operators
PER_OPERATOR = 0.02
IMPROVE = 0.5  # of the effort so far, unless told otherwise, for plans of `plan`
GENERATED = 0.1  # a state, while a plan is improved
JOINED = 0.25  # the same where operators are not written down
SCATTERED = 8_000_000  # operators: with more, looking at them waits for the memory
GROUNDED = 5.0  # an operator: what came before the search counts as well
LONGEST = 6e6  # effort of which there are shares: who waited for long shall not wait much longer
LEAST = 40_000.0  # so that a plan that was found at once becomes a good one at once


def evaluation_work(task: GroundTask, *, colours: bool, relaxation: bool) -> float:
    """What one evaluation costs."""
    work = COLOURS if colours else 0.0
    if relaxation:
        work += RELAXATION + PER_OPERATOR * task.bulk
    return work


def check_share(share: float, *, as_found: bool) -> None:
    """Refuse what is no share of the effort, and effort for plans that shall stay as they are."""
    if not 0 <= share < math.inf:
        raise BeelineError(
            f"improve {share} is not a number from 0 up", hint="0.5 is half the effort so far"
        )
    if as_found and share:
        message = "plans as they are found, and improved"
        raise BeelineError(message, hint="leave out as_found, or improve 0")


def sums(counters: Sequence[SearchCounters | Result]) -> dict[str, Any]:
    """The counters of several searches together, as results have them."""
    names = ("expanded", "evaluated", "generated", "reopened", "dead_ends")
    return {name: sum(getattr(each, name) for each in counters) for name in names}


def left(limit: int | None, spent: list[int]) -> int | None:
    """What is left of a limit, if there is one."""
    return None if limit is None else max(0, limit - sum(spent))


def states_for(share: float, work: float, task: GroundTask) -> int:
    """How many states may be generated for a share of the work so far; none for no share."""
    # Operators that are not written down took no grounding, and wait in no memory.
    effort = min(work + (0 if task.unwritten else GROUNDED * task.bulk), LONGEST)
    each = JOINED if task.unwritten else GENERATED * max(1.0, task.num_operators / SCATTERED)
    return int((share * effort + LEAST) / each) if share else 0


def explanation(search: SearchResult, bound: int | None = None) -> str | None:
    """Why a search that was not interrupted could not say whether there is a plan."""
    if search.status.name != "INCOMPLETE" or search.interrupted:
        return None
    if search.unproven_dead_ends:
        return "a heuristic that proves nothing gave up some states"
    if bound is None:
        return "plans that cost 2**53 or more are not looked for"
    return f"no plan costs less than {bound}"


def checked_plan(task: GroundTask, found: SearchResult | PlanImprover) -> tuple[Plan, int]:
    """A plan of the engine and its cost, replayed by the lifted meaning of its actions."""
    from beeline.task.ground_task import ARTIFICIAL
    from beeline.task.plan_file import Plan
    from beeline.task.validator import validate

    steps = tuple(step for step in map(task.operator_name, found.plan) if step[1] != ARTIFICIAL)
    verdict = task.replayed.get(steps)
    if verdict is None:
        verdict = validate(task.problem, steps, unit_costs=task.unit_costs)
        task.replayed = {steps: verdict}  # the next one to be asked about is mostly the same
    if verdict.cost is None or verdict.cost > found.cost:
        reason = verdict.failure.message if verdict.failure else f"it costs {verdict.cost}"
        raise RuntimeError(f"the engine found a wrong plan: {reason}")
    unit_cost = task.unit_costs or not task.problem.minimize_cost
    return Plan(steps, cost=verdict.cost, unit_cost=unit_cost), verdict.cost


class Improvement:
    """A plan that gets better; steps that it can do without are gone from the beginning.

    `operators` are those of the plan, as searches return them. `states` may be those of the search
    that found it, which saves making them again.
    """

    def __init__(
        self, task: GroundTask, operators: Sequence[int], states: States | None = None
    ) -> None:
        from beeline import _native

        self._task = task
        self._native = _native.PlanImprover(
            _native.States(task.native) if states is None else states, list(operators)
        )
        self._native.eliminate()
        self.plan, self.cost = self._checked()

    @property
    def generated(self) -> int:
        """States generated so far."""
        return self._native.generated

    @property
    def finished(self) -> bool:
        """Whether nothing is left to try."""
        return self._native.finished

    @property
    def optimal(self) -> bool:
        """Whether no plan can be cheaper."""
        return self._native.optimal

    def offer(self, operators: Sequence[int]) -> bool:
        """Go on with another plan if it is cheaper."""
        return self._native.offer(list(operators)) and self._accept()

    def advance(
        self,
        generated: int,
        *,
        seconds: float | None = None,
        memory_limit: int | str | None = None,
        watch: Watch | None = None,
        on_plan: OnPlan | None = None,
    ) -> bool:
        """Work on until about that many more states are generated; whether the plan is better.

        It ends earlier when nothing is left to try, at a limit, or when `watch` returns False.
        `on_plan` is called with each better plan and its cost.
        """
        end = self._native.generated + generated
        deadline = None if seconds is None else perf_counter() + seconds
        better = False
        while not self._native.finished:
            left = end - self._native.generated
            if left <= 0:
                break
            self._native.advance(
                left,
                math.inf if deadline is None else deadline - perf_counter(),
                **({"bytes": memory_limit} if isinstance(memory_limit, int) else {}),
                until_better=on_plan is not None,
                watch=watch,
            )
            if self._accept():
                better = True
                if on_plan is not None:
                    on_plan(self.plan, self.cost)
            if self._native.stopped:
                break
        return better

    @property
    def stopped(self) -> bool:
        """Whether time, memory or `watch` has ended the last turn."""
        return self._native.stopped

    def _accept(self) -> bool:
        """Whether the engine's plan is better: steps that stand in no plan do not count."""
        if self._native.plan == self._seen:
            return False
        plan, cost = self._checked()
        if (cost, len(plan)) >= (self.cost, len(self.plan)):
            return False
        self.plan, self.cost = plan, cost
        return True

    def _checked(self) -> tuple[Plan, int]:
        self._seen = self._native.plan
        return checked_plan(self._task, self._native)


def improve(
    task: GroundTask,
    operators: Sequence[int],
    *,
    effort: int,
    seconds: float | None = None,
    on_plan: OnPlan | None = None,
) -> Plan:
    """The plan that becomes of these operators when about `effort` states are generated.

    An effort of 0 takes out useless steps and no more. `on_plan` is called with the plan that is
    left then, and with each better one, and their costs; after `seconds` the best one so far is
    the result.

    >>> from beeline.pddl import parse_domain, parse_problem
    >>> from beeline.task.grounding import ground
    >>> domain = parse_domain('''(define (domain lamps) (:predicates (on ?l))
    ...   (:action switch :parameters (?l) :precondition (not (on ?l)) :effect (on ?l))
    ...   (:action break :parameters (?l) :precondition (on ?l) :effect (not (on ?l))))''')
    >>> task = ground(parse_problem(domain, '''(define (problem one) (:domain lamps)
    ...   (:objects hall) (:init) (:goal (on hall)))'''))
    >>> switch, = task.operator_ids("(switch hall)")
    >>> unscrew, = task.operator_ids("(break hall)")
    >>> improve(task, [switch, unscrew, switch], effort=0)
    ('(switch hall)',)
    """
    improvement = Improvement(task, operators)
    if on_plan is not None:
        on_plan(improvement.plan, improvement.cost)
    improvement.advance(effort, seconds=seconds, on_plan=on_plan)
    return improvement.plan
