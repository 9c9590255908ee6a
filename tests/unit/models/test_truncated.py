"""The truncated Gaussian against 50 digits of mpmath, in both precisions."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import mpmath
import numpy as np
import pytest
import torch
from exact_truncated import ExactTruncated, use_many_digits
from hypothesis import given
from hypothesis import strategies as st

from beeline.models import truncated
from beeline.models.estimates import BLOCK

SMALLEST_64, SMALLEST_32 = 1e-290, 1e-37  # below, numbers of the format lose digits
INF = math.inf

many_digits = pytest.fixture(autouse=True)(use_many_digits)


class Row(NamedTuple):
    mu: float
    sigma: float
    x: float
    lower: float
    upper: float


def rows(precision: type[np.floating]) -> list[Row]:
    """|mu - l| / sigma up to 1e4, u - l from 1e-9 to infinity, and x all over the interval."""
    distances = [0.0, 1e-6, 0.03, 0.5, 1.3, 2.5, 7.0, 37.0, 300.0, 1e4]
    grid = itertools.product(
        [0.1, 1.0 / math.sqrt(2.0), 10.0, 1e-3, 1e3],
        sorted({*distances, *(-d for d in distances)}),
        [1e-9, 1e-4, 0.3, 6.0, 2e3, INF],
        [0.0, 12.9],
    )
    positions = itertools.cycle([0.0, 1e-3, 0.3, 0.5, 0.77, 1.0])
    result = []
    for sigma, distance, width, bound in grid:
        if bound > 0.0 and not 0.1 <= sigma <= 10.0:
            continue  # extreme sigmas at one bound only
        center, span = bound - sigma * distance, min(width, 20.0 * sigma)
        above = Row(center, sigma, bound + next(positions) * span, bound, bound + width)
        # As the upper bound, seen from the other side, and reaching far below 0.
        below = Row(-center, sigma, -bound - next(positions) * span, -bound - width, -bound)
        result += [above, below]
    for sigma, x in itertools.product([1e-3, 0.1, 2.0, 1e3], [-1e4, -3.0, 0.01, 5.0]):
        result.append(Row(1.5, sigma, x, -INF, INF))
    exact = (Row(*(float(precision(value)) for value in row)) for row in result)
    return [row for row in exact if row.lower < row.upper and row.lower <= row.x <= row.upper]


def relative_error(found: float, exact: mpmath.mpf, scale: mpmath.mpf, smallest: float) -> float:
    assert math.isfinite(found)
    return float(abs(mpmath.mpf(found) - exact) / max(abs(exact), scale, smallest))


def worst_errors(points: list[Row], dtype: torch.dtype, smallest: float) -> dict[str, float]:
    """The largest relative error of the values and of each gradient."""
    mu, sigma, x, lower, upper = (
        torch.tensor(column, dtype=dtype) for column in zip(*points, strict=True)
    )
    mu.requires_grad_()
    sigma.requires_grad_()
    density = truncated.log_density(mu, sigma, x, lower, upper)
    mean = truncated.mean(mu, sigma, lower, upper)
    found = {"log density": density.detach(), "mean": mean.detach()}
    for name, value in (("log density", density), ("mean", mean)):
        by_mu, by_sigma = torch.autograd.grad(value.sum(), (mu, sigma))
        assert by_mu.dtype == by_sigma.dtype == dtype
        found[f"{name} by mu"], found[f"{name} by sigma"] = by_mu, by_sigma
    columns = {name: values.tolist() for name, values in found.items()}
    worst = dict.fromkeys(columns, 0.0)
    for i, row in enumerate(points):
        exact = ExactTruncated(row.mu, row.sigma, row.lower, row.upper)
        expected = {
            # An error of the logarithm is a relative error of the density.
            "log density": (exact.log_density(row.x), mpmath.mpf("0.01")),
            "log density by mu": (
                exact.log_density_by_mu(row.x),
                exact.log_density_by_mu_scale(row.x),
            ),
            "log density by sigma": (
                exact.log_density_by_sigma(row.x),
                exact.log_density_by_sigma_scale(row.x),
            ),
            "mean": (exact.mean, exact.mean_scale),
            "mean by mu": (exact.mean_by_mu, mpmath.mpf(0)),
            "mean by sigma": (exact.mean_by_sigma, exact.mean_by_sigma_scale),
        }
        assert row.lower <= columns["mean"][i] <= row.upper
        for name, (value, scale) in expected.items():
            error = relative_error(columns[name][i], value, scale, smallest)
            worst[name] = max(worst[name], error)
    return worst


def test_values_and_gradients_have_nine_digits_in_float64() -> None:
    points = rows(np.float64)
    assert len(points) > 1800
    worst = worst_errors(points, torch.float64, SMALLEST_64)
    assert max(worst.values()) < 1e-9, worst


def test_values_and_gradients_have_five_digits_in_float32() -> None:
    worst = worst_errors(rows(np.float32)[::3], torch.float32, SMALLEST_32)
    assert max(worst.values()) < 1e-5, worst


@pytest.mark.parametrize(
    "row",
    [
        Row(-1.0, 0.7, 2.5, 2.0, 4.0),
        Row(3.0, 0.7, 2.5, 2.0, INF),
        Row(9.0, 2.0, 3.0, -INF, 4.0),
        Row(1.0, 2.0, 1.0, 0.0, 1.0),
        Row(1.0, 2.0, 8.0, -INF, INF),
    ],
)
def test_exact_gradients_are_the_derivatives_of_the_exact_values(row: Row) -> None:
    def density(mu: mpmath.mpf, sigma: mpmath.mpf) -> mpmath.mpf:
        return ExactTruncated(mu, sigma, row.lower, row.upper).log_density(row.x)

    def mean(mu: mpmath.mpf, sigma: mpmath.mpf) -> mpmath.mpf:
        return ExactTruncated(mu, sigma, row.lower, row.upper).mean

    exact, at = ExactTruncated(row.mu, row.sigma, row.lower, row.upper), (row.mu, row.sigma)
    pairs = [
        (exact.log_density_by_mu(row.x), mpmath.diff(density, at, (1, 0))),
        (exact.log_density_by_sigma(row.x), mpmath.diff(density, at, (0, 1))),
        (exact.mean_by_mu, mpmath.diff(mean, at, (1, 0))),
        (exact.mean_by_sigma, mpmath.diff(mean, at, (0, 1))),
    ]
    for analytic, numeric in pairs:
        assert mpmath.almosteq(analytic, numeric, abs_eps=mpmath.mpf(10) ** -40)


def test_log_z_and_its_gradients() -> None:
    points = rows(np.float64)[::40]
    mu, sigma, _, lower, upper = (
        torch.tensor(column, dtype=torch.float64) for column in zip(*points, strict=True)
    )
    mu.requires_grad_()
    sigma.requires_grad_()
    value = truncated.log_z(mu, sigma, lower, upper)
    by_mu, by_sigma = torch.autograd.grad(value.sum(), (mu, sigma))
    for i, row in enumerate(points):
        exact = ExactTruncated(row.mu, row.sigma, row.lower, row.upper)
        expected = [
            (value[i], mpmath.log(exact.z), mpmath.mpf(0)),
            (by_mu[i], exact.first / exact.sigma, abs(exact.alpha + exact.beta) / 2 / exact.sigma),
            (by_sigma[i], (exact.second - 1) / exact.sigma, (exact.second + 1) / exact.sigma),
        ]
        for found, wanted, scale in expected:
            if not mpmath.isfinite(scale):
                scale = mpmath.mpf(0)
            assert relative_error(found.item(), wanted, scale, SMALLEST_64) < 1e-9


finite = st.floats(-1e6, 1e6)


@given(
    mu=finite,
    sigma=st.floats(1e-3, 1e3),
    lower=finite | st.just(-INF),
    width=st.floats(0.0, 1e6) | st.just(INF),
    position=st.floats(0.0, 1.0),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
def test_mean_stays_within_the_bounds_and_all_is_finite(
    mu: float, sigma: float, lower: float, width: float, position: float, dtype: torch.dtype
) -> None:
    upper = width if lower == -INF else lower + width
    x = lower + position * min(width, 1e6) if lower > -INF else min(upper, position)
    bounds = (torch.tensor([lower]).double(), torch.tensor([upper]).double())
    parameters = [torch.tensor([value], dtype=dtype, requires_grad=True) for value in (mu, sigma)]
    mean = truncated.mean(*parameters, *bounds)
    assert bounds[0] <= mean <= bounds[1]
    density = truncated.log_density(*parameters, torch.tensor([x]).double(), *bounds)
    log_z = truncated.log_z(*parameters, *bounds)
    assert log_z <= 1e-15
    for value in (mean, density, log_z):
        gradients = torch.autograd.grad(value, parameters)
        for tensor in (value, *gradients):
            assert tensor.isfinite().all()


@pytest.mark.parametrize("lower", [-INF, 0.0, 3.0, 50.0])
@pytest.mark.parametrize("width", [1e-6, 0.4, 5.0, 40.0, INF])
def test_density_integrates_to_one(lower: float, width: float) -> None:
    mu, sigma, upper = 4.0, 1.5, 4.0 if lower == -INF else lower + width
    nodes, weights = np.polynomial.legendre.leggauss(200)
    left, right = max(lower, mu - 15.0), min(upper, max(mu, lower) + 15.0)
    x = torch.from_numpy((left + right) / 2 + (right - left) / 2 * nodes)
    filled = (torch.full_like(x, value) for value in (mu, sigma))
    bounds = (torch.full_like(x, value) for value in (lower, upper))
    density = truncated.log_density(*filled, x, *bounds).exp().numpy()
    assert (right - left) / 2 * float(weights @ density) == pytest.approx(1.0, abs=1e-12)


def test_one_open_bound_keeps_the_best_mu_near_the_data() -> None:
    """With x at the bound itself, the likelihood would grow without end as mu falls."""
    mu = torch.tensor([-10.0, -1e4], dtype=torch.float64, requires_grad=True)
    sigma, x, upper = torch.ones(2), torch.full((2,), 5.0), torch.full((2,), INF)
    closed = truncated.log_density(mu, sigma, x, x, upper)
    assert (torch.autograd.grad(closed.sum(), mu)[0] < 0.0).all()
    opened = truncated.log_density(mu, sigma, x, x.double() - 0.1, upper)
    assert (torch.autograd.grad(opened.sum(), mu)[0] > 0.0).all()


def test_fixed_sigma_without_gradient_is_accepted() -> None:
    mu = torch.zeros(3, requires_grad=True)
    value = truncated.log_density(
        mu, torch.full((3,), 0.5), torch.ones(3), torch.zeros(3), torch.full((3,), INF)
    )
    value.sum().backward()
    assert mu.grad is not None
    assert mu.grad.dtype == torch.float32


def test_rows_do_not_influence_each_other() -> None:
    points = rows(np.float64)[::10]
    few = [np.array(column) for column in zip(*points, strict=True)]
    mu, sigma, _, lower, upper = (torch.from_numpy(np.tile(column, 100)) for column in few)
    assert len(mu) > 2 * BLOCK
    means = truncated.mean(mu, sigma, lower, upper).reshape(100, -1)
    alone = [truncated.mean(*(v[i : i + 1] for v in (mu, sigma, lower, upper))) for i in range(100)]
    assert (means == means[0]).all()
    torch.testing.assert_close(means[0, :100], torch.cat(alone), rtol=1e-15, atol=0.0)
