"""Point estimates at planning time: the digits of training, and quantiles that hit."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from exact_truncated import ExactTruncated, use_many_digits
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from beeline.core.errors import BeelineError
from beeline.models import truncated
from beeline.models.estimates import point_estimate, truncated_mean, truncated_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

many_digits = pytest.fixture(autouse=True)(use_many_digits)

DISTANCES = [-1e4, -300.0, -40.0, -7.0, -1.0, -1e-3, 0.0, 0.1, 2.0, 7.0, 49.9, 50.1, 300.0, 1e4]


def grid(widths: list[float], lower: float) -> tuple[Floats, Floats, Floats, Floats]:
    """mu, sigma, lower, upper with (lower - mu) / sigma from DISTANCES."""
    a, sigma, width = (
        column.ravel()
        for column in np.meshgrid(DISTANCES, [0.1, 1.0 / math.sqrt(2.0), 10.0], widths)
    )
    bound = np.full_like(sigma, lower)
    return bound - a * sigma, sigma, bound, bound + width


@pytest.mark.parametrize("lower", [0.0, 12.9])
@pytest.mark.parametrize("width", [1e-9, 0.5, 30.0, math.inf])
def test_mean_is_exact_and_that_of_training(lower: float, width: float) -> None:
    columns = grid([width], lower)
    found = truncated_mean(*columns)
    for mean, *row in zip(found, *columns, strict=True):
        exact = ExactTruncated(*row).mean
        assert abs(mean - exact) < 1e-9 * exact
    trained = truncated.mean(*(torch.from_numpy(column) for column in columns)).numpy()
    np.testing.assert_allclose(found, trained, rtol=2e-12)


@pytest.mark.parametrize("probability", [1e-6, 0.1, 0.5, 0.99])
@pytest.mark.parametrize("mirrored", [False, True])
def test_quantile_has_its_probability(probability: float, mirrored: bool) -> None:
    mu, sigma, lower, upper = grid([1e-9, 0.5, 30.0, math.inf], 0.0)
    if mirrored:
        mu, lower, upper = -mu, -upper, -lower
    found = truncated_quantile(mu, sigma, lower, upper, probability)
    assert ((lower <= found) & (found <= upper)).all()
    for value, *row in zip(found, mu, sigma, lower, upper, strict=True):
        exact, slack = ExactTruncated(*row), 1e-9 * abs(value) + 1e-15 * row[1]
        left, right = max(value - slack, row[2]), min(value + slack, row[3])
        assert exact.distribution(left) <= probability <= exact.distribution(right)


def test_estimates_of_distributions_without_bounds() -> None:
    mu, sigma = np.array([1.0, 2.0]), np.array([0.5, 3.0])
    lower, upper = np.full(2, 1.5), np.full(2, 1.8)
    for name, reference in (("gaussian", stats.norm), ("laplace", stats.laplace)):
        for kind in ("mean", "mu"):
            assert point_estimate(kind, name, mu, sigma, lower, upper).tolist() == [1.0, 2.0]
        assert point_estimate("clip", name, mu, sigma, lower, upper).tolist() == [1.5, 1.8]
        for probability in (0.01, 0.5, 0.8):
            found = point_estimate("quantile", name, mu, sigma, lower, upper, probability)
            np.testing.assert_allclose(found, reference.ppf(probability, mu, sigma), rtol=1e-12)


def test_quantile_without_bounds_is_that_of_the_gaussian() -> None:
    mu, sigma, infinite = np.array([1.0, -2.0]), np.array([0.5, 3.0]), np.full(2, math.inf)
    found = truncated_quantile(mu, sigma, -infinite, infinite, 0.2)
    np.testing.assert_allclose(found, stats.norm.ppf(0.2, mu, sigma), rtol=1e-13)


@given(
    st.floats(-1e6, 1e6),
    st.floats(1e-3, 1e3),
    st.floats(-1e6, 1e6) | st.just(-math.inf),
    st.floats(0.0, 1e6) | st.just(math.inf),
    st.floats(1e-9, 1.0 - 1e-9),
)
def test_estimates_stay_within_the_bounds(
    mu: float, sigma: float, lower: float, width: float, probability: float
) -> None:
    upper = width if lower == -math.inf else lower + width
    columns = [np.array([value]) for value in (mu, sigma, lower, upper)]
    for kind in ("mean", "clip", "quantile"):
        found = point_estimate(kind, "truncated-gaussian", *columns, probability)
        assert lower <= found[0] <= upper
        assert math.isfinite(found[0])


def test_dead_ends_stay_infinite() -> None:
    lower = np.array([3.0, math.inf])
    for kind in ("mean", "clip", "quantile"):
        for upper in (np.full(2, math.inf), np.array([9.0, math.inf])):
            found = point_estimate(
                kind, "truncated-gaussian", np.array([4.0, 4.0]), np.ones(2), lower, upper
            )
            assert math.isfinite(found[0])
            assert found[1] == math.inf


def test_wrong_names_and_probabilities_are_refused() -> None:
    columns = [np.ones(1)] * 4
    with pytest.raises(BeelineError, match="unknown estimate 'median': there are mean"):
        point_estimate("median", "gaussian", *columns)  # type: ignore[arg-type]
    with pytest.raises(BeelineError, match="unknown distribution 'cauchy'"):
        point_estimate("mean", "cauchy", *columns)
    with pytest.raises(BeelineError, match=r"quantile 1\.5 is not a probability"):
        point_estimate("quantile", "gaussian", *columns, quantile=1.5)


def test_planning_needs_no_torch() -> None:
    program = "import sys, beeline.models.estimates; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
