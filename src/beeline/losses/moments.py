"""Mass, mean and spread of truncated Gaussians, accurate however far or narrow the interval is.

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
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import erfc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SQRT_2 = math.sqrt(2.0)
SQRT_2_PI = math.sqrt(2.0 * math.pi)
LOG_SQRT_2_PI = math.log(SQRT_2_PI)
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
