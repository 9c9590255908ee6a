"""Every heuristic of the registry keeps what its entry promises, on all states of small tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from search_tasks import PUZZLE, PlainTask, ground_texts, puzzle_task, random_search_task

from beeline import _native
from beeline.core.errors import BeelineError
from beeline.planning.heuristics import HEURISTICS, heuristic_entry, make_evaluator

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from beeline.task.ground_task import GroundTask

seeds = st.integers(0, 2**32)


def all_states(task: GroundTask, limit: int = 400) -> tuple[_native.States, NDArray[np.uint32]]:
    """The reachable states, at most so many, in breadth-first order."""
    states = _native.States(task.native)
    number = 0
    while number < min(len(states), limit):
        states.successors(number)
        number += 1
    return states, np.arange(min(len(states), limit), dtype=np.uint32)


def solvable(seed: int, *, unit_costs: bool = False) -> GroundTask:
    task = random_search_task(seed, unit_costs=unit_costs)
    assume(task.unsolvable_reason is None)
    return task


def values(name: str, task: GroundTask) -> NDArray[np.float64]:
    states, ids = all_states(task)
    return make_evaluator(name, task).evaluate(states, ids)


def test_the_engine_makes_every_heuristic_that_it_lists() -> None:
    task = ground_texts(PUZZLE, puzzle_task(3, 2, 1))
    assert list(HEURISTICS) == sorted(HEURISTICS)
    for name, entry in HEURISTICS.items():
        evaluator = _native.make_heuristic(name, task.native)
        assert name == entry.name
        assert entry.summary
        assert entry.work >= 0
        assert evaluator.proves_dead_ends is entry.safe
        assert evaluator.has_preferred is entry.preferred


def test_inadmissible_heuristics_are_not_called_consistent() -> None:
    # A consistent heuristic that is 0 in goal states never overestimates.
    assert all(entry.admissible for entry in HEURISTICS.values() if entry.consistent)


@pytest.mark.parametrize("name", sorted(HEURISTICS))
class TestEachHeuristic:
    @settings(max_examples=60)
    @given(seed=seeds)
    def test_keeps_its_promises(self, name: str, seed: int) -> None:
        entry = heuristic_entry(name)
        task = solvable(seed)
        own, perfect = values(name, task), values("perfect", task)
        assert not np.isnan(own).any()
        assert (own >= 0).all()
        if entry.safe:
            assert np.isinf(perfect[np.isinf(own)]).all()
        if entry.admissible:
            assert (own <= perfect).all()
        if entry.integral:
            finite = own[np.isfinite(own)]
            assert (finite == np.floor(finite)).all()
        if not entry.uses_costs:
            unit = random_search_task(seed, unit_costs=True)
            assert (values(name, unit) == own).all()

    @settings(max_examples=20)
    @given(seed=seeds)
    def test_is_zero_in_goal_states(self, name: str, seed: int) -> None:
        task = solvable(seed)
        states, ids = all_states(task)
        goal = set(task.goal.tolist())
        is_goal = [goal <= set(row) for row in states.values(ids).tolist()]
        own = make_evaluator(name, task).evaluate(states, ids)
        assert (own[np.array(is_goal)] == 0).all()

    @settings(max_examples=20)
    @given(seed=seeds)
    def test_has_preferred_operators_where_it_says_so(self, name: str, seed: int) -> None:
        task = solvable(seed)
        evaluator = make_evaluator(name, task)
        assert evaluator.has_preferred is heuristic_entry(name).preferred
        states, ids = all_states(task, 50)
        for state in ids.tolist():
            operators, _ = states.successors(state)
            assert set(evaluator.preferred(states, state)) <= set(operators.tolist())

    def test_is_the_same_one_by_one_and_in_batches(self, name: str) -> None:
        task = ground_texts(PUZZLE, puzzle_task(3, 2, 1))
        states, ids = all_states(task)
        evaluator = make_evaluator(name, task)
        batch = evaluator.evaluate(states, ids)
        single = [evaluator.evaluate(states, ids[i : i + 1])[0] for i in range(len(ids))]
        assert batch.tolist() == single


@pytest.mark.parametrize("name", [name for name in HEURISTICS if HEURISTICS[name].consistent])
@settings(max_examples=60)
@given(seed=seeds)
def test_consistent_heuristics_fall_by_no_more_than_a_cost(name: str, seed: int) -> None:
    task = solvable(seed)
    states, ids = all_states(task, 100)
    evaluator = make_evaluator(name, task)
    for state, own in enumerate(evaluator.evaluate(states, ids)):
        operators, successors = states.successors(state)
        assert (own <= task.costs[operators] + evaluator.evaluate(states, successors)).all()


@settings(max_examples=150)
@given(seed=seeds, unit_costs=st.booleans())
def test_lmcut_lies_between_max_and_the_truth(seed: int, unit_costs: bool) -> None:
    task = solvable(seed, unit_costs=unit_costs)
    lower, cuts, perfect = (values(name, task) for name in ("max", "lmcut", "perfect"))
    assert (lower <= cuts).all()
    assert (cuts <= perfect).all()


@settings(max_examples=100)
@given(seed=seeds)
def test_perfect_is_the_cost_of_a_cheapest_plan(seed: int) -> None:
    task = solvable(seed)
    cost = PlainTask(task).cheapest_plan_cost()
    assert values("perfect", task)[0] == (np.inf if cost is None else cost)


@settings(max_examples=100)
@given(seed=seeds)
def test_relaxed_plans_reach_the_goal_without_deletes(seed: int) -> None:
    task = solvable(seed)
    plain = PlainTask(task)
    states, ids = all_states(task, 100)
    ff = _native.FFHeuristic(task.native)
    costs = ff.evaluate(states, ids)
    rows = states.values(ids).tolist()
    for state in ids[np.isfinite(costs)].tolist():
        plan = ff.relaxed_plan(states, state)
        assert len(set(plan)) == len(plan)
        assert sum(plain.costs[operator] for operator in plan) == costs[state]
        reached, waiting = set(rows[state]), list(plan)
        while ready := [number for number in waiting if plain.conditions[number] <= reached]:
            before = len(reached)
            for number in ready:
                for needed, value in plain.effects[number]:
                    if reached.issuperset(needed):
                        reached.add(value)
            waiting = [number for number in waiting if number not in ready]
            if len(reached) == before and not waiting:
                break
        assert waiting == []
        assert plain.goal <= reached


def test_states_without_a_relaxed_plan_are_dead_ends() -> None:
    for seed in range(200):
        task = random_search_task(seed)
        if task.unsolvable_reason is None:
            ff, relaxed = values("ff", task), values("max", task)
            assert (np.isinf(ff) == np.isinf(relaxed)).all()


def test_an_unknown_name_gets_a_hint() -> None:
    with pytest.raises(BeelineError, match=r"there are add, blind.*did you mean 'goalcount'"):
        heuristic_entry("goal-count")
