"""Linear scores of colours: fixed point, pruning, pickling."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beeline import _native, generators
from beeline.models.colours.graph import STATUSES, BaseColours, colour_graph
from beeline.models.colours.scorer import PRECISION, WLLinear, origins_of_colours, rounds_of_colours
from beeline.task.grounding import ground


class Walk:
    """A random walk in a generated task, and the colours that its states have."""

    def __init__(self, domain: str, *, rounds: int, multiset: bool, seed: int = 1) -> None:
        problem = generators.generate(domain, seed=seed)
        self.task = ground(problem)
        self.states = _native.States(self.task.native)
        rng = np.random.default_rng(seed)
        walk = [self.states.initial]
        for _ in range(30):
            _, successors = self.states.successors(walk[-1])
            if len(successors) == 0:
                break
            walk.append(int(rng.choice(successors)))
        self.ids = np.array(walk, dtype=np.uint32)
        self.table = _native.ColourTable(BaseColours.of(problem.domain).count, rounds, multiset)
        self.graph = colour_graph(self.task)
        # Half of the states teach; the others have unseen colours.
        self.table.embed(self.graph, self.states, self.ids[::2], True)

    def scores(self, scorer: WLLinear) -> list[float]:
        evaluator = scorer.evaluator(self.task, incremental=False)
        return evaluator.evaluate(self.states, self.ids).tolist()


@pytest.mark.parametrize("multiset", [False, True])
@pytest.mark.parametrize("domain", generators.names())
def test_pruning_changes_no_score(domain: str, multiset: bool) -> None:
    walk = Walk(domain, rounds=3, multiset=multiset)
    rng = np.random.default_rng(5)
    weights = rng.normal(size=walk.table.size) * (rng.random(walk.table.size) < 0.05)
    scorer = WLLinear.from_floats(walk.table, weights, 0.0)
    pruned = scorer.pruned()
    assert pruned.num_rows < scorer.num_rows
    assert pruned.num_features == scorer.num_features
    assert walk.scores(pruned) == walk.scores(scorer)
    again = pruned.pruned()
    assert again.table_items.tolist() == pruned.table_items.tolist()


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.floats(0, 1))
def test_pruning_with_any_weights(seed: int, share: float) -> None:
    walk = Walk("blocksworld", rounds=2, multiset=True)
    rng = np.random.default_rng(seed)
    weights = rng.integers(-9, 9, walk.table.size) * (rng.random(walk.table.size) < share)
    scorer = WLLinear.from_floats(walk.table, weights.astype(np.float64), 0.0)
    assert walk.scores(scorer.pruned()) == walk.scores(scorer)


@pytest.mark.parametrize("incremental", [False, True])
def test_what_is_ignored_has_no_influence(incremental: bool) -> None:
    walk = Walk("miconic", rounds=2, multiset=True)
    base = BaseColours.of(walk.task.problem.domain)
    above = base.predicates.index("above")
    table = _native.ColourTable(base.count, 2, True)
    graph = colour_graph(walk.task, None, [above])
    table.embed(graph, walk.states, walk.ids, True)
    weights = np.random.default_rng(3).integers(-9, 9, table.size)
    scorer = WLLinear.from_floats(table, weights.astype(np.float64), 0.0)
    low = len(base.kinds) + len(STATUSES) * above
    origins = origins_of_colours(base.count, scorer.table_starts, scorer.table_items)
    assert not ((origins >= low) & (origins < low + len(STATUSES)))[base.count :].any()
    starts, colours, counts, unknown = table.embed(graph, walk.states, walk.ids)
    assert not unknown.any()
    sums = np.add.reduceat(weights[colours] * counts, starts[:-1])
    evaluator = replace(scorer, ignored=(above,)).evaluator(walk.task, incremental=incremental)
    assert evaluator.evaluate(walk.states, walk.ids).tolist() == sums.tolist()
    assert walk.scores(scorer) != sums.tolist()  # with floors above each other


def test_a_score_without_weights_keeps_no_rows() -> None:
    walk = Walk("ferry", rounds=2, multiset=False)
    scorer = WLLinear.from_floats(walk.table, np.zeros(walk.table.size), 0.0).pruned()
    assert (scorer.num_rows, scorer.num_features, scorer.shift) == (0, 0, 0)
    assert set(walk.scores(scorer)) == {0.0}


def test_a_weight_in_the_last_round_keeps_all_that_its_colour_is_made_of() -> None:
    walk = Walk("ferry", rounds=3, multiset=True)
    weights = np.zeros(walk.table.size)
    weights[-1] = 1.0
    pruned = WLLinear.from_floats(walk.table, weights, 0.0).pruned()
    pruned.table()  # raises if a colour is missing
    rounds = rounds_of_colours(pruned.base_colours, pruned.table_starts, pruned.table_items)
    assert rounds.tolist() == pruned.table().rounds_of().tolist()
    assert np.count_nonzero(rounds == 3) == 1
    assert np.count_nonzero(rounds == 1) > 1


def test_scores_are_what_the_weights_say() -> None:
    walk = Walk("blocksworld", rounds=2, multiset=False)
    weights = np.random.default_rng(2).normal(size=walk.table.size)
    scorer = WLLinear.from_floats(walk.table, weights, 0.5)
    starts, colours, counts, _ = walk.table.embed(walk.graph, walk.states, walk.ids)
    by_hand = [
        float(counts[first:last] @ weights[colours[first:last]]) for first, last in pairwise(starts)
    ]
    ff = _native.make_heuristic("ff", walk.task.native).evaluate(walk.states, walk.ids)
    assert walk.scores(scorer) == pytest.approx(np.array(by_hand) + 0.5 * ff, abs=1e-4)


def test_rounding_keeps_the_bits_of_the_largest_weight() -> None:
    table = _native.ColourTable(4, 1, False)
    scorer = WLLinear.from_floats(table, np.array([0.3, -150.0, 0.0, 1e-9]), 2.0)
    assert 2 ** (PRECISION - 1) <= np.abs(scorer.weights).max() <= 2**PRECISION
    assert scorer.weights / 2**scorer.shift == pytest.approx([0.3, -150, 0, 0], abs=1e-5)
    assert scorer.extra_weight / 2**scorer.shift == 2.0


@pytest.mark.parametrize("weights", [[1.0], [np.nan, 0.0], [np.inf, 0.0], [1e30, 0.0]])
def test_impossible_weights_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weight"):
        WLLinear.from_floats(_native.ColourTable(2, 1, False), np.array(weights), 0.0)


def test_scorers_can_be_sent_to_other_processes() -> None:
    walk = Walk("ferry", rounds=1, multiset=False)
    weights = np.arange(walk.table.size, dtype=np.float64)
    scorer = WLLinear.from_floats(walk.table, weights, 0.0)
    assert walk.scores(pickle.loads(pickle.dumps(scorer))) == walk.scores(scorer)
