"""Truncated Gaussians with 50 correct digits, by the textbook formulas and many more digits."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import mpmath
from mpmath import mpf

if TYPE_CHECKING:
    from collections.abc import Iterator

# Intervals of 1e-12 sigmas at 1e4 sigmas from mu cancel 50 digits, beside the 50 that remain.
WORKING_DIGITS = 110


def use_many_digits() -> Iterator[None]:
    """The body of a fixture: numbers of mpmath have WORKING_DIGITS meanwhile."""
    with mpmath.workdps(WORKING_DIGITS):
        yield


class ExactTruncated:
    """A Gaussian between `lower` and `upper`; all inputs are taken as exact numbers.

    Natural scales say what the gradients are differences of: where the two terms meet, only an
    error relative to their sizes is reachable for anyone who rounds the inputs' differences.
    """

    def __init__(self, mu: float, sigma: float, lower: float, upper: float) -> None:
        self.mu, self.sigma = mpf(mu), mpf(sigma)
        self.lower, self.upper = mpf(lower), mpf(upper)
        self.alpha = (self.lower - self.mu) / self.sigma
        self.beta = (self.upper - self.mu) / self.sigma
        # On the side where both tails are small, so that the erfc do not lose their digits.
        a, b = self.alpha, self.beta
        low, high = (a, b) if a + b > 0 or mpmath.isnan(a + b) else (-b, -a)
        self.z = (mpmath.erfc(low / mpmath.sqrt(2)) - mpmath.erfc(high / mpmath.sqrt(2))) / 2
        # Densities of xi at the bounds, and their products with alpha and beta, which may be 0 inf.
        self.at_alpha, self.at_beta = self._density(self.alpha), self._density(self.beta)
        self.first = self.at_alpha - self.at_beta  # E[xi]
        self.second = 1 + self._times(1, self.at_alpha, self.at_beta)  # E[xi^2]
        self.variance = self.second - self.first**2

    def _density(self, xi: mpf) -> mpf:
        return mpf(0) if mpmath.isinf(xi) else mpmath.npdf(xi) / self.z

    def _times(self, power: int, at_alpha: mpf, at_beta: mpf) -> mpf:
        left = self.alpha**power * at_alpha if at_alpha else mpf(0)
        return left - (self.beta**power * at_beta if at_beta else mpf(0))

    @cached_property
    def mean(self) -> mpf:
        return self.mu + self.sigma * self.first

    @property
    def mean_by_mu(self) -> mpf:
        return self.variance

    @cached_property
    def mean_by_sigma(self) -> mpf:
        third = 2 * self.first + self._times(2, self.at_alpha, self.at_beta)  # E[xi^3]
        return third - self.first * self.second

    @property
    def mean_scale(self) -> mpf:
        """0 asks for a strictly relative error: lower >= 0 leaves nothing to cancel."""
        return mpf(0) if self.lower >= 0 else self.sigma

    @property
    def mean_by_sigma_scale(self) -> mpf:
        """With mu inside, the two sides of the interval pull in opposite directions."""
        one_sided = mpmath.isinf(self.alpha) != mpmath.isinf(self.beta)
        if self.alpha >= 0 or self.beta <= 0 or one_sided:
            return mpf(0)
        return self.variance * min(mpf(1), self.beta - self.alpha)

    def log_density(self, x: float) -> mpf:
        xi = (mpf(x) - self.mu) / self.sigma
        return mpmath.log(mpmath.npdf(xi) / self.sigma / self.z)

    def log_density_by_mu(self, x: float) -> mpf:
        return (mpf(x) - self.mean) / self.sigma**2

    def log_density_by_sigma(self, x: float) -> mpf:
        xi = (mpf(x) - self.mu) / self.sigma
        return (xi**2 - self.second) / self.sigma

    def log_density_by_mu_scale(self, x: float) -> mpf:
        """(|x - p| + |E[x] - p|) / sigma^2, for the best point p of the bounds and mu."""
        return min(abs(t) + abs(mean) for t, mean, _ in self._views(x)) / self.sigma

    def log_density_by_sigma_scale(self, x: float) -> mpf:
        """xi^2 and E[xi^2], written as o^2 + 2 o t + t^2 about the same points, without o^2."""
        return (
            min(
                2 * abs(o) * (abs(t) + abs(mean)) + t**2 + self.variance + mean**2
                for t, mean, o in self._views(x)
            )
            / self.sigma
        )

    def _views(self, x: float) -> list[tuple[mpf, mpf, mpf]]:
        xi = (mpf(x) - self.mu) / self.sigma
        origins = (o for o in (mpf(0), self.alpha, self.beta) if not mpmath.isinf(o))
        return [(xi - o, self.first - o, o) for o in origins]

    def distribution(self, x: float) -> mpf:
        """The probability of a value below x."""
        xi = (mpf(x) - self.mu) / self.sigma
        if self.alpha >= 0:
            return (mpmath.ncdf(-self.alpha) - mpmath.ncdf(-xi)) / self.z
        return (mpmath.ncdf(xi) - mpmath.ncdf(self.alpha)) / self.z
