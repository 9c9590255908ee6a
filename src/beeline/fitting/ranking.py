"""Losses of one plan: values, and slopes by the scores of its states.

Ranking, trajectory, squared and Bellman losses are those of Chrestien et al., "Optimize planning
heuristics to rank, not to estimate cost-to-goal", NeurIPS 2023. Each is a sum over the pairs or
states of one instance, as there, not a mean. `scores` is float64[count], one h for each row of a
`PlanGraph`; `policy` takes float64[count, 2]. Slopes have the shape of the scores. NumPy only: a
linear model multiplies slopes with its features, a network with its Jacobian.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit

from beeline.fitting.losses import SURROGATES, plan_loss_entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from beeline.fitting.losses import Surrogate
    from beeline.fitting.plan_graph import PlanGraph

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    ValueAndSlopes = tuple[float, Floats]


class PlanLoss(NamedTuple):
    """A loss of one plan, and how many scores it needs of each state."""

    name: str
    call: Callable[[Floats, PlanGraph], ValueAndSlopes]
    columns: int = 1

    def __call__(self, scores: Floats, graph: PlanGraph) -> ValueAndSlopes:
        """The value, and its slopes by the scores."""
        return self.call(scores, graph)


def plan_loss(
    name: str, *, alpha: float | None = None, beta: float = 1.0, surrogate: Surrogate = "logistic"
) -> PlanLoss:
    """The loss of this name: an entry of the registry with `plan` set.

    `alpha` and `beta` weigh g and h in the Open list; without `alpha`, the entry's own is taken.
    Losses that compare no pairs ignore all three.

    >>> plan_loss("policy").columns
    2
    """
    entry = plan_loss_entry(name)
    weight = entry.alpha if alpha is None else alpha
    if entry.open_lists:
        given = partial(open_list, alpha=weight, beta=beta, surrogate=surrogate)
        return PlanLoss(name, given)
    if name == "rank-trajectory":
        return PlanLoss(name, partial(trajectory, surrogate=surrogate))
    others = {"l2": squared, "bellman": bellman, "policy": policy}
    return PlanLoss(name, others[name], entry.columns)


def open_list(
    h: Floats,
    graph: PlanGraph,
    *,
    alpha: float,
    beta: float = 1.0,
    surrogate: Surrogate = "logistic",
) -> ValueAndSlopes:
    """Sum of log(1 + exp(r)), or of max(0, 1 + r), over the pairs of the Open lists.

    r = alpha (g(s_i) - g(s_j)) + beta (h(s_i) - h(s_j)) (equations 2 and 4). L*, for A*, has
    alpha = beta = 1; L_gbfs has alpha = 0.
    """
    offsets = alpha * graph.g_differences
    return _ranked(h, graph.better, graph.worse, offsets, beta, surrogate)


def trajectory(h: Floats, graph: PlanGraph, surrogate: Surrogate = "logistic") -> ValueAndSlopes:
    """Each state of the plan below the one before it: r = h(s_i) - h(s_(i-1)) (equation 6)."""
    offsets = np.zeros(len(graph.parents))
    return _ranked(h, graph.successors, graph.parents, offsets, 1.0, surrogate)


def squared(h: Floats, graph: PlanGraph) -> ValueAndSlopes:
    """Sum of (h(s_i) - h*(s_i))^2 over the states of the plan (equation 5)."""
    error = h[graph.path] - graph.costs
    return float(error @ error), _scattered(len(h), graph.path, 2.0 * error)


def bellman(h: Floats, graph: PlanGraph, *, smoothness: float = 0.0) -> ValueAndSlopes:
    """L_be, after Ståhlberg et al., "Learning general optimal policies with graph neural networks".

    The sum over the states of the plan of max(0, 1 + min of h over the children - h(s)), which
    the goal does not have, of max(0, h* - h(s)) and of max(0, h(s) - 2 h*). Where a maximum or
    minimum has corners, the slopes are subgradients: of equal children the first gets all. With
    `smoothness` t > 0, t log(1 + exp(x / t)) stands for max(0, x), and the minimum is smooth, too.
    """
    slopes = np.zeros(len(h))
    value = 0.0
    if len(graph.parents):
        lowest, shares = _lowest_children(h, graph, smoothness)
        excess, active = _positive_part(1.0 + lowest - h[graph.parents], smoothness)
        value += float((graph.family_weights * excess).sum())
        active = graph.family_weights * active
        slopes -= _scattered(len(h), graph.parents, active)
        shares *= np.repeat(active, np.diff(graph.child_starts))
        slopes += _scattered(len(h), graph.children, shares)
    below, is_below = _positive_part(graph.costs - h[graph.path], smoothness)
    above, is_above = _positive_part(h[graph.path] - 2.0 * graph.costs, smoothness)
    value += float(below.sum() + above.sum())
    return value, slopes + _scattered(len(h), graph.path, is_above - is_below)


def policy(scores: Floats, graph: PlanGraph) -> ValueAndSlopes:
    """L_le: policy and heuristic together (Orseau and Lelis, "Policy-guided heuristic search").

    Column 0 of `scores` is h, column 1 the logit of a state among its siblings: the probability
    of a child is the softmax of the logits over all children of its parent. The loss is the sum
    over the plan's steps of -log P(s_(i+1) | s_i), plus the squared errors of h on the plan; both
    have weight 1.
    """
    slopes = np.zeros_like(scores)
    value, slopes[:, 0] = squared(scores[:, 0], graph)
    if len(graph.parents):
        starts, logits = graph.child_starts, scores[graph.children, 1]
        family = np.repeat(np.arange(len(graph.parents)), np.diff(starts))
        logits = logits - np.maximum.reduceat(logits, starts[:-1])[family]
        weights = np.exp(logits)
        totals = np.add.reduceat(weights, starts[:-1])
        value += float(np.log(totals).sum() - logits[graph.chosen].sum())
        probabilities = weights / totals[family]
        probabilities[graph.chosen] -= 1.0
        slopes[:, 1] = _scattered(len(scores), graph.children, probabilities)
    return value, slopes


def violations(
    h: Floats, graph: PlanGraph, *, alpha: float, beta: float = 1.0, strict: bool = True
) -> int:
    """L_01: how many pairs of the Open lists are not in order; if `strict`, ties are not."""
    return int(violated(h, graph, alpha=alpha, beta=beta, strict=strict).sum())


def violated(
    h: Floats, graph: PlanGraph, *, alpha: float, beta: float = 1.0, strict: bool = True
) -> NDArray[np.bool_]:
    """Which pairs of the Open lists are not in order, bool[pairs]; h may be infinite."""
    with np.errstate(invalid="ignore"):
        r = alpha * graph.g_differences + beta * (h[graph.better] - h[graph.worse])
    in_order = r < 0.0 if strict else r <= 0.0
    return ~in_order


def _ranked(
    h: Floats, better: Ints, worse: Ints, offsets: Floats, beta: float, surrogate: Surrogate
) -> ValueAndSlopes:
    r = offsets + beta * (h[better] - h[worse])
    if surrogate == "logistic":
        value, slope = float(np.logaddexp(0.0, r).sum()), expit(r)
    elif surrogate == "hinge":
        value, slope = float(np.maximum(0.0, 1.0 + r).sum()), (r > -1.0).astype(np.float64)
    else:
        raise ValueError(f"the surrogate '{surrogate}' is none of {', '.join(SURROGATES)}")
    slope = beta * slope
    return value, _scattered(len(h), better, slope) - _scattered(len(h), worse, slope)


def _scattered(count: int, rows: Ints, values: Floats) -> Floats:
    """The sum of the values of each row, float64[count]."""
    return np.bincount(rows, weights=values, minlength=count).astype(np.float64)


def _positive_part(x: Floats, smoothness: float) -> tuple[Floats, Floats]:
    """max(0, x), or its smooth version, and the slope."""
    if smoothness == 0.0:
        return np.maximum(x, 0.0), (x > 0.0).astype(np.float64)
    return smoothness * np.logaddexp(0.0, x / smoothness), expit(x / smoothness)


def _lowest_children(h: Floats, graph: PlanGraph, smoothness: float) -> tuple[Floats, Floats]:
    """The lowest h of each family, or its smooth version, and the share of each child in it."""
    values, starts = h[graph.children], graph.child_starts[:-1]
    family = np.repeat(np.arange(len(starts)), np.diff(graph.child_starts))
    lowest = np.minimum.reduceat(values, starts)
    if smoothness == 0.0:
        at_lowest = np.flatnonzero(values == lowest[family])
        _, first = np.unique(family[at_lowest], return_index=True)
        shares = np.zeros(len(values))
        shares[at_lowest[first]] = 1.0
        return lowest, shares
    shares = np.exp((lowest[family] - values) / smoothness)
    totals = np.add.reduceat(shares, starts)
    return lowest - smoothness * np.log(totals), shares / totals[family]
