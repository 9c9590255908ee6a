"""From the names of a plan's steps to the states that it goes through."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from beeline.core.errors import BeelineError
from beeline.task.ground_task import ARTIFICIAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline._native import States
    from beeline.task.ground_task import GroundTask


class Walk(NamedTuple):
    """The states s_0 ... s_l of a plan, by number, and the operators between them."""

    states: list[int]
    operators: list[int]

    def costs_to_go(self, task: GroundTask) -> list[int]:
        """The cost of the rest of the plan, for each state."""
        costs = task.costs
        rest = [0]
        for operator in reversed(self.operators):
            rest.append(rest[-1] + int(costs[operator]))
        return rest[::-1]


def walk_plan(task: GroundTask, states: States, steps: Sequence[str]) -> Walk:
    """Follow the steps, such as `(stack a b)`, from the initial state.

    Steps that cannot matter for the goal have no ground operator and are passed over: without
    them the plan is still one. Where a condition was split into cases, several operators have
    the same name; all that apply are followed.
    """
    walks = [Walk([states.initial], [])]
    for number, step in enumerate(steps, start=1):
        followed = [longer for walk in walks for longer in _follow(task, states, walk, step)]
        if followed:
            walks = list({walk.states[-1]: walk for walk in reversed(followed)}.values())[::-1]
        elif task.operator_ids(step):
            raise BeelineError(f"step {number} {step} of the plan does not apply")
    for walk in walks:
        complete = _reach_goal(task, states, walk)
        if complete is not None:
            return complete
    raise BeelineError("the plan does not reach the goal")


def _follow(task: GroundTask, states: States, walk: Walk, step: str) -> list[Walk]:
    operators, successors = states.successors(walk.states[-1])
    return [
        Walk([*walk.states, successor], [*walk.operators, operator])
        for operator, successor in zip(operators.tolist(), successors.tolist(), strict=True)
        if task.operator_name(operator) == step
    ]


def _reach_goal(task: GroundTask, states: States, walk: Walk) -> Walk | None:
    """The walk if it ends in a goal state, if need be after one artificial step."""
    if _is_goal(task, states, walk.states[-1]):
        return walk
    operators, successors = states.successors(walk.states[-1])
    for operator, successor in zip(operators.tolist(), successors.tolist(), strict=True):
        artificial = task.operator_name(operator)[1] == ARTIFICIAL
        if artificial and _is_goal(task, states, successor):
            return Walk([*walk.states, successor], [*walk.operators, operator])
    return None


def _is_goal(task: GroundTask, states: States, state: int) -> bool:
    import numpy as np

    values = states.values(np.array([state], dtype=np.uint32))
    return bool(np.isin(task.goal, values).all())
