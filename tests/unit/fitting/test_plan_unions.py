"""Several plans of one instance: what their sum contradicts, the merged pairs do not."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_tasks import random_search_task

from beeline import _native
from beeline.data.plan_walk import plan_orders, walk_plan
from beeline.experiments.chrestien2023.examples import ExplicitGraph
from beeline.fitting.losses import LOSSES
from beeline.fitting.plan_graph import merged_graph, summed_graph, task_plan_graph
from beeline.fitting.ranking import bellman, plan_loss, violated, violations
from beeline.generators import generate
from beeline.planning.solve import solve
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.fitting.plan_graph import PlanGraph
    from beeline.task.ground_task import GroundTask

PLAN_LOSSES = [name for name, entry in LOSSES.items() if entry.plan]
FAR = 1e6


def potential(graphs: Sequence[PlanGraph]) -> np.ndarray:
    """Cost-to-go, then steps to the goal; all states beside the plans are far away."""
    cost, steps = (np.full(graphs[0].count, np.inf) for _ in range(2))
    for graph in graphs:
        for place, (row, rest) in enumerate(zip(graph.path, graph.costs, strict=True)):
            cost[row] = min(cost[row], rest)
            steps[row] = min(steps[row], len(graph.path) - 1 - place)
    with np.errstate(invalid="ignore"):
        h = cost + 1e-3 * cost + 1e-6 * steps
    return np.where(np.isfinite(h), h, FAR)


def some_h(graph: PlanGraph, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(scale=3.0, size=graph.count)


@st.composite
def several_plans(draw: st.DrawFn) -> list[PlanGraph]:
    """The graphs of two to five optimal plans, through a grid from corner to corner.

    A step to the right costs the same in all rows, one upwards in all columns: every way in these
    directions is optimal. Further edges are no shortcuts, but may be as cheap as the way.
    """
    width, height = draw(st.integers(2, 4)), draw(st.integers(2, 4))
    dearest = draw(st.integers(1, 3))
    costs = st.integers(1, dearest)
    right = draw(st.lists(costs, min_size=width - 1, max_size=width - 1))
    up = draw(st.lists(costs, min_size=height - 1, max_size=height - 1))
    cells = list(itertools.product(range(width), range(height)))
    edges = {((x, y), (x + 1, y)): float(right[x]) for x, y in cells if x + 1 < width}
    edges |= {((x, y), (x, y + 1)): float(up[y]) for x, y in cells if y + 1 < height}
    ends = st.tuples(st.sampled_from(cells), st.sampled_from([*cells, *"abcd"]))
    for begin, end in draw(st.lists(ends, max_size=12)):
        way = 0
        if isinstance(end, tuple):
            way = sum(right[: end[0]]) + sum(up[: end[1]])
            way -= sum(right[: begin[0]]) + sum(up[: begin[1]])
        if begin != end:
            edges.setdefault((begin, end), float(max(1, way) + draw(st.integers(0, 2))))
    goal = (width - 1, height - 1)
    graph = ExplicitGraph(edges, (0, 0), frozenset({goal}))
    moves = "r" * (width - 1) + "u" * (height - 1)
    ways = draw(st.lists(st.permutations(moves), min_size=2, max_size=5, unique_by=tuple))
    return [graph.plan_graph(_cells(way)) for way in ways]


def _cells(moves: Sequence[str]) -> list[tuple[int, int]]:
    """The cells on a way from the first one."""
    found = [(0, 0)]
    for move in moves:
        x, y = found[-1]
        found.append((x + 1, y) if move == "r" else (x, y + 1))
    return found


@settings(max_examples=60, deadline=None)
@given(several_plans(), st.integers(0, 9))
def test_merged_plans_have_a_solution_and_their_sum_has_none(
    graphs: list[PlanGraph], seed: int
) -> None:
    for alpha in (0.0, 1.0):
        merged = merged_graph(graphs, greedy=alpha == 0.0)
        assert violations(potential(graphs), merged, alpha=alpha) == 0
    if len({int(graph.path[1]) for graph in graphs}) > 1:
        both = summed_graph(graphs)
        for h in (potential(graphs), some_h(both, seed)):
            assert all(violations(h, both, alpha=alpha) for alpha in (0.0, 1.0))


@settings(max_examples=30, deadline=None)
@given(several_plans(), st.integers(0, 9))
def test_nothing_but_pairs_within_the_plans_is_left_out(graphs: list[PlanGraph], seed: int) -> None:
    both, merged = summed_graph(graphs), merged_graph(graphs)
    on_plans = set(both.path.tolist())
    wanted, kept = (
        set(zip(each.better, each.worse, each.g_differences, strict=True))
        for each in (both, merged)
    )
    assert kept <= wanted
    assert all(worse in on_plans for _, worse, _ in wanted - kept)
    assert set(merged.path.tolist()) == on_plans
    assert len(merged.path) == len(on_plans)
    h = some_h(merged, seed)
    assert violated(h, merged, alpha=1.0).sum() <= violated(h, both, alpha=1.0).sum()


@settings(max_examples=20, deadline=None)
@given(several_plans(), st.integers(0, 9))
def test_the_loss_of_a_sum_is_the_sum_of_losses(graphs: list[PlanGraph], seed: int) -> None:
    both = summed_graph(graphs)
    rng = np.random.default_rng(seed)
    for name in PLAN_LOSSES:
        loss = plan_loss(name)
        scores = rng.normal(size=(both.count, 2))[:, : loss.columns].squeeze()
        value, slopes = loss(scores, both)
        parts = [loss(scores, graph) for graph in graphs]
        assert value == pytest.approx(sum(part for part, _ in parts))
        assert slopes == pytest.approx(sum(part for _, part in parts), abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(several_plans(), st.integers(0, 9))
def test_bellman_counts_every_state_of_merged_plans_once(
    graphs: list[PlanGraph], seed: int
) -> None:
    merged = merged_graph(graphs)
    h = 2.0 * some_h(merged, seed)
    families = {
        int(parent): graph.children[graph.child_starts[i] : graph.child_starts[i + 1]]
        for graph in graphs
        for i, parent in enumerate(graph.parents)
    }
    expected = sum(max(0.0, 1.0 + h[own].min() - h[parent]) for parent, own in families.items())
    for row, cost in zip(merged.path, merged.costs, strict=True):
        expected += max(0.0, cost - h[row]) + max(0.0, h[row] - 2.0 * cost)
    value, slopes = bellman(h, merged)
    assert value == pytest.approx(expected)
    step = 1e-7
    for row in range(merged.count):
        moved = step * (np.arange(merged.count) == row)
        numeric = (bellman(h + moved, merged)[0] - bellman(h - moved, merged)[0]) / (2 * step)
        assert slopes[row] == pytest.approx(numeric, abs=1e-4)


def task_graphs(task: GroundTask, count: int = 5) -> list[PlanGraph]:
    """The graphs of several orders of an optimal plan, over the states of all of them."""
    plan = solve(task, "astar", "lmcut").plan
    if not plan:
        return []
    states = _native.States(task.native)
    walks = plan_orders(task, states, walk_plan(task, states, plan), count, (0,))
    found = [task_plan_graph(task, states, walk) for walk in walks]
    everything = np.unique(np.concatenate([each.ids for each in found]))
    return [
        each.graph.renumbered(np.searchsorted(everything, each.ids), len(everything))
        for each in found
    ]


def check_orders(graphs: list[PlanGraph]) -> bool:
    """Merged, they have a solution; whether the sum of them has none."""
    for alpha in (0.0, 1.0):
        merged = merged_graph(graphs, greedy=alpha == 0.0)
        assert violations(potential(graphs), merged, alpha=alpha) == 0
    both = summed_graph(graphs)
    wanted = set(zip(both.better.tolist(), both.worse.tolist(), strict=True))
    conflicts = any((worse, better) in wanted for better, worse in wanted)
    if len({int(graph.path[1]) for graph in graphs}) > 1:
        assert conflicts
        for h in (potential(graphs), some_h(both, 0)):
            assert all(violations(h, both, alpha=alpha) for alpha in (0.0, 1.0))
    return conflicts


@pytest.mark.parametrize("first", range(1, 61, 20))
def test_orders_of_random_tasks(first: int) -> None:
    found = 0
    for seed in range(first, first + 20):
        graphs = task_graphs(random_search_task(seed))
        if graphs:
            found += check_orders(graphs)
    assert found


@pytest.mark.parametrize("name", ["gripper", "logistics", "blocksworld"])
def test_orders_of_generated_tasks(name: str) -> None:
    size = {"gripper": {"balls": 5}, "blocksworld": {"blocks": 5}}.get(name, {})
    found = [
        check_orders(task_graphs(ground(generate(name, seed=seed, **size)))) for seed in (5, 6)
    ]
    assert all(found)


def test_graphs_of_other_states_are_refused() -> None:
    one, other = (
        ExplicitGraph(dict.fromkeys(edges, 1.0), 0, frozenset({1})).plan_graph([0, 1])
        for edges in ([(0, 1)], [(0, 1), (0, 2)])
    )
    for union in (summed_graph, merged_graph):
        with pytest.raises(ValueError, match="same states"):
            union([one, other])
