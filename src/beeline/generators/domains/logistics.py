"""Logistics: packages start and end at uniform, independent locations.

Every city has `city_size` locations, the first of which is its airport, and a truck; further
trucks are in uniform cities. Trucks start anywhere in their city, airplanes at any airport.

Solvable: a truck brings a package to the airport, an airplane to the other city, a truck to its
location. Draws in which all packages have already arrived are thrown away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError
from beeline.generators.draft import Draft, numbered
from beeline.generators.parameters import ParameterSet, whole
from beeline.generators.presets import Preset, competition_like, every, ramp

if TYPE_CHECKING:
    from beeline.generators.dice import Dice
    from beeline.generators.draft import Fact


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """Cities, vehicles and packages."""

    airplanes: int = whole(1, "airplanes", 1, 500)
    cities: int = whole(2, "cities", 1, 500)
    city_size: int = whole(2, "locations in each city, one of them an airport", 1, 200)
    packages: int = whole(3, "packages to deliver", 1, 2000)
    trucks: int = whole(2, "trucks; at least one in each city, whatever this says", 1, 1000)

    def check(self) -> None:
        """With one location there is nothing to deliver."""
        if self.cities * self.city_size < 2:
            raise BeelineError("there is one location only", hint="raise cities or city_size")


_SMALL = tuple(
    settings
    for settings in every(
        airplanes=range(1, 4),
        cities=range(1, 6),
        city_size=range(1, 4),
        packages=range(3, 6),
        trucks=(5,),
    )
    if settings["cities"] * settings["city_size"] >= 2
)
_LARGE = every(
    airplanes=range(3, 9),
    cities=range(3, 9),
    city_size=range(3, 7),
    packages=range(5, 9),
    trucks=(5,),
)

PRESETS = {
    **competition_like(
        easy=ramp(
            airplanes=(1, 2), cities=(2, 6), city_size=(1, 3), packages=(2, 12), trucks=(2, 6)
        ),
        medium=ramp(
            airplanes=(2, 5), cities=(7, 20), city_size=(3, 5), packages=(15, 60), trucks=(7, 25)
        ),
        hard=ramp(
            airplanes=(6, 12),
            cities=(22, 50),
            city_size=(5, 8),
            packages=(70, 200),
            trucks=(30, 70),
        ),
    ),
    "nunez2022-small": Preset(
        "1-3 airplanes, 1-5 cities of 1-3 locations, 3-5 packages, 5 trucks, 4 of each", _SMALL, 4
    ),
    "nunez2022-large": Preset(
        "3-8 airplanes, 3-8 cities of 3-6 locations, 5-8 packages, 5 trucks", _LARGE
    ),
}


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
