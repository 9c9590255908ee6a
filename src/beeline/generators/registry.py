"""The domains by name. Each has a module with its parameters, presets and generator."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from beeline.generators.dice import Dice
    from beeline.generators.draft import Draft
    from beeline.generators.parameters import ParameterSet
    from beeline.generators.presets import Preset

_SUMMARIES = {
    "blocksworld": "stack blocks with one arm; four operators",
    "childsnack": "make and serve sandwiches, some of them without gluten",
    "ferry": "a ferry carries one car at a time between locations",
    "floortile": "robots paint a floor in two colours and must not walk on paint",
    "grid": "a robot carries keys through a grid with locked places",
    "gripper": "a robot with two grippers carries balls to another room",
    "logistics": "trucks within cities and airplanes between them deliver packages",
    "miconic": "a lift brings passengers to their floors",
    "npuzzle": "sliding tiles on a board with one empty place",
    "rovers": "rovers sample soil and rock, take images and report to a lander",
    "satellite": "satellites turn, calibrate instruments and take images",
    "scanalyzer": "cars on conveyor belts are rotated and analysed",
    "sokoban": "a robot pushes boxes to their places",
    "spanner": "collect spanners on a one-way path, then tighten nuts with them",
    "transport": "vehicles of limited capacity deliver packages on roads",
    "visitall": "a robot visits cells of a grid",
}


class Entry:
    """A domain: summary, PDDL text, parameters, presets and generator.

    The module of the domain is imported when it is first needed.
    """

    def __init__(self, name: str, summary: str) -> None:
        self.name = name
        self.summary = summary

    @cached_property
    def _module(self) -> Any:
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
        parameters: type[ParameterSet] = self._module.Parameters
        return parameters

    @cached_property
    def presets(self) -> Mapping[str, Preset]:
        """The presets by name."""
        from beeline.generators.presets import presets_of

        return presets_of(self.name)

    @property
    def distribution(self) -> str:
        """What is drawn, from which distribution, and why it is solvable."""
        return str(self._module.__doc__)

    def draw(self, parameters: ParameterSet, dice: Dice) -> Draft:
        """One instance; the same dice give the same one."""
        draft: Draft = self._module.generate(parameters, dice)
        return draft

    def preset(self, name: str) -> Preset:
        """A preset, or an error that lists those there are."""
        from beeline.generators.parameters import suggest

        if name not in self.presets:
            raise BeelineError(
                f"{self.name} has no preset '{name[:40]}'", hint=suggest(name, set(self.presets))
            )
        return self.presets[name]


DOMAINS = {name: Entry(name, summary) for name, summary in _SUMMARIES.items()}


def entry(name: str) -> Entry:
    """The domain of this name, or an error that lists those there are.

    >>> entry("ferry").summary
    'a ferry carries one car at a time between locations'
    """
    from beeline.generators.parameters import suggest

    if name not in DOMAINS:
        raise BeelineError(
            f"there is no generator for '{name[:40]}'", hint=suggest(name, set(DOMAINS))
        )
    return DOMAINS[name]
