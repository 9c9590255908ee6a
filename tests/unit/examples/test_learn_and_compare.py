"""The demo: its table, its plot, and a short run of the whole."""

from __future__ import annotations

import doctest
import subprocess
import sys
from typing import TYPE_CHECKING

import learn_and_compare
import pytest
from comparison_plot import draw
from learn_and_compare import TEST_BLOCKS, TRAINING_BLOCKS, TRAINING_TASKS, Row, Run, conclusion

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    Row(20, Run(0.2, 60, 60), Run(3.5, 43156, 168)),
    Row(150, Run(1.5, 540, 500), Run(10.2, 257, None)),
]


def test_the_examples_in_its_docstrings_run() -> None:
    assert doctest.testmod(learn_and_compare).failed == 0


def test_it_learns_from_thirty_small_tasks_and_plans_in_large_ones() -> None:
    assert len(TRAINING_BLOCKS) * TRAINING_TASKS == 30
    assert max(TRAINING_BLOCKS) == 10
    assert (min(TEST_BLOCKS), max(TEST_BLOCKS)) == (20, 150)


def test_the_conclusion_counts_solved_tasks() -> None:
    words = conclusion(ROWS)
    assert "The model solved 2 of 2 tasks, greedy search with h_FF 1." in words
    assert "1.07 states for each step" in words


def test_the_conclusion_when_nothing_was_solved() -> None:
    unsolved = Run(10.0, 5, None)
    assert conclusion([Row(20, unsolved, unsolved)]).startswith("The model solved 0 of 1 tasks")


def test_the_plot_is_written_twice(tmp_path: Path) -> None:
    image, drawing = draw(ROWS, 10.0, tmp_path / "plot")
    assert image.read_bytes().startswith(b"\x89PNG")
    assert "</svg>" in drawing.read_text()


@pytest.mark.slow
def test_a_short_demo(tmp_path: Path) -> None:
    words = ["-o", str(tmp_path), "--max-blocks", "20", "--time-limit", "2"]
    run = subprocess.run(
        [sys.executable, learn_and_compare.__file__, *words], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert "The model solved 1 of 1 tasks" in run.stdout
    assert (tmp_path / "blocksworld.png").exists()
