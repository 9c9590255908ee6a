"""Limits of time and memory hold while files are read and tasks are grounded."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from beeline.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 120  # MB; a run without work takes about 50
DOMAIN = """(define (domain d) (:predicates (at ?x) (r ?x ?y ?z))
 (:action go :parameters (?x ?y ?z) :precondition (at ?x)
  :effect (and (not (at ?x)) (at ?y) (r ?x ?y ?z))))"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A task with a million operators, and one with so many facts that reading takes long."""
    folder: Path = tmp_path_factory.mktemp("limits")
    names = [f"o{number}" for number in range(600)]
    few = " ".join(names[:100])
    facts = "\n".join(f"(r {first} {second} o0)" for first in names for second in names)
    texts = {
        "domain": DOMAIN,
        "operators": f"""(define (problem t) (:domain d) (:objects {few}) (:init (at o0))
         (:goal (and (at o1) (r o0 o1 o2))))""",
        "facts": f"""(define (problem t) (:domain d) (:objects {" ".join(names)})
         (:init (at o0) {facts}) (:goal (at o1)))""",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return {name: str(folder / name) for name in texts}


def outcome(*words: str) -> tuple[int, dict[str, Any]]:
    command = [sys.executable, "-m", "beeline", *words, "--json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert result.stderr == ""
    fields: dict[str, Any] = json.loads(result.stdout)
    return result.returncode, fields


@pytest.mark.parametrize("command", ["inspect", "solve"])
@pytest.mark.parametrize("task", ["operators", "facts"])
def test_the_memory_limit_holds_before_a_search_begins(
    files: dict[str, str], command: str, task: str
) -> None:
    code, fields = outcome(command, files["domain"], files[task], "--memory-limit", f"{LIMIT}M")
    assert (code, fields["status"]) == (22, "memory_limit")
    assert fields["peak_memory"] < LIMIT * 1024


def test_the_time_limit_of_inspect_holds(files: dict[str, str]) -> None:
    code, fields = outcome("inspect", files["domain"], files["operators"], "--time-limit", "0.2")
    assert (code, fields["status"]) == (23, "time_limit")


def test_limits_that_are_large_enough_change_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "d").write_text(DOMAIN)
    (tmp_path / "t").write_text(
        "(define (problem t) (:domain d) (:objects a b) (:init (at a)) (:goal (at b)))"
    )
    words = ["inspect", str(tmp_path / "d"), str(tmp_path / "t"), "--json"]
    assert main(words) == 0
    plain = json.loads(capsys.readouterr().out)
    assert main([*words, "--time-limit", "60", "--memory-limit", "8G"]) == 0
    limited = json.loads(capsys.readouterr().out)
    assert plain["operators"] == limited["operators"] > 0


def test_a_reached_limit_is_told_in_words(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = [files["domain"], files["operators"], "--time-limit", "0.1"]
    assert main(["inspect", *words]) == 23
    assert capsys.readouterr().out.startswith("time limit reached after ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--time-limit", "0"], "the time limit 0.0 is not a number of seconds above 0"),
        (["--time-limit", "soon"], "--time-limit 'soon' is not a number"),
        (["--memory-limit", "much"], "--memory-limit 'much' is not a size"),
        (["--memory-limit", "0"], "memory limit 0 is not a number from 1 up"),
    ],
)
def test_limits_that_make_no_sense_are_refused(
    files: dict[str, str], words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", files["domain"], files["operators"], *words]) == 31
    assert message in capsys.readouterr().err
