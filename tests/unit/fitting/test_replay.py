"""Plans replayed and cleaned."""

from __future__ import annotations

import pytest
from search_tasks import PUZZLE, PlainTask, ground_texts, puzzle_task

from beeline import _native
from beeline.data.plan_walk import walk_plan
from beeline.fitting.replay import Replay
from beeline.planning.solve import solve

LAMPS = """(define (domain lamps) (:predicates (on ?l) (off ?l))
 (:action light :parameters (?l) :precondition (off ?l) :effect (and (on ?l) (not (off ?l))))
 (:action dim :parameters (?l) :precondition (on ?l) :effect (and (off ?l) (not (on ?l)))))"""
TASK = """(define (problem p) (:domain lamps) (:objects a b c) (:init (off a) (off b) (on c))
 (:goal (and (on a) (on b) (on c))))"""


def test_steps_that_undo_each_other_are_taken_out() -> None:
    task = ground_texts(LAMPS, TASK)
    number = {name: task.operator_ids(name)[0] for name in task.operator_names}
    names = ["(dim c)", "(light a)", "(dim a)", "(light c)", "(light a)", "(light b)"]
    replay = Replay(task)
    kept = replay.without_useless_steps([number[name] for name in names])
    assert [task.operator_name(operator) for operator in kept] == ["(light a)", "(light b)"]
    assert replay.cost(kept) == 2


def test_steps_that_do_not_depend_on_each_other_are_exchangeable() -> None:
    task = ground_texts(LAMPS, TASK)
    light_a, light_b = (task.operator_ids(f"(light {lamp})")[0] for lamp in "ab")
    assert Replay(task).exchangeable([light_a, light_b], max_steps=100) == [{light_b}, set()]
    assert Replay(task).exchangeable([light_a, light_b], max_steps=1) == [set(), set()]


@pytest.mark.parametrize("seed", range(5))
def test_cleaned_plans_are_plans_and_not_longer(seed: int) -> None:
    task = ground_texts(PUZZLE, puzzle_task(3, 3, seed))
    plan = solve(task, "gbfs", "goalcount").plan
    assert plan is not None
    operators = walk_plan(task, _native.States(task.native), plan).operators
    replay = Replay(task)
    cleaned = replay.without_useless_steps(operators)
    assert len(cleaned) <= len(operators)
    plain = PlainTask(task)
    state = plain.initial
    for operator, replayed in zip(cleaned, replay.states(cleaned)[1:], strict=True):
        state = dict(plain.successors(state))[operator]
        assert list(state) == replayed
    assert plain.goal <= set(state)


def test_operators_that_do_not_apply_are_an_error() -> None:
    task = ground_texts(LAMPS, TASK)
    light = task.operator_ids("(light a)")[0]
    with pytest.raises(ValueError, match="does not apply"):
        Replay(task).states([light, light])
