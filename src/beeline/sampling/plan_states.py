"""The rows of one instance in the table of states: a plan, its siblings, and their labels.

Other orders of the plan follow in the same way, if they are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.sampling.goal_distance import GoalDistance
from beeline.sampling.labels import Labeller

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.sampling.plan_settings import PlanSettings
    from beeline.sampling.plan_walk import Walk
    from beeline.task.ground_task import GroundTask


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
    labels = Labeller(task).label(states, distinct)
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
    """Fill in h* of the states that have none, as far as limits allow."""
    import numpy as np

    distance = GoalDistance(
        task,
        max_evaluations=settings.max_evaluations,
        time_limit=settings.time_limit,
        memory_limit=settings.memory_limit,
    )
    values = states.values(distinct)
    for place in np.flatnonzero(np.isnan(h_star)):
        h_star[place] = distance(values[place])
