"""Tasks to learn from: what is read, what is left out, and what is said about it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from learning_sets import blocks

from beeline.core.errors import BeelineError
from beeline.learning.task_set import read_training_set, warnings_about_plans
from beeline.planning.solve import solve
from beeline.task.grounding import load
from beeline.task.plan_file import write_plan


def test_a_folder_stands_for_its_tasks_without_the_domain(tmp_path: Path) -> None:
    domain, files = blocks(tmp_path, range(3, 6), each=4)
    training = read_training_set(domain, [tmp_path])
    assert [task.name for task in training.tasks] == [Path(file).stem for file in files]
    assert training.warnings == ()


def test_the_same_task_under_another_name_is_left_out(tmp_path: Path) -> None:
    domain, files = blocks(tmp_path, range(3, 6), each=4)
    text = Path(files[0]).read_text()
    copy = tmp_path / "zz-copy.pddl"
    copy.write_text(re.sub(r"\(problem [^)]*\)", "(problem other)", text).replace("\n", "\n\n"))
    training = read_training_set(domain, [*files, copy])
    assert len(training.tasks) == len(files)
    assert [warning for warning in training.warnings if "zz-copy is the same task as" in warning]


def test_the_order_in_which_tasks_are_named_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    domain, files = blocks(tmp_path / "easy", range(3, 5), each=2)
    _, others = blocks(tmp_path / "hard", range(4, 6), each=2, seed=5)
    (tmp_path / "easy" / "a-copy.pddl").write_text(Path(files[1]).read_text())
    named = [*files, *others, str(tmp_path / "easy" / "a-copy.pddl")]
    expected = read_training_set(domain, named)
    assert [task.name for task in expected.tasks][:2] == ["a-copy", "easy/p00-00"]
    monkeypatch.chdir(tmp_path / "easy")
    here = [Path(file).name for file in named if "easy" in file]
    for tasks in (
        named[::-1],
        [*named, *named],
        [tmp_path / "hard", tmp_path / "easy", files[2]],
        ["../hard", "."],
        [*here, "../hard"],
    ):
        assert read_training_set(domain, tasks) == expected


def test_few_and_equal_tasks_are_remarked_on(tmp_path: Path) -> None:
    domain, files = blocks(tmp_path, range(4, 5), each=3)
    few, alike = read_training_set(domain, files).warnings
    assert "3 tasks to learn from" in few
    assert "all tasks have 4 objects" in alike


def test_one_single_task_is_remarked_on(tmp_path: Path) -> None:
    domain, files = blocks(tmp_path, range(4, 5))
    assert "one task to learn from" in read_training_set(domain, files).warnings[0]


def test_easy_tasks_and_missing_plans_are_remarked_on() -> None:
    assert warnings_about_plans([5, 9, None]) == []
    assert "too easy" in warnings_about_plans([1, 3])[0]
    assert "only 1 of 4 tasks have a plan" in warnings_about_plans([9, None, None, None])[0]


@pytest.mark.parametrize("missing", ["tasks", "folder"])
def test_no_tasks_at_all_are_refused(tmp_path: Path, missing: str) -> None:
    domain, _ = blocks(tmp_path / "set", range(3, 4))
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(BeelineError, match="no task"):
        read_training_set(domain, [] if missing == "tasks" else [empty])


def test_a_domain_without_actions_is_refused(tmp_path: Path) -> None:
    domain = tmp_path / "domain.pddl"
    domain.write_text("(define (domain still) (:predicates (p)))")
    task = tmp_path / "task.pddl"
    task.write_text("(define (problem t) (:domain still) (:init (p)) (:goal (p)))")
    with pytest.raises(BeelineError, match="no actions"):
        read_training_set(domain, [task])


def test_plans_are_taken_where_there_are_some(tmp_path: Path) -> None:
    domain, files = blocks(tmp_path / "set", range(3, 5))
    plans = tmp_path / "plans"
    plans.mkdir()
    steps = solve(load(domain, files[0])).plan
    assert steps is not None
    write_plan(plans / "p00-00.plan", steps)
    with_plan, without = read_training_set(domain, files, plans=plans).tasks
    assert with_plan.plan == tuple(steps)
    assert without.plan is None


def test_a_plan_of_another_task_is_refused(tmp_path: Path) -> None:
    domain, files = blocks(tmp_path / "set", range(3, 5))
    plans = tmp_path / "plans"
    plans.mkdir()
    steps = solve(load(domain, files[1])).plan
    assert steps is not None
    write_plan(plans / "p00-00.plan", steps)
    with pytest.raises(BeelineError, match="does not fit the task"):
        read_training_set(domain, files, plans=plans)
