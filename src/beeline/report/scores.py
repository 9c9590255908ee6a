"""Scores of the International Planning Competitions, and averages."""

from __future__ import annotations

from math import exp, fsum, log, sqrt
from typing import TYPE_CHECKING

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


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean.

    >>> mean([1, 2, 6])
    3.0
    """
    return fsum(values) / len(values)


def geometric_mean(values: Sequence[float], floor: float) -> float:
    """The geometric mean of values, of which those below `floor` count as `floor`.

    >>> round(geometric_mean([0, 10, 100], floor=1), 6)
    10.0
    """
    return exp(mean([log(max(value, floor)) for value in values]))


def deviation(values: Sequence[float]) -> float | None:
    """The standard deviation of a sample (n - 1 in the denominator); None for a single value.

    >>> deviation([1, 3, 5]), deviation([7])
    (2.0, None)
    """
    if len(values) < 2:
        return None
    centre = mean(values)
    return sqrt(fsum((value - centre) ** 2 for value in values) / (len(values) - 1))
