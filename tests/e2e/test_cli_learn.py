"""`beeline learn` as a user meets it: results, refusals, and runs that are stopped."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from few_made_tasks import FEW_MADE_TASKS
from learning_sets import blocks, ferry
from processes import any_running, descendants, wait_until

from beeline.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

QUICK = ["--rounds", "2", "--neighbours", "set", "--no-h-ff", "--jobs", "1"]


@pytest.mark.usefixtures("few_made_tasks")
def test_a_model_is_learned_and_plans(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    domain, _ = ferry(tmp_path / "set", range(2, 5), each=3)
    model = str(tmp_path / "model.beeline")
    assert main(["learn", domain, str(tmp_path / "set"), "-o", model, *QUICK]) == 0
    captured = capsys.readouterr()
    first, _, exam, *_ = captured.out.splitlines()
    assert first.startswith("learned from 9 tasks (all with ")
    assert exam.startswith(("examined in ", "not examined: "))
    assert f"next: beeline plan {model} {domain} TASK" in captured.out
    _, (task,) = ferry(tmp_path / "large", range(12, 13), seed=5)
    assert main(["plan", model, domain, task, "--json"]) == 0
    fields: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert fields["status"] == "solved"


@pytest.mark.usefixtures("few_made_tasks")
def test_json_has_what_was_learned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    domain, files = blocks(tmp_path / "set", range(3, 5))
    model = str(tmp_path / "model.beeline")
    assert main(["learn", domain, *files, "-o", model, *QUICK, "--json", "--quiet"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    fields: dict[str, Any] = json.loads(captured.out)
    assert fields["model"] == model
    assert fields["bytes"] > 0
    assert fields["candidate"]["rounds"] == 2
    assert fields["tasks"]["with_plans"] == 2
    assert any("2 tasks to learn from" in warning for warning in fields["warnings"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "MODEL", "--loss", "best"], "unknown loss 'best'"),
        (["-o", "MODEL", "--rounds", "9"], "9 rounds"),
        (["-o", "MODEL", "--neighbours", "bag"], "neighbours 'bag'"),
        (["-o", "MODEL", "--h-ff", "--no-h-ff"], "leave one of them out"),
        (["-o", "MODEL", "--time-limit", "0"], "time limit"),
        (["-o", "MODEL", "--seed", "x"], "not a whole number"),
        (["-o", "MODEL", "--jobs", "0"], "number of workers"),
        ([], "no file to write to"),
    ],
)
def test_nonsense_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    domain, files = blocks(tmp_path, range(3, 4))
    model = tmp_path / "model.beeline"
    call = [str(model) if word == "MODEL" else word for word in words]
    assert main(["learn", domain, *files, *call]) == 31
    assert message in capsys.readouterr().err
    assert not model.exists()


def test_a_folder_that_does_not_exist_is_noticed_before_work_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    domain, files = blocks(tmp_path, range(3, 4))
    assert main(["learn", domain, *files, "-o", str(tmp_path / "no" / "model")]) == 31
    assert "there is no such folder" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stopped_by_a_signal_it_writes_the_best_model_so_far(
    tmp_path: Path, number: signal.Signals
) -> None:
    domain, _ = blocks(tmp_path / "set", range(3, 5), each=2)
    model = tmp_path / "model.beeline"
    script = (  # the choice among the first models takes for ever
        "import sys, time, beeline.learning.learn as learning\n"
        "from beeline.cli.main import main\n"
        "def climb(*_, **__):\n"
        "    print('choosing', flush=True)\n"
        "    time.sleep(600)\n"
        "learning.climb = climb\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    call = ["learn", domain, str(tmp_path / "set"), "-o", str(model), *QUICK]
    process = subprocess.Popen(
        [sys.executable, "-c", FEW_MADE_TASKS + script, *call],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "choosing\n"
    workers = descendants(process.pid)
    process.send_signal(number)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "the best one so far" in errors
    assert "next: beeline plan" in output
    assert model.exists()
    assert wait_until(lambda: not any_running(workers))
