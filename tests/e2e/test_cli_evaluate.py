"""`beeline evaluate` as users meet it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from processes import any_running, descendants, wait_until
from suites import FF, records, run_in_place, stable_texts, write_suite

from beeline.cli.main import main
from beeline.evaluate.evaluation import evaluate_suite

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = [sys.executable, "-m", "beeline", "evaluate"]
RANDOM = '[[configurations]]\nname = "random"\nheuristic = "blind"\ntie_breaking = "h,random"\n'


def two_hundred(folder: Path) -> Path:
    path = write_suite(folder, FF + RANDOM, sizes=(2, 3, 4, 5) * 5)
    path.write_text(f"seeds = [0, 1, 2, 3, 4]\n{path.read_text()}")
    return path


def finished(folder: Path) -> int:
    return len(list(folder.glob("runs/*/*.json")))


def test_a_suite_that_was_killed_ends_with_the_same_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite, folder = two_hundred(tmp_path), tmp_path / "records"
    words = [*COMMAND, str(suite), "-o", str(folder), "--jobs", "2", "--json"]
    program = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    assert wait_until(lambda: finished(folder) > 80)
    workers = descendants(program.pid)
    program.send_signal(signal.SIGKILL)
    program.wait()
    assert wait_until(lambda: not any_running(workers), 10)
    there = finished(folder)
    assert 80 < there < 200
    again = subprocess.run(words, check=True, capture_output=True, text=True)
    fields = json.loads(again.stdout)
    assert (fields["runs"], fields["made"], fields["failed"]) == (200, 200 - there, 0)
    run_in_place(monkeypatch)
    evaluate_suite(suite, tmp_path / "uninterrupted")
    texts = stable_texts(folder)
    assert len(texts) == 201
    assert texts == stable_texts(tmp_path / "uninterrupted")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 23), (signal.SIGINT, 130)])
def test_a_signal_leaves_whole_records_and_no_orphans(
    number: int, code: int, tmp_path: Path
) -> None:
    suite, folder = two_hundred(tmp_path), tmp_path / "records"
    program = subprocess.Popen(
        [*COMMAND, str(suite), "-o", str(folder), "--jobs", "1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert wait_until(lambda: finished(folder) > 2)
    workers = descendants(program.pid)
    if number == signal.SIGINT:
        os.killpg(program.pid, number)  # Ctrl-C reaches the runs, too
    else:
        program.send_signal(number)
    _, errors = program.communicate(timeout=20)
    assert program.returncode == code
    assert "Traceback" not in errors
    assert wait_until(lambda: not any_running(workers), 10)
    assert all(record["status"] == "solved" for record in records(folder).values())
    assert not list(folder.rglob("*.tmp"))


@pytest.mark.slow
def test_runs_on_ray_make_the_same_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = write_suite(tmp_path, FF + '[limits]\nmemory = "1G"\ntime = 60\n')
    words = [
        *COMMAND,
        str(suite),
        "-o",
        str(tmp_path / "ray"),
        "--backend",
        "ray",
        "--workers",
        "1",
    ]
    subprocess.run(words, check=True, capture_output=True)
    run_in_place(monkeypatch)
    evaluate_suite(suite, tmp_path / "here")
    assert stable_texts(tmp_path / "ray") == stable_texts(tmp_path / "here")


def test_the_summary_and_the_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in_place(monkeypatch)
    words = ["evaluate", str(write_suite(tmp_path)), "-o", str(tmp_path / "records")]
    assert main([*words, "--list"]) == 0
    assert capsys.readouterr().out.split() == [
        *("missing", "lamps/p01--ff--seed0", "missing", "lamps/p02--ff--seed0")
    ]
    assert not (tmp_path / "records").exists()
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "ff  2 of 2 solved" in out
    assert "2 of 2 runs made now" in out
    assert main([*words, "--list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["runs"]
    assert listed[0] == {"run": "lamps/p01--ff--seed0", "record": "done"}
    assert main([*words, "--json"]) == 0
    fields = json.loads(capsys.readouterr().out)
    assert (fields["made"], fields["configurations"]) == (0, {"ff": {"solved": 2}})


def test_runs_that_failed_show_in_the_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in_place(monkeypatch)
    suite = write_suite(tmp_path)
    (tmp_path / "tasks" / "p02.pddl").write_text("(define (problem")
    words = ["evaluate", str(suite), "-o", str(tmp_path / "records")]
    assert main(words) == 1
    assert "1 of 2 solved, 1 failed" in capsys.readouterr().out


def test_a_wrong_word_is_one_line_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = write_suite(tmp_path, FF.replace("heuristic", "heuristik"))
    assert main(["evaluate", str(suite), "-o", str(tmp_path / "records")]) == 31
    errors = capsys.readouterr().err
    assert len(errors.splitlines()) == 1
    assert "suite.toml:7: configurations 'ff': unknown word 'heuristik'" in errors
    assert "did you mean 'heuristic'?" in errors
    assert not (tmp_path / "records").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "-o RECORDS"),
        (["-o", "suite.toml"], "is not a folder"),
        (["-o", "new", "--jobs", "0"], "number of workers is 0"),
        (["-o", "new", "--backend", "rya"], "unknown backend 'rya'"),
    ],
)
def test_options_that_make_no_sense(
    words: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_suite(tmp_path)
    assert main(["evaluate", "suite.toml", *words]) == 31
    assert message in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
