"""All states of a small task with their goal distances, and families of children from them.

Distances are pairs (cost, steps), compared in this order, so that of equally cheap ways the
shorter one is better and operators that cost nothing lead somewhere, too.

Families of states along a plan: the plan's own child, and its worse siblings.

The plan graph of a task: its rows are registered states.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline.data.plan_states import path_rows, sibling_rows
from beeline.fitting.pairs import Family
from beeline.fitting.plan_graph import PlanGraph, graph_of_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.data.plan_walk import Walk
    from beeline.task.ground_task import GroundTask


@dataclass(frozen=True, eq=False)
class StateSpace:
    """The reachable states of a task, numbered as in the registry, with arcs and distances.

    The arcs from state `i` are `starts[i]` to `starts[i + 1] - 1`, with `targets` and `lengths`.
    `distance` is float64[states]: cost times a large number, plus steps; infinity for dead ends.
    """

    starts: NDArray[np.int64]
    targets: NDArray[np.int64]
    lengths: NDArray[np.float64]
    distance: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.distance)

    def family(self, parent: int) -> Family:
        """The children on shortest ways to the goal, and the others except the parent itself."""
        arcs = slice(int(self.starts[parent]), int(self.starts[parent + 1]))
        children, through = self.targets[arcs], self.lengths[arcs]
        is_best = through + self.distance[children] == self.distance[parent]
        good = dict.fromkeys(children[is_best].tolist())
        bad = dict.fromkeys(children[~is_best].tolist())
        worse = tuple(child for child in bad if child not in good and child != parent)
        return Family(parent, tuple(good), worse)

    def families(self, parents: Iterable[int]) -> list[Family]:
        """The families of these states, without goal states and dead ends."""
        return [self.family(parent) for parent in parents if 0 < self.distance[parent] < np.inf]


def enumerate_states(task: GroundTask, states: States, max_states: int) -> StateSpace | None:
    """All states that can be reached from the initial one; None if there are too many.

    The states are registered in breadth-first order in `states`, which must be new.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    starts = [0]
    operators: list[NDArray[np.int32]] = []
    targets: list[NDArray[np.uint32]] = []
    parent = states.initial
    while parent < len(states):
        if len(states) > max_states:
            return None
        applicable, children = states.successors(parent)
        operators.append(applicable)
        targets.append(children)
        starts.append(starts[-1] + len(children))
        parent += 1
    count = len(states)
    arcs = np.concatenate(targets).astype(np.int64)
    # Distances beyond 2**53 would lose the steps: no task of this size comes near.
    lengths = task.costs[np.concatenate(operators)].astype(np.float64) * 2.0**20 + 1.0
    values = states.values(np.arange(count, dtype=np.uint32))
    goals = np.flatnonzero((values[:, task.goal_variables] == task.goal).all(axis=1))
    sources = np.repeat(np.arange(count), np.diff(starts))
    backward = _shortest_arcs(arcs, sources, lengths, count + 1, goals)
    graph = csr_matrix(backward, shape=(count + 1, count + 1))
    distance = dijkstra(graph, indices=count)[:count] - 1.0
    return StateSpace(np.array(starts, dtype=np.int64), arcs, lengths, distance)


def _shortest_arcs(
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    lengths: NDArray[np.float64],
    size: int,
    goals: NDArray[np.int64],
) -> tuple[NDArray[np.float64], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Arcs with the shortest of parallel ones, and arcs of length 1 from the last node to goals."""
    sources = np.concatenate([sources, np.full(len(goals), size - 1)])
    targets = np.concatenate([targets, goals])
    lengths = np.concatenate([lengths, np.ones(len(goals))])
    order = np.lexsort((lengths, sources * size + targets))
    keys = (sources * size + targets)[order]
    first = np.concatenate([[True], keys[1:] != keys[:-1]])
    chosen = order[first]
    return lengths[chosen], (sources[chosen], targets[chosen])


def plan_families(states: States, walk: Walk, as_good: Sequence[set[int]] = ()) -> list[Family]:
    """A family for each step of a plan.

    `as_good` has for each step the operators that lead to a state no worse than the plan's own:
    good children, too. States that the plan has been through are left out: the search never
    comes back to them.
    """
    families = []
    been_there: set[int] = set()
    for place, parent in enumerate(walk.states[:-1]):
        been_there.add(parent)
        chosen = walk.states[place + 1]
        if chosen in been_there:  # the plan goes round in a circle
            continue
        wanted = as_good[place] if place < len(as_good) else set()
        operators, children = (array.tolist() for array in states.successors(parent))
        steps = zip(operators, children, strict=True)
        as_wanted = [child for operator, child in steps if operator in wanted]
        good = dict.fromkeys([chosen, *(child for child in as_wanted if child not in been_there)])
        others = [child for child in dict.fromkeys(children) if child not in been_there]
        bad = tuple(child for child in others if child not in good)
        families.append(Family(parent, tuple(good), bad))
    return families


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
