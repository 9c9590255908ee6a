"""Lists of rows that a network sums or takes maxima of, and how to do that fast.

Sums go over lists as they are. Maxima go up trees of `BRANCHES` rows to a node: each level is one
gather and one maximum of whole blocks, without a loop over lists of different length.

Vertices and hyperedges of many states by class: what has an equal colour is computed once.

Classes of one layer refer to classes of the layer before. Each class is described by one of its
members; where a class pools others, it has each of them once, with its share as weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from beeline.models.rows import Rows, ranges_of, starts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline.models.hgconv.slots import ColouredTask, SlotWords

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float32]
    Colours = NDArray[np.uint64]


BRANCHES = 4


class MaxLevel(NamedTuple):
    """Nodes of one level: `children` int64[BRANCHES, nodes] are rows below, `back` undoes it."""

    children: Ints
    back: Rows


class MaxTree(NamedTuple):
    """Maxima of lists of rows.

    Rows are followed by a row of zeros, which empty lists have, and by the nodes of each level.
    `result` is the row of each list among all these.
    """

    levels: tuple[MaxLevel, ...]
    result: Ints
    back: Rows


@dataclass(frozen=True, eq=False)
class RowLists:
    """Lists of some of `rows` rows, each once."""

    lists: Rows
    rows: int

    def __len__(self) -> int:
        return len(self.lists.starts) - 1

    @property
    def size(self) -> int:
        """Bytes of all that is made of the lists, more or less."""
        return 8 * (5 * len(self.lists.items) + 3 * (len(self) + self.rows))

    @cached_property
    def transposed(self) -> Rows:
        """What gradients go along: for each row the lists that it is in."""
        starts, places, _ = _transposed(self.lists.items, self.rows)
        weights = None if self.lists.weights is None else self.lists.weights[places]
        return Rows(starts, self.lists.owners[places], weights)

    @cached_property
    def max_tree(self) -> MaxTree:
        """How to take maxima.

        >>> lists = Rows(np.array([0, 0, 1, 6]), np.array([3, 0, 1, 2, 3, 4]))
        >>> tree = RowLists(lists, 5).max_tree
        >>> tree.levels[0].children.T.tolist(), tree.levels[1].children.T.tolist()
        ([[0, 1, 2, 3]], [[6, 4, 4, 4]])
        >>> tree.result.tolist()
        [5, 3, 7]
        """
        counts, items, end = np.diff(self.lists.starts), self.lists.items, self.rows + 1
        levels = []
        while counts.max(initial=0) > 1:
            nodes = -(-counts // BRANCHES)
            first = np.repeat(starts_of(counts)[:-1], nodes)
            first += BRANCHES * ranges_of(np.zeros_like(nodes), nodes)
            last = np.repeat(np.cumsum(counts), nodes) - 1
            inner = last > first  # a single row needs no node
            places = first[inner] + np.arange(BRANCHES)[:, None]
            children = items[np.minimum(places, last[inner])]
            levels.append(MaxLevel(children, _transposed(children.reshape(-1), end)))
            items = items[first]
            items[inner] = end + np.arange(len(places[0]))
            end += len(places[0])
            counts = nodes
        result = np.full(len(counts), self.rows, dtype=np.int64)
        result[counts > 0] = items
        return MaxTree(tuple(levels), result, _transposed(result, end))


def row_lists(
    owners: Ints, items: Ints, weights: Floats | None, shape: tuple[int, int]
) -> RowLists:
    """Lists of items by ascending owners; `shape` is the number of owners and of items."""
    lists = Rows(starts_of(np.bincount(owners, minlength=shape[0])), items, weights)
    return RowLists(lists, shape[1])


def shares(owners: Ints, items: Ints, shape: tuple[int, int]) -> RowLists:
    """Each item of an owner once, with its share of all that the owner has.

    >>> found = shares(np.array([0, 1, 0, 0]), np.array([2, 2, 1, 2]), (2, 3)).lists
    >>> found.starts.tolist(), found.items.tolist(), found.weights.round(2).tolist()
    ([0, 2, 3], [1, 2, 2], [0.33..., 0.67..., 1.0])
    """
    totals = np.bincount(owners, minlength=shape[0])
    pairs, counts = np.unique(owners * shape[1] + items, return_counts=True)
    owners, items = np.divmod(pairs, max(shape[1], 1))
    return row_lists(owners, items, (counts / totals[owners]).astype(np.float32), shape)


def _transposed(rows: Ints, count: int) -> Rows:
    """The places of each of `count` rows in an array of rows."""
    return Rows(starts_of(np.bincount(rows, minlength=count)), np.argsort(rows, kind="stable"))


Kind = TypeVar("Kind", bound=np.generic)


class SlotGroup(NamedTuple):
    """Vertex classes of one sort, `first` to `end`, and the slots that such vertices take."""

    first: int
    end: int
    slots: Ints


class ClassLayer(NamedTuple):
    """One convolution.

    `arguments` has a list for each class of hyperedges. Its rows are those of the product of
    each vertex class with each slot of its group, group after group, then the kinds of
    hyperedges. `previous` has the class that each vertex class after the convolution was in, and
    `incident` two lists for each: the hyperedges that it receives from, and that it sends to.
    """

    groups: tuple[SlotGroup, ...]
    arguments: RowLists
    previous: RowLists
    incident: RowLists


@dataclass(frozen=True, eq=False)
class ClassLayers:
    """All convolutions of n states; `states` pools the last vertex classes of each state."""

    kinds: Ints  # [vertex classes before the first convolution]
    edge_actions: Ints  # [kinds of hyperedges]
    edge_costs: Ints  # [kinds of hyperedges]
    layers: tuple[ClassLayer, ...]
    states: RowLists

    @property
    def size(self) -> int:
        """Bytes, more or less."""
        lists = [list for layer in self.layers for list in layer[1:]]
        return sum(each.size for each in (self.states, *lists))


class _Classes(NamedTuple):
    """Classes of members, and the number of a member of each class."""

    of: Ints  # [members]
    member: Ints  # [classes]


def class_layers(
    words: SlotWords,
    tasks: Sequence[ColouredTask],
    facts: Sequence[NDArray[np.uint8]],
    count: int,
    *,
    shared: bool = True,
) -> ClassLayers:
    """`count` convolutions of the states facts[t] uint8[n, facts] of each task, in this order.

    Without `shared`, each vertex and hyperedge of each state is a class of its own.
    """
    union = _Union(words, tasks, [len(each) for each in facts])
    colours = [task.first(true) for task, true in zip(tasks, facts, strict=True)]
    vertices = _classes(colours, union.vertex_sorts, shared=shared)
    kinds = _flat([task.kinds(true) for task, true in zip(tasks, facts, strict=True)])
    first_kinds = kinds[vertices.member]
    layers = []
    for _ in range(count):
        refined = [task.refined(each) for task, each in zip(tasks, colours, strict=True)]
        colours = [each.vertices for each in refined]
        edges = _classes([each.edges for each in refined], None, shared=shared)
        after = _classes(colours, union.vertex_sorts, shared=shared)
        classes, before = np.arange(len(after.member)), vertices.of[after.member]
        shape = (len(classes), len(vertices.member))
        layers.append(
            ClassLayer(
                *union.arguments_of(edges, vertices),
                row_lists(classes, before, None, shape),
                union.incident_to(after, edges),
            )
        )
        vertices = after
    actions, costs = union.edge_kinds
    return ClassLayers(first_kinds, actions, costs, tuple(layers), union.states_of(vertices))


class _Union:
    """The hypergraphs of all states, numbered task by task, row by row, state by state."""

    def __init__(
        self, words: SlotWords, tasks: Sequence[ColouredTask], counts: Sequence[int]
    ) -> None:
        def joined(name: str) -> Ints:
            return _joined([getattr(task, name) for task in tasks])

        self._words, self._counts = words, np.array(counts, dtype=np.int64)
        self._sizes = np.array([task.vertices for task in tasks], dtype=np.int64)
        edges = np.array([task.edges for task in tasks], dtype=np.int64)
        self.vertex_starts = starts_of(np.repeat(counts, self._sizes))  # first member of each
        self.edge_starts = starts_of(np.repeat(counts, edges))
        self.vertex_sorts = np.repeat(joined("sorts"), np.repeat(counts, self._sizes))
        self._arguments = _side_by_side([task.arguments for task in tasks], self._sizes)
        self._slots = Rows(self._arguments.starts, joined("argument_slots"))
        self._received = _side_by_side([task.received for task in tasks], edges)
        self._sent = _side_by_side([task.sent for task in tasks], edges)
        kinds = np.column_stack([joined("actions"), joined("costs")])
        distinct, self._edge_kind = np.unique(kinds, axis=0, return_inverse=True)
        self._edge_kind = self._edge_kind.reshape(-1)
        self.edge_kinds = (distinct[:, 0], distinct[:, 1])

    def arguments_of(
        self, edges: _Classes, vertices: _Classes
    ) -> tuple[tuple[SlotGroup, ...], RowLists]:
        """The slots that are taken, and the rows of each class of hyperedges."""
        edge, column = _located(edges.member, self.edge_starts)
        starts, items, _ = self._arguments.at(edge)
        counts = np.diff(starts)
        slots = self._slots.at(edge).items
        member = self.vertex_starts[items] + np.repeat(column, counts)
        groups, rows, end = self._product_rows(vertices, vertices.of[member], slots)
        rows = np.insert(rows, starts[:-1], end + self._edge_kind[edge])
        lists = np.repeat(np.arange(len(counts)), counts + 1)
        shape = (len(counts), end + len(self.edge_kinds[0]))
        return groups, row_lists(lists, rows, None, shape)

    def _product_rows(
        self, vertices: _Classes, chosen: Ints, slots: Ints
    ) -> tuple[tuple[SlotGroup, ...], Ints, int]:
        """Groups, the row of each (vertex class, slot), and the number of rows."""
        words = self._words
        sorts = self.vertex_sorts[vertices.member]  # ascending
        bounds = np.searchsorted(sorts, np.arange(words.sorts + 1))
        used = np.unique(self._slots.items)
        slot_bounds = np.searchsorted(words.slot_sorts[used], np.arange(words.sorts + 1))
        widths = np.diff(slot_bounds)
        rows = starts_of(np.diff(bounds) * widths)
        place = np.zeros(words.num_slots, dtype=np.int64)
        place[used] = np.arange(len(used)) - slot_bounds[words.slot_sorts[used]]
        sort = words.slot_sorts[slots]
        groups = tuple(
            SlotGroup(int(bounds[it]), int(bounds[it + 1]), used[slice(*slot_bounds[it : it + 2])])
            for it in np.flatnonzero(np.diff(rows)).tolist()
        )
        row = rows[sort] + (chosen - bounds[sort]) * widths[sort] + place[slots]
        return groups, row, int(rows[-1])

    def incident_to(self, vertices: _Classes, edges: _Classes) -> RowLists:
        """The hyperedges that each vertex class receives from, and those that it sends to."""
        vertex, column = _located(vertices.member, self.vertex_starts)
        owners, members = [], []
        for role, lists in enumerate((self._received, self._sent)):
            found = lists.at(vertex)
            members.append(self.edge_starts[found.items] + column[found.owners])
            owners.append(2 * found.owners + role)
        shape = (2 * len(vertex), len(edges.member))
        return shares(np.concatenate(owners), edges.of[np.concatenate(members)], shape)

    def states_of(self, vertices: _Classes) -> RowLists:
        """The vertex classes of each state."""
        first = starts_of(self._counts)
        counts = np.repeat(self._counts, self._sizes)  # members of each vertex
        states = ranges_of(np.repeat(first[:-1], self._sizes), counts)
        return shares(states, vertices.of, (int(first[-1]), len(vertices.member)))


def _classes(colours: Sequence[Colours], sorts: Ints | None, *, shared: bool) -> _Classes:
    """Classes of equal colour, in the order of `sorts` if they are given."""
    flat = _flat(colours)
    if shared:
        _, member, of = np.unique(flat, return_index=True, return_inverse=True)
    else:
        member = of = np.arange(len(flat))
    if sorts is None:
        return _Classes(of, member)
    order = np.argsort(sorts[member], kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return _Classes(rank[of], member[order])


def _located(members: Ints, starts: Ints) -> tuple[Ints, Ints]:
    """The row and the column of each member."""
    rows = np.searchsorted(starts, members, side="right") - 1
    return rows, members - starts[rows]


def _side_by_side(lists: Sequence[Rows], sizes: Ints) -> Rows:
    offsets = starts_of(sizes)[:-1]  # of the items of each
    items = [each.items + offset for each, offset in zip(lists, offsets, strict=True)]
    return Rows(starts_of(_joined([np.diff(each.starts) for each in lists])), _joined(items))


def _joined(parts: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def _flat(parts: Sequence[NDArray[Kind]]) -> NDArray[Kind]:
    return np.concatenate([part.reshape(-1) for part in parts])
