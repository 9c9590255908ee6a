"""Ends of `beeline solve` that nobody planned: signals and limits, in real processes."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from search_tasks import PUZZLE, puzzle_task, write_task

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PROMPT = 3.0  # seconds; a second is promised, the rest is for a loaded machine


class Run:
    """A search that takes long, with a terminal as its standard error."""

    def __init__(self, folder: Path, *words: str) -> None:
        files = write_task(folder, PUZZLE, puzzle_task(4, 4, 3))
        self.plan = folder / "out" / "plan"
        self.plan.parent.mkdir()
        self._terminal, terminal_end = pty.openpty()
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "beeline", "solve", *files, "--json"),
                *("-o", str(self.plan), *words),
            ],
            stdout=subprocess.PIPE,
            stderr=terminal_end,
            text=True,
        )
        os.close(terminal_end)

    def wait_for_progress(self) -> str:
        """What the terminal shows once the search is running."""
        shown = ""
        while shown.count("evaluated") < 3:
            shown += os.read(self._terminal, 4096).decode()
        return shown

    def send(self, number: int) -> None:
        self._process.send_signal(number)

    def finish(self) -> tuple[int, dict[str, object], float]:
        """Exit code, JSON (empty if there is none), seconds until the end."""
        start = time.perf_counter()
        while True:  # a terminal that nobody reads would block the process
            try:
                if not os.read(self._terminal, 4096):
                    break
            except OSError:  # the other end is closed
                break
        out, _ = self._process.communicate(timeout=60)
        os.close(self._terminal)
        return self._process.returncode, json.loads(out or "{}"), time.perf_counter() - start

    def files(self) -> Sequence[str]:
        return sorted(os.listdir(self.plan.parent))


BLIND = ("--search", "astar", "--heuristic", "blind")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 23)])
@pytest.mark.parametrize("words", [BLIND, ("--search", "astar", "--heuristic", "lmcut")])
def test_a_signal_ends_a_search_in_good_order(
    tmp_path: Path, number: int, code: int, words: tuple[str, ...]
) -> None:
    run = Run(tmp_path, *words)
    shown = run.wait_for_progress()
    run.send(number)
    exit_code, fields, seconds = run.finish()
    assert exit_code == code
    assert (fields["status"], fields["interrupted"]) == ("incomplete", True)
    assert fields["plan"] is None
    assert fields["expanded"] > 0
    assert seconds < PROMPT
    assert run.files() == []
    assert "best h" in shown
    assert "queued" in shown


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_anytime_mode_keeps_the_best_plan(tmp_path: Path, number: int) -> None:
    run = Run(tmp_path, "--anytime", "--heuristic", "goalcount", "--preferred", "ff")
    while not run.files():
        run.wait_for_progress()
    run.send(number)
    exit_code, fields, seconds = run.finish()
    assert exit_code == 0
    assert (fields["status"], fields["interrupted"]) == ("solved", True)
    assert fields["optimal"] is False
    assert seconds < PROMPT
    costs = fields["plan_costs"]
    assert fields["cost"] == costs[-1]
    assert run.files() == [f"plan.{number}" for number in range(1, len(costs) + 1)]
    assert run.plan.with_name(f"plan.{len(costs)}").read_text().count("(slide") == fields["length"]


def test_a_kill_leaves_no_partial_plan(tmp_path: Path) -> None:
    run = Run(tmp_path, *BLIND)
    run.wait_for_progress()
    run.send(signal.SIGKILL)
    exit_code, fields, seconds = run.finish()
    assert (exit_code, fields) == (-signal.SIGKILL, {})
    assert seconds < PROMPT
    assert run.files() == []


def test_the_time_limit_ends_a_search(tmp_path: Path) -> None:
    start = time.perf_counter()
    run = Run(tmp_path, *BLIND, "--time-limit", "1")
    exit_code, fields, _ = run.finish()
    assert (exit_code, fields["status"]) == (23, "time_limit")
    assert fields["interrupted"] is False
    assert time.perf_counter() - start < 1 + PROMPT
    assert run.files() == []


def test_the_memory_limit_ends_a_search(tmp_path: Path) -> None:
    run = Run(tmp_path, *BLIND, "--memory-limit", "200M")
    exit_code, fields, _ = run.finish()
    assert (exit_code, fields["status"]) == (22, "memory_limit")
    assert 180_000 < fields["peak_memory"] < 300_000
    assert run.files() == []


def test_a_failed_allocation_is_a_memory_limit(tmp_path: Path) -> None:
    files = write_task(tmp_path, PUZZLE, puzzle_task(4, 4, 3))
    words = [sys.executable, "-m", "beeline", "solve", *files, "--json", *BLIND]
    run = subprocess.run(
        ["sh", "-c", 'ulimit -v 300000; exec "$@"', "sh", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert run.returncode == 22, run.stderr
    assert json.loads(run.stdout)["status"] == "memory_limit"


def test_a_limit_in_anytime_mode_keeps_the_best_plan(tmp_path: Path) -> None:
    run = Run(tmp_path, "--anytime", "--preferred", "ff", "--time-limit", "4")
    exit_code, fields, seconds = run.finish()
    assert (exit_code, fields["status"], fields["interrupted"]) == (0, "solved", False)
    assert seconds < 4 + PROMPT
    assert len(run.files()) == len(fields["plan_costs"]) > 0


def test_loading_counts_against_the_time_limit(tmp_path: Path) -> None:
    names = " ".join(f"p{number}" for number in range(60))
    variables = "?a ?b ?c ?d ?e ?f ?g ?h"
    domain = (
        f"(define (domain slow) (:predicates (p {variables})) (:action go :parameters"
        f" ({variables}) :precondition () :effect (p {variables})))"
    )
    task = (
        f"(define (problem slow) (:domain slow) (:objects {names}) (:init)"
        " (:goal (p p0 p1 p2 p3 p4 p5 p6 p7)))"
    )
    start = time.perf_counter()
    run = subprocess.run(
        [
            *(sys.executable, "-m", "beeline", "solve", *write_task(tmp_path, domain, task)),
            *("--json", "--time-limit", "1"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 23
    assert json.loads(run.stdout)["status"] == "time_limit"
    assert time.perf_counter() - start < 1 + PROMPT


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 23)])
def test_a_signal_before_the_search_has_the_same_exit_code(
    tmp_path: Path, number: int, code: int
) -> None:
    run = Run(tmp_path, "--heuristic", "perfect")
    time.sleep(2)  # enumerating the states takes far longer
    run.send(number)
    exit_code, fields, seconds = run.finish()
    assert exit_code == fields["exit_code"] == code
    assert fields["status"] == "error"
    assert seconds < PROMPT
