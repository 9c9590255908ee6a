"""The heuristics by name; the engine says what each promises.

The order of a queue as text: merit first, then what decides between equals.

`f,h,fifo` orders by f, then by h, then by age. A word is `f`, `g`, `h`, the name of a heuristic,
or one of these in `round(...)`; the last word is `fifo`, `lifo` or `random`. Papers put such a list
into brackets, and so may users.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from beeline import _native
from beeline.core.errors import BeelineError, look_up
from beeline.planning.result import evaluation_work

if TYPE_CHECKING:
    from beeline._native import Evaluator, HeuristicProperties
    from beeline.task.ground_task import GroundTask


HEURISTICS = {properties.name: properties for properties in _native.heuristic_properties()}


def heuristic_entry(name: str) -> HeuristicProperties:
    """What a heuristic promises.

    >>> heuristic_entry("lmcut").admissible
    True
    >>> heuristic_entry("lm-cut")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: unknown heuristic 'lm-cut': there are add, blind, cea,
    distance, ff, goalcount, landmarks, lmcut, max, pairs, perfect, stages (hint: did you mean
    'lmcut'?)
    """
    return look_up("heuristic", name, HEURISTICS)


def make_evaluator(
    name: str, task: GroundTask, costs: str = "plain", like: Evaluator | None = None
) -> Evaluator:
    """The engine's evaluator for a heuristic by name.

    `costs` are as in `SearchSettings`; `like` is the same heuristic with other costs, whose
    preparations are used again.
    """
    entry = heuristic_entry(name)
    if costs != "plain" and entry.uses_costs and not entry.any_costs:
        raise BeelineError(
            f"heuristic '{name}' looks at the plain costs of operators only",
            hint="leave out the kind of costs, or take 'ff'",
        )
    if entry.all_operators:
        task.require_operators(f"heuristic '{name}'")
    try:
        return _native.make_heuristic(name, task.native, _native.CostType[costs.upper()], like)
    except ValueError as error:  # more states than `perfect` can hold
        raise BeelineError(
            f"heuristic '{name}' cannot handle this task: {error}",
            hint="take 'lmcut', which needs no enumeration",
        ) from None


def heuristic_work(name: str, task: GroundTask) -> float:
    """What one value of a heuristic of the engine costs."""
    return heuristic_entry(name).work * evaluation_work(task, colours=False, relaxation=True)


ORDERS = ("fifo", "lifo", "random")
MAX_KEYS = 4  # of one queue of the engine
_HINT = "write such as 'h,fifo', 'f,h,lifo' or 'round(h),ff,random'"
_WORD = re.compile(r"(round\()?\s*([\w-]+)\s*(\))?")


class QueueKey(NamedTuple):
    """One number that a queue is ordered by: `f`, `g`, `h` or the name of a heuristic."""

    word: str
    rounded: bool = False

    def __str__(self) -> str:
        return f"round({self.word})" if self.rounded else self.word


class TieBreaking(NamedTuple):
    """The keys of a queue, merit first, and the order of entries whose keys are all equal."""

    keys: tuple[QueueKey, ...]
    order: str

    def __str__(self) -> str:
        return ",".join([*map(str, self.keys), self.order])


def parse_tie_breaking(text: str, merit: str) -> TieBreaking:
    """Read a list of words; the merit (`f` or `h`) is put in front if it is not there.

    >>> str(parse_tie_breaking("round(h), ff, fifo", "h"))
    'round(h),ff,fifo'
    >>> str(parse_tie_breaking("h,lifo", "f"))
    'f,h,lifo'
    >>> str(parse_tie_breaking("[h, fifo]", "h"))
    'h,fifo'
    """
    stripped = text.strip()
    bracketed = stripped[:1] == "[" and stripped[-1:] == "]"
    listed = stripped[1:-1] if bracketed else stripped
    *words, order = [word.strip().lower() for word in listed.split(",")]
    if order not in ORDERS:
        raise BeelineError(
            f"tie-breaking '{text[:60]}' does not end with fifo, lifo or random", hint=_HINT
        )
    keys = [_parse_key(word, text) for word in words]
    if merit not in [key.word for key in keys[:1]]:
        keys.insert(0, QueueKey(merit))
    named = [key.word for key in keys]
    if len(set(named)) < len(named):
        twice = next(word for word in named if named.count(word) > 1)
        raise BeelineError(
            f"tie-breaking '{text[:60]}' orders by {twice} more than once",
            hint=f"this search orders by {merit} first" if twice == merit else _HINT,
        )
    if len(keys) > MAX_KEYS:
        raise BeelineError(
            f"tie-breaking '{text[:60]}' is too long",
            hint=f"at most {MAX_KEYS} keys, {merit} included",
        )
    return TieBreaking(tuple(keys), order)


def _parse_key(word: str, text: str) -> QueueKey:
    match = _WORD.fullmatch(word)
    if match is None or (match[1] is None) != (match[3] is None):
        raise BeelineError(f"'{word[:60]}' in tie-breaking '{text[:60]}' is no key", hint=_HINT)
    if match[2] in ORDERS:
        raise BeelineError(f"'{match[2]}' must come last in tie-breaking '{text[:60]}'", hint=_HINT)
    if match[2] not in ("f", "g", "h"):
        heuristic_entry(match[2])
    return QueueKey(match[2], match[1] is not None)
