"""Names, numbers and views of a ground task."""

from __future__ import annotations

import pickle
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest

from beeline.pddl import parse_domain, parse_problem
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask

FERRY = """(define (domain ferry) (:requirements :typing :action-costs)
 (:types car port)
 (:predicates (at-ferry ?p - port) (at ?c - car ?p - port) (empty) (aboard ?c - car))
 (:functions (total-cost) - number (distance ?a ?b - port) - number)
 (:action sail :parameters (?a ?b - port) :precondition (and (at-ferry ?a) (not (= ?a ?b)))
  :effect (and (at-ferry ?b) (not (at-ferry ?a)) (increase (total-cost) (distance ?a ?b))))
 (:action board :parameters (?c - car ?p - port)
  :precondition (and (at ?c ?p) (at-ferry ?p) (empty))
  :effect (and (aboard ?c) (not (at ?c ?p)) (not (empty)) (increase (total-cost) 1)))
 (:action debark :parameters (?c - car ?p - port)
  :precondition (and (aboard ?c) (at-ferry ?p))
  :effect (and (at ?c ?p) (empty) (not (aboard ?c)))))
"""
TASK = """(define (problem one-car) (:domain ferry) (:objects c - car p q - port)
 (:init (at-ferry p) (at c q) (empty) (= (distance p q) 7) (= (distance q p) 9))
 (:goal {goal}) (:metric minimize (total-cost)))
"""


def ferry(goal: str = "(at c p)", *, unit_costs: bool = False) -> GroundTask:
    domain = parse_domain(FERRY)
    return ground(parse_problem(domain, TASK.format(goal=goal)), unit_costs=unit_costs)


def test_facts_and_operators_are_named() -> None:
    task = ferry()
    assert sorted(task.fact_names) == [
        "(aboard c)",
        "(at c p)",
        "(at c q)",
        "(at-ferry p)",
        "(at-ferry q)",
        "(empty)",
    ]
    assert task.operator_names == [
        "(board c p)",
        "(board c q)",
        "(debark c p)",
        "(debark c q)",
        "(sail p q)",
        "(sail q p)",
    ]


def test_names_and_numbers_are_inverse() -> None:
    task = ferry()
    assert [task.fact_id(name) for name in task.fact_names] == list(range(task.num_facts))
    for number, name in enumerate(task.operator_names):
        assert task.operator_ids(name) == [number]
    assert task.fact_id("( AT  c P )") == task.fact_id("(at c p)")
    assert task.fact_id("(at c c)") is None
    assert task.operator_ids("(sail p p)") == []


def test_costs_come_from_functions_and_constants() -> None:
    task = ferry()
    assert dict(zip(task.operator_names, task.costs.tolist(), strict=True)) == {
        "(board c p)": 1,
        "(board c q)": 1,
        "(debark c p)": 0,
        "(debark c q)": 0,
        "(sail p q)": 7,
        "(sail q p)": 9,
    }


def test_unit_costs_make_every_operator_cost_one() -> None:
    assert set(ferry(unit_costs=True).costs.tolist()) == {1}


def test_views_are_read_only_and_outlive_the_task() -> None:
    costs = ferry().costs
    assert costs.dtype == np.int64
    with pytest.raises(ValueError, match="read-only"):
        costs[0] = 5
    assert costs.sum() == 18


def test_a_state_is_one_value_per_variable() -> None:
    task = ferry()
    names = [task.value_names[value] for value in task.initial.tolist()]
    assert {"(at-ferry p)", "(at c q)"} <= set(names)
    assert all(
        first <= value < last
        for first, value, last in zip(
            task.offsets[:-1], task.initial, task.offsets[1:], strict=True
        )
    )


def test_one_operator_is_what_the_arrays_say_of_it() -> None:
    task = ferry()
    starts, values = task.conditions
    first, effects = task.effects
    for op in range(task.num_operators):
        assert task.operator_conditions(op) == values[starts[op] : starts[op + 1]].tolist()
        assert task.operator_cost(op) == task.costs[op]
        rows = effects[first[op] : first[op + 1]].tolist()
        assert task.operator_effects(op) == [([g] * (g >= 0), value) for g, value, _ in rows]
    with pytest.raises(IndexError, match="no operator with this number"):
        task.operator_cost(task.num_operators)


def test_a_task_survives_pickling() -> None:
    task = ferry()
    copy = pickle.loads(pickle.dumps(task))
    assert copy.operator_names == task.operator_names
    assert copy.value_names == task.value_names
    for ours, theirs in zip(
        task.conditions + task.effects, copy.conditions + copy.effects, strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(copy.goal, task.goal)
    assert copy.problem.objects == task.problem.objects


def test_damaged_pickles_are_refused() -> None:
    native = ferry().native
    with pytest.raises(ValueError, match="truncated"):
        native.__class__.__new__(native.__class__).__setstate__(native.__getstate__()[:-4])


@pytest.mark.parametrize(
    ("goal", "reason"),
    [
        ("(aboard c)", None),
        ("(and (aboard c) (empty))", "exclude each other"),
        ("(and (at c p) (at c q))", "exclude each other"),
        ("(not (= c c))", "no action can change it"),
        ("(= c p)", "out of reach"),
    ],
)
def test_impossible_goals_are_told_by_reason(goal: str, reason: str | None) -> None:
    found = ferry(goal).unsolvable_reason
    assert (found is None) if reason is None else (reason in str(found))


def test_a_goal_that_holds_is_noticed() -> None:
    assert ferry("(empty)").goal_holds_initially
    assert not ferry("(at c p)").goal_holds_initially


def test_a_disjunctive_goal_gets_operators_that_cost_nothing() -> None:
    task = ferry("(or (at c p) (aboard c))", unit_costs=True)
    artificial = [number for number, name in enumerate(task.operator_names) if name[1] == "@"]
    assert len(artificial) == 2
    assert task.costs[artificial].tolist() == [0, 0]


def test_many_threads_ground_at_once() -> None:
    expected = ferry().operator_names
    results: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: results.append(ferry().operator_names)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8
