"""`train`: datasets in, a neural model out.

States of plans are read and labelled, a network is trained once for each seed, and the weights
with the best validation metric of all become the model.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.backends import BACKENDS, Workers
from beeline.core.errors import BeelineError
from beeline.core.executor import InlineExecutor
from beeline.core.records import Job, Values, run_jobs
from beeline.core.settings import keywords, setting
from beeline.fitting.neural_settings import OPTIMISERS, NeuralSettings
from beeline.learning.training_aims import AimSettings, aim_of
from beeline.models.families import NETWORKS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from beeline.core.records import Glance as Ended
    from beeline.fitting.neural import Trained
    from beeline.fitting.objectives import Objective
    from beeline.learning.training_aims import Aim
    from beeline.learning.training_data import TrainingData
    from beeline.models.families import Inputs
    from beeline.models.neural_model import NeuralModel

    AnyPath = str | os.PathLike[str]
    Warn = Callable[[str], None]

DEFAULT_MODEL = "nlm"
DEFAULT_LIMIT = 400  # instances, as in the paper on admissible bounds
PLOT_NAME = "curves.png"


class Glance(NamedTuple):
    """Where training stands: which of how many runs, its step, and the last losses."""

    run: int  # from 1
    runs: int
    step: int
    steps: int
    losses: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class TrainSettings(AimSettings):
    """What can be said about a training; None is what suits loss and network."""

    model: str = setting(DEFAULT_MODEL, "One of {names}.", "NAME", names=NETWORKS)
    options: Mapping[str, Any] = setting(
        {}, "A size of the network, such as depth=5; repeatable.", "KEY=VALUE"
    )
    validation: AnyPath | None = setting(
        None, "Validate with this dataset, not with split val.", "DATASET"
    )
    limit: int | None = setting(
        DEFAULT_LIMIT, "Train with at most N instances, drawn by the seed; 0: all.", "N"
    )
    steps: int = setting(NeuralSettings.steps, "Steps of the optimiser.", "N")
    optimiser: str | None = setting(
        None,
        "One of {names}; usually the first, with plans the last.",
        "NAME",
        names=OPTIMISERS,
    )
    learning_rate: float | None = setting(
        None, "How far a step goes; by default what suits the network.", "X", aliases=("--lr",)
    )
    weight_decay: float = setting(
        NeuralSettings.weight_decay, "How fast weights decay; adamw alone has it.", "X"
    )
    gradient_clip: float | None = setting(
        NeuralSettings.gradient_clip, "Scale gradients down to this norm; 0: to none.", "X"
    )
    validate_every: int = setting(
        NeuralSettings.validate_every, "Steps from one validation to the next.", "N"
    )
    patience: int | None = setting(
        None, "End after N validations without a better one; by default never.", "N"
    )
    select: str | None = setting(
        None,
        "Keep the weights with the smallest mse (usually) or nll; with plans: loss (usually) or"
        " violations.",
        "NAME",
        names=("mse", "nll", "loss", "violations"),
    )
    seed: int = setting(0, "Decides on first weights and drawn instances.", "N")
    seeds: int = setting(1, "Train K times, from the seed on; keep the best.", "K")
    time_limit: float | None = setting(
        None, "For all seeds; then the best weights are the result.", "SECONDS"
    )
    threads: int = setting(NeuralSettings.threads, "Threads of torch.", "N")
    folder: AnyPath | None = setting(
        None,
        "Checkpoints and logs (log.csv, TensorBoard) go here: training that was stopped goes on"
        " from there. On the command line MODEL.training by default.",
        "DIR",
        aliases=("--log",),
    )
    checkpoint_seconds: float = setting(
        NeuralSettings.checkpoint_seconds, "From one checkpoint to the next.", "SECONDS"
    )
    tensorboard: bool = setting(True, "No logs for TensorBoard in the folder.")
    jobs: int | None = setting(
        None,
        "Seeds that are trained at the same time; by default one after the other.",
        "N",
        aliases=("--workers",),
    )
    backend: str = setting("local", "Where jobs run: one of {names}.", "NAME", names=BACKENDS)
    plot: bool = setting(False, "Draw loss curves beside the logs, curves.png for each seed.")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TrainCall(TrainSettings):
    """Settings, and what only Python can say.

    `warn` is called with each warning; by default they become Python warnings.
    """

    progress: Callable[[Glance], None] | None = None
    warn: Warn | None = None


@keywords(TrainCall)
def train(datasets: AnyPath | Sequence[AnyPath], call: TrainCall) -> NeuralModel:
    """Train a neural model with datasets of plans.

    Keyword arguments are the fields of `TrainSettings`, `AimSettings` and `TrainCall`. States come
    from the split `train` of the datasets; weights are chosen by the metric `select` on the split
    `val`, or on the dataset `validation`. Training is repeated with all seeds, and the best model
    returned.
    """
    from beeline.models.families import network_entry, require_torch

    entry = network_entry(call.model)
    aim = aim_of(call)
    if call.seeds < 1:
        raise BeelineError(f"{call.seeds} seeds to train with", hint="take 1 or more")
    require_torch()
    crew = Workers(call.backend, call.jobs)
    together = 1 if _one_by_one(crew) else crew.room()
    same: dict[str, Any] = {
        each.name: getattr(call, each.name, None) for each in fields(NeuralSettings)
    }
    rate = entry.learning_rate if call.learning_rate is None else call.learning_rate
    chosen: dict[str, Any] = {
        "optimiser": call.optimiser or aim.optimiser,
        "learning_rate": rate,
        "gradient_clip": call.gradient_clip or None,
        "validate_every": min(call.validate_every, call.steps),
        "select": call.select or aim.select,
        "time_limit": None
        if call.time_limit is None
        else call.time_limit / -(-call.seeds // together),
        "tensorboard": call.tensorboard and call.folder is not None,
    }
    course = _Course(call, aim, NeuralSettings(**{**same, **chosen}))
    folders = [datasets] if isinstance(datasets, str | os.PathLike) else datasets
    course.read(folders)
    return course.run(crew)


class _Part(NamedTuple):
    """States of one kind, ready for training."""

    inputs: Inputs
    objective: Objective
    instances: int


class SeedJob(NamedTuple):
    """All that a worker needs to train with one seed."""

    network: str
    vocabulary: Any
    heads: int
    options: dict[str, Any]
    training: _Part
    validation: _Part
    settings: NeuralSettings
    folder: Path | None


def train_seed(
    job: SeedJob, progress: Callable[[int, dict[str, float]], None] | None = None
) -> tuple[Trained, dict[str, Any], str | None]:
    """What one seed gives, the options of its network, and a warning if it could not be saved."""
    from tempfile import TemporaryDirectory

    from beeline.fitting.neural import UnsavedError
    from beeline.fitting.neural import train as train_network
    from beeline.models.families import make_network

    seed = job.settings.seed
    network = make_network(job.network, job.vocabulary, job.heads, seed=seed, **job.options)

    def glance(step: int, _: int, losses: dict[str, float]) -> None:
        if progress is not None:
            progress(step, losses)

    with TemporaryDirectory(prefix="beeline-") as scratch:
        try:
            trained = train_network(
                network,
                job.training.inputs,
                job.training.objective,
                job.validation.inputs,
                job.validation.objective,
                job.settings,
                job.folder or scratch,
                glance,
            )
        except UnsavedError as error:  # the model need not suffer from it
            warning = f"training is complete, but its folder is not: {error}"
            return error.trained, network.options(), warning
    return trained, network.options(), None


class _Course:
    """Everything about a training but its seed."""

    def __init__(self, call: TrainCall, aim: Aim, settings: NeuralSettings) -> None:
        self._call = call
        self._network = call.model
        self._options = dict(call.options)
        self._aim = aim
        self._distribution = aim.distribution
        self._settings = settings
        self._warn = call.warn or _python_warning

    def read(self, folders: Sequence[AnyPath]) -> None:
        """Read the datasets and encode their states."""
        from beeline.fitting.losses import FIRST
        from beeline.learning.training_data import read_training_data
        from beeline.models.families import encoder_family, make_network, network_entry

        data = read_training_data(
            folders,
            self._call.validation,
            limit=self._call.limit or None,
            seed=self._settings.seed,
            siblings=self._aim.siblings,
            orders=None if self._aim.orders is None else self._aim.orders != FIRST,
            warn=self._warn,
        )
        self._aim = self._aim.suited(several_orders=data.several_orders)
        self._data: TrainingData = data
        self._encoder = network_entry(self._network).encoder
        self._vocabulary = encoder_family(self._encoder).vocabulary(data.domain)
        try:  # options of the wrong name or size are told before the states are encoded
            make_network(
                self._network, self._vocabulary, self._distribution.heads, seed=0, **self._options
            )
        except (TypeError, ValueError) as error:
            raise BeelineError(
                f"network '{self._network}' with {self._options}: {error}",
                hint="see 'beeline train --help' for its options",
            ) from None
        self._training = self._part(data.training, "training")
        self._validation = self._part(data.validation, "validation")

    def _part(self, instances: Any, name: str) -> _Part:
        from beeline.models.families import encoder_family

        chosen, objective = self._aim.part(instances, self._encoder, name, self._warn)
        inputs = encoder_family(self._encoder).dataset_inputs(self._vocabulary, chosen)
        return _Part(inputs, objective, len(chosen))

    def run(self, workers: Workers) -> NeuralModel:
        """Train with all seeds; the best model."""
        seeds, progress = self._call.seeds, self._call.progress
        folder = None if self._call.folder is None else Path(self._call.folder)
        here = _one_by_one(workers) or (workers.backend == "local" and seeds == 1)
        steps = self._settings.steps

        def glance(place: int, step: int, losses: dict[str, float]) -> None:
            if progress is not None:
                progress(Glance(place, seeds, step, steps, losses))

        def ended(each: Ended) -> None:
            glance(each.made, steps, {})

        jobs = []
        for place in range(seeds):
            settings = replace(self._settings, seed=self._settings.seed + place)
            job = SeedJob(
                self._network,
                self._vocabulary,
                self._distribution.heads,
                self._options,
                self._training,
                self._validation,
                settings,
                None if folder is None else folder / f"seed-{settings.seed}",
            )
            told = (partial(glance, place + 1),) if here else ()  # which does not travel
            jobs.append(Job(str(place), {}, train_seed, (job, *told)))
        with InlineExecutor() if here else workers.executor() as executor:
            trained = Values(seeds)
            run_jobs(jobs, trained, executor, None if here else ended)
        runs = []
        for place, (each, self._all_options, warning) in enumerate(trained.values):
            seed = self._settings.seed + place
            runs.append((seed, each))
            if warning is not None:
                self._warn(warning)
            if self._call.plot and folder is not None:
                from beeline.fitting.logs import plot_curves

                plot_curves({self._network: each.history}, folder / f"seed-{seed}" / PLOT_NAME)
        return self._model(runs)

    def _model(self, runs: Sequence[tuple[int, Trained]]) -> NeuralModel:
        """The model of the run with the smallest metric, the first of equal ones."""
        import json

        from beeline import __version__
        from beeline.models.neural_model import NeuralModel
        from beeline.pddl.model import domain_signature

        seed, best = min(runs, key=lambda run: run[1].metrics[self._settings.select])
        return NeuralModel(
            signature=domain_signature(self._data.domain),
            encoder=self._encoder,
            vocabulary=json.loads(json.dumps(self._vocabulary.to_json())),  # as a file has it
            network=self._network,
            options=dict(self._all_options),
            weights={
                name: tensor.detach().numpy().astype("float32", order="C")
                for name, tensor in best.weights.items()
            },
            distribution=self._distribution,
            summary=self._summary(runs, best),
            seed=seed,
            package_version=__version__,
        )

    def _summary(self, runs: Sequence[tuple[int, Trained]], best: Trained) -> dict[str, Any]:
        """What was trained with, and how it went: no times, so that equal runs are equal."""
        parts = {"training": self._training, "validation": self._validation}
        return {
            "loss": self._aim.to_json(),
            "instances": {name: part.instances for name, part in parts.items()},
            "states": {name: len(part.inputs) for name, part in parts.items()},
            "unit_costs": self._data.unit_costs,
            "steps": best.steps,
            "batch": self._aim.batch,
            "optimiser": self._settings.optimiser,
            "learning_rate": self._settings.learning_rate,
            "selected_by": self._settings.select,
            "best_step": best.best_step,
            "validation": {name: round(value, 6) for name, value in best.metrics.items()},
            "seeds": [
                {"seed": seed, self._settings.select: round(each.metrics[self._settings.select], 6)}
                for seed, each in runs
            ],
        }


def _one_by_one(workers: Workers) -> bool:
    return workers.backend == "local" and workers.number in (None, 1)


def _python_warning(message: str) -> None:
    warnings.warn(message, stacklevel=3)
