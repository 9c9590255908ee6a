"""Floortile: a chequered floor to paint, robots in uniform different columns and uniform rows.

Rows 1 to `rows` are to be painted, row 0 is a free strip below them. Which of the two colours
comes first, and what colour each robot has, is uniform.

Solvable: the columns can be divided into neighbouring ranges with one robot in each. Every robot
walks down its column to row 0. Then it paints the columns of its range one after the other: it
goes along row 0, up the column to row `rows` - 1, paints the tile above it, steps down, and so on
until it stands in row 0 again. It never leaves its range and never meets paint or a robot.
"""

from __future__ import annotations

from dataclasses import dataclass

from beeline.generators.draft import Dice, Draft, Fact, numbered
from beeline.generators.parameters import ParameterSet, insist, whole


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """The floor and its painters."""

    rows: int = whole(4, "rows to paint", 1, 100)
    columns: int = whole(4, "columns to paint", 1, 100)
    robots: int = whole(2, "robots; not more than columns", 1, 100)

    def check(self) -> None:
        """Each robot needs a column of its own."""
        words = f"{self.robots} robots on {self.columns} columns"
        insist(self.robots <= self.columns, words, "robots are not more than columns")


COLORS = ["white", "black"]


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """Robots on a floor that is to be chequered."""
    rows, columns = range(parameters.rows + 1), range(1, parameters.columns + 1)
    name = {(row, column): f"tile_{row}_{column}" for row in rows for column in columns}
    robots = numbered("robot", parameters.robots)
    own_columns = dice.sample(columns, len(robots))
    places = {
        robot: (dice.choice(rows), column)
        for robot, column in zip(robots, own_columns, strict=True)
    }
    occupied = set(places.values())

    init: list[Fact] = [("robot-at", robot, name[place]) for robot, place in places.items()]
    init += [("robot-has", robot, dice.choice(COLORS)) for robot in robots]
    init += [("available-color", color) for color in COLORS]
    init += [("clear", tile) for place, tile in name.items() if place not in occupied]
    for (row, column), tile in name.items():
        if row < parameters.rows:
            above = name[row + 1, column]
            init += [("up", above, tile), ("down", tile, above)]
        if column < parameters.columns:
            beside = name[row, column + 1]
            init += [("right", beside, tile), ("left", tile, beside)]
    phase = dice.below(2)
    goal: list[Fact] = [
        ("painted", tile, COLORS[(row + column + phase) % 2])
        for (row, column), tile in name.items()
        if row
    ]
    objects = [("tile", list(name.values())), ("robot", robots), ("color", COLORS)]
    return Draft(objects, init, goal)
