"""What is compared: domains, networks, distributions, and how long each is trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

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

LATER, EARLIER = "seed003", "seed000"


class Edition(NamedTuple):
    """What the two versions of the paper do differently."""

    domains: tuple[str, ...]
    presets: dict[str, str]  # of the generators, by set
    optimiser: str
    select: str  # the metric of validation by which weights are chosen
    paper_file: str


EDITIONS = {
    LATER: Edition(
        DOMAINS,
        {"train": "seed003-train", "val": "seed003-val", "test": "seed003-test"},
        "adamw",
        "mse",
        "paper.json",
    ),
    EARLIER: Edition(
        ("blocksworld", "logistics", "satellite"),
        dict.fromkeys(("train", "val", "test"), "seed000-small"),
        "adam",
        "nll",
        "earlier_paper.json",
    ),
}
ALL_DOMAINS = tuple(dict.fromkeys(name for each in EDITIONS.values() for name in each.domains))

# The same for all configurations of a domain, so that they can be compared.
STEPS = {
    "nlm": {**dict.fromkeys(ALL_DOMAINS, 1500), "ferry": 2000, "visitall": 400},
    "linear": dict.fromkeys(ALL_DOMAINS, 3000),
    "hgn": dict.fromkeys(ALL_DOMAINS, 300),
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
    edition: str = LATER

    @property
    def configuration(self) -> str:
        """How sigma and the residual are chosen, such as `learn/ff`."""
        return f"{self.sigma}/{self.residual}"

    @property
    def key(self) -> str:
        """A name for files; it does not tell the number of steps."""
        words = (self.model, self.domain, self.distribution, self.sigma, self.residual)
        other = [] if self.edition == LATER else [self.edition]
        return "-".join([*other, *words, f"seed{self.seed}"])

    @property
    def settings(self) -> dict[str, Any]:
        """What its record says about it."""
        settings: dict[str, Any] = dict(vars(self))
        if self.edition == LATER:
            del settings["edition"]
        return settings

    @property
    def validate_every(self) -> int:
        """Steps between two looks at the validation set; slow networks take few steps."""
        slow = self.model == "hgn" or (self.model, self.domain) == ("nlm", "visitall")
        return min(self.steps, 50 if slow else 100)


class Choice(NamedTuple):
    """Which part of the grid is wanted, and how large everything is."""

    edition: str = LATER
    what: str = "errors"  # or "planning"
    models: Sequence[str] = MODELS
    domains: Sequence[str] = ()  # all
    hgn_domains: Sequence[str] = HGN_DOMAINS
    configurations: Sequence[str] = CONFIGURATIONS
    seeds: int = 2
    steps: int | None = None  # None for the usual number
    sets: str = "usual"  # sizes of the sets of states
    tasks: int = 20  # of each domain to search
    max_evaluations: int = 10_000  # of each search
    time_limit: float = 60.0  # seconds of each search
    order: str = "plain"  # or "rounded"

    @property
    def all_domains(self) -> list[str]:
        """The domains in the order of the paper."""
        wanted = self.domains or EDITIONS[self.edition].domains
        return [domain for domain in EDITIONS[self.edition].domains if domain in wanted]

    def domains_of(self, model: str) -> list[str]:
        """The domains that a network is trained in."""
        some = self.hgn_domains if model == "hgn" else self.all_domains
        return [domain for domain in self.all_domains if domain in some]


def training_runs(choice: Choice) -> list[TrainingRun]:
    """All runs; those with the same inputs follow each other."""
    return [
        TrainingRun(model, domain, distribution, sigma, residual, seed, steps, choice.edition)
        for model in choice.models
        for domain in choice.domains_of(model)
        for steps in [choice.steps or STEPS[model][domain]]
        for sigma in SIGMAS
        for residual in RESIDUALS
        if f"{sigma}/{residual}" in choice.configurations
        for distribution in (GAUSSIAN, TRUNCATED)
        for seed in range(choice.seeds)
    ]
