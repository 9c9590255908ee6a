"""The probability of intervals: against quadrature, in the tails, and as a thing to learn from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from linear_states import linear_states
from neural_models import small_dataset
from scipy.integrate import quad
from scipy.special import log_ndtr
from scipy.stats import norm
from small_sets import make_set, write_tasks

import beeline
from beeline.cli.main import main
from beeline.core.errors import BeelineError
from beeline.data.instances import read_instances
from beeline.fitting.objectives import DistributionObjective, IntervalObjective
from beeline.learning.training_aims import chosen_aim
from beeline.models.distributions import mu_and_sigma

if TYPE_CHECKING:
    from pathlib import Path

    from beeline.fitting.labels import LabelledStates


def between(lower: list[float], upper: list[float]) -> LabelledStates:
    """States of which these bounds are known, and nothing to correct."""
    _, some = linear_states(len(lower), seed=0)
    columns = (np.array(each, dtype=np.float64) for each in (lower, upper, [0.0] * len(lower)))
    return replace(some, **dict(zip(("lower", "target", "residual"), columns, strict=True)))


def raw(mu: list[float], outputs: list[float]) -> torch.Tensor:
    return torch.tensor(list(zip(mu, outputs, strict=True)), dtype=torch.float64)


def loss_of(lower: float, upper: float, mu: float, output: float, epsilon: float = 0.1) -> float:
    objective = IntervalObjective(between([lower], [upper]), epsilon=epsilon)
    return objective.loss(raw([mu], [output]), np.array([0])).item()


@pytest.mark.parametrize(
    ("lower", "upper", "mu", "output"),
    [(3, 8, 5.0, -1.0), (3, 3, 3.0, -6.0), (0, 40, 12.0, 2.0), (3, 8, 20.0, 0.5), (3, 8, -4, 0)],
)
def test_the_loss_is_the_integral_of_the_density(
    lower: float, upper: float, mu: float, output: float
) -> None:
    sigma = 0.1 + 10 / (1 + np.exp(-output))
    mass = quad(norm(mu, sigma).pdf, lower - 0.1, upper + 0.1, epsabs=0, epsrel=1e-11)[0]
    assert loss_of(lower, upper, mu, output) == pytest.approx(-np.log(mass), rel=1e-7)


@pytest.mark.parametrize("mu", [-1e4, -300.0, 500.0, 1e5])
def test_it_is_stable_far_from_the_interval(mu: float) -> None:
    """There the mass is that of the tail beyond the nearer bound, but for a negligible part."""
    sigma = 0.1 + 10 / (1 + np.exp(2.0))
    distance = min(abs(mu - 3), abs(mu - 8)) / sigma
    found = loss_of(3, 8, mu, -2.0, epsilon=0.0)
    assert np.isfinite(found)
    assert found == pytest.approx(-log_ndtr(-distance), rel=1e-9)


def test_slopes_are_those_of_finite_differences() -> None:
    generator = np.random.default_rng(3)
    lower = generator.integers(0, 9, 20).astype(float)
    objective = IntervalObjective(between([*lower], [*(lower + generator.integers(0, 9, 20))]))
    rows = np.arange(20)
    point = torch.from_numpy(generator.normal(4.0, 6.0, (20, 2))).requires_grad_()
    assert torch.autograd.gradcheck(lambda each: objective.loss(each, rows), point, eps=1e-5)


def test_slopes_far_away_pull_towards_the_interval() -> None:
    objective = IntervalObjective(between([3, 3], [8, 8]))
    outputs = raw([-1e6, 1e6], [0.0, 0.0]).requires_grad_()
    objective.loss(outputs, np.arange(2)).backward()
    assert torch.isfinite(outputs.grad).all()
    assert outputs.grad[0, 0] < 0 < outputs.grad[1, 0]


def test_a_narrow_interval_is_a_gaussian_likelihood() -> None:
    """Up to the logarithm of its width."""
    _, states = linear_states(25, seed=2)
    exact = replace(states, lower=states.target)
    outputs = torch.randn(25, 2, generator=torch.Generator().manual_seed(1)).double()
    gaussian = DistributionObjective(exact, "gaussian").loss(outputs, np.arange(25)).item()
    narrow = IntervalObjective(exact, epsilon=1e-5).loss(outputs, np.arange(25)).item()
    assert narrow + np.log(2e-5) == pytest.approx(gaussian, rel=1e-6)


def test_metrics_say_what_is_beyond_the_plan() -> None:
    objective = IntervalObjective(between([3, 3], [8, 8]), epsilon=0.0)
    metrics = objective.metrics(raw([10.0, 5.0], [-20.0, -20.0]))  # sigma is 0.1
    assert metrics["outside"] == 0.5
    assert metrics["mse"] == pytest.approx((10 - 8) ** 2 / 2)
    assert metrics["nll"] == pytest.approx(loss_of(3, 8, 10.0, -20.0, 0.0) / 2)
    assert tuple(metrics) == objective.metric_names


@pytest.fixture(scope="module")
def bounds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight tasks with plans that need not be cheapest."""
    folder = tmp_path_factory.mktemp("sets")
    files = write_tasks(folder / "tasks", "blocksworld", count=8, blocks=7)
    make_set(files, folder / "set", satisficing=True, splits=(("train", 0.75), ("val", 0.25)))
    return folder / "set"


def test_greedy_plans_bound_costs_from_above(bounds: Path, tmp_path: Path) -> None:
    instances = read_instances(bounds)
    assert all(np.isnan(each.features["h_star"]).all() for each in instances)
    upper = np.concatenate([each.features["upper"] for each in instances])
    lower = np.concatenate([each.features["lmcut"] for each in instances])
    assert (lower <= upper).all()
    for each in instances:
        optimal = beeline.solve(beeline.ground(each.problem), "astar", "lmcut").cost
        assert optimal is not None
        assert each.features["upper"].max() >= optimal


@pytest.mark.parametrize("network", ["linear", "nlm"])
def test_a_model_learns_from_bounds_alone(network: str, bounds: Path) -> None:
    model = beeline.train(bounds, model=network, loss="interval", steps=30, validate_every=10)
    assert (model.distribution.name, model.distribution.upper) == ("truncated-gaussian", "plan")
    assert model.summary["loss"] == {"name": "interval"}
    assert model.summary["selected_by"] == "nll"
    task = beeline.ground(read_instances(bounds)[0].problem)
    assert beeline.plan(model, task).solved


def test_costs_of_plans_can_be_targets(bounds: Path) -> None:
    how = {"model": "linear", "steps": 5}
    assert beeline.train(bounds, target="plan", **how).summary["loss"]["target"] == "plan"
    with pytest.raises(BeelineError, match="no state is left to learn from"):
        beeline.train(bounds, warn=lambda _: None, **how)


def test_choices_that_make_no_sense_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for choice in ({"lower": "none"}, {"upper": "none"}, {"target": "optimal"}):
        with pytest.raises(BeelineError, match="'interval' needs a lower bound"):
            chosen_aim("interval", **choice)
    with pytest.raises(BeelineError, match="'rank-astar' has no target"):
        chosen_aim("rank-astar", target="plan")
    words = ["data", "plans", "d.pddl", "t.pddl", "--plans", "p", "--satisficing"]
    assert main([*words, "-o", str(tmp_path / "set")]) == 31
    assert "--satisficing and plans" in capsys.readouterr().err


def test_a_dataset_of_optimal_plans_gives_intervals_up_to_their_costs(tmp_path: Path) -> None:
    instances = read_instances(small_dataset(tmp_path))
    part = chosen_aim("interval", residual="none").part(instances, "gomoluch", "test", print)
    raws = torch.zeros(sum(map(len, instances)), 2)
    target = np.concatenate([each.features["h_star"] for each in instances])
    lower = np.concatenate([each.features["lmcut"] for each in instances])
    mu, sigma = mu_and_sigma(raws.numpy(), 0.0)
    mass = norm.cdf((target + 0.1 - mu) / sigma) - norm.cdf((lower - 0.1 - mu) / sigma)
    assert part.objective.metrics(raws)["nll"] == pytest.approx(-np.log(mass).mean())
