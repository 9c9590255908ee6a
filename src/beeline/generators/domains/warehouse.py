"""Warehouse: the game Sokoban, with boxes that are all alike and may stand on any goal.

A walker starts at a uniform place inside the border and takes `steps` steps; before each it turns
to a uniform direction with probability 0.35, and it stays where the border would stop it. Around
each place of the walk one of five small shapes, drawn uniformly, becomes floor: such rooms were
proposed with the imagination-augmented agents of Racanière et al. (2017). Goals and boxes are then
as in `sokoban`: the boxes are pulled away from uniform goals, and of four rooms the one with the
most pulls is taken. No box stands on a goal at the start.

Solvable: a pull taken back is a push, and a walk taken back is a walk, so the history of the
generator in reverse is a plan. A room in which boxes find no place, or remain on goals, is thrown
away, and the next one has a longer walk, hence more floor in the end; this ends.
"""

from __future__ import annotations

from dataclasses import dataclass

from beeline.core.errors import BeelineError
from beeline.generators import levels
from beeline.generators.domains.sokoban import ROOMS, Room
from beeline.generators.draft import Dice, Draft, Fact
from beeline.generators.levels import DIRECTIONS, Cell, Level
from beeline.generators.parameters import ParameterSet, insist, whole
from beeline.pddl.model import Problem


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """The room and its boxes."""

    size: int = whole(10, "rows and columns, the border of walls included", 6, 120)
    boxes: int = whole(3, "boxes; at most one for each 6 places inside", 1, 500)
    steps: int = whole(24, "steps of the walk that clears the floor", 5, 100_000)
    pulls: int = whole(8, "pulls of each box at most", 1, 1000)

    def check(self) -> None:
        """Boxes need room to move."""
        most = (self.size - 2) ** 2 // 6
        words = f"{self.boxes} boxes are too many for size {self.size}"
        insist(self.boxes <= most, words, f"boxes are at most {most} here")


TURN = 0.35  # chance that the walker turns
SHAPES = (
    ((0, -1), (0, 0), (0, 1)),
    ((-1, 0), (0, 0), (1, 0)),
    ((0, -1), (0, 0), (1, 0)),
    ((0, -1), (0, 0), (1, -1), (1, 0)),
    ((0, 0), (0, 1), (1, 0)),
)
WALL, FLOOR, GOAL, ROBOT, BOX, BOX_ON_GOAL, ROBOT_ON_GOAL = range(7)  # the numbers of plain levels


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """A room with boxes that were pulled away from their goals."""
    rooms: list[Room] = []
    steps = parameters.steps
    while len(rooms) < ROOMS:
        floor = _walked_floor(parameters.size, steps, dice)
        room = Room.drawn(floor, parameters.boxes, parameters.pulls, dice)
        if room is None or not set(room.boxes).isdisjoint(room.goals):
            steps += 1
        else:
            rooms.append(room)
    room = max(rooms, key=lambda each: each.pulls)
    return _draft(room.floor, room.goals, room.boxes, dice.choice(sorted(room.within_reach())))


def _walked_floor(size: int, steps: int, dice: Dice) -> set[Cell]:
    row, column = dice.between(1, size - 2), dice.between(1, size - 2)
    directions, inside = list(DIRECTIONS.values()), range(1, size - 1)
    down, right = dice.choice(directions)
    cleared = set()  # places of the walk with a shape; long walks come by again and again
    for _ in range(steps):
        if dice.chance(TURN):
            down, right = dice.choice(directions)
        if row + down in inside and column + right in inside:
            row, column = row + down, column + right
        cleared.add((row, column, dice.below(len(SHAPES))))
    around = {
        (row + down, column + right)
        for row, column, shape in cleared
        for down, right in SHAPES[shape]
    }
    return {cell for cell in around if cell[0] in inside and cell[1] in inside}


def _draft(floor: set[Cell], goals: list[Cell], boxes: list[Cell], robot: Cell) -> Draft:
    name = levels.cell_names(floor)
    taken = set(boxes)
    init: list[Fact] = [("at-robot", name[robot])]
    init += [("box", name[cell]) for cell in sorted(boxes)]
    init += [("clear", name[cell]) for cell in sorted(floor) if cell not in taken]
    init += levels.adjacencies(name)
    goal: list[Fact] = [("box", name[cell]) for cell in sorted(goals)]
    return Draft([("location", list(name.values()))], init, goal)


def draft_of(level: Level) -> Draft:
    """A level of numbers as an instance, without floor that nobody can reach.

    0 wall, 1 floor, 2 goal, 3 robot, 4 box, 5 box on a goal, 6 robot on a goal.
    """
    kinds = levels.cells_of(level)

    def cells(*numbers: int) -> list[Cell]:
        return sorted(cell for number in numbers for cell in kinds.get(number, ()))

    unknown = [number for number in kinds if not WALL <= number <= ROBOT_ON_GOAL]
    robots = cells(ROBOT, ROBOT_ON_GOAL)
    goals, boxes = cells(GOAL, BOX_ON_GOAL, ROBOT_ON_GOAL), cells(BOX, BOX_ON_GOAL)
    if unknown:
        raise BeelineError(f"{unknown[0]} is no kind of cell", hint="they go from 0 to 6")
    if len(robots) != 1:
        raise BeelineError(f"there are {len(robots)} robots", hint="a level has one")
    if not goals or len(goals) > len(boxes):
        raise BeelineError(
            f"there are {len(goals)} goals for {len(boxes)} boxes",
            hint="each goal needs a box, and there is a goal",
        )
    open_cells = set(cells(*range(FLOOR, ROBOT_ON_GOAL + 1)))
    inside = set(Room(open_cells, [], robots[0]).within_reach()) | {*goals, *boxes}
    return _draft(inside, goals, boxes, robots[0])


def level_of(problem: Problem) -> Level:
    """The numbers that `draft_of` made this problem of, within one wall beyond the last cells."""
    cells = levels.fact_cells(problem)
    level = cells.level(FLOOR, {("at-robot",): ROBOT, ("box",): BOX})
    on_goal = {FLOOR: GOAL, BOX: BOX_ON_GOAL, ROBOT: ROBOT_ON_GOAL}
    for row, column in cells.goals("box"):
        level[row][column] = on_goal[level[row][column]]
    return level
