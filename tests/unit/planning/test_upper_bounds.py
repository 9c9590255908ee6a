"""Upper bounds in search: the best plan so far bounds a model's Gaussian, and prunes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from encoded_walks import walk
from neural_models import ON_ANY_DOMAIN, random_model
from random_tasks import RandomTask

import beeline
from beeline import _native
from beeline.core.errors import Status
from beeline.models.estimates import truncated_mean
from beeline.models.evaluator import NeuralEvaluator
from beeline.pddl import parse_domain, parse_problem
from beeline.planning.engine import bounded_key
from beeline.planning.plan import plan
from beeline.planning.solve import solve
from beeline.task.grounding import ground
from beeline.task.states import StateBatch

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask


def some_task(name: str = "blocksworld", seed: int = 1, **size: float) -> GroundTask:
    return beeline.ground(beeline.generators.generate(name, seed=seed, **(size or {"blocks": 5})))


def some_model(task: GroundTask, network: str = "linear", **settings: Any) -> Any:
    return random_model(network, task.problem.domain, **settings)


def test_native_mean_has_the_digits_of_the_estimates() -> None:
    draw = np.random.default_rng(0)
    mu = draw.normal(0.0, 30.0, 4000)
    sigma = 10.0 ** draw.uniform(-2, 2, 4000)
    lower = draw.normal(0.0, 30.0, 4000)
    upper = lower + 10.0 ** draw.uniform(-6, 3, 4000)
    upper[::7] = math.inf
    expected = truncated_mean(mu, sigma, lower, upper)
    cases = zip(mu, sigma, lower, upper, strict=True)
    found = np.array([_native.truncated_mean(*map(float, case)) for case in cases])
    assert np.all((lower <= found) & (found <= upper))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_native_mean_of_contradictory_bounds_is_the_lower_one() -> None:
    assert _native.truncated_mean(0.0, 1.0, 3.0, 2.0) == 3.0


@pytest.mark.parametrize("network", ON_ANY_DOMAIN)
def test_gaussian_columns_are_those_of_the_mean(network: str) -> None:
    task = some_task()
    heuristic = NeuralEvaluator(some_model(task, network), task)
    states, ids = walk(task, 30)
    gaussian = heuristic.gaussian(states)
    assert gaussian is not None
    lower, mu, sigma = (each.evaluate(states, ids) for each in gaussian.evaluators)
    mean = truncated_mean(mu, sigma, lower - gaussian.margin, np.full(len(ids), np.inf))
    np.testing.assert_allclose(mean, heuristic.evaluate(StateBatch(task, states, ids)))
    lmcut = _native.make_heuristic("lmcut", task.native).evaluate(states, ids)
    np.testing.assert_array_equal(lower, lmcut)


def test_states_are_shown_to_the_model_once() -> None:
    task = some_task()
    heuristic = NeuralEvaluator(some_model(task), task)
    shown: list[int] = []
    parameters = heuristic.parameters

    def counted(batch: StateBatch) -> Any:
        shown.extend(batch.ids.tolist())
        return parameters(batch)

    heuristic.parameters = counted  # type: ignore[method-assign]
    result = solve(task, "gbfs", heuristic, anytime=True, improve=0.0)
    assert result.optimal
    assert len(shown) == len(set(shown)) > 10
    assert len(shown) < result.evaluated


@pytest.mark.parametrize(
    "other", [{"estimate": "mu"}, {"estimate": "quantile"}, {"name": "laplace"}]
)
def test_only_the_mean_of_a_truncated_gaussian_is_bounded(other: dict[str, Any]) -> None:
    task = some_task()
    model = some_model(task)
    model = replace(model, distribution=replace(model.distribution, **other))
    assert NeuralEvaluator(model, task).gaussian(_native.States(task.native)) is None


def bounded_search(task: GroundTask, model: Any, share: bool, bound: int) -> Any:
    states = _native.States(task.native)
    gaussian = NeuralEvaluator(model, task).gaussian(states)
    assert gaussian is not None
    config = _native.SearchConfig()
    config.evaluators = gaussian.evaluators
    config.queues = [_native.QueueSpec([bounded_key(gaussian, share=share)])]
    config.reopen = config.bound_with_h = True
    config.bound = bound
    return _native.search(states, states.initial, config, None)


@pytest.mark.parametrize("share", [True, False])
def test_pruning_loses_no_plan_below_the_bound_and_finds_none_above(share: bool) -> None:
    outcomes = set()
    for seed in range(40):
        text = RandomTask(seed)
        task = ground(parse_problem(parse_domain(text.domain, "<d>"), text.task, "<t>"))
        truth = solve(task, "astar", "blind")
        if truth.cost is None or task.unsolvable_reason is not None:
            continue
        model = some_model(task, seed=seed, scale=3.0)
        above = bounded_search(task, model, share, truth.cost + 1)
        assert above.status.name == "SOLVED"
        assert above.cost == truth.cost
        wide = bounded_search(task, model, share, truth.cost + 5)
        assert truth.cost <= wide.cost < truth.cost + 5
        if truth.cost > 0:
            below = bounded_search(task, model, share, truth.cost)
            assert below.status.name in ("INCOMPLETE", "UNSOLVABLE")
            assert not below.unproven_dead_ends
            outcomes.add(below.status.name)
    assert "INCOMPLETE" in outcomes


@pytest.mark.parametrize("network", ON_ANY_DOMAIN)
@pytest.mark.parametrize("search", ["solve", "plan"])
def test_anytime_ends_with_a_cheapest_plan_and_knows_it(network: str, search: str) -> None:
    for seed in range(12):
        text = RandomTask(seed)
        task = ground(parse_problem(parse_domain(text.domain, "<d>"), text.task, "<t>"))
        truth = solve(task, "astar", "blind")
        model = some_model(task, network, seed=seed)
        found = (
            plan(model, task, anytime=True)
            if search == "plan"
            else solve(task, "gbfs", model, anytime=True)
        )
        assert found.status is truth.status
        if truth.status is Status.SOLVED:
            assert found.cost == truth.cost
            assert found.optimal
            assert found.plan_costs == sorted(set(found.plan_costs), reverse=True)


def test_bounds_prune_what_weighted_search_alone_looks_at() -> None:
    task = some_task(blocks=6)
    model = some_model(task, scale=0.1)
    bounded = solve(task, "gbfs", model, anytime=True, improve=0.0)
    plain = solve(task, "gbfs", model, anytime=True, improve=0.0, unbounded=True)
    assert bounded.optimal
    assert plain.optimal
    assert bounded.cost == plain.cost
    assert bounded.expanded < plain.expanded / 2


def test_plan_asks_a_gaussian_for_its_parameters_unless_told_not_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []
    parameters = NeuralEvaluator.parameters

    def counted(self: NeuralEvaluator, batch: StateBatch) -> Any:
        asked.append(len(batch))
        return parameters(self, batch)

    monkeypatch.setattr(NeuralEvaluator, "parameters", counted)
    task = some_task("visitall", width=5, height=5)
    without = plan(some_model(task), task, anytime=True, max_evaluations=4000, unbounded=True)
    assert not asked
    assert without.config["unbounded"] is True
    with_bounds = plan(some_model(task), task, anytime=True, max_evaluations=4000)
    assert asked
    assert "unbounded" not in with_bounds.config
