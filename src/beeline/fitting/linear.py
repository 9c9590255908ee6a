"""Losses of linear models on sparse features: values and gradients.

A state has features phi(s) and the score h(s) = theta . phi(s). Ranking losses are sums of
log(1 + exp(r)) with r = alpha (g_i - g_j) + h(s_i) - h(s_j) over pairs in which s_i should come
first (Chrestien et al., "Optimize planning heuristics to rank, not to estimate cost-to-goal",
NeurIPS 2023, equations 2 and 4). The truncated Gaussian is that of Núñez-Molina et al., "On using
admissible bounds for learning forward search heuristics", IJCAI 2024. A value and its gradient
cost two products with the sparse matrix; pairs with the same difference of features are merged
beforehand, which is what makes that cheap.

Linear models fitted by L-BFGS: mean loss + l2/2 |theta|^2 + l1 |theta|.

Columns that are zero in all rows cannot be learned and get weight 0; of equal columns the first
gets the whole weight, which prefers the features of earlier rounds, and the others 0. The l1 term
is exact: each weight is the difference of two numbers that L-BFGS-B keeps from 0 up. Fits start
from zero or from a given point, use no random numbers, and are the same every time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import erfcx, expit, log_ndtr

from beeline.models.rows import equal_columns, equal_rows, summed

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    ValueAndGradient = tuple[float, Floats]
    Objective = Callable[[Floats], tuple[float, Floats]]


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
    gradients = [
        np.append(targets.features.T @ slope, slope.sum()) for slope in (by_mu, by_log_sigma)
    ]
    return float(value), np.concatenate(gradients)


MAX_ITERATIONS = 400
TOLERANCE = 1e-7  # of the mean loss, between two iterations


class LinearFit(NamedTuple):
    """Weights of all features, and the mean loss without penalties."""

    weights: Floats
    loss: float
    iterations: int


class RankingProblem:
    """Pairs made ready for several fits: columns chosen and scaled, equal rows merged.

    `scales` divides the columns before they are penalised.
    """

    def __init__(self, pairs: Pairs, scales: Floats | None = None) -> None:
        matrix, self._columns = learnable(pairs.differences, scales)
        rows = equal_rows(matrix, pairs.offsets)  # equal only if their offsets are
        self._pairs = Pairs(
            matrix[rows.first], pairs.offsets[rows.first], summed(pairs.weights, rows)
        )
        self._total = max(float(pairs.weights.sum()), 1e-300)
        self._size = pairs.differences.shape[1]
        self._scales = scales

    def fit(
        self,
        *,
        l2: float,
        l1: float = 0.0,
        start: Floats | None = None,
        max_iterations: int = MAX_ITERATIONS,
    ) -> LinearFit:
        """Weights that rank the pairs; `start` are the weights of an earlier fit."""

        def objective(theta: Floats) -> tuple[float, Floats]:
            value, gradient = ranking(theta, self._pairs)
            return value / self._total, gradient / self._total

        first = None
        if start is not None:
            first = (start if self._scales is None else start * self._scales)[self._columns]
        free = np.zeros(len(self._columns), dtype=bool)
        theta, loss, iterations = minimise(objective, free, first, l2, l1, max_iterations)
        weights = spread(theta, self._columns, self._size, self._scales)
        return LinearFit(weights, loss, iterations)


def fit_ranking(
    pairs: Pairs, *, l2: float, l1: float = 0.0, scales: Floats | None = None
) -> LinearFit:
    """Weights that rank the pairs.

    >>> from scipy.sparse import csr_matrix
    >>> pairs = Pairs(csr_matrix([[1.0, 0.0, 1.0]]), np.zeros(1), np.ones(1))
    >>> fit_ranking(pairs, l2=0.1).weights.round(3).tolist()
    [-1.634, 0.0, 0.0]
    """
    return RankingProblem(pairs, scales).fit(l2=l2, l1=l1)


def fit_cost_to_go(
    targets: Targets,
    *,
    truncated: bool = False,
    l2: float,
    l1: float = 0.0,
    scales: Floats | None = None,
    max_iterations: int = MAX_ITERATIONS,
) -> LinearFit:
    """Weights that predict the cost-to-go, without the intercept, which no search needs.

    With `truncated`, they are those of mu, the location of a Gaussian cut off at the lower
    bounds, whose width is learned as well.
    """
    matrix, columns = learnable(targets.features, scales)
    reduced = Targets(matrix, targets.costs, targets.lower, targets.weights)
    total = max(float(targets.weights.sum()), 1e-300)
    width = matrix.shape[1] + 1
    loss_of = truncated_gaussian if truncated else squared

    def objective(theta: Floats) -> tuple[float, Floats]:
        value, gradient = loss_of(theta, reduced)
        return value / total, gradient / total

    free = np.zeros(2 * width if truncated else width, dtype=bool)
    first = np.zeros(len(free))
    free[width - 1] = True
    first[width - 1] = float(targets.costs @ targets.weights) / total
    if truncated:
        free[-1] = True
        variance = float(targets.weights @ (targets.costs - first[width - 1]) ** 2) / total
        first[-1] = 0.5 * np.log(max(variance, 1e-2))
    theta, loss, iterations = minimise(objective, free, first, l2, l1, max_iterations)
    size = targets.features.shape[1]
    return LinearFit(spread(theta[: width - 1], columns, size, scales), loss, iterations)


def learnable(matrix: Any, scales: Floats | None) -> tuple[Any, NDArray[np.int64]]:
    """The scaled matrix of the columns that differ from zero and from earlier ones, and which."""
    from scipy.sparse import diags

    matrix = matrix.tocsc()
    used = np.flatnonzero(np.diff(matrix.indptr) > 0)
    matrix = matrix[:, used]
    if scales is not None:
        matrix = matrix @ diags(1.0 / scales[used])
    groups = equal_columns(matrix)
    return matrix.tocsc()[:, groups.first].tocsr(), used[groups.first]


def minimise(
    objective: Objective,
    free: NDArray[np.bool_],
    start: Floats | None,
    l2: float,
    l1: float,
    max_iterations: int,
) -> tuple[Floats, float, int]:
    """The minimum, the loss there without penalties, and the iterations.

    Free entries are not penalised.
    """
    from scipy.optimize import minimize

    count = len(free)
    if count == 0:
        return np.zeros(0), objective(np.zeros(0))[0], 0
    ridge = np.where(free, 0.0, l2)

    def smooth(theta: Floats) -> tuple[float, Floats]:
        value, gradient = objective(theta)
        return value + 0.5 * float(ridge @ (theta * theta)), gradient + ridge * theta

    lasso = np.where(free, 0.0, l1)

    def split(halves: Floats) -> tuple[float, Floats]:
        value, gradient = smooth(halves[:count] - halves[count:])
        penalty = float(lasso @ (halves[:count] + halves[count:]))
        return value + penalty, np.concatenate([gradient + lasso, lasso - gradient])

    first = np.zeros(count) if start is None else start
    options = {"maxiter": max_iterations, "maxfun": 2 * max_iterations, "maxcor": 20}
    exactness = {"ftol": TOLERANCE, "gtol": TOLERANCE}
    lbfgs = partial(minimize, jac=True, method="L-BFGS-B", options={**options, **exactness})
    if l1 == 0.0:
        found = lbfgs(smooth, first)
        theta = found.x
    else:
        halves = np.concatenate([np.maximum(first, 0.0), np.maximum(-first, 0.0)])
        found = lbfgs(split, halves, bounds=[(0.0, None)] * (2 * count))
        theta = found.x[:count] - found.x[count:]
    return theta, objective(theta)[0], int(found.nit)


def spread(theta: Floats, columns: NDArray[np.int64], size: int, scales: Floats | None) -> Floats:
    """Weights of all columns from those of the learnable ones."""
    weights = np.zeros(size)
    weights[columns] = theta if scales is None else theta / scales[columns]
    return weights
