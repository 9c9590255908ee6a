"""Vertices and hyperedges of many states by class: what has an equal colour is computed once.

Classes of one layer refer to classes of the layer before. Each class is described by one of its
members; where a class pools others, it has each of them once, with its share as weight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from beeline import _native
from beeline.models.rows import Rows, counted, ranges_of, side_by_side, starts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline._native import Hyperclasses
    from beeline.models.hgconv.slots import ColouredTask, SlotWords

    Ints = NDArray[np.int64]
    Colours = NDArray[np.uint64]
    Shares = tuple[Ints, Ints, NDArray[np.float32]]  # starts, items, shares of these


def shares(owners: Ints, items: Ints, shape: tuple[int, int]) -> Shares:
    """Each item of an owner once, with its share of all that the owner has.

    `shape` is the number of owners and of items; found are starts, items and shares.

    >>> starts, items, weights = shares(np.array([0, 1, 0, 0]), np.array([2, 2, 1, 2]), (2, 3))
    >>> starts.tolist(), items.tolist(), weights.round(2).tolist()
    ([0, 2, 3], [1, 2, 2], [0.33..., 0.67..., 1.0])
    """
    totals = np.bincount(owners, minlength=shape[0])
    starts, items, counts = counted(owners, items, shape)
    weights = counts / np.repeat(totals, np.diff(starts))
    return starts, items, weights.astype(np.float32)


Kind = TypeVar("Kind", bound=np.generic)


class SlotGroup(NamedTuple):
    """Vertex classes of one sort, `first` to `end`, and the slots that such vertices take."""

    first: int
    end: int
    slots: Ints


class ClassLayer(NamedTuple):
    """One convolution.

    `arguments` are starts and items of a list for each class of hyperedges. Its rows are those of
    the product of each vertex class with each slot of its group, group after group, then the kinds
    of hyperedges. `previous` has the class that each vertex class after the convolution was in,
    and `incident` two lists for each: the hyperedges that it receives from, and that it sends to.
    """

    groups: tuple[SlotGroup, ...]
    arguments: tuple[Ints, Ints]
    previous: Ints
    incident: Shares


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
) -> Hyperclasses:
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
        arguments = union.arguments_of(edges, vertices)
        before = vertices.of[after.member]
        layers.append(ClassLayer(*arguments, before, union.incident_to(after, edges)))
        vertices = after
    return _native.Hyperclasses(first_kinds, *union.edge_kinds, layers, union.states_of(vertices))


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
        self._arguments = side_by_side([task.arguments for task in tasks], self._sizes)
        self._slots = Rows(self._arguments.starts, joined("argument_slots"))
        self._received = side_by_side([task.received for task in tasks], edges)
        self._sent = side_by_side([task.sent for task in tasks], edges)
        kinds = np.column_stack([joined("actions"), joined("costs")])
        distinct, self._edge_kind = np.unique(kinds, axis=0, return_inverse=True)
        self._edge_kind = self._edge_kind.reshape(-1)
        self.edge_kinds = (distinct[:, 0], distinct[:, 1])

    def arguments_of(
        self, edges: _Classes, vertices: _Classes
    ) -> tuple[tuple[SlotGroup, ...], tuple[Ints, Ints]]:
        """The slots that are taken, and the rows of each class of hyperedges."""
        edge, column = _located(edges.member, self.edge_starts)
        starts, items, _ = self._arguments.at(edge)
        counts = np.diff(starts)
        slots = self._slots.at(edge).items
        member = self.vertex_starts[items] + np.repeat(column, counts)
        groups, rows, end = self._product_rows(vertices, vertices.of[member], slots)
        rows = np.insert(rows, starts[:-1], end + self._edge_kind[edge])
        return groups, (starts_of(counts + 1), rows)

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

    def incident_to(self, vertices: _Classes, edges: _Classes) -> Shares:
        """The hyperedges that each vertex class receives from, and those that it sends to."""
        vertex, column = _located(vertices.member, self.vertex_starts)
        owners, members = [], []
        for role, lists in enumerate((self._received, self._sent)):
            found = lists.at(vertex)
            members.append(self.edge_starts[found.items] + column[found.owners])
            owners.append(2 * found.owners + role)
        shape = (2 * len(vertex), len(edges.member))
        return shares(np.concatenate(owners), edges.of[np.concatenate(members)], shape)

    def states_of(self, vertices: _Classes) -> Shares:
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


def _joined(parts: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def _flat(parts: Sequence[NDArray[Kind]]) -> NDArray[Kind]:
    return np.concatenate([part.reshape(-1) for part in parts])
