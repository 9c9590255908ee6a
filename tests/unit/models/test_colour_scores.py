"""Scores that follow a state as it changes, against scores computed from scratch."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from coloured_walks import (
    Walk,
    as_ids,
    random_weights,
    small_task,
    sparse_counts,
    weighed,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tasks import RandomTask
from search_tasks import ground_texts

from beeline import _native, generators

MANY = 1 << 18  # new colours, as many as an evaluator takes unless told otherwise
ALWAYS = 0  # objects that are the same but for their names are folded wherever there are any
ways_to_fold = pytest.mark.parametrize("fold_from", [256, ALWAYS], ids=["single", "folded"])
both_modes = pytest.mark.parametrize("multiset", [False, True], ids=["sets", "multisets"])
with_and_without_chains = pytest.mark.parametrize(
    "with_chains", [False, True], ids=["plain", "chains"]
)
every_domain = pytest.mark.parametrize("domain", generators.names())


def expected_scores(
    table: _native.ColourTable, walk: Walk, ids: np.ndarray, weights: np.ndarray, shift: int
) -> list[float]:
    """From the counts of a frozen table."""
    scores = weighed(sparse_counts(table, walk, ids), weights)
    return [math.ldexp(score, -shift) for score in scores]


@ways_to_fold
@with_and_without_chains
@both_modes
@every_domain
def test_incremental_equals_full_along_a_walk(
    domain: str, multiset: bool, with_chains: bool, fold_from: int
) -> None:
    walk = Walk(small_task(domain), chains=with_chains)
    for rounds in range(1, 5):
        table = walk.table(rounds, multiset=multiset, taught=walk.ids[::3])
        weights = random_weights(table, rounds)
        expected = expected_scores(table, walk, walk.ids, weights, 7)
        full = _native.ColourScore(walk.graph, table, weights, 7, incremental=False)
        assert full.evaluate(walk.states, walk.ids).tolist() == expected
        for new_colours in (0, 5, MANY):
            options = {"new_colours": new_colours, "fold_from": fold_from}
            score = _native.ColourScore(walk.graph, table, weights, 7, **options)
            assert score.evaluate(walk.states, walk.ids).tolist() == expected
            backwards = as_ids(walk.ids.tolist()[::-1])
            assert score.evaluate(walk.states, backwards).tolist() == expected[::-1]


@with_and_without_chains
@both_modes
@every_domain
def test_incremental_equals_full_for_children(
    domain: str, multiset: bool, with_chains: bool
) -> None:
    """A search jumps from parent to parent and looks at the children of each."""
    walk = Walk(small_task(domain), chains=with_chains)
    jumps = walk.rng.sample(walk.ids.tolist(), 8)
    for rounds in range(1, 5):
        table = walk.table(rounds, multiset=multiset, taught=walk.ids[:6])
        weights = random_weights(table, rounds)
        scores = [
            _native.ColourScore(
                walk.graph, table, weights, new_colours=new_colours, fold_from=fold_from
            )
            for new_colours in (0, 5, MANY)
            for fold_from in (256, ALWAYS)
        ]
        for parent in jumps:
            # The parent itself, and a state that is no child, change nothing.
            family = as_ids([*walk.successors(parent), parent, walk.states.initial])
            expected = expected_scores(table, walk, family, weights, 0)
            for score in scores:
                score.approach(walk.states, parent)
                assert score.evaluate(walk.states, family).tolist() == expected
                assert score.evaluate(walk.states, family[::-1].copy()).tolist() == expected[::-1]


steps = st.lists(
    st.tuples(st.booleans(), st.lists(st.integers(0, 10**6), max_size=5)), min_size=1, max_size=12
)


def check_steps(
    walk: Walk,
    moves: list[tuple[bool, list[int]]],
    rounds: int,
    multiset: bool,
    new_colours: int,
    fold_from: int = 256,
) -> None:
    states = len(walk.states)
    table = walk.table(rounds, multiset=multiset, taught=walk.ids[:2])
    weights = random_weights(table, states)
    options = {"new_colours": new_colours, "fold_from": fold_from}
    score = _native.ColourScore(walk.graph, table, weights, **options)
    full = _native.ColourScore(walk.graph, table, weights, incremental=False)
    for approaches, numbers in moves:
        ids = as_ids([number % states for number in numbers])
        if approaches and len(ids):
            score.approach(walk.states, int(ids[0]))
        assert np.array_equal(
            score.evaluate(walk.states, ids), full.evaluate(walk.states, ids), equal_nan=True
        )


@settings(max_examples=80)
@given(
    moves=steps,
    domain=st.sampled_from(generators.names()),
    rounds=st.integers(0, 4),
    multiset=st.booleans(),
    new_colours=st.sampled_from([0, 1, 3, 20, MANY]),
    folded=st.booleans(),
)
def test_any_order_of_states(
    moves: list[tuple[bool, list[int]]],
    domain: str,
    rounds: int,
    multiset: bool,
    new_colours: int,
    folded: bool,
) -> None:
    walk = Walk(small_task(domain), chains=not folded)  # with chains nothing is folded
    fold_from = ALWAYS if folded else 256
    check_steps(walk, moves, rounds, multiset, new_colours, fold_from)


@settings(max_examples=80)
@given(
    seed=st.integers(0, 10**6),
    moves=steps,
    rounds=st.integers(0, 4),
    multiset=st.booleans(),
    new_colours=st.sampled_from([0, 2, MANY]),
    fold_from=st.sampled_from([256, ALWAYS]),
)
def test_any_order_of_states_in_random_tasks(
    seed: int,
    moves: list[tuple[bool, list[int]]],
    rounds: int,
    multiset: bool,
    new_colours: int,
    fold_from: int,
) -> None:
    texts = RandomTask(seed)
    walk = Walk(ground_texts(texts.domain, texts.task), steps=10)
    check_steps(walk, moves, rounds, multiset, new_colours, fold_from)


WITH_DEAD_ENDS = ("childsnack", "floortile", "sokoban", "spanner")


@pytest.mark.parametrize("extra_weight", [3 << 20, 1, -(5 << 20)])
@pytest.mark.parametrize("domain", ["blocksworld", "rovers", *WITH_DEAD_ENDS])
def test_another_heuristic_joins_with_its_weight(domain: str, extra_weight: int) -> None:
    walk = Walk(small_task(domain), steps=40)
    table = walk.table(2, multiset=False, taught=walk.ids[:9])
    weights = random_weights(table, 2)
    colours = expected_scores(table, walk, walk.ids, weights, 20)
    ff = _native.make_heuristic("ff", walk.task.native)
    values = ff.evaluate(walk.states, walk.ids).tolist()
    factor = math.ldexp(extra_weight, -20)
    expected = [
        math.inf if h == math.inf else colour + factor * h
        for colour, h in zip(colours, values, strict=True)
    ]
    for incremental in (False, True):
        score = _native.ColourScore(
            walk.graph, table, weights, 20, extra_weight, ff, incremental=incremental
        )
        assert score.evaluate(walk.states, walk.ids).tolist() == expected
        for parent in walk.ids[::8].tolist():
            score.approach(walk.states, parent)
            assert score.evaluate(walk.states, walk.ids).tolist() == expected


def test_walks_meet_dead_ends() -> None:
    """The test above is about them, too."""
    for domain in ("floortile", "spanner"):
        walk = Walk(small_task(domain), steps=40)
        ff = _native.make_heuristic("ff", walk.task.native)
        assert np.isinf(ff.evaluate(walk.states, walk.ids)).any()


def test_without_weight_the_other_heuristic_is_not_asked() -> None:
    walk = Walk(small_task("spanner"), steps=40)
    table = walk.table(2, multiset=False)

    def never(_ids: object) -> object:
        raise AssertionError

    score = _native.ColourScore(
        walk.graph, table, random_weights(table, 1), extra=_native.PythonEvaluator(never)
    )
    assert np.isfinite(score.evaluate(walk.states, walk.ids)).all()


def test_settings_that_make_no_sense_are_refused() -> None:
    walk = Walk(small_task("ferry"), steps=2)
    table = walk.table(2, multiset=True)
    weights = random_weights(table, 1)
    for incremental in (False, True):
        with pytest.raises(ValueError, match="one weight per colour"):
            _native.ColourScore(walk.graph, table, weights[1:].copy(), incremental=incremental)
    for shift in (-1, 63):
        with pytest.raises(ValueError, match="shift"):
            _native.ColourScore(walk.graph, table, weights, shift)
    with pytest.raises(ValueError, match="no such heuristic"):
        _native.ColourScore(walk.graph, table, weights, extra_weight=1)
    score = _native.ColourScore(walk.graph, table, weights)
    with pytest.raises(IndexError):
        score.approach(walk.states, len(walk.states))
    with pytest.raises(IndexError):
        score.evaluate(walk.states, as_ids([len(walk.states)]))


def test_a_score_has_its_own_table_and_holds_the_rest_alive() -> None:
    walk = Walk(small_task("blocksworld"))
    table = walk.table(2, multiset=True, taught=walk.ids[:2])
    weights = random_weights(table, 1)
    score = _native.ColourScore(walk.graph, table, weights)
    before = score.evaluate(walk.states, walk.ids).tolist()
    table.embed(walk.graph, walk.states, walk.ids, True)  # grows; the score does not see it
    states, ids = walk.states, walk.ids
    del walk, table, weights
    order = random.Random(1).sample(range(len(ids)), len(ids))
    values = score.evaluate(states, ids[order])
    assert values.tolist() == [before[place] for place in order]
