"""One number for each predicted distribution, as the heuristic of a search.

`mean` is the mean of the distribution (equation 10 of Núñez-Molina et al., "On using admissible
bounds for learning forward search heuristics"), `mu` its untruncated mean, `clip` mu pulled back
into the bounds, and `quantile` a value that the cost-to-go exceeds with a chosen probability: a low
quantile is a likely-admissible heuristic. NumPy only. A search asks for a handful of states at a
time, almost always without an upper bound: that case has a closed form of few operations.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.special import erfcx, ndtr, ndtri

from beeline.core.errors import BeelineError
from beeline.losses.distributions import distribution as distribution_entry
from beeline.losses.moments import NODES, SQRT_2, WEIGHTS, moments, standardised

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Estimate = Literal["mean", "mu", "clip", "quantile"]
ESTIMATES: tuple[Estimate, ...] = ("mean", "mu", "clip", "quantile")

SQRT_2_OVER_PI = math.sqrt(2.0 / math.pi)
FAR = 50.0  # in sigmas; from here on five terms of the asymptotic series have 13 digits
NARROW_STEPS, TAIL_STEPS = 4, 5  # of Newton's method, for all digits


def point_estimate(
    kind: Estimate,
    distribution: str,
    mu: Floats,
    sigma: Floats,
    lower: Floats,
    upper: Floats,
    quantile: float = 0.5,
) -> Floats:
    """The estimates, float64[n], of distributions given by float64[n] each; bounds may be infinite.

    >>> half = np.zeros(1), np.ones(1), np.zeros(1), np.full(1, np.inf)
    >>> for kind in ESTIMATES:
    ...     print(kind, point_estimate(kind, "truncated-gaussian", *half).round(4))
    mean [0.7979]
    mu [0.]
    clip [0.]
    quantile [0.6745]
    """
    if kind == "mu":
        return mu
    if kind == "clip":
        return np.minimum(np.maximum(mu, lower), upper)
    uses_bounds = distribution_entry(distribution).uses_bounds
    if kind == "mean":
        return truncated_mean(mu, sigma, lower, upper) if uses_bounds else mu
    if kind != "quantile":
        raise BeelineError(f"unknown estimate '{kind}': there are {', '.join(ESTIMATES)}")
    if not 0.0 < quantile < 1.0:
        raise BeelineError(
            f"quantile {quantile} is not a probability", hint="take a number between 0 and 1"
        )
    if uses_bounds:
        return truncated_quantile(mu, sigma, lower, upper, quantile)
    if distribution == "laplace":
        distance = -math.log(2.0 * min(quantile, 1.0 - quantile))
        return mu + math.copysign(distance, quantile - 0.5) * sigma
    return mu + float(ndtri(quantile)) * sigma


def truncated_mean(mu: Floats, sigma: Floats, lower: Floats, upper: Floats) -> Floats:
    """The mean of the truncated Gaussian, float64[n], never outside the bounds.

    >>> one = np.ones(1)
    >>> truncated_mean(3.0 * one, one, one, 2.0 * one).round(6)
    array([1.616831])
    """
    if (upper == np.inf).all():
        return _mean_above(mu, sigma, lower)
    m = moments(mu, sigma, lower, upper)
    result: Floats = np.clip(m.point + m.sign * sigma * m.mean, lower, upper)
    return result


def _mean_above(mu: Floats, sigma: Floats, lower: Floats) -> Floats:
    """The mean without upper bounds.

    With the hazard phi(a) / (1 - Phi(a)) of a = (lower - mu) / sigma, it is mu + sigma hazard(a)
    or lower + sigma (hazard(a) - a), whichever adds to the larger of mu and lower. Far below the
    bound the last difference is replaced by its series 1/a - 2/a^3 + 10/a^5 - 74/a^7 + 706/a^9.
    """
    a = (lower - mu) / sigma
    near = np.minimum(a, FAR)
    excess = SQRT_2_OVER_PI / erfcx(near / SQRT_2) - np.maximum(near, 0.0)
    if a.max(initial=0.0) > FAR:
        inverse = 1.0 / np.maximum(a, FAR)
        r = inverse * inverse
        series = inverse * (1.0 - r * (2.0 - r * (10.0 - r * (74.0 - r * 706.0))))
        excess = np.where(a > FAR, series, excess)
    result: Floats = np.maximum(mu, lower) + sigma * excess
    return result


def truncated_quantile(
    mu: Floats, sigma: Floats, lower: Floats, upper: Floats, probability: float
) -> Floats:
    """The value that the truncated Gaussian stays below with `probability`, float64[n].

    >>> one = np.ones(1)
    >>> truncated_quantile(-1e4 * one, one, 0.0 * one, np.inf * one, 0.5)
    array([6.93147...e-05])
    """
    mirrored, a, b, width = standardised(mu, sigma, lower, upper)
    below = np.where(mirrored, 1.0 - probability, probability)
    narrow = width * (np.maximum(a, 0.0) + width) < 1.0
    inside = ~narrow & (a < 0.0)
    t = np.empty_like(a)  # from mu or from the bound next to it, in sigmas
    for rows, solve in (
        (narrow, _quantile_if_narrow),
        (inside, _quantile_around_mu),
        (~narrow & ~inside, _quantile_in_tail),
    ):
        if rows.any():
            t[rows] = solve(a[rows], b[rows], width[rows], below[rows])
    start = np.where(inside, mu, np.where(mirrored, upper, lower))
    result: Floats = np.clip(start + np.where(mirrored, -sigma, sigma) * t, lower, upper)
    return result


def _quantile_if_narrow(a: Floats, b: Floats, width: Floats, below: Floats) -> Floats:
    """xi - a where the density hardly changes: Newton's method on the integral of the density."""

    def mass(end: Floats) -> Floats:
        t = end[:, None] * NODES
        total: Floats = end * (np.exp(-t * (a[:, None] + 0.5 * t)) @ WEIGHTS)
        return total

    t, wanted = below * width, below * mass(width)
    for _ in range(NARROW_STEPS):
        t = t - (mass(t) - wanted) * np.exp(t * (a + 0.5 * t))
    return t


def _quantile_around_mu(a: Floats, b: Floats, width: Floats, below: Floats) -> Floats:
    """xi for a < 0 < b: through the smaller tail, which is a sum of positive terms."""
    left = (1.0 - below) * ndtr(a) + below * ndtr(b)
    right = (1.0 - below) * ndtr(-a) + below * ndtr(-b)
    xi: Floats = np.where(left < right, 1.0, -1.0) * ndtri(np.minimum(left, right))
    return xi


def _quantile_in_tail(a: Floats, b: Floats, width: Floats, below: Floats) -> Floats:
    """xi - a for 0 <= a < b: Newton's method on the logarithm of the tail.

    It solves log S(t) = log(1 - below + below S(b - a)) for S(t) = (1 - Phi(a + t)) / (1 - Phi(a)).
    log S is concave and falls, and the start lies to the right of the root: no step overshoots it.
    """
    at_a = erfcx(a / SQRT_2)
    at_b = np.exp(-0.5 * width * (a + b)) * erfcx(b / SQRT_2) / at_a
    target = np.log1p(below * (at_b - 1.0))
    t = -2.0 * target / (a + np.sqrt(a * a - 2.0 * target))
    for _ in range(TAIL_STEPS):
        at_t = erfcx((a + t) / SQRT_2)
        log_tail = np.log(at_t / at_a) - t * (a + 0.5 * t)
        t = t + (log_tail - target) * at_t / SQRT_2_OVER_PI
    result: Floats = t
    return result
