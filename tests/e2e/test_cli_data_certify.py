"""`beeline data certify` as a user meets it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from search_tasks import PUZZLE, puzzle_task, write_task

from beeline.cli.main import main
from beeline.core.errors import ExitCode

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return list(write_task(tmp_path, PUZZLE, puzzle_task(3, 2, 3)))


def certify(
    files: list[str], *words: str, code: int, capsys: pytest.CaptureFixture[str]
) -> dict[str, Any]:
    assert main(["data", "certify", *files, *words, "--json"]) == code
    fields: dict[str, Any] = json.loads(capsys.readouterr().out)
    return fields


def test_perfect_costs_have_ties_in_a_puzzle(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    fields = certify(files, "--heuristic", "perfect", code=1, capsys=capsys)
    assert not fields["perfect"]
    assert fields["optimal"]
    assert fields["violated"] == fields["ties"] > 0
    assert fields["violations"][0]["state"]["merit"] == fields["cost"]
    assert (fields["alpha"], fields["beta"]) == (1.0, 1.0)


def test_a_given_plan_and_a_given_merit(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = str(tmp_path / "plan")
    assert main(["solve", *files, "-o", plan, "--quiet"]) == 0
    capsys.readouterr()
    words = ["--heuristic=ff", "--plan", plan, "--search=best-first", "--alpha=0.5", "--beta=2"]
    fields = certify(files, *words, code=1, capsys=capsys)
    assert fields["optimal"] is None
    assert fields["length"] == len(fields["plan"])
    assert (fields["alpha"], fields["beta"]) == (0.5, 2.0)


def test_the_text_shows_states(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "certify", *files, "--heuristic", "goalcount", "--search", "gbfs"]) == 1
    text = capsys.readouterr().out
    for part in ("not perfect", "gbfs with goalcount", "violated", "beside it", "(at t1"):
        assert part in text


def test_a_task_with_one_way_is_ranked_perfectly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    domain = """(define (domain walk) (:predicates (at ?p) (next ?a ?b))
      (:action go :parameters (?a ?b) :precondition (and (at ?a) (next ?a ?b))
       :effect (and (at ?b) (not (at ?a)))))"""
    task = """(define (problem p) (:domain walk) (:objects a b c)
      (:init (at a) (next a b) (next b c)) (:goal (at c)))"""
    files = list(write_task(tmp_path, domain, task))
    assert main(["data", "certify", *files]) == 0
    assert "perfect: astar expands the states of an optimal plan" in capsys.readouterr().out


def test_nonsense_is_refused(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for words, part in (
        (["--search", "bfs"], "no heuristic"),
        (["--heuristic", "ff,add"], "one heuristic"),
        (["--heuristic", "fff"], "unknown heuristic"),
        (["--alpha", "2"], "its own alpha"),
    ):
        assert main(["data", "certify", *files, *words]) == ExitCode.BAD_INPUT
        assert part in capsys.readouterr().err
