"""What is compared: domains, losses, sizes of the network, seeds; and in which order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from beeline.core.errors import BeelineError
from beeline.experiments.ranked_heuristics.variants import (
    BELLMAN,
    POLICY,
    RANK_ASTAR,
    RANK_GBFS,
    SQUARED,
    TRAJECTORY,
    TRUNCATED,
    Variant,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

DOMAINS = ("blocks", "ferry", "npuzzle", "spanner", "elevators")
LOSSES = (RANK_ASTAR, RANK_GBFS, TRAJECTORY, SQUARED, BELLMAN, POLICY)  # of the paper
ALL_LOSSES = (*LOSSES, TRUNCATED)
ASTAR, GBFS = "astar", "gbfs"
SEARCHES = (ASTAR, GBFS)
NETWORK = "hgconv"
STEPS = 2000
LEARNING_RATE = 5e-3  # regression gets nowhere in so few steps with a smaller one
WHOLE_GRID = tuple(
    f"{layers}x{width}{residual}"
    for layers in (1, 2, 3)
    for width in (4, 8, 16)
    for residual in ("r", "")
)
SIZES = ("2x8r", "3x8r")


class Size(NamedTuple):
    """Convolutions, their width, and whether there are residual connections."""

    layers: int
    width: int
    residual: bool

    @classmethod
    def parse(cls, word: str) -> Size:
        """The size that a word such as `2x8r` means.

        >>> Size.parse("3x16")
        Size(layers=3, width=16, residual=False)
        """
        match = re.fullmatch(r"([1-9])x([1-9][0-9]?)(r?)", word)
        if match is None:
            raise BeelineError(
                f"'{word[:60]}' is no size of the network",
                hint="such as 2x8r: two convolutions of width 8 with residual connections",
            )
        return cls(int(match[1]), int(match[2]), match[3] == "r")


def searches_of(loss: str) -> tuple[str, ...]:
    """The columns of a loss: the policy belongs to greedy search alone, as in the paper."""
    return (GBFS,) if Variant.parse(loss).loss == POLICY else SEARCHES


@dataclass(frozen=True)
class TrainingRun:
    """One network to train."""

    domain: str
    loss: str  # the word of a variant
    size: str
    seed: int
    steps: int
    learning_rate: float

    @property
    def key(self) -> str:
        """A name for files; it tells neither steps nor learning rate."""
        return f"{self.domain}-{self.loss}-{self.size}-seed{self.seed}"

    @property
    def variant(self) -> Variant:
        """What is trained."""
        return Variant.parse(self.loss)


class Choice(NamedTuple):
    """Which part of the grid is wanted, and how large everything is."""

    domains: Sequence[str] = DOMAINS
    losses: Sequence[str] = LOSSES
    sizes: Sequence[str] = SIZES
    seeds: int = 2
    steps: int = STEPS
    learning_rate: float = LEARNING_RATE
    tasks: int = 120  # of each domain, where they are made
    task_sizes: str = "paper"  # of tasks that are made
    plan_evaluations: int | None = None  # limit on optimal search; None for what suits the domain
    plan_seconds: float = 300.0
    time_limit: float = 5.0  # processor seconds of a search
    validation_tasks: int | None = 40  # at most, to choose sizes by; None for all
    test_tasks: int | None = None  # at most; None for all

    @property
    def limits(self) -> Limits:
        """Those of searches."""
        return Limits(
            self.time_limit, validation_tasks=self.validation_tasks, test_tasks=self.test_tasks
        )

    def runs(self) -> list[TrainingRun]:
        """All networks; those with the same inputs follow each other.

        >>> [run.key for run in Choice(["ferry"], ["l2"], seeds=2).runs()][:2]
        ['ferry-l2-2x8r-seed0', 'ferry-l2-2x8r-seed1']
        """
        return [
            TrainingRun(domain, loss, size, seed, self.steps, self.learning_rate)
            for size in self.sizes
            for domain in self.domains
            for seed in range(self.seeds)
            for loss in self.losses
        ]


class Limits(NamedTuple):
    """Of the tasks that are searched, and of their searches."""

    time: float = 5.0  # seconds for each task
    memory: int = 6144  # MB of a process
    validation_tasks: int | None = 40  # None for all
    test_tasks: int | None = None
