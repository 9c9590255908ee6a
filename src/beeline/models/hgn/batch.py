"""A batch of states for STRIPS-HGN: a row for each colour of their edges and vertices, each step.

What colours are is said in `beeline.models.hgn.colours`. Each colour of a step has one colour of
the step before, so those that a batch needs are found from its states backwards; then they are
numbered anew. Everything that a row is made of is a sum of rows of a table that the network makes.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline.models.rows import Rows, ranges_of, starts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Numbers = NDArray[np.int32]
    Floats = NDArray[np.float32]

VERTEX_KINDS = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0))  # (in the state, in the goal)
MARKS = np.eye(len(VERTEX_KINDS), dtype=np.float32)


class Lists:
    """Lists of rows of a table that has `width` rows."""

    def __init__(self, rows: Rows, width: int) -> None:
        self.rows, self._width = rows, width

    @cached_property
    def transposed(self) -> Rows:
        """For each row of the table the lists that it is in, which gradients go along."""
        from scipy.sparse import csr_matrix

        starts, items, weights = self.rows
        data = np.ones(len(items), np.float32) if weights is None else weights
        back = csr_matrix((data, items, starts), (len(starts) - 1, self._width)).tocsc()
        return Rows(back.indptr, back.indices, None if weights is None else back.data)


class Step(NamedTuple):
    """What the colours of a batch after a step are made of.

    Rows of the table for `edges` are the kinds of edges, the edges before the step, and each vertex
    before the step at each place of its sort. Vertices stand sort by sort, `sorts` of each; `marks`
    are 1 at the kind of each. `parents` say which vertex before the step each vertex was, None if
    they are the same, `incoming` the edges after the step that it receives from. Totals are the
    edges and the vertices of each state.
    """

    sorts: list[int]
    marks: Floats  # [vertices before, kinds]
    edges: Lists
    parents: Lists | None
    incoming: Lists
    edge_totals: Lists
    vertex_totals: Lists


class HypergraphBatch:
    """n states, whose colours are found when a number of steps is asked for."""

    def __init__(self, sizes: Ints, kinds: Kinds, find: Callable[[int], Sequence[Step]]) -> None:
        self.sizes, self.kinds = sizes, kinds  # [n, 2]: vertices and edges
        self._find = find
        self._found: dict[int, Sequence[Step]] = {}

    def __len__(self) -> int:
        return len(self.sizes)

    def steps(self, count: int) -> Sequence[Step]:
        """The first `count` steps."""
        if count not in self._found:
            self._found[count] = self._find(count)
        return self._found[count]


class Kinds(NamedTuple):
    """What there is before the first step: kinds of edges, and vertices of each kind and sort.

    A sort of vertices are those that stand at the same places of edges.
    """

    edge_features: Floats  # [kinds, 3]: cost, senders, receivers
    places: Sequence[Ints]  # of each sort

    @property
    def vertices(self) -> Numbers:
        """The kind of each vertex, sort by sort."""
        return np.tile(np.arange(len(VERTEX_KINDS), dtype=np.int32), len(self.places))


class Level(NamedTuple):
    """All colours after a step, of many states.

    `edges` has a list for each colour: a kind of edges, a colour of edges before the step, then
    colours of vertices before it, numbers that run through all three; `slots` has the place of each
    vertex among those of its sort, 0 for the others. Parents are colours before the step, those of
    vertices ascend. `incoming` has colours of edges after the step, counted.
    """

    edges_before: int
    vertex_kinds: Numbers  # [colours before]
    sort_starts: Ints  # of the colours of vertices before
    edges: Rows
    slots: Numbers
    edge_parents: Numbers
    vertex_parents: Numbers
    incoming: Rows


class Colouring(NamedTuple):
    """The colours after each step, and the numbers of those after the last in each state.

    A level that changes nothing stands for all that follow: they are the same object.
    """

    kinds: Kinds
    levels: Sequence[Level]
    edge_totals: Rows
    vertex_totals: Rows

    def steps(self, states: Ints) -> list[Step]:
        """What the colours of these states are made of."""
        last, found = self.levels[-1], list[Step]()
        totals = (self.edge_totals.at(states), self.vertex_totals.at(states))
        edges = _Chosen(totals[0].items, len(last.edge_parents))
        vertices = _Chosen(totals[1].items, len(last.vertex_parents))
        edge_totals, vertex_totals = edges.renumbered(totals[0]), vertices.renumbered(totals[1])
        for number in reversed(range(len(self.levels))):
            level = self.levels[number]
            if found and level is self.levels[number + 1]:
                found.append(found[-1])
                continue
            edge_parents = level.edge_parents[edges.colours]
            vertex_parents = level.vertex_parents[vertices.colours]
            before = (  # all kinds are there before the first step
                _Chosen(edge_parents if number else None, level.edges_before),
                _Chosen(vertex_parents if number else None, len(level.vertex_kinds)),
            )
            own, parents = before[0].place[edge_parents], before[1].place[vertex_parents]
            ends = np.arange(len(parents) + 1, dtype=np.int32)
            count = len(before[1].colours)
            step = Step(
                np.diff(np.searchsorted(before[1].colours, level.sort_starts)).tolist(),
                MARKS[level.vertex_kinds[before[1].colours]],
                self._edges(level, edges, before),
                None
                if np.array_equal(parents, ends[:count])
                else Lists(Rows(ends, parents), count),
                Lists(edges.renumbered(level.incoming.at(vertices.colours)), len(edges.colours)),
                Lists(edge_totals, len(edges.colours)),
                Lists(vertex_totals, len(vertices.colours)),
            )
            found.append(step)
            # A colour of the step before may now be listed twice: its counts add up.
            edge_totals = edge_totals._replace(items=own[edge_totals.items])
            vertex_totals = vertex_totals._replace(items=parents[vertex_totals.items])
            edges, vertices = before
        return found[::-1]

    def _edges(self, level: Level, edges: _Chosen, before: tuple[_Chosen, _Chosen]) -> Lists:
        (edges_before, vertices_before), kinds = before, len(self.kinds.edge_features)
        sorts = np.searchsorted(level.sort_starts, vertices_before.colours, side="right") - 1
        widths = np.array([len(places) for places in self.kinds.places])
        first = kinds + len(edges_before.colours)
        ends = first + starts_of(widths[sorts])
        row = np.empty(kinds + level.edges_before + len(level.vertex_kinds), dtype=np.int32)
        row[:kinds] = np.arange(kinds)
        row[kinds + edges_before.colours] = np.arange(kinds, first)
        row[kinds + level.edges_before + vertices_before.colours] = ends[:-1]
        begin = level.edges.starts[edges.colours]
        counts = level.edges.starts[edges.colours + 1] - begin
        chosen = ranges_of(begin, counts)
        rows = row.take(level.edges.items.take(chosen))
        rows += level.slots.take(chosen)
        return Lists(Rows(starts_of(counts).astype(np.int32), rows), int(ends[-1]))


class _Chosen:
    """The colours among some numbers, or all, in order; `place` is theirs in this order."""

    def __init__(self, numbers: Numbers | None, count: int) -> None:
        if numbers is None:
            self.colours = np.arange(count)
        else:
            marks = np.zeros(count, dtype=np.bool_)
            marks[numbers] = True
            self.colours = np.flatnonzero(marks)
        self.place = np.empty(count, dtype=np.int32)
        self.place[self.colours] = np.arange(len(self.colours))

    def renumbered(self, rows: Rows) -> Rows:
        """Rows of these colours, by their places."""
        return Rows(rows.starts.astype(np.int32), self.place.take(rows.items), rows.weights)
