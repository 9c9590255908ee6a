"""The engine's regression, sample graphs and completion against slow and plain versions."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from plain_regression import NAMES, PlainRegression, matches, small_task
from search_tasks import ground_texts

from beeline import _native
from beeline.data.regression import facts_of

SHELVES = """(define (domain shelves) (:predicates (on ?t ?s) (free ?s) (fits ?t ?s))
 (:action put :parameters (?t ?a ?b) :precondition (and (on ?t ?a) (free ?b) (fits ?t ?b))
  :effect (and (on ?t ?b) (not (on ?t ?a)) (free ?a) (not (free ?b)))))
"""
SHELVES_TASK = """(define (problem shelves) (:domain shelves)
 (:objects cup jug pot one two three four)
 (:init (fits cup one) (fits cup two) (fits jug three) (fits jug one) (fits pot two)
  (fits pot three) (fits pot four) (on cup one) (on pot two) (on jug three) (free four))
 (:goal (and (on jug one) (on cup two) (on pot three))))
"""

if TYPE_CHECKING:
    from plain_regression import State

    from beeline.task.ground_task import GroundTask


def some_partial_states(plain: PlainRegression, reachable: list[State]) -> list[State]:
    """All partial states if these are few, otherwise parts of reachable states and random ones."""
    if np.prod([len(domain) + 1 for domain in plain.domains], dtype=float) <= 400:
        return list(plain.all_partial_states())
    rng = random.Random(0)
    parts = [
        tuple(value if rng.random() < 0.5 else -1 for value in rng.choice(reachable))
        for _ in range(40)
    ]
    odd = [tuple(rng.choice([-1, *domain]) for domain in plain.domains) for _ in range(40)]
    return [plain.goal_state, *parts, *odd]


def predecessors(states: _native.PartialStates, partial: State) -> list[tuple[int, State]]:
    number = int(states.insert(np.array([partial], np.int32))[0])
    operators, ids = states.predecessors(number)
    rows = states.values(ids).tolist()
    return [(op, tuple(row)) for op, row in zip(operators.tolist(), rows, strict=True)]


@pytest.mark.parametrize("name", NAMES)
class TestPredecessors:
    def test_every_state_of_a_predecessor_leads_into_the_partial_state(self, name: str) -> None:
        task = small_task(name)
        plain = PlainRegression(task)
        reachable = plain.reachable()
        successors = {state: dict(plain.successors(state)) for state in reachable}
        states = _native.PartialStates(task.native)
        for partial in some_partial_states(plain, reachable):
            for op, predecessor in predecessors(states, partial):
                for state in reachable:
                    if matches(state, predecessor):
                        assert matches(successors[state][op], partial)

    def test_no_reachable_way_into_the_partial_state_is_missed(self, name: str) -> None:
        task = small_task(name)
        plain = PlainRegression(task)
        reachable = plain.reachable()
        states = _native.PartialStates(task.native)
        for partial in some_partial_states(plain, reachable):
            found = predecessors(states, partial)
            for state in reachable:
                for op, successor in plain.successors(state):
                    written = {
                        plain.variable_of[value]
                        for needed, value in plain.effects[op]
                        if set(state).issuperset(needed)
                    }
                    relevant = any(partial[variable] >= 0 for variable in written)
                    if relevant and matches(successor, partial):
                        assert any(o == op and matches(state, p) for o, p in found)

    def test_predecessors_are_those_of_the_definition(self, name: str) -> None:
        task = small_task(name)
        plain = PlainRegression(task)
        if any(needed for effects in plain.effects for needed, _ in effects):
            assert name in ("guarded", "conditional")
            return
        states = _native.PartialStates(task.native)
        for partial in some_partial_states(plain, plain.reachable()):
            if not plain.has_mutex(partial):
                found = predecessors(states, partial)
                assert len(set(found)) == len(found)
                assert set(found) == plain.predecessors(partial)


def distinct_samples(
    task: GroundTask, strategy: str, count: int
) -> tuple[_native.PartialStates, np.ndarray, np.ndarray]:
    """Different samples, each with the largest estimate that it was drawn with."""
    states = _native.PartialStates(task.native)
    ids, estimates, _ = states.sample(strategy, count, 0.1, 12, 5)
    distinct, places = np.unique(ids, return_inverse=True)
    largest = np.zeros(len(distinct), np.int32)
    np.maximum.at(largest, places, estimates)
    return states, distinct, largest


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("strategy", ["fsm", "random-walk", "xrs"])
class TestSampleGraph:
    def test_successor_improvement_is_all_pairs_shortest_ways(
        self, name: str, strategy: str
    ) -> None:
        task = small_task(name)
        plain = PlainRegression(task)
        states, ids, estimates = distinct_samples(task, strategy, 60)
        samples = [tuple(row) for row in states.values(ids).tolist()]
        graph = _native.SampleGraph(states, ids)
        assert graph.arcs == len(plain.sample_arcs(samples))
        assert graph.improved(estimates).tolist() == plain.improved(samples, estimates)

    def test_preferred_operators_begin_shortest_ways(self, name: str, strategy: str) -> None:
        task = small_task(name)
        plain = PlainRegression(task)
        states, ids, estimates = distinct_samples(task, strategy, 60)
        samples = [tuple(row) for row in states.values(ids).tolist()]
        graph = _native.SampleGraph(states, ids)
        costs = graph.improved(estimates)
        starts, items = (array.tolist() for array in graph.preferred(costs))
        expected: list[set[int]] = [set() for _ in samples]
        for source, target, op in plain.sample_arcs(samples):
            if costs[source] == plain.costs[op] + costs[target]:
                expected[source].add(op)
        assert [items[a:b] for a, b in pairwise(starts)] == [sorted(row) for row in expected]


class TestCompletion:
    @pytest.mark.parametrize("name", NAMES)
    def test_it_keeps_what_is_defined_and_respects_mutexes(self, name: str) -> None:
        task = small_task(name)
        plain = PlainRegression(task)
        rng = random.Random(1)
        rows = [
            [value if rng.random() < 0.4 else -1 for value in state]
            for state in rng.choices(plain.reachable(), k=50)
        ]
        values, complete = _native.complete(task.native, np.array(rows, np.int32), 10_000, 3)
        assert complete.all()
        for row, completed in zip(rows, values.tolist(), strict=True):
            assert matches(tuple(completed), tuple(row))
            assert min(completed) >= 0
            assert not plain.has_mutex(tuple(completed))

    def test_what_cannot_be_completed_stays_undefined(self) -> None:
        task = ground_texts(SHELVES, SHELVES_TASK)
        plain = PlainRegression(task)
        # Shelf one is too small for the pot, and everything else is elsewhere.
        names = ("(on cup two)", "(on jug three)", "(free four)")
        taken = [task.value_names.index(name) for name in names]
        partial = plain.partial(set(taken))
        assert not plain.has_mutex(partial)
        assert not any(matches(state, partial) for state in plain.reachable())
        values, complete = _native.complete(task.native, np.array([partial] * 9, np.int32), 20, 0)
        assert complete.tolist() == [0] * 9
        assert values.tolist() == [list(partial)] * 9
        facts = facts_of(task, values)
        assert facts.sum(axis=1).tolist() == [3] * 9
        assert facts[0, task.native.fact_of[taken]].tolist() == [1, 1, 1]
