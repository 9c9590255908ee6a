"""Plans for single tasks: optimal where possible, without useless steps, and what else is known."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from learning_sets import blocks
from search_tasks import PUZZLE, PlainTask, ground_texts, puzzle_task

from beeline import _native
from beeline.data.plan_walk import walk_plan
from beeline.fitting.pairs import equal_steps
from beeline.learning import task_set
from beeline.learning.task_set import (
    MAX_STATES,
    PlanJob,
    PlannedTask,
    TrainingTask,
    find_plan,
    optimal_evaluations,
)
from beeline.planning.heuristics import make_evaluator
from beeline.planning.solve import solve
from beeline.task import grounding


def planned(
    domain: str, task: str, plan: tuple[str, ...] | None = None, effort: float = 1.0
) -> PlannedTask:
    return find_plan(
        PlanJob(domain, TrainingTask("t", task, 0, plan), False, 60.0, None, effort=effort)
    )


def test_small_tasks_get_optimal_plans_and_their_states_counted() -> None:
    text = puzzle_task(3, 2, 1)
    found = planned(PUZZLE, text)
    task = ground_texts(PUZZLE, text)
    assert found.optimal
    assert found.source == "astar"
    assert found.cost == PlainTask(task).cheapest_plan_cost()
    assert found.states == 360


def test_without_effort_plans_come_from_greedy_search(tmp_path: Path) -> None:
    domain, files = blocks(tmp_path, range(20, 21))
    found = planned(Path(domain).read_text(), Path(files[0]).read_text(), effort=0.02)
    assert found.source == "greedy"
    assert not found.optimal
    assert found.states is None
    assert found.plan is not None


def test_the_same_job_gives_the_same_plan(tmp_path: Path) -> None:
    domain, files = blocks(tmp_path, range(12, 13))
    texts = Path(domain).read_text(), Path(files[0]).read_text()
    assert planned(*texts) == planned(*texts)


def test_useless_steps_of_a_given_plan_go() -> None:
    domain = """(define (domain lamps) (:predicates (on ?l) (off ?l))
     (:action light :parameters (?l) :precondition (off ?l) :effect (and (on ?l) (not (off ?l))))
     (:action dim :parameters (?l) :precondition (on ?l) :effect (and (off ?l) (not (on ?l)))))"""
    task = """(define (problem p) (:domain lamps) (:objects a b) (:init (off a) (off b))
     (:goal (on a)))"""
    found = planned(domain, task, ("(light a)", "(dim a)", "(light b)", "(light a)"))
    assert found.plan == ("(light a)",)
    assert found.source == "given"


@pytest.mark.parametrize(
    ("goal", "status"), [("(on a)", "trivial"), ("(and (on b) (off b))", "unsolvable")]
)
def test_tasks_that_teach_nothing_are_recognised(goal: str, status: str) -> None:
    domain = """(define (domain lamps) (:predicates (on ?l) (off ?l)) (:action light
     :parameters (?l) :precondition (off ?l) :effect (and (on ?l) (not (off ?l)))))"""
    task = f"""(define (problem p) (:domain lamps) (:objects a b) (:init (on a) (off b))
     (:goal {goal}))"""
    found = planned(domain, task)
    assert found.status == status
    assert found.plan is None


@pytest.mark.parametrize("seed", range(4))
def test_equal_steps_are_all_steps_on_optimal_plans(seed: int) -> None:
    task = ground_texts(PUZZLE, puzzle_task(3, 2, seed))
    plan = solve(task, "astar", "lmcut").plan
    assert plan
    states = _native.States(task.native)
    walk = walk_plan(task, states, plan)
    found = equal_steps(task, states, walk, 10**6)
    perfect = make_evaluator("perfect", task)
    for place, state in enumerate(walk.states[:-1]):
        operators, children = states.successors(state)
        distances = perfect.evaluate(states, children)
        through = distances + task.costs[operators]
        best = operators[through == len(plan) - place].tolist()
        assert found[place] == set(best) - {walk.operators[place]}


def test_equal_steps_end_with_the_evaluations() -> None:
    task = ground_texts(PUZZLE, puzzle_task(3, 2, 1))
    plan = solve(task, "astar", "lmcut").plan
    assert plan
    states = _native.States(task.native)
    found = equal_steps(task, states, walk_plan(task, states, plan), 1)
    assert not any(found)


def test_optimal_searches_are_short_in_huge_tasks() -> None:
    job = PlanJob("", TrainingTask("p", "", 1), False, 60.0, None)
    sizes = (100, 4_000, 8_000, 100_000, 100_000_000)
    tasks = [SimpleNamespace(bulk=operators) for operators in sizes]
    found = [optimal_evaluations(job, task) for task in tasks]  # type: ignore[arg-type]
    assert found == [50_000, 1250, 1000, 100, 1]


def test_a_task_with_too_many_operators_is_left_to_models(monkeypatch: pytest.MonkeyPatch) -> None:
    write_nothing = partial(grounding.ground, most_operators=0)
    monkeypatch.setattr(task_set, "ground", write_nothing)
    text = puzzle_task(3, 2, 1)
    found = planned(PUZZLE, text)
    assert (found.plan, found.status) == (None, "memory_limit")
    plan = solve(ground_texts(PUZZLE, text)).plan
    assert plan is not None
    assert planned(PUZZLE, text, tuple(map(str, plan))).plan is not None


def test_tasks_are_ordered_by_size() -> None:
    small = PlannedTask("b", "", 5, 10, "solved")
    large = PlannedTask("a", "", 5, 11, "solved")
    assert sorted([large, small], key=lambda task: task.size) == [small, large]
    assert MAX_STATES >= 10_000
