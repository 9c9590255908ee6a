"""Colours of the edges and vertices of many states, and what each colour is made of.

A colour is a number made of all that a vector of STRIPS-HGN depends on: those of vertices on the
vertex itself and the edges that it receives from, those of edges on themselves and on the vertices
at their places. Equal colours, equal vectors, in all states and tasks, whatever the weights: colour
refinement as Weisfeiler and Leman do it. So the network works on one row for each colour of a
batch instead of one for each edge and vertex of each state: before the first step vertices have
four kinds, and states of a plan, tasks of a domain and objects that can be exchanged go on having
equal vectors for some steps, or always. Colours do not depend on weights, so those of a dataset are
found once, before its first batch. For each colour lists say what it is made of, as one
representative has it; for each state, how often it has each colour of the last step.

The one trick: arrays have a row for each vertex or edge and a column for each state, so that
gathers copy whole rows and sums run along columns. A colour has two words of 64 bits, in two blocks
of columns that differ in the words they began with; the second tells when the first deceives.

Kept are some 60 bytes for each colour of each step, and finding them takes 230 more for each edge
and vertex of each state. A dataset of blocksworld, where nearly all differ, whose states have 10^6
edges takes 270 MB for four steps, and 360 MB more for a while.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline.models.hgn.batch import VERTEX_KINDS, Colouring, HypergraphBatch, Kinds, Level
from beeline.models.rows import (
    Rows,
    by_first_appearance,
    column_sums,
    counted,
    ranges_of,
    scramble,
    side_by_side,
    starts_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline.models.hgn.batch import Numbers
    from beeline.models.hgn.hypergraph import Hypergraph

    Ints = NDArray[np.int64]
    Words = NDArray[np.uint64]

OWN = np.uint64(0x9E3779B97F4A7C15)
EDGE, VERTEX, PLACE = (np.uint64(number) << np.uint64(32) for number in (1, 2, 3))


class Colours(NamedTuple):
    """Two words for each edge and vertex in n states: uint64[edges, 2n] and [vertices, 2n]."""

    edges: Words
    vertices: Words


class TaskLinks:
    """What sends to what in the hypergraph of a task.

    `arguments` has a row for each edge, its receivers and senders, at the places `places`;
    `incoming` a row for each vertex, the edges that it receives from. Places of senders follow
    those of receivers.
    """

    def __init__(self, graph: Hypergraph, receivers: int) -> None:
        self.facts, self.vertices, self.edges = graph.facts, graph.vertices, graph.edges
        self.negated, self.in_goal = graph.negated, graph.in_goal
        ends = np.concatenate([graph.receivers, graph.senders])
        ends[len(graph.receivers) :, 2] += receivers
        edge, vertex, place = ends[np.argsort(ends[:, 0], kind="stable")].T
        self.arguments, self.places = _lists(edge, vertex, graph.edges), place
        order = np.argsort(graph.receivers[:, 1], kind="stable")
        edge, vertex, _ = graph.receivers[order].T
        self.incoming = _lists(vertex, edge, graph.vertices)
        counts = [
            np.bincount(triples[:, 0], minlength=graph.edges)
            for triples in (graph.senders, graph.receivers)
        ]
        self.edge_features = np.column_stack([graph.costs, *counts]).astype(np.float32)

    def vertex_kinds(self, facts: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """1 where a vertex holds, plus 2 if it is a goal: uint8[n, facts] to [vertices, n]."""
        holding = np.concatenate([facts.T, 1 - facts.T[self.negated]])
        return holding + (2 * self.in_goal.astype(np.uint8))[:, None]

    def first(self, edge_kinds: Ints, vertices: Ints) -> Colours:
        """The colours of numbers: those of edges [edges], those of vertices [vertices, n]."""
        kinds = np.repeat(edge_kinds[:, None], vertices.shape[1], axis=1)
        return Colours(_two_words(kinds, EDGE), _two_words(vertices, VERTEX))

    def refined(self, before: Colours) -> Colours:
        """The colours after one more step."""
        multipliers = scramble(self.places.astype(np.uint64) + PLACE) | np.uint64(1)
        gathered = before.vertices[self.arguments.items]
        gathered *= multipliers[:, None]
        edges = scramble(before.edges * OWN + column_sums(self.arguments, gathered))
        received = column_sums(self.incoming, edges[self.incoming.items])
        return Colours(edges, scramble(before.vertices * OWN + received))


def _lists(rows: Ints, items: Ints, count: int) -> Rows:
    """The items of each row; rows ascend."""
    return Rows(starts_of(np.bincount(rows, minlength=count)), items)


def _two_words(numbers: NDArray[np.integer], salt: np.uint64) -> Words:
    first = scramble(numbers.astype(np.uint64) + salt)
    return np.concatenate([first, scramble(first + OWN)], axis=1)


class LinkedTasks:
    """The hypergraphs of several tasks; their edges and vertices are numbered task by task.

    `sorts` are those of vertices, `slots` the place of each argument among those of its sort.
    """

    def __init__(self, tasks: Sequence[TaskLinks], places: int) -> None:
        self.tasks = tasks
        self.sizes = np.array([(task.vertices, task.edges) for task in tasks], dtype=np.int64)
        vertices, edges = self.sizes.T
        features = np.concatenate([task.edge_features for task in tasks])
        features, kinds = np.unique(features, axis=0, return_inverse=True)
        self.edge_kinds = kinds.reshape(-1)
        self.arguments = side_by_side([task.arguments for task in tasks], vertices)
        self.incoming = side_by_side([task.incoming for task in tasks], edges)
        argument_places = np.concatenate([task.places for task in tasks])
        taken = np.zeros((vertices.sum(), places), dtype=np.bool_)
        taken[self.arguments.items, argument_places] = True
        distinct, sorts = np.unique(taken, axis=0, return_inverse=True)
        self.sorts = sorts.reshape(-1)
        self.slots = (np.cumsum(distinct, axis=1) - 1)[
            self.sorts[self.arguments.items], argument_places
        ]
        self.kinds = Kinds(features, [np.flatnonzero(each) for each in distinct])


class ColouredStates:
    """The states facts[t] uint8[n, facts] of each task.

    Without `shared`, each edge and each vertex of each state has a colour of its own.
    """

    def __init__(
        self, linked: LinkedTasks, facts: Sequence[NDArray[np.uint8]], *, shared: bool = True
    ) -> None:
        self._linked, self._facts, self._shared = linked, facts, shared
        counts = [len(each) for each in facts]
        self._task_of = np.repeat(np.arange(len(facts)), counts)
        self._vertices, self._edges = (_Members(sizes, counts) for sizes in linked.sizes.T)
        self._found: dict[int, Colouring] = {}

    def __len__(self) -> int:
        return len(self._task_of)

    def batch(self, rows: Ints) -> HypergraphBatch:
        """Some of the states."""
        sizes = self._linked.sizes[self._task_of[rows]]
        return HypergraphBatch(
            sizes, self._linked.kinds, lambda steps: self.colouring(steps).steps(rows)
        )

    def colouring(self, steps: int) -> Colouring:
        """The colours after each of so many steps."""
        if steps not in self._found:
            self._found[steps] = self._refined(steps)
        return self._found[steps]

    def _refined(self, steps: int) -> Colouring:
        linked, tasks = self._linked, self._linked.tasks
        edge_kinds = np.split(linked.edge_kinds, np.cumsum(linked.sizes[:, 1])[:-1])
        sorts = np.split(linked.sorts, np.cumsum(linked.sizes[:, 0])[:-1])
        first = [
            len(VERTEX_KINDS) * sort[:, None] + task.vertex_kinds(true)
            for task, sort, true in zip(tasks, sorts, self._facts, strict=True)
        ]
        colours = [
            task.first(edge_kind, own)
            for task, edge_kind, own in zip(tasks, edge_kinds, first, strict=True)
        ]
        vertex_kinds = linked.kinds.vertices
        edges = _Classes(
            np.repeat(linked.edge_kinds.astype(np.int32), self._edges.states),
            len(linked.kinds.edge_features),
        )
        vertices = _Classes(
            np.concatenate([each.ravel() for each in first]).astype(np.int32), len(vertex_kinds)
        )
        sort_starts = np.arange(len(linked.kinds.places) + 1) * len(VERTEX_KINDS)
        levels: list[Level] = []
        while len(levels) < steps:
            colours = [task.refined(each) for task, each in zip(tasks, colours, strict=True)]
            before = (edges, vertices)
            edges = self._classes([each.edges for each in colours])
            vertices = self._classes([each.vertices for each in colours]).in_order_of(vertices)
            levels.append(self._level(before, (edges, vertices), vertex_kinds, sort_starts))
            same = (edges.number, vertices.number) == (before[0].number, before[1].number)
            if same and len(levels) > 1:  # kinds have numbers of their own
                levels += levels[-1:] * (steps - len(levels))
            parents = levels[-1].vertex_parents
            vertex_kinds = vertex_kinds[parents]
            sort_starts = np.searchsorted(parents, sort_starts)
        totals = (self._edges.totals(edges), self._vertices.totals(vertices))
        return Colouring(linked.kinds, levels, *totals)

    def _classes(self, words: Sequence[Words]) -> _Classes:
        """Members of equal colour, for the two words [rows, 2 * states] of each task."""
        first, second = (
            np.concatenate([np.split(each, 2, axis=1)[word].ravel() for each in words])
            for word in (0, 1)
        )
        if not self._shared:
            own = np.arange(len(first))
            return _Classes(own.astype(np.int32), len(own), own)
        member, of = by_first_appearance(first)
        if (second != second[member[of]]).any():
            raise ArithmeticError("two different colours have the same first word")
        return _Classes(of.astype(np.int32), len(member), member)

    def _level(
        self,
        before: tuple[_Classes, _Classes],
        after: tuple[_Classes, _Classes],
        vertex_kinds: Numbers,
        sort_starts: Ints,
    ) -> Level:
        linked, (edges, vertices) = self._linked, after
        kinds = len(linked.kinds.edge_features)
        row, state = self._edges.located(edges.member)
        starts, items, _ = linked.arguments.at(row)
        counts = np.diff(starts)
        members = self._vertices.first[items] + np.repeat(state, counts)
        arguments = kinds + before[0].number + before[1].of[members]
        parents = before[0].of[edges.member]
        heads = np.column_stack([linked.edge_kinds[row], kinds + parents]).ravel()
        begin = np.repeat(starts[:-1], 2)
        slots = Rows(linked.arguments.starts, linked.slots).at(row).items
        row, state = self._vertices.located(vertices.member)
        incoming = linked.incoming.at(row)
        owners = incoming.owners
        received = edges.of[self._edges.first[incoming.items] + state[owners]]
        return Level(
            before[0].number,
            vertex_kinds,
            sort_starts,
            Rows(starts_of(counts + 2), np.insert(arguments, begin, heads).astype(np.int32)),
            np.insert(slots, begin, 0).astype(np.int32),
            parents,
            before[1].of[vertices.member],
            _counted(owners, received, (len(row), edges.number)),
        )


class _Classes(NamedTuple):
    """The class of each member, the number of classes, and a member of each."""

    of: Numbers
    number: int
    member: Ints = np.zeros(0, dtype=np.int64)

    def in_order_of(self, parents: _Classes) -> _Classes:
        """The same classes in the order of others that they are parts of."""
        order = np.argsort(parents.of[self.member], kind="stable")
        rank = np.empty(self.number, dtype=np.int32)
        rank[order] = np.arange(self.number)
        return _Classes(rank[self.of], self.number, self.member[order])


class _Members:
    """Edges, or vertices, of all states: task by task, row by row, state by state."""

    def __init__(self, sizes: Ints, counts: Sequence[int]) -> None:
        self._counts = counts
        self._rows = sizes
        self.states = np.repeat(counts, sizes)  # that each row has members in
        self.first = starts_of(self.states)

    def located(self, members: Ints) -> tuple[Ints, Ints]:
        """The row of each member, and its state among those of the task."""
        rows = np.searchsorted(self.first, members, side="right") - 1
        return rows, members - self.first[rows]

    def totals(self, classes: _Classes) -> Rows:
        """How many members of each class each state has."""
        first = np.repeat(starts_of(self._counts)[:-1], self._rows)
        states = ranges_of(first, self.states)
        return _counted(states, classes.of, (sum(self._counts), classes.number))


def _counted(owners: Ints, items: Numbers, shape: tuple[int, int]) -> Rows:
    starts, found, counts = counted(owners, items, shape)
    return Rows(starts, found.astype(np.int32), counts.astype(np.float32))
