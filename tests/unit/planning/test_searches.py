"""Searches on random tasks: the right answer, the promised quality, the same every time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_tasks import PUZZLE, PlainTask, ground_texts, puzzle_task, random_search_task

from beeline.core.errors import Status
from beeline.planning.heuristics import HEURISTICS
from beeline.planning.solve import solve

if TYPE_CHECKING:
    import numpy as np
    from beeline.planning.trace import SearchTrace

    from beeline.planning.result import Result
    from beeline.task.states import StateBatch

seeds = st.integers(0, 2**32)
ADMISSIBLE = sorted(name for name, entry in HEURISTICS.items() if entry.admissible)
SETTINGS: list[dict[str, object]] = [
    {"search": "bfs"},
    {"search": "bfs", "goal_at_generation": True},
    {"search": "gbfs", "heuristic": "goalcount"},
    {"search": "width"},
    {"search": "width", "heuristic": "ff,goalcount"},
    {"search": "beam"},
    {"search": "beam", "heuristic": "ff,goalcount", "batch": 4, "goal_at_generation": True},
    {"search": "gbfs", "heuristic": "ff", "preferred": "ff"},
    {"search": "gbfs", "heuristic": "add", "preferred": "ff", "boost": 0},
    {"search": "gbfs", "heuristic": "ff,goalcount", "preferred": "ff"},
    {"search": "gbfs", "heuristic": "ff", "deferred": True},
    {"search": "gbfs", "heuristic": "ff", "deferred": True, "preferred": "ff", "boost": 10},
    {"search": "gbfs", "heuristic": "goalcount", "tie_breaking": "h,ff,random", "seed": 3},
    {"search": "gbfs", "heuristic": "max", "tie_breaking": "round(h),goalcount,g,lifo"},
    {"search": "gbfs", "heuristic": "blind", "batch": 7},
    {"search": "gbfs", "heuristic": "ff", "reopen": True, "goal_at_generation": True},
    {"search": "wastar", "heuristic": "ff", "weight": 2.5},
    {"search": "wastar", "heuristic": "add", "deferred": True, "tie_breaking": "random"},
    {"search": "wastar", "heuristic": "lmcut", "reopen": False, "batch": 3},
    {"search": "best-first", "heuristic": "goalcount", "alpha": 0.5, "beta": 1.5},
    {"search": "best-first", "heuristic": "ff", "alpha": 1, "beta": 0},
    {"search": "astar", "heuristic": "ff"},
]


def counters(result: Result) -> tuple[object, ...]:
    return (
        *(result.status, result.plan, result.cost, result.initial_h, result.states),
        *(result.expanded, result.evaluated, result.generated, result.reopened),
        result.dead_ends,
    )


@settings(max_examples=150)
@given(seed=seeds, unit_costs=st.booleans())
def test_astar_with_admissible_heuristics_finds_cheapest_plans(seed: int, unit_costs: bool) -> None:
    task = random_search_task(seed, unit_costs=unit_costs)
    cost = None if task.unsolvable_reason else PlainTask(task).cheapest_plan_cost()
    for name in ADMISSIBLE:
        result = solve(task, "astar", name)
        assert result.cost == cost
        assert result.status is (Status.UNSOLVABLE if cost is None else Status.SOLVED)
        assert result.optimal is (cost is not None)


@settings(max_examples=150)
@given(seed=seeds)
def test_every_search_finds_a_plan_if_there_is_one(seed: int) -> None:
    task = random_search_task(seed)
    cost = None if task.unsolvable_reason else PlainTask(task).cheapest_plan_cost()
    for words in SETTINGS:
        result = solve(task, **words)  # type: ignore[arg-type]
        assert result.status is (Status.UNSOLVABLE if cost is None else Status.SOLVED), words
        assert cost is None or (result.cost is not None and result.cost >= cost)


@settings(max_examples=100)
@given(seed=seeds, weight=st.floats(1, 10))
def test_weights_bound_the_cost(seed: int, weight: float) -> None:
    task = random_search_task(seed)
    cost = None if task.unsolvable_reason else PlainTask(task).cheapest_plan_cost()
    for name in ADMISSIBLE:
        result = solve(task, "wastar", name, weight=weight)
        assert (result.cost is None) is (cost is None)
        assert cost is None or result.cost <= weight * cost + 1e-9


@settings(max_examples=60)
@given(seed=seeds)
def test_breadth_first_plans_are_shortest_where_costs_are_equal(seed: int) -> None:
    task = random_search_task(seed, unit_costs=True)
    assert solve(task, "bfs").length == solve(task, "astar", "blind").length


@settings(max_examples=60)
@given(seed=seeds)
def test_anytime_plans_get_cheaper_until_none_is_left(seed: int) -> None:
    task = random_search_task(seed)
    cost = None if task.unsolvable_reason else PlainTask(task).cheapest_plan_cost()
    for words in (
        {},
        {"preferred": "ff"},
        {"heuristic": "lmcut"},
        {"deferred": True},
        {"as_found": True},
    ):
        found: list[int] = []
        result = solve(
            task, anytime=True, on_plan=lambda _, cost, into=found: into.append(cost), **words
        )
        assert result.cost == cost
        assert result.plan_costs == found
        assert all(later < earlier for earlier, later in pairwise(found))
        assert result.optimal is (cost is not None)


@settings(max_examples=40)
@given(seed=seeds)
def test_a_bound_is_strict(seed: int) -> None:
    task = random_search_task(seed)
    cost = solve(task, "astar", "blind").cost
    if cost:
        assert solve(task, "astar", "blind", bound=cost).status is Status.INCOMPLETE
        assert solve(task, "astar", "blind", bound=cost + 1).cost == cost


PUZZLE_TASK = ground_texts(PUZZLE, puzzle_task(3, 3, 1))


@pytest.mark.parametrize("search", ["gbfs", "astar", "bfs"])
@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
def test_limits_on_counts_are_exact(search: str, limit: int) -> None:
    heuristic = None if search == "bfs" else "goalcount"
    result = solve(PUZZLE_TASK, search, heuristic, max_expansions=limit)
    assert (result.status, result.expanded) == (Status.EXPANSION_LIMIT, limit)
    result = solve(PUZZLE_TASK, search, heuristic, max_evaluations=limit)
    assert (result.status, result.evaluated) == (Status.EVALUATION_LIMIT, limit)
    assert result.plan is None


@pytest.mark.parametrize("words", [{"deferred": True}, {"batch": 5}, {"preferred": "ff"}])
def test_limits_are_exact_in_other_searches(words: dict[str, object]) -> None:
    for limit in (1, 2, 13):
        result = solve(PUZZLE_TASK, heuristic="ff", max_evaluations=limit, **words)  # type: ignore[arg-type]
        assert (result.status, result.evaluated) == (Status.EVALUATION_LIMIT, limit)
        result = solve(PUZZLE_TASK, heuristic="ff", max_expansions=limit, **words)  # type: ignore[arg-type]
        assert (result.status, result.expanded) == (Status.EXPANSION_LIMIT, limit)


def test_improvement_beside_the_searches_of_lama_makes_plans_cheaper() -> None:
    task = ground_texts(PUZZLE, puzzle_task(4, 4, 1))
    alone, beside = (
        solve(task, "lama", max_evaluations=3000, as_found=as_found) for as_found in (True, False)
    )
    assert alone.cost is not None
    assert beside.cost is not None
    assert beside.cost < alone.cost
    assert beside.plan_costs == sorted(set(beside.plan_costs), reverse=True)
    again = solve(task, "lama", max_evaluations=3000)
    assert (again.plan_costs, again.plan) == (beside.plan_costs, beside.plan)


def test_a_search_that_finds_nothing_cheaper_is_left_for_a_smaller_weight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = ground_texts(PUZZLE, puzzle_task(4, 4, 1))
    for least_work, left in ((1e9, False), (1e3, True)):
        monkeypatch.setattr("beeline.planning.solve.LEAST_WORK", least_work)
        traces: list[SearchTrace] = []
        result = solve(task, "lama", max_evaluations=10_000, on_search=traces.append)
        assert result.evaluated == 10_000
        assert ("PAUSED" in [trace.result.status.name for trace in traces]) is left


def test_limits_count_all_searches_of_anytime_mode() -> None:
    first = solve(PUZZLE_TASK, heuristic="goalcount")
    limit = first.evaluated + 50
    words = {"heuristic": "goalcount", "anytime": True, "improve": 0.0}
    result = solve(PUZZLE_TASK, **words, max_evaluations=limit)  # type: ignore[arg-type]
    assert (result.status, result.evaluated) == (Status.SOLVED, limit)
    assert not result.optimal


@pytest.mark.parametrize("words", SETTINGS)
def test_the_same_words_give_the_same_search(words: dict[str, object]) -> None:
    first = solve(PUZZLE_TASK, **words, max_evaluations=5000)  # type: ignore[arg-type]
    second = solve(PUZZLE_TASK, **words, max_evaluations=5000)  # type: ignore[arg-type]
    assert counters(first) == counters(second)


def test_seeds_matter() -> None:
    found = {
        solve(PUZZLE_TASK, heuristic="goalcount", tie_breaking="random", seed=seed).expanded
        for seed in range(5)
    }
    assert len(found) > 1


def test_two_processes_search_alike() -> None:
    script = (
        "import sys, json; sys.path.insert(0, sys.argv[1])\n"
        "from search_tasks import *; from beeline.planning.solve import solve\n"
        "task = ground_texts(PUZZLE, puzzle_task(3, 3, 1))\n"
        "words = {'preferred': 'ff', 'tie_breaking': 'h,random', 'seed': 5}\n"
        "found = solve(task, 'gbfs', 'goalcount,ff', **words)\n"
        "fields = found.to_json()\n"
        "print(json.dumps({key: fields[key] for key in fields if 'time' not in key"
        " and key != 'peak_memory'}))"
    )
    support = os.path.join(os.path.dirname(__file__), "..", "..", "support")
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script, support],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert json.loads(outputs[0])["status"] == "solved"


def goal_count(batch: StateBatch) -> np.ndarray:
    return (batch.values[:, batch.task.goal_variables] != batch.task.goal).sum(axis=1)


@pytest.mark.parametrize(
    "words",
    [
        {"search": "gbfs"},
        {"search": "astar"},
        {"search": "wastar", "weight": 2},
        {"search": "gbfs", "batch": 4},
        {"search": "gbfs", "deferred": True},
        {"search": "gbfs", "preferred": "ff"},
        {"search": "gbfs", "tie_breaking": "h,lifo"},
    ],
)
def test_a_python_goal_count_searches_like_the_native_one(words: dict[str, object]) -> None:
    python = solve(PUZZLE_TASK, heuristic=goal_count, **words, max_evaluations=20_000)  # type: ignore[arg-type]
    native = solve(PUZZLE_TASK, heuristic="goalcount", **words, max_evaluations=20_000)  # type: ignore[arg-type]
    assert counters(python) == counters(native)


@settings(max_examples=60)
@given(seed=seeds)
def test_a_python_goal_count_searches_like_the_native_one_on_random_tasks(seed: int) -> None:
    task = random_search_task(seed)
    for search in ("gbfs", "astar"):
        python, native = (solve(task, search, each) for each in (goal_count, "goalcount"))
        assert counters(python) == counters(native)
