"""Losses of linear models on sparse features: values and gradients.

A state has features phi(s) and the score h(s) = theta . phi(s). Ranking losses are sums of
log(1 + exp(r)) with r = alpha (g_i - g_j) + h(s_i) - h(s_j) over pairs in which s_i should come
first (Chrestien et al., "Optimize planning heuristics to rank, not to estimate cost-to-goal",
NeurIPS 2023, equations 2 and 4). The truncated Gaussian is that of Núñez-Molina et al., "On using
admissible bounds for learning forward search heuristics", IJCAI 2024. A value and its gradient
cost two products with the sparse matrix; pairs with the same difference of features are merged
beforehand, which is what makes that cheap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import erfcx, expit, log_ndtr

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    ValueAndGradient = tuple[float, Floats]

LOG_SQRT_2_PI = 0.5 * math.log(2.0 * math.pi)
HAZARD_IS_0 = 40.0  # from here on phi(b) / Phi(b) is 0, and its product with b is, too
LOG_SIGMA_RANGE = (-5.0, 10.0)  # beyond which the width of the Gaussian stays as it is


@dataclass(frozen=True, eq=False)
class Pairs:
    """Weighted pairs of states, of which the first should score lower.

    `differences` is the sparse matrix phi(s_i) - phi(s_j), float64[pairs, features];
    `offsets` are alpha (g_i - g_j).
    """

    differences: Any
    offsets: Floats
    weights: Floats


@dataclass(frozen=True, eq=False)
class Targets:
    """Weighted states with the cost-to-go that a model should predict.

    `features` is a sparse matrix, float64[states, features]; `lower` bounds the cost-to-go.
    """

    features: Any
    costs: Floats
    lower: Floats
    weights: Floats


def ranking(theta: Floats, pairs: Pairs) -> ValueAndGradient:
    """Sum of log(1 + exp(r)) over the pairs; theta is float64[features].

    >>> from scipy.sparse import csr_matrix
    >>> pairs = Pairs(csr_matrix([[1.0, -1.0]]), np.zeros(1), np.ones(1))
    >>> value, gradient = ranking(np.zeros(2), pairs)
    >>> round(value, 4), gradient.tolist()
    (0.6931, [0.5, -0.5])
    """
    r = pairs.differences @ theta + pairs.offsets
    value = float(pairs.weights @ np.logaddexp(0.0, r))
    return value, pairs.differences.T @ (pairs.weights * expit(r))


def squared(theta: Floats, targets: Targets) -> ValueAndGradient:
    """Half the sum of squared errors; the last entry of theta is the intercept.

    >>> from scipy.sparse import csr_matrix
    >>> targets = Targets(csr_matrix([[2.0]]), np.array([3.0]), np.zeros(1), np.ones(1))
    >>> value, gradient = squared(np.array([1.0, 0.5]), targets)
    >>> value, gradient.tolist()
    (0.125, [-1.0, -0.5])
    """
    error = targets.features @ theta[:-1] + theta[-1] - targets.costs
    slope = targets.weights * error
    return float(0.5 * slope @ error), np.append(targets.features.T @ slope, slope.sum())


def truncated_gaussian(theta: Floats, targets: Targets) -> ValueAndGradient:
    """Negative log-likelihood of the costs under a Gaussian that is cut off below at `lower`.

    theta has the weights and the intercept of mu, then those of log(sigma). With
    z = (cost - mu) / sigma and b = (mu - lower) / sigma, the density is
    phi(z) / (sigma Phi(b)).
    """
    half = len(theta) // 2
    mu = targets.features @ theta[: half - 1] + theta[half - 1]
    unclipped = targets.features @ theta[half:-1] + theta[-1]
    log_sigma = np.clip(unclipped, *LOG_SIGMA_RANGE)
    sigma = np.exp(log_sigma)
    z = (targets.costs - mu) / sigma
    b = (mu - targets.lower) / sigma
    value = targets.weights @ (0.5 * z * z + log_sigma + LOG_SQRT_2_PI + log_ndtr(b))
    # phi(b) / Phi(b), written so that it neither over- nor underflows on the left.
    hazard = math.sqrt(2.0 / math.pi) / erfcx(-b / math.sqrt(2.0))
    by_mu = targets.weights * (hazard - z) / sigma
    by_log_sigma = targets.weights * (1.0 - z * z - hazard * np.minimum(b, HAZARD_IS_0))
    by_log_sigma[unclipped != log_sigma] = 0.0
    return float(value), np.concatenate(
        [
            targets.features.T @ by_mu,
            [by_mu.sum()],
            targets.features.T @ by_log_sigma,
            [by_log_sigma.sum()],
        ]
    )
