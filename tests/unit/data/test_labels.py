"""What datasets say about states, against plain computations and against searches."""

from __future__ import annotations

import heapq
import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from search_tasks import PUZZLE, PlainTask, ground_texts, puzzle_task, random_strips

from beeline import _native
from beeline.data.manifest import HEURISTICS
from beeline.data.optimal_plans import Instance, sample_instance
from beeline.data.task_sets import PlanSettings, Source
from beeline.generators import domain_text, instances
from beeline.planning.heuristics import make_evaluator
from beeline.planning.solve import solve

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask

    Columns = dict[str, Any]

EVERYTHING = PlanSettings(siblings=True, sibling_h_star=True)


def sample(domain: str, text: str, settings: PlanSettings = EVERYTHING) -> tuple[Any, Columns]:
    instance = Instance(0, "train", Source("p", text=text))
    row, columns = sample_instance(domain, instance, settings)
    assert columns is not None
    return row, columns


def tasks_for_labels() -> list[tuple[str, str]]:
    blocks = [
        (domain_text("blocksworld"), text)
        for _, text in instances("blocksworld", count=6, seed=3, blocks=4)
    ]
    ferry = [
        (domain_text("ferry"), text)
        for _, text in instances("ferry", count=3, seed=3, cars=2, locations=3)
    ]
    spanner = [
        (domain_text("spanner"), text)
        for _, text in instances("spanner", count=2, seed=3, spanners=2, nuts=1, locations=2)
    ]
    return [*blocks, *ferry, *spanner, (PUZZLE, puzzle_task(3, 2, 1))]


def distances(task: GroundTask) -> dict[frozenset[int], float]:
    """The cost from every reachable state to the nearest goal state, by its facts."""
    plain = PlainTask(task)
    fact_of = task.native.fact_of.tolist()
    arcs: dict[Any, list[tuple[Any, int]]] = {}
    seen, queue = {plain.initial}, [plain.initial]
    for state in queue:
        for operator, successor in plain.successors(state):
            arcs.setdefault(successor, []).append((state, plain.costs[operator]))
            if successor not in seen:
                seen.add(successor)
                queue.append(successor)
    cost = {state: 0 if plain.goal <= set(state) else math.inf for state in queue}
    heap = [(0, state) for state in queue if cost[state] == 0]
    while heap:
        reached, state = heapq.heappop(heap)
        if reached == cost[state]:
            for before, weight in arcs.get(state, ()):
                if reached + weight < cost[before]:
                    cost[before] = reached + weight
                    heapq.heappush(heap, (reached + weight, before))
    return {
        frozenset(fact_of[value] for value in state if fact_of[value] >= 0): distance
        for state, distance in cost.items()
    }


def fact_sets(columns: Columns) -> list[frozenset[int]]:
    starts, items = columns["facts"]
    return [frozenset(items[a:b].tolist()) for a, b in itertools.pairwise(starts)]


def test_h_star_is_the_distance_to_the_nearest_goal_state() -> None:
    compared = dead = 0
    for domain, text in tasks_for_labels():
        _, columns = sample(domain, text)
        expected = distances(ground_texts(domain, text))
        for facts, h_star in zip(fact_sets(columns), columns["h_star"], strict=True):
            assert h_star == expected[facts]
            compared += 1
            dead += math.isinf(h_star)
    assert compared >= 200
    assert dead > 0


def test_costs_other_than_1_count() -> None:
    compared = 0
    for seed in range(1, 60):
        domain, text = random_strips(seed)
        task = ground_texts(domain, text)
        if task.unsolvable_reason or task.goal_holds_initially or not solve(task, "astar").plan:
            continue
        _, columns = sample(domain, text)
        expected = distances(task)
        for facts, h_star in zip(fact_sets(columns), columns["h_star"], strict=True):
            assert h_star == expected[facts]
            compared += 1
    assert compared >= 200


def test_bounds_hold_in_every_state() -> None:
    for domain, text in tasks_for_labels():
        _, columns = sample(domain, text)
        assert (columns["blind"] <= columns["max"]).all()
        assert (columns["max"] <= columns["lmcut"]).all()
        assert (columns["lmcut"] <= columns["h_star"]).all()
        assert (columns["ff"] <= columns["add"]).all()
        assert ((columns["goalcount"] == 0) == (columns["h_star"] == 0)).all()


def test_labels_are_the_values_that_searches_see() -> None:
    for domain, text in tasks_for_labels():
        task = ground_texts(domain, text)
        _, columns = sample(domain, text)
        states = _native.States(task.native)
        known = {}
        queue = [states.initial]
        for state in queue:
            ids = np.array([state], dtype=np.uint32)
            known[frozenset(states.true_facts(ids)[1].tolist())] = state
            if len(queue) < 5000:
                new = [each for each in states.successors(state)[1].tolist() if each >= len(queue)]
                queue += sorted(set(new))
        ids = np.array([known[facts] for facts in fact_sets(columns)], dtype=np.uint32)
        for name in HEURISTICS:
            values = make_evaluator(name, task).evaluate(states, ids)
            assert np.array_equal(columns[name], values), name
            result = solve(task, "gbfs", name, max_expansions=1)
            assert result.initial_h == columns[name][0]


def test_the_plan_comes_first_and_siblings_follow_their_parents() -> None:
    for domain, text in tasks_for_labels():
        row, columns = sample(domain, text)
        length = len(row["plan"])
        assert columns["on_path"] == [True] * (length + 1) + [False] * (
            len(columns["step"]) - length - 1
        )
        assert columns["step"][: length + 1] == list(range(length + 1))
        assert list(columns["operator"][1 : length + 1]) == list(row["plan"])
        assert columns["parent"][: length + 1] == [None, *range(length)]
        assert columns["g"][length] == row["cost"] == columns["h_star"][0]
        for place in range(1, len(columns["step"])):
            assert columns["step"][place] == columns["parent"][place] + 1


def test_siblings_are_all_states_generated_from_the_plan() -> None:
    for domain, text in tasks_for_labels():
        task = ground_texts(domain, text)
        row, columns = sample(domain, text, PlanSettings(siblings=True))
        plain = PlainTask(task)
        fact_of = task.native.fact_of.tolist()
        state = plain.initial
        facts = fact_sets(columns)
        for step, name in enumerate(row["plan"]):
            wanted, following = set(), None
            for operator, successor in plain.successors(state):
                wanted.add(frozenset(fact_of[v] for v in successor if fact_of[v] >= 0))
                following = successor if task.operator_name(operator) == name else following
            given = [
                facts[place] for place, parent in enumerate(columns["parent"]) if parent == step
            ]
            assert len(given) == len(set(given))
            assert set(given) == wanted
            assert following is not None
            state = following


def test_equal_states_share_a_number() -> None:
    for domain, text in tasks_for_labels()[:3]:
        _, columns = sample(domain, text)
        pairs = set(zip(columns["state"].tolist(), fact_sets(columns), strict=True))
        assert len(pairs) == len({number for number, _ in pairs}) == len({f for _, f in pairs})


def test_siblings_without_a_search_have_no_h_star() -> None:
    domain, text = tasks_for_labels()[0]
    _, columns = sample(domain, text, PlanSettings(siblings=True))
    on_path = np.array(columns["on_path"])
    assert not np.isnan(columns["h_star"][on_path]).any()
    assert np.isnan(columns["h_star"][~on_path]).any()


def test_h_star_at_a_limit_stays_open() -> None:
    domain, text = PUZZLE, puzzle_task(3, 2, 1)
    needed = sample(domain, text)[0]["evaluated"]
    settings = PlanSettings(siblings=True, sibling_h_star=True, max_evaluations=needed + 1)
    _, columns = sample(domain, text, settings)
    assert np.isnan(columns["h_star"]).any()


@pytest.mark.parametrize("unit_costs", [False, True])
def test_unit_costs_are_counted_as_asked(unit_costs: bool) -> None:
    domain, text = next(
        texts
        for texts in map(random_strips, range(1, 99))
        if (plan := solve(ground_texts(*texts), "astar").plan) and len(plan) > 3
    )
    row, _ = sample(domain, text, PlanSettings(unit_costs=unit_costs))
    task = ground_texts(domain, text, unit_costs=unit_costs)
    assert row["cost"] == solve(task, "astar").cost
