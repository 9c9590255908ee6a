"""Training of the networks of a state space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, mse_loss

from beeline.core.errors import BeelineError
from beeline.fitting.neural_settings import NeuralSettings
from beeline.fitting.task_networks import (
    OperatorsObjective,
    RegressionObjective,
    TaskTraining,
    split_rows,
    train_heuristic,
    train_operators,
)

if TYPE_CHECKING:
    from pathlib import Path

QUICK: dict[str, Any] = {"hidden": 24, "learning_rate": 3e-3, "batch": 16}


def samples(count: int = 60) -> tuple[Any, Any, Any]:
    """Facts, a cost that depends on them, and operators: those whose fact is true."""
    facts = np.random.default_rng(0).integers(0, 2, size=(count, 8)).astype(np.uint8)
    costs = (facts @ np.arange(8) // 2).astype(np.int32)
    starts = np.append(0, np.cumsum(facts[:, :5].sum(axis=1))).astype(np.int64)
    return facts, costs, (starts, np.nonzero(facts[:, :5])[1].astype(np.int32))


def same(one: Any, other: Any) -> bool:
    return all(np.array_equal(one.weights[name], other.weights[name]) for name in one.weights)


@pytest.mark.parametrize(("count", "heads"), [(1, 1), (3, 5), (64, 98), (70, 333)])
def test_losses_and_slopes_are_those_of_torch_in_double_precision(count: int, heads: int) -> None:
    rng = np.random.default_rng(count)
    raw = (5.0 * rng.standard_normal((count, heads))).astype(np.float32)
    raw[0, 0] = 95.0  # the exponential function has no such value
    raw[-1, -1] = -95.0
    wanted = rng.random((count, heads)) < 0.2
    starts = np.append(0, np.cumsum(2 * wanted.sum(axis=1)))
    items = np.repeat(np.nonzero(wanted)[1], 2)  # each twice, which means nothing
    costs = rng.integers(0, 9, count)
    operators = OperatorsObjective(starts, items.astype(np.int32), heads)
    rows = rng.permutation(count)
    targets = torch.from_numpy(wanted[rows]).double()

    def squared(outputs: torch.Tensor) -> torch.Tensor:
        return mse_loss(outputs[:, 0].relu(), torch.from_numpy(costs[rows]).double())

    for objective, outputs, expected in (
        (operators, raw, lambda values: binary_cross_entropy_with_logits(values, targets)),
        (RegressionObjective(costs), raw[:, :1].copy(), squared),
    ):
        exact = torch.from_numpy(outputs).double().requires_grad_()
        value = expected(exact)
        (slopes,) = torch.autograd.grad(value, exact)
        found, by_raw = objective.loss_and_slopes(outputs, rows)
        assert found == pytest.approx(value.item(), rel=1e-6)
        np.testing.assert_allclose(by_raw, slopes.numpy(), rtol=1e-5, atol=1e-9)
        tensor = torch.from_numpy(outputs).requires_grad_()
        assert objective.loss(tensor, rows).item() == found
        objective.loss(tensor, rows).backward()
        assert tensor.grad is not None
        assert torch.equal(tensor.grad, torch.from_numpy(by_raw))


def test_what_is_not_a_number_is_seen_by_both_losses() -> None:
    raw, rows = np.full((2, 1), np.nan, dtype=np.float32), np.arange(2)
    assert np.isnan(RegressionObjective(np.ones(2)).loss_and_slopes(raw, rows)[0])
    none = OperatorsObjective(np.zeros(3, dtype=np.int64), np.zeros(0, dtype=np.int32), 1)
    assert np.isnan(none.loss_and_slopes(raw, rows)[0])


def test_operators_that_there_are_not_are_refused() -> None:
    objective = OperatorsObjective(np.array([0, 1]), np.array([2], dtype=np.int32), 3)
    with pytest.raises(ValueError, match="no such head"):
        objective.loss_and_slopes(np.zeros((1, 2), dtype=np.float32), np.arange(1))
    with pytest.raises(ValueError, match="one list of heads"):
        objective.loss_and_slopes(np.zeros((2, 3), dtype=np.float32), np.arange(1))


def test_costs_are_learned() -> None:
    facts, costs, _ = samples()
    found = train_heuristic(facts, costs, TaskTraining(**QUICK, epochs=150))
    assert found.trained.history["train_loss"][-1] < 0.05
    assert found.trained.metrics["mse"] < 0.2 * costs.var()
    assert found.trained.metrics["mse"] == min(found.trained.history["val_mse"])
    assert found.summary()["epochs"] == len(found.trained.history["step"])  # one row per epoch


def test_preferred_operators_are_learned() -> None:
    facts, _, preferred = samples()
    found = train_operators(facts, preferred, 6, TaskTraining(**QUICK, epochs=150))
    assert found.trained.metrics["bce"] < 0.1
    assert found.weights["output.bias"].shape == (6,)


def test_training_ends_when_patience_does() -> None:
    facts, _, _ = samples()
    noise = np.random.default_rng(1).integers(0, 20, size=len(facts))  # nothing to learn
    found = train_heuristic(facts, noise, TaskTraining(**QUICK, patience=7))
    assert found.trained.ended_by == "patience"
    assert found.summary()["epochs"] == found.best_epoch + 7
    assert found.trained.steps == 4 * found.summary()["epochs"]  # 54 samples, 16 at a time


def test_equal_settings_give_equal_weights() -> None:
    facts, costs, _ = samples()
    first, again, other = (
        train_heuristic(facts, costs, TaskTraining(**QUICK, epochs=5, seed=seed))
        for seed in (0, 0, 1)
    )
    assert same(first, again)
    assert not same(first, other)


@pytest.mark.parametrize("stop_at", [3, 30])
def test_a_run_that_was_interrupted_ends_with_the_same_weights(
    stop_at: int, tmp_path: Path
) -> None:
    facts, _, _ = samples()
    costs = np.random.default_rng(1).integers(0, 20, size=len(facts))
    settings = TaskTraining(**QUICK, patience=10)
    whole = train_heuristic(facts, costs, settings, tmp_path / "whole")

    def interrupt(epoch: int, epochs: int, losses: dict[str, float]) -> None:
        if epoch == stop_at:
            import signal

            signal.raise_signal(signal.SIGINT)

    if whole.summary()["epochs"] > stop_at:
        with pytest.raises(KeyboardInterrupt):
            train_heuristic(facts, costs, settings, tmp_path / "parts", interrupt)
    parts = train_heuristic(facts, costs, settings, tmp_path / "parts")
    assert same(parts, whole)
    assert parts.summary() == whole.summary()
    log = "log.csv"
    assert (tmp_path / "parts" / log).read_bytes() == (tmp_path / "whole" / log).read_bytes()

    def never(*_: Any) -> None:
        raise AssertionError

    again = train_heuristic(facts, costs, settings, tmp_path / "parts", never)
    assert again.trained.ended_by == "patience"
    assert same(again, whole)


def test_more_patience_goes_on_with_a_shorter_run(tmp_path: Path) -> None:
    facts, _, _ = samples()
    costs = np.random.default_rng(1).integers(0, 20, size=len(facts))
    train_heuristic(facts, costs, TaskTraining(**QUICK, patience=2), tmp_path)
    longer = train_heuristic(facts, costs, TaskTraining(**QUICK, patience=6), tmp_path)
    assert same(longer, train_heuristic(facts, costs, TaskTraining(**QUICK, patience=6)))


def test_each_sample_is_either_learned_or_held_out() -> None:
    learning, validating = split_rows(101, 0.1, seed=4)
    assert sorted([*learning, *validating]) == list(range(101))
    assert len(validating) == 10
    assert [len(rows) for rows in split_rows(2, 0.1, seed=0)] == [1, 1]
    with pytest.raises(BeelineError, match="1 samples are too few"):
        split_rows(1, 0.1, seed=0)


def test_losses_are_those_of_the_definition() -> None:
    raw = torch.tensor([[-2.0], [3.0]])
    regression = RegressionObjective(np.array([1, 5]))
    assert regression.metrics(raw)["mse"] == (1.0 + 4.0) / 2  # relu(-2) is 0
    assert regression.loss(raw, np.array([1, 0])).item() == pytest.approx((25.0 + 4.0) / 2)
    operators = OperatorsObjective(np.array([0, 1, 1]), np.array([1], dtype=np.int32), 2)
    raw = torch.tensor([[0.0, 2.0], [1.0, -1.0]])
    p = torch.sigmoid(raw)
    expected = -(torch.log(1 - p[0, 0]) + torch.log(p[0, 1]) + torch.log(1 - p[1]).sum()) / 4
    assert operators.metrics(raw)["bce"] == pytest.approx(expected.item(), rel=1e-5)
    assert operators.loss(raw, np.array([0, 1])).item() == pytest.approx(expected.item(), rel=1e-5)


@pytest.mark.parametrize("setting", [{"hidden": 0}, {"batch": 0}, {"validation": 1.0}])
def test_settings_without_sense_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(BeelineError):
        TaskTraining(**setting)


def test_patience_does_not_tell_runs_apart_and_may_not_be_zero() -> None:
    assert NeuralSettings().identity == NeuralSettings(patience=3).identity
    assert NeuralSettings().identity != NeuralSettings(gradient_clip=None).identity
    with pytest.raises(BeelineError, match="patience is 0"):
        NeuralSettings(patience=0)
