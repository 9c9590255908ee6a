"""A hypergraph convolution in numpy that computes each neighbourhood once in a whole search.

Colours say which vertices have the same vector (see `beeline.encode.hypercolours`), so vectors
are kept by colour. A state whose colours have all been seen costs a look into a table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from beeline.encode.hypergraph_union import ranges_of
from beeline.models.colour_table import ColourTable
from beeline.models.hypergraph_convolution_layout import SEEN, edge_biases

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from beeline.encode.hypercolours import ColouredTask, Layer, RowSums

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float32]

LARGEST_TABLE = 1 << 17  # vectors of one layer; beyond that, all are forgotten
ASKED_BEFORE_JUDGING = 1 << 14
NEW_SHARE = 0.3  # of vectors; to compute all is faster if more are new


class ColouredLayer:
    """One convolution, and the vectors that it has computed."""

    def __init__(
        self, weights: Mapping[str, Floats], prefix: str, task: ColouredTask, *, residual: bool
    ) -> None:
        self._task, self._residual = task, residual
        slots = weights[prefix + "slots"]
        self._biases = edge_biases(weights[prefix + "actions"], task)
        self._matrix = weights[prefix + "vertices.weight"].T.copy()
        self._bias = weights[prefix + "vertices.bias"]
        width = slots.shape[-1]
        self._width = width
        # One matrix for all hyperedges with the same slots.
        self._shape_of, shapes = _shapes(task.arguments, task.argument_slots)
        self._shapes = [(len(each), slots[each].reshape(-1, width)) for each in shapes]
        self.vertices, self._edges = ColourTable(width), ColourTable(width)
        self._asked = self._computed = 0

    @property
    def pays(self) -> bool:
        """Whether most vectors were known when they were asked for, as far as can be said."""
        return self._asked < ASKED_BEFORE_JUDGING or self._computed < NEW_SHARE * self._asked

    def forget(self) -> None:
        """Make room if there are too many vectors."""
        if max(len(self.vertices), len(self._edges)) > LARGEST_TABLE:
            self.vertices.clear()
            self._edges.clear()

    def rows(self, colours: Layer, below: Ints, values: Floats) -> Ints:
        """The rows of all vertices in `self.vertices`: int64[vertices, n].

        `below` int64[vertices, n] are their rows in `values` before this convolution.
        """
        flat = colours.vertices.reshape(-1)
        found = self.vertices.find(flat)
        missing = np.flatnonzero(found < 0)
        self._asked += len(flat)
        if len(missing):
            new, member = np.unique(flat[missing], return_index=True)
            self._computed += len(new)
            vertex, column = np.divmod(missing[member], below.shape[1])
            self.vertices.add(new, self._convolved(colours, vertex, column, below, values))
            found[missing] = self.vertices.find(flat[missing])
        return found.reshape(below.shape)

    def _convolved(
        self, colours: Layer, vertex: Ints, column: Ints, below: Ints, values: Floats
    ) -> Floats:
        """New vectors of vertices in states: float32[k, width]."""
        width, lists = self._width, (self._task.received, self._task.sent)
        edges, columns, counts = [], [], []
        for each in lists:
            count = each.counts[vertex]
            counts.append(count)
            edges.append(each.items[ranges_of(each.starts[vertex], count)])
            columns.append(np.repeat(column, count))
        rows = self._edge_rows(
            colours, np.concatenate(edges), np.concatenate(columns), below, values
        )
        messages = self._edges.values[rows]
        own = values[below[vertex, column]]
        seen = np.zeros((len(vertex), SEEN * width), dtype=np.float32)
        seen[:, :width] = own
        first = 0
        for role, count in enumerate(counts):
            filled = np.flatnonzero(count)
            if not len(filled):
                continue
            starts = np.cumsum(count)[filled] - count[filled]
            part = messages[first : first + len(edges[role])]
            first += len(part)
            mean, largest = (1 + role) * width, (3 + role) * width
            sums = np.add.reduceat(part, starts, axis=0)
            seen[filled, mean : mean + width] = sums / count[filled, None].astype(np.float32)
            seen[filled, largest : largest + width] = np.maximum.reduceat(part, starts, axis=0)
        result: Floats = seen @ self._matrix
        result += self._bias
        np.maximum(result, 0, out=result)
        return result + own if self._residual else result

    def _edge_rows(
        self, colours: Layer, edge: Ints, column: Ints, below: Ints, values: Floats
    ) -> Ints:
        """The rows of hyperedges in states: int64[k]."""
        wanted = colours.edges[edge, column]
        found = self._edges.find(wanted)
        missing = np.flatnonzero(found < 0)
        if len(missing):
            new, member = np.unique(wanted[missing], return_index=True)
            chosen = missing[member]
            self._edges.add(new, self._messages(edge[chosen], column[chosen], below, values))
            found[missing] = self._edges.find(wanted[missing])
        return found

    def _messages(self, edge: Ints, column: Ints, below: Ints, values: Floats) -> Floats:
        """New vectors of hyperedges in states: float32[k, width]."""
        result = self._biases[edge]
        starts, items = self._task.arguments.starts, self._task.arguments.items
        shape_of = self._shape_of[edge]
        for shape in np.unique(shape_of).tolist():
            size, matrix = self._shapes[shape]
            chosen = np.flatnonzero(shape_of == shape)
            vertex = items[starts[edge[chosen]][:, None] + np.arange(size)]
            rows = below[vertex, column[chosen, None]]
            result[chosen] += values[rows].reshape(len(chosen), -1) @ matrix
        np.maximum(result, 0, out=result)
        return result


def _shapes(arguments: RowSums, slots: Ints) -> tuple[Ints, list[Ints]]:
    """The shape of each hyperedge, and the slots of each shape."""
    longest = int(arguments.counts.max(initial=0))
    padded = np.full((len(arguments.counts), longest), -1, dtype=np.int64)
    edge = np.repeat(np.arange(len(padded)), arguments.counts)
    padded[edge, np.arange(len(edge)) - arguments.starts[edge]] = slots
    if not longest:
        return np.zeros(len(padded), dtype=np.int64), [slots]
    distinct, shape_of = np.unique(padded, axis=0, return_inverse=True)
    return shape_of.reshape(-1), [each[each >= 0] for each in distinct]
