"""Linear models fitted to losses of whole plans: families of children, and costs-to-go.

Scores are features times weights, plus a constant for the cost-to-go; a policy has second weights
for its logits. The loss is the mean over the states of all plans. The Bellman loss has corners, at
which L-BFGS stops too early: it starts from the squared error and then follows ever less smooth
versions of the loss, of which the best point by the loss itself is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.fitting.examples import stacked_rows, with_column
from beeline.fitting.linear import MAX_ITERATIONS, learnable, minimise, spread
from beeline.fitting.plan_graph import joined_graph
from beeline.fitting.ranking import PlanLoss, bellman, plan_loss

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.fitting.examples import Encoder
    from beeline.fitting.plan_graph import PlanGraph, TaskGraph

    Floats = NDArray[np.float64]

SMOOTHNESS = (1.0, 0.1, 0.01, 0.001)  # of the Bellman loss, in units of cost


@dataclass(frozen=True, eq=False)
class PlanExamples:
    """The plan of one task: the features of its states and siblings, and how they relate.

    `rows` is sparse float64[count, colours so far], `extra` float64[count], infinity for dead ends.
    """

    rows: Any
    extra: Floats
    graph: PlanGraph


class PlanFit(NamedTuple):
    """Weights of all features: of h, and of a policy's logits if the loss wants them.

    h is features times weights plus `intercept`; `loss` is the mean without penalties.
    """

    weights: Floats
    logits: Floats | None
    intercept: float
    loss: float
    iterations: int


def plan_examples(encoder: Encoder, states: States, rows: TaskGraph) -> PlanExamples:
    """The features of all states of a plan graph."""
    features, extra = encoder.encode(states, rows.ids)
    return PlanExamples(features, extra, rows.graph)


def stacked_plans(
    parts: Sequence[PlanExamples], columns: NDArray[np.int64], *, with_extra: bool
) -> tuple[Any, PlanGraph]:
    """The plans of several tasks in some of the colours; another heuristic may be the last column.

    Its dead ends are then in no family: a search with it never comes to rank them.
    """
    rows = stacked_rows([part.rows for part in parts], columns)
    if not with_extra:
        return rows, joined_graph([part.graph for part in parts])
    graph = joined_graph([part.graph.restricted(np.isfinite(part.extra)) for part in parts])
    extra = np.concatenate([part.extra for part in parts])
    extra[~np.isfinite(extra)] = 0.0  # of rows that nothing refers to any more
    return with_column(rows, extra), graph


def fit_plan_loss(
    loss: str,
    features: Any,
    graph: PlanGraph,
    *,
    l2: float,
    scales: Floats | None = None,
    max_iterations: int = MAX_ITERATIONS,
) -> PlanFit:
    """Weights that minimise a loss of the registry; features are float64[graph.count, n]."""
    matrix, columns = learnable(features, scales)
    problem = _Problem(plan_loss(loss), matrix, graph)
    theta, iterations = problem.start(), 0
    best = theta
    stages = _stages(loss)
    for stage in stages:
        smooth = _Problem(stage, matrix, graph)
        share = max_iterations // len(stages)
        theta, _, more = minimise(smooth, problem.free, theta, l2, 0.0, share)
        iterations += more
        if problem.penalised(theta, l2) <= problem.penalised(best, l2):
            best = theta
    theta, value = best, problem(best)[0]
    width, size = matrix.shape[1], features.shape[1]
    weights, logits = spread(theta[:width], columns, size, scales), None
    if problem.loss.columns == 2:
        logits = spread(theta[width + 1 :], columns, size, scales)
    return PlanFit(weights, logits, float(theta[width]), value, iterations)


def _stages(name: str) -> list[PlanLoss]:
    """The losses that are minimised one after another; the last one is, almost, the loss itself."""
    if name != "bellman":
        return [plan_loss(name)]
    softer = [PlanLoss(name, partial(bellman, smoothness=each)) for each in SMOOTHNESS]
    return [plan_loss("l2"), *softer]


class _Problem:
    """The mean loss of weights of h, an intercept, and the weights of logits if there are any."""

    def __init__(self, loss: PlanLoss, features: Any, graph: PlanGraph) -> None:
        self.loss = loss
        self._features = features
        self._graph = graph
        self._width = features.shape[1]
        self._total = max(len(graph.path), 1)
        self.free = np.zeros(self._width * loss.columns + 1, dtype=bool)  # of penalties
        self.free[self._width] = True

    def start(self) -> Floats:
        """Zeros, with the mean of the costs as the intercept."""
        first = np.zeros(len(self.free))
        first[self._width] = float(self._graph.costs.mean()) if len(self._graph.costs) else 0.0
        return first

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        """The value and its gradient."""
        width = self._width
        h = self._features @ theta[:width] + theta[width]
        if self.loss.columns == 1:
            value, by_h = self.loss(h, self._graph)
            gradient = np.append(self._features.T @ by_h, by_h.sum())
        else:
            logits = self._features @ theta[width + 1 :]
            value, by_both = self.loss(np.stack([h, logits], axis=1), self._graph)
            by_weights = self._features.T @ by_both
            gradient = np.concatenate([by_weights[:, 0], [by_both[:, 0].sum()], by_weights[:, 1]])
        return value / self._total, gradient / self._total

    def penalised(self, theta: Floats, l2: float) -> float:
        """The value with the penalty of the weights."""
        return self(theta)[0] + 0.5 * l2 * float((theta[~self.free] ** 2).sum())
