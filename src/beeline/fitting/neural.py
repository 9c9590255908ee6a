"""Training of all neural networks, for every objective, on minibatches.

A run is a function of its settings: killed and resumed, it ends with the same weights, to the
byte, as if it had never been interrupted. Between two validations the loop only queues work for
torch: no value comes back to Python.
"""

from __future__ import annotations

import json
import math
import signal
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch

from beeline._version import __version__
from beeline.core import files
from beeline.core.errors import BeelineError, WriteError
from beeline.core.limits import StopRequest
from beeline.fitting.logs import STEP, TRAIN_LOSS, VALIDATION, Log
from beeline.fitting.objectives import SlopedObjective, network_metrics
from beeline.fitting.optimisers import Checkpoint, make_optimiser, read_checkpoint

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from torch import Tensor

    from beeline.fitting.neural_settings import NeuralSettings
    from beeline.fitting.objectives import Objective
    from beeline.models.families import Inputs
    from beeline.models.network import Network

WEIGHTS_NAME = "best.safetensors"
SUMMARY_NAME = "training.json"
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
        names = ("best_step", "metrics", "steps", "ended_by")
        return {**{name: getattr(self, name) for name in names}, "seconds": round(self.seconds, 3)}

    def __str__(self) -> str:
        ended = "the time limit ended training" if self.ended_by == "time_limit" else "trained"
        found = ", ".join(f"{name} {value:.4g}" for name, value in self.metrics.items())
        return f"{ended} after {self.steps} steps; best at step {self.best_step}: {found}"


class UnsavedError(WriteError):
    """A training that came to its end, with what it has `trained`, and could not be written."""

    trained: Trained


def train(
    network: Network,
    train_inputs: Inputs,
    train_objective: Objective,
    val_inputs: Inputs,
    val_objective: Objective,
    settings: NeuralSettings,
    folder: str | os.PathLike[str],
    progress: Progress | None = None,
) -> Trained:
    """Train the network, which has the best weights in the end.

    The folder receives a checkpoint, logs and the best weights; a run that was begun there goes
    on, one that is finished is only read. Ctrl-C leaves a checkpoint of the step it came in. If
    only the end could not be written, the error has what was trained.
    """
    if settings.select not in val_objective.metric_names:
        raise BeelineError(
            f"there is no metric '{settings.select[:60]}' to select weights by",
            hint=f"there are {', '.join(val_objective.metric_names)}",
        )
    place = Path(folder)
    files.make_folder(place)
    files.remove_leftovers(place)
    with _threads(settings.threads):
        run = _Run(network, train_inputs, train_objective, val_inputs, val_objective, settings)
        try:
            run.begin(place)
            ended_by = run.go_on(place, progress)
        finally:
            run.optimiser.release()
    trained = run.result(ended_by)
    network.load_state_dict(trained.weights)
    try:
        if run.failure is not None:
            raise run.failure
        _write_result(place, trained, run.identity)
    except WriteError as error:
        unsaved = UnsavedError(error.message, error.file, hint=error.hint)
        unsaved.trained = trained
        raise unsaved from None
    return trained


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Let torch use this many threads in the block, then as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _write_result(folder: Path, trained: Trained, identity: dict[str, Any]) -> None:
    from safetensors.torch import save

    files.write_bytes_atomically(folder / WEIGHTS_NAME, save(trained.weights))
    content = {"result": trained.to_json(), "run": identity}
    files.write_atomically(folder / SUMMARY_NAME, json.dumps(content, indent=1) + "\n")


@dataclass(eq=False)
class _Run:
    """A network in training: where it stands, and how to take more steps.

    `failure` is why the end of a training is not, or not all, on the disk.
    """

    network: Network
    inputs: Inputs
    objective: Objective
    val_inputs: Inputs
    val_objective: Objective
    settings: NeuralSettings
    failure: WriteError | None = None

    def __post_init__(self) -> None:
        network, settings = self.network, self.settings
        self.optimiser = make_optimiser(settings, network.parameters())
        self._metrics = self.val_objective.metric_names
        parts = {"training": self.objective, "validation": self.val_objective}
        self.identity: dict[str, Any] = {
            "package_version": __version__,
            **settings.influence(),
            "network": type(network).__name__,
            "options": network.options(),
            "initial weights": _digest(network.state_dict()),
        }
        for part, objective in parts.items():
            described = objective.describe()
            self.identity.update({f"{part} {key}": value for key, value in described.items()})

    def begin(self, folder: Path) -> None:
        """Take the checkpoint of the folder, or start at step 0."""
        found = read_checkpoint(folder, self.identity)
        if found is not None and found.step > self.settings.steps:
            raise BeelineError(
                f"the run has taken {found.step} steps, more than {self.settings.steps}",
                str(folder),
                hint="take another folder, or at least as many steps",
            )
        columns = [STEP, TRAIN_LOSS, *(VALIDATION + name for name in self._metrics)]
        self._at = found or Checkpoint(columns, _copy(self.network.state_dict()))
        if found is not None:
            self.network.load_state_dict(found.weights)
            self.optimiser.restore(found.moments)
        self._rows: list[list[float]] = self._at.history.tolist()

    def go_on(self, folder: Path, progress: Progress | None) -> str:
        """Take steps to the end, until patience or time is up; which of these."""
        at, settings = self._at, self.settings
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
        if stop.requested:  # behind the last step: what was learned is in the checkpoint
            raise KeyboardInterrupt
        self.failure = self.failure or log.failure
        return ended_by

    def _steps(self) -> Iterator[None]:
        """Take one step after the other, up to the last."""
        at, network, inputs, objective = self._at, self.network, self.inputs, self.objective
        take_step = self.optimiser.step
        network.train()
        batches = objective.minibatches(self.settings.seed, at.step)
        formula = objective.loss_and_slopes if isinstance(objective, SlopedObjective) else None
        while at.step < self.settings.steps:
            rows = next(batches)
            slopes = None if formula is None else partial(formula, rows=rows)
            batch, loss_of = inputs.batch(rows), partial(objective.loss, rows=rows)
            loss = network.set_gradients(batch, loss_of, slopes)
            at.step += 1
            take_step(at.step)
            at.loss_sum += loss
            at.loss_count += 1
            yield

    def _patience_is_up(self) -> bool:
        """Whether the last validation was one too many without a better value."""
        at, patience = self._at, self.settings.patience
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
        metrics = network_metrics(self.network, self.val_inputs, self.val_objective)
        row = [float(at.step), train_loss, *(metrics[name] for name in self._metrics)]
        self._rows.append(row)
        log.add(row)
        if metrics[self.settings.select] < at.best_value:
            at.best_value = metrics[self.settings.select]
            at.best_step = at.step
            at.best_weights = _copy(self.network.state_dict())
        if progress is not None:
            losses = dict(zip(at.columns[1:], row[1:], strict=True))
            progress(at.step, self.settings.steps, losses)

    def _save(self, folder: Path, began: float) -> None:
        at = self._at
        at.weights = self.network.state_dict()
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
    digest = sha256()
    for name, tensor in sorted(weights.items()):
        digest.update(f"{name} {tuple(tensor.shape)} ".encode())
        digest.update(tensor.detach().contiguous().numpy().tobytes())
    return digest.hexdigest()
