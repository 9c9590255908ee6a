"""Sokoban: boxes are pulled away from their goals, so that pushing them back is a plan.

Within a border of walls each place is a wall with probability `walls`; of the rest, the largest
connected part is the floor. The robot is at a uniform place of it, and the boxes are at uniform
goals among the places with a free line of two places beside them. Then each box in turn, in
uniform order, is pulled up to `pulls` times, each time in a uniform one of the directions in
which the robot can pull it to a place where it has not been yet. Of four such rooms, the one with
the most pulls is taken, and the robot walks to a uniform place within its reach.

Solvable: a pull taken back is a push, and a walk taken back is a walk, so the history of the
generator in reverse is a plan. Rooms in which no box can be pulled at all are thrown away, and the
next one has fewer walls; an open room has places for boxes that can be pulled, so this ends. A box
that was pulled is away from its goal, because it never returns to a place.
"""

from __future__ import annotations

from dataclasses import dataclass

from beeline.generators.draft import Dice, Draft, Fact, numbered
from beeline.generators.levels import DIRECTIONS, Cell, adjacencies
from beeline.generators.parameters import ParameterSet, insist, real, whole


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """The room and its boxes."""

    size: int = whole(8, "rows and columns, the border of walls included", 5, 120)
    boxes: int = whole(1, "boxes; at most one for each 6 places inside", 1, 500)
    walls: float = real(0.2, "chance of a wall at a place inside", 0.0, 0.5)
    pulls: int = whole(20, "pulls of each box at most", 1, 1000)

    def check(self) -> None:
        """Boxes need room to move."""
        most = (self.size - 2) ** 2 // 6
        words = f"{self.boxes} boxes are too many for size {self.size}"
        insist(self.boxes <= most, words, f"boxes are at most {most} here")


ROOMS = 4  # of which the one with the longest history is taken


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """A room with boxes that were pulled away from their goals."""
    size, walls = parameters.size, parameters.walls
    rooms: list[Room] = []
    while len(rooms) < ROOMS:
        floor = _random_floor(size, walls, dice)
        room = Room.drawn(floor, parameters.boxes, parameters.pulls, dice)
        if room is None or not room.pulls:
            walls *= 0.9
        else:
            rooms.append(room)
    room = max(rooms, key=lambda each: each.pulls)
    robot = dice.choice(room.within_reach())

    everywhere = [(row, column) for row in range(size) for column in range(size)]
    name = {cell: f"loc_{cell[0] + 1}_{cell[1] + 1}" for cell in everywhere}
    boxes = numbered("box", parameters.boxes)
    open_cells = {cell: name[cell] for cell in sorted(room.floor)}
    taken = set(room.boxes)
    init: list[Fact] = [("at-robot", name[robot])]
    init += [("at", box, name[cell]) for box, cell in zip(boxes, room.boxes, strict=True)]
    init += [("clear", name[cell]) for cell in open_cells if cell not in taken]
    init += adjacencies(open_cells)
    goal: list[Fact] = [
        ("at", box, name[cell]) for box, cell in zip(boxes, room.goals, strict=True)
    ]
    return Draft([("location", list(name.values())), ("box", boxes)], init, goal)


class Room:
    """A floor, boxes on it, and a robot that pulls them."""

    def __init__(self, floor: set[Cell], goals: list[Cell], robot: Cell) -> None:
        self.floor = floor
        self.goals = goals
        self.boxes = list(goals)
        self.robot = robot
        self.pulls = 0
        # One bit for each free cell, row by row; walls around the floor keep rows apart.
        self._width = max(column for _, column in floor) + 2
        self._open = sum(map(self._bit, floor)) - sum(map(self._bit, goals))

    @classmethod
    def drawn(cls, floor: set[Cell], boxes: int, pulls: int, dice: Dice) -> Room | None:
        """Boxes pulled away from random goals, and a robot; None if there is no room for them."""
        places = goal_places(floor)
        if len(places) < boxes or len(floor) <= boxes:
            return None
        goals = dice.sample(places, boxes)
        room = cls(floor, goals, dice.choice(sorted(floor.difference(goals))))
        for box in dice.shuffled(range(boxes)):
            room.pull_away(box, pulls, dice)
        return room

    def pull_away(self, box: int, pulls: int, dice: Dice) -> None:
        """Pull a box up to `pulls` times, never to a place where it has been."""
        been = {self.boxes[box]}
        for _ in range(pulls):
            for down, right in dice.shuffled(DIRECTIONS.values()):
                row, column = self.boxes[box]
                new = (row + down, column + right)
                end = (row + 2 * down, column + 2 * right)
                if new not in been and self._is_free(end) and self._can_walk_to(new):
                    self._open ^= self._bit((row, column)) | self._bit(new)
                    self.robot, self.boxes[box] = end, new
                    been.add(new)
                    self.pulls += 1
                    break
            else:
                return

    def within_reach(self) -> list[Cell]:
        """Places the robot can walk to."""
        blocked = set(self.boxes)
        found = [self.robot]
        seen = {self.robot}
        for row, column in found:  # grows while it is walked through
            for down, right in DIRECTIONS.values():
                cell = (row + down, column + right)
                if cell in self.floor and cell not in blocked and cell not in seen:
                    seen.add(cell)
                    found.append(cell)
        return found

    def _bit(self, cell: Cell) -> int:
        return 1 << (cell[0] * self._width + cell[1])

    def _can_walk_to(self, target: Cell) -> bool:
        """Whether the target is `within_reach`; all places at one distance are found at once."""
        wanted, reached = self._bit(target), self._bit(self.robot)
        while not reached & wanted:
            beside = reached << 1 | reached >> 1
            beside |= reached << self._width | reached >> self._width
            grown = (reached | beside) & self._open
            if grown == reached:
                return False
            reached = grown
        return True

    def _is_free(self, cell: Cell) -> bool:
        return cell in self.floor and cell not in self.boxes


def _random_floor(size: int, walls: float, dice: Dice) -> set[Cell]:
    inside = range(1, size - 1)
    open_cells = {(row, column) for row in inside for column in inside if not dice.chance(walls)}
    return set(_largest_part(open_cells))


def goal_places(floor: set[Cell]) -> list[Cell]:
    """The places with a free line of two places beside them, sorted."""
    others = set(floor)
    for down, right in DIRECTIONS.values():
        others -= {
            (row, column)
            for row, column in others
            if (row + down, column + right) in floor
            and (row + 2 * down, column + 2 * right) in floor
        }
    return sorted(floor - others)


def _largest_part(floor: set[Cell]) -> list[Cell]:
    """The largest connected part, sorted; the first one if there are several."""
    left = set(floor)
    largest: list[Cell] = []
    for cell in sorted(floor):
        if cell in left:
            part = Room(left, [], cell).within_reach()
            left.difference_update(part)
            largest = max(largest, part, key=len)
    return sorted(largest)
