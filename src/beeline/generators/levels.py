"""Levels of grid domains as text, what their generators share, and tasks from files of levels.

A level is rows of numbers; the domain says what they mean. There are two formats. Plain numbers:
one square level a line, its cells row by row, separated by spaces. Characters, as collections of
the game Sokoban use them: one row a line, levels separated by lines that are empty or titles.

    # wall, space or - or _ floor, . goal, @ robot, $ box, * box on a goal, + robot on a goal
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import BeelineError
from beeline.core.files import read_text
from beeline.generators.draft import format_draft
from beeline.generators.parameters import ParameterSet
from beeline.generators.registry import DOMAINS, entry
from beeline.pddl.model import literals

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from beeline.generators.draft import Fact
    from beeline.pddl.model import Problem

Cell = tuple[int, int]  # row, column
Level = list[list[int]]
DIRECTIONS = {"down": (1, 0), "up": (-1, 0), "left": (0, -1), "right": (0, 1)}
_SIGNS = "# .@$*+"  # of the numbers 0 to 6
_NUMBERS = {**{character: number for number, character in enumerate(_SIGNS)}, "-": 1, "_": 1}
_NAME = re.compile(r"cell-([0-9]{1,4})-([0-9]{1,4})")
_ROW = re.compile(r"[#@$.*+ _-]*#[#@$.*+ _-]*")
MOST_CELLS = 1_000_000
NUMBERS, CHARACTERS = "numbers", "characters"
FORMATS = (NUMBERS, CHARACTERS)
DRAWN = "warehouse"  # the domain that the characters are made for


class Reading(NamedTuple):
    """A level of a file, with the line that it begins in."""

    line: int
    level: Level


def read_levels(text: str, file: str) -> list[Reading]:
    """The levels of a text in either format.

    >>> read_levels("0 1 2 3", "puzzles.txt")
    [Reading(line=1, level=[[0, 1], [2, 3]])]
    >>> [reading.level for reading in read_levels("; one\\n#####\\n#@$.#\\n#####\\n", "a.xsb")]
    [[[0, 0, 0, 0, 0], [0, 3, 4, 2, 0], [0, 0, 0, 0, 0]]]
    """
    lines = text.splitlines()
    with_digits = next((line for line in lines if line.strip()), "").strip()[:1].isdigit()
    found = list(_plain(lines, file) if with_digits else _drawn(lines))
    if not found:
        raise BeelineError(
            "there is no level in the file",
            file,
            hint="levels are lines of numbers, or drawn with the characters #@$.*+",
        )
    return found


def _plain(lines: Sequence[str], file: str) -> Iterator[Reading]:
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words:
            continue
        if not all(re.fullmatch("[0-9]{1,6}", word) for word in words):
            raise BeelineError("a cell is no number", file, number, hint="numbers from 0 up")
        side = math.isqrt(len(words))
        if side * side != len(words) or len(words) > MOST_CELLS:
            raise BeelineError(f"{len(words)} cells are no square", file, number)
        cells = [int(word) for word in words]
        yield Reading(number, [cells[first : first + side] for first in range(0, len(cells), side)])


def _drawn(lines: Sequence[str]) -> Iterator[Reading]:
    rows: list[str] = []
    for number, line in enumerate([*lines, ""], 1):
        if _ROW.fullmatch(line.rstrip("\r\n")):
            rows.append(line.rstrip())
        elif rows:
            width = max(map(len, rows))
            level = [[_NUMBERS[each] for each in row.ljust(width)] for row in rows]
            yield Reading(number - len(rows), level)
            rows = []


def format_levels(levels: Iterable[Level], *, drawn: bool) -> str:
    """Levels as text: drawn with characters, or a line of numbers each.

    >>> format_levels([[[0, 1], [2, 3]]], drawn=False)
    '0 1 2 3\\n'
    >>> format_levels([[[0, 0], [2, 0]]], drawn=True)
    '##\\n.#\\n'
    """
    if drawn:
        return "\n".join(
            "".join("".join(_SIGNS[each] for each in row) + "\n" for row in level)
            for level in levels
        )
    return "".join(" ".join(str(each) for row in level for each in row) + "\n" for level in levels)


def cells_of(level: Level) -> dict[int, list[Cell]]:
    """The cells of each number, row by row."""
    found: dict[int, list[Cell]] = {}
    for row, numbers in enumerate(level):
        for column, number in enumerate(numbers):
            found.setdefault(number, []).append((row, column))
    return found


def cell_names(cells: Iterable[Cell]) -> dict[Cell, str]:
    """The names of cells, sorted; they tell rows and columns from 0 on.

    >>> cell_names([(2, 10), (2, 9)])
    {(2, 9): 'cell-2-9', (2, 10): 'cell-2-10'}
    """
    return {cell: f"cell-{cell[0]}-{cell[1]}" for cell in sorted(cells)}


def adjacencies(name: Mapping[Cell, str]) -> list[Fact]:
    """Which of the cells lie beside each other, and in which direction."""
    facts: list[Fact] = []
    for cell in name:
        for direction, (down, right) in DIRECTIONS.items():
            beside = (cell[0] + down, cell[1] + right)
            if beside in name:
                facts.append(("adjacent", name[cell], name[beside], direction))
    return facts


class FactCells(NamedTuple):
    """The cells of a problem by name, its facts with a cell first, and the names of the rest."""

    cells: dict[str, Cell]
    facts: list[tuple[str, Cell, tuple[str, ...]]]
    goal_facts: list[tuple[str, Cell]]
    others: list[str]

    def level(self, floor: int, kinds: Mapping[tuple[str, ...], int]) -> Level:
        """All cells as floor, and those of some predicates as other numbers; walls are 0.

        There is one wall beyond the last row and column, and the level is a square.
        """
        size = 2 + max(max(cell) for cell in self.cells.values())
        level = [[0] * size for _ in range(size)]
        for row, column in self.cells.values():
            level[row][column] = floor
        for predicate, (row, column), rest in self.facts:
            if (predicate, *rest) in kinds:
                level[row][column] = kinds[(predicate, *rest)]
        return level

    def beside(self, predicate: str) -> list[tuple[Cell, tuple[str, ...]]]:
        """The facts of a predicate, as the cell and the other arguments."""
        return [(cell, rest) for name, cell, rest in self.facts if name == predicate]

    def goals(self, predicate: str) -> list[Cell]:
        """The cells of a predicate in the goal."""
        return [cell for name, cell in self.goal_facts if name == predicate]


def fact_cells(problem: Problem) -> FactCells:
    """What a problem says about cells that are named as `cell_names` does."""
    cells: dict[str, Cell] = {}
    for name in problem.objects:
        match = _NAME.fullmatch(name)
        if match is not None:
            cells[name] = (int(match[1]), int(match[2]))
    if not cells:
        raise BeelineError(
            f"the task '{problem.name}' has no cells to draw",
            problem.file,
            hint="its cells are called cell-ROW-COLUMN",
        )
    facts = [
        (fact[0], cells[fact[1]], fact[2:])
        for fact in problem.init
        if len(fact) > 1 and fact[1] in cells and not any(word in cells for word in fact[2:])
    ]
    goals = [
        (literal.predicate, cells[literal.args[0]])
        for literal, _ in literals(problem.goal)
        if literal.args and literal.args[0] in cells
    ]
    constants = problem.domain.constants
    others = [name for name in problem.objects if name not in cells and name not in constants]
    return FactCells(cells, facts, goals, others)


@dataclass(frozen=True)
class LevelTask:
    """A level of a file as a task, in the place of a recipe."""

    domain: str
    file: str
    line: int
    index: int
    level: Level

    @property
    def task_name(self) -> str:
        """The name of the task; file names sort as the levels in their file."""
        stem = re.sub("[^a-z0-9]+", "-", Path(self.file).stem.lower()).strip("-")
        return f"{self.domain}-{stem or 'levels'}-{self.index:04d}"

    @property
    def parameters(self) -> ParameterSet:
        """None at all."""
        return ParameterSet()

    def text(self) -> str:
        """The problem as PDDL text."""
        found = entry(self.domain)
        try:
            draft = _module(self.domain).draft_of(self.level)
        except BeelineError as error:
            raise BeelineError(error.message, self.file, self.line, hint=error.hint) from None
        words = f"{self.domain}: level {self.index} of {Path(self.file).name}"
        return format_draft(draft, self.task_name, found.domain_name, words)


def level_tasks(domain: str, file: str | os.PathLike[str]) -> list[LevelTask]:
    """The levels of a file as tasks of a domain; nonsense is refused with its line."""
    _module(domain)
    path = str(file)
    readings = read_levels(read_text(path, "file of levels"), path)
    tasks = [
        LevelTask(domain, path, reading.line, index, reading.level)
        for index, reading in enumerate(readings)
    ]
    for task in tasks:
        task.text()
    return tasks


def levels_text(domain: str, problems: Iterable[Problem], style: str) -> str:
    """Tasks of a domain as a text of levels.

    >>> from beeline.generators import generate
    >>> board = generate("npuzzle", seed=1, rows=2, columns=2)
    >>> len(levels_text("npuzzle", [board], "numbers").split())
    4
    """
    if style not in FORMATS or (style == CHARACTERS and domain != DRAWN):
        raise BeelineError(
            f"{domain} has no levels in '{style[:40]}'",
            hint=f"{NUMBERS}; {DRAWN} also has {CHARACTERS}",
        )
    levels = [_module(domain).level_of(problem) for problem in problems]
    return format_levels(levels, drawn=style == CHARACTERS)


def _module(domain: str) -> Any:
    module = entry(domain).module
    if not hasattr(module, "draft_of"):
        known = [name for name, each in DOMAINS.items() if hasattr(each.module, "draft_of")]
        raise BeelineError(
            f"{domain} has no levels", hint=f"there are levels of {', '.join(known)}"
        )
    return module
