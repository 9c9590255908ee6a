"""What is learned about each state: its cost-to-go, bounds of it, and a first guess.

The target x is h*. A lower bound l comes from an admissible heuristic, an upper bound u from a
plan that need not be cheapest, and the residual base h is what a network's output is added to:
mu = output + h (Núñez-Molina et al., "On using admissible bounds for learning forward search
heuristics", section 3).

Whole plans to learn from: the states of their Open lists, and what is known about each.

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
from beeline.data.instances import ORDER
from beeline.fitting.losses import FIRST, ORDERS, SEPARATE, TARGETS
from beeline.fitting.plan_graph import PlanStates, graph_of_columns, merged_graph, summed_graph
from beeline.models.neural_model import CHOICES
from beeline.models.rows import starts_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from beeline.data.instances import InstanceStates
    from beeline.fitting.plan_graph import PlanGraph

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabelledStates:
    """Labels float64[n] of the states of some instances, in their order.

    Missing bounds are infinite, a missing residual base is zero. `instances` have exactly the
    states that are labelled; `dropped` says how many others there were, and why.
    """

    instances: list[InstanceStates]
    target: Floats
    lower: Floats
    upper: Floats
    residual: Floats
    ff: Floats
    lmcut: Floats
    choices: dict[str, str]
    dropped: dict[str, int]

    def __len__(self) -> int:
        return len(self.target)


def label_states(
    instances: Sequence[InstanceStates],
    *,
    target: str = "optimal",
    lower: str = "lmcut",
    upper: str = "none",
    residual: str = "ff",
) -> LabelledStates:
    """Targets, bounds and residual bases of all states; those that lack one are dropped.

    The target "optimal" is h*; "plan" is the cost of the plan's rest where h* is unknown.
    """
    choices = {"target": target, "lower": lower, "upper": upper, "residual": residual}
    _check_words(choices, {"target": TARGETS, **CHOICES})
    x, of_plan = (_column(instances, name) for name in ("h_star", "upper"))
    if target == "plan":
        x = np.where(np.isnan(x), of_plan, x)
    bound_below = _column(instances, lower, missing=-np.inf)
    bound_above = np.where(np.isnan(of_plan) | (upper == "none"), np.inf, of_plan)
    base = _column(instances, residual, missing=0.0)
    faults = {
        "no finite target": ~np.isfinite(x),
        "infinite lower bound": bound_below == np.inf,
        "no finite residual": ~np.isfinite(base),
        "target out of bounds": (x < bound_below) | (x > bound_above),
    }
    keep = np.ones(len(x), dtype=bool)
    dropped = {}
    for reason, fault in faults.items():
        lost = int(np.count_nonzero(fault & keep))
        if lost:
            dropped[reason] = lost
        keep &= ~fault
    if not keep.any():
        reasons = ", ".join(f"{lost} with {reason}" for reason, lost in dropped.items())
        raise BeelineError(
            f"no state is left to learn from: {reasons}",
            hint="solve the tasks to optimality, or take plans as targets",
        )
    return LabelledStates(
        _kept(instances, keep),
        x[keep],
        bound_below[keep],
        bound_above[keep],
        base[keep],
        _column(instances, "ff")[keep],
        _column(instances, "lmcut")[keep],
        choices,
        dropped,
    )


def _kept(instances: Sequence[InstanceStates], keep: NDArray[np.bool_]) -> list[InstanceStates]:
    ends = np.cumsum([len(each) for each in instances])[:-1]
    masks = zip(instances, np.split(keep, ends), strict=True)
    return [
        each if mask.all() else each.taken(np.flatnonzero(mask))
        for each, mask in masks
        if mask.any()
    ]


def _check_words(chosen: Mapping[str, str], known: Mapping[str, tuple[str, ...]]) -> None:
    for what, word in chosen.items():
        if word not in known[what]:
            raise BeelineError(
                f"unknown {what} '{word[:60]}'", hint=f"there are {', '.join(known[what])}"
            )


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
    choices = {"lower": lower, "residual": residual}
    _check_words({"orders": orders, **choices}, {"orders": ORDERS, **CHOICES})
    columns = [name for name in dict.fromkeys([lower, residual, *finite]) if name != "none"]
    plans = [_one_plan(each, columns, orders, greedy=greedy) for each in instances]
    kept, graphs = [states for states, _, _ in plans], [graph for _, graph, _ in plans]
    return LabelledPlans(
        kept,
        graphs,
        starts_of([graph.count for graph in graphs]),
        _column(kept, lower, missing=-np.inf),
        _column(kept, residual, missing=0.0),
        choices if orders == FIRST else {**choices, "orders": orders},
        sum(lost for _, _, lost in plans),
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


def _column(instances: Sequence[InstanceStates], name: str, *, missing: float = np.nan) -> Floats:
    """A column of all instances; `missing` if its name is none."""
    if name == "none":
        return np.full(sum(map(len, instances)), missing)
    return np.concatenate([each.features[name] for each in instances])
