"""Training: what it finds, and that it finds the same however often it is interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import linear_states as small
import numpy as np
import pytest
import torch
from linear_states import linear_states, train_linear

from beeline.core.errors import BeelineError
from beeline.fitting.logs import CSV_NAME, read_log
from beeline.fitting.neural import SUMMARY_NAME, WEIGHTS_NAME, train
from beeline.fitting.neural_settings import NeuralSettings
from beeline.fitting.objectives import DistributionObjective, heuristic_errors, network_metrics
from beeline.fitting.optimisers import Checkpoint
from beeline.models.families import make_network

if TYPE_CHECKING:
    from pathlib import Path

FILES = (WEIGHTS_NAME, CSV_NAME)


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unbroken")
    train_linear(folder)
    return folder


@pytest.mark.parametrize("distribution", ["gaussian", "truncated-gaussian", "laplace"])
def test_a_linear_network_learns_a_linear_function(distribution: str, tmp_path: Path) -> None:
    network = make_network("linear", None, 2, seed=0)
    pace: dict[str, Any] = {"steps": 250, "validate_every": 50, "learning_rate": 0.05}
    trained = train_linear(tmp_path, distribution, network=network, **pace)
    _, states = linear_states(40, seed=2)
    assert trained.metrics["mse"] < 0.5 * heuristic_errors(states)["ff"]
    assert trained.ended_by == "steps"
    assert trained.steps == 250
    losses = trained.history["val_mse"]
    assert min(losses) == trained.metrics["mse"]
    assert trained.history["step"][losses.index(min(losses))] == trained.best_step
    inputs, states = linear_states(40, seed=2)
    objective = DistributionObjective(states, distribution)
    assert network_metrics(network, inputs, objective) == trained.metrics


def test_killed_runs_end_with_the_same_bytes(unbroken: Path, tmp_path: Path) -> None:
    job = subprocess.Popen(
        [sys.executable, small.__file__, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert job.stdout is not None
    assert [int(job.stdout.readline()) for _ in range(3)] == [10, 20, 30]
    job.send_signal(signal.SIGKILL)
    job.wait()
    job.stdout.close()
    assert not (tmp_path / WEIGHTS_NAME).exists()
    steps = []
    train_linear(tmp_path, progress=lambda step, steps_, losses: steps.append(step))
    assert steps[0] > 10  # it did not begin anew
    assert contents(tmp_path) == contents(unbroken)


def interrupt_at(step: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Press Ctrl-C in the middle of a step; the sizes of all minibatches from now on."""
    loss_of = DistributionObjective.loss
    sizes: list[int] = []

    def interrupted(self: DistributionObjective, raw: Any, rows: Any) -> Any:
        sizes.append(len(rows))
        if len(sizes) == step:
            os.kill(os.getpid(), signal.SIGINT)
        return loss_of(self, raw, rows)

    monkeypatch.setattr(DistributionObjective, "loss", interrupted)
    return sizes


def test_ctrl_c_leaves_a_checkpoint_between_two_validations(
    unbroken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = interrupt_at(27, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        train_linear(tmp_path)
    assert len(sizes) == 27
    train_linear(tmp_path)
    assert sizes == [32, 32, 32, 4] * 15  # 100 states, each once in an epoch
    assert contents(tmp_path) == contents(unbroken)


def test_a_run_that_ends_where_it_was_interrupted_is_validated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = interrupt_at(7, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        train_linear(tmp_path)
    trained = train_linear(tmp_path, steps=7)
    assert len(sizes) == trained.steps == trained.best_step == 7


def test_ctrl_c_behind_the_last_step_is_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = interrupt_at(0, monkeypatch)
    write = Checkpoint.write

    def interrupted(self: Checkpoint, *arguments: Any) -> None:
        write(self, *arguments)
        os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as late:
        late.setattr(Checkpoint, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            train_linear(tmp_path, steps=20)
    assert train_linear(tmp_path, steps=20).steps == len(sizes) == 20


def test_the_time_limit_ends_training_and_says_where(tmp_path: Path) -> None:
    trained = train_linear(tmp_path, steps=10**9, time_limit=0.2)
    assert trained.ended_by == "time_limit"
    assert 0 < trained.steps < 10**6
    assert f"the time limit ended training after {trained.steps} steps" in str(trained)
    assert trained.history["step"][-1] == trained.steps  # validated once more
    again = train_linear(tmp_path, steps=10**9, time_limit=0.2)
    assert again.steps == trained.steps
    longer = train_linear(tmp_path, steps=trained.steps + 10, time_limit=60.0)
    assert longer.ended_by == "steps"


def test_a_finished_run_is_read_not_repeated(tmp_path: Path) -> None:
    first = train_linear(tmp_path, steps=20)
    before = contents(tmp_path)

    def never(step: int, steps: int, losses: dict[str, float]) -> None:
        raise AssertionError

    again = train_linear(tmp_path, steps=20, progress=never)
    assert contents(tmp_path) == before
    assert again.to_json() == first.to_json()
    assert again.history == first.history


def test_more_steps_go_on_with_a_shorter_run(unbroken: Path, tmp_path: Path) -> None:
    train_linear(tmp_path, steps=40)
    train_linear(tmp_path)
    assert contents(tmp_path) == contents(unbroken)
    with pytest.raises(BeelineError, match="has taken 60 steps, more than 50"):
        train_linear(tmp_path, steps=50)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"learning_rate": 0.5}, "its 'learning_rate' is 0.01, not 0.5"),
        ({"seed": 4}, "its 'initial weights' are others"),
        ({"distribution": "gaussian"}, "its 'training distribution' is truncated-gaussian, not g"),
    ],
)
def test_checkpoints_of_other_runs_are_refused_by_name(
    other: dict[str, Any], message: str, unbroken: Path
) -> None:
    with pytest.raises(BeelineError, match=message):
        train_linear(unbroken, **other)


def test_broken_checkpoints_are_refused(tmp_path: Path) -> None:
    (tmp_path / "checkpoint.safetensors").write_bytes(b"not tensors at all")
    with pytest.raises(BeelineError, match="checkpoint cannot be read"):
        train_linear(tmp_path)


def test_training_leaves_the_program_as_it_was(tmp_path: Path) -> None:
    threads, randomness = torch.get_num_threads(), torch.random.get_rng_state()
    other = 1 if threads > 1 else 2
    seen = []
    train_linear(tmp_path, threads=other, progress=lambda *_: seen.append(torch.get_num_threads()))
    assert set(seen) == {other}
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.random.get_rng_state(), randomness)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_metric_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BeelineError, match="no metric 'accuracy'"):
        train_linear(tmp_path, select="accuracy")


def test_divergence_is_an_error_not_a_model(tmp_path: Path) -> None:
    network = make_network("linear", None, 2, seed=0)
    with torch.no_grad():
        next(network.parameters()).fill_(float("nan"))
    with pytest.raises(BeelineError, match="training diverged before step 10"):
        train_linear(tmp_path, "gaussian", network=network)


def test_weights_may_be_selected_by_likelihood(tmp_path: Path) -> None:
    trained = train_linear(tmp_path, select="nll")
    assert trained.metrics["nll"] == min(trained.history["val_nll"])


def test_each_seed_has_a_folder_and_other_weights(tmp_path: Path) -> None:
    inputs, states = linear_states(50, seed=1)
    objective = DistributionObjective(states, "gaussian", batch_size=16)
    runs = [
        NeuralSettings(steps=20, validate_every=10, seed=seed, tensorboard=False) for seed in (0, 1)
    ]
    results = [
        train(
            make_network("linear", None, 2, seed=each.seed),
            inputs,
            objective,
            inputs,
            objective,
            each,
            tmp_path / f"seed-{each.seed}",
        )
        for each in runs
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["seed-0", "seed-1"]
    assert results[0].metrics != results[1].metrics


def test_the_logs_and_the_summary_tell_the_run(unbroken: Path) -> None:
    log = read_log(unbroken / CSV_NAME)
    assert log["step"] == [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]
    assert list(log)[:3] == ["step", "train_loss", "val_mse"]
    summary = json.loads((unbroken / SUMMARY_NAME).read_text())
    assert summary["result"]["steps"] == 60
    assert summary["run"]["learning_rate"] == 0.01
    best = int(np.argmin(log["val_mse"]))
    assert summary["result"]["metrics"]["mse"] == log["val_mse"][best]
