"""The heuristic `distance`: steps that goals are away, each on its own."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np
import pytest

from beeline import _native
from beeline.generators import generate
from beeline.planning.heuristics import make_evaluator
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask


def walk(task: GroundTask, steps: int, seed: int) -> tuple[_native.States, list[int]]:
    """States of a random walk, as numbers."""
    states, random = _native.States(task.native), np.random.default_rng(seed)
    found = [states.initial]
    for _ in range(steps):
        _, successors = states.successors(found[-1])
        found.append(int(random.choice(successors)))
    return states, found


def true_atoms(task: GroundTask, states: _native.States, state: int) -> list[list[str]]:
    names = np.array(task.fact_names)
    values = states.values(np.array([state], dtype=np.uint32))[0]
    facts = task.native.fact_of[values]
    return [name[1:-1].split() for name in names[facts[facts >= 0]].tolist()]


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (2, 4), (4, 4)])
def test_tiles_are_as_far_away_as_manhattan_distance_says(rows: int, columns: int) -> None:
    task = ground(generate("npuzzle", seed=5, rows=rows, columns=columns))
    beside: dict[str, set[str]] = {}
    for name, *args in task.problem.init:
        if name == "neighbor":
            beside.setdefault(args[0], set()).add(args[1])
    goals = {it.args[0]: it.args[1] for it in task.goal_literals if len(it.args) == 2}
    states, found = walk(task, 30, seed=1)
    values = make_evaluator("distance", task).evaluate(states, np.array(found, dtype=np.uint32))
    for state, value in zip(found, values.tolist(), strict=True):
        at = {args[0]: args[1] for _, *args in true_atoms(task, states, state) if len(args) == 2}
        assert value == sum(steps(beside, at[tile], place) for tile, place in goals.items())


def steps(beside: dict[str, set[str]], start: str, end: str) -> int:
    """Length of a shortest way."""
    known, queue = {start: 0}, deque([start])
    while queue:
        place = queue.popleft()
        for other in beside[place]:
            if other not in known:
                known[other] = known[place] + 1
                queue.append(other)
    return known[end]


@pytest.mark.parametrize("domain", ["visitall", "blocksworld", "gripper"])
def test_it_is_zero_exactly_where_all_goals_hold(domain: str) -> None:
    task = ground(generate(domain, seed=2))
    states, found = walk(task, 60, seed=3)
    ids = np.array(found, dtype=np.uint32)
    distance, count = (
        make_evaluator(name, task).evaluate(states, ids) for name in ("distance", "goalcount")
    )
    assert ((distance == 0) == (count == 0)).all()
    assert (distance >= count).all()
