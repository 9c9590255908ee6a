"""What is compared: state spaces, networks, seeds; and which network is trained first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

DOMAINS = ("blocks", "grid", "npuzzle", "rovers", "scanalyzer", "transport", "visitall")
CHEAP_FIRST = ("scanalyzer", "visitall", "blocks", "npuzzle", "rovers", "grid", "transport")
IDEAL_DOMAINS = ("blocks", "scanalyzer", "visitall")
PERCENTS = (1, 5, 10)
FSM_PERCENTS = (1, 5)
HEURISTIC_PERCENT = 1

HEURISTIC, XRS, FSM, IDEAL = "h", "xrs", "fsm", "ideal"
KINDS = (HEURISTIC, XRS, FSM, IDEAL)


@dataclass(frozen=True)
class Network:
    """One network to train.

    Kinds: `h`, the heuristic, from FSM samples and a fifth of random ones; `xrs` and `fsm`,
    discovered preferred operators; `ideal`, ideal ones of all states, whatever the sample seed.
    """

    kind: str
    domain: str
    percent: int
    sample_seed: int
    network_seed: int
    epochs: int | None = None  # at most; None for as many as patience allows

    @property
    def key(self) -> str:
        """A name for files; it does not tell the number of epochs."""
        seeds = f"s{self.sample_seed}-n{self.network_seed}"
        return f"{self.kind}{self.percent}-{self.domain}-{seeds}"


class Choice(NamedTuple):
    """Which part of the grid is wanted, in which state spaces."""

    domains: Sequence[str] = DOMAINS
    ideal_domains: Sequence[str] = IDEAL_DOMAINS
    sample_seeds: int = 2
    network_seeds: int = 2
    percents: Sequence[int] = PERCENTS
    only: Sequence[str] = KINDS
    epochs: int | None = None  # at most; None for as many as patience allows
    fsm_percents: Sequence[int] = FSM_PERCENTS  # of those among `percents`
    order: str = "plain"  # of searches with learned heuristics, or "rounded"
    initial_states: int = 50  # at most
    spaces: str = "paper"  # sizes of state spaces that are made

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Seeds of samples and of networks; (0, 0) is the first."""
        return [(s, n) for s in range(self.sample_seeds) for n in range(self.network_seeds)]

    def network(self, kind: str, percent: int, domain: str, pair: tuple[int, int]) -> Network:
        """A network of the grid, whether it is to be trained or not."""
        sample_seed = 0 if kind == IDEAL else pair[0]
        return Network(kind, domain, percent, sample_seed, pair[1], self.epochs)


def networks(choice: Choice) -> list[Network]:
    """All networks to train, the cheap and the most wanted ones first.

    >>> [each.key for each in networks(Choice(["grid", "blocks"], only=["h", "ideal"]))][:3]
    ['h1-blocks-s0-n0', 'h1-grid-s0-n0', 'h1-blocks-s0-n1']
    """
    small = [percent for percent in sorted(choice.percents) if percent in choice.fsm_percents]
    large = [percent for percent in sorted(choice.percents) if percent not in choice.fsm_percents]
    groups = [
        (HEURISTIC, HEURISTIC_PERCENT),
        *((XRS, percent) for percent in small),
        *((FSM, percent) for percent in small),
        (IDEAL, 100),
        *((XRS, percent) for percent in large),
    ]
    wanted = [
        choice.network(kind, percent, domain, pair)
        for kind, percent in groups
        if kind in choice.only
        for pair in choice.pairs
        for domain in CHEAP_FIRST
        if domain in choice.domains and (kind != IDEAL or domain in choice.ideal_domains)
    ]
    return list(dict.fromkeys(wanted))  # ideal ones are the same for all sample seeds
