"""The losses of plans: slopes against differences, and the theorems as properties."""

from __future__ import annotations

import math
import pickle
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from beeline.core.errors import BeelineError
from beeline.experiments.chrestien2023.examples import ExplicitGraph
from beeline.fitting.losses import LOSSES, loss_entry
from beeline.fitting.plan_graph import PlanGraph, joined_graph, plan_graph
from beeline.fitting.ranking import (
    SURROGATES,
    PlanLoss,
    bellman,
    open_list,
    plan_loss,
    policy,
    squared,
    trajectory,
    violations,
)

if TYPE_CHECKING:
    from beeline.fitting.ranking import Surrogate

PLAN_LOSSES = [name for name, entry in LOSSES.items() if entry.plan]


@st.composite
def planned_graphs(draw: st.DrawFn, *, constant: bool) -> tuple[ExplicitGraph, list[int]]:
    """A random graph with an optimal plan of at least one step; costs are 1 if constant."""
    size = draw(st.integers(3, 9))
    pairs = [(i, j) for i in range(size) for j in range(size) if i != j]
    chosen = draw(st.lists(st.sampled_from(pairs), min_size=size, max_size=4 * size, unique=True))
    costs = st.just(1) if constant else st.integers(1, 4)
    graph = ExplicitGraph({pair: draw(costs) for pair in chosen}, 0, frozenset({size - 1}))
    to_go = graph.costs_to_go()
    assume(size - 1 in to_go and math.isfinite(to_go[0]))
    plan = [0]
    while plan[-1] != size - 1:
        plan.append(
            next(
                child
                for child, cost in graph.children(plan[-1]).items()
                if cost + to_go[child] == to_go[plan[-1]]
            )
        )
    return graph, plan  # type: ignore[return-value]


def random_graph(seed: int) -> PlanGraph:
    rng = np.random.default_rng(seed)
    edges = {(i, i + 1): float(rng.integers(1, 4)) for i in range(6)}
    edges.update({(i, int(rng.integers(7, 15))): float(rng.integers(1, 4)) for i in range(6)})
    edges.update({(i, int(rng.integers(7, 15))): float(rng.integers(1, 4)) for i in range(6)})
    edges[3, 1] = 1.0
    return ExplicitGraph(edges, 0, frozenset({6})).plan_graph(range(7))


def check_slopes(loss: PlanLoss, graph: PlanGraph, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (graph.count,) if loss.columns == 1 else (graph.count, loss.columns)
    scores = rng.normal(scale=3.0, size=shape)
    value, slopes = loss(scores, graph)
    assert slopes.shape == scores.shape
    step = 1e-6
    for place in np.ndindex(*shape):
        moved = np.zeros(shape)
        moved[place] = step
        above, below = loss(scores + moved, graph)[0], loss(scores - moved, graph)[0]
        assert slopes[place] == pytest.approx((above - below) / (2 * step), abs=1e-6 * (1 + value))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("surrogate", SURROGATES)
@pytest.mark.parametrize("name", PLAN_LOSSES)
def test_slopes_are_those_of_the_value(name: str, surrogate: Surrogate, seed: int) -> None:
    check_slopes(plan_loss(name, surrogate=surrogate), random_graph(seed), seed)


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 2.0), (3.0, 0.1), (1.0, 0.0)])
def test_slopes_with_any_weights(alpha: float, beta: float) -> None:
    check_slopes(plan_loss("rank-gbfs", alpha=alpha, beta=beta), random_graph(1), 1)


@pytest.mark.parametrize("smoothness", [0.01, 0.3, 2.0])
def test_smooth_bellman_losses_have_their_own_slopes_and_come_close(smoothness: float) -> None:
    graph = random_graph(4)
    smooth = partial(bellman, smoothness=smoothness)
    check_slopes(PlanLoss("bellman", smooth), graph, 4)
    h = np.random.default_rng(4).normal(scale=3.0, size=graph.count)
    assert smooth(h, graph)[0] == pytest.approx(bellman(h, graph)[0], abs=30 * smoothness)
    assert bellman(h, graph, smoothness=1e-9)[0] == pytest.approx(bellman(h, graph)[0])


def test_values_are_sums_as_the_paper_writes_them() -> None:
    # 0 -> 1 -> 2, with 3 beside 1 and 4 beside 2; all costs are 1.
    edges = {(0, 1): 1, (0, 3): 1, (1, 2): 1, (1, 4): 1}
    graph = ExplicitGraph(edges, 0, frozenset({2})).plan_graph([0, 1, 2])
    node_h = {0: 5.0, 1: 3.0, 2: 0.5, 3: 3.5, 4: 0.25}
    h = np.array([node_h[node] for node in (0, 1, 3, 2, 4)])
    assert graph.count == 5

    def soft(*values: float) -> float:
        return sum(math.log1p(math.exp(value)) for value in values)

    pairs = [(1, 3, 0.0), (2, 3, 1.0), (2, 4, 0.0)]
    in_g_and_h = [g + node_h[i] - node_h[j] for i, j, g in pairs]
    in_h = [node_h[i] - node_h[j] for i, j, _ in pairs]
    assert open_list(h, graph, alpha=1.0)[0] == pytest.approx(soft(*in_g_and_h))
    assert open_list(h, graph, alpha=0.0)[0] == pytest.approx(soft(*in_h))
    hinge = open_list(h, graph, alpha=0.0, surrogate="hinge")[0]
    assert hinge == pytest.approx(sum(max(0.0, 1.0 + r) for r in in_h))
    assert trajectory(h, graph)[0] == pytest.approx(soft(3.0 - 5.0, 0.5 - 3.0))
    assert squared(h, graph)[0] == pytest.approx(3.0**2 + 2.0**2 + 0.5**2)
    # 0: 1 + 3 - 5 < 0, 2 <= 5, 5 > 4; 1: 1 + 0.25 - 3 < 0, 3 > 2; 2: 0.5 > 0.
    assert bellman(h, graph)[0] == pytest.approx(1.0 + 1.0 + 0.5)
    assert violations(h, graph, alpha=0.0) == 1
    assert violations(np.zeros(5), graph, alpha=0.0) == 3
    assert violations(np.zeros(5), graph, alpha=0.0, strict=False) == 0
    both = np.stack([h, [0.0, 2.0, 1.0, 0.0, 0.0]], axis=1)
    steps = soft(1.0 - 2.0) + soft(0.0)
    assert policy(both, graph)[0] == pytest.approx(squared(h, graph)[0] + steps)


@pytest.mark.parametrize("name", PLAN_LOSSES)
def test_the_loss_of_joined_instances_is_the_sum_of_theirs(name: str) -> None:
    graphs, loss = [random_graph(seed) for seed in range(3)], plan_loss(name)
    sizes = [graph.count for graph in graphs]
    shape = (sum(sizes),) if loss.columns == 1 else (sum(sizes), 2)
    scores = np.random.default_rng(0).normal(size=shape)
    parts = np.split(scores, np.cumsum(sizes)[:-1])
    alone = [loss(part, graph) for part, graph in zip(parts, graphs, strict=True)]
    value, slopes = loss(scores, joined_graph(graphs))
    assert value == pytest.approx(sum(each for each, _ in alone))
    np.testing.assert_allclose(slopes, np.concatenate([each for _, each in alone]))


def test_states_beside_the_plan_can_be_left_out() -> None:
    graph = random_graph(2)
    dead = int(graph.worse[0])
    kept = np.arange(graph.count) != dead
    smaller = graph.restricted(kept)
    assert dead not in [*smaller.worse, *smaller.children]
    assert smaller.successors.tolist() == graph.successors.tolist()
    assert len(smaller.worse) == (graph.worse != dead).sum()
    assert len(smaller.children) == (graph.children != dead).sum()
    huge = np.zeros(graph.count)
    huge[dead] = 1e9
    assert bellman(huge, smaller)[0] == bellman(huge, graph)[0]
    with pytest.raises(ValueError, match="are needed"):
        graph.restricted(np.arange(graph.count) != graph.path[1])


def test_logits_may_be_huge() -> None:
    graph = random_graph(3)
    scores = np.zeros((graph.count, 2))
    scores[:, 1] = np.linspace(-1e4, 1e4, graph.count)
    value, slopes = policy(scores, graph)
    assert math.isfinite(value)
    assert np.isfinite(slopes).all()


@settings(max_examples=150, deadline=None)
@given(planned_graphs(constant=True), st.lists(st.integers(-5, 5), min_size=9, max_size=9))
def test_perfect_rankings_for_astar_with_constant_costs_are_some_for_gbfs(
    planned: tuple[ExplicitGraph, list[int]], values: list[int]
) -> None:
    problem, plan = planned
    graph = problem.plan_graph(plan)
    h = np.array(values[: graph.count], dtype=np.float64)
    if violations(h, graph, alpha=1.0):
        # Lower the plan's states just enough; one of them is never beside an earlier one.
        for state in graph.path[1:]:
            others = graph.better == state
            slack = h[graph.worse[others]] - graph.g_differences[others]
            h[state] = min(h[state], float(slack.min(initial=np.inf)) - 0.5)
    assert violations(h, graph, alpha=1.0) == 0
    assert violations(h, graph, alpha=0.0) == 0


@settings(max_examples=150, deadline=None)
@given(
    planned_graphs(constant=False),
    st.permutations(range(9)),
    st.sampled_from([0.0, 1.0]),
    st.booleans(),
)
def test_a_ranking_is_perfect_if_and_only_if_search_expands_the_plan_alone(
    planned: tuple[ExplicitGraph, list[int]], order: list[int], alpha: float, helped: bool
) -> None:
    problem, plan = planned
    graph = problem.plan_graph(plan)
    h = np.array(order[: graph.count]) + 0.01 * np.arange(graph.count)  # no ties
    if helped:
        h[graph.path] -= np.arange(len(plan)) + 4.0
    found = problem.forward_search(dict(zip(problem.nodes, h.tolist(), strict=True)), alpha=alpha)
    perfect = violations(h, graph, alpha=alpha) == 0
    assert perfect == (found.path == plan and found.expanded == plan[:-1])


def test_the_registry_says_what_plan_losses_look_at() -> None:
    for name in PLAN_LOSSES:
        loss = pickle.loads(pickle.dumps(plan_loss(name)))  # workers of other processes get them
        assert (loss.name, loss.columns) == (name, loss_entry(name).columns)
    with pytest.raises(BeelineError, match="not one of plans"):
        plan_loss("truncated-gaussian")
    with pytest.raises(ValueError, match="surrogate"):
        plan_loss("rank-gbfs", surrogate="cubic")(np.zeros(15), random_graph(0))  # type: ignore[arg-type]


def test_incomplete_rows_are_refused() -> None:
    first = {"state": 0, "step": 0, "on_path": True, "g": 0, "h_star": 2.0}
    last = {"state": 1, "step": 2, "on_path": True, "g": 2, "h_star": 0.0}
    with pytest.raises(BeelineError, match="not complete"):
        plan_graph([first, last])
    with pytest.raises(BeelineError, match="no finite cost"):
        plan_graph([{**first, "h_star": None}])


def test_a_plan_without_steps_costs_nothing_but_its_estimate() -> None:
    graph, _ = plan_graph([{"state": 4, "step": 0, "on_path": True, "g": 0, "h_star": 0.0}])
    for name in PLAN_LOSSES:
        loss = plan_loss(name)
        value, slopes = loss(np.zeros(1 if loss.columns == 1 else (1, 2)), graph)
        assert value == 0.0
        assert not slopes.any()
