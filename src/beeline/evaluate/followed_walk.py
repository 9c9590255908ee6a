"""The plan that a best-first search follows without hesitation, if there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from beeline.sampling.plan_walk import Walk

if TYPE_CHECKING:
    from beeline._native import Evaluator, States
    from beeline.task.ground_task import GroundTask


def followed_walk(
    task: GroundTask,
    states: States,
    evaluator: Evaluator,
    alpha: float,
    beta: float,
    max_cost: int,
) -> Walk | None:
    """The walk from the initial state to a goal along the single best states of the Open list.

    None as soon as two states share the lowest merit, the best one is no child of the state
    expanded last, or the walk costs more than `max_cost`: then no plan of that cost is followed.
    """
    costs = task.costs
    walk = Walk([states.initial], [])
    g = {states.initial: 0}
    merit: dict[int, float] = {}  # of the states in Open
    while True:
        here = walk.states[-1]
        if np.isin(task.goal, states.values(np.array([here], dtype=np.uint32))).all():
            return walk
        operators, successors = (array.tolist() for array in states.successors(here))
        cheapest: dict[int, int] = {}  # the operator to each child
        closed = set(walk.states)
        for operator, child in zip(operators, successors, strict=True):
            reached = g[here] + int(costs[operator])
            if child not in closed and reached < g.get(child, reached + 1):
                g[child], cheapest[child] = reached, operator
        children = np.array(list(cheapest), dtype=np.uint32)
        if len(children):
            values = evaluator.evaluate(states, children).tolist()
            merit.update(
                (child, alpha * g[child] + beta * h)
                for child, h in zip(cheapest, values, strict=True)
                if np.isfinite(h)
            )
        best = min(merit, key=merit.__getitem__, default=None)
        if best not in cheapest or best not in merit or g[best] > max_cost:
            return None
        lowest = merit.pop(best)
        if lowest in merit.values():
            return None
        walk.states.append(best)
        walk.operators.append(cheapest[best])
