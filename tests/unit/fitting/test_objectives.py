"""Minibatches, the loss and the metrics of distributions."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from linear_states import linear_states

from beeline.core.errors import BeelineError
from beeline.fitting.objectives import DistributionObjective, epochs
from beeline.models.distributions import (
    DISTRIBUTIONS,
    FIXED_SIGMA,
    mu_and_sigma,
    mu_and_sigma_tensors,
)
from beeline.models.distributions import FIXED_SIGMA as SIGMA_OF_LOSSES


@given(st.integers(1, 40), st.integers(1, 12), st.integers(0, 5), st.integers(0, 30))
def test_every_epoch_has_each_row_once_wherever_training_begins(
    count: int, size: int, seed: int, first: int
) -> None:
    per_epoch = -(-count // size)
    whole = list(islice(epochs(count, size, seed), first + per_epoch))
    for begin in range(0, len(whole) - per_epoch + 1, per_epoch):
        epoch = np.concatenate(whole[begin : begin + per_epoch])
        assert sorted(epoch.tolist()) == list(range(count))
    later = islice(epochs(count, size, seed, first), per_epoch)
    for batch, same in zip(whole[first:], later, strict=True):
        assert batch.tolist() == same.tolist()


def test_orders_differ_between_epochs_and_seeds() -> None:
    orders = [next(epochs(50, 50, seed, first)).tolist() for seed in (0, 1) for first in (0, 1)]
    assert len({tuple(order) for order in orders}) == 4


def test_fixed_sigma_makes_the_gaussian_loss_the_squared_error() -> None:
    _, states = linear_states(20, seed=0)
    objective = DistributionObjective(states, "gaussian", sigma="fixed")
    assert objective.heads == 1
    raw = torch.linspace(-3.0, 5.0, 20).reshape(20, 1)
    metrics = objective.metrics(raw)
    mu = raw[:, 0].double().numpy() + states.residual
    assert metrics["mse"] == pytest.approx(np.mean((mu - states.target) ** 2))
    clipped = np.maximum(mu, states.lower)
    assert metrics["mse_clip"] == pytest.approx(np.mean((clipped - states.target) ** 2))
    assert metrics["nll"] == pytest.approx(metrics["mse"] + 0.5 * np.log(np.pi))
    assert metrics["nll_clip"] == pytest.approx(metrics["mse_clip"] + 0.5 * np.log(np.pi))
    rows = np.arange(20)
    assert objective.loss(raw, rows).item() == pytest.approx(metrics["nll"])


@pytest.mark.parametrize("name", list(DISTRIBUTIONS))
@pytest.mark.parametrize("sigma", ["learn", "fixed"])
def test_the_loss_of_all_rows_is_the_metric_nll(name: str, sigma: str) -> None:
    _, states = linear_states(30, seed=4)
    objective = DistributionObjective(states, name, sigma=sigma)
    raw = torch.randn(30, objective.heads, generator=torch.Generator().manual_seed(0))
    raw.requires_grad_()
    order = np.random.default_rng(0).permutation(30)
    loss = objective.loss(raw[torch.from_numpy(order)], order)
    metrics = objective.metrics(raw)
    assert tuple(metrics) == objective.metric_names
    assert loss.item() == pytest.approx(metrics["nll"])
    loss.backward()
    assert raw.grad is not None
    assert bool(torch.isfinite(raw.grad).all())


def test_the_truncated_mean_is_the_prediction_and_never_below_the_open_bound() -> None:
    _, states = linear_states(30, seed=5)
    objective = DistributionObjective(states, "truncated-gaussian", epsilon=0.1)
    raw = torch.full((30, 2), -200.0)  # mu far below the bound, sigma at its smallest
    metrics = objective.metrics(raw)
    at_bound = np.mean((states.lower - 0.1 - states.target) ** 2)
    assert metrics["mse"] == pytest.approx(at_bound, rel=1e-2)
    assert metrics["mse_clip"] == metrics["mse"]
    assert np.isfinite(metrics["nll"])


def test_arrays_and_tensors_give_the_same_parameters() -> None:
    raw = np.array([[0.5, -300.0], [-2.0, 0.3], [1.0, 300.0]], dtype=np.float32)
    residual = np.array([1.0, 2.0, 3.0])
    mu, sigma = mu_and_sigma(raw, residual)
    tensors = mu_and_sigma_tensors(torch.from_numpy(raw), torch.from_numpy(residual))
    assert mu.tolist() == tensors[0].tolist()
    assert sigma.tolist() == pytest.approx(tensors[1].tolist(), rel=1e-15)
    assert sigma[0] == pytest.approx(0.1)
    assert sigma[2] == pytest.approx(10.1)
    assert abs(FIXED_SIGMA - SIGMA_OF_LOSSES) < 1e-15


def test_choices_that_make_no_sense_are_refused() -> None:
    _, states = linear_states(3, seed=0)
    with pytest.raises(BeelineError, match="unknown distribution 'cauchy'"):
        DistributionObjective(states, "cauchy")
    with pytest.raises(BeelineError, match="sigma 'guess'"):
        DistributionObjective(states, sigma="guess")
    with pytest.raises(BeelineError, match="batch size 0"):
        DistributionObjective(states, batch_size=0)


def test_objectives_with_other_labels_describe_themselves_otherwise() -> None:
    _, states = linear_states(10, seed=0)
    _, others = linear_states(10, seed=1)
    assert (
        DistributionObjective(states).describe()["labels"]
        != DistributionObjective(others).describe()["labels"]
    )
