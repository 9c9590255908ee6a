"""The grid rows of the paper on ranking: its figures, its tasks, and its claims on itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from beeline.backends import Workers
from beeline.experiments.chrestien2023.experiment import column_title, column_titles
from beeline.experiments.chrestien2023.grids import (
    FOLDER,
    PAPER_SIZES,
    ROWS,
    TEST_SEED,
    TRAINING_SEED,
    VALIDATION_SEED,
    Choice,
    generator_of,
    task_texts,
    training_set,
    write_tests,
)
from beeline.experiments.chrestien2023.trainings import LOSSES
from beeline.experiments.claims import check
from beeline.experiments.figures import paper_figures
from beeline.experiments.records import Place
from beeline.experiments.registry import find_experiment, grid, read_paper

if TYPE_CHECKING:
    from beeline.experiments.figures import Figures

LEVELS = Path(__file__).parents[2] / "support" / "levels"
PAPER = paper_figures(read_paper(FOLDER)["figures"])


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, LEVELS, Workers("local", 1), lambda _: None)


def test_the_paper_has_a_figure_in_each_cell() -> None:
    for measure in ("coverage", "expansions", "lengths"):
        assert PAPER[measure].keys() == column_titles(LOSSES).keys()
        for row in PAPER[measure].values():
            assert row.keys() == ROWS.keys()
    assert PAPER["coverage"]["astar rank-astar"]["maze-61"] == (49, 1, (), None)
    assert PAPER["expansions"]["gbfs policy"]["tiles-7"].mean == 3379
    assert PAPER["lengths"]["astar l2"]["sokoban-7"].mean == 33.1


def test_the_claims_hold_in_the_papers_own_tables() -> None:
    def figures(name: str, _: object) -> Figures:
        return PAPER[name]

    for measure in ("coverage", "expansions"):
        for verdict in check(
            grid(FOLDER)["claims"], measure, list(ROWS), figures, title=column_title
        ):
            share = sum(each.holds for each in verdict.here) / len(verdict.here)
            assert share > 0.8, verdict.sentence


def test_tests_are_the_published_levels_where_there_are_any(place: Place) -> None:
    choice = Choice(test_tasks=(3, 1, 2))
    domain, *files = write_tests("sokoban-3", choice, place)
    assert [Path(file).stem for file in files] == [f"sokoban-3-{n:03d}" for n in range(3)]
    assert "level 0 of sokoban-10x10.txt" in Path(files[0]).read_text()
    assert "(domain warehouse)" in Path(domain).read_text()
    made = dict(task_texts("sokoban-4", 1, TEST_SEED, PAPER_SIZES, LEVELS))
    assert "boxes=4" in next(iter(made.values()))
    assert generator_of("maze-55") == "maze"


def test_training_and_validation_share_no_task(tmp_path: Path) -> None:
    lines = (LEVELS / "tiles-5x5.txt").read_text()
    (tmp_path / "tiles-5x5-training.txt").write_text(lines)
    parts = [
        {text for _, text in task_texts("tiles", 2, seed, PAPER_SIZES, tmp_path)}
        for seed in (TRAINING_SEED, VALIDATION_SEED)
    ]
    assert len(parts[0] | parts[1]) == 4


def test_tiles_come_with_plans(place: Place) -> None:
    tasks = training_set("tiles", 2, TRAINING_SEED, "tiny", place)
    assert all(source.plan for source in tasks.sources)
    assert tasks.description["plans"]


def test_limits_are_those_of_the_kind_of_grid() -> None:
    choice = find_experiment("chrestien2023-table6-grids").choice("small")
    assert [choice.of(row)[1] for row in ("sokoban-5", "maze-51", "tiles-7")] == [
        *choice.evaluations
    ]
    assert choice.kinds == ["sokoban", "maze", "tiles"]
    assert len(choice.runs()) == 3 * len(LOSSES) * choice.seeds
