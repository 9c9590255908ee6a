"""Ferry: places of the ferry and the cars, and their destinations, are uniform and independent.

Solvable: the ferry sails from everywhere to everywhere, so cars can be carried one by one. Draws
in which every car has already arrived are thrown away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from beeline.generators.draft import Draft, numbered
from beeline.generators.parameters import ParameterSet, whole
from beeline.generators.presets import Preset, competition_like, every, ramp

if TYPE_CHECKING:
    from beeline.generators.dice import Dice


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """How many cars and locations there are."""

    cars: int = whole(4, "cars to carry", 1, 2000)
    locations: int = whole(5, "places where the ferry lands", 2, 1000)


_SMALL = every(locations=range(2, 7), cars=range(2, 7))
_LARGE = every(locations=range(10, 31, 5), cars=range(10, 31, 5))

PRESETS = {
    **competition_like(
        easy=ramp(cars=(2, 20), locations=(5, 15)),
        medium=ramp(cars=(10, 100), locations=(20, 50)),
        hard=ramp(cars=(110, 500), locations=(55, 200)),
    ),
    "nunez2024-train": Preset("2 to 6 cars and locations, 16 of each pair", _SMALL, 16),
    "nunez2024-val": Preset("2 to 6 cars and locations, 4 of each pair", _SMALL, 4),
    "nunez2024-test": Preset("10, 15, .. 30 cars and locations, 16 of each pair", _LARGE, 16),
}


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """Cars at random places, with random destinations, not all of them reached."""
    cars = numbered("car", parameters.cars)
    locations = numbered("loc", parameters.locations)
    ferry = dice.choice(locations)
    while True:
        starts = [("at", car, dice.choice(locations)) for car in cars]
        goal = [("at", car, dice.choice(locations)) for car in cars]
        if starts != goal:
            init = [("empty-ferry",), ("at-ferry", ferry), *starts]
            return Draft([("car", cars), ("location", locations)], init, goal)
