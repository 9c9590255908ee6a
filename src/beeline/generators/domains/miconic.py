"""Miconic: each passenger goes from a uniform floor to a uniform other one; the lift is anywhere.

Solvable: the lift reaches every floor from every other and holds everybody. Nobody is served at
first.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from beeline.generators.draft import Dice, Draft, Fact, numbered
from beeline.generators.parameters import ParameterSet, whole


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """How many passengers and floors there are."""

    passengers: int = whole(3, "passengers to serve", 1, 100_000)
    floors: int = whole(6, "floors of the building", 2, 5000)


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """Passengers who want to go from one floor to another."""
    passengers = numbered("p", parameters.passengers)
    floors = numbered("f", parameters.floors)
    init: list[Fact] = [("lift-at", dice.choice(floors))]
    for passenger in passengers:
        origin, destination = dice.sample(floors, 2)
        init += [("origin", passenger, origin), ("destin", passenger, destination)]
    init += [("above", lower, upper) for lower, upper in combinations(floors, 2)]
    goal = [("served", passenger) for passenger in passengers]
    return Draft([("passenger", passengers), ("floor", floors)], init, goal)
