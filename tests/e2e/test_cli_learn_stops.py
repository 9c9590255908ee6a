"""Ends of `beeline learn` before its time, in real processes: a whole model or none."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from few_made_tasks import BEELINE, FEW_MADE_TASKS
from learning_sets import blocks
from processes import any_running, descendants, wait_until

from beeline.cli.main import main
from beeline.models.model_file import load

if TYPE_CHECKING:
    from pathlib import Path

QUICK = ["--rounds", "1", "--neighbours", "set", "--no-h-ff", "--jobs", "1"]

# One step of learning says that it begins, and then takes for ever.
ENDLESS = """
import sys, time, beeline.learning.learn as learning
from beeline.cli.main import main
def endless(*_, **__):
    print("begins", flush=True)
    time.sleep(600)
setattr(learning, sys.argv[1], endless)
sys.exit(main(sys.argv[2:]))
"""


class Run:
    """Learning that stays in one of its steps."""

    def __init__(self, folder: Path, step: str, *words: str) -> None:
        domain, files = blocks(folder / "set", range(3, 5))
        (folder / "out").mkdir()
        self.model = folder / "out" / "m.beeline"
        call = ["learn", domain, *files, "-o", str(self.model), "--json", *QUICK, *words]
        self._process = subprocess.Popen(
            [sys.executable, "-c", FEW_MADE_TASKS + ENDLESS, step, *call],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "begins\n"
        self.workers = descendants(self._process.pid)

    def stop(self, number: int) -> tuple[int, dict[str, object], str]:
        """Exit code, JSON and standard error after a signal."""
        self._process.send_signal(number)
        out, err = self._process.communicate(timeout=60)
        assert wait_until(lambda: not any_running(self.workers))
        return self._process.returncode, json.loads(out), err


@pytest.mark.parametrize(
    ("number", "step", "code"),
    [(signal.SIGINT, "find_plans", 130), (signal.SIGTERM, "fit_models", 23)],
)
def test_a_signal_before_the_first_model_leaves_no_file(
    tmp_path: Path, number: signal.Signals, step: str, code: int
) -> None:
    run = Run(tmp_path, step)
    exit_code, fields, err = run.stop(number)
    assert exit_code == code
    assert (fields["status"], fields["exit_code"]) == ("error", code)
    assert f"{number.name} was received before there was a model" in err
    assert os.listdir(run.model.parent) == []


@pytest.mark.parametrize(("number", "step"), [(signal.SIGINT, "slim"), (signal.SIGTERM, "improve")])
def test_a_signal_after_it_leaves_a_whole_model(
    tmp_path: Path, number: signal.Signals, step: str
) -> None:
    run = Run(tmp_path, step)
    exit_code, fields, err = run.stop(number)
    assert exit_code == 0
    assert f"{number.name} was received: the model is the best one so far" in err
    assert os.listdir(run.model.parent) == [run.model.name]
    assert load(run.model).scorer.num_features == fields["features"]


@pytest.mark.parametrize(("seconds", "size"), [("0.000001", 3), ("0.5", 60)])
def test_hardly_any_time_leaves_no_file(
    seconds: str, size: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    domain, files = blocks(tmp_path / "set", range(size, size + 2))
    (tmp_path / "out").mkdir()
    model = str(tmp_path / "out" / "m.beeline")
    exit_code = main(["learn", domain, *files, "-o", model, *QUICK, "--time-limit", seconds])
    captured = capsys.readouterr()
    assert exit_code == 23
    assert captured.out == ""
    assert "the time limit was reached before there was a model" in captured.err
    assert os.listdir(tmp_path / "out") == []


def test_at_the_time_limit_the_best_model_so_far_is_written(tmp_path: Path) -> None:
    domain, files = blocks(tmp_path / "set", range(3, 5))
    model = tmp_path / "m.beeline"
    script = (  # trials last longer than the time limit, which is long enough for a first model
        "import sys, time, beeline.learning.selection as selection\n"
        "from beeline.cli.main import main\n"
        "selection.try_out = time.sleep\n"
        "selection.TrialJob = lambda *_: 600\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    call = ["learn", domain, *files, "-o", str(model), *QUICK, "--time-limit", "10"]
    run = subprocess.run(
        [sys.executable, "-c", FEW_MADE_TASKS + script, *call],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "the time limit was reached: the model is the best one so far" in run.stderr
    assert load(model).scorer.num_features > 0


def test_progress_is_for_terminals(tmp_path: Path) -> None:
    domain, files = blocks(tmp_path / "set", range(3, 5))
    call = [sys.executable, "-c", BEELINE, "learn", domain, *files, *QUICK]
    shown = {}
    for kind, words in (("loud", []), ("quiet", ["--quiet"])):
        terminal, terminal_end = pty.openpty()
        process = subprocess.Popen(
            [*call, "-o", str(tmp_path / kind), *words],
            stdout=subprocess.DEVNULL,
            stderr=terminal_end,
        )
        os.close(terminal_end)
        text = b""
        try:
            while part := os.read(terminal, 4096):
                text += part
        except OSError:  # the other end is closed
            pass
        assert process.wait(timeout=60) == 0
        os.close(terminal)
        shown[kind] = text.decode()
    for phase in ("planning, 0 of 2", "fitting, 0 of 1", "choosing", "last fit"):
        assert re.search(f"[━╌#-] {phase}", shown["loud"])
    assert shown["quiet"] == ""


@pytest.mark.usefixtures("few_made_tasks")
def test_without_a_terminal_there_are_warnings_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    domain, files = blocks(tmp_path / "set", range(3, 5))
    assert main(["learn", domain, *files, "-o", str(tmp_path / "m"), *QUICK]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines
    assert all(line.startswith("beeline: warning: ") for line in lines)
