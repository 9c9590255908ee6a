"""Several orders of each plan, from tasks to a model, as users see it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from beeline.cli.main import main
from beeline.fitting.losses import ORDERS

if TYPE_CHECKING:
    from pathlib import Path

TASKS = ["--generator", "gripper", "-p", "balls=5", "--count", "3", "--jobs", "1"]


def test_from_tasks_to_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, model = str(tmp_path / "set"), str(tmp_path / "m.beeline")
    words = [*TASKS, "--split", "train=0.7,val=0.3", "--siblings", "--orders", "3", "-o", folder]
    assert main(["data", "plans", *words, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert 3 < made["orders"] <= 9
    assert made["config"]["orders"] == 3
    assert main(["data", "summary", folder]) == 0
    rows = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines() if line)
    assert rows["orders"].startswith(f"{made['orders']} of all plans, ")
    usual = ["--model", "linear", "--steps", "4", "--loss", "rank-gbfs"]
    assert main(["train", folder, "-o", model, *usual, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["loss"]["orders"] == "merged"
    assert main(["models", "info", model]) == 0
    rows = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines() if line)
    assert "orders merged" in rows["loss"].split(", ")
    other = str(tmp_path / "other.beeline")
    assert main(["train", folder, "-o", other, *usual, "--orders", "separate", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["loss"]["orders"] == "separate"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--orders", "3"], "3 orders of plans without siblings (hint: add --siblings"),
        (["--siblings", "--orders", "0"], "orders 0"),
        (["--siblings", "--orders", "many"], "--orders 'many'"),
    ],
)
def test_bad_calls(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "plans", *TASKS, *words, "-o", str(tmp_path / "set")]) == 31
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1
    assert not (tmp_path / "set").exists()


def test_help_names_every_choice(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for name in ORDERS:
        assert name in text
