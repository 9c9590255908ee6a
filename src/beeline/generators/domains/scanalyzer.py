"""Scanalyzer: analyse every car and bring it to a place that random rotations lead to.

There are `belts` incoming and as many outgoing belts, of `cycle` / 2 segments each; every incoming
one forms a cycle with every outgoing one. Cycles of four segments with the first outgoing belt,
or the single cycle of two segments between the first belts, can analyse. Cars start on their own
segments; the goal places are those after `rotations` uniform rotations of them.

Solvable: repeating a rotation undoes it (a cycle of length k has order k), so every sequence of
rotations can be taken back. To analyse a car, rotate it to the first segment of an analysing
cycle (the belts are connected, so some rotations lead there), analyse it, and take all of that
back. After all cars are done, apply the rotations that define the goal. No car is analysed at
first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from beeline.generators.draft import Dice, Draft, Fact
from beeline.generators.parameters import ParameterSet, insist, whole


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """The belts, and how far the cars are from their goal."""

    belts: int = whole(3, "incoming belts, and outgoing ones", 1, 50)
    cycle: int = whole(2, "segments in a cycle: 2 or 4", 2, 4)
    rotations: int = whole(4, "random rotations between the start and the goal places", 0, 10000)

    def check(self) -> None:
        """Other cycles do not exist."""
        insist(self.cycle != 3, "cycle is 3", "cycle is 2 or 4")


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """Cars on belts, to be analysed and rearranged."""
    arity = parameters.cycle
    parts = ["a", "b"] if arity == 4 else [""]
    numbers = range(1, parameters.belts + 1)
    places = [
        [[f"{side}-{number}{part}" for part in parts] for number in numbers]
        for side in ("in", "out")
    ]
    cycles = [(*incoming, *outgoing) for incoming in places[0] for outgoing in places[1]]
    scanning = [(*incoming, *places[1][0]) for incoming in places[0]]
    if arity == 2:
        scanning = scanning[:1]
    names = [place for side in places for belt in side for place in belt]

    where = {place: place for place in names}  # what car is on a segment, by their common name
    for _ in range(parameters.rotations):
        turn = dice.choice(cycles)
        cars = [where[place] for place in turn]
        where.update(zip(turn, cars[1:] + cars[:1], strict=True))

    init: list[Fact] = [(f"cycle-{arity}", *_segments(cycle)) for cycle in cycles]
    init += [(f"cycle-{arity}-with-analysis", *_segments(cycle)) for cycle in scanning]
    init += [("on", f"car-{place}", f"seg-{place}") for place in names]
    goal: list[Fact] = [("analyzed", f"car-{place}") for place in names]
    goal += [("on", f"car-{car}", f"seg-{place}") for place, car in where.items()]
    objects = [("car", [f"car-{place}" for place in names]), ("segment", _segments(names))]
    return Draft(objects, init, goal, minimize_cost=True)


def _segments(places: Sequence[str]) -> list[str]:
    return [f"seg-{place}" for place in places]
