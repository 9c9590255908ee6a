"""Visitall: a full grid, a uniform start, and a uniform set of cells to visit.

The set has `ratio` times the number of cells, rounded, and at least one. Solvable: the grid is
connected. Only the start is visited at first, so draws that want nothing else are thrown away.
"""

from __future__ import annotations

from dataclasses import dataclass

from beeline.generators.draft import Dice, Draft, Fact
from beeline.generators.parameters import ParameterSet, insist, real, whole


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """The grid, and how much of it is to be visited."""

    width: int = whole(4, "columns of the grid", 1, 200)
    height: int = whole(4, "rows of the grid", 1, 200)
    ratio: float = real(0.5, "share of the cells that must be visited", 0.001, 1.0)

    def check(self) -> None:
        """A grid of one cell leaves nothing to do."""
        cells = self.width * self.height
        insist(cells > 1, "the grid has one cell only", "width times height is 2 or more")


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """A robot somewhere in a grid, and cells to visit."""
    width, height = parameters.width, parameters.height
    name = {(x, y): f"loc-x{x}-y{y}" for x in range(width) for y in range(height)}
    cells = list(name.values())
    start = dice.choice(cells)
    size = max(1, int(parameters.ratio * len(cells) + 0.5))
    wanted = {start}
    while wanted == {start}:
        wanted = set(dice.sample(cells, size))
    init: list[Fact] = [("at-robot", start), ("visited", start)]
    for (x, y), cell in name.items():
        for neighbour in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
            if neighbour in name:
                init.append(("connected", cell, name[neighbour]))
    goal = [("visited", cell) for cell in cells if cell in wanted]
    return Draft([("place", cells)], init, goal)
