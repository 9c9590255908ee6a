"""Training of the networks of one state space: labelled facts in, weights out.

As in Minini, "Discovering and learning preferred operators for classical planning with neural
networks" (2023): Adam with learning rate 1e-4, minibatches of 64, nine tenths of the samples to
train with and the rest to validate with after each epoch, until 100 epochs bring nothing better.

What the networks of one state space are trained for: the cost-to-go, and preferred operators.
"""

from __future__ import annotations

from abc import abstractmethod
from contextlib import nullcontext
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from beeline import _native
from beeline.core.errors import BeelineError
from beeline.fitting.neural import train
from beeline.fitting.neural_settings import NeuralSettings
from beeline.fitting.objectives import StateObjective
from beeline.models.resnet.encoding import HIDDEN, FactInputs
from beeline.models.resnet.network import ResNet
from beeline.models.rows import Rows, starts_of
from beeline.models.truncated import with_slopes

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from numpy.typing import NDArray
    from torch import Tensor

    from beeline.fitting.neural import Trained

    EpochProgress = Callable[[int, int, dict[str, float]], None]  # epoch, epochs, losses


BATCH_SIZE = 64


class FormulaObjective(StateObjective):
    """What objectives with a formula for slopes share: the loss is that of the formula."""

    @abstractmethod
    def loss_and_slopes(
        self, raw: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> tuple[float, NDArray[np.float32]]:
        """The loss of some rows, and its slopes by their raw outputs."""

    def loss(self, raw: Tensor, rows: NDArray[np.int64]) -> Tensor:
        """The loss of these rows."""
        value, slopes = self.loss_and_slopes(raw.detach().contiguous().numpy(), rows)
        return with_slopes(np.float64(value), (raw, slopes.astype(np.float64)))


class RegressionObjective(FormulaObjective):
    """The squared error of relu(raw) as an estimate of the cost-to-go.

    `targets` are the costs, [states].
    """

    heads = 1
    metric_names = ("mse",)

    def __init__(self, targets: NDArray[Any], *, batch_size: int = BATCH_SIZE) -> None:
        costs = np.asarray(targets, dtype=np.float32).copy()
        super().__init__([costs], len(targets), batch_size, objective="regression")
        self._targets = costs

    def loss_and_slopes(
        self, raw: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> tuple[float, NDArray[np.float32]]:
        """The mean squared error of these rows, and its slopes."""
        # What is not a number stays what it is.
        error = np.where(raw[:, 0] < 0.0, np.float32(0.0), raw[:, 0]) - self._targets[rows]
        slopes = np.where(raw[:, 0] > 0.0, error, np.float32(0.0)) * np.float32(2.0 / len(rows))
        return float(error @ error) / len(rows), slopes[:, None]

    @torch.no_grad()
    def metrics(self, raw: Tensor) -> dict[str, float]:
        """`mse` over all states."""
        return {"mse": self.loss(raw, np.arange(len(raw))).item()}


class OperatorsObjective(FormulaObjective):
    """The binary cross-entropy of sigmoid(raw), mean over states and operators.

    The operators that are preferred in state i are `items[starts[i]:starts[i + 1]]`; each operator
    has a head.
    """

    metric_names = ("bce",)

    def __init__(
        self,
        starts: NDArray[np.int64],
        items: NDArray[np.int32],
        operators: int,
        *,
        batch_size: int = BATCH_SIZE,
    ) -> None:
        preferred = Rows(np.asarray(starts, dtype=np.int64), items.astype(np.int64))
        choices = {"objective": "operators", "operators": operators}
        super().__init__(preferred[:2], len(starts) - 1, batch_size, **choices)
        self._preferred, self.heads = _each_once(preferred, operators), operators

    def loss_and_slopes(
        self, raw: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> tuple[float, NDArray[np.float32]]:
        """The mean cross-entropy of these rows, and its slopes."""
        return _native.cross_entropy(raw, *self._preferred.at(rows)[:2])

    @torch.no_grad()
    def metrics(self, raw: Tensor) -> dict[str, float]:
        """`bce` over all states."""
        return {"bce": self.loss(raw, np.arange(len(raw))).item()}


def _each_once(lists: Rows, count: int) -> Rows:
    """The lists of numbers below `count` without what is in them again.

    >>> _each_once(Rows(np.array([0, 3, 3, 4]), np.array([2, 0, 2, 1])), 3)[:2]
    (array([0, 2, 2, 3]), array([0, 2, 1]))
    """
    owners, items = np.divmod(np.unique(lists.owners * count + lists.items), count)
    return Rows(starts_of(np.bincount(owners, minlength=len(lists.starts) - 1)), items)


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
    """A trained network; `weights` are named as in `beeline.models.resnet.encoding`."""

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

    def objective(rows: NDArray[np.int64]) -> RegressionObjective:
        return RegressionObjective(costs[rows], batch_size=settings.batch)

    return _train(facts, objective, settings, folder, progress)


def train_operators(
    facts: NDArray[Any],
    preferred: tuple[NDArray[np.int64], NDArray[np.int32]],
    operators: int,
    settings: TaskTraining,
    folder: str | os.PathLike[str] | None = None,
    progress: EpochProgress | None = None,
) -> TaskNetwork:
    """A network from facts [n, facts] to preferred operators, given as (starts, items)."""

    def objective(rows: NDArray[np.int64]) -> OperatorsObjective:
        starts, items, _ = Rows(*preferred).at(rows)
        return OperatorsObjective(starts, items, operators, batch_size=settings.batch)

    return _train(facts, objective, settings, folder, progress)


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
    objective_of: Callable[[NDArray[np.int64]], RegressionObjective | OperatorsObjective],
    settings: TaskTraining,
    folder: str | os.PathLike[str] | None,
    progress: EpochProgress | None,
) -> TaskNetwork:
    learning, validating = split_rows(len(facts), settings.validation, settings.seed)
    inputs, val_inputs = FactInputs(facts[learning]), FactInputs(facts[validating])
    objective, val_objective = objective_of(learning), objective_of(validating)
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
