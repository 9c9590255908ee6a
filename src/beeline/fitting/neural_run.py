"""A network in training: where it stands, and how to take more steps.

Between two validations the loop only queues work for torch: no value comes back to Python.
"""

from __future__ import annotations

import math
import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch

from beeline._version import __version__
from beeline.core.errors import BeelineError, WriteError
from beeline.core.limits import StopRequest
from beeline.fitting.checkpoint import Checkpoint, read_checkpoint
from beeline.fitting.logs import STEP, TRAIN_LOSS, VALIDATION, Log
from beeline.fitting.objectives import network_metrics
from beeline.fitting.optimisers import make_optimiser

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from torch import Tensor

    from beeline.fitting.neural_settings import NeuralSettings
    from beeline.fitting.objectives import Objective
    from beeline.models.families import Inputs
    from beeline.models.network import Network

Progress = Callable[[int, int, dict[str, float]], None]  # step, steps, losses


@dataclass(frozen=True, eq=False)
class Trained:
    """What training found; `weights` are those with the best validation metric."""

    weights: dict[str, Tensor]
    best_step: int
    metrics: dict[str, float]  # of the validation states, at the best step
    steps: int  # that were taken
    ended_by: str  # "steps", "patience" or "time_limit"
    seconds: float
    history: dict[str, list[float]]  # the columns of the log

    def to_json(self) -> dict[str, Any]:
        """All but the weights and the history, as plain values."""
        return {
            "best_step": self.best_step,
            "metrics": self.metrics,
            "steps": self.steps,
            "ended_by": self.ended_by,
            "seconds": round(self.seconds, 3),
        }

    def __str__(self) -> str:
        ended = "the time limit ended training" if self.ended_by == "time_limit" else "trained"
        found = ", ".join(f"{name} {value:.4g}" for name, value in self.metrics.items())
        return f"{ended} after {self.steps} steps; best at step {self.best_step}: {found}"


class UnsavedError(WriteError):
    """A training that came to its end, with what it has `trained`, and could not be written."""

    trained: Trained

    @staticmethod
    def of(failure: WriteError, trained: Trained) -> UnsavedError:
        """The failure, with what must not be lost by it."""
        error = UnsavedError(failure.message, failure.file, hint=failure.hint)
        error.trained = trained
        return error


class Run:
    """A network in training: where it stands, and how to take more steps.

    `failure` is why the end of a training is not, or not all, on the disk.
    """

    def __init__(
        self,
        network: Network,
        train_inputs: Inputs,
        train_objective: Objective,
        val_inputs: Inputs,
        val_objective: Objective,
        settings: NeuralSettings,
    ) -> None:
        self._network = network
        self._inputs = train_inputs
        self._objective = train_objective
        self._val_inputs = val_inputs
        self._val_objective = val_objective
        self._settings = settings
        self.failure: WriteError | None = None
        self.optimiser = make_optimiser(settings, network.parameters())
        self._metrics = val_objective.metric_names
        self.identity = {
            "package_version": __version__,
            **settings.influence(),
            "network": type(network).__name__,
            "options": network.options(),
            "initial weights": _digest(network.state_dict()),
            **{f"training {key}": value for key, value in train_objective.describe().items()},
            **{f"validation {key}": value for key, value in val_objective.describe().items()},
        }

    def begin(self, folder: Path) -> None:
        """Take the checkpoint of the folder, or start at step 0."""
        found = read_checkpoint(folder, self.identity)
        if found is not None and found.step > self._settings.steps:
            raise BeelineError(
                f"the run has taken {found.step} steps, more than {self._settings.steps}",
                str(folder),
                hint="take another folder, or at least as many steps",
            )
        columns = [STEP, TRAIN_LOSS, *(VALIDATION + name for name in self._metrics)]
        self._at = found or Checkpoint(
            weights={},
            moments={},
            best_weights=_copy(self._network.state_dict()),
            best_step=0,
            best_value=math.inf,
            history=torch.zeros(0, len(columns), dtype=torch.float64),
            columns=columns,
            loss_sum=torch.zeros((), dtype=torch.float64),
            loss_count=0,
            step=0,
            seconds=0.0,
        )
        if found is not None:
            self._network.load_state_dict(found.weights)
            self.optimiser.restore(found.moments)
        self._rows: list[list[float]] = self._at.history.tolist()

    def go_on(self, folder: Path, progress: Progress | None) -> str:
        """Take steps to the end, until patience or time is up; which of these."""
        at, settings = self._at, self._settings
        began = perf_counter() - at.seconds
        deadline = math.inf if settings.time_limit is None else began + settings.time_limit
        if self._rows and not at.loss_count:  # every step so far has been validated
            if at.step == settings.steps:
                return "steps"
            if self._patience_is_up():
                return "patience"
            if perf_counter() >= deadline:
                return "time_limit"
        ended_by = "steps"
        log = Log(folder, at.columns, self._rows, step=at.step, tensorboard=settings.tensorboard)
        # Ctrl-C must not tear a step in two: it is heard between steps.
        with log, StopRequest([signal.SIGINT]) as stop:
            saved = perf_counter()
            for _ in self._steps():
                late = perf_counter() >= deadline
                if at.step % settings.validate_every == 0 or late:
                    self._validate(log, progress)
                    if perf_counter() - saved >= settings.checkpoint_seconds:
                        self._save(folder, began)
                        saved = perf_counter()
                if stop.requested:
                    self._save(folder, began)
                    raise KeyboardInterrupt
                if at.step < settings.steps and (late or self._patience_is_up()):
                    ended_by = "time_limit" if late else "patience"
                    break
            if at.loss_count:
                self._validate(log, progress)
            try:
                self._save(folder, began)
            except WriteError as error:
                self.failure = error
        self.failure = self.failure or log.failure
        return ended_by

    def _steps(self) -> Iterator[None]:
        """Take one step after the other, up to the last."""
        at, network, inputs, objective = self._at, self._network, self._inputs, self._objective
        take_step = self.optimiser.step
        network.train()
        batches = objective.minibatches(self._settings.seed, at.step)
        while at.step < self._settings.steps:
            rows = next(batches)
            loss = network.set_gradients(inputs.batch(rows), partial(objective.loss, rows=rows))
            at.step += 1
            take_step(at.step)
            at.loss_sum += loss
            at.loss_count += 1
            yield

    def _patience_is_up(self) -> bool:
        """Whether the last validation was one too many without a better value."""
        at, patience = self._at, self._settings.patience
        if patience is None or at.loss_count or len(self._rows) < patience:
            return False
        return self._rows[-patience][0] > at.best_step

    def _validate(self, log: Log, progress: Progress | None) -> None:
        at = self._at
        train_loss = at.loss_sum.item() / at.loss_count
        if not math.isfinite(train_loss):
            raise BeelineError(
                f"training diverged before step {at.step}: the loss is {train_loss}",
                hint="take a smaller learning rate",
            )
        at.loss_sum.zero_()
        at.loss_count = 0
        metrics = network_metrics(self._network, self._val_inputs, self._val_objective)
        row = [float(at.step), train_loss, *(metrics[name] for name in self._metrics)]
        self._rows.append(row)
        log.add(row)
        if metrics[self._settings.select] < at.best_value:
            at.best_value = metrics[self._settings.select]
            at.best_step = at.step
            at.best_weights = _copy(self._network.state_dict())
        if progress is not None:
            losses = dict(zip(at.columns[1:], row[1:], strict=True))
            progress(at.step, self._settings.steps, losses)

    def _save(self, folder: Path, began: float) -> None:
        at = self._at
        at.weights = self._network.state_dict()
        at.moments = self.optimiser.moments()
        at.history = torch.tensor(self._rows, dtype=torch.float64).reshape(-1, len(at.columns))
        at.seconds = perf_counter() - began
        at.write(folder, self.identity)

    def result(self, ended_by: str) -> Trained:
        """The best weights so far, and how they were found."""
        at = self._at
        columns = zip(*self._rows, strict=True)
        history = {name: list(column) for name, column in zip(at.columns, columns, strict=True)}
        best = [row for row in self._rows if row[0] == at.best_step]
        values = best[0][2:] if best else [math.nan] * len(self._metrics)
        metrics = dict(zip(self._metrics, values, strict=True))
        return Trained(
            at.best_weights, at.best_step, metrics, at.step, ended_by, at.seconds, history
        )


def _copy(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.detach().clone() for name, tensor in weights.items()}


def _digest(weights: dict[str, Tensor]) -> str:
    from hashlib import sha256

    digest = sha256()
    for name, tensor in sorted(weights.items()):
        digest.update(f"{name} {tuple(tensor.shape)} ".encode())
        digest.update(tensor.detach().contiguous().numpy().tobytes())
    return digest.hexdigest()
