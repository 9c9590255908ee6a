from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from plain_regression import NAMES, PlainRegression, matches, small_task
from search_tasks import ground_texts

from beeline import _native
from beeline.core.errors import BeelineError
from beeline.data.regression import (
    RegressionSamples,
    UnsolvableTaskError,
    facts_of,
    regression_samples,
    true_facts,
)
from beeline.data.regression_settings import STRATEGIES, RegressionSettings, share_of_states
from beeline.generators import generate
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask

LAMPS = """(define (domain lamps) (:predicates (on ?l) (broken ?l))
 (:action switch :parameters (?l) :precondition (not (broken ?l)) :effect (on ?l))
 (:action hit :parameters (?l) :precondition (on ?l) :effect (and (broken ?l) (not (on ?l)))))
"""


def lamps(goal: str, init: str = "") -> GroundTask:
    text = (
        f"(define (problem p) (:domain lamps) (:objects a b) (:init {init}) (:goal (and {goal})))"
    )
    return ground_texts(LAMPS, text)


@pytest.fixture(scope="module")
def blocks() -> GroundTask:
    return ground(generate("blocksworld", seed=2, blocks=5))


def preferred_sets(samples: RegressionSamples) -> list[set[int]]:
    starts, items = samples.preferred
    return [set(items[begin:end].tolist()) for begin, end in pairwise(starts.tolist())]


def fields(samples: RegressionSamples) -> list[object]:
    arrays = (samples.partial, samples.values, samples.complete, samples.estimates, samples.depths)
    return [
        *(a.tolist() for a in (*arrays, samples.is_random, *samples.preferred)),
        samples.dropped,
    ]


class TestStrategies:
    def test_xrs_samples_are_distinct_and_begin_breadth_first(self, blocks: GroundTask) -> None:
        samples = regression_samples(blocks, RegressionSettings(200, improve=False))
        first = regression_samples(
            blocks, RegressionSettings(20, strategy="breadth-first", improve=False)
        )
        assert samples.distinct == samples.sampled == 200
        assert samples.partial[:20].tolist() == first.partial.tolist()
        assert (np.diff(samples.depths[:20]) >= 0).all()
        assert (np.diff(samples.depths[20:]) < 0).any()

    def test_breadth_first_meets_states_in_layers(self, blocks: GroundTask) -> None:
        samples = regression_samples(blocks, RegressionSettings(300, strategy="breadth-first"))
        assert samples.distinct == 300
        assert (np.diff(samples.depths) >= 0).all()
        # A step back from each sample leads to samples of the next layer at most.
        states = _native.PartialStates(blocks.native)
        ids = states.insert(samples.partial)
        depth_of = dict(zip(ids.tolist(), samples.depths.tolist(), strict=True))
        for number in ids[:100].tolist():
            for other in states.predecessors(number)[1].tolist():
                assert depth_of.get(other, 0) <= depth_of[number] + 1

    @pytest.mark.parametrize("strategy", [e.name for e in STRATEGIES.values() if e.limited])
    def test_walks_end_at_the_limit(self, blocks: GroundTask, strategy: str) -> None:
        settings = RegressionSettings(400, strategy=strategy, improve=False)
        samples = regression_samples(blocks, settings)
        assert samples.max_depth == samples.limit == _native.regression_limit(blocks.native)
        short = RegressionSettings(400, strategy=strategy, share=0.01, depth=6, improve=False)
        assert regression_samples(blocks, short).max_depth == 6

    def test_fsm_repeats_states_of_other_walks_but_none_of_its_first_part(
        self, blocks: GroundTask
    ) -> None:
        samples = regression_samples(blocks, RegressionSettings(600, strategy="fsm", share=0.2))
        rows = [tuple(row) for row in samples.partial.tolist()]
        assert samples.sampled == 600
        assert samples.distinct == len(set(rows)) < 600
        first = regression_samples(blocks, RegressionSettings(120, strategy="fsm", share=1.0))
        families = [row for row in rows[:120] if row in {tuple(r) for r in first.partial.tolist()}]
        assert len(families) > 60
        assert all(rows.count(row) == 1 for row in families)

    def test_a_small_backward_space_gives_all_it_has(self) -> None:
        samples = regression_samples(lamps("(on a)"), RegressionSettings(1000, random_share=0.5))
        assert samples.sampled == samples.distinct < 10
        assert int(samples.is_random.sum()) + samples.dropped == samples.sampled

    @pytest.mark.parametrize("strategy", STRATEGIES)
    def test_no_operator_leads_to_the_goal(self, strategy: str) -> None:
        task = ground_texts(
            """(define (domain d) (:predicates (p) (q))
             (:action a :parameters () :precondition (p) :effect (and (q) (not (p)))))""",
            "(define (problem x) (:domain d) (:init (p)) (:goal (p)))",
        )
        samples = regression_samples(task, RegressionSettings(10, strategy=strategy))
        assert samples.estimates.tolist() == [0]
        assert samples.preferred[1].tolist() == []

    def test_a_goal_that_always_holds_has_nothing_to_sample(self) -> None:
        task = ground_texts(LAMPS, "(define (problem p) (:domain lamps) (:init) (:goal (and)))")
        assert task.num_variables == 0
        samples = regression_samples(task, RegressionSettings(10, random_share=0.2))
        assert samples.estimates.tolist() == [0]
        assert facts_of(task, samples.values).shape == (1, 0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("strategy", ["xrs", "fsm", "depth-first"])
class TestEstimates:
    def test_they_are_never_below_the_cost_of_a_cheapest_plan(
        self, name: str, strategy: str
    ) -> None:
        task = small_task(name)
        plain = PlainRegression(task)
        distances = plain.distances(plain.reachable())
        samples = regression_samples(task, RegressionSettings(80, strategy=strategy, seed=4))
        rows = zip(
            samples.partial.tolist(), samples.values.tolist(), samples.estimates, strict=True
        )
        lowest: dict[tuple[int, ...], int] = {}
        for partial, values, estimate in rows:
            state = tuple(values)
            assert lowest.setdefault(state, estimate) == estimate
            assert distances.get(state, 0) <= estimate
            assert matches(state, tuple(partial))
        raw = regression_samples(
            task, RegressionSettings(80, strategy=strategy, seed=4, improve=False)
        )
        assert (samples.estimates <= raw.estimates).all()
        for partial, estimate in zip(raw.partial.tolist(), raw.estimates, strict=True):
            costs = [h for state, h in distances.items() if matches(state, tuple(partial))]
            assert max(costs, default=0) <= estimate

    def test_all_samples_but_goal_states_have_applicable_preferred_operators(
        self, name: str, strategy: str
    ) -> None:
        task = small_task(name)
        plain = PlainRegression(task)
        samples = regression_samples(task, RegressionSettings(80, strategy=strategy, seed=4))
        starts, _ = samples.preferred
        assert len(starts) == len(samples) + 1
        for row, chosen in zip(samples.values.tolist(), preferred_sets(samples), strict=True):
            assert chosen <= set(dict(plain.partial_successors(tuple(row))))
            assert chosen or matches(tuple(row), plain.goal_state)

    def test_equal_states_share_the_preferred_operators_of_the_smallest_estimate(
        self, name: str, strategy: str
    ) -> None:
        task = small_task(name)
        samples = regression_samples(task, RegressionSettings(400, strategy=strategy, seed=4))
        states = _native.PartialStates(task.native)
        ids, places = np.unique(states.insert(samples.partial), return_inverse=True)
        graph = _native.SampleGraph(states, ids)
        goal = states.insert(np.array([PlainRegression(task).goal_state], np.int32))
        costs = graph.improved(np.where(ids == goal, 0, 1_000_000).astype(np.int32))
        starts, items = graph.preferred(costs)
        expected: dict[tuple[int, ...], tuple[int, set[int]]] = {}
        for row, place in zip(samples.values.tolist(), places.tolist(), strict=True):
            cost, own = int(costs[place]), set(items[starts[place] : starts[place + 1]].tolist())
            best, shared = expected.get(tuple(row), (cost, set()))
            if cost <= best:
                expected[tuple(row)] = (cost, own | shared if cost == best else own)
        rows = zip(samples.values.tolist(), samples.estimates, preferred_sets(samples), strict=True)
        for row, estimate, chosen in rows:
            assert expected[tuple(row)] == (estimate, chosen)

    def test_equal_states_share_as_they_are_told(self, name: str, strategy: str) -> None:
        """Each its own within those of the nearest and of all; all have the same estimates."""
        own, nearest, everything = (
            regression_samples(
                small_task(name),
                RegressionSettings(400, strategy=strategy, seed=4, equal_states=each),
            )
            for each in ("own", "nearest", "all")
        )
        assert own.estimates.tolist() == nearest.estimates.tolist() == everything.estimates.tolist()
        rows = [preferred_sets(each) for each in (own, nearest, everything)]
        together: dict[tuple[int, ...], set[int]] = {}
        for row, chosen in zip(own.values.tolist(), rows[0], strict=True):
            together.setdefault(tuple(row), set()).update(chosen)
        for row, some, every in zip(own.values.tolist(), rows[1], rows[2], strict=True):
            assert some <= every == together[tuple(row)]

    def test_another_way_with_equal_states_makes_another_set(
        self, name: str, strategy: str
    ) -> None:
        plain = RegressionSettings(10, strategy=strategy).to_json()
        assert "equal_states" not in plain  # sets that were made before it could be chosen
        chosen = RegressionSettings(10, strategy=strategy, equal_states="all").to_json()
        assert chosen == {**plain, "equal_states": "all"}
        with pytest.raises(BeelineError, match="unknown way with equal states 'none'"):
            RegressionSettings(10, strategy=strategy, equal_states="none")


class TestRandomStates:
    def test_a_share_of_all_samples_is_random(self, blocks: GroundTask) -> None:
        settings = RegressionSettings(100, strategy="fsm", random_share=0.2, seed=1)
        samples = regression_samples(blocks, settings)
        assert samples.sampled == 80
        assert len(samples) + samples.dropped == 100
        random = samples.is_random
        assert random.tolist() == [False] * 80 + [True] * (20 - samples.dropped)
        assert set(samples.estimates[random].tolist()) == {samples.estimates[:80].max() + 1}
        assert (samples.partial[random] == -1).all()
        assert (samples.values[random] >= 0).all()
        assert (samples.depths[random] == -1).all()
        assert (np.diff(samples.preferred[0])[random] == 0).all()
        drawn = {tuple(row) for row in samples.values[:80].tolist()}
        assert not drawn & {tuple(row) for row in samples.values[random].tolist()}


class TestSeeds:
    @pytest.mark.parametrize("strategy", STRATEGIES)
    def test_equal_seeds_give_equal_samples(self, blocks: GroundTask, strategy: str) -> None:
        settings = RegressionSettings(150, strategy=strategy, random_share=0.2, seed=9)
        one, two = (fields(regression_samples(blocks, settings)) for _ in range(2))
        assert one == two

    def test_other_seeds_give_other_samples(self, blocks: GroundTask) -> None:
        one, two = (
            fields(regression_samples(blocks, RegressionSettings(150, seed=seed)))
            for seed in (0, 1)
        )
        assert one != two


class TestFacts:
    def test_facts_are_those_of_the_registry(self, blocks: GroundTask) -> None:
        samples = regression_samples(blocks, RegressionSettings(50))
        states = _native.States(blocks.native)
        ids = states.insert(samples.values)
        assert facts_of(blocks, samples.values).tolist() == states.facts(ids).tolist()
        starts, items = states.true_facts(ids)
        ours = true_facts(blocks, samples.values)
        assert ours[0].tolist() == starts.tolist()
        rows = [sorted(items[a:b].tolist()) for a, b in pairwise(starts)]
        assert [ours[1][a:b].tolist() for a, b in pairwise(ours[0])] == rows

    def test_undefined_variables_make_nothing_true(self, blocks: GroundTask) -> None:
        nothing = np.full((2, blocks.num_variables), -1, np.int32)
        assert facts_of(blocks, nothing).sum() == 0


class TestSettings:
    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"count": 0}, "number of samples is 0"),
            ({"strategy": "xsr"}, "did you mean 'xrs'"),
            ({"share": 1.5}, "share 1.5"),
            ({"random_share": 1.0}, "random states is 1.0"),
            ({"strategy": "fsm", "depth": 0}, "depth limit is 0"),
            ({"strategy": "breadth-first", "depth": 4}, "has no depth limit"),
            ({"attempts": 0}, "attempts is 0"),
            ({"seed": -1}, "seed is -1"),
        ],
    )
    def test_nonsense_is_refused(self, settings: dict[str, object], message: str) -> None:
        with pytest.raises(BeelineError, match=message):
            RegressionSettings(**{"count": 10, **settings})

    def test_shares_of_a_state_space_are_rounded_up(self) -> None:
        assert [share_of_states(46080, percent) for percent in (1, 5, 0.001)] == [461, 2304, 1]

    def test_an_unsolvable_task_is_refused(self) -> None:
        with pytest.raises(UnsolvableTaskError, match="the task is unsolvable"):
            regression_samples(lamps("(on a) (not (on a))"), RegressionSettings(10))

    def test_unit_costs_can_be_insisted_on(self) -> None:
        task = small_task("guarded")
        with pytest.raises(BeelineError, match="unit costs"):
            regression_samples(task, RegressionSettings(10, unit_costs=True))

    def test_costs_count_in_estimates_and_steps_in_depths(self) -> None:
        task = small_task("guarded")
        samples = regression_samples(task, RegressionSettings(30))
        assert samples.estimates.max() > samples.max_depth > 1
