"""The domains by name. Each has a module with its parameters, presets and generator."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline.generators.parameters import known
from beeline.generators.presets import domain_table, presets_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from beeline.generators.dice import Dice
    from beeline.generators.draft import Draft
    from beeline.generators.parameters import ParameterSet
    from beeline.generators.presets import Preset


class Entry:
    """A domain: summary, PDDL text, parameters, presets and generator.

    The module of the domain is imported when it is first needed.
    """

    def __init__(self, name: str, summary: str) -> None:
        self.name = name
        self.summary = summary

    @cached_property
    def module(self) -> Any:
        """Where the domain is at home."""
        return import_module(f"beeline.generators.domains.{self.name}")

    @cached_property
    def domain_text(self) -> str:
        """The domain as PDDL text."""
        path = Path(__file__).with_name("domains") / f"{self.name}.pddl"
        return path.read_text(encoding="utf-8")

    @cached_property
    def domain_name(self) -> str:
        """What the PDDL text calls the domain."""
        return self.domain_text.split("(domain ", 1)[1].split(")", 1)[0]

    @property
    def parameters(self) -> type[ParameterSet]:
        """The class of the parameters."""
        parameters: type[ParameterSet] = self.module.Parameters
        return parameters

    @cached_property
    def presets(self) -> Mapping[str, Preset]:
        """The presets by name."""
        return presets_of(self.name)

    @property
    def distribution(self) -> str:
        """What is drawn, from which distribution, and why it is solvable."""
        return str(self.module.__doc__)

    def draw(self, parameters: ParameterSet, dice: Dice) -> Draft:
        """One instance; the same dice give the same one."""
        draft: Draft = self.module.generate(parameters, dice)
        return draft

    def preset(self, name: str) -> Preset:
        """A preset, or an error that lists those there are."""
        return known(self.presets, name, f"{self.name} has no preset")


DOMAINS = {name: Entry(name, str(rows["summary"])) for name, rows in domain_table().items()}


def entry(name: str) -> Entry:
    """The domain of this name, or an error that lists those there are.

    >>> entry("ferry").summary
    'a ferry carries one car at a time between locations'
    """
    return known(DOMAINS, name, "there is no generator for")
