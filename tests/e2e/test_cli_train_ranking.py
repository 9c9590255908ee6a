"""`beeline train` with losses of whole plans, as users and scripts see it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from neural_models import small_dataset
from small_sets import make_set, write_tasks

from beeline.cli.main import main
from beeline.fitting.losses import PLAN_LOSSES, SURROGATES
from beeline.fitting.neural_settings import OPTIMISERS
from beeline.fitting.plan_objectives import METRICS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset with siblings, one without, and the tasks of both."""
    folder = tmp_path_factory.mktemp("ranking")
    files = write_tasks(folder / "tasks", count=4, blocks=4)
    make_set(files, folder / "set", splits=(("train", 0.5), ("val", 0.5)), siblings=True)
    small_dataset(folder).rename(folder / "plain")
    return folder


def called(capsys: pytest.CaptureFixture[str], *words: str | Path, code: int = 0) -> dict[str, Any]:
    """The JSON object that a command prints."""
    assert main([*map(str, words), "--json"]) == code
    fields: dict[str, Any] = json.loads(capsys.readouterr().out)
    return fields


@pytest.mark.parametrize(
    ("loss", "words", "shown"),
    [
        ("rank-astar", [], "rank-astar, alpha 1.0, beta 1.0, surrogate logistic"),
        (
            "rank-gbfs",
            ["--alpha", "0.5", "--beta", "2", "--surrogate", "hinge", "--optimiser", "adam"],
            "rank-gbfs, alpha 0.5, beta 2.0, surrogate hinge",
        ),
        ("policy", ["--residual", "ff", "--select", "violations"], "policy"),
        (
            "rank-truncated",
            ["--lower", "max", "--weight", "0.5", "--batch", "2"],
            "rank-truncated, alpha 1.0, beta 1.0, surrogate logistic, weight 0.5",
        ),
    ],
)
def test_from_plans_to_plans(
    loss: str,
    words: list[str],
    shown: str,
    place: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = tmp_path / "m.beeline"
    usual = ["--model", "linear", "--steps", "20", "--loss", loss]
    trained = called(capsys, "train", place / "set", "-o", model, *usual, *words)
    assert trained["loss"]["name"] == loss
    assert set(trained["validation"]) == set(METRICS)
    info = called(capsys, "models", "info", model)
    assert info["loss"] == trained["loss"]
    assert info["distribution"] == trained["distribution"]
    assert main(["models", "info", str(model)]) == 0
    rows = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert rows["loss"] == shown
    task = [place / "tasks" / "domain.pddl", place / "tasks" / "p1.pddl"]
    assert called(capsys, "plan", model, *task)["status"] == "solved"
    words = ["--search", "astar", "--heuristic", str(model)]
    assert called(capsys, "solve", *task, *words)["status"] == "solved"
    if loss != "rank-truncated":
        refused = called(capsys, "solve", *task, *words, "--quantile", "0.1", code=31)
        assert "gives a score, and no distribution" in refused["error"]["message"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["PLAIN", "--loss", "rank-gbfs"], "beeline data plans --siblings"),
        (["SET", "--loss", "rank"], "unknown loss 'rank'"),
        (["SET", "--loss", "rank-gbfs", "--surrogate", "step"], "unknown surrogate 'step'"),
        (["SET", "--loss", "rank-gbfs", "--alpha", "much"], "--alpha 'much'"),
        (["SET", "--loss", "l2", "--alpha", "1"], "the loss 'l2' has no alpha"),
        (["SET", "--loss", "l2", "--lower", "lmcut"], "the loss 'l2' has no lower bound"),
        (["SET", "--loss", "l2", "--optimiser", "sgd"], "unknown optimiser 'sgd'"),
        (["SET", "--weight", "1"], "the loss 'truncated-gaussian' has no weight"),
    ],
)
def test_bad_calls(
    words: list[str],
    message: str,
    place: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    places = {"SET": str(place / "set"), "PLAIN": str(place / "plain")}
    filled = [places.get(word, word) for word in words]
    assert main(["train", *filled, "-o", str(tmp_path / "m")]) == 31
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1
    assert not (tmp_path / "m").exists()


def test_help_names_every_choice(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for name in (*PLAN_LOSSES, *SURROGATES, *OPTIMISERS, *METRICS):
        assert name in text
