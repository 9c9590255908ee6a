"""`beeline learn --per-task`, and what comes after it, as users and scripts see it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from one_state_space import WALK, walk_text

from beeline.cli.main import main
from beeline.cli.messages import Progress
from beeline.core.errors import install_hint
from beeline.core.limits import termination_like_interruption
from beeline.generators import domain_text

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A domain, a task, two that begin elsewhere, one that is of another state space."""
    folder = tmp_path_factory.mktemp("per-task")
    texts = {
        "domain": WALK,
        "task": walk_text(),
        "later": walk_text(at="c", seen="b"),
        "other": walk_text(goal="bcd"),
        "blocks": domain_text("blocksworld"),
    }
    for name, text in texts.items():
        (folder / f"{name}.pddl").write_text(text)
    return folder


@pytest.fixture(scope="module")
def model(place: Path) -> Path:
    file = place / "model.beeline"
    words = ["learn", place / "domain.pddl", place / "task.pddl", "--per-task", "-o", file]
    assert main([*map(str, words), "--count", "40", "--time-limit", "1", "--quiet"]) == 0
    return file


def called(capsys: pytest.CaptureFixture[str], *words: str | Path, code: int = 0) -> dict[str, Any]:
    """The JSON object that a command prints."""
    assert main([*map(str, words), "--json"]) == code
    fields: dict[str, Any] = json.loads(capsys.readouterr().out)
    return fields


def test_from_a_task_to_plans(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "m.beeline"
    files = (place / "domain.pddl", place / "task.pddl")
    learned = called(
        capsys, "learn", *files, "--per-task", "-o", model, "--count", "30", "--time-limit", "1"
    )
    assert learned["networks"] == ["heuristic", "operators"]
    assert learned["bytes"] == model.stat().st_size
    assert learned["training"]["samples"]["heuristic"]["samples"] <= 30
    for task in ("task", "later"):
        planned = called(capsys, "plan", model, place / "domain.pddl", place / f"{task}.pddl")
        assert planned["status"] == "solved"
        words = ["--heuristic", model, "--preferred", model, "--boost", "1000"]
        solved = called(capsys, "solve", place / "domain.pddl", place / f"{task}.pddl", *words)
        assert solved["status"] == "solved"
        assert solved["config"]["preferred"] == [f"model:{model}"]


def test_the_command_says_how_it_went(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = str(tmp_path / "m.beeline")
    files = [str(place / "domain.pddl"), str(place / "task.pddl")]
    words = ["learn", *files, "--per-task", "-o", model, "--percent", "50", "--time-limit", "0.5"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "heuristic: " in out
    assert "operators: " in out
    assert f"next: beeline plan {model}" in out


def test_models_are_explained(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    info = called(capsys, "models", "info", model)
    assert info["network"]["name"] == "resnet"
    assert info["encoder"]["vocabulary"]["goal"] == [f"(seen {room})" for room in "bcde"]
    assert main(["models", "info", str(model)]) == 0
    assert "heuristic and operators, 250 hidden units" in capsys.readouterr().out


def test_other_tasks_are_refused(
    place: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (["plan", model], ["solve", "--heuristic", model]):
        files = [place / "domain.pddl", place / "other.pddl"]
        assert main([*map(str, [*words, *files])]) == 31
        assert "another state space: the model has a goal (seen e)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--jobs", "2"], "--jobs with --per-task"),
        (["--h-ff"], "--h-ff with --per-task"),
        (["--loss", "rank-gbfs"], "--loss with --per-task"),
        (["--count", "5", "--percent", "1"], "a count and a percentage"),
        (["--count", "1"], "too few"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    words: list[str], message: str, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(place / "domain.pddl"), str(place / "task.pddl")]
    model = str(tmp_path / "m.beeline")
    assert main(["learn", *files, "--per-task", "-o", model, *words]) == 31
    assert message in capsys.readouterr().err


def test_counts_and_several_tasks_are_refused_where_they_make_no_sense(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(place / "domain.pddl"), str(place / "task.pddl")]
    model = str(tmp_path / "m.beeline")
    assert main(["learn", *files, "-o", model, "--count", "5"]) == 31
    assert "belong to --per-task" in capsys.readouterr().err
    assert main(["learn", *files, files[1], "-o", model, "--per-task"]) == 31
    assert "2 tasks with --per-task" in capsys.readouterr().err


def test_planning_needs_no_torch_and_learning_names_the_extra(place: Path, model: Path) -> None:
    script = (
        "import sys; sys.modules['torch'] = None\n"
        "from beeline.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    files = [str(place / "domain.pddl"), str(place / "later.pddl")]
    words = [sys.executable, "-c", script]
    solving = ["solve", *files, "--heuristic", str(model), "--preferred", str(model)]
    for each in (["plan", str(model), *files], solving):
        run = subprocess.run([*words, *each], capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
    learning = ["learn", *files, "--per-task", "-o", str(model.parent / "new.beeline")]
    run = subprocess.run([*words, *learning], capture_output=True, text=True, check=False)
    assert run.returncode == 31
    assert install_hint("neural") in run.stderr


def test_sigterm_gives_the_best_model_so_far(
    place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    glances: list[str] = []

    def say(self: Progress, text: str) -> None:
        glances.append(text)
        if len(glances) == 3:
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(Progress, "say", say)
    model = tmp_path / "m.beeline"
    files = (place / "domain.pddl", place / "task.pddl")
    words = ["--per-task", "--count", "30", "-o", model]
    learned = called(capsys, "learn", *files, *words)
    assert learned["networks"] == ["heuristic"]
    assert learned["warnings"][0].startswith("interrupted: the weights for the heuristic")
    assert called(capsys, "plan", model, *files)["status"] == "solved"


def test_sigterm_is_heard_in_the_background_where_ctrl_c_is_ignored() -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(KeyboardInterrupt), termination_like_interruption() as stop:
            signal.raise_signal(signal.SIGTERM)
        assert (stop.word, stop.exit_code) == ("terminated", 23)
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, handlers[0])
    assert signal.getsignal(signal.SIGTERM) == handlers[1]
