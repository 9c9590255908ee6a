"""The words of hypergraph convolutions: kinds of vertices, and slots that weights belong to.

A vertex has a sort: its predicate, and whether it is negated. A slot is a place of an action
schema together with the sort of vertices that take it; each slot has weights of its own. Facts
and operators that the domain does not know (grounding may add some) have one more predicate, and
for each sort a slot on either side. All follows from the domain, so weights fit all its tasks.

The weights of hypergraph convolutions by name, with their shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from beeline.core.errors import BeelineError
from beeline.models.hgn.slots import Schemas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from beeline.models.hgn.slots import PlacedLiteral

    Ints = NDArray[np.int64]


RECEIVER, SENDER = 0, 1
KINDS_OF_SORT = 4  # holds or not, goal or not


@dataclass(frozen=True)
class SlotWords(Schemas):
    """The sorts and slots of a domain.

    >>> from beeline.pddl import parse_domain
    >>> from beeline.models.hgn.slots import schema_slots
    >>> words = SlotWords(schema_slots(parse_domain('''(define (domain d)
    ...   (:predicates (p ?x) (q)) (:action a :parameters (?x) :precondition (p ?x)
    ...   :effect (and (q) (not (p ?x)))))''')))
    >>> words.predicates, words.sorts, words.num_slots
    (('p', 'q'), 6, 15)
    >>> words.slots(np.array([0, 9]), SENDER, np.array([0, 0]), np.array([0, 0])).tolist()
    [0, 2]
    """

    @cached_property
    def actions(self) -> dict[str, int]:
        """The numbers of actions; the next one is for operators of no action."""
        return {name: number for number, name in enumerate(sorted(self.schemas))}

    @cached_property
    def predicates(self) -> tuple[str, ...]:
        """All predicates that operators change or ask for, sorted."""
        return tuple(sorted({literal.predicate for _, _, literal in self._literals()}))

    @property
    def sorts(self) -> int:
        """Positive and negated, of each predicate and of unknown ones."""
        return 2 * (len(self.predicates) + 1)

    @property
    def kinds(self) -> int:
        """Sorts, times whether a vertex holds, times whether it is a goal."""
        return KINDS_OF_SORT * self.sorts

    @cached_property
    def slot_sorts(self) -> Ints:
        """The sort of each slot, ascending: int64[slots]."""
        return np.array([sort for sort, *_ in self._keys], dtype=np.int64)

    @property
    def num_slots(self) -> int:
        """How many slots there are."""
        return len(self._keys)

    def slots(self, actions: Ints, role: int, places: Ints, sorts: Ints) -> Ints:
        """The slot of each vertex in its operator; `actions` beyond the last are unknown."""
        unknown = len(self.actions)
        found = self._table[np.minimum(actions, unknown), role, places, sorts]
        slots: Ints = np.where(found < 0, self._table[unknown, role, 0, sorts], found)
        return slots

    @cached_property
    def _keys(self) -> list[tuple[int, int, int, int]]:
        """All slots as (sort, action, role, place)."""
        number = {name: place for place, name in enumerate(self.predicates)}
        keys = set()
        for action, part, literal in self._literals():
            sort = 2 * number[literal.predicate] + part % 2
            keys.add((sort, self.actions[action], part // 2, literal.place))
        unknown = len(self.actions)
        for role in (RECEIVER, SENDER):
            keys |= {(sort, unknown, role, 0) for sort in range(self.sorts)}
        return sorted(keys)

    @cached_property
    def _table(self) -> Ints:
        """Slots by action, role, place and sort; -1 where there is none."""
        places = 1 + max(place for *_, place in self._keys)
        table = np.full((len(self.actions) + 1, 2, places, self.sorts), -1, dtype=np.int64)
        for slot, (sort, action, role, place) in enumerate(self._keys):
            table[action, role, place, sort] = slot
        return table

    def _literals(self) -> Iterator[tuple[str, int, PlacedLiteral]]:
        """(action, part, literal); parts are added, deleted, needed, forbidden."""
        for name, slots in self.schemas.items():
            parts = (slots.added, slots.deleted, slots.needed, slots.forbidden)
            for part, literals in enumerate(parts):
                yield from ((name, part, literal) for literal in literals)


SEEN = 5  # a vertex sees itself, means (received, sent) and maxima (received, sent)


def weight_shapes(
    words: SlotWords, heads: int, layers: int, width: int
) -> dict[str, tuple[int, ...]]:
    """The shape of each weight.

    >>> weight_shapes(SlotWords({}), 1, 1, 4)["convolutions.0.vertices.weight"]
    (4, 20)
    """
    if layers < 1 or width < 1:
        raise BeelineError(f"hgconv with {layers} layers of width {width}: both must be > 0")
    result: dict[str, tuple[int, ...]] = {"kinds": (words.kinds, width)}
    for number in range(layers):
        prefix = f"convolutions.{number}."
        result[prefix + "slots"] = (words.num_slots, width, width)
        result[prefix + "actions"] = (2, len(words.actions) + 1, width)
        result[prefix + "vertices.weight"] = (width, SEEN * width)
        result[prefix + "vertices.bias"] = (width,)
    result["hidden.weight"], result["hidden.bias"] = (width, 2 * width), (width,)
    result["output.weight"], result["output.bias"] = (heads, width), (heads,)
    return result
