"""The distributions of the cost-to-go by name: negative log-likelihood and mean for training.

A network predicts mu and sigma for each state; the likelihood of the known cost x is what it
learns from (Núñez-Molina et al., "On using admissible bounds for learning forward search
heuristics", sections 2 and 3). Tensors come in and go out, but this module needs no torch to be
imported, so that names can be checked without it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from beeline.core.errors import BeelineError
from beeline.losses.moments import LOG_SQRT_2_PI

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

FIXED_SIGMA = 1.0 / math.sqrt(
    2.0
)  # with it, the Gaussian's loss is the squared error plus log(pi)/2


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
    from beeline.losses.truncated import log_density

    return -log_density(mu, sigma, x, lower, upper)


def _untruncated_mean(mu: Tensor, sigma: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    return mu.double()


def _truncated_mean(mu: Tensor, sigma: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    from beeline.losses.truncated import mean

    return mean(mu, sigma, lower, upper)


DISTRIBUTIONS = {
    entry.name: entry
    for entry in (
        Distribution(
            "gaussian",
            "squared error, weighted by sigma",
            False,
            _gaussian_nll,
            _untruncated_mean,
        ),
        Distribution(
            "truncated-gaussian",
            "a Gaussian cut off at the bounds",
            True,
            _truncated_nll,
            _truncated_mean,
        ),
        Distribution(
            "laplace",
            "absolute error, weighted by sigma",
            False,
            _laplace_nll,
            _untruncated_mean,
        ),
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
    entry = DISTRIBUTIONS.get(name)
    if entry is None:
        from beeline.pddl.source import suggestion

        raise BeelineError(
            f"unknown distribution '{name[:60]}': there are {', '.join(DISTRIBUTIONS)}",
            hint=suggestion(name, DISTRIBUTIONS) or "take 'truncated-gaussian'",
        )
    return entry
