"""From a network's raw outputs to the parameters of a distribution, the same for all networks.

    mu = raw_0 + residual        sigma = 0.1 + 10 sigmoid(raw_1), or 1/√2 where it is not learned

With sigma = 1/√2 the negative log-likelihood of a Gaussian is the squared error plus a constant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    Floats = NDArray[np.float64]

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
