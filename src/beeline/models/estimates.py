"""One number for each predicted distribution, as the heuristic of a search.

`mean` is the mean of the distribution (equation 10 of Núñez-Molina et al., "On using admissible
bounds for learning forward search heuristics"), `mu` its untruncated mean, `clip` mu pulled back
into the bounds, and `quantile` a value that the cost-to-go exceeds with a chosen probability: a low
quantile is a likely-admissible heuristic. NumPy only. A search asks for a handful of states at a
time, almost always without an upper bound: that case has a closed form of few operations.

Mass, mean and spread of truncated Gaussians, accurate however far or narrow the interval is.

The Gaussian has mean mu and width sigma and lives between `lower` and `upper` (Núñez-Molina et
al., "On using admissible bounds for learning forward search heuristics", equation 8). The textbook
formulas subtract nearly equal numbers as soon as mu leaves the interval or the interval is narrow.
Here nothing is subtracted there: with xi = (x - mu) / sigma and an origin o, t = xi - o has the
density exp(-t (o + t / 2)) / J. Two origins cover everything:

- mu inside a wide interval: o = 0, and J and the moments follow from erfc and exp;
- otherwise o is the bound next to mu. The density falls from there, so that J and the central
  moments of t are sums of positive terms of a Gauss-Legendre rule over the part of the interval
  that carries mass, and each has a small relative error.

Intervals are mirrored so that the bound next to mu lies on the left. The cost is 32 exponentials
for each row outside the first case; NumPy only, so that planning and training share every digit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from scipy.special import erfc, erfcx, ndtr, ndtri

from beeline.core.errors import BeelineError
from beeline.models.distributions import distribution as distribution_entry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


SQRT_2 = math.sqrt(2.0)
SQRT_2_PI = math.sqrt(2.0 * math.pi)
WIDE = 3.0  # in sigmas; from here on closed forms lose no digits if mu lies inside
NEGLIGIBLE = 45.0  # exp(-45) of the density at the bound, where the integration may stop
INFINITY = 1e150  # stands for an infinite bound, in sigmas: its square is still finite
SMALLEST_WIDTH = 1e-100  # in sigmas; an empty interval is treated as if it had this width
BLOCK = 8192  # rows that are integrated at a time, so that temporary arrays stay small

_nodes, _weights = np.polynomial.legendre.leggauss(32)
NODES: Floats = (_nodes + 1.0) / 2.0  # of the rule over [0, 1]
WEIGHTS: Floats = _weights / 2.0


class Moments(NamedTuple):
    """What describes n truncated Gaussians; all arrays are float64[n].

    x = `point` + `sign` sigma t, with the density exp(-t (o + t / 2)) / J of t, o = `origin`.
    """

    sign: Floats  # 1, or -1 if mirrored
    point: Floats  # where t is 0: the bound next to mu, or mu
    origin: Floats  # o: `point` as a value of xi, mirrored if `sign` is -1
    log_mass: Floats  # log(J / sqrt(2 pi)) = log Z + o^2 / 2
    mean: Floats  # E[t]
    variance: Floats  # Var[t]
    skew: Floats  # Cov[xi, xi^2], mirrored if `sign` is -1


def standardised(
    mu: Floats, sigma: Floats, lower: Floats, upper: Floats
) -> tuple[NDArray[np.bool_], Floats, Floats, Floats]:
    """Which intervals were mirrored, their bounds a and b >= |a| as values of xi, and b - a.

    Everything has [n] entries and is finite; b - a keeps the digits of upper - lower.
    """
    with np.errstate(invalid="ignore", over="ignore"):  # of infinite bounds
        to_lower, to_upper = lower - mu, upper - mu
        mirrored = to_lower + to_upper < 0.0
        a = np.clip(np.where(mirrored, -to_upper, to_lower) / sigma, -INFINITY, INFINITY)
        b = np.clip(np.where(mirrored, -to_lower, to_upper) / sigma, -INFINITY, INFINITY)
        width = np.fmin(np.fmax((upper - lower) / sigma, SMALLEST_WIDTH), INFINITY)
    return mirrored, a, b, width


def moments(mu: Floats, sigma: Floats, lower: Floats, upper: Floats) -> Moments:
    """Moments of Gaussians truncated to [lower, upper]; everything float64[n].

    >>> mu, sigma, lower, upper = np.array([-1e4, 0.0]), np.ones(2), np.zeros(2), np.full(2, np.inf)
    >>> [f"{mean:.10g}" for mean in moments(mu, sigma, lower, upper).mean]
    ['9.9999998e-05', '0.7978845608']
    """
    mirrored, a, b, width = standardised(mu, sigma, lower, upper)
    central = (a < 0.0) & (width > WIDE)
    columns = np.empty((4, len(mu)))
    if central.any():
        columns[:, central] = _around_mu(a[central], b[central])
    others = np.flatnonzero(~central)
    for start in range(0, len(others), BLOCK):
        rows = others[start : start + BLOCK]
        columns[:, rows] = _from_bound(a[rows], width[rows])
    return Moments(
        np.where(mirrored, -1.0, 1.0),
        np.where(central, mu, np.where(mirrored, upper, lower)),
        np.where(central, 0.0, a),
        *columns,
    )


def _around_mu(a: Floats, b: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """The last four columns of `Moments` for a < 0 < b, |a| <= b, b - a > WIDE, and o = 0."""
    log_z = np.log1p(-0.5 * (erfc(b / SQRT_2) + erfc(-a / SQRT_2)))
    scale = np.exp(-log_z) / SQRT_2_PI
    at_a, at_b = scale * np.exp(-0.5 * a * a), scale * np.exp(-0.5 * b * b)  # densities of xi
    mean = -at_a * np.expm1(-0.5 * (b - a) * (a + b))
    variance = 1.0 + a * at_a - b * at_b - mean * mean
    skew = at_a * (1.0 - a * (mean - a)) - at_b * (1.0 + b * (b - mean))
    return log_z, mean, variance, skew


def _from_bound(a: Floats, width: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """The last four columns of `Moments` for o = a, where the density falls from t = 0 on."""
    # The positive root of a t + t^2 / 2 = NEGLIGIBLE. Where a is negative, the interval is narrow.
    carrying = 2.0 * NEGLIGIBLE / (a + np.sqrt(a * a + 2.0 * NEGLIGIBLE))
    width = np.minimum(width, carrying)
    t = width[:, None] * NODES
    p = np.exp(-t * (a[:, None] + 0.5 * t)) * WEIGHTS
    total = p.sum(axis=1)
    p /= total[:, None]
    mean = np.einsum("ij,ij->i", p, t)
    p *= (t - mean[:, None]) ** 2
    variance = p.sum(axis=1)
    # Cov[t, (a + t)^2] = E[(t - E[t])^2 (2 a + t + E[t])]: again a sum of positive terms.
    skew = np.einsum("ij,ij->i", p, t) + variance * (2.0 * a + mean)
    return np.log(width * total / SQRT_2_PI), mean, variance, skew


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
