"""A reduced reproduction of the tables of Núñez-Molina, Asai, Mesejo and Fernández-Olivares, "On
using admissible bounds for learning forward search heuristics" (IJCAI 2024).

What can be chosen about the tables; each table is such a choice. Configurations times methods are
its columns: how sigma is found, which heuristic is corrected, the lower bound; and what is learned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import look_up
from beeline.experiments.records import TEST
from beeline.experiments.registry import grid
from beeline.models.families import network_entry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

GRID = grid("nunez2024")
LATER, EARLIER = "nunez2024", "nunez2022"
MODELS: Mapping[str, Any] = GRID["models"]
METHODS: Mapping[str, Any] = GRID["methods"]  # a loss, and what is made of its distribution
RIVALS: Mapping[str, Any] = GRID["rivals"]  # searches beyond the paper, by kind of experiment
RANKING: str = METHODS["L_GBFS"]["loss"]
CONFIGURATIONS = ("learn/ff", "learn/none", "fixed/ff", "fixed/none")
LMCUT, FF = "lmcut", "ff"
# What of a training can be changed by a choice.
CHANGES = (
    *("optimiser", "select", "learning_rate", "weight_decay", "gradient_clip"),
    *("batch", "validate_every"),
)


class Configuration(NamedTuple):
    """How sigma is found, the heuristic that is corrected, and the lower bound.

    >>> Configuration.read("learn/ff/max").lower, Configuration.read("fixed/none").lower
    ('max', 'lmcut')
    """

    sigma: str = "fixed"
    residual: str = "none"
    lower: str = LMCUT

    @classmethod
    def read(cls, word: str) -> Configuration:
        """The configuration of a word; methods that have none are given an empty one."""
        from beeline.models.neural_model import CHOICES

        found = cls(*word.split("/")[:3]) if word else cls()
        for what, choice in found._asdict().items():
            look_up(what, choice, dict.fromkeys(CHOICES[what]))
        return found


class Choice(NamedTuple):
    """Which part of the grid is wanted, and how large everything is.

    The second half is what a training may be changed in; empty, it is as in the paper's edition.
    """

    edition: str = LATER
    what: str = "errors"  # or "planning", "curves", "densities", "intervals", or one of RIVALS
    models: Sequence[str] = tuple(MODELS)
    domains: Sequence[str] = ()  # all
    hgn_domains: Sequence[str] = ("visitall",)
    configurations: Sequence[str] = CONFIGURATIONS  # or methods that have none
    methods: Sequence[str] = ("N", "N+clip", "TN")
    seeds: int = 2
    steps: int | None = None  # None for the usual number
    sets: str = "usual"  # sizes of the sets of states
    tests: str = TEST  # or "large"
    sizes: str = "table"  # of tests, or "script": those of the published program
    population: str = "solved"  # tasks to search: of the test set, or "preset": any of its sizes
    tasks: int = 20  # of each domain to search
    max_evaluations: int = 10_000  # of each search
    time_limit: float = 60.0  # seconds of each search
    orders: Sequence[str] = ("plain",)

    optimiser: str = ""
    select: str = ""
    learning_rate: float | None = None
    weight_decay: float | None = None
    gradient_clip: float | None = None  # 0 for none
    batch: int | None = None
    validate_every: int | None = None
    hgn_steps: int | None = None
    hgn_sizes: int = 0  # 1: hypergraph networks are told numbers of vertices and edges

    @property
    def how(self) -> Mapping[str, Any]:
        """What this version of the paper does."""
        found: Mapping[str, Any] = GRID["editions"][self.edition]
        return found

    def domains_of(self, *models: str) -> list[str]:
        """The domains that one of these networks is trained in, in the order of the paper."""
        every = [each for each in self.how["domains"] if not self.domains or each in self.domains]
        some = self.hgn_domains if set(models) == {"hgn"} else every if models else ()
        return [domain for domain in every if domain in some]

    def preset(self, domain: str, split: str) -> str:
        """The preset of a split; the published program has other test sizes of some domains."""
        script = self.how.get("script", {}) if self.sizes == "script" else {}
        found: str = self.how["presets"][split]
        return str(script.get(domain, found)) if split == TEST else found

    def parameters(self, domain: str) -> dict[str, Any]:
        """What this edition of the paper asks of a generator beyond its presets."""
        return dict(self.how.get("parameters", {}).get(domain, {}))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Configurations and methods; a method without configuration stands alone."""
        return [
            pair
            for word in self.configurations
            for pair in (
                [("", word)] if word in METHODS else [(word, each) for each in self.methods]
            )
        ]

    @property
    def columns(self) -> list[str]:
        """The columns of its table, without those of heuristics alone."""
        if self.what in RIVALS:
            return list(RIVALS[self.what])
        return [column(*pair, order) for order in self.orders for pair in self.pairs]


def column(configuration: str, method: str, order: str = "plain") -> str:
    """The name of a column.

    >>> column("learn/ff", "TN"), column("", "L_GBFS"), column("learn/ff", "N", "floored")
    ('learn/ff TN', 'L_GBFS', 'learn/ff N floored')
    """
    return " ".join(filter(None, (configuration, method, "" if order == "plain" else order)))


def training_settings(choice: Choice, model: str, loss: str) -> dict[str, Any]:
    """What `train` is told about optimiser and network, by name."""
    chosen = {**choice.how["training"], **MODELS[model].get("training", {})}
    if loss == RANKING:
        chosen = {**GRID["ranking"]}
    for name in CHANGES:
        if getattr(choice, name) not in ("", None):
            chosen[name] = getattr(choice, name)
    chosen.setdefault("learning_rate", network_entry(model).learning_rate)
    if model == "hgn":
        chosen["hgn_steps"] = choice.hgn_steps or choice.how["hgn_steps"]
        chosen["hgn_sizes"] = choice.hgn_sizes
    return chosen
