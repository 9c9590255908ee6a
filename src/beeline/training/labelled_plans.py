"""Whole plans to learn from: the states of their Open lists, and what is known about each.

A state that a heuristic of the model proves to be a dead end never enters an Open list of a search
with that model. Such siblings are left out; a model without those heuristics has to learn that
they come last.

Several orders of a plan make one graph of each instance: their losses are summed, or their pairs
are merged so that none contradicts another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from beeline.core.errors import BeelineError
from beeline.encode.instances import ORDER
from beeline.losses.plan_graph import PlanStates, graph_of_columns
from beeline.losses.plan_unions import merged_graph, summed_graph
from beeline.training.labelled import LOWER_BOUNDS, RESIDUALS
from beeline.training.plan_losses import FIRST, ORDERS, SEPARATE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline.encode.instances import InstanceStates
    from beeline.losses.plan_graph import PlanGraph

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabelledPlans:
    """The distinct states of some instances in their order, n in all, and a graph for each.

    Instance i has the rows starts[i] .. starts[i + 1] - 1, numbered from 0 in its graph. Missing
    bounds are infinite, a missing residual base is zero. `dropped` counts dead ends.
    """

    instances: list[InstanceStates]
    graphs: list[PlanGraph]
    starts: NDArray[np.int64]  # [instances + 1]
    lower: Floats  # [n]
    residual: Floats  # [n]
    choices: dict[str, str]
    dropped: int

    def __len__(self) -> int:
        return int(self.starts[-1])


def label_plans(
    instances: Sequence[InstanceStates],
    *,
    lower: str = "none",
    residual: str = "none",
    finite: Sequence[str] = (),
    orders: str = FIRST,
    greedy: bool = False,
) -> LabelledPlans:
    """The plans of instances that were read with siblings.

    `finite` are further columns that the model reads: a state that is infinite in one of them is
    a dead end, too. Of instances that were read with all `orders` of their plans, take the first
    one, the separate losses of all, or their merged pairs; `greedy` is as in `merged_graph`.
    """
    if orders not in ORDERS:
        raise BeelineError(f"unknown orders '{orders[:60]}'", hint=f"there are {', '.join(ORDERS)}")
    choices = {"lower": lower, "residual": residual}
    for (what, word), known in zip(choices.items(), (LOWER_BOUNDS, RESIDUALS), strict=True):
        if word not in known:
            raise BeelineError(
                f"unknown {what} '{word[:60]}'", hint=f"there are {', '.join(known)}"
            )
    columns = [name for name in dict.fromkeys([lower, residual, *finite]) if name != "none"]
    kept, graphs = [], []
    dropped = 0
    for each in instances:
        states, graph, lost = _one_plan(each, columns, orders, greedy=greedy)
        kept.append(states)
        graphs.append(graph)
        dropped += lost
    sizes = [graph.count for graph in graphs]
    return LabelledPlans(
        kept,
        graphs,
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        _column(kept, lower, missing=-np.inf),
        _column(kept, residual, missing=0.0),
        choices if orders == FIRST else {**choices, "orders": orders},
        dropped,
    )


def _one_plan(
    states: InstanceStates, columns: Sequence[str], orders: str, *, greedy: bool
) -> tuple[InstanceStates, PlanGraph, int]:
    """The distinct states that are no dead ends, their graph, and how many states are lost."""
    if states.tree is None:
        raise ValueError("the instance was read without siblings")
    if orders == FIRST and ORDER in states.tree:
        states = states.taken(np.flatnonzero(states.tree[ORDER] == 0))
    tree = states.tree
    assert tree is not None
    alive = np.ones(len(states), dtype=bool)
    for name in columns:
        alive &= np.isfinite(states.features[name])
    if not alive[tree["on_path"] == 1].all():
        raise BeelineError(
            f"'{states.problem.name}': a state of the plan is said to be a dead end",
            hint="the dataset contradicts itself: make it again",
        )
    living = states.taken(np.flatnonzero(alive))
    graph, first = _graph(living, orders, greedy=greedy)
    return living.taken(first), graph, len(np.unique(tree["state"][~alive]))


def _graph(states: InstanceStates, orders: str, *, greedy: bool) -> PlanStates:
    """One graph of the only order, or of all orders over the states of all."""
    tree, costs = states.tree, states.features["h_star"]
    assert tree is not None
    costs = np.where(np.isnan(costs), states.features["upper"], costs)
    columns = (*(tree[name] for name in ("state", "step", "on_path", "g")), costs)
    if orders == FIRST:
        return graph_of_columns(*columns)
    if ORDER not in tree:
        raise ValueError("the instance was read without the orders of its plan")
    numbers, first = np.unique(tree["state"], return_index=True)
    graphs = []
    for order in np.unique(tree[ORDER]).tolist():
        members = np.flatnonzero(tree[ORDER] == order)
        graph, met = graph_of_columns(*(column[members] for column in columns))
        rows = np.searchsorted(numbers, tree["state"][members[met]])
        graphs.append(graph.renumbered(rows, len(numbers)))
    graph = summed_graph(graphs) if orders == SEPARATE else merged_graph(graphs, greedy=greedy)
    return PlanStates(graph, first)


def _column(instances: Sequence[InstanceStates], name: str, *, missing: float) -> Floats:
    if name == "none":
        return np.full(sum(map(len, instances)), missing)
    return np.concatenate([each.features[name] for each in instances])
