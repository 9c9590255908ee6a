"""Everything that Beeline says about small odd tasks, compared with a planner by the definition."""

from __future__ import annotations

import pytest
from odd_tasks import LARGE_COSTS, OddTask
from plain_planner import PlainTask, TooManyStatesError
from planner_comparison import disagreements
from random_tasks import RandomTask
from search_tasks import PUZZLE, puzzle_task, random_strips

BATCH = 10  # seeds of one test, which then says which of them are wrong


def faults_of(texts: dict[int, tuple[str, str, bool]], *, thorough: bool) -> dict[int, list[str]]:
    """What is wrong, for each seed where something is."""
    found = {
        seed: disagreements(domain, task, seed=seed, refusable=refusable, thorough=thorough)
        for seed, (domain, task, refusable) in texts.items()
    }
    return {seed: faults for seed, faults in found.items() if faults}


@pytest.mark.parametrize("first", range(0, 120, BATCH))
def test_odd_tasks(first: int) -> None:
    tasks = {seed: OddTask(seed) for seed in range(first, first + BATCH)}
    texts = {seed: (each.domain, each.task, each.refusable) for seed, each in tasks.items()}
    assert faults_of(texts, thorough=first % 40 == 0) == {}


@pytest.mark.parametrize("first", range(0, 40, BATCH))
def test_random_tasks(first: int) -> None:
    tasks = {seed: RandomTask(seed) for seed in range(first, first + BATCH)}
    texts = {seed: (each.domain, each.task, False) for seed, each in tasks.items()}
    assert faults_of(texts, thorough=first == 0) == {}


def test_random_strips() -> None:
    texts = {seed: (*random_strips(seed), False) for seed in range(6)}
    assert faults_of(texts, thorough=True) == {}


COUNTER = """(define (domain counter) (:predicates (before ?a ?b) (at ?n)) (:functions (total-cost))
  (:action step :parameters (?a ?b) :precondition (and (at ?a) (before ?a ?b))
    :effect (and (not (at ?a)) (at ?b) (increase (total-cost) {cost}))))"""


def counter_task(steps: int) -> str:
    names = [f"n{number}" for number in range(steps + 1)]
    order = " ".join(f"(before {names[i]} {names[i + 1]})" for i in range(steps))
    return (
        f"(define (problem p) (:domain counter) (:objects {' '.join(names)})"
        f" (:init (at n0) {order}) (:goal (at n{steps})) (:metric minimize (total-cost)))"
    )


@pytest.mark.parametrize("steps", [1, 2, 3])
@pytest.mark.parametrize("cost", LARGE_COSTS)
def test_sums_of_large_costs(cost: int, steps: int) -> None:
    domain, task = COUNTER.format(cost=cost), counter_task(steps)
    assert PlainTask(domain, task).space(10).optimal_cost == cost * steps
    assert disagreements(domain, task) == []


class TestThePlainPlanner:
    """The judge is judged by hand."""

    def test_counts_states_and_costs_of_a_puzzle(self) -> None:
        space = PlainTask(PUZZLE, puzzle_task(2, 2, 1)).space(100)
        assert len(space.states) == 12  # half of the 24 layouts
        assert max(each for each in space.distances if each is not None) == 6

    def test_stops_at_too_many_states(self) -> None:
        with pytest.raises(TooManyStatesError):
            PlainTask(PUZZLE, puzzle_task(3, 2, 1)).space(100)

    def test_what_is_added_and_deleted_stays_true(self) -> None:
        domain = """(define (domain d) (:predicates (p) (q)) (:action a :parameters ()
          :effect (and (p) (not (p)) (q) (when (not (p)) (not (q))))))"""
        task = "(define (problem t) (:domain d) (:init (p)) (:goal (and (p) (q))))"
        plain = PlainTask(domain, task)
        assert plain.space(10).optimal_cost == 1
        assert plain.cost_of([("a",), ("a",)]) == 2
        assert plain.cost_of([]) is None

    @pytest.mark.parametrize(
        ("goal", "true"),
        [
            ("(forall (?x - none) (or))", True),
            ("(exists (?x - none) (and))", False),
            ("(exists (?x - (either some none)) (p ?x))", True),
            ("(forall (?x - part) (p ?x))", False),
            ("(forall (?x - some) (imply (= ?x b) (p b)))", False),
            ("(exists (?x ?y - some) (and (p ?x) (not (= ?x ?y))))", True),
            ("(not (exists (?x) (not (exists (?y) (= ?x ?y)))))", True),
            ("(forall (?x - some) (exists (?x - some) (p ?x)))", True),
        ],
    )
    def test_quantifiers(self, goal: str, true: bool) -> None:
        domain = "(define (domain d) (:types some none - object part - some) (:predicates (p ?x)))"
        task = f"""(define (problem t) (:domain d) (:objects a - some b - part)
          (:init (p a)) (:goal {goal}))"""
        assert (PlainTask(domain, task).space(1).optimal_cost == 0) is true

    def test_costs_without_a_value_make_actions_impossible(self) -> None:
        domain = """(define (domain d) (:predicates (p ?x)) (:functions (total-cost) (fee ?x))
          (:action a :parameters (?x)
            :effect (and (p ?x) (increase (total-cost) (fee ?x)))))"""
        task = """(define (problem t) (:domain d) (:objects a b) (:init (= (fee a) 7))
          (:goal (exists (?x) (p ?x))) (:metric minimize (total-cost)))"""
        plain = PlainTask(domain, task)
        assert plain.cost_of([("a", "a")]) == 7
        assert plain.cost_of([("a", "b")]) is None
        assert PlainTask(domain, task, unit_costs=True).cost_of([("a", "a")]) == 1
