"""The experiments by name: tables of papers that are repeated, and what goes beyond them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from collections.abc import Mapping

# The last one is for tests: it shows that everything works, and nothing else.
SCALES = ("small", "paper", "tiny")

BOUNDS, OPERATORS, RANKING = "admissible_bounds", "discovered_operators", "ranked_heuristics"
BEYOND = "beyond_ranking"


class Experiment(NamedTuple):
    """A table of a paper, the family of experiments that makes it, and which part of that."""

    name: str
    family: str
    table: str  # as the paper calls it; empty if there is no paper
    about: str
    changes: Mapping[str, Any] = {}
    at_scale: Mapping[str, Mapping[str, Any]] = {}  # more of them

    @property
    def paper(self) -> str:
        """The word for the paper, or what else experiments share networks and searches of.

        >>> find_experiment("seed002-table4.5").paper
        'seed002'
        """
        return self.name.partition("-")[0]

    @property
    def module(self) -> Any:
        """What makes the table; imported late, as it is a great deal."""
        return import_module(f"beeline.experiments.{self.family}.experiment")

    def choice(self, scale: str, changes: Mapping[str, Any] | None = None) -> Any:
        """All settings at a scale; `changes` come last."""
        if scale not in SCALES:
            raise BeelineError(f"unknown scale '{scale[:40]}'", hint="small or paper")
        module = self.module
        own = {**self.changes, **self.at_scale.get(scale, {})}
        return module.CHOICE._replace(**{**module.SCALES[scale], **own, **(changes or {})})


def _bounds(paper: str, table: str, model: str, what: str, about: str) -> Experiment:
    changes: dict[str, Any] = {"edition": paper, "models": (model,), "what": what}
    if what == "planning":
        changes["configurations"] = ("learn/ff", "fixed/none")
    first = paper == "seed000"
    at_scale: dict[str, dict[str, Any]] = {"small": {"domains": ("blocksworld", "ferry")}}
    if first:
        at_scale["small"] = {"domains": ("blocksworld", "logistics"), "steps": 200}
        at_scale["paper"] = {"steps": 10_000}
    name, table = f"{paper}-table{table}", f"Table {table}"
    return Experiment(name, BOUNDS, table, about, changes, at_scale)


def _operators(table: str, about: str) -> Experiment:
    return Experiment(f"seed002-table{table}", OPERATORS, f"Table {table}", about)


def _ranking(table: str, about: str) -> Experiment:
    return Experiment(f"seed001-table{table}", RANKING, f"Table {table}", about)


EXPERIMENTS = {
    each.name: each
    for each in (
        _bounds("seed000", "1", "nlm", "errors", "errors of truncated Gaussians, first version"),
        _bounds("seed000", "2", "nlm", "planning", "searches with them, first version"),
        _ranking("1", "tasks solved with heuristics that rank, and with others"),
        _ranking("6", "states expanded with heuristics that rank, and with others"),
        _ranking("8", "lengths of their plans"),
        _operators("4.2", "perfect, ideal and discovered preferred operators"),
        _operators("4.3", "discovered preferred operators from more samples"),
        _operators("4.4", "preferred operators from two ways of sampling"),
        _operators("4.5", "discovered preferred operators beside logic-based heuristics"),
        _operators("C.1", "discovered preferred operators without boosting"),
        _bounds("seed003", "1", "nlm", "errors", "errors of truncated Gaussians"),
        _bounds("seed003", "2", "nlm", "planning", "searches with truncated Gaussians"),
        _bounds("seed003", "6", "hgn", "errors", "their errors with hypergraph networks"),
        _bounds("seed003", "8", "linear", "errors", "their errors with linear regression"),
        _bounds("seed003", "9", "linear", "planning", "searches with linear regression"),
        Experiment("beyond-ranking", BEYOND, "", "ranking with bounds, and by orders of plans"),
    )
}


def find_experiment(name: str) -> Experiment:
    """The experiment of this name.

    >>> find_experiment("seed002-table4.5").table
    'Table 4.5'
    """
    found = EXPERIMENTS.get(name)
    if found is None:
        raise BeelineError(
            f"there is no experiment '{name[:60]}'", hint=f"there are {', '.join(EXPERIMENTS)}"
        )
    return found
