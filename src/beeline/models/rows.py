"""Lists of numbers side by side in flat arrays, and the true facts of a dataset as such lists.

Equal rows and equal columns of sparse matrices, merged: symmetric states have equal features, and
many pairs of a planning task are copies of each other, so that merging them shrinks a fit tenfold
and changes nothing but rounding. Equality is found by 128-bit sums of random numbers, one for each
column, and then checked entry by entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from beeline.data.instances import InstanceStates
    from beeline.task.ground_task import GroundTask

    Ints = NDArray[np.int64]

Encoded = TypeVar("Encoded")


class Rows(NamedTuple):
    """Lists of numbers, with weights or without: row `i` is `items[starts[i]:starts[i + 1]]`.

    >>> rows = Rows(np.array([0, 2, 3]), np.array([1, 2, 0]))
    >>> rows.at(np.array([1, 0, 1])).items.tolist(), rows.dense(3).tolist()
    ([0, 1, 2, 0], [[0, 1, 1], [1, 0, 0]])
    """

    starts: NDArray[Any]
    items: NDArray[Any]
    weights: NDArray[np.float32] | None = None

    @property
    def owners(self) -> Ints:
        """The row that each item stands in."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def at(self, places: Ints) -> Rows:
        """Some rows, in this order."""
        first = self.starts[places]
        counts = self.starts[places + 1] - first
        chosen = ranges_of(first, counts)
        weights = None if self.weights is None else self.weights[chosen]
        return Rows(starts_of(counts), self.items[chosen], weights)

    def dense(self, width: int, kind: Any = np.uint8) -> NDArray[Any]:
        """1 where a row has an item, 0 elsewhere: [rows, width]."""
        matrix = np.zeros((len(self.starts) - 1, width), dtype=kind)
        matrix[self.owners, self.items] = 1
        return matrix


def counted(
    owners: Ints, items: NDArray[np.integer[Any]], shape: tuple[int, int]
) -> tuple[Ints, Ints, Ints]:
    """Each item of an owner once, and how often: starts, items, counts.

    `shape` is the number of owners and of items.

    >>> found = counted(np.array([0, 1, 0, 0]), np.array([2, 2, 1, 2]), (2, 3))
    >>> [each.tolist() for each in found]
    [[0, 2, 3], [1, 2, 2], [1, 2, 1]]
    """
    pairs, counts = np.unique(owners * shape[1] + items, return_counts=True)
    owners, found = np.divmod(pairs, max(shape[1], 1))
    return starts_of(np.bincount(owners, minlength=shape[0])), found, counts


def side_by_side(lists: Sequence[Rows], sizes: ArrayLike) -> Rows:
    """The rows of all lists; the items of list i are numbers below sizes[i], and run on.

    >>> rows = Rows(np.array([0, 2, 3]), np.array([1, 0, 1]))
    >>> side_by_side([rows, rows], [2, 2]).items.tolist()
    [1, 0, 1, 3, 2, 3]
    """
    none = np.zeros(0, dtype=np.int64)
    offsets = starts_of(sizes)[:-1]
    counts = [np.diff(each.starts) for each in lists]
    items = [each.items + offset for each, offset in zip(lists, offsets, strict=True)]
    return Rows(starts_of(np.concatenate([none, *counts])), np.concatenate([none, *items]))


def starts_of(sizes: ArrayLike) -> Ints:
    """Where ranges of these sizes begin if they follow each other, and the end.

    >>> starts_of([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    counts = np.asarray(sizes, dtype=np.int64)
    starts = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def ranges_of(first: Ints, counts: Ints) -> Ints:
    """The numbers first[i] .. first[i] + counts[i] - 1 for all i.

    >>> ranges_of(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(counts)
    result = np.repeat(first - (ends - counts), counts)
    result += np.arange(len(result))
    return result


def by_task(starts: Ints, rows: Ints) -> tuple[list[tuple[int, Ints]], Ints]:
    """Rows of tasks that follow each other: the rows within each task, and the place of each row.

    >>> parts, order = by_task(np.array([0, 2, 5]), np.array([4, 0, 3]))
    >>> [(task, rows.tolist()) for task, rows in parts], order.tolist()
    ([(0, [0]), (1, [2, 1])], [1, 0, 2])
    """
    task = np.searchsorted(starts, rows, side="right") - 1
    order = np.argsort(np.argsort(task, kind="stable"), kind="stable")
    parts = [(each, rows[task == each] - starts[each]) for each in np.unique(task).tolist()]
    return parts, order


def fact_numbers(task: GroundTask, instance: InstanceStates) -> Ints:
    """The task's number of each fact of an instance, -1 for those that it does not have."""
    numbers = {name: number for number, name in enumerate(task.fact_names)}
    found = [numbers.get(f"({' '.join(fact)})", -1) for fact in instance.facts]
    return np.array(found, dtype=np.int64)


def labelled_facts(
    instances: Sequence[InstanceStates],
    encode: Callable[[GroundTask], Encoded],
    numbers: Callable[[GroundTask, InstanceStates], Ints] = fact_numbers,
) -> tuple[list[Encoded], Ints, Rows]:
    """Encoded tasks, the place among them of each state's task, and its true facts.

    Facts have the numbers of their task; those with a number below 0 are left out.
    """
    from beeline.task.grounding import ground

    tasks, sizes, items = [], [], []
    for instance in instances:
        task = ground(instance.problem, unit_costs=instance.unit_costs)
        facts = numbers(task, instance)[instance.items]
        owners = Rows(instance.starts, facts).owners[facts >= 0]
        tasks.append(encode(task))
        sizes.append(np.bincount(owners, minlength=len(instance)))
        items.append(facts[facts >= 0])
    task_of = np.repeat(np.arange(len(tasks)), [len(each) for each in sizes])
    return tasks, task_of, Rows(starts_of(np.concatenate(sizes)), np.concatenate(items))


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
        terms = scramble(words + random[place, matrix.indices])
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


def column_sums(lists: Rows, gathered: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Sums of what was gathered for the items of each list: [items, n] to [lists, n].

    >>> lists = Rows(np.array([0, 2, 2, 3]), np.array([0, 1, 1]))
    >>> column_sums(lists, np.array([[1, 5], [2, 6]], dtype=np.uint64)[lists.items]).tolist()
    [[3, 11], [0, 0], [2, 6]]
    """
    count = len(lists.starts) - 1
    filled = np.flatnonzero(np.diff(lists.starts))
    if len(filled) == count:
        return np.add.reduceat(gathered, lists.starts[:-1], axis=0)
    result = np.zeros((count, gathered.shape[1]), dtype=gathered.dtype)
    if len(filled):
        result[filled] = np.add.reduceat(gathered, lists.starts[filled], axis=0)
    return result


def scramble(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A bijection of 64-bit words that looks random (the finalizer of splitmix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
