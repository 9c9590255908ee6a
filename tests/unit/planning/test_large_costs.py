"""Costs and sums of costs up to 2**53, where 32 bits are long exceeded."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from search_tasks import ground_texts

from beeline.cli.main import main
from beeline.core.errors import Status, UnsupportedError
from beeline.planning.solve import solve

LIMIT = 2**53
OPTIMAL = ["blind", "lmcut", "max", "perfect"]
GREEDY = [*OPTIMAL, "add", "ff", "goalcount"]

ROAD = """(define (domain road) (:requirements :action-costs)
 (:predicates (at ?x) (next ?x ?y)) (:functions (total-cost) - number)
 (:action move :parameters (?x ?y) :precondition (and (at ?x) (next ?x ?y))
  :effect (and (not (at ?x)) (at ?y) (increase (total-cost) {cost})))
 (:action back :parameters (?x ?y) :precondition (and (at ?x) (next ?y ?x))
  :effect (and (not (at ?x)) (at ?y) (increase (total-cost) 1))))"""


def road(steps: int, *, ring: bool = False) -> str:
    places = [f"o{number}" for number in range(steps + 1)]
    pairs = list(pairwise(places))
    if ring:
        pairs.append((places[-1], places[0]))
    return (
        f"(define (problem p) (:domain road) (:objects {' '.join(places)}) (:init (at o0)"
        f" {' '.join(f'(next {a} {b})' for a, b in pairs)})"
        f" (:goal (at o{steps - 1 if ring else steps})) (:metric minimize (total-cost)))"
    )


@pytest.mark.parametrize("cost", [10**6, 10**9, 2**31 - 1, 2**31, 2**40])
@pytest.mark.parametrize("heuristic", OPTIMAL)
def test_optimal_plans_have_the_right_cost(cost: int, heuristic: str) -> None:
    result = solve(ground_texts(ROAD.format(cost=cost), road(4)), "astar", heuristic)
    assert (result.status, result.cost, result.optimal) == (Status.SOLVED, 4 * cost, True)


@pytest.mark.parametrize("heuristic", OPTIMAL)
def test_the_cheap_way_round_is_found(heuristic: str) -> None:
    task = ground_texts(ROAD.format(cost=2**31 - 1), road(4, ring=True))
    assert solve(task, "astar", heuristic).cost == 2


@pytest.mark.parametrize("heuristic", GREEDY)
@pytest.mark.parametrize("deferred", [False, True])
def test_greedy_searches_find_plans_whose_sums_pass_32_bits(heuristic: str, deferred: bool) -> None:
    task = ground_texts(ROAD.format(cost=2**31 - 1), road(6))
    result = solve(task, "gbfs", heuristic, deferred=deferred)
    assert result.cost == 6 * (2**31 - 1)


@pytest.mark.parametrize("heuristic", ["add", "ff", "lmcut", "max", "perfect"])
def test_estimates_of_a_road_are_exact(heuristic: str) -> None:
    task = ground_texts(ROAD.format(cost=3 * 10**9), road(5))
    assert solve(task, "gbfs", heuristic).initial_h == 15 * 10**9


def test_two_thousand_dear_steps_end_within_their_limit() -> None:
    task = ground_texts(ROAD.format(cost=10**6), road(2500))
    assert solve(task, "astar", "max").cost == 2500 * 10**6


@pytest.mark.parametrize("heuristic", GREEDY)
def test_plans_from_2_to_the_53_on_are_not_looked_for_and_the_result_says_so(
    heuristic: str,
) -> None:
    task = ground_texts(ROAD.format(cost=2**52), road(2))
    result = solve(task, "gbfs", heuristic)
    assert (result.status, result.plan, result.optimal) == (Status.INCOMPLETE, None, False)
    assert result.explanation == "plans that cost 2**53 or more are not looked for"
    below = ground_texts(ROAD.format(cost=2**52 - 1), road(2))
    assert solve(below, "astar", "blind").cost == LIMIT - 2


def test_an_anytime_search_never_calls_a_plan_optimal_beyond_a_given_up_state() -> None:
    task = ground_texts(ROAD.format(cost=7), road(3))

    def gives_up(batch: object) -> np.ndarray:
        states = list(batch)  # type: ignore[call-overload]
        return np.array([np.inf if "(at o2)" in state.fact_names else 1.0 for state in states])

    result = solve(task, "wastar", gives_up, anytime=True)
    assert (result.status, result.optimal) == (Status.INCOMPLETE, False)


def test_an_action_cost_of_2_to_the_53_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="huge action cost"):
        ground_texts(ROAD.format(cost=LIMIT), road(2))
    assert solve(ground_texts(ROAD.format(cost=LIMIT - 1), road(1))).cost == LIMIT - 1


def test_unit_costs_ignore_how_dear_actions_are(
    tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    domain, task = tmp_path / "d.pddl", tmp_path / "t.pddl"  # type: ignore[operator]
    domain.write_text(ROAD.format(cost=2**52))
    task.write_text(road(3))
    assert main(["solve", str(domain), str(task), "--json"]) == 12
    assert json.loads(capsys.readouterr().out)["explanation"].startswith("plans that cost 2**53")
    assert main(["solve", str(domain), str(task), "--unit-costs", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cost"] == 3
