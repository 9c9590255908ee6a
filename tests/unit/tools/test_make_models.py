"""The packaged models: which tasks they get, what is done again, and the page of results."""

from __future__ import annotations

import doctest
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import make_models
import model_results
import model_tasks
import model_trials
import pytest
from hand_tables import HandTable, built_in

from beeline.generators import names
from beeline.models.model_file import load_model

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

SOLVED = {"status": "solved", "seconds": 0.5, "expanded": 30, "steps": 20, "search": "learned"}
UNSOLVED = {"status": "time_limit", "seconds": 10.0, "expanded": 900, "steps": None}
SUMMARY = {
    "candidate": {"rounds": 2, "neighbours": "set", "h_ff": False, "l2": 0.001, "data": "all"},
    "features": 1234,
    "tasks": {"given": 90, "with_plans": 89, "optimal": 60, "longest_plan": 44},
}


@pytest.mark.parametrize("module", [model_results, model_tasks, model_trials])
def test_the_examples_in_docstrings_run(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


def test_every_built_in_domain_has_training_tasks() -> None:
    assert sorted(model_tasks.SMALL) == names()


@pytest.mark.parametrize("domain", names())
def test_tasks_have_names_of_their_own(domain: str) -> None:
    training, trials = model_tasks.training_recipes(domain), model_tasks.trial_recipes(domain)
    assert (len(training), len(trials)) == (90, 12)
    assert len({recipe.task_name for recipe in training + trials}) == 102


def test_tasks_are_written_beside_their_domain(tmp_path: Path) -> None:
    wanted = model_tasks.training_recipes("gripper")[:2]
    files = model_tasks.write_tasks("gripper", wanted, tmp_path / "training")
    assert [file.name for file in files] == ["gripper-1-0000.pddl", "gripper-1-0001.pddl"]
    assert (tmp_path / "training" / "domain.pddl").exists()


class Desk:
    """`make_models` with a learner and planners that only count how often they are called."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.learned = self.tried = 0
        self._monkeypatch = monkeypatch
        monkeypatch.setattr(make_models, "learn", self._learn)
        monkeypatch.setattr(make_models, "try_out", self._try_out)

    def run(self, *words: str) -> None:
        folders = ["-o", str(self.folder / "models"), "--work", str(self.folder / "work")]
        self._monkeypatch.setattr("sys.argv", ["make_models.py", *folders, *words])
        make_models.main()

    @property
    def results(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "models" / "results.json").read_text())
        return found

    def _learn(self, *_: object, **__: object) -> object:
        self.learned += 1
        return replace(HandTable(built_in("ferry")).model(), summary=SUMMARY)

    def _try_out(self, _: object, files: list[Path], *__: object) -> list[dict[str, Any]]:
        self.tried += 1
        runs = {"learned": SOLVED, "classical": UNSOLVED}
        return [{"task": file.stem, **runs} for file in files]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path, monkeypatch)


def test_a_model_with_results_is_left_alone(desk: Desk) -> None:
    desk.run("--domain", "ferry")
    assert (desk.learned, desk.tried) == (1, 1)
    assert load_model(desk.folder / "models" / "ferry.beeline").domain_name == "ferry"
    desk.run("--domain", "ferry")
    assert (desk.learned, desk.tried) == (1, 1)
    desk.run("--domain", "ferry", "--force")
    assert (desk.learned, desk.tried) == (2, 2)


def test_a_model_without_results_is_tried_out(desk: Desk) -> None:
    desk.run("--domain", "ferry")
    (desk.folder / "models" / "results.json").unlink()
    desk.run("--domain", "ferry")
    assert (desk.learned, desk.tried) == (1, 2)


def test_results_under_other_limits_do_not_count(desk: Desk) -> None:
    desk.run("--domain", "ferry")
    desk.run("--domain", "ferry", "--time-limit", "5")
    assert (desk.learned, desk.tried) == (1, 2)
    assert desk.results["seconds"] == 5


def test_the_page_shows_what_was_solved(desk: Desk) -> None:
    desk.run("--domain", "ferry")
    page = (desk.folder / "models" / "RESULTS.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith("| ferry |"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:6] == ["ferry", "12 of 12", "0 of 12", "1.50", "–", "–"]
    assert cells[6:10] == ["1,234", "2", "set", "no"]
    task = "| ferry-medium-3-0000 | cars 10, locations 20 |"
    assert f"{task} 20 | 30 | 0.5 | time limit | – | – |" in page


def test_plans_of_the_classical_search_are_marked() -> None:
    by_classical = {**SOLVED, "search": "classical"}
    test = {"task": "t", "size": "s", "learned": by_classical, "classical": SOLVED}
    record = {"training": SUMMARY, "bytes": 9, "learning_seconds": 1.0, "tests": [test]}
    page = model_results.page({"seconds": 10, "memory": "4G", "domains": {"ferry": record}})
    assert "| t | s | 20* | 30 | 0.5 | 20 | 30 | 0.5 |" in page


def test_a_planner_that_refuses_its_input_has_failed(tmp_path: Path) -> None:
    recipes = model_tasks.training_recipes("gripper")[:1]
    files = model_tasks.write_tasks("gripper", recipes, tmp_path)
    limits = model_trials.Limits(10, "1G")
    told: list[str] = []
    records = model_trials.try_out(tmp_path / "none.beeline", files, limits, 1, told.append)
    assert records[0]["learned"]["status"] == "error: no such file"
    assert records[0]["classical"]["status"] == "solved"
    assert len(told) == 1
