"""The settings of regression samples, and the strategies by name."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from beeline.core.errors import BeelineError

DEFAULT_STRATEGY = "xrs"


class StrategyEntry(NamedTuple):
    """A way to choose partial states backwards from the goal.

    `limited`: goes no deeper than a limit. `share`: what the setting of that name means, if it
    means anything.
    """

    name: str
    summary: str
    limited: bool = False
    share: str = ""


STRATEGIES = {
    entry.name: entry
    for entry in (
        StrategyEntry(
            "xrs",
            "breadth-first, then random states of the open list; no state twice",
            share="breadth-first part of the samples (k1)",
        ),
        StrategyEntry(
            "fsm",
            "whole families breadth-first, then random walks from the leaves",
            limited=True,
            share="breadth-first part of the samples (p)",
        ),
        StrategyEntry("breadth-first", "the states nearest to the goal"),
        StrategyEntry("depth-first", "one branch after another, to the limit", limited=True),
        StrategyEntry("random-walk", "random walks from the goal, to the limit", limited=True),
    )
}


@dataclass(frozen=True)
class RegressionSettings:
    """How partial states are drawn, improved and completed.

    `count` is the number of all samples, of which `random_share` are random states. `share` is
    k1 of XRS or p of FSM. `depth` limits walks and depth-first search; None means the number of
    facts over the mean number of effects. With `improve`, estimates are lowered to what equal
    samples (SAI) and samples one step further (SUI) allow. A state is completed in at most
    `attempts` tries. `unit_costs` insists on a task whose operators all cost 1.

    >>> RegressionSettings(1000, strategy="xrs", depth=10)
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: the strategy 'xrs' has no depth limit
    (hint: fsm, depth-first, random-walk have one)
    """

    count: int
    strategy: str = DEFAULT_STRATEGY
    share: float = 0.1
    depth: int | None = None
    random_share: float = 0.0
    improve: bool = True
    attempts: int = 10_000
    seed: int = 0
    unit_costs: bool = False

    def __post_init__(self) -> None:
        entry = STRATEGIES.get(self.strategy)
        if entry is None:
            from difflib import get_close_matches

            near = get_close_matches(self.strategy, STRATEGIES, 1)
            raise BeelineError(
                f"unknown strategy '{self.strategy[:60]}': there are {', '.join(STRATEGIES)}",
                hint=f"did you mean '{near[0]}'?" if near else None,
            )
        if not 1 <= self.count < 2**31:
            raise BeelineError(f"the number of samples is {self.count}", hint="at least 1")
        if not 0 <= self.share <= 1:
            raise BeelineError(f"the share {self.share} is not between 0 and 1", hint="such as 0.1")
        if not 0 <= self.random_share < 1:
            raise BeelineError(
                f"the share of random states is {self.random_share}", hint="from 0 to below 1"
            )
        if self.depth is not None and not entry.limited:
            limited = ", ".join(each.name for each in STRATEGIES.values() if each.limited)
            raise BeelineError(
                f"the strategy '{self.strategy}' has no depth limit", hint=f"{limited} have one"
            )
        if self.depth is not None and not 1 <= self.depth < 2**30:
            raise BeelineError(f"the depth limit is {self.depth}", hint="at least 1")
        if not 1 <= self.attempts < 2**31:
            raise BeelineError(f"the number of attempts is {self.attempts}", hint="at least 1")
        if not 0 <= self.seed < 2**63:
            raise BeelineError(f"the seed is {self.seed}", hint="seeds are numbers from 0 up")

    @property
    def random_count(self) -> int:
        """How many of the samples are random states."""
        return round(self.count * self.random_share)

    def to_json(self) -> dict[str, Any]:
        """The settings as plain values."""
        return asdict(self)


def share_of_states(states: int, percent: float) -> int:
    """So many percent of a state space, rounded up.

    >>> share_of_states(65990, 5)
    3300
    """
    if not 0 < percent < math.inf:
        raise BeelineError(f"{percent:g} percent of the state space", hint="such as 1 or 5")
    return math.ceil(round(states * percent / 100, 6))
