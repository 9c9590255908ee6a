"""Linear fits to losses of whole plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.sparse import csr_matrix, identity

from beeline.experiments.chrestien2023.examples import ExplicitGraph
from beeline.fitting.plan_graph import joined_graph
from beeline.fitting.plan_linear import PlanExamples, fit_plan_loss, stacked_plans
from beeline.fitting.ranking import bellman, policy

if TYPE_CHECKING:
    from beeline.fitting.plan_graph import PlanGraph


def ladder(length: int) -> PlanGraph:
    """A plan with one state beside each step."""
    edges = {(i, i + 1): 1.0 for i in range(length)}
    edges.update({(i, 100 + i): 1.0 for i in range(length)})
    return ExplicitGraph(edges, 0, frozenset({length})).plan_graph(range(length + 1))


def test_a_table_learns_the_bellman_loss_to_the_end() -> None:
    graph = joined_graph([ladder(4), ladder(7)])
    fit = fit_plan_loss("bellman", identity(graph.count, format="csr"), graph, l2=1e-6)
    assert fit.loss < 1e-3
    assert fit.logits is None
    value, _ = bellman(fit.weights + fit.intercept, graph)
    assert value / len(graph.path) == pytest.approx(fit.loss)


def test_the_bellman_loss_ends_no_higher_than_that_of_the_squared_error() -> None:
    rng = np.random.default_rng(3)
    graph = joined_graph([ladder(length) for length in (3, 5, 8)])
    features = csr_matrix(rng.integers(0, 3, size=(graph.count, 4)).astype(np.float64))
    near = fit_plan_loss("l2", features, graph, l2=1e-6)
    start, _ = bellman(features @ near.weights + near.intercept, graph)
    assert fit_plan_loss("bellman", features, graph, l2=1e-6).loss <= start / len(graph.path)


def test_a_table_learns_a_policy_and_costs_at_once() -> None:
    graph = ladder(5)
    fit = fit_plan_loss("policy", identity(graph.count, format="csr"), graph, l2=1e-4)
    assert fit.logits is not None
    np.testing.assert_allclose(fit.weights[graph.path] + fit.intercept, graph.costs, atol=0.05)
    for place in range(len(graph.parents)):
        start, end = graph.child_starts[place : place + 2]
        best = graph.children[start:end][np.argmax(fit.logits[graph.children[start:end]])]
        assert best == graph.successors[place]
    scores = np.stack([fit.weights + fit.intercept, fit.logits], axis=1)
    assert policy(scores, graph)[0] / len(graph.path) == pytest.approx(fit.loss)


@pytest.mark.parametrize("loss", ["bellman", "policy"])
def test_scales_divide_columns_before_they_are_penalised(loss: str) -> None:
    graph = ladder(4)
    features = csr_matrix(np.random.default_rng(0).random((graph.count, 3)))
    large = features.copy()
    large[:, 2] = 1000.0 * large[:, [2]]
    plain = fit_plan_loss(loss, features, graph, l2=1e-3)
    scaled = fit_plan_loss(loss, large, graph, l2=1e-3, scales=np.array([1.0, 1.0, 1000.0]))
    np.testing.assert_allclose(scaled.weights * [1.0, 1.0, 1000.0], plain.weights, rtol=1e-3)


def test_dead_ends_are_in_no_family_where_h_ff_is_a_feature() -> None:
    graph = ladder(3)
    ff = np.arange(graph.count, dtype=np.float64)
    dead = int(graph.worse[0])
    ff[dead] = np.inf
    part = PlanExamples(identity(graph.count, format="csr"), ff, graph)
    columns = np.arange(graph.count)
    features, without = stacked_plans([part, part], columns, with_extra=True)
    assert features.shape == (2 * graph.count, graph.count + 1)
    assert np.isfinite(features.data).all()
    assert dead not in without.children
    features, whole = stacked_plans([part, part], columns, with_extra=False)
    assert features.shape == (2 * graph.count, graph.count)
    assert dead in whole.children
