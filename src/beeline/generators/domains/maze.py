"""Maze: a random spanning tree of rooms, walls broken at random, and pairs of teleports.

Rooms are the cells in odd rows and columns. They are joined to a tree by a walk that goes to a
uniform room beside it that it has not seen, and steps back where there is none. Then each wall,
those of the border included, is broken with probability `broken`. The way leads from the left of
the first room to the right of the last. The ends of the teleports are uniform among the other
open cells. Who steps on one end of a teleport may go on to the other end in the same action.

Solvable: the tree joins all rooms, the first and the last among them, and nobody need teleport.
"""

from __future__ import annotations

from dataclasses import dataclass

from beeline.core.errors import BeelineError
from beeline.generators import levels
from beeline.generators.draft import Dice, Draft, Fact, numbered
from beeline.generators.levels import Cell, Level
from beeline.generators.parameters import ParameterSet, insist, real, whole
from beeline.pddl.model import Problem


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """The maze and its teleports."""

    size: int = whole(15, "rows and columns, an odd number: an even one means one more", 3, 201)
    broken: float = real(0.3, "chance that a wall is broken", 0.0, 1.0)
    teleports: int = whole(4, "pairs of ends; at most one for each 4 rooms", 0, 500)

    def check(self) -> None:
        """Teleports need cells."""
        most = (self.size // 2) ** 2 // 4
        words = f"{self.teleports} teleports are too many for size {self.size}"
        insist(self.teleports <= most, words, f"teleports are at most {most} here")


WALL, FLOOR, AGENT, GOAL, FIRST_TELEPORT = range(5)  # the numbers of plain levels


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """A maze with a way from the left to the right."""
    return draft_of(_random_level(parameters, dice))


def _random_level(parameters: Parameters, dice: Dice) -> Level:
    size = parameters.size | 1  # rooms lie in odd rows and columns
    floor = _tree(size, dice)
    for row in range(size):
        for column in range(size):
            if (row, column) not in floor and dice.chance(parameters.broken):
                floor.add((row, column))
    start, goal = (1, 0), (size - 2, size - 1)
    level = [[int((row, column) in floor) for column in range(size)] for row in range(size)]
    level[start[0]][start[1]], level[goal[0]][goal[1]] = AGENT, GOAL
    places = sorted(floor.difference([start, goal]))
    for number, (row, column) in enumerate(dice.sample(places, 2 * parameters.teleports)):
        level[row][column] = FIRST_TELEPORT + number // 2
    return level


def _tree(size: int, dice: Dice) -> set[Cell]:
    """All rooms, and the broken walls between those that the tree joins."""
    floor, way = {(1, 1)}, [(1, 1)]
    while way:
        row, column = way[-1]
        fresh = [
            (down, right)
            for down, right in levels.DIRECTIONS.values()
            if 0 < row + 2 * down < size - 1
            and 0 < column + 2 * right < size - 1
            and (row + 2 * down, column + 2 * right) not in floor
        ]
        if fresh:
            down, right = dice.choice(fresh)
            floor |= {(row + down, column + right), (row + 2 * down, column + 2 * right)}
            way.append((row + 2 * down, column + 2 * right))
        else:
            way.pop()
    return floor


def draft_of(level: Level) -> Draft:
    """A maze of numbers as an instance: 0 wall, 1 floor, 2 agent, 3 goal, 4 and up teleports."""
    kinds = levels.cells_of(level)
    if len(kinds.get(AGENT, ())) != 1 or len(kinds.get(GOAL, ())) != 1:
        raise BeelineError("a maze has one agent (2) and one goal (3)")
    ends = {kind: kinds[kind] for kind in sorted(kinds) if kind >= FIRST_TELEPORT}
    for kind, cells in ends.items():
        if len(cells) != 2:
            raise BeelineError(f"the teleport {kind} has {len(cells)} ends", hint="it has two")
    open_cells = [cells for kind, cells in kinds.items() if kind != WALL]
    name = levels.cell_names(cell for cells in open_cells for cell in cells)
    teleports = numbered("teleport", max(ends, default=FIRST_TELEPORT - 1) - FIRST_TELEPORT + 1)
    init: list[Fact] = [("at", name[kinds[AGENT][0]])]
    for kind, cells in ends.items():
        init += [("end", name[cell], teleports[kind - FIRST_TELEPORT]) for cell in cells]
    init += levels.adjacencies(name)
    objects = [("cell", list(name.values())), ("teleport", teleports)]
    return Draft(objects, init, [("at", name[kinds[GOAL][0]])])


def level_of(problem: Problem) -> Level:
    """The numbers that `draft_of` made this problem of, within one wall beyond the last cells."""
    cells = levels.fact_cells(problem)
    level = cells.level(FLOOR, {("at",): AGENT})
    for cell in cells.goals("at"):
        level[cell[0]][cell[1]] = GOAL
    numbers = {name: FIRST_TELEPORT + int(name[len("teleport") :]) - 1 for name in cells.others}
    for cell, (teleport,) in cells.beside("end"):
        level[cell[0]][cell[1]] = numbers[teleport]
    return level
