"""The truncated Gaussian for training: log-density, log Z and mean, with exact slopes.

Equations 9 and 10 of Núñez-Molina et al., "On using admissible bounds for learning forward search
heuristics", with the digits of `beeline.models.estimates`. The slopes by mu and sigma are closed
forms in the moments, not the derivatives of a program; bounds and x get none. Inputs are tensors
[n] of any precision, bounds may be infinite; all work is float64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
from torch import Tensor

from beeline.models.distributions import LOG_SQRT_2_PI
from beeline.models.estimates import Moments, moments

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class _WithSlopes(torch.autograd.Function):
    """A value that was computed elsewhere, as a function of inputs with known slopes."""

    @staticmethod
    def forward(ctx: Any, value: Tensor, slopes: list[Tensor], *inputs: Tensor) -> Tensor:
        ctx.slopes = slopes
        return value

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        return None, None, *(gradients[0] * slope for slope in ctx.slopes)


def with_slopes(value: Floats | np.float64, *inputs: tuple[Tensor, Floats]) -> Tensor:
    """A float64 value as a function of tensors of any precision, each given with the slopes by it.

    >>> x = torch.tensor([3.0], requires_grad=True)
    >>> with_slopes(np.array([9.0]), (x, np.array([6.0]))).backward()
    >>> x.grad.tolist()
    [6.0]
    """
    device = inputs[0][0].device
    slopes = [torch.from_numpy(np.ascontiguousarray(each)).to(device) for _, each in inputs]
    apply = cast("Callable[..., Tensor]", _WithSlopes.apply)  # torch leaves it untyped
    tensors = (tensor.double() for tensor, _ in inputs)
    return apply(torch.from_numpy(np.asarray(value)).to(device), slopes, *tensors)


def log_density(mu: Tensor, sigma: Tensor, x: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """The logarithm of the density at x, float64[n].

    It is meant for lower <= x <= upper. Outside, where the density is 0, the formula goes on
    smoothly, so that one contradictory row does not turn a whole batch into infinities.

    >>> one, zero = torch.ones(1), torch.zeros(1)
    >>> f"{log_density(-1e4 * one, one, zero, zero, torch.inf * one).item():.10f}"
    '9.2103403820'
    """
    m, width = _moments(mu, sigma, lower, upper), _array(sigma)
    t = m.sign * (_array(x) - m.point) / width
    beyond = t - m.mean
    by_mu = m.sign * beyond / width  # (x - E[x]) / sigma^2
    # (xi^2 - E[xi^2]) / sigma
    by_sigma = (beyond * (2.0 * m.origin + t + m.mean) - m.variance) / width
    value = -t * (m.origin + 0.5 * t) - np.log(width) - LOG_SQRT_2_PI - m.log_mass
    return with_slopes(value, (mu, by_mu), (sigma, by_sigma))


def log_z(mu: Tensor, sigma: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """log(Phi(beta) - Phi(alpha)), the mass that the Gaussian has within the bounds, float64[n].

    >>> one, zero = torch.ones(1), torch.zeros(1)
    >>> f"{log_z(zero, one, zero, torch.inf * one).exp().item():.10f}"
    '0.5000000000'
    """
    m, width = _moments(mu, sigma, lower, upper), _array(sigma)
    first = m.origin + m.mean  # E[xi], mirrored like the interval
    by_mu, by_sigma = m.sign * first / width, (first**2 + m.variance - 1.0) / width
    return with_slopes(m.log_mass - 0.5 * m.origin**2, (mu, by_mu), (sigma, by_sigma))


def mean(mu: Tensor, sigma: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """The mean of the truncated Gaussian, float64[n], never outside the bounds.

    >>> one, zero = torch.ones(1), torch.zeros(1)
    >>> f"{mean(-1e4 * one, one, zero, torch.inf * one).item():.7e}"
    '9.9999998e-05'
    """
    m, width = _moments(mu, sigma, lower, upper), _array(sigma)
    value = m.point + m.sign * width * m.mean
    value = np.clip(value, _array(lower), _array(upper))  # against the last rounding
    return with_slopes(value, (mu, m.variance), (sigma, m.sign * m.skew))


def _array(tensor: Tensor) -> Floats:
    array: Floats = tensor.detach().double().cpu().numpy()
    return array


def _moments(mu: Tensor, sigma: Tensor, lower: Tensor, upper: Tensor) -> Moments:
    return moments(_array(mu), _array(sigma), _array(lower), _array(upper))
