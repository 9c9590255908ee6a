"""Plan graphs of random tasks, against forward search carried out state by state."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from search_tasks import PUZZLE, PlainTask, ground_texts, puzzle_task, random_search_task

from beeline import _native
from beeline.data.plan_walk import walk_plan
from beeline.fitting.plan_graph import task_plan_graph
from beeline.planning.solve import solve

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask

    State = tuple[int, ...]


def brute_force(task: GroundTask, path: list[State]) -> dict[str, Any]:
    """Pairs of the Open lists with differences in g, and the children of each state."""
    plain = PlainTask(task)
    pairs, families = [], []
    g, closed = {path[0]: 0}, set()
    for state, following in itertools.pairwise(path):
        children = [(child, plain.costs[o]) for o, child in plain.successors(state)]
        if following != state:
            families.append((state, {child for child, _ in children} - {state}, following))
        closed.add(state)
        for child, cost in children:
            if child not in closed and g[state] + cost < g.get(child, np.inf):
                g[child] = g[state] + cost
        if following not in closed:
            pairs += [
                (following, other, g[following] - g[other])
                for other in g
                if other not in closed and other != following
            ]
    return {"pairs": set(pairs), "count": len(pairs), "families": families}


def check(task: GroundTask, plan: list[str]) -> None:
    states = _native.States(task.native)
    walk = walk_plan(task, states, plan)
    graph, ids = task_plan_graph(task, states, walk)
    names = [tuple(row) for row in states.values(ids).tolist()]
    path = [tuple(row) for row in states.values(np.array(walk.states, np.uint32)).tolist()]
    wanted = brute_force(task, path)
    assert {
        (names[i], names[j], difference)
        for i, j, difference in zip(graph.better, graph.worse, graph.g_differences, strict=True)
    } == wanted["pairs"]
    assert len(graph.better) == wanted["count"]
    assert len(graph.parents) == len(wanted["families"])
    for place, (parent, children, chosen) in enumerate(wanted["families"]):
        rows = graph.children[graph.child_starts[place] : graph.child_starts[place + 1]]
        assert names[graph.parents[place]] == parent
        assert sorted(names[row] for row in rows) == sorted(children)
        assert names[graph.children[graph.chosen[place]]] == chosen
    to_go = dict(zip(path, walk.costs_to_go(task), strict=True))  # the last visit counts
    assert graph.costs.tolist() == [to_go[names[row]] for row in graph.path]


@pytest.mark.parametrize("search", ["astar", "gbfs"])
@pytest.mark.parametrize("seed", range(1, 40))
def test_random_tasks(seed: int, search: str) -> None:
    task = random_search_task(seed)
    result = solve(task, search)
    if result.plan:
        check(task, result.plan)


def test_plans_that_go_in_circles() -> None:
    task = ground_texts(PUZZLE, puzzle_task(3, 2, 3))
    plan = solve(task, "astar", "lmcut").plan
    assert plan is not None
    name, tile, start, end = plan[0][1:-1].split()
    check(task, [plan[0], f"({name} {tile} {end} {start})", *plan])
