"""Suites of tiny tasks, and how to run them in this process."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from beeline.backends import Workers
from beeline.core.records import InlineExecutor

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

LAMPS = """(define (domain lamps) (:predicates (on ?l))
  (:action switch :parameters (?l) :precondition (not (on ?l)) :effect (on ?l)))
"""
VOLATILE = ("search_time", "total_time", "processor_time", "peak_memory")


def lamps_task(lamps: int) -> str:
    """A task of so many lamps, all off."""
    names = [f"l{number}" for number in range(lamps)]
    goals = " ".join(f"(on {name})" for name in names)
    return (
        f"(define (problem lamps-{lamps}) (:domain lamps) (:objects {' '.join(names)})"
        f" (:init) (:goal (and {goals})))\n"
    )


def write_suite(folder: Path, rest: str = "", *, sizes: tuple[int, ...] = (2, 3)) -> Path:
    """A suite file beside the tasks of some lamps; `rest` comes after its tables [[tasks]]."""
    (folder / "tasks").mkdir(parents=True, exist_ok=True)
    (folder / "tasks" / "domain.pddl").write_text(LAMPS)
    for number, lamps in enumerate(sizes, 1):
        (folder / "tasks" / f"p{number:02d}.pddl").write_text(lamps_task(lamps))
    path = folder / "suite.toml"
    tasks = '[[tasks]]\ndomain = "tasks/domain.pddl"\ntasks = "tasks"\n'
    path.write_text(f'name = "lamps"\n{tasks}{rest or FF}')
    return path


FF = '[[configurations]]\nname = "ff"\nheuristic = "ff"\n'


def records(folder: Path) -> dict[str, dict[str, Any]]:
    """All records by their names."""
    return {
        path.relative_to(folder / "runs").with_suffix("").as_posix(): json.loads(path.read_text())
        for path in sorted((folder / "runs").rglob("*.json"))
    }


def stable_texts(folder: Path) -> dict[str, str]:
    """The texts of all records, without the lines of times and memory."""
    return {
        path.relative_to(folder).as_posix(): "\n".join(
            line
            for line in path.read_text().splitlines()
            if not line.startswith(tuple(f' "{name}"' for name in VOLATILE))
        )
        for path in sorted(folder.rglob("*.json"))
    }


def run_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let suites run in this process."""
    monkeypatch.setattr(Workers, "executor", lambda *_, **__: InlineExecutor())
