"""Effects under conditions that actions change: in ground tasks, states and plans."""

from __future__ import annotations

import pytest
from adl_tasks import ADL_TASKS, BRIEFCASE, BRIEFCASE_TASK
from search_tasks import PlainTask, ground_texts

from beeline.core.errors import UnsupportedError
from beeline.planning.solve import solve
from beeline.task.validator import FailureKind, validate


def test_what_lies_inside_moves_with_the_briefcase() -> None:
    task = ground_texts(BRIEFCASE, BRIEFCASE_TASK)
    result = solve(task, search="astar", heuristic="lmcut")
    assert result.cost == 8
    assert validate(task.problem, result.plan).valid


def test_a_condition_that_does_not_hold_changes_nothing() -> None:
    task = ground_texts(BRIEFCASE, BRIEFCASE_TASK)
    moves = ["(move home office)", "(move office home)"]
    failure = validate(task.problem, moves).failure
    assert failure is not None
    assert failure.kind is FailureKind.GOAL
    assert "(at a office)" in failure.unsatisfied


def test_effects_name_what_they_need() -> None:
    task = ground_texts(BRIEFCASE, BRIEFCASE_TASK)
    (move,) = task.operator_ids("(move home office)")
    names = task.value_names
    effects = {names[v]: [names[n] for n in needed] for needed, v in task.operator_effects(move)}
    assert effects["(at a office)"] == ["(inside a)"]
    assert effects["(not (at a home))"] == ["(inside a)"]
    assert effects["(case-at office)"] == []


@pytest.mark.parametrize("name", ADL_TASKS)
def test_successors_are_those_of_the_definition(name: str) -> None:
    task = ground_texts(*ADL_TASKS[name])
    plain = PlainTask(task)
    first = task.initial_state
    for state in (first, *[child for _, child in first.successors()]):
        values = tuple(state.batch.values[0].tolist())
        found = {op: tuple(child.batch.values[0].tolist()) for op, child in state.successors()}
        assert found == dict(plain.successors(values))


def test_an_addition_wins_over_a_deletion_under_another_condition() -> None:
    task = ground_texts(
        """(define (domain d) (:requirements :adl) (:predicates (p) (q) (r) (done))
         (:action learn :parameters () :effect (q))
         (:action clean :parameters ()
          :effect (and (done) (when (r) (not (p))) (when (q) (p)))))""",
        """(define (problem t) (:domain d) (:init (p) (r)) (:goal (and (p) (done))))""",
    )
    result = solve(task, search="astar", heuristic="blind")
    assert result.plan == ("(learn)", "(clean)")


def test_conditions_that_multiply_are_refused() -> None:
    names = " ".join(f"o{number}" for number in range(20))
    with pytest.raises(UnsupportedError, match="too many conditional effects on one variable"):
        ground_texts(
            """(define (domain d) (:requirements :adl) (:predicates (p) (a ?x) (b ?x))
             (:action set :parameters (?x) :effect (and (a ?x) (not (b ?x))))
             (:action reset :parameters (?x) :effect (and (b ?x) (not (a ?x))))
             (:action look :parameters ()
              :effect (and (not (p)) (forall (?x) (when (and (a ?x) (b ?x)) (p))))))""",
            f"(define (problem t) (:domain d) (:objects {names}) (:init (p)) (:goal (not (p))))",
        )
