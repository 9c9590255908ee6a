"""Values and gradients of the losses, and the registry that names them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.stats import norm, truncnorm

from beeline.core.errors import BeelineError
from beeline.fitting.linear import Pairs, Targets, ranking, squared, truncated_gaussian
from beeline.fitting.losses import DEFAULT_LOSS, LOSSES, loss_entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def sparse(rng: np.random.Generator, rows: int, columns: int) -> csr_matrix:
    values = rng.random((rows, columns))
    return csr_matrix(np.where(rng.random((rows, columns)) < 0.4, values, 0.0))


def pairs(seed: int) -> Pairs:
    rng = np.random.default_rng(seed)
    return Pairs(sparse(rng, 30, 8), rng.normal(size=30), rng.uniform(0.1, 2.0, 30))


def targets(seed: int) -> Targets:
    rng = np.random.default_rng(seed)
    costs = rng.integers(3, 30, 25).astype(np.float64)
    lower = costs - rng.integers(0, 4, 25) - 0.1
    return Targets(sparse(rng, 25, 6), costs, lower, rng.uniform(0.1, 2.0, 25))


def numerical_gradient(value: Callable[[Floats], float], theta: Floats) -> Floats:
    step = 1e-6
    result = np.zeros_like(theta)
    for place in range(len(theta)):
        change = np.zeros_like(theta)
        change[place] = step
        result[place] = (value(theta + change) - value(theta - change)) / (2 * step)
    return result


@pytest.mark.parametrize("seed", range(3))
def test_gradient_of_ranking_equals_finite_differences(seed: int) -> None:
    data, theta = pairs(seed), np.random.default_rng(seed).normal(size=8)
    expected = numerical_gradient(lambda at: ranking(at, data)[0], theta)
    np.testing.assert_allclose(ranking(theta, data)[1], expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_gradient_of_least_squares_equals_finite_differences(seed: int) -> None:
    data, theta = targets(seed), np.random.default_rng(seed).normal(size=7)
    expected = numerical_gradient(lambda at: squared(at, data)[0], theta)
    np.testing.assert_allclose(squared(theta, data)[1], expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_gradient_of_truncated_gaussian_equals_finite_differences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data, theta = targets(seed), rng.normal(size=14)
    theta[6], theta[13] = 10.0, 1.5
    expected = numerical_gradient(lambda at: truncated_gaussian(at, data)[0], theta)
    np.testing.assert_allclose(truncated_gaussian(theta, data)[1], expected, rtol=1e-5, atol=1e-5)


def test_ranking_is_the_sum_of_equation_4() -> None:
    data, theta = pairs(7), np.random.default_rng(7).normal(size=8)
    dense = data.differences.toarray()
    expected = sum(
        weight * math.log(1 + math.exp(float(row @ theta) + offset))
        for row, offset, weight in zip(dense, data.offsets, data.weights, strict=True)
    )
    assert ranking(theta, data)[0] == pytest.approx(expected)


def test_ranking_neither_overflows_nor_underflows() -> None:
    data = Pairs(csr_matrix([[1.0], [-1.0]]), np.zeros(2), np.ones(2))
    value, gradient = ranking(np.array([1e5]), data)
    assert value == 1e5
    assert gradient.tolist() == [1.0]


def test_truncated_gaussian_is_the_density_that_scipy_has() -> None:
    costs, lower = np.array([3.0, 5.0]), np.array([2.9, -np.inf])
    theta = np.array([0.0, 4.0, 0.0, math.log(1.5)])
    data = Targets(csr_matrix(np.zeros((2, 1))), costs, lower, np.ones(2))
    cut = truncnorm.logpdf(3.0, (2.9 - 4.0) / 1.5, np.inf, loc=4.0, scale=1.5)
    whole = norm.logpdf(5.0, 4.0, 1.5)
    assert truncated_gaussian(theta, data)[0] == pytest.approx(-cut - whole)


@pytest.mark.parametrize("mu", [-1e4, -50.0, 0.0, 50.0, 1e4])
def test_truncated_gaussian_stays_finite_far_from_the_data(mu: float) -> None:
    data = Targets(csr_matrix(np.zeros((1, 1))), np.array([5.0]), np.array([4.9]), np.ones(1))
    for log_sigma in (-100.0, -3.0, 0.0, 5.0, 100.0):
        value, gradient = truncated_gaussian(np.array([0.0, mu, 0.0, log_sigma]), data)
        assert math.isfinite(value)
        assert np.isfinite(gradient).all()


def test_every_loss_has_a_name_a_summary_and_consistent_properties() -> None:
    for name, entry in LOSSES.items():
        assert entry.name == name
        assert entry.summary
        assert loss_entry(name) is entry
        assert entry.ranking or not (entry.open_lists or entry.alpha)
        assert entry.siblings or not entry.open_lists
    assert DEFAULT_LOSS in LOSSES


def test_unknown_loss_is_refused_with_what_there_is() -> None:
    with pytest.raises(BeelineError, match="rank-siblings"):
        loss_entry("rank-sibling")
