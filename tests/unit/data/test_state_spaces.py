from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from plain_regression import NAMES, PlainRegression, small_task
from search_tasks import ground_texts, random_search_task

from beeline import _native
from beeline.core.errors import BeelineError, ExitCode
from beeline.data.state_spaces import StateSpaceTooLargeError, state_space_samples
from beeline.generators import generate
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask

TRAP = """(define (domain trap) (:predicates (here) (there) (lost))
 (:action go :parameters () :precondition (here) :effect (and (there) (not (here))))
 (:action fall :parameters () :precondition (here) :effect (and (lost) (not (here)))))
"""


@pytest.mark.parametrize("name", NAMES)
class TestAgainstBruteForce:
    def test_states_arcs_and_distances(self, name: str) -> None:
        task = small_task(name)
        plain = PlainRegression(task)
        distances = plain.distances(plain.reachable())
        space = state_space_samples(task)
        assert space.arcs == sum(len(list(plain.successors(state))) for state in distances)
        found = dict(zip(map(tuple, space.values.tolist()), space.h_star.tolist(), strict=True))
        dead = {state for state, h in distances.items() if np.isinf(h)}
        assert found == {s: -1 if s in dead else int(h) for s, h in distances.items()}
        assert space.states == len(space) == len(distances)
        assert space.dead_ends == len(dead)
        assert space.d_star == (None if len(dead) == space.states else max(found.values()))
        assert tuple(space.values[0].tolist()) == plain.initial

    def test_ideal_operators_begin_cheapest_plans(self, name: str) -> None:
        task = small_task(name)
        plain = PlainRegression(task)
        distances = plain.distances(plain.reachable())
        space = state_space_samples(task)
        starts, items = (array.tolist() for array in space.ideal)
        for row, (begin, end) in zip(space.values.tolist(), pairwise(starts), strict=True):
            state = tuple(row)
            expected = [
                op
                for op, successor in plain.successors(state)
                if plain.costs[op] + distances[successor] == distances[state] < np.inf
                and not plain.goal <= set(state)
            ]
            assert sorted(items[begin:end]) == expected

    def test_with_unit_costs_they_lead_nearest_to_the_goal(self, name: str) -> None:
        if name.startswith("random"):
            task = random_search_task(int(name[len("random") :]), unit_costs=True)
        else:
            task = small_task(name)
        plain = PlainRegression(task)
        if set(plain.costs) != {1}:
            assert name == "guarded"
            return
        distances = plain.distances(plain.reachable())
        space = state_space_samples(task)
        starts, items = (array.tolist() for array in space.ideal)
        for row, (begin, end) in zip(space.values.tolist(), pairwise(starts), strict=True):
            if 0 < distances[tuple(row)] < np.inf:
                reached = {op: distances[s] for op, s in plain.successors(tuple(row))}
                nearest = min(reached.values())
                assert sorted(items[begin:end]) == [o for o, h in reached.items() if h == nearest]


class TestProperty:
    @pytest.mark.parametrize(
        ("name", "size"),
        [
            ("blocksworld", {"blocks": 5}),
            ("ferry", {"cars": 3, "locations": 3}),
            ("gripper", {"balls": 3}),
            ("visitall", {"width": 3, "height": 3}),
        ],
    )
    @pytest.mark.parametrize("seed", [0, 1, 2])
    def test_a_blind_search_expands_exactly_the_states_of_an_optimal_path(
        self, name: str, size: dict[str, float], seed: int
    ) -> None:
        """Ideal preferred operators, no other queue, ties broken by larger g (property 1)."""
        task = ground(generate(name, seed=seed, **size), unit_costs=True)
        expanded, result = search_with_ideal_operators(task)
        states = _native.States(task.native)
        path = [states.initial]
        for op in result.plan:
            operators, successors = states.successors(path[-1])
            path.append(int(successors[operators.tolist().index(op)]))
        values = states.values(np.array(path, np.uint32)).tolist()
        assert expanded == values[:-1]
        assert result.counters.expanded == len(path)  # the goal state is counted, too
        assert result.cost == state_space_samples(task).h_star[0]


def search_with_ideal_operators(
    task: GroundTask,
) -> tuple[list[list[int]], _native.SearchResult]:
    """The values of the states that were expanded, and the result."""
    states = _native.States(task.native)
    perfect = _native.make_heuristic("perfect", task.native)
    expanded: list[int] = []

    def preferred(state: int) -> list[int]:
        expanded.append(state)
        return perfect.preferred(states, state)

    config = _native.SearchConfig()
    config.evaluators = [_native.make_heuristic("blind", task.native)]
    # Of this evaluator only the operators are asked for.
    config.preferred = [_native.PythonEvaluator(len, preferred)]
    larger_g = _native.KeySpec(-1.0, 0.0)
    config.queues = [_native.QueueSpec([_native.KeySpec(), larger_g], preferred_only=True)]
    result = _native.search(states, states.initial, config)
    return states.values(np.array(expanded, np.uint32)).tolist(), result


class TestSamples:
    def test_a_part_is_random_but_the_same_for_a_seed(self) -> None:
        task = small_task("blocksworld")
        whole = state_space_samples(task)
        part, again = (state_space_samples(task, count=9, seed=3) for _ in range(2))
        assert part.ids.tolist() == again.ids.tolist() == sorted(set(part.ids.tolist()))
        assert part.values.tolist() == whole.values[part.ids].tolist()
        assert part.h_star.tolist() == whole.h_star[part.ids].tolist()
        assert len(part) == 9
        assert part.states == whole.states
        assert state_space_samples(task, count=9, seed=4).ids.tolist() != part.ids.tolist()

    def test_dead_ends_are_counted(self) -> None:
        task = ground_texts(TRAP, "(define (problem p) (:domain trap) (:init (here))"
                                  " (:goal (and (there) (not (lost)))))")  # fmt: skip
        space = state_space_samples(task)
        assert space.states == 3
        assert space.dead_ends == 1
        assert space.d_star == 1
        assert sorted(space.h_star.tolist()) == [-1, 0, 1]

    def test_a_goal_that_no_state_reaches_has_no_distance(self) -> None:
        task = random_search_task(3)  # grounding does not see it
        assert task.unsolvable_reason is None
        space = state_space_samples(task)
        assert space.d_star is None
        assert space.dead_ends == space.states > 1
        assert space.summary()["mean_preferred"] == 0

    def test_too_many_states_are_refused(self) -> None:
        task = ground(generate("blocksworld", seed=1, blocks=5))
        with pytest.raises(StateSpaceTooLargeError, match="more than 100 states") as caught:
            state_space_samples(task, max_states=100)
        assert caught.value.exit_code == ExitCode.MEMORY_LIMIT

    @pytest.mark.parametrize("wrong", [{"count": 0}, {"seed": -1}, {"max_states": 0}])
    def test_nonsense_is_refused(self, wrong: dict[str, int]) -> None:
        with pytest.raises(BeelineError):
            state_space_samples(small_task("ferry"), **wrong)
