"""Enumerated states and their families, against the engine's perfect heuristic."""

from __future__ import annotations

import numpy as np
import pytest
from search_tasks import PUZZLE, ground_texts, puzzle_task, random_search_task

from beeline import _native
from beeline.fitting.pairs import _shortest_arcs, enumerate_states
from beeline.planning.heuristics import make_evaluator


@pytest.mark.parametrize("seed", range(1, 12))
@pytest.mark.parametrize("unit_costs", [False, True])
def test_distances_are_those_of_the_perfect_heuristic(seed: int, unit_costs: bool) -> None:
    task = random_search_task(seed, unit_costs=unit_costs)
    if task.unsolvable_reason is not None:
        return
    states = _native.States(task.native)
    space = enumerate_states(task, states, 10**6)
    assert space is not None
    ids = np.arange(len(space), dtype=np.uint32)
    perfect = make_evaluator("perfect", task).evaluate(states, ids)
    costs = np.floor(space.distance / 2.0**20)
    np.testing.assert_array_equal(costs, perfect)


@pytest.mark.parametrize("seed", range(1, 12))
def test_every_good_child_is_on_a_shortest_way_and_no_bad_one_is(seed: int) -> None:
    task = random_search_task(seed)
    if task.unsolvable_reason is not None:
        return
    states = _native.States(task.native)
    space = enumerate_states(task, states, 10**6)
    assert space is not None
    live = np.flatnonzero((space.distance > 0) & np.isfinite(space.distance)).tolist()
    families = space.families(range(len(space)))
    assert [family.parent for family in families] == live
    for family in families:
        operators, children = states.successors(family.parent)
        best: dict[int, float] = {}
        for operator, child in zip(operators.tolist(), children.tolist(), strict=True):
            length = float(task.costs[operator]) * 2.0**20 + 1 + space.distance[child]
            best[child] = min(best.get(child, np.inf), length)
        distance = space.distance[family.parent]
        good = {child for child, length in best.items() if length == distance}
        assert good
        assert set(family.good) == good
        assert set(family.bad) == set(best) - good - {family.parent}


@pytest.mark.parametrize("seed", range(1, 12))
def test_a_dead_end_is_worse_than_what_waits_where_it_was_entered(seed: int) -> None:
    task = random_search_task(seed)
    if task.unsolvable_reason is not None:
        return
    states = _native.States(task.native)
    space = enumerate_states(task, states, 10**6)
    assert space is not None
    dead = np.flatnonzero(np.isinf(space.distance)).tolist()
    families = space.dead_families(dead)
    told = [state for family in families for state in family.bad]
    assert told == [state for state in dead if state in told]
    if not (space.distance == 0).any() or not np.isfinite(space.distance[0]):
        assert told == []
    elif not any(
        np.isinf(space.distance[states.successors(int(goal))[1]]).any()
        for goal in np.flatnonzero(space.distance == 0)
    ):
        assert told == dead  # else some are entered from the goal, where no search goes on
    for parent, good, (state,) in families:
        assert 0 < space.distance[parent] < np.inf
        assert good == space.family(parent).good
        reached, left = {parent}, [parent]  # the way on leads through dead ends alone
        while left:
            _, children = states.successors(left.pop())
            new = {c for c in children.tolist() if np.isinf(space.distance[c])} - reached
            reached |= new
            left += new
        assert state in reached


def test_too_many_states_are_given_up() -> None:
    task = ground_texts(PUZZLE, puzzle_task(3, 2, 1))
    assert enumerate_states(task, _native.States(task.native), 100) is None
    whole = enumerate_states(task, _native.States(task.native), 360)
    assert whole is not None
    assert len(whole) == 360


def test_one_state_from_which_nothing_leads_on_has_no_arcs() -> None:
    nothing = np.array([], dtype=np.int64)
    lengths, (sources, targets) = _shortest_arcs(nothing, nothing, np.array([]), 2, nothing)
    assert len(lengths) == len(sources) == len(targets) == 0
