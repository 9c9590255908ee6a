"""Which other steps of an optimal plan's states are on optimal plans, too.

A child is as good as the plan's own if it is at most as far from the goal. A* with LM-cut decides
that, cutting off all that costs more: mostly the first evaluation is enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.planning.heuristics import make_evaluator

if TYPE_CHECKING:
    from beeline._native import States
    from beeline.sampling.plan_walk import Walk
    from beeline.task.ground_task import GroundTask

EVALUATIONS_PER_CHILD = 1000


def equal_steps(
    task: GroundTask, states: States, walk: Walk, max_evaluations: int
) -> list[set[int]]:
    """For each step of an optimal plan, the other operators that begin an optimal rest.

    Steps are looked at from the end of the plan on; where evaluations run out, nothing is known,
    and the sets are empty.
    """
    from beeline import _native

    config = _native.SearchConfig()
    lmcut = make_evaluator("lmcut", task)
    config.evaluators = [lmcut]
    config.queues = [
        _native.QueueSpec([_native.KeySpec(alpha=1, beta=1), _native.KeySpec(alpha=0, beta=1)])
    ]
    config.reopen = True
    config.bound_with_h = True
    rest = walk.costs_to_go(task)
    costs = task.costs
    found: list[set[int]] = [set() for _ in walk.operators]
    left = max_evaluations
    for place in reversed(range(len(walk.operators))):
        operators, children = (array.tolist() for array in states.successors(walk.states[place]))
        verdicts: dict[int, bool] = {walk.states[place + 1]: False, walk.states[place]: False}
        for operator, child in zip(operators, children, strict=True):
            bound = rest[place] - int(costs[operator]) + 1
            if child not in verdicts and bound > 0:
                config.bound = bound
                config.max_evaluations = min(left, EVALUATIONS_PER_CHILD)
                # A registry of its own: the searches leave many states behind.
                result = _native.search(*_alone(task, states, child), config)
                left -= result.counters.evaluated
                verdicts[child] = result.status == _native.SearchStatus.SOLVED
                if left <= 0:
                    return found
            if verdicts.get(child):
                found[place].add(operator)
    return found


def _alone(task: GroundTask, states: States, state: int) -> tuple[States, int]:
    """A new registry with one state, and the number of the state there."""
    import numpy as np

    from beeline import _native

    values = states.values(np.array([state], dtype=np.uint32))
    registry = _native.States(task.native)
    return registry, int(registry.insert(values)[0])
