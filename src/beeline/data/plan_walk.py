"""The states along a plan: from the names of its steps to the rows of a dataset, with labels.

Other orders of the steps of a plan reach the same goal state at the same cost. Two parts of a plan
that follow each other may change places if the steps still apply and lead to the same state as
before, whatever their conditional effects do: in Gripper, the ways of two balls to the other room;
two moves of blocks; in general, any steps that do not need each other. Random exchanges, one after
the other, make another order. There is no search: an exchange replays at most the steps of both
parts, for about a microsecond for each condition and effect.

The rows of an instance are a plan, its siblings, and the same for other orders of the plan. Labels
are values of the very evaluators that searches use; h*, the cost of a cheapest plan, is found by A*
with LM-cut.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline import _native
from beeline.core.errors import BeelineError
from beeline.core.limits import memory_size
from beeline.data.manifest import HEURISTICS
from beeline.planning.heuristics import make_evaluator
from beeline.task.ground_task import ARTIFICIAL, GroundTask
from beeline.task.states import State

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.data.task_sets import PlanSettings

    Labels = dict[str, NDArray[np.float64]]
    Values = tuple[int, ...]  # a state: the value of each variable
    # Conditions (variable, value), and effects (values needed, variable, value).
    Changes = tuple[list[tuple[int, int]], list[tuple[list[int], int, int]]]


class Walk(NamedTuple):
    """The states s_0 ... s_l of a plan, by number, and the operators between them."""

    states: list[int]
    operators: list[int]

    def costs_to_go(self, task: GroundTask) -> list[int]:
        """The cost of the rest of the plan, for each state."""
        costs = [task.operator_cost(operator) for operator in reversed(self.operators)]
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


class PlainSteps:
    """The operators of a task without axioms as plain lists, for states without a registry.

    A state has a value for each variable; values are numbers across all variables, so that
    "variable v has value x" is the single test `state[v] == x`. A step costs about a microsecond
    for each of its conditions and effects.
    """

    def __init__(self, task: GroundTask) -> None:
        self._task = task
        self._variable_of: list[int] = task.native.variable_of.tolist()
        self._goal = [(self._variable_of[value], value) for value in task.goal.tolist()]
        self._known: dict[int, Changes] = {}

    def apply(self, state: Sequence[int], operator: int) -> list[int] | None:
        """The state after an operator, None if it does not apply."""
        conditions, effects = self._known.get(operator) or self._look_up(operator)
        for variable, value in conditions:
            if state[variable] != value:
                return None
        after = list(state)
        for needed, variable, value in effects:
            if all(state[self._variable_of[each]] == each for each in needed):
                after[variable] = value
        return after

    def is_goal(self, state: Sequence[int]) -> bool:
        """Whether the goal holds in a state."""
        return all(state[variable] == value for variable, value in self._goal)

    def _look_up(self, operator: int) -> Changes:
        variable_of, needed = self._variable_of, self._task.operator_conditions(operator)
        effects = self._task.operator_effects(operator)
        self._known[operator] = (
            [(variable_of[value], value) for value in needed],
            [(others, variable_of[value], value) for others, value in effects],
        )
        return self._known[operator]


ATTEMPTS = 4  # for each order that is asked for
EXCHANGES = 20  # in one attempt at most


def plan_orders(
    task: GroundTask, states: States, walk: Walk, count: int, seed: Sequence[int]
) -> list[Walk]:
    """Up to `count` orders of the walk's steps whose states differ, the walk itself first.

    Equal seeds, which are numbers from 0 up, give equal orders. They visit as many different
    states as the walk does, and no goal state before the end that it does not visit. In a task
    with axioms, which plain steps do not look at, there is the walk alone.

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
    orders = {tuple(walk.states): walk}
    if count == 1 or len(walk.operators) < 2 or task.has_axioms:
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
        self._steps = PlainSteps(task)

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
        found: list[Values] = []
        for operator in operators:
            after = self._steps.apply(found[-1] if found else state, operator)
            if after is None:
                break
            found.append(tuple(after))
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
        return not any(map(self._steps.is_goal, new))


_WITH_RELAXED_PLAN = ("goalcount", "ff", "ignored_effects", "mean_ignored_effects")


def heuristic_labels(task: GroundTask, states: States, ids: NDArray[np.uint32]) -> Labels:
    """All heuristics of these states, and the features of Gomoluch et al. (2017), by column.

    The features are the goal count, h_FF, and the delete effects of the relaxed plan that h_FF
    ignores, summed and per operator. The value of a proven dead end is infinity.
    """
    labels: Labels = {
        name: make_evaluator(name, task).evaluate(states, ids)
        for name in HEURISTICS
        if name not in _WITH_RELAXED_PLAN
    }
    features = _native.FFHeuristic(task.native).features(states, ids)
    return {**labels, **dict(zip(_WITH_RELAXED_PLAN, features.T, strict=True))}


class Row(NamedTuple):
    """A state of a plan, or one generated beside it."""

    state: int  # number in the registry
    step: int
    on_path: bool
    parent: int | None
    operator: int | None
    g: int


def state_columns(
    task: GroundTask,
    states: States,
    walk: Walk,
    settings: PlanSettings,
    *,
    instance: int,
    optimal: bool,
    others: Sequence[Walk] = (),
) -> dict[str, Any]:
    """The columns of an instance's states: those of the plan in order, then the siblings.

    The same follows for `others`, which are further orders of the plan's steps.
    """
    walks = [walk, *others]
    rows: list[Row] = []
    numbers: list[int] = []
    for order, each in enumerate(walks):
        rows += path_rows(task, each)
        if settings.siblings:
            rows += sibling_rows(task, states, each)
        numbers += [order] * (len(rows) - len(numbers))
    registered = np.array([row.state for row in rows], dtype=np.uint32)
    place_of: dict[int, int] = {}  # in the order of first appearance
    numbered = [place_of.setdefault(row.state, len(place_of)) for row in rows]
    places = np.array(numbered, dtype=np.int32)
    distinct = np.array(list(place_of), dtype=np.uint32)
    labels = heuristic_labels(task, states, distinct)
    to_go = np.full(len(distinct), np.nan)
    on_path = np.array([row.on_path for row in rows])
    rest = [cost for each in walks for cost in each.costs_to_go(task)]
    np.fmin.at(to_go, places[on_path], np.array(rest, dtype=np.float64))
    h_star = to_go if optimal else np.full(len(distinct), np.nan)
    upper = np.full(len(distinct), np.nan) if optimal else to_go
    if settings.sibling_h_star:
        _solve_siblings(task, states, distinct, h_star, settings)
    return {
        "instance": [instance] * len(rows),
        "state": places,
        "step": [row.step for row in rows],
        "on_path": [row.on_path for row in rows],
        "parent": [row.parent for row in rows],
        "operator": [
            None if row.operator is None else task.operator_name(row.operator) for row in rows
        ],
        "g": [row.g for row in rows],
        "facts": states.true_facts(registered),
        "h_star": h_star[places],
        "upper": upper[places],
        **{name: values[places] for name, values in labels.items()},
        "order": numbers,
    }


def path_rows(task: GroundTask, walk: Walk) -> Iterator[Row]:
    """The states of a plan, in order."""
    yield Row(walk.states[0], 0, True, None, None, 0)
    g = 0
    for parent, (operator, state) in enumerate(zip(walk.operators, walk.states[1:], strict=True)):
        g += task.operator_cost(operator)
        yield Row(state, parent + 1, True, parent, operator, g)


def sibling_rows(task: GroundTask, states: States, walk: Walk) -> Iterator[Row]:
    """All states generated from the states of the plan, but for the next step of the plan itself.

    Of several operators from a state to the same state the cheapest one is kept.
    """
    costs = task.costs
    g = 0
    for parent, (taken, state) in enumerate(zip(walk.operators, walk.states[:-1], strict=True)):
        operators, successors = (array.tolist() for array in states.successors(state))
        cheapest: dict[int, int] = {}
        for operator, successor in zip(operators, successors, strict=True):
            known = cheapest.get(successor)
            if known is None or costs[operator] < costs[known]:
                cheapest[successor] = operator
        for successor, operator in cheapest.items():
            if successor != walk.states[parent + 1]:
                yield Row(successor, parent + 1, False, parent, operator, g + int(costs[operator]))
        g += int(costs[taken])


def _solve_siblings(
    task: GroundTask,
    states: States,
    distinct: NDArray[np.uint32],
    h_star: NDArray[np.float64],
    settings: PlanSettings,
) -> None:
    """Fill in h* of the states that have none: infinity for a dead end, still NaN at a limit."""
    config = optimal_search(task)
    config.max_evaluations = settings.max_evaluations
    config.max_seconds = settings.time_limit
    size = memory_size("memory limit", settings.memory_limit)
    if size is not None:
        config.max_bytes = size
    for place in np.flatnonzero(np.isnan(h_star)):
        found = search_from(task, states, distinct[[place]], config)
        if found.status == _native.SearchStatus.SOLVED:
            h_star[place] = found.cost
        elif found.status == _native.SearchStatus.UNSOLVABLE:
            h_star[place] = np.inf


def optimal_search(task: GroundTask) -> _native.SearchConfig:
    """A* with LM-cut."""
    config = _native.SearchConfig()
    config.evaluators = [make_evaluator("lmcut", task)]
    keys = [_native.KeySpec(alpha=alpha, beta=1) for alpha in (1, 0)]
    config.queues = [_native.QueueSpec(keys)]
    config.reopen = True
    return config


def search_from(
    task: GroundTask, states: States, state: NDArray[np.uint32], config: _native.SearchConfig
) -> _native.SearchResult:
    """Search from one of the states, in a registry of its own: searches leave many behind."""
    alone = _native.States(task.native)
    (start,) = alone.insert(states.values(state))
    return _native.search(alone, int(start), config)
