"""Models whose output is a score, or a score and a policy, in place of a distribution."""

from __future__ import annotations

import math

import numpy as np
import pytest
from encoded_walks import generated_problem, walk
from hand_tables import built_in
from neural_models import random_model

from beeline import _native
from beeline.core.errors import BeelineError
from beeline.models import model_file
from beeline.models.neural_model import Distribution, NeuralModel
from beeline.pddl import parse_domain, parse_problem
from beeline.planning.solve import solve
from beeline.task.grounding import ground
from beeline.task.states import StateBatch

ROOMS = """(define (domain rooms) (:predicates (at ?r) (door ?a ?b) (broken))
 (:action go :parameters (?a ?b) :precondition (and (at ?a) (door ?a ?b) (not (broken)))
  :effect (and (at ?b) (not (at ?a))))
 (:action smash :parameters (?a) :precondition (at ?a) :effect (broken)))"""
ROOMS_TASK = """(define (problem p) (:domain rooms) (:objects a b c)
 (:init (at a) (door a b) (door b c) (door b a)) (:goal (at c)))"""


def points(columns: int, residual: str = "none") -> dict[str, object]:
    return Distribution.of_points(columns, residual).to_json()


@pytest.mark.parametrize("network", ["linear", "nlm"])
@pytest.mark.parametrize("residual", ["none", "ff"])
def test_the_first_output_is_the_heuristic(network: str, residual: str) -> None:
    task = ground(generated_problem("blocksworld"))
    batch = StateBatch(task, *walk(task, 8))
    base = _native.make_heuristic("ff", task.native).evaluate(batch.states, batch.ids)
    for columns in (1, 2):
        model = random_model(network, task.problem.domain, **points(columns, residual))
        evaluator = model.heuristic_for(task)
        values = evaluator.evaluate(batch)
        plain = random_model(network, task.problem.domain, **points(columns))
        raw = plain.heuristic_for(task).evaluate(batch)
        expected = raw + base if residual == "ff" else raw
        np.testing.assert_allclose(values, expected)
        assert evaluator.has_policy is (columns == 2)
        np.testing.assert_array_equal(
            model.with_estimate("mu").heuristic_for(task).evaluate(batch), values
        )


@pytest.mark.parametrize("columns", [1, 2])
def test_searches_take_scores_of_either_sign(columns: int) -> None:
    task = ground(parse_problem(parse_domain(ROOMS), ROOMS_TASK))
    for scale in (1.0, -1.0):
        model = random_model("linear", task.problem.domain, scale=scale, **points(columns))
        for search in ("gbfs", "astar"):
            assert solve(task, search=search, heuristic=model).cost == 2


class TestPolicy:
    def test_scores_and_logits_are_the_two_outputs(self) -> None:
        task = ground(generated_problem("blocksworld"))
        batch = StateBatch(task, *walk(task, 8))
        model = random_model("linear", task.problem.domain, **points(2))
        h, logits = model.heuristic_for(task).evaluate_policy(batch)
        features = _native.FFHeuristic(task.native).features(batch.states, batch.ids)
        raw = features @ model.weights["layer.weight"].T + model.weights["layer.bias"]
        np.testing.assert_allclose(h, raw[:, 0], rtol=1e-5)
        np.testing.assert_allclose(logits, raw[:, 1], rtol=1e-5)
        assert h.dtype == logits.dtype == np.float64
        np.testing.assert_array_equal(h, model.heuristic_for(task).evaluate(batch))

    @pytest.mark.parametrize(("network", "residual"), [("linear", "none"), ("nlm", "ff")])
    def test_dead_ends_have_no_probability(self, network: str, residual: str) -> None:
        task = ground(parse_problem(parse_domain(ROOMS), ROOMS_TASK))
        states = _native.States(task.native)
        ids = [states.initial, *states.successors(states.initial)[1].tolist()]
        batch = StateBatch(task, states, np.array(ids, dtype=np.uint32))
        model = random_model(network, task.problem.domain, **points(2, residual))
        h, logits = model.heuristic_for(task).evaluate_policy(batch)
        assert np.isinf(h).sum() == 1
        assert logits[np.isinf(h)].tolist() == [-math.inf]
        assert np.isfinite(logits[np.isfinite(h)]).all()

    def test_other_models_have_none(self) -> None:
        task = ground(generated_problem("blocksworld"))
        batch = StateBatch(task, *walk(task, 2))
        for settings in ({}, points(1)):
            evaluator = random_model("linear", task.problem.domain, **settings).heuristic_for(task)
            with pytest.raises(BeelineError, match=r"has no policy.*--loss policy"):
                evaluator.evaluate_policy(batch)


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("network", ["linear", "nlm"])
def test_files_keep_them(network: str, columns: int) -> None:
    model = random_model(network, built_in("ferry"), **points(columns, "ff"))
    found = model_file.from_bytes(model_file.to_bytes(model), "m")
    assert isinstance(found, NeuralModel)
    assert found.distribution == model.distribution
    for key, array in model.weights.items():
        np.testing.assert_array_equal(found.weights[key], array)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": "point"}, "a point has no sigma and no bounds"),
        ({**points(2), "lower": "lmcut"}, "a policy has no sigma and no bounds"),
        ({**points(1), "estimate": "quantile"}, "no distribution to estimate a cost from"),
        ({**points(1), "estimate": "clip"}, "no distribution to estimate a cost from"),
    ],
)
def test_settings_that_contradict_each_other(settings: dict[str, object], message: str) -> None:
    with pytest.raises(BeelineError, match=message):
        Distribution(**settings)  # type: ignore[arg-type]


def test_quantiles_of_a_score_are_refused() -> None:
    model = random_model("linear", built_in("ferry"), **points(1))
    with pytest.raises(BeelineError, match="the model gives a score"):
        model.with_estimate("quantile", 0.1)
