"""`train`: datasets in, a neural model out.

States of plans are read and labelled, a network is trained once for each seed, and the weights
with the best validation metric of all become the model.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline._version import __version__
from beeline.backends import BACKENDS, Workers
from beeline.core.errors import BeelineError
from beeline.core.records import InlineExecutor, Job, Values, run_jobs
from beeline.core.settings import keywords, setting
from beeline.fitting.losses import FIRST
from beeline.fitting.neural_settings import OPTIMISERS, NeuralSettings
from beeline.learning.settings import python_warning
from beeline.learning.training_aims import Aim, AimSettings, aim_of
from beeline.models import families
from beeline.models.neural_model import NeuralModel
from beeline.pddl.model import domain_signature

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from beeline.core.records import Glance as Ended
    from beeline.data.instances import InstanceStates
    from beeline.fitting.neural import Trained
    from beeline.fitting.objectives import Objective
    from beeline.learning.settings import AnyPath, Warn
    from beeline.learning.training_data import TrainingData

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

    model: str = setting(DEFAULT_MODEL, "One of {names}.", "NAME", names=families.NETWORKS)
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
        None, "One of {names}; usually the first, with plans the last.", "NAME", names=OPTIMISERS
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

    >>> import pathlib, tempfile
    >>> from beeline.core.records import InlineExecutor
    >>> from beeline.data.optimal_plans import sample_plans
    >>> from beeline.data.task_sets import PlanSettings, generated_tasks
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "set"
    >>> tasks = generated_tasks("ferry", count=8, parameters={"cars": 2, "locations": 3})
    >>> with InlineExecutor() as executor:
    ...     _ = sample_plans(tasks, PlanSettings(), folder, executor)
    >>> train(folder, model="linear", loss="gaussian", lower="none", steps=20).num_weights
    10
    """
    from beeline.learning.training_data import read_training_data

    entry = families.network_entry(call.model)
    aim = aim_of(call)
    if call.seeds < 1:
        raise BeelineError(f"{call.seeds} seeds to train with", hint="take 1 or more")
    families.require_torch()
    crew = Workers(call.backend, call.jobs)
    settings = _neural_settings(call, aim, entry.learning_rate, crew)
    warn = call.warn or python_warning
    data = read_training_data(
        [datasets] if isinstance(datasets, str | os.PathLike) else datasets,
        call.validation,
        limit=call.limit or None,
        seed=settings.seed,
        siblings=aim.siblings,
        orders=None if aim.orders is None else aim.orders != FIRST,
        warn=warn,
    )
    aim = aim.suited(several_orders=data.several_orders)
    job = _job(call, aim, data, settings, warn)
    return _model(job, aim, data, _run(job, call, crew, warn))


def _neural_settings(call: TrainCall, aim: Aim, rate: float, crew: Workers) -> NeuralSettings:
    """The settings of one seed, with what suits the aim and the network, whose `rate` is given."""
    rounds = -(-call.seeds // (1 if _one_by_one(crew) else crew.room()))
    chosen: dict[str, Any] = {
        **{each.name: getattr(call, each.name, None) for each in fields(NeuralSettings)},
        "optimiser": call.optimiser or aim.optimiser,
        "learning_rate": rate if call.learning_rate is None else call.learning_rate,
        "gradient_clip": call.gradient_clip or None,
        "validate_every": min(call.validate_every, call.steps),
        "select": call.select or aim.select,
        "time_limit": None if call.time_limit is None else call.time_limit / rounds,
        "tensorboard": call.tensorboard and call.folder is not None,
    }
    return NeuralSettings(**chosen)


class _Part(NamedTuple):
    """States of one kind, ready for training."""

    inputs: families.Inputs
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
    folder: Path | None = None


class SeedResult(NamedTuple):
    """What one seed gives, all options of its network, and a warning if it could not be saved."""

    trained: Trained
    options: dict[str, Any]
    warning: str | None = None


def train_seed(
    job: SeedJob, progress: Callable[[int, dict[str, float]], None] | None = None
) -> SeedResult:
    """Train with one seed."""
    from beeline.fitting.neural import UnsavedError
    from beeline.fitting.neural import train as train_network

    seed = job.settings.seed
    network = families.make_network(
        job.network, job.vocabulary, job.heads, seed=seed, **job.options
    )

    def glance(step: int, _: int, losses: dict[str, float]) -> None:
        if progress is not None:
            progress(step, losses)

    parts = (*job.training[:2], *job.validation[:2])
    with TemporaryDirectory(prefix="beeline-") as scratch:
        try:
            trained = train_network(network, *parts, job.settings, job.folder or scratch, glance)
        except UnsavedError as error:  # the model need not suffer from it
            warning = f"training is complete, but its folder is not: {error}"
            return SeedResult(error.trained, network.options(), warning)
    return SeedResult(trained, network.options())


def _job(
    call: TrainCall, aim: Aim, data: TrainingData, settings: NeuralSettings, warn: Warn
) -> SeedJob:
    """The job of any seed: datasets read, and their states encoded."""
    encoder = families.network_entry(call.model).encoder
    family = families.encoder_family(encoder)
    vocabulary = family.vocabulary(data.domain)
    heads, options = aim.distribution.heads, dict(call.options)
    try:  # options of the wrong name or size are told before the states are encoded
        families.make_network(call.model, vocabulary, heads, seed=0, **options)
    except (TypeError, ValueError) as error:
        message = f"network '{call.model}' with {options}: {error}"
        raise BeelineError(message, hint="see 'beeline train --help' for its options") from None

    def part(instances: list[InstanceStates], name: str) -> _Part:
        chosen, objective = aim.part(instances, encoder, name, warn)
        return _Part(family.dataset_inputs(vocabulary, chosen), objective, len(chosen))

    training, validation = part(data.training, "training"), part(data.validation, "validation")
    return SeedJob(call.model, vocabulary, heads, options, training, validation, settings)


def _run(job: SeedJob, call: TrainCall, workers: Workers, warn: Warn) -> dict[int, SeedResult]:
    """Train with all seeds; what each of them gives."""
    folder = None if call.folder is None else Path(call.folder)
    here = _one_by_one(workers) or (workers.backend == "local" and call.seeds == 1)
    steps = job.settings.steps

    def glance(place: int, step: int, losses: dict[str, float]) -> None:
        if call.progress is not None:
            call.progress(Glance(place, call.seeds, step, steps, losses))

    def ended(each: Ended) -> None:
        glance(each.made, steps, {})

    seeds = range(job.settings.seed, job.settings.seed + call.seeds)
    jobs = []
    for place, seed in enumerate(seeds):
        of_seed = job._replace(
            settings=replace(job.settings, seed=seed),
            folder=None if folder is None else folder / f"seed-{seed}",
        )
        told = (partial(glance, place + 1),) if here else ()  # which does not travel
        jobs.append(Job(str(place), {}, train_seed, (of_seed, *told)))
    with InlineExecutor() if here else workers.executor() as executor:
        results = Values(call.seeds)
        run_jobs(jobs, results, executor, None if here else ended)
    for seed, result in zip(seeds, results.values, strict=True):
        if result.warning is not None:
            warn(result.warning)
        if call.plot and folder is not None:
            from beeline.fitting.logs import plot_curves

            history = {call.model: result.trained.history}
            plot_curves(history, folder / f"seed-{seed}" / PLOT_NAME)
    return dict(zip(seeds, results.values, strict=True))


def _model(
    job: SeedJob, aim: Aim, data: TrainingData, results: Mapping[int, SeedResult]
) -> NeuralModel:
    """The model of the seed with the smallest metric, the first of equal ones."""
    select = job.settings.select
    seed = min(results, key=lambda each: results[each].trained.metrics[select])
    best, options, _ = results[seed]
    parts = {"training": job.training, "validation": job.validation}
    return NeuralModel(
        signature=domain_signature(data.domain),
        encoder=families.network_entry(job.network).encoder,
        vocabulary=json.loads(json.dumps(job.vocabulary.to_json())),  # as a file has it
        network=job.network,
        options=dict(options),
        weights={
            name: tensor.detach().numpy().astype("float32", order="C")
            for name, tensor in best.weights.items()
        },
        distribution=aim.distribution,
        summary={  # no times, so that equal runs are equal
            "loss": aim.to_json(),
            "instances": {name: part.instances for name, part in parts.items()},
            "states": {name: len(part.inputs) for name, part in parts.items()},
            "unit_costs": data.unit_costs,
            "steps": best.steps,
            "batch": aim.batch,
            "optimiser": job.settings.optimiser,
            "learning_rate": job.settings.learning_rate,
            "selected_by": select,
            "best_step": best.best_step,
            "validation": {name: round(value, 6) for name, value in best.metrics.items()},
            "seeds": [
                {"seed": each, select: round(result.trained.metrics[select], 6)}
                for each, result in results.items()
            ],
        },
        seed=seed,
        package_version=__version__,
    )


def _one_by_one(workers: Workers) -> bool:
    return workers.backend == "local" and workers.number in (None, 1)
