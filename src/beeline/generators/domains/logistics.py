"""Logistics: packages start and end at uniform, independent locations.

Every city has `city_size` locations, the first of which is its airport, and a truck; further
trucks are in uniform cities. Trucks start anywhere in their city, airplanes at any airport.

Solvable: a truck brings a package to the airport, an airplane to the other city, a truck to its
location. Draws in which all packages have already arrived are thrown away.
"""

from __future__ import annotations

from dataclasses import dataclass

from beeline.generators.draft import Dice, Draft, Fact, numbered
from beeline.generators.parameters import ParameterSet, insist, whole


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """Cities, vehicles and packages."""

    airplanes: int = whole(1, "airplanes", 1, 10_000)
    cities: int = whole(2, "cities", 1, 10_000)
    city_size: int = whole(2, "locations in each city, one of them an airport", 1, 10_000)
    packages: int = whole(3, "packages to deliver", 1, 100_000)
    trucks: int = whole(2, "trucks; at least one in each city, whatever this says", 1, 10_000)

    def check(self) -> None:
        """With one location there is nothing to deliver."""
        places = self.cities * self.city_size
        insist(places > 1, "there is one location only", "raise cities or city_size")


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """Packages, trucks and airplanes at random places."""
    cities = numbered("city", parameters.cities)
    places = {city: numbered(f"{city}-loc", parameters.city_size) for city in cities}
    airports = [places[city][0] for city in cities]
    locations = [place for city in cities for place in places[city]]
    packages = numbered("package", parameters.packages)
    airplanes = numbered("plane", parameters.airplanes)
    extra_trucks = max(0, parameters.trucks - parameters.cities)
    homes = cities + [dice.choice(cities) for _ in range(extra_trucks)]
    trucks = numbered("truck", len(homes))

    init: list[Fact] = [("obj", package) for package in packages]
    init += [("truck", truck) for truck in trucks]
    init += [("airplane", airplane) for airplane in airplanes]
    init += [("city", city) for city in cities]
    init += [("location", place) for place in locations]
    init += [("airport", place) for place in airports]
    init += [("in-city", place, city) for city in cities for place in places[city]]
    init += [
        ("at", truck, dice.choice(places[home])) for truck, home in zip(trucks, homes, strict=True)
    ]
    init += [("at", airplane, dice.choice(airports)) for airplane in airplanes]
    while True:
        starts: list[Fact] = [("at", package, dice.choice(locations)) for package in packages]
        goal: list[Fact] = [("at", package, dice.choice(locations)) for package in packages]
        if starts != goal:
            objects = [*packages, *trucks, *airplanes, *cities, *locations]
            return Draft([("", objects)], init + starts, goal)
