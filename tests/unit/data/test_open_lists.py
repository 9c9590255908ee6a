"""The Open lists that a dataset gives, against their definition carried out step by step."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from search_tasks import PUZZLE, PlainTask, ground_texts, puzzle_task, random_strips

from beeline import _native
from beeline.data.plan_walk import state_columns, walk_plan
from beeline.data.reader import open_lists
from beeline.data.task_sets import PlanSettings
from beeline.planning.solve import solve

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask


def rows_of(task: GroundTask, plan: list[str]) -> list[dict[str, Any]]:
    states = _native.States(task.native)
    walk = walk_plan(task, states, plan)
    columns = state_columns(
        task, states, walk, PlanSettings(siblings=True), instance=0, optimal=False
    )
    starts, items = columns.pop("facts")
    facts = [frozenset(items[a:b].tolist()) for a, b in itertools.pairwise(starts)]
    listed = {name: list(column) for name, column in columns.items()}
    return [
        {**dict(zip(listed, row, strict=True)), "facts": fact}
        for row, fact in zip(zip(*listed.values(), strict=True), facts, strict=True)
    ]


def by_definition(task: GroundTask, plan: list[str]) -> list[tuple[Any, int, dict[Any, int]]]:
    """s_i, its g, and the other states in O_i with theirs, for i = 1, 2, ..."""
    plain = PlainTask(task)
    fact_of = task.native.fact_of.tolist()

    def facts(state: tuple[int, ...]) -> frozenset[int]:
        return frozenset(fact_of[value] for value in state if fact_of[value] >= 0)

    state, g, expanded, generated, answer = plain.initial, 0, set(), {}, []
    for step in plan:
        expanded.add(facts(state))
        following = None
        for operator, successor in plain.successors(state):
            cost = g + plain.costs[operator]
            known = generated.get(facts(successor))
            if known is None or cost < known:
                generated[facts(successor)] = cost
            if task.operator_name(operator) == step:
                following = (successor, cost)
        assert following is not None
        state, g = following
        current = facts(state)
        if current not in expanded:
            open_list = {key: cost for key, cost in generated.items() if key not in expanded}
            answer.append((current, open_list.pop(current), open_list))
    return answer


def check(task: GroundTask, plan: list[str]) -> None:
    rows = rows_of(task, plan)
    given = [
        (rows[best]["facts"], {rows[other]["facts"]: rows[other]["g"] for other in others})
        for best, others in open_lists(rows)
    ]
    wanted = by_definition(task, plan)
    assert given == [(state, others) for state, _, others in wanted]


@pytest.mark.parametrize("search", ["astar", "gbfs"])
@pytest.mark.parametrize("seed", range(1, 40))
def test_random_tasks(seed: int, search: str) -> None:
    task = ground_texts(*random_strips(seed))
    result = solve(task, search)
    if result.plan:
        check(task, result.plan)


def test_a_puzzle() -> None:
    task = ground_texts(PUZZLE, puzzle_task(3, 2, 3))
    result = solve(task, "astar", "lmcut")
    assert result.plan is not None
    check(task, result.plan)
    check(task, [*result.plan[:1], *_back_and_forth(task, result.plan[0]), *result.plan[1:]])


def _back_and_forth(task: GroundTask, first: str) -> list[str]:
    """The way back of a slide, and the slide again: a plan that visits states twice."""
    name, tile, start, end = first[1:-1].split()
    return [f"({name} {tile} {end} {start})", first]
