"""Ferry: places of the ferry and the cars, and their destinations, are uniform and independent.

Solvable: the ferry sails from everywhere to everywhere, so cars can be carried one by one. Draws
in which every car has already arrived are thrown away.
"""

from __future__ import annotations

from dataclasses import dataclass

from beeline.generators.draft import Dice, Draft, numbered
from beeline.generators.parameters import ParameterSet, whole


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """How many cars and locations there are."""

    cars: int = whole(4, "cars to carry", 1, 100_000)
    locations: int = whole(5, "places where the ferry lands", 2, 10_000)


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
