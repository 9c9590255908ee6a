"""Equal rows and equal columns of sparse matrices, merged.

Symmetric states have equal features, and many pairs of a planning task are copies of each other:
merging them shrinks a fit tenfold and changes nothing but rounding. Equality is found by 128-bit
sums of random numbers, one for each column, and then checked entry by entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Grouping(NamedTuple):
    """Groups of equal rows: the first row of each, and the group of every row."""

    first: NDArray[np.int64]
    group: NDArray[np.int64]


def equal_rows(matrix: Any, marks: NDArray[np.float64] | None = None) -> Grouping:
    """The groups of equal rows of a sparse matrix, in order of first appearance.

    `marks`, [rows] or [rows, n], are further columns.

    >>> from scipy.sparse import csr_matrix
    >>> grouping = equal_rows(csr_matrix([[0.0, 1.0], [2.0, 0.0], [0.0, 1.0]]))
    >>> grouping.first.tolist(), grouping.group.tolist()
    ([0, 1], [0, 1, 0])
    """
    from scipy.sparse import csr_matrix, hstack

    if marks is not None:
        matrix = hstack([matrix, csr_matrix(np.atleast_2d(marks.T).T)], format="csr")
    matrix = matrix.tocsr(copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    words = np.ascontiguousarray(matrix.data, dtype=np.float64).view(np.uint64)
    random = np.random.default_rng(0).integers(2**64, size=(2, matrix.shape[1]), dtype=np.uint64)
    keys = np.zeros((matrix.shape[0], 2), dtype=np.uint64)
    for place in (0, 1):
        terms = _scramble(words + random[place, matrix.indices])
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])
        keys[:, place] = sums[matrix.indptr[1:]] - sums[matrix.indptr[:-1]]
    grouping = by_first_appearance(keys.view([("a", np.uint64), ("b", np.uint64)]).ravel())
    if (matrix != matrix[grouping.first[grouping.group]]).nnz:
        raise ArithmeticError("two different rows have the same 128-bit sum")
    return grouping


def by_first_appearance(values: NDArray[Any]) -> Grouping:
    """The groups of equal values, in order of first appearance.

    >>> by_first_appearance(np.array([7, 3, 7])).group.tolist()
    [0, 1, 0]
    """
    _, first, group = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place_of = np.empty(len(first), dtype=np.int64)
    place_of[order] = np.arange(len(first))
    return Grouping(first[order].astype(np.int64), place_of[group])


def equal_columns(matrix: Any) -> Grouping:
    """The groups of equal columns of a sparse matrix, in order of first appearance."""
    return equal_rows(matrix.T.tocsr())


def summed(values: NDArray[np.float64], grouping: Grouping) -> NDArray[np.float64]:
    """The sum of the values in each group.

    >>> summed(np.array([1.0, 2.0, 4.0]), Grouping(np.array([0, 1]), np.array([0, 1, 0]))).tolist()
    [5.0, 2.0]
    """
    sums = np.bincount(grouping.group, weights=values, minlength=len(grouping.first))
    return sums.astype(np.float64)


def _scramble(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A bijection of 64-bit words that looks random (the finalizer of splitmix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
