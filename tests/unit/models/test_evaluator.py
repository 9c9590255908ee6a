"""Neural models as heuristics: what training computes is what search sees."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from encoded_walks import generated_problem, walk
from hand_tables import HandTable, built_in, small_blocksworld
from neural_models import ON_ANY_DOMAIN, random_model

import beeline
from beeline import _native
from beeline.core.errors import BeelineError, Status
from beeline.models.distributions import DISTRIBUTIONS, mu_and_sigma_tensors
from beeline.models.evaluator import NeuralEvaluator
from beeline.models.families import encoder_family, make_network
from beeline.pddl import parse_domain, parse_problem
from beeline.planning.solve import solve
from beeline.task.grounding import ground
from beeline.task.states import StateBatch

if TYPE_CHECKING:
    from beeline.models.neural_model import NeuralModel
    from beeline.task.ground_task import GroundTask

ROOMS = """(define (domain rooms) (:predicates (at ?r) (door ?a ?b) (broken))
 (:action go :parameters (?a ?b) :precondition (and (at ?a) (door ?a ?b) (not (broken)))
  :effect (and (at ?b) (not (at ?a))))
 (:action smash :parameters (?a) :precondition (at ?a) :effect (broken)))"""
ROOMS_TASK = """(define (problem p) (:domain rooms) (:objects a b c)
 (:init (at a) (door a b) (door b c) (door b a)) (:goal (at c)))"""


def batch_of(task: GroundTask, count: int = 8) -> StateBatch:
    return StateBatch(task, *walk(task, count))


def trained_values(model: NeuralModel, batch: StateBatch) -> np.ndarray:
    """What the metrics of training would take as predictions, in torch throughout."""
    family = encoder_family(model.encoder)
    words = family.vocabulary(batch.task.problem.domain)
    settings = model.distribution
    network = make_network(model.network, words, settings.heads, seed=0, **model.options)
    network.load_state_dict({key: torch.from_numpy(each) for key, each in model.weights.items()})

    def values(name: str, missing: float) -> torch.Tensor:
        if name == "none":
            return torch.full((len(batch),), missing, dtype=torch.float64)
        evaluator = _native.make_heuristic(name, batch.task.native)
        return torch.from_numpy(evaluator.evaluate(batch.states, batch.ids))

    with torch.no_grad():
        raw = network(family.search_inputs(words, batch.task, batch.states).batch(batch.ids))
        mu, sigma = mu_and_sigma_tensors(raw, values(settings.residual, 0.0))
        lower = values(settings.lower, -math.inf) - settings.epsilon
        upper = torch.full_like(lower, math.inf)
        return DISTRIBUTIONS[settings.name].mean(mu, sigma, lower, upper).numpy()


@pytest.mark.parametrize("network", ON_ANY_DOMAIN)
@pytest.mark.parametrize("sigma", ["learn", "fixed"])
@pytest.mark.parametrize(
    ("residual", "lower"), [("ff", "lmcut"), ("lmcut", "lmcut"), ("none",) * 2]
)
def test_values_are_the_predictions_of_training(
    network: str, sigma: str, residual: str, lower: str
) -> None:
    task = ground(generated_problem("blocksworld"))
    for name in DISTRIBUTIONS:
        model = random_model(
            network,
            task.problem.domain,
            name=name,
            sigma=sigma,
            residual=residual,
            lower=lower,
            scale=0.1,
        )
        batch = batch_of(task)
        found = model.heuristic_for(task).evaluate(batch)
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, trained_values(model, batch), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("network", ON_ANY_DOMAIN)
def test_values_do_not_depend_on_the_batch(network: str) -> None:
    task = ground(generated_problem("ferry"))
    evaluator = random_model(network, task.problem.domain).heuristic_for(task)
    states, ids = walk(task, 6)
    together = evaluator.evaluate(StateBatch(task, states, ids))
    alone = [evaluator.evaluate(StateBatch(task, states, ids[i : i + 1]))[0] for i in range(6)]
    np.testing.assert_allclose(together, alone, rtol=1e-5)


class TestEstimates:
    def values(self, estimate: str | None = None, **choices: Any) -> np.ndarray:
        task = ground(generated_problem("blocksworld"))
        model = random_model("linear", task.problem.domain)
        evaluator = NeuralEvaluator(model, task, estimate=estimate, **choices)
        return evaluator.evaluate(batch_of(task))

    def test_each_is_what_its_name_says(self) -> None:
        mu, clip = self.values("mu"), self.values("clip")
        batch = batch_of(ground(generated_problem("blocksworld")))
        bound = _native.make_heuristic("lmcut", batch.task.native)
        lower = bound.evaluate(batch.states, batch.ids)
        np.testing.assert_array_equal(clip, np.maximum(mu, lower))
        assert (self.values("mean") >= lower - 0.1).all()
        assert (self.values("mean") >= mu).all()
        np.testing.assert_array_equal(self.values("mean"), self.values())

    def test_quantiles_are_ordered(self) -> None:
        low, middle, high = (self.values("quantile", quantile=q) for q in (0.1, 0.5, 0.9))
        assert (low < middle).all()
        assert (middle < high).all()
        np.testing.assert_array_equal(middle, self.values("quantile"))

    def test_rounded_values_are_whole(self) -> None:
        plain = self.values()
        np.testing.assert_array_equal(self.values(rounding="nearest"), np.rint(plain))
        np.testing.assert_array_equal(self.values(rounding="down"), np.floor(plain))

    def test_unknown_ones_are_refused(self) -> None:
        with pytest.raises(BeelineError, match="unknown estimate 'mode': there are mean, mu"):
            self.values("mode")


@pytest.mark.parametrize("network", ON_ANY_DOMAIN)
class TestDeadEnds:
    def rooms(self) -> tuple[GroundTask, StateBatch]:
        task = ground(parse_problem(parse_domain(ROOMS), ROOMS_TASK))
        states = _native.States(task.native)
        ids = [states.initial, *states.successors(states.initial)[1].tolist()]
        return task, StateBatch(task, states, np.array(ids, dtype=np.uint32))

    @pytest.mark.parametrize(("residual", "lower"), [("ff", "none"), ("none", "max")])
    def test_what_a_bound_proves_is_infinite(self, network: str, residual: str, lower: str) -> None:
        task, batch = self.rooms()
        model = random_model(network, task.problem.domain, residual=residual, lower=lower)
        values = model.heuristic_for(task).evaluate(batch)
        assert np.isinf(values).sum() == 1
        assert np.isfinite(values).sum() == len(batch) - 1

    def test_a_batch_of_dead_ends(self, network: str) -> None:
        task, batch = self.rooms()
        evaluator = random_model(network, task.problem.domain).heuristic_for(task)
        dead = batch.ids[np.isinf(evaluator.evaluate(batch))]
        values = evaluator.evaluate(StateBatch(task, batch.states, dead))
        assert values.tolist() == [math.inf]

    def test_an_unsolvable_task_is_found_to_be_so(self, network: str) -> None:
        text = ROOMS_TASK.replace("(door b c)", "(door b b)").replace(
            "(at c)", "(and (at b) (at c))"
        )
        task = ground(parse_problem(parse_domain(ROOMS), text))
        model = random_model(network, task.problem.domain, residual="none", lower="none")
        assert solve(task, heuristic=model).status is Status.UNSOLVABLE


def test_dead_ends_of_relaxed_plans_need_no_bound() -> None:
    task, batch = TestDeadEnds().rooms()
    model = random_model("linear", task.problem.domain, residual="none", lower="none")
    assert np.isinf(model.heuristic_for(task).evaluate(batch)).sum() == 1


class TestSearch:
    @pytest.mark.parametrize("network", ON_ANY_DOMAIN)
    def test_models_stand_where_heuristics_stand(self, network: str) -> None:
        task = ground(generated_problem("ferry"))
        model = random_model(network, task.problem.domain, scale=0.05)
        for tie_breaking in ("[h, fifo]", "[round(h), ff, fifo]"):
            result = beeline.solve(task, heuristic=model, tie_breaking=tie_breaking)
            assert result.solved
            assert result.spec.heuristics == ("model:ferry",)
        queues = beeline.solve(task, heuristic=[model, "ff"], preferred="ff")
        assert queues.spec.heuristics == ("model:ferry", "ff")
        assert beeline.solve(task, heuristic=model, batch=4).solved

    def test_every_search_of_a_run_has_states_of_its_own(self) -> None:
        task = ground(generated_problem("ferry"))
        model = random_model("linear", task.problem.domain)
        for heuristic in (model, model.heuristic_for(task)):
            result = beeline.solve(task, "wastar", heuristic, anytime=True)
            assert result.solved
            assert len(result.plan_costs) >= 1

    def test_colour_models_are_heuristics_too(self) -> None:
        task = ground(generated_problem("blocksworld"))
        model = small_blocksworld().model()
        score = model.scorer.evaluator(task)
        states = _native.States(task.native)
        initial = score.evaluate(states, np.array([states.initial], dtype=np.uint32))[0]
        result = beeline.solve(task, heuristic=model)
        assert result.solved
        assert result.initial_h == initial
        assert result.spec.heuristics == ("model:blocksworld",)
        assert beeline.solve(task, heuristic=model, anytime=True, max_evaluations=5000).solved

    def test_models_have_no_preferred_operators(self) -> None:
        task = ground(generated_problem("blocksworld"))
        model = small_blocksworld().model()
        with pytest.raises(BeelineError, match="'model:blocksworld' has no preferred operators"):
            beeline.solve(task, heuristic="ff", preferred=model)

    def test_two_models_of_a_domain(self) -> None:
        task = ground(generated_problem("blocksworld"))
        models = [small_blocksworld().model(), random_model("linear", task.problem.domain)]
        result = beeline.solve(task, heuristic=models)
        assert result.spec.heuristics == ("model:blocksworld", "model:blocksworld#2")

    def test_time_is_told_apart(self) -> None:
        task = ground(generated_problem("blocksworld"))
        evaluator = random_model("linear", task.problem.domain).heuristic_for(task)
        result = beeline.solve(task, heuristic=evaluator)
        assert set(evaluator.seconds) == {"network", "heuristics", "rest"}
        assert 0.0 < sum(evaluator.seconds.values()) <= result.search_time
        assert min(evaluator.seconds.values()) > 0.0

    def test_a_heuristic_that_serves_twice_is_computed_once(self) -> None:
        task = ground(generated_problem("blocksworld"))
        twice = random_model("linear", task.problem.domain, residual="lmcut", lower="lmcut")
        once = random_model("linear", task.problem.domain, residual="none", lower="lmcut")
        assert twice.heuristic_for(task).work == once.heuristic_for(task).work

    @pytest.mark.parametrize(
        ("name", "estimate", "needed"),
        [
            ("truncated-gaussian", "mean", True),
            ("truncated-gaussian", "quantile", True),
            ("truncated-gaussian", "mu", False),
            ("gaussian", "mean", False),
            ("laplace", "quantile", False),
            ("gaussian", "clip", True),
        ],
    )
    def test_bounds_without_influence_are_not_computed(
        self, name: str, estimate: str, needed: bool
    ) -> None:
        task = ground(generated_problem("blocksworld"))
        domain = task.problem.domain
        without = random_model("linear", domain, name=name, lower="none")
        model = random_model("linear", domain, name=name, lower="lmcut").with_estimate(estimate)
        assert (model.heuristic_for(task).work > without.heuristic_for(task).work) is needed


class TestOtherDomains:
    @pytest.mark.parametrize("network", ON_ANY_DOMAIN)
    def test_are_refused_by_name(self, network: str) -> None:
        model = random_model(network, built_in("blocksworld"))
        task = ground(generated_problem("ferry"))
        for refused in (
            lambda: beeline.solve(task, heuristic=model),
            lambda: beeline.plan(model, task),
            lambda: NeuralEvaluator(model, task),
            lambda: beeline.solve(task, heuristic=HandTable(built_in("blocksworld")).model()),
        ):
            with pytest.raises(BeelineError, match="learned in 'blocksworld', does not fit the"):
                refused()

    def test_actions_with_other_bodies(self) -> None:
        model = random_model("hgn", parse_domain(ROOMS))
        other = parse_domain(ROOMS.replace("(and (at ?a) (door ?a ?b) (not (broken)))", "(at ?a)"))
        task = ground(parse_problem(other, ROOMS_TASK))
        with pytest.raises(BeelineError, match="actions have other conditions or effects"):
            model.heuristic_for(task)


@pytest.mark.parametrize("network", ON_ANY_DOMAIN)
def test_a_network_that_overflows_says_nothing(network: str) -> None:
    """Weights may be large; states are then looked at last, and never given up."""
    task = ground(parse_problem(parse_domain(ROOMS), ROOMS_TASK))
    model = random_model(network, task.problem.domain, scale=1e9)
    assert not np.isnan(model.heuristic_for(task).evaluate(batch_of(task))).any()
    assert beeline.solve(task, heuristic=model).solved
