"""N-puzzle: the initial board is uniform over all boards from which the goal can be reached.

Solvable: a move swaps a tile with the gap, so it changes the parity of the permutation and that
of the gap's distance from its home. Boards on which both parities agree form one half of all
boards, and on boards with at least two rows and columns each of them can reach the goal (Johnson
and Story, 1879; Wilson, 1974). Swapping two tiles maps one half to the other, so a uniform
permutation, repaired by such a swap if needed, is uniform over the right half. The solved board
is thrown away.
"""

from __future__ import annotations

from dataclasses import dataclass

from beeline.generators.dice import Dice
from beeline.generators.draft import Draft, Fact, numbered
from beeline.generators.parameters import ParameterSet, whole


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """The size of the board."""

    rows: int = whole(3, "rows of the board", 2, 30)
    columns: int = whole(3, "columns of the board", 2, 30)


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """A board that can be solved and is not solved."""
    rows, columns = parameters.rows, parameters.columns
    gap = rows * columns - 1  # the number of the gap, whose home is the last place
    board = list(range(gap + 1))
    while board == sorted(board):
        board = random_board(rows, columns, dice)
    name = [f"p_{row}_{column}" for row in range(1, rows + 1) for column in range(1, columns + 1)]
    tiles = numbered("t_", gap)
    init: list[Fact] = []
    for place, tile in enumerate(board):
        init.append(("empty", name[place]) if tile == gap else ("at", tiles[tile], name[place]))
    for place in range(gap + 1):
        below, right = place + columns, place + 1
        if below <= gap:
            init += [("neighbor", name[place], name[below]), ("neighbor", name[below], name[place])]
        if right % columns:
            init += [("neighbor", name[place], name[right]), ("neighbor", name[right], name[place])]
    goal = [("at", tile, place) for tile, place in zip(tiles, name, strict=False)]
    return Draft([("position", name), ("tile", tiles)], init, goal)


def random_board(rows: int, columns: int, dice: Dice) -> list[int]:
    """What lies at each place, uniform over all boards that can be solved."""
    gap = rows * columns - 1
    board = dice.shuffled(range(gap + 1))
    row, column = divmod(board.index(gap), columns)
    if (_swaps(board) + (rows - 1 - row) + (columns - 1 - column)) % 2:
        first, second = [place for place in range(3) if board[place] != gap][:2]
        board[first], board[second] = board[second], board[first]
    return board


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
