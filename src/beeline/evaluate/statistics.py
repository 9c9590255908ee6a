"""Scores of the International Planning Competitions, and averages.

Paired tests over tasks: whether one configuration is better by more than chance.

The unit is the task: seeds of a task are averaged first, since they are no independent tasks.
Both tests are two-sided and, for up to `MOST_EXACT` differences, exact, ties included.
"""

from __future__ import annotations

from math import comb, erfc, exp, fsum, log, sqrt
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


FULL_SCORE_SECONDS = 1.0
USUAL_TIME_LIMIT = 300.0  # of the agile tracks


def agile_score(seconds: float | None, time_limit: float | None = None) -> float:
    """1 for a plan within a second, falling with the logarithm to 0 at the time limit T.

    1 - log(t) / log(T); 0 without a plan (`None`). Without a limit, T is 300 s.

    >>> agile_score(0.5), agile_score(None), round(agile_score(30, 900), 3), agile_score(900, 900)
    (1.0, 0.0, 0.5, 0.0)
    """
    if seconds is None:
        return 0.0
    if seconds <= FULL_SCORE_SECONDS:
        return 1.0
    limit = USUAL_TIME_LIMIT if time_limit is None else time_limit
    if seconds >= limit:
        return 0.0
    return 1.0 - log(seconds) / log(limit)


def satisficing_score(cost: float | None, best_cost: float) -> float:
    """The lowest known cost divided by the plan's; 0 without a plan.

    >>> satisficing_score(10, 8), satisficing_score(None, 8), satisficing_score(0, 0)
    (0.8, 0.0, 1.0)
    """
    if cost is None:
        return 0.0
    return 1.0 if cost <= best_cost else best_cost / cost


def geometric_mean(values: Sequence[float], floor: float) -> float:
    """The geometric mean of values, of which those below `floor` count as `floor`.

    >>> round(geometric_mean([0, 10, 100], floor=1), 6)
    10.0
    """
    return exp(fmean(log(max(value, floor)) for value in values))


def deviation(values: Sequence[float]) -> float | None:
    """The standard deviation of a sample (n - 1 in the denominator); None for a single value.

    >>> deviation([1, 3, 5]), deviation([7])
    (2.0, None)
    """
    if len(values) < 2:
        return None
    centre = fmean(values)
    return sqrt(fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


LEVEL = 0.05
FEWEST_TASKS = 6  # with five differences even the clearest result has p = 2 / 2**5 > LEVEL
MOST_EXACT = 50


def sign_test(differences: Sequence[float]) -> float:
    """p-value of the sign test; zeros are left out.

    Of differences of solved (1) and unsolved (0) it is McNemar's exact test.

    >>> sign_test([1, 1, 1, 1, 1, 1, 0, 0]), sign_test([1, -1]), sign_test([])
    (0.03125, 1.0, 1.0)
    """
    up = sum(value > 0 for value in differences)
    down = sum(value < 0 for value in differences)
    tail = sum(comb(up + down, fewer) for fewer in range(min(up, down) + 1))
    return min(1.0, 2 * tail / (1 << (up + down)))


def wilcoxon_test(differences: Sequence[float]) -> float:
    """p-value of Wilcoxon's signed-rank test; zeros are left out, ties share their mean rank.

    With more than `MOST_EXACT` differences by the normal approximation.

    >>> wilcoxon_test([1, 2, 3, 4, 5, 6]), wilcoxon_test([2, -2]), wilcoxon_test([0, 0])
    (0.03125, 1.0, 1.0)
    """
    nonzero = [value for value in differences if value]
    ranks = _doubled_ranks([abs(value) for value in nonzero])
    positive = sum(rank for rank, value in zip(ranks, nonzero, strict=True) if value > 0)
    smaller = min(positive, sum(ranks) - positive)
    if len(nonzero) > MOST_EXACT:
        spread = sqrt(fsum((rank / 2) ** 2 for rank in ranks) / 4)
        return min(1.0, erfc((sum(ranks) / 4 - smaller / 2) / spread / sqrt(2)))
    # ways[s]: how many choices of signs give positive ranks that add up to s
    ways = [1] + [0] * smaller
    for rank in ranks:
        for total in range(smaller, rank - 1, -1):
            ways[total] += ways[total - rank]
    return min(1.0, 2 * sum(ways) / (1 << len(ranks)))


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for their number, after Holm.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[index]))
        corrected[index] = largest
    return corrected


def _doubled_ranks(sizes: Sequence[float]) -> list[int]:
    """Twice the ranks from 1 up, whole numbers even where ties share a rank."""
    _, kinds, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    found: list[int] = (2 * np.cumsum(counts) - counts + 1)[kinds].tolist()
    return found
