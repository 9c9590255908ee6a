"""What models say about labelled states agrees with what training and search say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from neural_models import random_model, small_dataset
from scipy.stats import laplace, norm, truncnorm

from beeline.core.errors import BeelineError
from beeline.data.instances import read_instances
from beeline.experiments.records import model_metrics
from beeline.fitting.objectives import predictions

if TYPE_CHECKING:
    from beeline.data.instances import InstanceStates


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> list[InstanceStates]:
    return read_instances(small_dataset(tmp_path_factory.mktemp("set")))


@pytest.mark.parametrize("name", ["gaussian", "truncated-gaussian", "laplace"])
@pytest.mark.parametrize("network", ["linear", "nlm"])
def test_metrics_of_predictions_are_those_of_training(
    name: str, network: str, states: list[InstanceStates]
) -> None:
    model = random_model(network, states[0].problem.domain, name=name)
    found, metrics = predictions(model, states), model_metrics(model, states)
    target = found.labelled.target
    assert np.mean((found.estimate() - target) ** 2) == pytest.approx(metrics["mse"])
    assert found.nll().mean() == pytest.approx(metrics["nll"])
    if name != "truncated-gaussian":
        clipped = found.estimate("clip")
        assert np.mean((clipped - target) ** 2) == pytest.approx(metrics["mse_clip"])
        assert found.nll(clipped).mean() == pytest.approx(metrics["nll_clip"])


@pytest.mark.parametrize("name", ["gaussian", "truncated-gaussian", "laplace"])
def test_densities_are_those_of_scipy(name: str, states: list[InstanceStates]) -> None:
    model = random_model("linear", states[0].problem.domain, name=name)
    found = predictions(model, states)
    mu, sigma = found.mu[3], found.sigma[3]
    lower = found.labelled.lower[3] - 0.1
    expected = {
        "gaussian": norm(mu, sigma),
        "laplace": laplace(mu, sigma),
        "truncated-gaussian": truncnorm((lower - mu) / sigma, np.inf, mu, sigma),
    }[name]
    x = np.linspace(lower - 5, lower + 20, 101)
    np.testing.assert_allclose(found.density(3, x), expected.pdf(x), rtol=1e-9, atol=1e-12)


def test_scores_are_no_costs(states: list[InstanceStates]) -> None:
    model = random_model(
        "linear", states[0].problem.domain, name="point", sigma="fixed", lower="none"
    )
    with pytest.raises(BeelineError, match="gives scores, not costs"):
        predictions(model, states)
