"""Derived predicates in ground tasks, in states and in plans."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from adl_tasks import DERIVED_TASKS, TOWERS, TOWERS_TASK
from search_tasks import ground_texts

from beeline.planning.heuristics import HEURISTICS
from beeline.planning.solve import solve
from beeline.task.validator import validate


def test_states_know_what_follows_from_their_facts() -> None:
    task = ground_texts(TOWERS, TOWERS_TASK)
    state = task.initial_state
    assert {"(clear a)", "(hand-empty)"} <= {*state.fact_names}
    assert "(clear b)" not in state.fact_names
    (unstack,) = task.operator_ids("(unstack a b)")
    after = dict(state.successors())[unstack]
    assert not {"(hand-empty)", "(clear a)"} & {*after.fact_names}
    assert {"(clear b)", "(holding a)"} <= {*after.fact_names}


def test_inserted_states_get_the_derived_values_that_they_should_have() -> None:
    from beeline import _native

    task = ground_texts(TOWERS, TOWERS_TASK)
    states = _native.States(task.native)
    wrong = task.initial.copy()
    derived = task.native.axiom_layers >= 0
    wrong[derived] = task.offsets[:-1][derived]  # as if all were true
    (number,) = states.insert(wrong.reshape(1, -1)).tolist()
    assert number == states.initial
    np.testing.assert_array_equal(states.values(np.array([number], np.uint32))[0], task.initial)


def test_layers_lie_above_what_they_negate() -> None:
    task = ground_texts(*DERIVED_TASKS["grid"])
    layers = task.native.axiom_layers.tolist()
    variable_of, names = task.native.variable_of.tolist(), task.value_names
    starts, items = (array.tolist() for array in task.native.axiom_conditions)
    for axiom, head in enumerate(task.native.axiom_values.tolist()):
        layer = layers[variable_of[head]]
        assert layer >= 0
        for value in items[starts[axiom] : starts[axiom + 1]]:
            below = layers[variable_of[value]]
            assert below < layer or (below == layer and not names[value].startswith("(not"))


@pytest.mark.parametrize("name", DERIVED_TASKS)
@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_every_heuristic_leads_to_a_plan(name: str, heuristic: str) -> None:
    task = ground_texts(*DERIVED_TASKS[name])
    result = solve(task, search="gbfs", heuristic=heuristic)
    assert validate(task.problem, result.plan).valid


@pytest.mark.parametrize("name", DERIVED_TASKS)
def test_plans_are_improved_to_optimal_ones(name: str) -> None:
    task = ground_texts(*DERIVED_TASKS[name])
    cheapest = solve(task, search="astar", heuristic="lmcut").cost
    improved = solve(
        task, search="gbfs", heuristic=lambda batch: -batch.ids.astype(float), improve=100.0,
        as_found=False,
    )  # fmt: skip
    assert improved.cost == cheapest
    assert validate(task.problem, improved.plan).valid


def test_lama_solves_tasks_with_axioms() -> None:
    task = ground_texts(TOWERS, TOWERS_TASK)
    assert validate(task.problem, solve(task, search="lama-first").plan).valid


def test_axioms_survive_pickling() -> None:
    task = ground_texts(TOWERS, TOWERS_TASK)
    copy = pickle.loads(pickle.dumps(task))
    assert copy.has_axioms
    assert copy.num_axioms == task.num_axioms > 0
    assert solve(copy, search="astar", heuristic="blind").cost == 7


def test_tasks_without_derived_predicates_have_no_axioms() -> None:
    task = ground_texts(
        "(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))",
        "(define (problem t) (:domain d) (:init) (:goal (p)))",
    )
    assert not task.has_axioms
    assert task.native.axiom_layers.tolist() == []
