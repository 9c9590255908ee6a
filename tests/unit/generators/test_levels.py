"""Levels as text become tasks, and tasks become the same levels again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import beeline
from beeline import generators
from beeline.core.errors import BeelineError
from beeline.generators.levels import level_tasks, levels_text, read_levels
from beeline.generators.registry import entry

MICRO = """; A small level
#####
#@$.#
#####

Another one
  #####
###.  #
# *$  #
#  @  #
#######
"""
SAMPLES = Path(__file__).parents[2] / "support" / "levels"
PUBLISHED = Path(os.environ.get("BEELINE_GRIDS", SAMPLES))  # see the README in the folder


def problem_of(domain: str, text: str) -> beeline.Problem:
    return beeline.parse_problem(beeline.parse_domain(generators.domain_text(domain)), text)


def trimmed(level: list[list[int]]) -> list[list[int]]:
    """The level without walls below and to the right of everything else."""
    rows = [row for row, numbers in enumerate(level) if any(numbers)]
    columns = [place for row in level for place, number in enumerate(row) if number]
    return [row[: max(columns) + 1] for row in level[: max(rows) + 1]]


def test_drawn_levels_are_read_with_their_lines_and_solved(tmp_path: Path) -> None:
    (tmp_path / "Micro Levels.xsb").write_text(MICRO)
    tasks = level_tasks("warehouse", tmp_path / "Micro Levels.xsb")
    assert [(each.task_name, each.line) for each in tasks] == [
        ("warehouse-micro-levels-0000", 2),
        ("warehouse-micro-levels-0001", 7),
    ]
    plans = [
        beeline.solve(beeline.ground(problem_of("warehouse", each.text())), "astar")
        for each in tasks
    ]
    assert [plan.length for plan in plans] == [1, 1]


def test_levels_come_back_from_their_tasks_as_they_were_drawn(tmp_path: Path) -> None:
    for domain, style, settings in (
        ("warehouse", "characters", {"boxes": 4}),
        ("warehouse", "numbers", {"boxes": 2}),
        ("maze", "numbers", {"size": 11}),
        ("npuzzle", "numbers", {"rows": 4, "columns": 4, "gap_first": 1}),
        ("npuzzle", "numbers", {"rows": 3, "columns": 3}),
    ):
        problems = [generators.generate(domain, seed=seed, **settings) for seed in range(3)]
        (tmp_path / "levels.txt").write_text(levels_text(domain, problems, style))
        again = [
            problem_of(domain, text)
            for _, text in generators.from_levels(domain, tmp_path / "levels.txt")
        ]
        for before, after in zip(problems, again, strict=True):
            assert sorted(after.init) == sorted(before.init)
            assert after.goal == before.goal
            assert after.objects.keys() == before.objects.keys()


@pytest.mark.parametrize(
    ("domain", "text", "words"),
    [
        ("warehouse", "####\n#@$#\n####\n", "0 goals for 1 boxes"),
        ("warehouse", "#####\n#@$.#\n#@  #\n#####\n", "2 robots"),
        ("warehouse", "0 0 0 0 9 0 0 0 0", "9 is no kind of cell"),
        ("warehouse", "nothing here", "no level in the file"),
        ("maze", "1 1 1 3", "one agent"),
        ("maze", "2 1 4 3", "1 ends"),
        ("maze", "2 x 1 3", "no number"),
        ("npuzzle", "0 1 2 2", "each once"),
        ("npuzzle", "0 1 2", "no square"),
        ("npuzzle", "2 1 3 4 5 6 7 8 0", "cannot be solved"),
        ("ferry", "0 1 2 3", "levels of maze, npuzzle, warehouse"),
    ],
)
def test_nonsense_is_refused_in_one_line(
    domain: str, text: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "levels.txt").write_text(text)
    with pytest.raises(BeelineError, match=words):
        level_tasks(domain, tmp_path / "levels.txt")


def test_boards_with_the_gap_at_either_end_are_solved() -> None:
    for gap_first in (0, 1):
        board = generators.generate("npuzzle", seed=4, rows=2, columns=4, gap_first=gap_first)
        assert beeline.solve(beeline.ground(board), "gbfs", "ff").solved


@pytest.mark.parametrize(
    ("domain", "file"),
    [
        ("warehouse", "sokoban-10x10.txt"),
        ("maze", "maze-15x15.txt"),
        ("maze", "maze-51x51.txt"),
        ("maze", "maze-61x61.txt"),
        ("npuzzle", "tiles-5x5.txt"),
        ("npuzzle", "tiles-6x6.txt"),
        ("npuzzle", "tiles-7x7.txt"),
    ],
)
def test_published_levels_survive_the_way_through_pddl(domain: str, file: str) -> None:
    module = entry(domain).module
    lifted = beeline.parse_domain(generators.domain_text(domain))
    readings = read_levels((PUBLISHED / file).read_text(), file)
    for task, reading in zip(level_tasks(domain, PUBLISHED / file), readings, strict=True):
        again = module.level_of(beeline.parse_problem(lifted, task.text()))
        assert trimmed(again) == trimmed(_reachable(reading.level, again))


def _reachable(level: list[list[int]], again: list[list[int]]) -> list[list[int]]:
    """The level without floor that `warehouse` leaves out, as nobody can get there."""

    def kept(row: int, column: int, number: int) -> int:
        inside = row < len(again) and column < len(again)
        return 0 if number == 1 and inside and again[row][column] == 0 else number

    return [
        [kept(row, column, number) for column, number in enumerate(numbers)]
        for row, numbers in enumerate(level)
    ]
