"""Lists of rows that a network sums or takes maxima of, and how to do that fast.

Sums go over lists as they are. Maxima go up trees of `BRANCHES` rows to a node: each level is one
gather and one maximum of whole blocks, without a loop over lists of different length.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline.encode.hypergraph_union import ranges_of, starts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float32]

BRANCHES = 4


class Transposed(NamedTuple):
    """For each row the lists that it is in, as positions `items`, with weights."""

    starts: Ints
    items: Ints
    weights: Floats | None = None


class MaxLevel(NamedTuple):
    """Nodes of one level: `children` int64[BRANCHES, nodes] are rows below, `back` undoes it."""

    children: Ints
    back: Transposed


class MaxTree(NamedTuple):
    """Maxima of lists of rows.

    Rows are followed by a row of zeros, which empty lists have, and by the nodes of each level.
    `result` is the row of each list among all these.
    """

    levels: tuple[MaxLevel, ...]
    result: Ints
    back: Transposed


@dataclass(frozen=True, eq=False)
class RowLists:
    """List `i` is `items[starts[i]:starts[i + 1]]`, of `rows` rows, each once, with weights."""

    starts: Ints
    items: Ints
    weights: Floats | None
    rows: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def size(self) -> int:
        """Bytes of all that is made of the lists, more or less."""
        return 8 * (5 * len(self.items) + 3 * (len(self) + self.rows))

    @cached_property
    def transposed(self) -> Transposed:
        """What gradients go along."""
        owners = np.repeat(np.arange(len(self)), np.diff(self.starts))
        order = np.argsort(self.items, kind="stable")
        weights = None if self.weights is None else self.weights[order]
        counts = np.bincount(self.items, minlength=self.rows)
        return Transposed(starts_of(counts), owners[order], weights)

    @cached_property
    def max_tree(self) -> MaxTree:
        """How to take maxima.

        >>> lists = RowLists(np.array([0, 0, 1, 6]), np.array([3, 0, 1, 2, 3, 4]), None, 5)
        >>> tree = lists.max_tree
        >>> tree.levels[0].children.T.tolist(), tree.levels[1].children.T.tolist()
        ([[0, 1, 2, 3]], [[6, 4, 4, 4]])
        >>> tree.result.tolist()
        [5, 3, 7]
        """
        counts, items, end = np.diff(self.starts), self.items, self.rows + 1
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
        result = np.full(len(self), self.rows, dtype=np.int64)
        result[counts > 0] = items
        return MaxTree(tuple(levels), result, _transposed(result, end))


def row_lists(
    owners: Ints, items: Ints, weights: Floats | None, shape: tuple[int, int]
) -> RowLists:
    """Lists of items by ascending owners; `shape` is the number of owners and of items."""
    return RowLists(starts_of(np.bincount(owners, minlength=shape[0])), items, weights, shape[1])


def shares(owners: Ints, items: Ints, shape: tuple[int, int]) -> RowLists:
    """Each item of an owner once, with its share of all that the owner has.

    >>> found = shares(np.array([0, 1, 0, 0]), np.array([2, 2, 1, 2]), (2, 3))
    >>> found.starts.tolist(), found.items.tolist(), found.weights.round(2).tolist()
    ([0, 2, 3], [1, 2, 2], [0.33..., 0.67..., 1.0])
    """
    totals = np.bincount(owners, minlength=shape[0])
    pairs, counts = np.unique(owners * shape[1] + items, return_counts=True)
    owners, items = np.divmod(pairs, max(shape[1], 1))
    return row_lists(owners, items, (counts / totals[owners]).astype(np.float32), shape)


def _transposed(rows: Ints, count: int) -> Transposed:
    """The places of each of `count` rows in an array of rows."""
    return Transposed(
        starts_of(np.bincount(rows, minlength=count)), np.argsort(rows, kind="stable")
    )
