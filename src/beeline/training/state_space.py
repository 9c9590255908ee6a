"""All states of a small task with their goal distances, and families of children from them.

Distances are pairs (cost, steps), compared in this order, so that of equally cheap ways the
shorter one is better and operators that cost nothing lead somewhere, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from beeline.training.pairs import Family

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.task.ground_task import GroundTask


class StateSpace:
    """The reachable states of a task, numbered as in the registry, with arcs and distances.

    `distance` is float64[states]: cost times a large number, plus steps; infinity for dead ends.
    """

    def __init__(
        self,
        starts: NDArray[np.int64],
        targets: NDArray[np.int64],
        lengths: NDArray[np.float64],
        distance: NDArray[np.float64],
    ) -> None:
        self.distance = distance
        self._starts = starts
        self._targets = targets
        self._lengths = lengths

    def __len__(self) -> int:
        return len(self.distance)

    def family(self, parent: int) -> Family:
        """The children on shortest ways to the goal, and the others except the parent itself."""
        arcs = slice(int(self._starts[parent]), int(self._starts[parent + 1]))
        children, through = self._targets[arcs], self._lengths[arcs]
        is_best = through + self.distance[children] == self.distance[parent]
        good = dict.fromkeys(children[is_best].tolist())
        bad = dict.fromkeys(children[~is_best].tolist())
        return Family(
            parent,
            tuple(good),
            tuple(child for child in bad if child not in good and child != parent),
        )

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
    goals = _goal_states(task, states, count)
    sources = np.repeat(np.arange(count), np.diff(starts))
    backward = _shortest_arcs(arcs, sources, lengths, count + 1, goals)
    graph = csr_matrix(backward, shape=(count + 1, count + 1))
    distance = dijkstra(graph, indices=count)[:count] - 1.0
    return StateSpace(np.array(starts, dtype=np.int64), arcs, lengths, distance)


def _goal_states(task: GroundTask, states: States, count: int) -> NDArray[np.int64]:
    values = states.values(np.arange(count, dtype=np.uint32))
    goal_variables = task.goal_variables
    return np.flatnonzero((values[:, goal_variables] == task.goal).all(axis=1))


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
