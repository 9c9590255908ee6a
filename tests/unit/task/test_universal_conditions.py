"""Universal conditions in the tasks that are searched and learned from: multiplied out."""

from __future__ import annotations

import pytest
from adl_tasks import ADL_TASKS
from random_tasks import RandomTask
from search_tasks import ground_texts

import beeline
from beeline import pddl
from beeline.data.regression import regression_samples
from beeline.data.regression_settings import RegressionSettings
from beeline.planning.heuristics import HEURISTICS
from beeline.task.grounding import ground

# One choice for each lamp: two ways to be lit make 2^n ways to be done.
LAMPS = """(define (domain lamps) (:requirements :adl) (:types lamp)
 (:predicates (left ?l - lamp) (right ?l - lamp) (done))
 (:action light-left :parameters (?l - lamp) :precondition (not (right ?l)) :effect (left ?l))
 (:action light-right :parameters (?l - lamp) :precondition (not (left ?l)) :effect (right ?l))
 (:action finish :parameters ()
  :precondition (forall (?l - lamp) (or (left ?l) (right ?l))) :effect (done)))
"""

SHELVES = """(define (domain shelves) (:requirements :adl) (:types item place)
 (:predicates (at ?i - item ?p - place) (clean ?p - place))
 (:action carry :parameters (?i - item ?a ?b - place) :precondition (at ?i ?a)
  :effect (and (not (at ?i ?a)) (at ?i ?b)))
 (:action wipe :parameters (?p - place)
  :precondition (not (exists (?i - item) (at ?i ?p))) :effect (clean ?p)))
"""


def lamps(count: int) -> str:
    names = " ".join(f"l{number}" for number in range(count))
    return f"""(define (problem p) (:domain lamps) (:objects {names} - lamp)
     (:init) (:goal (done)))"""


@pytest.mark.parametrize("name", ADL_TASKS)
def test_no_axioms_and_no_more_operators_than_the_translators(name: str) -> None:
    task = ground_texts(*ADL_TASKS[name])
    exact = ground(task.problem, as_translator=True)
    assert not task.has_axioms
    assert not any("new-axiom" in fact for fact in task.fact_names)
    cases = [step for step in task.operator_names if not step.startswith("(@")]
    assert set(cases) == set(exact.operator_names)
    assert len(cases) <= exact.num_operators


def test_a_condition_on_what_is_static_is_one_operator() -> None:
    task = ground_texts(*ADL_TASKS["stacks"])
    (make,) = task.operator_ids("(make q)")
    needed = {task.value_names[value] for value in task.operator_conditions(make)}
    assert needed == {"(not (made q))", "(started b)", "(started c)"}


def test_a_disjunction_is_a_case_for_each_disjunct() -> None:
    task = ground_texts(LAMPS, lamps(5))
    assert not task.has_axioms
    assert len(task.operator_ids("(finish)")) == 2**5


def test_conditions_with_too_many_cases_stay_axioms_and_are_solved() -> None:
    places = " ".join(f"p{number}" for number in range(9))  # 8^5 ways to be somewhere else
    task = ground_texts(
        SHELVES,
        f"""(define (problem p) (:domain shelves) (:objects {places} - place a b c d e - item)
     (:init (at a p0) (at b p0) (at c p1) (at d p2) (at e p3)) (:goal (clean p0)))""",
    )
    assert task.has_axioms
    assert len(task.operator_ids("(wipe p0)")) == 1
    for heuristic in HEURISTICS:
        result = beeline.solve(task, "astar", heuristic)
        assert (result.cost, beeline.validate(task.problem, result.plan).valid) == (3, True)


@pytest.mark.parametrize(("workers", "multiplied"), [(1, True), (100, False)])
def test_many_operators_have_few_cases_each(workers: int, *, multiplied: bool) -> None:
    domain = LAMPS.replace("lamp)", "lamp worker)", 1).replace(
        "finish :parameters ()", "finish :parameters (?w - worker)"
    )
    names = " ".join(f"w{number}" for number in range(workers))
    task = ground_texts(domain, lamps(10).replace(" - lamp", f" - lamp {names} - worker"))
    assert task.has_axioms is not multiplied
    assert len(task.operator_ids("(finish w0)")) == (2**10 if multiplied else 1)
    result = beeline.solve(task)
    assert result.plan is not None
    assert beeline.validate(task.problem, result.plan).valid


@pytest.mark.parametrize("name", ["stacks", "lift", "wishes", "workshop"])
def test_regression_and_state_spaces_know_universal_conditions(name: str) -> None:
    task = ground_texts(*ADL_TASKS[name])
    samples = regression_samples(task, RegressionSettings(40, seed=1))
    assert len(samples) == 40
    assert samples.estimates.max() > 1


def test_a_universal_goal_is_a_goal_for_each_object() -> None:
    task = ground_texts(*ADL_TASKS["stacks"])
    assert [str(literal.args[0]) for literal in task.goal_literals] == ["a", "b", "c", "d"]
    assert {literal.predicate for literal in task.goal_literals} == {"shipped"}


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_both_forms_have_plans_of_the_same_cost(first: int) -> None:
    for seed in range(first, first + 20):
        texts = RandomTask(seed, conditional=0.2, nested=0.5)
        problem = pddl.parse_problem(pddl.parse_domain(texts.domain), texts.task)
        ours, exact = ground(problem), ground(problem, as_translator=True)
        costs = {beeline.solve(task, "astar", "max").cost for task in (ours, exact)}
        assert len(costs) == 1, seed
