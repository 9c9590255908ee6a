"""The registry of distributions, and how its members relate."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy import stats

from beeline.models.distributions import DISTRIBUTIONS, FIXED_SIGMA, distribution


def sample(seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    rng = np.random.default_rng(seed)
    columns = rng.normal(5.0, 3.0, 50), rng.uniform(0.1, 10.0, 50), rng.normal(6.0, 4.0, 50)
    mu, sigma, x = (torch.from_numpy(column) for column in columns)
    return mu.float().requires_grad_(), sigma.float().requires_grad_(), x


def unbounded(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.full_like(x, -math.inf), torch.full_like(x, math.inf)


def test_gaussian_with_fixed_sigma_is_the_squared_error_plus_a_constant() -> None:
    mu, _, x = sample(0)
    sigma = torch.full_like(x, FIXED_SIGMA)
    nll = distribution("gaussian").nll(mu, sigma, x, *unbounded(x))
    torch.testing.assert_close(nll, (x - mu) ** 2 + math.log(math.pi) / 2.0)


def test_truncated_gaussian_without_bounds_is_the_gaussian() -> None:
    mu, sigma, x = sample(1)
    results = []
    for name in ("gaussian", "truncated-gaussian"):
        nll = distribution(name).nll(mu, sigma, x, *unbounded(x))
        mean = distribution(name).mean(mu, sigma, *unbounded(x))
        results.append((nll, mean, *torch.autograd.grad(nll.sum(), (mu, sigma))))
    for gaussian, truncated in zip(*results, strict=True):
        torch.testing.assert_close(gaussian, truncated, rtol=1e-6, atol=1e-6)


def test_bounds_that_move_away_lead_to_the_gaussian() -> None:
    mu, sigma, x = sample(2)
    gaussian = distribution("gaussian").nll(mu, sigma, x, x, x)
    gaps = []
    for distance in (5.0, 20.0, 80.0, 400.0):
        nll = distribution("truncated-gaussian").nll(mu, sigma, x, x - distance, x + distance)
        gaps.append((gaussian - nll).max().item())
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 0.1
    assert abs(gaps[-1]) < 1e-12


@pytest.mark.parametrize(
    ("name", "reference"), [("gaussian", stats.norm), ("laplace", stats.laplace)]
)
def test_untruncated_densities_are_those_of_scipy(
    name: str, reference: stats.rv_continuous
) -> None:
    mu, sigma, x = sample(3)
    nll = distribution(name).nll(mu, sigma, x, *unbounded(x)).detach().numpy()
    columns = (tensor.detach().double().numpy() for tensor in (x, mu, sigma))
    np.testing.assert_allclose(nll, -reference.logpdf(*columns), rtol=1e-12)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_results_are_float64_and_gradients_have_the_precision_of_the_inputs(name: str) -> None:
    mu, sigma, x = sample(4)
    entry = distribution(name)
    nll, mean = entry.nll(mu, sigma, x, x - 0.1, x + 2.0), entry.mean(mu, sigma, x - 0.1, x + 2.0)
    assert nll.dtype == mean.dtype == torch.float64
    for gradient in torch.autograd.grad(nll.sum() + mean.sum(), (mu, sigma)):
        assert gradient.dtype == torch.float32
        assert gradient.isfinite().all()
    within = bool(((mean >= x - 0.1) & (mean <= x + 2.0)).all())
    assert within == entry.uses_bounds
