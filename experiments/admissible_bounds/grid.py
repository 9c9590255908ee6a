"""What is compared: domains, networks, distributions, and how long each is trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

DOMAINS = ("blocksworld", "ferry", "gripper", "visitall")
MODELS = ("nlm", "linear", "hgn")
HGN_DOMAINS = ("visitall",)
SIGMAS = ("learn", "fixed")
RESIDUALS = ("ff", "none")
CONFIGURATIONS = tuple(f"{sigma}/{residual}" for sigma in SIGMAS for residual in RESIDUALS)
GAUSSIAN, TRUNCATED = "gaussian", "truncated-gaussian"
METHODS = ("N", "N+clip", "TN")  # of one configuration; the first two share a model
BATCH = 256

# The same for all configurations of a domain, so that they can be compared.
STEPS = {
    "nlm": {"blocksworld": 1500, "ferry": 2000, "gripper": 1500, "visitall": 400},
    "linear": dict.fromkeys(DOMAINS, 3000),
    "hgn": dict.fromkeys(DOMAINS, 300),
}


@dataclass(frozen=True)
class TrainingRun:
    """One network to train."""

    model: str
    domain: str
    distribution: str
    sigma: str
    residual: str
    seed: int
    steps: int

    @property
    def configuration(self) -> str:
        """How sigma and the residual are chosen, such as `learn/ff`."""
        return f"{self.sigma}/{self.residual}"

    @property
    def key(self) -> str:
        """A name for files; it does not tell the number of steps."""
        words = (self.model, self.domain, self.distribution, self.sigma, self.residual)
        return "-".join([*words, f"seed{self.seed}"])

    @property
    def validate_every(self) -> int:
        """Steps between two looks at the validation set; slow networks take few steps."""
        slow = self.model == "hgn" or (self.model, self.domain) == ("nlm", "visitall")
        return min(self.steps, 50 if slow else 100)


class Choice(NamedTuple):
    """Which part of the grid is wanted."""

    models: Sequence[str] = MODELS
    domains: Sequence[str] = DOMAINS
    hgn_domains: Sequence[str] = HGN_DOMAINS
    seeds: int = 2
    steps_scale: float = 1.0

    def domains_of(self, model: str) -> list[str]:
        """The domains that a network is trained in."""
        some = self.hgn_domains if model == "hgn" else self.domains
        return [domain for domain in self.domains if domain in some]


def training_runs(choice: Choice) -> list[TrainingRun]:
    """All runs; those with the same inputs follow each other."""
    return [
        TrainingRun(model, domain, distribution, sigma, residual, seed, steps)
        for model in choice.models
        for domain in choice.domains_of(model)
        for steps in [max(1, round(choice.steps_scale * STEPS[model][domain]))]
        for sigma in SIGMAS
        for residual in RESIDUALS
        for distribution in (GAUSSIAN, TRUNCATED)
        for seed in range(choice.seeds)
    ]
