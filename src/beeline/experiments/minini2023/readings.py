"""What perfect distances of partial states could be: readings of po^G*, a variant of po^G.

A partial state stands for many states, and so its perfect distance is open. Preferred operators of
a sample are then those that lead to a sample one step nearer to the goal (definition 13).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from beeline.data.regression import Rows
    from beeline.task.ground_task import GroundTask

    Ints = NDArray[np.int64]

MATCHING, BACKWARD = "matching", "backward"
READINGS = (MATCHING, BACKWARD)
MOST_BACKWARD = 1_000_000  # partial states; of larger backward spaces nothing is told
UNKNOWN = 2**40  # a distance from the goal that no state has


def both_operators(task: GroundTask, partial: NDArray[np.int32], reading: str) -> tuple[Rows, Rows]:
    """Preferred operators of different partial states, without perfect distances and with them.

    Where a reading can tell nothing of the task, there are no rows with them.
    """
    from beeline import _native

    states = _native.PartialStates(task.native)
    ids = np.unique(states.insert(partial))
    graph = _native.SampleGraph(states, ids)
    discovered = graph.improved(np.where(ids == states.goal, 0, UNKNOWN).astype(np.int64))
    values = states.values(ids)
    perfect = _matching(task, values) if reading == MATCHING else _backward(task, values)
    nothing = (np.zeros(1, np.int64), np.zeros(0, np.int32))
    return graph.preferred(discovered), nothing if perfect is None else graph.preferred(perfect)


def _matching(task: GroundTask, partial: NDArray[np.int32]) -> Ints:
    """The smallest distance of a state that has all values of a partial state."""
    from beeline.data.state_spaces import enumerate_states

    space = enumerate_states(task)
    distances = np.where(np.asarray(space.distances) < 0, UNKNOWN, space.distances)
    values = space.values(np.arange(len(space), dtype=np.uint32))
    # A state and a partial state match if sums of random numbers over the defined values do.
    words = np.random.default_rng(0).integers(0, 2**62, int(values.max()) + 1, dtype=np.int64)
    whole, defined = words[values], partial >= 0
    keys = np.where(defined, words[np.maximum(partial, 0)], 0).sum(axis=1)
    masks, kinds = np.unique(defined, axis=0, return_inverse=True)
    found = np.full(len(partial), UNKNOWN, np.int64)
    for number, mask in enumerate(masks):
        rows = np.flatnonzero(kinds.ravel() == number)
        known, places = np.unique(keys[rows], return_inverse=True)
        sums = whole[:, mask].sum(axis=1)
        at = np.minimum(np.searchsorted(known, sums), len(known) - 1)
        hits = known[at] == sums
        best = np.full(len(known), UNKNOWN, np.int64)
        np.minimum.at(best, at[hits], distances[hits])
        found[rows] = best[places]
    return found


def _backward(task: GroundTask, partial: NDArray[np.int32]) -> Ints | None:
    """The distance in the backward state space, breadth-first; None if that is too large."""
    from beeline import _native

    states = _native.PartialStates(task.native)
    met, steps, _ = states.sample("breadth-first", MOST_BACKWARD)
    if len(met) == MOST_BACKWARD:
        return None
    ids = states.insert(partial)
    distances = np.full(len(states), UNKNOWN, np.int64)
    distances[met] = steps
    found: Ints = distances[ids]
    return found
