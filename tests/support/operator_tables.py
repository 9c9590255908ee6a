"""Scores of operators with random weights, for what operators look like in a few states."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from coloured_walks import random_weights

from beeline._version import __version__
from beeline.models.colours.model import ColourModel
from beeline.models.colours.operators import OperatorScores, action_slots, slots_in
from beeline.models.colours.scorer import WLLinear
from beeline.pddl.model import domain_signature
from beeline.planning.model import SearchStyle

if TYPE_CHECKING:
    from coloured_walks import Walk
    from numpy.typing import NDArray

    from beeline import _native

    Looks = list[list[tuple[int, int]]]  # for each operator, pairs of a slot and a colour


def looks(
    table: _native.ColourTable, walk: Walk, ids: NDArray[np.uint32], *, collect: bool = False
) -> list[dict[int, set[tuple[int, int]]]]:
    """For each state, what its applicable operators look like: pairs of a slot and a colour."""
    slots = slots_in(walk.task, action_slots(walk.task.problem.domain))
    applicable = [walk.states.applicable(state) for state in ids.tolist()]
    first = np.cumsum([0, *map(len, applicable)])
    operators = np.concatenate(applicable).astype(np.int32)
    starts, numbers, colours = table.embed_operators(
        walk.graph, slots, walk.states, ids, first, operators, collect
    )
    pairs = list(zip(numbers.tolist(), colours.tolist(), strict=True))
    rows = [pairs[a:b] for a, b in pairwise(starts)]
    assert all(len({*row}) == len(row) for row in rows)
    found = [{*row} for row in rows]
    return [dict(zip(operators[a:b].tolist(), found[a:b], strict=True)) for a, b in pairwise(first)]


def random_operator_scores(
    table: _native.ColourTable, walk: Walk, *, seed: int = 1, margin: float = 0.0
) -> OperatorScores:
    """Random weights for what operators look like along a walk, many of them zero."""
    seen = looks(table, walk, walk.ids, collect=True)
    pairs = sorted({pair for state in seen for row in state.values() for pair in row})
    rng = np.random.default_rng(seed)
    weights = np.where(rng.random(len(pairs)) < 0.3, 0.0, rng.normal(size=len(pairs)))
    numbers, colours = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    slots = action_slots(walk.task.problem.domain)
    return OperatorScores.from_floats(slots, numbers, colours, weights, margin)


def random_operator_model(walk: Walk, *, rounds: int = 2, seed: int = 1) -> ColourModel:
    """A model with random scores of states and of operators."""
    table = walk.table(rounds, multiset=False)
    operators = random_operator_scores(table, walk, seed=seed)
    weights = np.ldexp(random_weights(table, seed).astype(np.float64), -20)
    scorer = WLLinear.from_floats(table, weights, 0.0)
    return ColourModel(
        domain_signature(walk.task.problem.domain),
        replace(scorer, operators=operators).pruned(),
        SearchStyle(preferred=True),
        {"made": "at random"},
        seed,
        __version__,
    )
