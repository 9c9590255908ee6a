"""Which states a ranking loss compares, within one task.

States are numbers of any kind; a pair says that the first of two should score below the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline.data.reader import open_lists

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from beeline.data.reader import Row


class Family(NamedTuple):
    """A state and two kinds of its children: those to prefer, and those that are worse.

    Children that are neither, because they are as good or because nothing is known about them,
    are left out.
    """

    parent: int
    good: tuple[int, ...]
    bad: tuple[int, ...]


class IndexPairs(NamedTuple):
    """Pairs of states by number, with offsets alpha (g_i - g_j) and weights."""

    better: NDArray[np.int64]
    worse: NDArray[np.int64]
    offsets: NDArray[np.float64]
    weights: NDArray[np.float64]


def sibling_pairs(
    families: Iterable[Family], *, max_pairs: int | None = None, seed: int = 0
) -> IndexPairs:
    """Every good child below every bad one, and below the parent.

    Each pair of a family with n good children weighs 1/n, so that a family counts as often as
    the search stands before that choice. Beyond `max_pairs` a random selection stands for all,
    with the same total weight.

    >>> pairs = sibling_pairs([Family(0, (1, 2), (3,))])
    >>> list(zip(pairs.better.tolist(), pairs.worse.tolist(), pairs.weights.tolist()))
    [(1, 3, 0.5), (1, 0, 0.5), (2, 3, 0.5), (2, 0, 0.5)]
    """
    pairs = [
        (winner, loser, 1.0 / len(family.good))
        for family in families
        for winner in family.good
        for loser in (*family.bad, family.parent)
    ]
    better, worse, weights = zip(*pairs, strict=True) if pairs else ((), (), ())
    return _selected(_pairs(better, worse, np.zeros(len(pairs)), weights), max_pairs, seed)


def trajectory_pairs(path: Sequence[int]) -> IndexPairs:
    """Each state of a path below the one before it (equation 6 of Chrestien et al.).

    >>> pairs = trajectory_pairs([4, 7, 9])
    >>> pairs.better.tolist(), pairs.worse.tolist()
    ([7, 9], [4, 7])
    """
    count = max(len(path) - 1, 0)
    return _pairs(path[1:], path[:-1], np.zeros(count), np.ones(count))


def open_list_pairs(
    rows: Sequence[Row], *, alpha: float, max_pairs: int | None = None, seed: int = 0
) -> IndexPairs:
    """Each state of a plan below all others in its Open list (definition 1 of Chrestien et al.).

    `rows` are a plan's states and siblings as `open_lists` takes them. Open lists grow with each
    step; beyond `max_pairs` a random selection stands for all of them, with the same total
    weight.
    """
    lists = [(index, other) for index, others in open_lists(rows) for other in others]
    first, second = np.array(lists, dtype=np.int64).reshape(-1, 2).T
    states = np.array([row["state"] for row in rows])
    g = np.array([row["g"] for row in rows], dtype=np.float64)
    offsets = alpha * (g[first] - g[second])
    pairs = _pairs(states[first], states[second], offsets, np.ones(len(lists)))
    return _selected(pairs, max_pairs, seed)


def _pairs(
    better: ArrayLike, worse: ArrayLike, offsets: NDArray[np.float64], weights: ArrayLike
) -> IndexPairs:
    first, second = (np.array(rows, dtype=np.int64) for rows in (better, worse))
    return IndexPairs(first, second, offsets, np.array(weights, dtype=np.float64))


def _selected(pairs: IndexPairs, max_pairs: int | None, seed: int) -> IndexPairs:
    """A random selection that stands for all pairs, if these are too many."""
    count = len(pairs.better)
    if max_pairs is None or count <= max_pairs:
        return pairs
    chosen = np.sort(np.random.default_rng(seed).permutation(count)[:max_pairs])
    factor = float(pairs.weights.sum() / pairs.weights[chosen].sum())
    better, worse, offsets, weights = pairs
    return IndexPairs(better[chosen], worse[chosen], offsets[chosen], weights[chosen] * factor)
