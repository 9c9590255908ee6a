"""Plans replayed without a registry of states: which steps could come earlier.

Which other steps of an optimal plan's states are on optimal plans, too.

A child is as good as the plan's own if it is at most as far from the goal. A* with LM-cut decides
that, cutting off all that costs more: mostly the first evaluation is enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from beeline import _native
from beeline.data.plan_walk import PlainSteps, optimal_search, search_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline._native import States
    from beeline.data.plan_walk import Walk
    from beeline.task.ground_task import GroundTask


class Replay(PlainSteps):
    """The operators of a task as plain lists, ready to be applied one after another."""

    def reaches_goal(self, state: list[int], operators: Sequence[int]) -> bool:
        """Whether these operators lead from the state to a goal state."""
        for operator in operators:
            after = self.apply(state, operator)
            if after is None:
                return False
            state = after
        return self.is_goal(state)

    def states(self, operators: Sequence[int]) -> list[list[int]]:
        """The states of a plan, the initial one first."""
        path: list[list[int]] = [self._task.initial.tolist()]
        for operator in operators:
            after = self.apply(path[-1], operator)
            if after is None:
                raise ValueError("an operator of the plan does not apply")
            path.append(after)
        return path

    def exchangeable(self, operators: Sequence[int], *, max_steps: int) -> list[set[int]]:
        """For each step, the later operators of the plan that could be taken in its place.

        Such an operator is moved to the front of the rest of the plan, which must still reach
        the goal. It leads to a state that is no worse than the plan's own. At most `max_steps`
        steps are replayed; places at the end of a plan beyond that have no entries.
        """
        path = self.states(operators)
        found: list[set[int]] = [set() for _ in operators]
        steps = 0
        for place, state in enumerate(path[:-1]):
            tried = {operators[place]}
            for later in range(place + 1, len(operators)):
                operator = operators[later]
                if operator in tried:
                    continue
                tried.add(operator)
                after = self.apply(state, operator)
                if after is None:
                    continue
                steps += len(operators) - place
                if steps > max_steps:
                    return found
                rest = [*operators[place:later], *operators[later + 1 :]]
                if self.reaches_goal(after, rest):
                    found[place].add(operator)
        return found


EVALUATIONS_PER_CHILD = 1000


def equal_steps(
    task: GroundTask, states: States, walk: Walk, max_evaluations: int
) -> list[set[int]]:
    """For each step of an optimal plan, the other operators that begin an optimal rest.

    Steps are looked at from the end of the plan on; where evaluations run out, nothing is known,
    and the sets are empty.
    """
    config = optimal_search(task)
    config.bound_with_h = True
    rest, costs = walk.costs_to_go(task), task.costs
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
                start = np.array([child], dtype=np.uint32)
                result = search_from(task, states, start, config)
                left -= result.counters.evaluated
                verdicts[child] = result.status == _native.SearchStatus.SOLVED
                if left <= 0:
                    return found
            if verdicts.get(child):
                found[place].add(operator)
    return found
