"""The plan graph of a task: its rows are registered states."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline.losses.plan_graph import PlanGraph, graph_of_columns
from beeline.sampling.plan_states import path_rows, sibling_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.sampling.plan_walk import Walk
    from beeline.task.ground_task import GroundTask


class TaskGraph(NamedTuple):
    """A plan graph, and the number in the registry of the state in each row."""

    graph: PlanGraph
    ids: NDArray[np.uint32]


def task_plan_graph(task: GroundTask, states: States, walk: Walk) -> TaskGraph:
    """What the losses of a plan compare; all children of its states are registered.

    The cost-to-go of a state is the rest of the plan, from its last visit on.
    """
    rows = [*path_rows(task, walk), *sibling_rows(task, states, walk)]
    rest = dict(zip(walk.states, walk.costs_to_go(task), strict=True))
    registered = np.array([row.state for row in rows], dtype=np.uint32)
    graph, first = graph_of_columns(
        registered,
        [row.step for row in rows],
        [row.on_path for row in rows],
        [row.g for row in rows],
        [rest.get(row.state, np.nan) for row in rows],
    )
    return TaskGraph(graph, registered[first])
