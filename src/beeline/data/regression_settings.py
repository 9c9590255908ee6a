"""The settings of regression samples and of state spaces, and the strategies by name."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, asdict, dataclass, replace
from typing import Any, NamedTuple

from beeline.core.errors import BeelineError, look_up
from beeline.core.settings import setting

DEFAULT_STRATEGY = "xrs"
DEFAULT_MAX_STATES = 20_000_000


class StrategyEntry(NamedTuple):
    """A way to choose partial states backwards from the goal; `limited`: no deeper than a limit."""

    name: str
    summary: str
    limited: bool = False


STRATEGIES = {
    entry.name: entry
    for entry in (
        StrategyEntry("xrs", "breadth-first, then random states of the open list; no state twice"),
        StrategyEntry(
            "fsm", "whole families breadth-first, then random walks from the leaves", True
        ),
        StrategyEntry("breadth-first", "the states nearest to the goal"),
        StrategyEntry("depth-first", "one branch after another, to the limit", limited=True),
        StrategyEntry("random-walk", "random walks from the goal, to the limit", limited=True),
    )
}


# Samples that are completed to the same state: whose preferred operators they all get.
NEAREST, ALL, OWN = "nearest", "all", "own"
EQUAL_STATES = {
    NEAREST: "those of the samples with the smallest estimate",
    ALL: "those of all of them",
    OWN: "each keeps its own",
}


@dataclass(frozen=True)
class RegressionSettings:
    """How partial states are drawn, improved and completed.

    `count` is the number of all samples, of which `random_share` are random states; it is None
    if it is to be a `percent` of the state space. `share` is
    k1 of XRS or p of FSM. `depth` limits walks and depth-first search; None means the number of
    facts over the mean number of effects. With `improve`, estimates are lowered to what equal
    samples (SAI) and samples one step further (SUI) allow; `equal_states` says which preferred
    operators are shared where samples are completed to the same state. One is completed in at most
    `attempts` tries. With `seeds`, each task is sampled so many times, which is done by those who
    give jobs. `unit_costs` insists on a task whose operators all cost 1.

    >>> RegressionSettings(1000, strategy="xrs", depth=10)
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: the strategy 'xrs' has no depth limit
    (hint: fsm, depth-first, random-walk have one)
    """

    count: int = setting(None, "How many samples, random ones included.", "N")
    strategy: str = setting(DEFAULT_STRATEGY, "One of {names}.", "NAME", names=STRATEGIES)
    _: KW_ONLY
    percent: float | None = setting(
        None,
        "So many percent of the state space instead, which is enumerated to know its size.",
        "P",
    )
    max_states: int = setting(DEFAULT_MAX_STATES, "Give up on a state space with more states.", "N")
    share: float = setting(0.1, "Part of the samples that xrs and fsm take breadth-first.", "X")
    depth: int | None = setting(
        None,
        "How deep fsm, depth-first and random-walk go; by default the number of facts over the mean"
        " number of effects.",
        "N",
    )
    random_share: float = setting(
        0.0,
        "Part of the samples that are random states, with the largest estimate + 1: 0.2 to learn a"
        " heuristic, 0 to learn preferred operators.",
        "X",
        aliases=("--random",),
    )
    improve: bool = setting(
        True, "Leave estimates as they were drawn: no SAI, no SUI.", aliases=("--no-improvement",)
    )
    equal_states: str = setting(
        NEAREST,
        "Preferred operators of samples that become the same state: of the nearest to the goal, of"
        " all of them, or each its own.",
        "WORD",
        names=EQUAL_STATES,
    )
    attempts: int = setting(
        10_000, "Tries to complete a state before variables stay undefined.", "N"
    )
    seed: int = setting(0, "Other seeds give other samples.", "N")
    seeds: int = setting(1, "Sample each task K times, from the seed on.", "K")
    unit_costs: bool = setting(False, "Let every action cost 1, whatever the files say.")

    def __post_init__(self) -> None:
        entry = look_up("strategy", self.strategy, STRATEGIES)
        look_up("way with equal states", self.equal_states, EQUAL_STATES)
        if (self.count is None) == (self.percent is None):
            message = "how many samples?" if self.count is None else "--count and --percent"
            raise BeelineError(message, hint="say --count N, or --percent P of the state space")
        if not 0 <= self.share <= 1:
            raise BeelineError(f"the share {self.share} is not between 0 and 1", hint="such as 0.1")
        if not 0 <= self.random_share < 1:
            message = f"the share of random states is {self.random_share}"
            raise BeelineError(message, hint="from 0 to below 1")
        if self.depth is not None and not entry.limited:
            limited = ", ".join(each.name for each in STRATEGIES.values() if each.limited)
            message = f"the strategy '{self.strategy}' has no depth limit"
            raise BeelineError(message, hint=f"{limited} have one")
        for what, number, most in (
            ("number of samples", self.count, 2**31),
            ("depth limit", self.depth, 2**30),
            ("number of attempts", self.attempts, 2**31),
        ):
            if number is not None and not 1 <= number < most:
                raise BeelineError(f"the {what} is {number}", hint="at least 1")
        if not 0 <= self.seed < 2**63:
            raise BeelineError(f"the seed is {self.seed}", hint="seeds are numbers from 0 up")
        if not 1 <= self.seeds <= 100_000:
            raise BeelineError(f"the number of seeds is {self.seeds}", hint="from 1 to 100000")

    @property
    def random_count(self) -> int:
        """How many of the samples are random states."""
        return round(self.count * self.random_share)

    def of(self, states: int) -> RegressionSettings:
        """The same with the number of samples that so many states mean."""
        return replace(self, count=share_of_states(states, self.percent or 0.0), percent=None)

    def to_json(self) -> dict[str, Any]:
        """The settings as plain values: all that samples depend on."""
        chosen = asdict(self)
        del chosen["max_states"]
        if self.percent is None:
            del chosen["percent"]
        if self.seeds == 1:
            del chosen["seeds"]
        if self.equal_states == NEAREST:
            del chosen["equal_states"]
        return chosen


@dataclass(frozen=True, kw_only=True)
class StateSpaceSettings:
    """Which states of a state space are kept, and how large it may be."""

    count: int | None = setting(None, "Keep so many random states; all of them.", "N")
    seed: int = setting(0, "Other seeds give other samples.", "N")
    max_states: int = setting(DEFAULT_MAX_STATES, "Give up on a state space with more states.", "N")

    def __post_init__(self) -> None:
        if self.count is not None and self.count < 1:
            raise BeelineError(f"the number of states is {self.count}", hint="at least 1")
        if self.seed < 0:
            raise BeelineError(f"the seed is {self.seed}", hint="seeds are numbers from 0 up")


def share_of_states(states: int, percent: float) -> int:
    """So many percent of a state space, rounded up.

    >>> share_of_states(65990, 5)
    3300
    """
    if not 0 < percent < math.inf:
        raise BeelineError(f"{percent:g} percent of the state space", hint="such as 1 or 5")
    return math.ceil(round(states * percent / 100, 6))
