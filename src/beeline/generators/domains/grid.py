"""Grid: keys to carry to uniform places, where a key may lie behind the doors of others.

Which places are locked, with which shape, and where the robot starts is uniform. Keys are then
put down while the grid is being opened: as long as no key found so far fits a door at the border
of the open part, one of these doors is chosen uniformly, and the key of its shape is put at a
uniform place of the open part. Keys that no door asks for, and copies, lie anywhere. `goals` keys
have a uniform destination other than their start.

Solvable: doors can be opened in the order in which the generator opened them, as the robot can
fetch any key within the open part. All places being open, keys are carried one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

from beeline.generators.draft import Dice, Draft, Fact, numbered
from beeline.generators.parameters import ParameterSet, insist, whole

Cell = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """The grid, its doors and keys."""

    width: int = whole(4, "columns of the grid", 1, 100)
    height: int = whole(4, "rows of the grid", 1, 100)
    shapes: int = whole(2, "shapes of locks and keys", 1, 50)
    keys: int = whole(3, "keys; no fewer than shapes", 1, 500)
    locks: int = whole(4, "locked places; fewer than places", 0, 9999)
    goals: int = whole(2, "keys that have a destination; not more than keys", 1, 500)

    def check(self) -> None:
        """Every shape needs a key, and the robot an open place."""
        places = self.width * self.height
        locks, keys, shapes, goals = self.locks, self.keys, self.shapes, self.goals
        insist(places > 1, "the grid has one place only", "raise width or height")
        insist(
            locks < places, f"{locks} of {places} places are locked", "locks are fewer than places"
        )
        insist(keys >= shapes, f"{keys} keys for {shapes} shapes", "keys are no fewer than shapes")
        insist(goals <= keys, f"{goals} goals for {keys} keys", "goals are not more than keys")


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """A robot, locked doors, keys in an order that works, and keys to deliver."""
    cells = [(x, y) for x in range(parameters.width) for y in range(parameters.height)]
    shapes = numbered("shape", parameters.shapes, first=0)
    keys = numbered("key", parameters.keys, first=0)
    key_shape = dict(zip(keys, shapes, strict=False))  # one of each, then any
    key_shape.update({key: dice.choice(shapes) for key in keys[len(shapes) :]})
    robot, *lockable = dice.shuffled(cells)
    locks = {cell: dice.choice(shapes) for cell in sorted(lockable[: parameters.locks])}
    first_key = dict(zip(shapes, keys, strict=False))
    starts = {first_key[shape]: cell for shape, cell in _needed(cells, robot, locks, dice).items()}
    for key in keys:
        starts.setdefault(key, dice.choice(cells))

    name = {cell: f"node{cell[0]}-{cell[1]}" for cell in cells}
    init: list[Fact] = [("arm-empty",), ("at-robot", name[robot])]
    init += [("place", name[cell]) for cell in cells]
    init += [("shape", shape) for shape in shapes]
    init += [("conn", name[a], name[b]) for a in cells for b in _neighbours(a) if b in name]
    for cell in cells:
        if cell in locks:
            init += [("locked", name[cell]), ("lock-shape", name[cell], locks[cell])]
        else:
            init.append(("open", name[cell]))
    for key in keys:
        init += [("key", key), ("key-shape", key, key_shape[key]), ("at", key, name[starts[key]])]
    goal: list[Fact] = []
    for key in sorted(dice.sample(keys, parameters.goals), key=keys.index):
        destination = dice.choice([cell for cell in cells if cell != starts[key]])
        goal.append(("at", key, name[destination]))
    return Draft([("", [*name.values(), *shapes, *keys])], init, goal)


def _needed(cells: list[Cell], robot: Cell, locks: dict[Cell, str], dice: Dice) -> dict[str, Cell]:
    """Places for the keys without which some door would stay closed, by shape."""
    opened = {robot}
    frontier = [robot]
    doors: dict[Cell, None] = {}  # at the border of the open part, in the order they were found
    found: dict[str, Cell] = {}
    inside = set(cells)
    while True:
        while frontier:
            for cell in _neighbours(frontier.pop()):
                if cell not in inside or cell in opened or cell in doors:
                    continue
                if cell in locks:
                    doors[cell] = None
                else:
                    opened.add(cell)
                    frontier.append(cell)
        if not doors:
            return found
        door = next((door for door in doors if locks[door] in found), None)
        if door is None:
            door = dice.choice(list(doors))
            found[locks[door]] = dice.choice(sorted(opened))
        del doors[door]
        opened.add(door)
        frontier.append(door)


def _neighbours(cell: Cell) -> list[Cell]:
    x, y = cell
    return [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
