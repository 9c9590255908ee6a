"""Models without features that make no difference: smaller, and as good on held-out tasks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from learning_sets import blocks
from workshop_in_place import WorkshopInPlace

from beeline import _native
from beeline.learning.candidates import Contender, fit_models
from beeline.learning.learn import SHARES, SLIM_MARGIN, scores_of, slim
from beeline.learning.settings import LearnSettings
from beeline.learning.task_examples import ground_text
from beeline.learning.task_set import read_training_set
from beeline.learning.workshop import Experience, find_plans

if TYPE_CHECKING:
    from beeline.models.colours.scorer import WLLinear


@pytest.fixture(scope="module")
def experience(tmp_path_factory: pytest.TempPathFactory) -> Experience:
    domain, files = blocks(tmp_path_factory.mktemp("blocks"), range(3, 6), each=3)
    training = read_training_set(domain, files)
    raw = Experience(training, LearnSettings(), WorkshopInPlace(), None)
    return find_plans(raw, lambda _: None)


@pytest.fixture(scope="module", params=[False, True], ids=["without-ff", "with-ff"])
def leader(request: pytest.FixtureRequest, experience: Experience) -> Contender:
    settings = LearnSettings(rounds=2, neighbours="set", h_ff=request.param)
    candidate = settings.stages(["all"])[0][2]
    return fit_models(experience, [candidate], experience.smaller, "fitting")[0]


@pytest.fixture
def scorer(leader: Contender) -> WLLinear:
    return leader.model.scorer


class TestSlim:
    def test_a_slim_model_is_smaller_and_no_worse(
        self, experience: Experience, leader: Contender
    ) -> None:
        (score,) = scores_of(experience, [leader.model], "before")
        slimmer, new_score = slim(experience, leader, score)
        assert slimmer.model.scorer.num_rows < leader.model.scorer.num_rows
        assert new_score == scores_of(experience, [slimmer.model], "after")[0]
        assert not score.is_better_than(new_score, SLIM_MARGIN)
        assert slimmer.candidate == leader.candidate
        assert slimmer.model.style == leader.model.style

    def test_a_model_that_would_get_worse_stays_as_it_is(
        self, experience: Experience, leader: Contender
    ) -> None:
        (score,) = scores_of(experience, [leader.model], "before")
        out_of_reach = score._replace(effort=score.effort - 1)
        same, same_score = slim(experience, leader, out_of_reach)
        assert same is leader
        assert same_score is out_of_reach

    def test_a_model_without_small_weights_is_not_tried_again(self, leader: Contender) -> None:
        strong = leader.model.scorer.without_weights_below(max(SHARES))
        contender = leader._replace(model=replace(leader.model, scorer=strong))
        workshop = WorkshopInPlace()
        untouched = Experience(None, LearnSettings(), workshop, None)  # type: ignore[arg-type]
        score = object()
        assert slim(untouched, contender, score) == (contender, score)  # type: ignore[arg-type]
        assert workshop.phases == []


class TestWithoutWeightsBelow:
    @pytest.mark.parametrize("share", [0.001, 0.03, 0.3, 1.0])
    def test_the_other_weights_stay(self, scorer: WLLinear, share: float) -> None:
        bound = share * np.abs(scorer.weights).max()
        expected = scorer.weights[np.abs(scorer.weights) >= bound]
        thin = scorer.without_weights_below(share)
        np.testing.assert_array_equal(np.sort(thin.weights[thin.weights != 0]), np.sort(expected))
        assert thin.num_features == len(expected) < scorer.num_features
        kept = (thin.base_colours, thin.rounds, thin.multiset, thin.extra_weight, thin.shift)
        assert kept == (
            *(scorer.base_colours, scorer.rounds, scorer.multiset),
            *(scorer.extra_weight, scorer.shift),
        )

    def test_a_share_of_nothing_changes_nothing(self, scorer: WLLinear) -> None:
        same = scorer.without_weights_below(0.0)
        np.testing.assert_array_equal(same.weights, scorer.weights)
        np.testing.assert_array_equal(same.table_items, scorer.table_items)

    def test_rows_get_fewer_as_shares_grow(self, scorer: WLLinear) -> None:
        rows = [scorer.without_weights_below(share).num_rows for share in (0, 0.01, 0.1, 0.5, 1)]
        assert rows == sorted(rows, reverse=True)
        assert rows[-1] < rows[0]

    def test_scores_are_those_of_the_other_weights(
        self, scorer: WLLinear, experience: Experience
    ) -> None:
        share = 0.1
        bound = share * np.abs(scorer.weights).max()
        zeroed = replace(
            scorer, weights=np.where(np.abs(scorer.weights) >= bound, scorer.weights, 0)
        )
        thin = scorer.without_weights_below(share)
        planned = experience.tasks[-1]
        task = ground_text(experience.training.domain_text, planned.name, planned.text, False)
        states = _native.States(task.native)
        children = states.successors(states.initial)[1]
        ids = np.array([states.initial, *children], dtype=np.uint32)
        np.testing.assert_array_equal(
            thin.evaluator(task).evaluate(states, ids), zeroed.evaluator(task).evaluate(states, ids)
        )

    def test_a_score_of_nothing_stays_one(self, scorer: WLLinear) -> None:
        nothing = replace(scorer, weights=np.zeros_like(scorer.weights))
        thin = nothing.without_weights_below(0.5)
        assert (thin.num_features, thin.num_rows) == (0, 0)
