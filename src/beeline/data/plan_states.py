"""The rows of one instance in the table of states: a plan, its siblings, and their labels.

Other orders of the plan follow in the same way, if they are asked for. Labels are values of the
very evaluators that searches use; h*, the cost of a cheapest plan, is found by A* with LM-cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.limits import memory_size
from beeline.data.manifest import HEURISTICS
from beeline.planning.heuristics import make_evaluator

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.data.plan_walk import Walk
    from beeline.data.task_sets import PlanSettings
    from beeline.task.ground_task import GroundTask

    Labels = dict[str, NDArray[np.float64]]


_WITH_RELAXED_PLAN = ("goalcount", "ff", "ignored_effects", "mean_ignored_effects")


def heuristic_labels(task: GroundTask, states: States, ids: NDArray[np.uint32]) -> Labels:
    """All heuristics of these states, and the features of Gomoluch et al. (2017), by column.

    The features are the goal count, h_FF, and the delete effects of the relaxed plan that h_FF
    ignores, summed and per operator. The value of a proven dead end is infinity.
    """
    from beeline import _native

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
    import numpy as np

    walks = [walk, *others]
    rows: list[Row] = []
    numbers: list[int] = []
    for order, each in enumerate(walks):
        rows += path_rows(task, each)
        if settings.siblings:
            rows += sibling_rows(task, states, each)
        numbers += [order] * (len(rows) - len(numbers))
    registered = np.array([row.state for row in rows], dtype=np.uint32)
    distinct, places = _by_first_appearance(registered)
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
        g += int(task.costs[operator])
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


def _by_first_appearance(
    numbers: NDArray[np.uint32],
) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """The distinct numbers in order, and for each of all numbers its place among them."""
    import numpy as np

    place_of: dict[int, int] = {}
    places = [place_of.setdefault(number, len(place_of)) for number in numbers.tolist()]
    return np.array(list(place_of), dtype=np.uint32), np.array(places, dtype=np.int32)


def _solve_siblings(
    task: GroundTask,
    states: States,
    distinct: NDArray[np.uint32],
    h_star: NDArray[np.float64],
    settings: PlanSettings,
) -> None:
    """Fill in h* of the states that have none: infinity for a dead end, still NaN at a limit."""
    import numpy as np

    from beeline import _native

    config = _native.SearchConfig()
    lmcut = make_evaluator("lmcut", task)  # which the configuration only points to
    config.evaluators = [lmcut]
    config.queues = [
        _native.QueueSpec([_native.KeySpec(alpha=1, beta=1), _native.KeySpec(alpha=0, beta=1)])
    ]
    config.reopen = True
    config.max_evaluations = settings.max_evaluations
    config.max_seconds = settings.time_limit
    size = memory_size("memory limit", settings.memory_limit)
    if size is not None:
        config.max_bytes = size
    for place in np.flatnonzero(np.isnan(h_star)):
        alone = _native.States(task.native)  # searches leave many states behind
        state = int(alone.insert(states.values(distinct[[place]]))[0])
        found = _native.search(alone, state, config)
        if found.status == _native.SearchStatus.SOLVED:
            h_star[place] = found.cost
        elif found.status == _native.SearchStatus.UNSOLVABLE:
            h_star[place] = np.inf
