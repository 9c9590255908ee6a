"""What `solve` and `plan` have in common: limits, results, and what work they take.

Work is counted in evaluations and generated states, weighted by what each costs on a usual machine,
and not by a clock: equal calls give equal plans everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from beeline.core.errors import BeelineError, Status
from beeline.core.limits import memory_size
from beeline.core.settings import setting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline._native import SearchCounters, SearchResult
    from beeline.task.ground_task import GroundTask
    from beeline.task.plan_file import Plan


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
    seldom = ("processor_time_limit",)
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
GROUNDED = 5.0  # an operator: what came before the search counts as well
LONGEST = (
    6e6  # effort of which there are shares: whoever waited for long shall not wait much longer
)
LEAST = 40_000.0  # so that a plan that was found at once becomes a good one at once


def evaluation_work(task: GroundTask, *, colours: bool, relaxation: bool) -> float:
    """What one evaluation costs."""
    work = COLOURS if colours else 0.0
    if relaxation:
        work += RELAXATION + PER_OPERATOR * task.num_operators
    return work


def check_share(share: float, *, as_found: bool) -> None:
    """Refuse what is no share of the effort, and effort for plans that shall stay as they are."""
    if not 0 <= share < math.inf:
        raise BeelineError(
            f"improve {share} is not a number from 0 up", hint="0.5 is half the effort so far"
        )
    if as_found and share:
        raise BeelineError(
            "plans as they are found, and improved", hint="leave out as_found, or improve 0"
        )


def sums(counters: Sequence[SearchCounters | Result]) -> dict[str, Any]:
    """The counters of several searches together, as results have them."""
    names = ("expanded", "evaluated", "generated", "reopened", "dead_ends")
    return {name: sum(getattr(each, name) for each in counters) for name in names}


def left(limit: int | None, spent: list[int]) -> int | None:
    """What is left of a limit, if there is one."""
    return None if limit is None else max(0, limit - sum(spent))


def states_for(share: float, work: float, task: GroundTask) -> int:
    """How many states may be generated for a share of the work so far; none for no share."""
    if not share:
        return 0
    effort = min(work + GROUNDED * task.num_operators, LONGEST)
    return int((share * effort + LEAST) / GENERATED)


def explanation(search: SearchResult, bound: int | None = None) -> str | None:
    """Why a search that was not interrupted could not say whether there is a plan."""
    if search.status.name != "INCOMPLETE" or search.interrupted:
        return None
    if search.unproven_dead_ends:
        return "a heuristic that proves nothing gave up some states"
    if bound is None:
        return "plans that cost 2**53 or more are not looked for"
    return f"no plan costs less than {bound}"
