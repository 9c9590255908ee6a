"""`beeline experiment` as users meet it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from processes import any_running, descendants, wait_until

from beeline.cli.main import main
from beeline.experiments.registry import EXPERIMENTS

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

NAME = "minini2023-table4.5"
COMMAND = ["experiment", NAME, "--scale", "tiny"]


def test_without_a_name_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {name} " in out for name in EXPERIMENTS)
    assert "Minini" in out
    assert main(["experiment", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["experiments"]
    assert [each["name"] for each in listed] == list(EXPERIMENTS)


def test_an_experiment_that_was_killed_is_completed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*COMMAND, "-o", str(tmp_path), "--jobs", "2"]
    program = subprocess.Popen([sys.executable, "-m", "beeline", *words], stdout=subprocess.PIPE)
    assert wait_until(lambda: bool(list(tmp_path.glob("training/*.json"))), 60)
    workers = descendants(program.pid)
    program.send_signal(signal.SIGKILL)
    program.communicate()
    assert wait_until(lambda: not any_running(workers), 10)
    assert not (tmp_path / NAME).exists()
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.glob("training/*.json")}

    assert main([*words[:-1], "1", "--json"]) == 0
    fields = json.loads(capsys.readouterr().out)
    assert (fields["experiment"], fields["scale"], fields["failed"]) == (NAME, "tiny", 0)
    assert fields["paper"].startswith("Minini")
    assert fields["tables"][0]["claims"][0]["paper"] == "Table 4.5"
    assert {path: path.stat().st_mtime_ns for path in kept} == kept

    assert main([*words, "--report-only"]) == 0
    out = capsys.readouterr().out
    assert "These are not the paper's tasks" in out
    assert "h_FF, po^FF" in out
    assert f"{NAME}/report/index.html" in out


def test_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    many = ["--set", "network_seeds=300"]  # so that there is much to do after the first one
    words = [*COMMAND, *many, "-o", str(tmp_path), "--jobs", "1"]
    program = subprocess.Popen(
        [sys.executable, "-m", "beeline", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert wait_until(lambda: bool(list(tmp_path.glob("training/*.json"))), 60)
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=60)
    assert (program.returncode, out) == (130, b"")
    last = err.decode().splitlines()[-1]
    assert "interrupted (hint: the same command goes on where this one stopped)" in last
    assert not (tmp_path / NAME).exists()


def test_without_a_paper_the_tables_with_claims_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["experiment", "beyond-ranking", "--scale", "tiny", "-o", str(tmp_path)]
    assert main([*words, "--report-only"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Ranking with bounds, and by orders of plans\n")
    shown = ("Solved tasks in percent\n", "Expanded states in tasks that all solved\n")
    assert all(title in out for title in shown)
    assert "Plan lengths" not in out
    assert "(paper" not in out
    assert main([*words, "--set", "losses=rank-astar+max", "--report-only"]) == 31
    assert "'rank-astar+max' is no training" in capsys.readouterr().err


def test_the_name_that_a_paper_had_before_is_taken_with_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["experiment", "seed002-table4.5", "--scale", "tiny", "-o", str(tmp_path), "--quiet"]
    assert main([*words, "--report-only"]) == 0
    warning = f"deprecated: the experiment 'seed002-table4.5' is called '{NAME}' now"
    assert f"beeline: warning: {warning}\n" in capsys.readouterr().err


def test_words_that_make_no_sense_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, message in (
        (["experiment", "seed009"], "there is no experiment 'seed009'"),
        ([*COMMAND[:2], "--scale", "huge"], "unknown scale 'huge'"),
        ([*COMMAND, "--set", "depth=3"], "'depth=3' is no setting"),
        ([*COMMAND, "--jobs", "many"], "--jobs 'many' is not a whole number"),
    ):
        assert main([*words, "-o", str(tmp_path)]) == 31
        assert message in capsys.readouterr().err
