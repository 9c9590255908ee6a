"""The distributions of the cost-to-go by name: negative log-likelihood and mean for training.

A network predicts mu and sigma for each state; the likelihood of the known cost x is what it
learns from (Núñez-Molina et al., "On using admissible bounds for learning forward search
heuristics", sections 2 and 3). Tensors come in and go out, but this module needs no torch to be
imported, so that names can be checked without it.

From a network's raw outputs to the parameters of a distribution, the same for all networks.

    mu = raw_0 + residual        sigma = 0.1 + 10 sigmoid(raw_1), or 1/√2 where it is not learned

With sigma = 1/√2 the negative log-likelihood of a Gaussian is the squared error plus a constant.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline.core.errors import look_up

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from torch import Tensor

    Floats = NDArray[np.float64]


LOG_SQRT_2_PI = 0.5 * math.log(2.0 * math.pi)


class Distribution(NamedTuple):
    """A distribution with mode mu and width sigma.

    `nll(mu, sigma, x, lower, upper)` is the complete negative log-density and
    `mean(mu, sigma, lower, upper)` the expected value; all tensors are [n], the results float64[n].
    Bounds may be infinite. `uses_bounds`: the support is [lower, upper], not the whole line.
    """

    name: str
    summary: str
    uses_bounds: bool
    nll: Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
    mean: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def _gaussian_nll(mu: Tensor, sigma: Tensor, x: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    xi = (x.double() - mu.double()) / sigma.double()
    return 0.5 * xi * xi + sigma.double().log() + LOG_SQRT_2_PI


def _laplace_nll(mu: Tensor, sigma: Tensor, x: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """|x - mu| / b + log(2 b), where sigma is the scale b."""
    return (x.double() - mu.double()).abs() / sigma.double() + (2.0 * sigma.double()).log()


def _truncated_nll(mu: Tensor, sigma: Tensor, x: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    from beeline.models.truncated import log_density

    return -log_density(mu, sigma, x, lower, upper)


def _untruncated_mean(mu: Tensor, sigma: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    return mu.double()


def _truncated_mean(mu: Tensor, sigma: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    from beeline.models.truncated import mean

    return mean(mu, sigma, lower, upper)


DISTRIBUTIONS = {
    name: Distribution(name, summary, uses_bounds, nll, mean)
    for name, summary, uses_bounds, nll, mean in (
        ("gaussian", "squared error, weighted by sigma", False, _gaussian_nll, _untruncated_mean),
        (
            "truncated-gaussian",
            "a Gaussian cut off at the bounds",
            True,
            _truncated_nll,
            _truncated_mean,
        ),
        ("laplace", "absolute error, weighted by sigma", False, _laplace_nll, _untruncated_mean),
    )
}


def distribution(name: str) -> Distribution:
    """The entry of a distribution.

    >>> distribution("truncated-gaussian").uses_bounds
    True
    >>> distribution("gausian")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: unknown distribution 'gausian': there are gaussian,
    truncated-gaussian, laplace (hint: did you mean 'gaussian'?)
    """
    return look_up("distribution", name, DISTRIBUTIONS, "take 'truncated-gaussian'")


LEAST_SIGMA = 0.1
SIGMA_RANGE = 10.0
FIXED_SIGMA = 0.5**0.5
SIGMAS = {"learn": 2, "fixed": 1}  # how sigma is found, and the heads that this takes


def mu_and_sigma(raw: NDArray[np.float32], residual: Floats | float) -> tuple[Floats, Floats]:
    """Parameters float64[n] from raw outputs float32[n, heads], at planning time.

    >>> mu, sigma = mu_and_sigma(np.zeros((1, 2), dtype=np.float32), np.array([7.0]))
    >>> mu.tolist(), sigma.tolist()
    ([7.0], [5.1])
    """
    wide = raw.astype(np.float64)
    mu = wide[:, 0] + residual
    if raw.shape[1] == 1:
        return mu, np.full(len(mu), FIXED_SIGMA)
    # exp of a negative number never overflows
    small = np.exp(-np.abs(wide[:, 1]))
    sigmoid = np.where(wide[:, 1] >= 0, 1.0, small) / (1.0 + small)
    return mu, LEAST_SIGMA + SIGMA_RANGE * sigmoid


def mu_and_sigma_tensors(raw: Tensor, residual: Tensor) -> tuple[Tensor, Tensor]:
    """The same for tensors, differentiable; `residual` is float64[n].

    >>> import torch
    >>> mu, sigma = mu_and_sigma_tensors(torch.zeros(1, 1), torch.full((1,), 7.0).double())
    >>> mu.tolist(), sigma.tolist() == [FIXED_SIGMA]
    ([7.0], True)
    """
    import torch

    wide = raw.double()
    mu = wide[:, 0] + residual
    if raw.shape[1] == 1:
        return mu, torch.full_like(residual, FIXED_SIGMA)
    return mu, LEAST_SIGMA + SIGMA_RANGE * torch.sigmoid(wide[:, 1])
