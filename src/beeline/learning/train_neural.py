"""`train`: datasets in, a neural model out.

States of plans are read and labelled, a network is trained once for each seed, and the weights
with the best validation metric of all become the model.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from beeline.encode.registry import Inputs
    from beeline.learned.neural_model import NeuralModel
    from beeline.learning.training_aims import Aim
    from beeline.learning.training_data import TrainingData
    from beeline.training.neural import Trained
    from beeline.training.neural_settings import NeuralSettings
    from beeline.training.objectives import Objective

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


def train(
    datasets: AnyPath | Sequence[AnyPath],
    *,
    validation: AnyPath | None = None,
    model: str = DEFAULT_MODEL,
    loss: str = "truncated-gaussian",
    sigma: str | None = None,
    lower: str | None = None,
    upper: str | None = None,
    residual: str | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    surrogate: str | None = None,
    weight: float | None = None,
    orders: str | None = None,
    limit: int | None = DEFAULT_LIMIT,
    steps: int = 40_000,
    batch: int | None = None,
    optimiser: str | None = None,
    learning_rate: float | None = None,
    gradient_clip: float | None = 0.1,
    validate_every: int = 100,
    select: str | None = None,
    seed: int = 0,
    seeds: int = 1,
    time_limit: float | None = None,
    threads: int = 1,
    options: Mapping[str, Any] | None = None,
    folder: AnyPath | None = None,
    tensorboard: bool = False,
    plot: bool = False,
    progress: Callable[[Glance], None] | None = None,
    warn: Warn | None = None,
) -> NeuralModel:
    """Train a neural model with datasets of plans.

    `model` is a network by name, with its own `options`. `loss` is the distribution whose
    likelihood is learned, of the width `sigma`, with `lower` and `upper` bounds; or a loss of whole
    plans, such as rank-astar and rank-gbfs, whose Open lists the network learns to put in order.
    These weigh g by `alpha` and h by `beta`, and count pairs by a `surrogate`; `weight` is that of
    the likelihood in rank-truncated. Of datasets with several `orders` of each plan they take the
    first ones, all losses as separate ones, or all pairs merged, as usual. The network corrects the
    heuristic `residual`. What is None is as the loss usually has it. A `batch` has states, or
    plans. Gradients are scaled down to the norm `gradient_clip`. States come from the split `train`
    of the datasets, at most `limit` instances; weights are chosen by the metric `select` on the
    split `val`, or on the dataset `validation`. Training is repeated with `seeds` seeds from `seed`
    on, and the best model returned. `time_limit` is in seconds for all of them. In `folder` are
    checkpoints and logs; training that was stopped goes on from there. `warn` is called with each
    warning; by default they become Python warnings.
    """
    from tempfile import TemporaryDirectory

    from beeline.learning.training_aims import chosen_aim
    from beeline.models.registry import network_entry, require_torch

    entry = network_entry(model)
    aim = chosen_aim(
        loss,
        sigma=sigma,
        lower=lower,
        upper=upper,
        residual=residual,
        batch=batch,
        alpha=alpha,
        beta=beta,
        surrogate=surrogate,
        weight=weight,
        orders=orders,
    )
    if seeds < 1:
        raise BeelineError(f"{seeds} seeds to train with", hint="take 1 or more")
    require_torch()
    from beeline.training.neural_settings import NeuralSettings

    settings = NeuralSettings(
        steps=steps,
        optimiser=optimiser or aim.optimiser,
        learning_rate=entry.learning_rate if learning_rate is None else learning_rate,
        gradient_clip=gradient_clip,
        validate_every=min(validate_every, steps),
        select=select or aim.select,
        seed=seed,
        threads=threads,
        time_limit=None if time_limit is None else time_limit / seeds,
        tensorboard=tensorboard,
    )
    course = _Course(model, options or {}, aim, settings)
    folders = [datasets] if isinstance(datasets, str | os.PathLike) else datasets
    course.read(folders, validation, limit, warn or _python_warning)
    if folder is not None:
        return course.run(Path(folder), seeds, plot=plot, progress=progress)
    with TemporaryDirectory(prefix="beeline-") as place:
        return course.run(Path(place), seeds, plot=False, progress=progress)


class _Part(NamedTuple):
    """States of one kind, ready for training."""

    inputs: Inputs
    objective: Objective
    instances: int


class _Course:
    """Everything about a training but its seed."""

    def __init__(
        self,
        network: str,
        options: Mapping[str, Any],
        aim: Aim,
        settings: NeuralSettings,
    ) -> None:
        self._network = network
        self._options = dict(options)
        self._aim = aim
        self._distribution = aim.distribution
        self._settings = settings

    def read(
        self, folders: Sequence[AnyPath], validation: AnyPath | None, limit: int | None, warn: Warn
    ) -> None:
        """Read the datasets and encode their states."""
        from beeline.encode.registry import encoder_family
        from beeline.learning.training_data import read_training_data
        from beeline.models.registry import make_network, network_entry
        from beeline.training.plan_losses import FIRST

        data = read_training_data(
            folders,
            validation,
            limit=limit,
            seed=self._settings.seed,
            siblings=self._aim.siblings,
            orders=None if self._aim.orders is None else self._aim.orders != FIRST,
            warn=warn,
        )
        self._aim = self._aim.suited(several_orders=data.several_orders)
        self._data: TrainingData = data
        self._warn = warn
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
        self._training = self._part(data.training, "training", warn)
        self._validation = self._part(data.validation, "validation", warn)

    def _part(self, instances: Any, name: str, warn: Warn) -> _Part:
        from beeline.encode.registry import encoder_family

        chosen, objective = self._aim.part(instances, self._encoder, name, warn)
        inputs = encoder_family(self._encoder).dataset_inputs(self._vocabulary, chosen)
        return _Part(inputs, objective, len(chosen))

    def run(
        self,
        folder: Path,
        seeds: int,
        *,
        plot: bool,
        progress: Callable[[Glance], None] | None,
    ) -> NeuralModel:
        """Train with one seed after the other; the best model."""
        runs = []
        for place in range(seeds):
            settings = replace(self._settings, seed=self._settings.seed + place)
            runs.append((settings.seed, self._run(settings, folder, place, seeds, progress)))
            if plot:
                from beeline.training.curves import plot_curves

                where = folder / f"seed-{settings.seed}"
                plot_curves({self._network: runs[-1][1].history}, where / PLOT_NAME)
        return self._model(runs)

    def _run(
        self,
        settings: NeuralSettings,
        folder: Path,
        place: int,
        seeds: int,
        progress: Callable[[Glance], None] | None,
    ) -> Trained:
        from beeline.models.registry import make_network
        from beeline.training.neural import UnsavedError
        from beeline.training.neural import train as train_network

        network = make_network(
            self._network,
            self._vocabulary,
            self._distribution.heads,
            seed=settings.seed,
            **self._options,
        )
        self._all_options = network.options()

        def glance(step: int, steps: int, losses: dict[str, float]) -> None:
            if progress is not None:
                progress(Glance(place + 1, seeds, step, steps, losses))

        try:
            return train_network(
                network,
                self._training.inputs,
                self._training.objective,
                self._validation.inputs,
                self._validation.objective,
                settings,
                folder / f"seed-{settings.seed}",
                glance,
            )
        except UnsavedError as error:  # the model need not suffer from it
            self._warn(f"training is complete, but its folder is not: {error}")
            return error.trained

    def _model(self, runs: Sequence[tuple[int, Trained]]) -> NeuralModel:
        """The model of the run with the smallest metric, the first of equal ones."""
        import json

        from beeline import __version__
        from beeline.learned.neural_model import NeuralModel
        from beeline.pddl.signature import domain_signature

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


def _python_warning(message: str) -> None:
    warnings.warn(message, stacklevel=3)
