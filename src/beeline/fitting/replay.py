"""Plans replayed without a registry of states: which steps could come earlier.

A state is a list of values, one for each variable; values are numbers across all variables, so
that "variable v has value x" is the single test `state[v] == x`. A step costs about a
microsecond for each of its conditions and effects.

Which other steps of an optimal plan's states are on optimal plans, too.

A child is as good as the plan's own if it is at most as far from the goal. A* with LM-cut decides
that, cutting off all that costs more: mostly the first evaluation is enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from beeline import _native
from beeline.planning.heuristics import make_evaluator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline._native import States
    from beeline.data.plan_walk import Walk
    from beeline.task.ground_task import GroundTask

    # Conditions (variable, value), and effects (values needed, variable, value).
    Changes = tuple[list[tuple[int, int]], list[tuple[list[int], int, int]]]


class Replay:
    """The operators of a task as plain lists, ready to be applied one after another."""

    def __init__(self, task: GroundTask) -> None:
        variable_of = task.native.variable_of.tolist()
        self._variable_of: list[int] = variable_of
        self._initial: list[int] = task.initial.tolist()
        self._goal = [(variable_of[value], value) for value in task.goal.tolist()]
        self._conditions_of = task.operator_conditions
        self._effects_of = task.operator_effects
        self._known: dict[int, Changes] = {}

    def apply(self, state: list[int], operator: int) -> list[int] | None:
        """The state after an operator, None if it does not apply."""
        conditions, effects = self._known.get(operator) or self._look_up(operator)
        for variable, value in conditions:
            if state[variable] != value:
                return None
        after = state.copy()
        for needed, variable, value in effects:
            if all(state[self._variable_of[each]] == each for each in needed):
                after[variable] = value
        return after

    def reaches_goal(self, state: list[int], operators: Sequence[int]) -> bool:
        """Whether these operators lead from the state to a goal state."""
        for operator in operators:
            after = self.apply(state, operator)
            if after is None:
                return False
            state = after
        return self._is_goal(state)

    def _is_goal(self, state: list[int]) -> bool:
        return all(state[variable] == value for variable, value in self._goal)

    def states(self, operators: Sequence[int]) -> list[list[int]]:
        """The states of a plan, the initial one first."""
        path = [self._initial]
        for operator in operators:
            path.append(self._after(path[-1], operator))
        return path

    def _after(self, state: list[int], operator: int) -> list[int]:
        after = self.apply(state, operator)
        if after is None:
            raise ValueError("an operator of the plan does not apply")
        return after

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

    def _look_up(self, operator: int) -> Changes:
        conditions = [(self._variable_of[value], value) for value in self._conditions_of(operator)]
        effects = [
            (needed, self._variable_of[value], value)
            for needed, value in self._effects_of(operator)
        ]
        self._known[operator] = conditions, effects
        return self._known[operator]


EVALUATIONS_PER_CHILD = 1000


def equal_steps(
    task: GroundTask, states: States, walk: Walk, max_evaluations: int
) -> list[set[int]]:
    """For each step of an optimal plan, the other operators that begin an optimal rest.

    Steps are looked at from the end of the plan on; where evaluations run out, nothing is known,
    and the sets are empty.
    """
    config = _native.SearchConfig()
    config.evaluators = [make_evaluator("lmcut", task)]
    keys = [_native.KeySpec(alpha=alpha, beta=1) for alpha in (1, 0)]
    config.queues = [_native.QueueSpec(keys)]
    config.reopen = True
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
                # A registry of its own: the searches leave many states behind.
                registry = _native.States(task.native)
                (start,) = registry.insert(states.values(np.array([child], dtype=np.uint32)))
                result = _native.search(registry, int(start), config)
                left -= result.counters.evaluated
                verdicts[child] = result.status == _native.SearchStatus.SOLVED
                if left <= 0:
                    return found
            if verdicts.get(child):
                found[place].add(operator)
    return found
