"""N-puzzle: the initial board is uniform over all boards from which the goal can be reached.

Solvable: a move swaps a tile with the gap, so it changes the parity of the permutation and that
of the gap's distance from its home. Boards on which both parities agree form one half of all
boards, and on boards with at least two rows and columns each of them can reach the goal (Johnson
and Story, 1879; Wilson, 1974). Swapping two tiles maps one half to the other, so a uniform
permutation, repaired by such a swap if needed, is uniform over the right half. The solved board
is thrown away. A board whose gap belongs to the first place is such a board turned upside down.
"""

from __future__ import annotations

from dataclasses import dataclass

from beeline.core.errors import BeelineError
from beeline.generators.draft import Dice, Draft, Fact, numbered
from beeline.generators.levels import Level
from beeline.generators.parameters import ParameterSet, whole
from beeline.pddl.model import Problem


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """The size of the board."""

    rows: int = whole(3, "rows of the board", 2, 30)
    columns: int = whole(3, "columns of the board", 2, 30)
    gap_first: int = whole(0, "1 if the gap belongs to the first place", 0, 1, later=True)


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """A board that can be solved and is not solved."""
    rows, columns = parameters.rows, parameters.columns
    gap = rows * columns - 1  # the number of the gap, whose home is the last place
    board = list(range(gap + 1))
    while board == sorted(board):
        board = random_board(rows, columns, dice)
    numbers = [0 if tile == gap else tile + 1 for tile in board]
    if parameters.gap_first:
        numbers = _turned(numbers)
    return _draft(rows, columns, numbers, gap_first=bool(parameters.gap_first))


def _turned(numbers: list[int]) -> list[int]:
    """The board upside down, so that its gap belongs to the other end."""
    return [number and len(numbers) - number for number in reversed(numbers)]


def _draft(rows: int, columns: int, numbers: list[int], *, gap_first: bool) -> Draft:
    """A board with the numbers of its tiles, 0 for the gap."""
    gap = rows * columns - 1
    name = [f"p_{row}_{column}" for row in range(1, rows + 1) for column in range(1, columns + 1)]
    tiles = numbered("t_", gap)
    init: list[Fact] = []
    for place, tile in enumerate(numbers):
        init.append(("at", tiles[tile - 1], name[place]) if tile else ("empty", name[place]))
    for place in range(gap + 1):
        below, right = place + columns, place + 1
        if below <= gap:
            init += [("neighbor", name[place], name[below]), ("neighbor", name[below], name[place])]
        if right % columns:
            init += [("neighbor", name[place], name[right]), ("neighbor", name[right], name[place])]
    homes = name[1:] if gap_first else name[:-1]
    goal = [("at", tile, place) for tile, place in zip(tiles, homes, strict=True)]
    return Draft([("position", name), ("tile", tiles)], init, goal)


def draft_of(level: Level) -> Draft:
    """A board of numbers as an instance; 0 is the gap.

    The gap belongs to the last place, or to the first if the board can be solved only so.
    """
    numbers = [number for row in level for number in row]
    rows, columns = len(level), len(level[0])
    if sorted(numbers) != list(range(len(numbers))) or min(rows, columns) < 2:
        raise BeelineError("the numbers are not 0, 1, 2 and so on, each once")
    for gap_first in (False, True):
        board = _turned(numbers) if gap_first else numbers
        if _is_even([(number - 1) % len(board) for number in board], columns):
            return _draft(rows, columns, numbers, gap_first=gap_first)
    raise BeelineError("the board cannot be solved", hint="swap two of its tiles")


def level_of(problem: Problem) -> Level:
    """The numbers of the tiles, row by row."""
    facts = {fact[2]: int(fact[1][2:]) for fact in problem.init if fact[0] == "at"}
    places = sorted(
        tuple(map(int, name.split("_")[1:])) for name in problem.objects if name.startswith("p_")
    )
    return [
        [facts.get(f"p_{row}_{column}", 0) for row, column in places if row == here]
        for here in range(1, 1 + places[-1][0])
    ]


def random_board(rows: int, columns: int, dice: Dice) -> list[int]:
    """What lies at each place, uniform over all boards that can be solved."""
    gap = rows * columns - 1
    board = dice.shuffled(range(gap + 1))
    if not _is_even(board, columns):
        first, second = [place for place in range(3) if board[place] != gap][:2]
        board[first], board[second] = board[second], board[first]
    return board


def _is_even(board: list[int], columns: int) -> bool:
    """Whether the parities of the permutation and of the gap's distance from the end agree."""
    row, column = divmod(board.index(len(board) - 1), columns)
    distance = len(board) // columns - 1 - row + columns - 1 - column
    return (_swaps(board) + distance) % 2 == 0


def _swaps(permutation: list[int]) -> int:
    """How many swaps sort a permutation."""
    seen = [False] * len(permutation)
    swaps = 0
    for start in range(len(permutation)):
        place = permutation[start]
        while not seen[start] and place != start:
            seen[place] = True
            swaps += 1
            place = permutation[place]
        seen[start] = True
    return swaps
