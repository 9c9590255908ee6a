"""Training of all neural networks, for every objective, on minibatches.

A run is a function of its settings: killed and resumed, it ends with the same weights, to the
byte, as if it had never been interrupted.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from beeline.core.errors import BeelineError, WriteError
from beeline.core.files import (
    make_folder,
    remove_leftovers,
    write_atomically,
    write_bytes_atomically,
)
from beeline.fitting.neural_run import Progress, Run, Trained, UnsavedError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from beeline.fitting.neural_settings import NeuralSettings
    from beeline.fitting.objectives import Objective
    from beeline.models.families import Inputs
    from beeline.models.network import Network

__all__ = [
    "SUMMARY_NAME",
    "WEIGHTS_NAME",
    "Progress",
    "Trained",
    "UnsavedError",
    "train",
    "train_seeds",
]

WEIGHTS_NAME = "best.safetensors"
SUMMARY_NAME = "training.json"


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
    make_folder(place)
    remove_leftovers(place)
    with _threads(settings.threads):
        run = Run(network, train_inputs, train_objective, val_inputs, val_objective, settings)
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
        raise UnsavedError.of(error, trained) from None
    return trained


def train_seeds(
    make: Callable[[int], Network],
    train_inputs: Inputs,
    train_objective: Objective,
    val_inputs: Inputs,
    val_objective: Objective,
    settings: Sequence[NeuralSettings],
    folder: str | os.PathLike[str],
    progress: Progress | None = None,
) -> list[Trained]:
    """The same training once for each of the settings, in `folder/seed-N` by their seeds."""
    return [
        train(
            make(each.seed),
            train_inputs,
            train_objective,
            val_inputs,
            val_objective,
            each,
            Path(folder) / f"seed-{each.seed}",
            progress,
        )
        for each in settings
    ]


def _write_result(folder: Path, trained: Trained, identity: dict[str, Any]) -> None:
    from safetensors.torch import save

    write_bytes_atomically(folder / WEIGHTS_NAME, save(trained.weights))
    content = {"result": trained.to_json(), "run": identity}
    write_atomically(folder / SUMMARY_NAME, json.dumps(content, indent=1) + "\n")


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Let torch use this many threads in the block, then as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
