"""Threads, processes and other users of the translator do not notice each other."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from fast_downward.translate import invariant_finder, normalize, options

from beeline import pddl

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from beeline.pddl.model import Problem


def summary(problem: Problem) -> tuple[Any, ...]:
    task = pddl.normalize(problem)
    pairs: list[list[tuple[int, int]]] = [[] for _ in task.actions]
    found = pddl.find_invariants(task, pairs)
    return problem.init, task.actions, task.goal, task.fluent_predicates, found


def test_eight_threads_load_different_files_at_once(
    tmp_path: Path,
    blocks: tuple[str, str],
    delivery: tuple[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    jobs = []
    for number in range(8):
        domain, problem = (blocks, delivery)[number % 2]
        extra = f"(:objects extra{number})\n(:goal"
        (tmp_path / f"d{number}.pddl").write_text(domain)
        (tmp_path / f"p{number}.pddl").write_text(problem.replace("(:goal", extra))
        jobs.append((tmp_path / f"d{number}.pddl", tmp_path / f"p{number}.pddl"))

    def load(paths: tuple[Path, Path]) -> tuple[Any, ...]:
        return summary(pddl.read_problem(pddl.read_domain(paths[0]), paths[1]))

    state = options.options, vars(normalize).copy(), vars(invariant_finder).copy()
    alone = [load(paths) for paths in jobs]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(load, jobs * 4))
    assert together == alone * 4
    assert (options.options, vars(normalize), vars(invariant_finder)) == state
    assert capsys.readouterr() == ("", "")


def test_options_of_another_user_of_the_translator_stay(
    parse: Callable[[str, str], Problem], delivery: tuple[str, str]
) -> None:
    before, options.options = options.options, "mine"
    try:
        summary(parse(*delivery))
        assert options.options == "mine"
    finally:
        options.options = before


def test_problems_survive_pickling_into_another_process(
    parse: Callable[[str, str], Problem], delivery: tuple[str, str], tmp_path: Path
) -> None:
    problem = parse(*delivery)
    (tmp_path / "problem").write_bytes(pickle.dumps(problem))
    script = (
        "import pickle, sys\n"
        "from beeline import pddl\n"
        "problem = pickle.load(open(sys.argv[1], 'rb'))\n"
        "text = pddl.format_problem(problem)\n"
        "fresh = pddl.parse_problem(problem.domain, text)\n"
        "assert fresh.goal == problem.goal and hash(fresh.goal) == hash(problem.goal)\n"
        "sys.stdout.write(repr(pddl.normalize(problem).actions))\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "problem")]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout == repr(pddl.normalize(problem).actions)


def test_normalised_tasks_can_be_pickled(
    parse: Callable[[str, str], Problem], delivery: tuple[str, str]
) -> None:
    task = pddl.normalize(parse(*delivery))
    copy = pickle.loads(pickle.dumps(task))
    assert (copy.actions, copy.goal) == (task.actions, task.goal)
    assert summary(copy.problem) == summary(task.problem)


def test_importing_the_front_end_imports_little() -> None:
    script = "import sys, beeline.pddl; sys.stdout.write(' '.join(sys.modules))"
    command = [sys.executable, "-c", script]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(result.stdout.split())
    assert loaded.isdisjoint({"numpy", "rich", "typer", "dataclasses", "fast_downward", "difflib"})
