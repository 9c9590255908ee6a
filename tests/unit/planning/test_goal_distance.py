"""Heuristics `distance`, `pairs` and `stages`: steps that goals are away, alone or together."""

from __future__ import annotations

from collections import deque
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from beeline import _native
from beeline.generators import generate
from beeline.planning.heuristics import make_evaluator
from beeline.planning.solve import solve
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from beeline.task.ground_task import GroundTask


def walk(task: GroundTask, steps: int, seed: int) -> tuple[_native.States, list[int]]:
    """States of a random walk, as numbers."""
    states, random = _native.States(task.native), np.random.default_rng(seed)
    found = [states.initial]
    for _ in range(steps):
        _, successors = states.successors(found[-1])
        found.append(int(random.choice(successors)))
    return states, found


def values_along_a_walk(domain: str, *names: str) -> list[NDArray[np.float64]]:
    """Of each heuristic, in the states of a random walk in a task of the domain."""
    task = ground(generate(domain, seed=2))
    states, found = walk(task, 60, seed=3)
    ids = np.array(found, dtype=np.uint32)
    return [make_evaluator(name, task).evaluate(states, ids) for name in names]


def true_atoms(task: GroundTask, states: _native.States, state: int) -> list[list[str]]:
    names = np.array(task.fact_names)
    values = states.values(np.array([state], dtype=np.uint32))[0]
    facts = task.native.fact_of[values]
    return [name[1:-1].split() for name in names[facts[facts >= 0]].tolist()]


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (2, 4), (4, 4)])
def test_tiles_are_as_far_away_as_manhattan_distance_says(rows: int, columns: int) -> None:
    task = ground(generate("npuzzle", seed=5, rows=rows, columns=columns))
    beside: dict[str, set[str]] = {}
    for name, *args in task.problem.init:
        if name == "neighbor":
            beside.setdefault(args[0], set()).add(args[1])
    goals = {it.args[0]: it.args[1] for it in task.goal_literals if len(it.args) == 2}
    states, found = walk(task, 30, seed=1)
    values = make_evaluator("distance", task).evaluate(states, np.array(found, dtype=np.uint32))
    for state, value in zip(found, values.tolist(), strict=True):
        at = {args[0]: args[1] for _, *args in true_atoms(task, states, state) if len(args) == 2}
        assert value == sum(steps(beside, at[tile], place) for tile, place in goals.items())


def steps(beside: dict[str, set[str]], start: str, end: str) -> int:
    """Length of a shortest way."""
    known, queue = {start: 0}, deque([start])
    while queue:
        place = queue.popleft()
        for other in beside[place]:
            if other not in known:
                known[other] = known[place] + 1
                queue.append(other)
    return known[end]


@pytest.mark.parametrize("domain", ["visitall", "blocksworld", "gripper"])
def test_it_is_zero_exactly_where_all_goals_hold(domain: str) -> None:
    distance, count = values_along_a_walk(domain, "distance", "goalcount")
    assert ((distance == 0) == (count == 0)).all()
    assert (distance >= count).all()


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (2, 4)])
def test_pairs_of_tiles_are_as_far_away_as_if_they_were_alone(rows: int, columns: int) -> None:
    task = ground(generate("npuzzle", seed=5, rows=rows, columns=columns))
    beside: dict[str, set[str]] = {}
    for name, *args in task.problem.init:
        if name == "neighbor":
            beside.setdefault(args[0], set()).add(args[1])
    goals = {it.args[0]: it.args[1] for it in task.goal_literals if len(it.args) == 2}
    states, found = walk(task, 12, seed=2)
    distances, pairs = (
        make_evaluator(name, task).evaluate(states, np.array(found, dtype=np.uint32)).tolist()
        for name in ("distance", "pairs")
    )
    for state, distance, value in zip(found, distances, pairs, strict=True):
        at = {args[0]: args[1] for _, *args in true_atoms(task, states, state) if len(args) == 2}
        expected = distance
        for one, other in combinations(goals, 2):
            alone = sum(steps(beside, at[tile], goals[tile]) for tile in (one, other))
            places, ends = (at[one], at[other]), (goals[one], goals[other])
            expected += steps_of_two(beside, places, ends) - alone
        assert value == expected
    assert pairs != distances


def steps_of_two(beside: dict[str, set[str]], start: tuple[str, str], end: tuple[str, str]) -> int:
    """Length of a shortest way of two things that move one at a time and never share a place."""
    known, queue = {start: 0}, deque([start])
    while queue:
        first, second = here = queue.popleft()
        for other in (
            *((place, second) for place in beside[first]),
            *((first, place) for place in beside[second]),
        ):
            if other not in known and other[0] != other[1]:
                known[other] = known[here] + 1
                queue.append(other)
    return known[end]


def test_tables_of_pairs_count_as_work() -> None:
    tasks = [ground(generate("npuzzle", seed=1, rows=side, columns=side)) for side in (3, 4)]
    works = [make_evaluator("pairs", task).work for task in tasks]
    # 28 and 105 pairs of tiles: in each place of one the 24 or 48 steps of the other, both ways.
    looks = [28 * 2 * 9 * 24, 105 * 2 * 16 * 48]
    assert works[1] / works[0] == pytest.approx(looks[1] / looks[0])


@pytest.mark.parametrize(
    ("rows", "columns", "seed"), [(3, 3, 1), (3, 3, 2), (3, 4, 3), (4, 4, 4), (5, 5, 5)]
)
def test_stages_lead_straight_to_the_goal(rows: int, columns: int, seed: int) -> None:
    task = ground(generate("npuzzle", seed=seed, rows=rows, columns=columns))
    result = solve(task, "gbfs", "stages")
    assert result.plan is not None
    assert result.expanded <= len(result.plan) + 1  # the goal, too, is taken from the queue


def test_a_step_of_stages_is_one_less() -> None:
    """Some successor of every state is nearer by one, or a stage further, until the goal."""
    task = ground(generate("npuzzle", seed=7, rows=3, columns=4))
    states = _native.States(task.native)
    evaluator = make_evaluator("stages", task)
    here, value = states.initial, np.inf
    for _ in range(500):
        (now,) = evaluator.evaluate(states, np.array([here], dtype=np.uint32)).tolist()
        assert now < value
        value = now
        if value == 0:
            break
        successors = states.successors(here)[1].astype(np.uint32)
        here = int(successors[np.argmin(evaluator.evaluate(states, successors))])
    assert value == 0


@pytest.mark.parametrize("domain", ["visitall", "blocksworld", "gripper", "warehouse", "npuzzle"])
def test_stages_are_zero_exactly_where_all_goals_hold(domain: str) -> None:
    stages, count = values_along_a_walk(domain, "stages", "goalcount")
    assert ((stages == 0) == (count == 0)).all()


@pytest.mark.parametrize("domain", ["blocksworld", "gripper"])
def test_stages_are_distances_where_nothing_is_free(domain: str) -> None:
    stages, distance = values_along_a_walk(domain, "stages", "distance")
    assert (stages == distance).all()


@pytest.mark.parametrize("domain", ["warehouse", "sokoban"])
def test_goals_whose_ways_cannot_be_gone_back_are_not_reached_in_stages(domain: str) -> None:
    stages, distance = values_along_a_walk(domain, "stages", "distance")
    assert (stages == distance).all()
