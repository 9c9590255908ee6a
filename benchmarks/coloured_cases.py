"""Tasks with states of random walks, for measurements of colours."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import numpy as np

from beeline import _native, generators, load
from beeline.models.colours.graph import BaseColours, colour_graph
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from beeline.task.ground_task import GroundTask

GENERATED: dict[str, tuple[str, dict[str, float]]] = {
    "blocksworld, 50 blocks": ("blocksworld", {"blocks": 50}),
    "blocksworld, 500 blocks": ("blocksworld", {"blocks": 500}),
    "logistics, 400 packages": (
        "logistics",
        {"cities": 20, "city_size": 4, "packages": 400, "trucks": 20},
    ),
    "visitall, 20 x 20": ("visitall", {"width": 20, "height": 20}),
}
STATES = 300
CHILDREN = 100  # of each parent
SHORTEST = 0.1  # seconds of a measurement


class Case:
    """A task and the states of a random walk in it."""

    def __init__(self, name: str, data: Path) -> None:
        self.name = name
        self.task = read_task(name, data)
        self.graph = colour_graph(self.task)
        self.states = _native.States(self.task.native)
        rng = random.Random(1)
        path = [self.states.initial]
        while len(path) < STATES:
            successors = self.states.successors(path[-1])[1]
            path.append(int(rng.choice(successors)) if len(successors) else self.states.initial)
        self.ids = np.array(path, dtype=np.uint32)
        constant = set(self.task.problem.init) - {
            tuple(name.strip("()").split()) for name in self.task.fact_names
        }
        self.true_atoms = len(constant) + int(self.states.facts(self.ids[:1]).sum())

    def table(self, rounds: int, *, multiset: bool) -> _native.ColourTable:
        """The colours of all states of the walk."""
        base = BaseColours.of(self.task.problem.domain).count
        table = _native.ColourTable(base, rounds, multiset)
        table.embed(self.graph, self.states, self.ids, True)
        return table

    def score(self, table: _native.ColourTable, *, incremental: bool) -> _native.ColourScore:
        """A score with random weights."""
        weights = np.random.default_rng(1).integers(-(2**24), 2**24, table.size)
        return _native.ColourScore(self.graph, table, weights, 24, incremental=incremental)

    def families(self) -> list[tuple[int, NDArray[np.uint32]]]:
        """Some states of the walk with their children."""
        pairs = [(state, self.states.successors(state)[1]) for state in self.ids[::10].tolist()]
        return [(state, children[:CHILDREN].copy()) for state, children in pairs if len(children)]


def read_task(name: str, data: Path) -> GroundTask:
    """A generated task, or one of the competition."""
    if name in GENERATED:
        domain, parameters = GENERATED[name]
        return ground(generators.generate(domain, seed=1, **parameters))
    root = data / "ipc23lt"
    return load(root / name.split("/")[0] / "domain.pddl", root / f"{name}.pddl")


def greedy_search(
    case: Case, score: _native.ColourScore, evaluations: int
) -> tuple[float, dict[str, int]]:
    """Processor time of a search, and its counters."""
    states = _native.States(case.task.native)
    config = _native.SearchConfig()
    config.evaluators = [score]
    config.queues = [_native.QueueSpec([_native.KeySpec()])]
    config.max_evaluations = evaluations
    start = time.thread_time()
    result = _native.search(states, states.initial, config)
    elapsed = time.thread_time() - start
    names = ("expanded", "evaluated", "generated")
    return elapsed, {name: getattr(result.counters, name) for name in names}


def seconds(work: Callable[[], object]) -> float:
    """Processor time of a piece of work, repeated until it can be measured."""
    times, total = 0, 0.0
    while total < SHORTEST:
        start = time.thread_time()
        work()
        total += time.thread_time() - start
        times += 1
    return total / times


def in_turn(works: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each piece of work in each round."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            found[name].append(seconds(work))
    return found
