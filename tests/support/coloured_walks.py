"""Random walks in small tasks of the built-in domains, ready for colours."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from beeline import _native, generators
from beeline.models.colours.graph import BaseColours, colour_graph
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from beeline.task.ground_task import GroundTask

SIZES: dict[str, dict[str, float]] = {
    "blocksworld": {"blocks": 6},
    "childsnack": {"children": 3, "sandwiches": 4, "tables": 2},
    "floortile": {"rows": 3, "columns": 3},
    "grid": {"width": 3, "height": 3, "locks": 2},
    "gripper": {"balls": 4},
    "scanalyzer": {"belts": 2},
    "sokoban": {"size": 6},
    "visitall": {"width": 3, "height": 3},
}


@cache
def small_task(domain: str, seed: int = 1) -> GroundTask:
    """A task of a built-in domain with a few dozen atoms."""
    return ground(generators.generate(domain, seed=seed, **SIZES.get(domain, {})))


class Walk:
    """States of a random walk that starts again where it cannot go on."""

    def __init__(
        self, task: GroundTask, *, seed: int = 1, steps: int = 24, chains: bool = False
    ) -> None:
        self.task = task
        self.graph = colour_graph(task, chains=chains)
        self.states = _native.States(task.native)
        self.rng = random.Random(seed)
        path = [self.states.initial]
        for _ in range(steps):
            successors = self.successors(path[-1])
            path.append(self.rng.choice(successors) if successors else self.states.initial)
        self.ids = as_ids(path)

    def successors(self, state: int) -> list[int]:
        """The distinct successors of a state."""
        return list(dict.fromkeys(self.states.successors(state)[1].tolist()))

    def table(
        self, rounds: int, *, multiset: bool, taught: NDArray[np.uint32] | None = None
    ) -> _native.ColourTable:
        """The colours of some states, or of all on the way."""
        base = BaseColours.of(self.task.problem.domain).count
        table = _native.ColourTable(base, rounds, multiset)
        table.embed(self.graph, self.states, self.ids if taught is None else taught, True)
        return table


def as_ids(states: list[int]) -> NDArray[np.uint32]:
    return np.array(states, dtype=np.uint32)


def copied(table: _native.ColourTable) -> _native.ColourTable:
    """A table of its own with the same colours."""
    return _native.ColourTable.from_rows(
        table.base_colours, table.rounds, table.multiset, *table.rows()
    )


def random_weights(table: _native.ColourTable, seed: int) -> NDArray[np.int64]:
    """Small and large weights of both signs, many of them zero."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(-(2**24), 2**24, table.size)
    return np.where(rng.random(table.size) < 0.3, 0, weights)


def sparse_counts(
    table: _native.ColourTable, walk: Walk, ids: NDArray[np.uint32], *, collect: bool = False
) -> list[dict[int, int]]:
    """For each state, how many nodes have which colour of the table."""
    starts, colours, counts, _ = table.embed(walk.graph, walk.states, ids, collect)
    return [
        dict(zip(colours[first:last].tolist(), counts[first:last].tolist(), strict=True))
        for first, last in pairwise(starts)
    ]


def weighed(counts: list[dict[int, int]], weights: NDArray[np.int64]) -> list[int]:
    """The scores that the counts say, in whole numbers."""
    plain = weights.tolist()
    return [sum(plain[colour] * count for colour, count in row.items()) for row in counts]
