"""Transport: each package goes from a uniform location to a uniform other one.

Roads form a random tree and, with probability `density`, a road between each other pair; all
roads lead both ways. Vehicles start anywhere with room for 1 to `max_capacity` packages.

Solvable: any one vehicle reaches every location and has room for a package, so it can deliver
them one by one. No package is at its destination at first.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from beeline.generators.draft import Dice, Draft, Fact, both_ways, numbered, random_network
from beeline.generators.parameters import ParameterSet, real, whole


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """Vehicles, packages and roads."""

    vehicles: int = whole(2, "vehicles", 1, 10_000)
    packages: int = whole(3, "packages to deliver", 1, 100_000)
    locations: int = whole(6, "locations", 2, 5000)
    max_capacity: int = whole(2, "packages that a vehicle carries at most", 1, 100)
    density: float = real(0.2, "chance of a road between two locations", 0.0, 1.0)


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """Packages to deliver in a connected network of roads."""
    vehicles = numbered("v", parameters.vehicles)
    packages = numbered("p", parameters.packages)
    locations = numbered("l", parameters.locations)
    sizes = numbered("c", parameters.max_capacity + 1, first=0)
    init: list[Fact] = [("capacity", vehicle, dice.choice(sizes[1:])) for vehicle in vehicles]
    init += [("capacity-predecessor", a, b) for a, b in pairwise(sizes)]
    init += [("at", vehicle, dice.choice(locations)) for vehicle in vehicles]
    goal: list[Fact] = []
    for package in packages:
        start, destination = dice.sample(locations, 2)
        init.append(("at", package, start))
        goal.append(("at", package, destination))
    roads = both_ways(random_network(locations, parameters.density, dice))
    init += [("road", *road) for road in roads]
    things = [("vehicle", vehicles), ("package", packages)]
    return Draft([*things, ("location", locations), ("size", sizes)], init, goal)
