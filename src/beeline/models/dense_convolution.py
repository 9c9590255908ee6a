"""A hypergraph convolution in numpy, for all vertices of all states of a batch.

The one trick: arrays have a row for each vertex or hyperedge, and in it the vectors of all states
side by side, so that gathers copy long rows and pools run along them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline.encode.hypergraph_union import ranges_of
from beeline.models.hypergraph_convolution_layout import SEEN, edge_biases

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from beeline.encode.hypercolours import ColouredTask
    from beeline.encode.slot_words import SlotWords

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float32]


class _Group(NamedTuple):
    """Vertices `first` to `end` have one sort; `row` is the first of their products."""

    first: int
    end: int
    slots: Ints
    row: int


class _Pool(NamedTuple):
    """The hyperedges on one side of vertices; `starts` and `shares` are of those `filled`."""

    items: Ints
    filled: Ints
    starts: Ints
    shares: Floats  # [filled, 1, 1]


class DenseTask:
    """The hypergraph of a task, its vertices by sort in `order`.

    Products of the vertices with the slots of their sort are `products` rows, then one of zeros;
    `arguments` int64[most, edges] has the rows of each hyperedge.
    """

    def __init__(self, task: ColouredTask, words: SlotWords) -> None:
        self.vertices, self.edges = task.vertices, task.edges
        self.order = np.argsort(task.sorts, kind="stable")
        place = np.empty_like(self.order)
        place[self.order] = np.arange(len(place))
        bounds = np.searchsorted(task.sorts[self.order], np.arange(words.sorts + 1))
        used = np.unique(task.argument_slots)
        slot_sorts = words.slot_sorts[used]
        self.groups: list[_Group] = []
        self.products = 0
        base = np.zeros(words.num_slots, dtype=np.int64)  # the row of vertex 0, if it were there
        for sort in np.unique(slot_sorts).tolist():
            slots = used[slot_sorts == sort]
            first, end = int(bounds[sort]), int(bounds[sort + 1])
            self.groups.append(_Group(first, end, slots, self.products))
            base[slots] = self.products + np.arange(len(slots)) * (end - first) - first
            self.products += len(slots) * (end - first)
        lists = task.arguments
        self.arguments = np.full(
            (lists.counts.max(initial=0), task.edges), self.products, dtype=np.int64
        )
        edge = np.repeat(np.arange(task.edges), lists.counts)
        column = np.arange(len(edge)) - lists.starts[edge]
        self.arguments[column, edge] = base[task.argument_slots] + place[lists.items]
        self.pools = []
        for each in (task.received, task.sent):
            counts = each.counts[self.order]
            filled = np.flatnonzero(counts)
            self.pools.append(
                _Pool(
                    each.items[ranges_of(each.starts[self.order], counts)],
                    filled,
                    (np.cumsum(counts) - counts)[filled],
                    (1.0 / counts[filled]).astype(np.float32)[:, None, None],
                )
            )


class DenseLayer:
    """One convolution with the weights of that prefix."""

    def __init__(
        self,
        weights: Mapping[str, Floats],
        prefix: str,
        task: DenseTask,
        coloured: ColouredTask,
        *,
        residual: bool,
    ) -> None:
        self._task, self._residual = task, residual
        slots = weights[prefix + "slots"]
        self._slots = [slots[group.slots] for group in task.groups]
        self._biases = edge_biases(weights[prefix + "actions"], coloured)[:, None, :]
        self._matrix = weights[prefix + "vertices.weight"].T.copy()
        self._bias = weights[prefix + "vertices.bias"]

    def __call__(self, vertices: Floats) -> Floats:
        """Vectors of vertices, in the task's order, in states: float32[vertices, n, width]."""
        task, (_, count, width) = self._task, vertices.shape
        edges = self._edges(vertices).reshape(task.edges, count * width)
        seen = np.zeros((task.vertices, count, SEEN * width), dtype=np.float32)
        seen[:, :, :width] = vertices
        for role, pool in enumerate(task.pools):
            if len(pool.filled):
                gathered = edges[pool.items]
                mean = np.add.reduceat(gathered, pool.starts, axis=0).reshape(-1, count, width)
                mean *= pool.shares
                largest = np.maximum.reduceat(gathered, pool.starts, axis=0)
                at = (1 + role) * width
                seen[pool.filled, :, at : at + width] = mean
                at += 2 * width
                seen[pool.filled, :, at : at + width] = largest.reshape(-1, count, width)
        result: Floats = seen.reshape(-1, SEEN * width) @ self._matrix
        result += self._bias
        np.maximum(result, 0, out=result)
        result = result.reshape(vertices.shape)
        return result + vertices if self._residual else result

    def _edges(self, vertices: Floats) -> Floats:
        """The vectors of hyperedges: float32[edges, n, width]."""
        task, (_, count, width) = self._task, vertices.shape
        products = np.empty((task.products + 1, count * width), dtype=np.float32)
        products[-1] = 0
        for (first, end, slots, row), matrices in zip(task.groups, self._slots, strict=True):
            rows = products[row : row + len(slots) * (end - first)]
            np.matmul(
                vertices[first:end].reshape(1, -1, width),
                matrices,
                out=rows.reshape(len(slots), -1, width),
            )
        sums: Floats = np.add.reduce(products[task.arguments], axis=0)
        edges = sums.reshape(task.edges, count, width)
        edges += self._biases
        return np.maximum(edges, 0, out=edges)
