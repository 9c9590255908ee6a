"""The words of hypergraph convolutions: kinds of vertices, and slots that weights belong to.

A vertex has a sort: its predicate, and whether it is negated. A slot is a place of an action
schema together with the sort of vertices that take it; each slot has weights of its own. Facts
and operators that the domain does not know (grounding may add some) have one more predicate, and
for each sort a slot on either side. All follows from the domain, so weights fit all its tasks.

Colours of the facts and operators of one task: equal colours, equal neighbourhoods. The vector that
a hypergraph convolution gives a vertex in layer k depends on its own vector in layer k - 1 and on
the multisets of vectors of its hyperedges; a hyperedge's on its schema and the vectors at its
places. So what these depend on can be refined along with them, as Weisfeiler and Leman do: a colour
is a 64-bit number made of the colours that the vector depends on, and things of equal colour have
equal vectors, in all states and tasks of a domain. (Different things get equal colours with a
probability of 2^-64 a pair.) The one trick: arrays have a row for each vertex or hyperedge and a
column for each state, so that gathers copy whole rows and sums run along columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline.core.errors import BeelineError
from beeline.models.hgn import Schemas
from beeline.models.hgn.hypergraph import hypergraph
from beeline.models.rows import Rows, column_sums, starts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from beeline.models.hgn import PlacedLiteral
    from beeline.task.ground_task import GroundTask

    Ints = NDArray[np.int64]
    Colours = NDArray[np.uint64]

RECEIVER, SENDER = 0, 1
KINDS_OF_SORT = 4  # holds or not, goal or not
OWN, RECEIVED, SENT, COST = (
    np.uint64(number)
    for number in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
)


@dataclass(frozen=True)
class SlotWords(Schemas):
    """The sorts and slots of a domain.

    >>> from beeline.pddl import parse_domain
    >>> from beeline.models.hgn import schema_slots
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


class Layer(NamedTuple):
    """Colours after one convolution: uint64[edges, n] and uint64[vertices, n]."""

    edges: Colours
    vertices: Colours


class ColouredTask:
    """The hypergraph of a task with the slots of its arguments, and the colours in its states.

    `arguments` lists the vertices of each hyperedge, at the slots `argument_slots`; `received`
    and `sent` list the hyperedges that each vertex receives from and sends to. `first_kinds` are
    the kinds of vertices that do not hold; the next one is that of such a vertex that holds.
    """

    def __init__(self, task: GroundTask, words: SlotWords) -> None:
        graph = hypergraph(task, words.schemas)
        self.facts, self.negated = graph.facts, graph.negated
        self.vertices, self.edges = graph.vertices, graph.edges
        self.sorts = _sorts(task, words, graph.negated)
        self.first_kinds = KINDS_OF_SORT * self.sorts + 2 * graph.in_goal
        actions = np.array(
            [words.actions.get(name, len(words.actions)) for name in task.action_names],
            dtype=np.int64,
        )
        self.actions = actions[graph.actions]
        self.costs = graph.costs
        triples = np.concatenate([graph.receivers, graph.senders])
        slots = [
            words.slots(self.actions[ends[:, 0]], role, ends[:, 2], self.sorts[ends[:, 1]])
            for role, ends in ((RECEIVER, graph.receivers), (SENDER, graph.senders))
        ]
        order = np.lexsort((np.concatenate(slots), triples[:, 0]))
        self.argument_slots = np.concatenate(slots)[order]
        self.arguments = _lists(triples[order, 0], triples[order, 1], self.edges)
        self.received = _lists(graph.receivers[:, 1], graph.receivers[:, 0], self.vertices)
        self.sent = _lists(graph.senders[:, 1], graph.senders[:, 0], self.vertices)
        self.kind_colours = _mixed(_numbered(np.arange(words.kinds), OWN))
        multipliers = _mixed(_numbered(np.arange(words.num_slots), SENT)) | np.uint64(1)
        self._multipliers = multipliers[self.argument_slots][:, None]
        edge_kinds = _mixed(_numbered(self.actions, RECEIVED))
        self._edge_kinds = _mixed(edge_kinds + _numbered(self.costs, COST))[:, None]

    def kinds(self, facts: NDArray[np.uint8]) -> Ints:
        """The kinds of all vertices in states with these true facts: int64[vertices, n]."""
        kinds: Ints = np.add(self.first_kinds[:, None], self._holding(facts), dtype=np.int64)
        return kinds

    def first(self, facts: NDArray[np.uint8]) -> Colours:
        """The colours before any convolution: uint8[n, facts] to uint64[vertices, n]."""
        return self.kind_colours[self.kinds(facts)]

    def refined(self, vertices: Colours) -> Layer:
        """The colours after one more convolution."""
        gathered = vertices[self.arguments.items]
        gathered *= self._multipliers
        edges = column_sums(self.arguments, gathered)
        edges += self._edge_kinds
        _mix(edges)
        result = vertices * OWN
        for lists, factor in ((self.received, RECEIVED), (self.sent, SENT)):
            sums = column_sums(lists, edges[lists.items])
            sums *= factor
            result += sums
        return Layer(edges, _mix(result))

    def _holding(self, facts: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """What holds: uint8[vertices, n]."""
        if not len(self.negated):
            return facts.T
        return np.concatenate([facts.T, 1 - facts.T[self.negated]])


def _sorts(task: GroundTask, words: SlotWords, negated: Ints) -> Ints:
    numbers = {name: number for number, name in enumerate(words.predicates)}
    unknown = len(words.predicates)
    known = np.array([numbers.get(name, unknown) for name in task.predicates], dtype=np.int64)
    positive = 2 * known[task.native.fact_predicates]
    return np.concatenate([positive, positive[negated] + 1])


def _lists(rows: Ints, items: Ints, count: int) -> Rows:
    """The items of each row, in order."""
    order = np.argsort(rows, kind="stable")
    return Rows(starts_of(np.bincount(rows, minlength=count)), items[order])


def _numbered(numbers: Ints, factor: np.uint64) -> Colours:
    return (numbers.astype(np.uint64) + np.uint64(1)) * factor


def _mixed(colours: Colours) -> Colours:
    return _mix(colours.copy())


def _mix(colours: Colours) -> Colours:
    """Spread the differences of colours over all their bits, in place."""
    colours ^= colours >> np.uint64(32)
    colours *= np.uint64(0xD6E8FEB86659FD93)
    colours ^= colours >> np.uint64(29)
    colours *= np.uint64(0xBF58476D1CE4E5B9)
    colours ^= colours >> np.uint64(32)
    return colours
