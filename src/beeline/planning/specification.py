"""What a search is told: the user's words, checked, completed and frozen.

All searches are settings of one best-first search with merit `alpha * g + beta * h`. A
specification holds every setting, defaults included, so that equal searches have equal
specifications, whatever words were used.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, fields
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError, look_up
from beeline.core.settings import keywords, setting
from beeline.planning.heuristics import HEURISTICS, TieBreaking, heuristic_entry, parse_tie_breaking
from beeline.planning.python_heuristics import MODEL, PYTHON
from beeline.planning.result import Limits, check_count, check_share, told
from beeline.planning.searches import DEFAULT_WEIGHT, SEARCHES, SearchEntry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.planning.solve import AnyHeuristic

DEFAULT_BOOST = 1000
COSTS = ("plain", "one", "plusone")


@dataclass(frozen=True)
class SearchSettings(Limits):
    """What can be said about a search; None is what suits it.

    In Python, a heuristic is a name, a function from a `StateBatch` to one float per state, an
    object with such a method `evaluate`, or a learned model. phs and levints take one that has a
    policy.
    """

    search: str | None = setting(
        None,
        "One of {names}. By default lama-first, the strongest where any plan will do; gbfs where a"
        " heuristic is named.",
        "NAME",
        names=SEARCHES,
    )
    heuristic: AnyHeuristic | Sequence[AnyHeuristic] | None = setting(
        None,
        "One of {names}, or the file of a learned model, MODEL.beeline; or several, with commas,"
        " that take turns. By default ff, for astar lmcut, for LAMA ff,landmarks.",
        "NAMES",
        names=HEURISTICS,
    )
    _: KW_ONLY
    preferred: AnyHeuristic | Sequence[AnyHeuristic] | None = setting(
        None,
        "Use the preferred operators of this heuristic, or of a model that has any; by default"
        " LAMA's searches do, with ff.",
        "NAMES",
        names=[name for name, entry in HEURISTICS.items() if entry.preferred],
    )
    boost: int | None = setting(
        None,
        "How many states in a row come from the queue of preferred operators after progress;"
        f" {DEFAULT_BOOST}. 0: plain alternation.",
        "N",
    )
    weight: float | None = setting(
        None, f"Weight of h in wastar, from 1 up; {DEFAULT_WEIGHT:g}.", "W"
    )
    alpha: float | None = setting(None, "Weight of g in best-first; 1.", "A")
    beta: float | None = setting(None, "Weight of h in best-first; 1.", "B")
    tie_breaking: str | None = setting(
        None,
        "What decides between equals, such as h,fifo or f,h,lifo or round(h),ff,random.",
        "WORDS",
    )
    costs: str | None = setting(
        None,
        "What heuristics take for the cost of an operator: plain, one, or plusone (one more than it"
        " costs, unless all cost 1); plain, in LAMA's searches one.",
        "KIND",
        names=COSTS,
    )
    deferred: bool | None = setting(
        None, "Evaluate states when they are taken from a queue; LAMA's searches do."
    )
    reopen: bool | None = setting(
        None,
        "Whether states that are reached at lower cost are expanded again; by default all"
        " searches but gbfs and bfs do so.",
    )
    requeue: bool = setting(
        False,
        "Queue open states once more that are reached at lower cost, as newer versions of Fast"
        " Downward do, and the papers on preferred operators do not.",
    )
    symmetry: bool = setting(
        False,
        "Look at one of all states that differ only in the names of objects which can be exchanged;"
        " plans cost the same.",
    )
    goal_at_generation: bool = setting(False, "Stop as soon as a goal state is generated.")
    batch: int = setting(1, "Expand the K best states per step.", "K")
    bound: int | None = setting(None, "Only plans that cost less.", "COST")
    improve: float | None = setting(
        None,
        "Improve plans that are not known to be optimal for this share of the effort of the"
        " searches. 0: only take out useless steps. By default 0, in anytime mode 1 unless plans"
        " stay as they are found.",
        "SHARE",
    )


@dataclass(frozen=True)
class SearchSpec:
    """All settings of a search; made by `make_spec`.

    >>> make_spec().to_json()["tie_breaking"]
    'h,fifo'
    >>> make_spec(search="gbfs", heuristic="ff") == make_spec(heuristic="ff")
    True
    """

    search: str
    heuristics: tuple[str, ...]
    alpha: float
    beta: float
    tie_breaking: TieBreaking
    preferred: tuple[str, ...]
    boost: int
    costs: str
    deferred: bool
    reopen: bool
    requeue: bool
    symmetry: bool
    goal_at_generation: bool
    batch: int
    anytime: bool
    as_found: bool
    improve: float
    unbounded: bool
    bound: int | None
    seed: int
    max_evaluations: int | None
    max_expansions: int | None
    time_limit: float | None  # seconds
    processor_time_limit: float | None  # seconds
    memory_limit: int | None  # bytes of the whole process

    @property
    def promises_optimal_plans(self) -> bool:
        """Whether a plan that this search finds is a cheapest one."""
        return SEARCHES[self.search].optimal and self.is_admissible

    @property
    def is_admissible(self) -> bool:
        """Whether no heuristic of the search ever exceeds the cost of the cheapest plan."""
        return all(name in HEURISTICS and HEURISTICS[name].admissible for name in self.heuristics)

    @property
    def evaluators(self) -> tuple[str, ...]:
        """Every heuristic whose values are needed: of the queues first, then tie-breakers."""
        breakers = [key.word for key in self.tie_breaking.keys if key.word not in ("f", "g", "h")]
        return tuple(dict.fromkeys([*self.heuristics, *breakers]))

    def to_json(self) -> dict[str, object]:
        """The settings as plain words and numbers."""
        settings: dict[str, object] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, TieBreaking):
                value = str(value)
            settings[field.name] = list(value) if isinstance(value, tuple) else value
        return told(settings)

    def digest(self) -> str:
        """A short name for these settings, the same in every process.

        >>> make_spec().digest() == make_spec(tie_breaking="h,fifo").digest()
        True
        """
        from hashlib import sha256
        from json import dumps

        return sha256(dumps(self.to_json(), sort_keys=True).encode()).hexdigest()[:16]


@keywords(SearchSettings)
def make_spec(settings: SearchSettings) -> SearchSpec:
    """Check the words of a user and fill in defaults; nonsense is a `BeelineError`.

    >>> make_spec("wastar", "ff,add", weight=5, preferred="ff").boost
    1000
    >>> make_spec("gbfs", weight=5)
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: search 'gbfs' has no weight (hint: weights belong to 'wastar')
    """
    return completed(settings)


def completed(settings: SearchSettings) -> SearchSpec:
    """The specification of settings whose heuristics are names."""
    default = "lama-first" if settings.heuristic is None else "gbfs"
    entry = look_up("search", settings.search or default, SEARCHES)
    alpha, beta = _merit(entry, settings.weight, settings.alpha, settings.beta)
    given = (entry.heuristic or ()) if settings.heuristic is None else settings.heuristic
    heuristics = _names(given)
    preferred = _names(entry.preferred if settings.preferred is None else settings.preferred)
    _check_heuristics(entry, heuristics, preferred)
    costs = settings.costs or entry.costs
    look_up("kind of costs", costs, dict.fromkeys(COSTS))
    has_no_keys = entry.tie_breaking == "fifo"
    if has_no_keys and settings.tie_breaking is not None:
        raise _refusal(entry, "no tie-breaking", "it takes states in the order of generation")
    if settings.boost is not None and not preferred:
        raise BeelineError(
            "a boost without preferred operators", hint="add preferred operators, such as 'ff'"
        )
    merit = "f" if entry.alpha else "h"
    boost = DEFAULT_BOOST if settings.boost is None else settings.boost
    anytime = settings.anytime or entry.anytime
    improve = settings.improve
    if improve is None:
        improve = 1.0 if anytime and not settings.as_found else 0.0
    changed: dict[str, Any] = {
        "search": entry.name,
        "heuristics": heuristics,
        "alpha": alpha,
        "beta": beta,
        "tie_breaking": TieBreaking((), "fifo")
        if has_no_keys
        else parse_tie_breaking(settings.tie_breaking or entry.tie_breaking, merit),
        "preferred": preferred,
        "boost": boost if preferred else 0,
        "costs": costs,
        "deferred": entry.deferred if settings.deferred is None else settings.deferred,
        "anytime": anytime,
        "improve": improve,
        "reopen": entry.reopen if settings.reopen is None else settings.reopen,
        "as_found": not improve if settings.as_found is None else settings.as_found,
    }
    kept: dict[str, Any] = {
        each.name: getattr(settings, each.name, None) for each in fields(SearchSpec)
    }
    spec = SearchSpec(**{**kept, **changed})
    _check_numbers(spec)
    _check_combination(entry, spec)
    return spec


def _refusal(entry: SearchEntry, thing: str, hint: str) -> BeelineError:
    return BeelineError(f"search '{entry.name}' has {thing}", hint=hint)


def _merit(
    entry: SearchEntry, weight: float | None, alpha: float | None, beta: float | None
) -> tuple[float, float]:
    if weight is not None:
        if entry.name != "wastar":
            raise _refusal(entry, "no weight", "weights belong to 'wastar'")
        if not 1 <= weight < math.inf:
            raise BeelineError(f"the weight {weight} is not a number from 1 up")
        return entry.alpha, float(weight)
    if (alpha, beta) != (None, None) and entry.name != "best-first":
        raise _refusal(entry, "its own alpha and beta", "choose them with search 'best-first'")
    alpha = entry.alpha if alpha is None else alpha
    beta = entry.beta if beta is None else beta
    if not (0 <= alpha < math.inf and 0 <= beta < math.inf):
        raise BeelineError(f"alpha {alpha} and beta {beta} must be numbers from 0 up")
    if entry.name == "best-first" and alpha == beta == 0:
        raise BeelineError("alpha and beta are both 0", hint="that is search 'bfs'")
    return float(alpha), float(beta)


def _names(words: Any) -> tuple[str, ...]:
    listed = words.split(",") if isinstance(words, str) else words
    names = [word.strip() for word in listed]
    if len(set(names)) < len(names):
        raise BeelineError(f"a heuristic is named twice: {', '.join(names)}", hint="once is enough")
    return tuple(names)


def _check_heuristics(
    entry: SearchEntry, heuristics: tuple[str, ...], preferred: tuple[str, ...]
) -> None:
    if entry.heuristic is None and heuristics:
        raise _refusal(entry, "no heuristic", "take 'gbfs' or 'astar'")
    if entry.policy is not None and not all(
        name.startswith((PYTHON, MODEL)) for name in heuristics or ("",)
    ):
        raise _refusal(
            entry,
            "need of a heuristic with a policy",
            "give a model that 'beeline train --loss policy' made",
        )
    if entry.heuristic is not None and not heuristics:
        raise _refusal(entry, "need of a heuristic", f"such as '{entry.heuristic}'")
    for name in [*heuristics, *preferred]:
        if not name.startswith((PYTHON, MODEL)):
            heuristic_entry(name)
    for name in preferred:
        if name in HEURISTICS and not HEURISTICS[name].preferred:
            having = " or ".join(f"'{each}'" for each, its in HEURISTICS.items() if its.preferred)
            raise BeelineError(
                f"heuristic '{name}' has no preferred operators", hint=f"take {having}"
            )


def _check_numbers(spec: SearchSpec) -> None:
    check_share(spec.improve, as_found=spec.as_found)
    for name in ("batch", "bound"):
        check_count(name, getattr(spec, name))
    for name in ("seed", "boost"):
        value = getattr(spec, name)
        if not 0 <= value < 2**31:
            raise BeelineError(f"{name} {value} is not a number from 0 to {2**31 - 1}")


def _check_combination(entry: SearchEntry, spec: SearchSpec) -> None:
    if spec.deferred and spec.batch > 1:
        raise BeelineError(
            "deferred evaluation looks at one state at a time", hint="leave out the batch"
        )
    if spec.deferred and spec.requeue:
        raise BeelineError(
            "deferred evaluation knows no open states to queue again", hint="leave out requeue"
        )
    one_by_one = not (spec.deferred or entry.beam or entry.policy)
    if spec.symmetry and (not one_by_one or "landmarks" in (*spec.evaluators, *spec.preferred)):
        raise BeelineError(
            "symmetry is for searches that evaluate a state once, whatever the way to it",
            hint="take 'astar', or 'gbfs' without deferred evaluation and landmarks",
        )
    if entry.optimal:
        breaks_the_promise = {
            "preferred operators": bool(spec.preferred),
            "deferred evaluation": spec.deferred,
            "several heuristics": len(spec.heuristics) > 1,
            "a goal test at generation": spec.goal_at_generation,
            "batches": spec.batch > 1,
            "closed states for good": not spec.reopen,
        }
        for thing in [thing for thing, present in breaks_the_promise.items() if present]:
            raise BeelineError(
                f"search '{entry.name}' with {thing} would not find cheapest plans",
                hint="take 'wastar' with weight 1, which promises nothing",
            )
    if entry.policy is not None:
        no_part_of_it = {
            "preferred operators": bool(spec.preferred),
            "deferred evaluation": spec.deferred,
            "several heuristics": len(spec.heuristics) > 1,
            "batches": spec.batch > 1,
            "reopened states": spec.reopen or spec.requeue,
            "anytime mode": spec.anytime,
        }
        for thing in [thing for thing, present in no_part_of_it.items() if present]:
            raise BeelineError(
                f"search '{entry.name}' with {thing} is not defined",
                hint="leave that out, or take 'gbfs'",
            )
    if entry.beam and (spec.preferred or spec.deferred or spec.reopen or spec.requeue):
        raise BeelineError(
            "search 'beam' evaluates all successors of a layer, once",
            hint="leave out preferred operators, deferred evaluation, reopening and requeueing",
        )
    if entry.heuristic is None:
        needs_a_heuristic = {
            "preferred operators": bool(spec.preferred),
            "deferred evaluation": spec.deferred,
            "anytime mode": spec.anytime,
        }
        for thing in [thing for thing, present in needs_a_heuristic.items() if present]:
            raise BeelineError(f"search 'bfs' with {thing} makes no sense", hint="take 'gbfs'")
        if spec.reopen:
            raise BeelineError("search 'bfs' never opens a state again", hint="take 'best-first'")
