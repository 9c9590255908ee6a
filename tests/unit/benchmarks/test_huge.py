"""Huge tasks: the generators take their sizes, and small ones leave whole records."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import huge

from beeline import generators
from beeline.generators.registry import Recipe

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_generators_take_all_sizes() -> None:
    cases = [*huge.TRACK.items(), *huge.RULES.items()]
    cases += [(domain, each) for domain, sizes in huge.GROWTH.items() for each in sizes]
    for domain, parameters in cases:
        assert dict(Recipe.make(domain, parameters).parameters.items()).items() >= (
            parameters.items()
        )


def test_a_task_is_drawn_planned_and_checked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "records.jsonl"
    monkeypatch.setattr(huge, "TRACK", {"gripper": {"balls": 3}})
    monkeypatch.setattr(huge, "RULES", {})
    monkeypatch.setattr(sys, "argv", ["huge.py", "-o", str(output), "--time-limit", "30"])
    huge.main()
    [record] = map(json.loads, output.read_text().splitlines())
    assert record["solved"] is True
    assert record["operators"] > 0
    assert record["steps"] > 0
    assert {*huge.PHASES} <= {*record}
    huge.main()  # nothing is left to do
    assert len(output.read_text().splitlines()) == 1
    assert "| gripper 3 |" in capsys.readouterr().out


def test_models_are_fitted_and_what_a_step_costs_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    training = tmp_path / "data" / "gripper" / "training"
    training.mkdir(parents=True)
    (training.parent / "domain.pddl").write_text(generators.domain_text("gripper"))
    for balls in (1, 2, 3):
        _, text = next(generators.instances("gripper", balls=balls))
        (training / f"{balls}.pddl").write_text(text)
    monkeypatch.setattr(huge, "TRACK", {"gripper": {"balls": 5}})
    monkeypatch.setattr(huge, "RULES", {})
    models, output, picture = (tmp_path / name for name in ("models", "records", "growth.png"))
    words = ["-o", output, "--models", models, "--fit", training.parents[1], "--alone"]
    monkeypatch.setattr(sys, "argv", ["huge.py", *map(str, words), "--plot", str(picture)])
    huge.main()
    assert (models / "gripper.beeline").exists()
    assert json.loads(output.read_text())["solved"] is True
    assert picture.read_bytes().startswith(b"\x89PNG")
