"""Training of the networks of one state space: labelled facts in, weights out.

As in Minini, "Discovering and learning preferred operators for classical planning with neural
networks" (2023): Adam with learning rate 1e-4, minibatches of 64, nine tenths of the samples to
train with and the rest to validate with after each epoch, until 100 epochs bring nothing better.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from beeline.core.errors import BeelineError
from beeline.encode.propositional import FactInputs
from beeline.models.resnet import ResNet
from beeline.models.resnet_layout import HIDDEN
from beeline.training.neural import train
from beeline.training.neural_settings import NeuralSettings
from beeline.training.task_objectives import BATCH_SIZE, OperatorsObjective, RegressionObjective

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from numpy.typing import NDArray

    from beeline.training.neural import Trained
    from beeline.training.objectives import Objective

    EpochProgress = Callable[[int, int, dict[str, float]], None]  # epoch, epochs, losses


@dataclass(frozen=True)
class TaskTraining:
    """How the network of a state space is trained; `time_limit` in seconds, None for none."""

    hidden: int = HIDDEN
    learning_rate: float = 1e-4
    batch: int = BATCH_SIZE
    epochs: int = 100_000  # at most
    patience: int = 100  # epochs without a smaller validation loss
    validation: float = 0.1  # share of the samples
    seed: int = 0
    threads: int = 1
    time_limit: float | None = None

    def __post_init__(self) -> None:
        for name in ("hidden", "batch", "epochs"):
            if getattr(self, name) < 1:
                raise BeelineError(f"{name} is {getattr(self, name)}", hint="at least 1")
        if not 0 < self.validation < 1:
            raise BeelineError(
                f"the share of samples for validation is {self.validation}",
                hint="between 0 and 1, such as 0.1",
            )


@dataclass(frozen=True, eq=False)
class TaskNetwork:
    """A trained network; `weights` are named as in `beeline.models.resnet_layout`."""

    weights: dict[str, NDArray[np.float32]]
    trained: Trained
    per_epoch: int  # steps

    @property
    def best_epoch(self) -> int:
        """The epoch with the smallest validation loss, from 1."""
        return self.trained.best_step // self.per_epoch

    def summary(self) -> dict[str, Any]:
        """How training went: no times, so that equal runs are equal."""
        return {
            "epochs": self.trained.steps // self.per_epoch,
            "best_epoch": self.best_epoch,
            "ended_by": self.trained.ended_by,
            **{name: round(value, 6) for name, value in self.trained.metrics.items()},
        }


def train_heuristic(
    facts: NDArray[Any],
    costs: NDArray[Any],
    settings: TaskTraining,
    folder: str | os.PathLike[str] | None = None,
    progress: EpochProgress | None = None,
) -> TaskNetwork:
    """A network from facts [n, facts] to the cost-to-go [n]."""
    learning, validating = split_rows(len(facts), settings.validation, settings.seed)
    return _train(
        facts,
        learning,
        validating,
        RegressionObjective(costs[learning], batch_size=settings.batch),
        RegressionObjective(costs[validating], batch_size=settings.batch),
        settings,
        folder,
        progress,
    )


def train_operators(
    facts: NDArray[Any],
    preferred: tuple[NDArray[np.int64], NDArray[np.int32]],
    operators: int,
    settings: TaskTraining,
    folder: str | os.PathLike[str] | None = None,
    progress: EpochProgress | None = None,
) -> TaskNetwork:
    """A network from facts [n, facts] to preferred operators, given as (starts, items)."""
    from beeline.sampling.regression import rows_at

    learning, validating = split_rows(len(facts), settings.validation, settings.seed)
    objective, val_objective = (
        OperatorsObjective(*rows_at(preferred, rows), operators, batch_size=settings.batch)
        for rows in (learning, validating)
    )
    return _train(facts, learning, validating, objective, val_objective, settings, folder, progress)


def split_rows(
    count: int, validation: float, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows to train with and rows to validate with, at least one of each, at random.

    >>> [len(rows) for rows in split_rows(660, 0.1, seed=0)]
    [594, 66]
    """
    if count < 2:
        raise BeelineError(
            f"{count} samples are too few to train with", hint="two are the least, thousands good"
        )
    order = np.random.default_rng([seed, count]).permutation(count)
    held_out = min(max(round(count * validation), 1), count - 1)
    return order[held_out:], order[:held_out]


def _train(
    facts: NDArray[Any],
    learning: NDArray[np.int64],
    validating: NDArray[np.int64],
    objective: Objective,
    val_objective: Objective,
    settings: TaskTraining,
    folder: str | os.PathLike[str] | None,
    progress: EpochProgress | None,
) -> TaskNetwork:
    inputs, val_inputs = FactInputs(facts[learning]), FactInputs(facts[validating])
    network = ResNet(
        facts.shape[1],
        objective.heads,
        generator=torch.Generator().manual_seed(settings.seed),
        hidden=settings.hidden,
    )
    if isinstance(objective, RegressionObjective):
        network.turn_upwards(inputs.batch(np.arange(min(len(inputs), 1024))))
    per_epoch = -(-len(learning) // settings.batch)
    run = NeuralSettings(
        steps=settings.epochs * per_epoch,
        learning_rate=settings.learning_rate,
        weight_decay=0.0,
        gradient_clip=None,
        validate_every=per_epoch,
        patience=settings.patience,
        select=val_objective.metric_names[0],
        seed=settings.seed,
        threads=settings.threads,
        time_limit=settings.time_limit,
        tensorboard=False,
    )

    def after_epoch(step: int, steps: int, losses: dict[str, float]) -> None:
        if progress is not None:
            progress(step // per_epoch, steps // per_epoch, losses)

    scratch = TemporaryDirectory(prefix="beeline-") if folder is None else nullcontext(folder)
    with scratch as place:
        trained = train(
            network, inputs, objective, val_inputs, val_objective, run, place, after_epoch
        )
    return TaskNetwork(network.named_weights(), trained, per_epoch)
