"""From the names of a plan's steps to the states that it goes through, and to other orders of them.

Orders of the steps of a plan reach the same goal state at the same cost. Two parts of a plan that
follow each other may change places if the steps still apply and lead to the same state as before,
whatever their conditional effects do: in Gripper, the ways of two balls to the other room; two
moves of blocks; in general, any steps that do not need each other. Random exchanges, one after the
other, make another order. There is no search: an exchange replays at most the steps of both parts,
for about a microsecond for each condition and effect.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from beeline.core.errors import BeelineError
from beeline.task.ground_task import ARTIFICIAL
from beeline.task.states import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from beeline._native import States
    from beeline.task.ground_task import GroundTask

    Values = tuple[int, ...]  # a state: the value of each variable


class Walk(NamedTuple):
    """The states s_0 ... s_l of a plan, by number, and the operators between them."""

    states: list[int]
    operators: list[int]

    def costs_to_go(self, task: GroundTask) -> list[int]:
        """The cost of the rest of the plan, for each state."""
        costs = [int(task.costs[operator]) for operator in reversed(self.operators)]
        return [*accumulate(costs, initial=0)][::-1]


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
        if State(task, states, walk.states[-1]).is_goal:
            return walk
        for longer in _follow(task, states, walk, None):
            if State(task, states, longer.states[-1]).is_goal:
                return longer
    raise BeelineError("the plan does not reach the goal")


def _follow(task: GroundTask, states: States, walk: Walk, step: str | None) -> list[Walk]:
    """The walk with one more step, of this name or, without one, an artificial one."""
    operators, successors = states.successors(walk.states[-1])
    named = [(operator, task.operator_name(operator)) for operator in operators.tolist()]
    return [
        Walk([*walk.states, successor], [*walk.operators, operator])
        for (operator, name), successor in zip(named, successors.tolist(), strict=True)
        if name == step or (step is None and name[1] == ARTIFICIAL)
    ]


ATTEMPTS = 4  # for each order that is asked for
EXCHANGES = 20  # in one attempt at most


def plan_orders(
    task: GroundTask, states: States, walk: Walk, count: int, seed: Sequence[int]
) -> list[Walk]:
    """Up to `count` orders of the walk's steps whose states differ, the walk itself first.

    Equal seeds, which are numbers from 0 up, give equal orders. They visit as many different
    states as the walk does, and no goal state before the end that it does not visit.

    >>> import beeline
    >>> from beeline import _native
    >>> from beeline.data.plan_walk import walk_plan
    >>> task = beeline.ground(beeline.generators.generate("gripper", seed=2, balls=5))
    >>> states = _native.States(task.native)
    >>> walk = walk_plan(task, states, beeline.solve(task, "astar", "lmcut").plan)
    >>> orders = plan_orders(task, states, walk, 5, seed=(0,))
    >>> len(orders), len({each.operators[0] for each in orders})
    (5, 2)
    """
    import numpy as np

    orders = {tuple(walk.states): walk}
    if count == 1 or len(walk.operators) < 2:
        return [walk]
    numbers = np.array(walk.states, dtype=np.uint32)
    order = _Order(task, [tuple(row) for row in states.values(numbers).tolist()], walk.operators)
    rng = np.random.default_rng(seed)
    for _ in range(ATTEMPTS * (count - 1)):
        if not order.exchange(rng):
            break  # it is the only one
        for _ in range(int(rng.integers(EXCHANGES))):
            order.exchange(rng)
        found = states.insert(np.array(order.states, dtype=np.int32)).tolist()
        orders.setdefault(tuple(found), Walk(found, list(order.operators)))
        if len(orders) == count:
            break
    return list(orders.values())


class _Order:
    """A plan that changes into other orders of its steps."""

    def __init__(self, task: GroundTask, states: Sequence[Values], operators: list[int]) -> None:
        self.states = list(states)
        self.operators = list(operators)
        self._variable_of: list[int] = task.native.variable_of.tolist()
        self._goal = [(self._variable_of[value], value) for value in task.goal.tolist()]
        self._steps = {operator: _step(task, operator) for operator in operators}

    def exchange(self, rng: np.random.Generator) -> bool:
        """Exchange two random parts that follow each other; whether there are any.

        The parts are steps i to j - 1 and j to k - 1.
        """
        length = len(self.operators)
        for pair in rng.permutation(length * length).tolist():
            i, j = divmod(pair, length)
            if i < j and self._exchange_at(i, j, rng):
                return True
        return False

    def _exchange_at(self, i: int, j: int, rng: np.random.Generator) -> bool:
        """Exchange the steps i to j - 1 with some of the steps from j on, if that is possible."""
        later = self._replayed(self.states[i], self.operators[j:])
        if not later:
            return False
        earlier = self.operators[i:j]
        for place in rng.permutation(len(later)).tolist():
            k = j + place + 1
            then = self._replayed(later[place], earlier)
            if len(then) < len(earlier) or then[-1] != self.states[k]:
                continue
            between = [*later[: place + 1], *then[:-1]]
            if self._is_new(between, i, k):
                self.states[i + 1 : k] = between
                self.operators[i:k] = [*self.operators[j:k], *earlier]
                return True
        return False

    def _replayed(self, state: Values, operators: Sequence[int]) -> list[Values]:
        """The states after each of the operators, as far as they apply."""
        found = []
        for operator in operators:
            conditions, effects = self._steps[operator]
            if any(state[variable] != value for variable, value in conditions):
                break
            after = list(state)
            for guard, variable, value in effects:
                if guard < 0 or state[self._variable_of[guard]] == guard:
                    after[variable] = value
            state = tuple(after)
            found.append(state)
        return found

    def _is_new(self, between: list[Values], i: int, k: int) -> bool:
        """Whether states differ from those now between s_i and s_k, and may take their place."""
        before = self.states[i + 1 : k]
        if between == before:
            return False
        others = [*self.states[: i + 1], *self.states[k:]]
        if len({*others, *between}) < len({*others, *before}):
            return False
        new = set(between) - set(before)
        return not any(all(s[variable] == value for variable, value in self._goal) for s in new)


def _step(
    task: GroundTask, operator: int
) -> tuple[list[tuple[int, int]], list[tuple[int, int, int]]]:
    """Conditions (variable, value) and effects (guard or -1, variable, value) of an operator."""
    variable_of = task.native.variable_of
    starts, values = task.conditions
    needed = values[starts[operator] : starts[operator + 1]].tolist()
    starts, pairs = task.effects
    changed = pairs[starts[operator] : starts[operator + 1]].tolist()
    return (
        [(int(variable_of[value]), value) for value in needed],
        [(guard, int(variable_of[value]), value) for guard, value in changed],
    )
