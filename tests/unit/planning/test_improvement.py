"""Improved plans of random tasks: valid, never dearer, without useless steps, always the same."""

from __future__ import annotations

import random
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_tasks import PUZZLE, PlainTask, ground_texts, puzzle_task, random_search_task

from beeline import _native
from beeline.core.errors import BeelineError
from beeline.planning.result import Improvement, improve, states_for
from beeline.planning.solve import solve
from beeline.task.validator import validate

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask

seeds = st.integers(0, 2**32)
ENOUGH = 10**7  # states: more than the random tasks have


def long_plan(task: GroundTask, seed: int, steps: int = 60) -> list[int] | None:
    """A plan by walking at random until the goal is met, and on from there to meet it again."""
    if task.unsolvable_reason is not None:
        return None
    rng = random.Random(seed)
    state, plan = task.initial_state, list[int]()
    best = None
    for _ in range(steps):
        if state.is_goal:
            best = list(plan)
        successors = state.successors()
        if not successors:
            break
        operator, state = rng.choice(successors)
        plan.append(operator)
    return best


def reaches_goal(plain: PlainTask, operators: list[int]) -> bool:
    state = plain.initial
    for operator in operators:
        after = dict(plain.successors(state)).get(operator)
        if after is None:
            return False
        state = after
    return plain.goal <= set(state)


def cost_of(plain: PlainTask, operators: list[int]) -> int:
    return sum(plain.costs[operator] for operator in operators)


@settings(max_examples=150, deadline=None)
@given(seed=seeds, walk=seeds, unit_costs=st.booleans())
def test_no_useless_step_is_left_in_a_plan(seed: int, walk: int, unit_costs: bool) -> None:
    task = random_search_task(seed, unit_costs=unit_costs)
    operators = long_plan(task, walk)
    if operators is None:
        return
    plain = PlainTask(task)
    improver = _native.PlanImprover(_native.States(task.native), operators)
    improver.eliminate()
    kept = improver.plan
    assert reaches_goal(plain, kept)
    assert improver.cost == cost_of(plain, kept) <= cost_of(plain, operators)
    rest = iter(operators)
    assert all(operator in rest for operator in kept)  # a part of the plan, in its order
    for place in range(len(kept)):
        assert not reaches_goal(plain, kept[:place] + kept[place + 1 :])
    for first, last in combinations(range(len(kept) + 1), 2):
        assert not reaches_goal(plain, kept[:first] + kept[last:])


ROBOTS = """(define (domain robots)
  (:predicates (beside ?x ?y) (at ?r ?x) (lit ?x))
  (:action go :parameters (?r ?x ?y) :precondition (and (at ?r ?x) (beside ?x ?y))
    :effect (and (at ?r ?y) (not (at ?r ?x))))
  (:action light :parameters (?r ?x) :precondition (at ?r ?x) :effect (lit ?x)))"""


def test_of_long_walks_only_the_way_is_left() -> None:
    rooms, goals = 12, {"a": 6, "b": 3}
    beside = [f"(beside x{x} x{(x + turn) % rooms})" for x in range(rooms) for turn in (1, -1)]
    task = ground_texts(
        ROBOTS,
        f"""(define (problem walks) (:domain robots)
        (:objects a b {" ".join(f"x{x}" for x in range(rooms))})
        (:init (at a x0) (at b x0) {" ".join(beside)})
        (:goal (and {" ".join(f"(lit x{x})" for x in goals.values())})))""",
    )
    rng, places, steps = random.Random(0), dict.fromkeys(goals, 0), list[str]()

    def go(robot: str, turn: int) -> None:
        after = (places[robot] + turn) % rooms
        steps.append(f"(go {robot} x{places[robot]} x{after})")
        places[robot] = after

    for _ in range(12_000):
        go(rng.choice("ab"), rng.choice((1, -1)))
    for robot, room in goals.items():
        while places[robot] != room:
            go(robot, 1)
        steps.append(f"(light {robot} x{room})")
    found = improve(task, [task.operator_ids(step)[0] for step in steps], effort=0)
    assert validate(task.problem, found).valid
    assert len(found) <= len(goals) * rooms


@settings(max_examples=100, deadline=None)
@given(seed=seeds, walk=seeds, unit_costs=st.booleans())
def test_with_enough_effort_plans_of_small_tasks_become_optimal(
    seed: int, walk: int, unit_costs: bool
) -> None:
    task = random_search_task(seed, unit_costs=unit_costs)
    operators = long_plan(task, walk)
    if operators is None:
        return
    improvement = Improvement(task, operators)
    costs = [improvement.cost]
    improvement.advance(ENOUGH, on_plan=lambda _, cost: costs.append(cost))
    assert costs == sorted(costs, reverse=True)
    assert improvement.finished
    assert improvement.optimal
    assert improvement.cost == PlainTask(task).cheapest_plan_cost()
    assert validate(task.problem, improvement.plan, unit_costs=unit_costs).valid


@settings(max_examples=40, deadline=None)
@given(seed=seeds, walk=seeds, effort=st.integers(0, 20_000))
def test_any_effort_gives_a_valid_plan_that_is_never_dearer(
    seed: int, walk: int, effort: int
) -> None:
    task = random_search_task(seed)
    operators = long_plan(task, walk)
    if operators is None:
        return
    found = improve(task, operators, effort=effort)
    verdict = validate(task.problem, found)
    assert verdict.cost is not None
    assert verdict.cost == found.cost <= cost_of(PlainTask(task), operators)
    assert found == improve(task, operators, effort=effort)


PUZZLE_TASK = ground_texts(PUZZLE, puzzle_task(3, 3, 1))


@pytest.fixture(scope="module")
def puzzle_plan() -> list[int]:
    """A long plan of a sliding-tile puzzle."""
    found = solve(PUZZLE_TASK, "gbfs", "goalcount")
    assert found.plan is not None
    return [PUZZLE_TASK.operator_ids(step)[0] for step in found.plan]


def test_several_turns_do_what_one_turn_does(puzzle_plan: list[int]) -> None:
    at_once = Improvement(PUZZLE_TASK, puzzle_plan)
    at_once.advance(300_000)
    in_turns = Improvement(PUZZLE_TASK, puzzle_plan)
    while in_turns.generated < at_once.generated:
        in_turns.advance(min(1000, at_once.generated - in_turns.generated))
    assert in_turns.generated == at_once.generated
    assert in_turns.plan == at_once.plan


def test_every_better_plan_is_reported(puzzle_plan: list[int]) -> None:
    reported: list[int] = []
    found = improve(
        PUZZLE_TASK,
        puzzle_plan,
        effort=300_000,
        on_plan=lambda plan, cost: reported.append(cost) or reported.append(len(plan)),
    )
    lengths = reported[1::2]
    assert reported[::2] == lengths  # each step costs 1
    assert lengths == sorted(set(lengths), reverse=True)
    assert lengths[-1] == len(found) < len(puzzle_plan)


def test_a_watch_function_and_a_time_limit_end_it(puzzle_plan: list[int]) -> None:
    watched = Improvement(PUZZLE_TASK, puzzle_plan)
    watched.advance(10**12, watch=lambda _: False)
    assert watched.stopped
    timed = Improvement(PUZZLE_TASK, puzzle_plan)
    timed.advance(10**12, seconds=0.05)
    assert timed.stopped or timed.optimal


def test_a_better_plan_from_elsewhere_is_taken(puzzle_plan: list[int]) -> None:
    cheapest = solve(PUZZLE_TASK, "astar", "lmcut").plan
    assert cheapest is not None
    operators = [PUZZLE_TASK.operator_ids(step)[0] for step in cheapest]
    improvement = Improvement(PUZZLE_TASK, puzzle_plan)
    assert improvement.offer(operators)
    assert improvement.cost == len(cheapest)
    assert not improvement.offer(puzzle_plan)
    assert improvement.plan == cheapest


def test_what_is_no_plan_is_refused(puzzle_plan: list[int]) -> None:
    states = _native.States(PUZZLE_TASK.native)
    with pytest.raises(ValueError, match="no plan of the task"):
        _native.PlanImprover(states, puzzle_plan[:-1])
    with pytest.raises(IndexError, match="no operator"):
        _native.PlanImprover(states, [PUZZLE_TASK.num_operators])


def test_no_share_means_no_effort_and_every_share_some() -> None:
    assert states_for(0, 1e9, PUZZLE_TASK) == 0
    assert 0 < states_for(0.1, 0, PUZZLE_TASK) < states_for(0.1, 1e6, PUZZLE_TASK)


def test_solve_leaves_plans_as_found_unless_told() -> None:
    words = {"search": "gbfs", "heuristic": "goalcount"}
    as_found = solve(PUZZLE_TASK, **words)
    tidy = solve(PUZZLE_TASK, **words, as_found=False)
    improved = solve(PUZZLE_TASK, **words, improve=1)
    assert as_found.expanded == tidy.expanded == improved.expanded
    lengths = [result.length or 0 for result in (as_found, tidy, improved)]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[2] < lengths[0]
    assert improved.plan_costs[-1] == improved.cost
    with pytest.raises(BeelineError, match="as they are found, and improved"):
        solve(PUZZLE_TASK, as_found=True, improve=1)
    with pytest.raises(BeelineError, match="improve -1"):
        solve(PUZZLE_TASK, improve=-1)
