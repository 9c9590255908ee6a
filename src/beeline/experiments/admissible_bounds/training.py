"""Training of one network, its model file, and its errors on the test set.

Inputs are built once for each process, network and domain.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.experiments.admissible_bounds.datasets import identities
from beeline.experiments.admissible_bounds.grid import BATCH, EDITIONS, TrainingRun
from beeline.experiments.records import Record, Work
from beeline.models.registry import network_entry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline.encode.instances import InstanceStates
    from beeline.encode.registry import Inputs, VocabularyOf
    from beeline.pddl.model import Domain
    from beeline.training.labelled import LabelledStates
    from beeline.training.neural import Trained

MAX_TEST_SECONDS = 60.0  # a test set that would take longer is sampled
SAMPLE_SEED = 0
LOWER = "lmcut"


class Part(NamedTuple):
    """The states of one split, with labels for each residual; `of` counts them before sampling."""

    inputs: Inputs
    labelled: dict[str, LabelledStates]
    of: int


class DomainInputs(NamedTuple):
    """Everything that the runs of a network in a domain share."""

    domain: Domain
    vocabulary: VocabularyOf
    parts: dict[str, Part]


class Sampled:
    """Some rows of other inputs."""

    def __init__(self, inputs: Inputs, rows: NDArray[np.int64]) -> None:
        self._inputs = inputs
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def batch(self, rows: NDArray[np.int64]) -> Any:
        """What a network takes for these rows, int64[n]."""
        return self._inputs.batch(self._rows[rows])


def training_works(runs: Sequence[TrainingRun], sets: Path, results: Path) -> list[Work]:
    """The records of all runs."""
    data = {domain: identities(sets, domain) for domain in dict.fromkeys(r.domain for r in runs)}
    works = []
    for run in runs:
        settings = {
            **run.settings,
            "validate_every": run.validate_every,
            "learning_rate": network_entry(run.model).learning_rate,
            "batch": BATCH,
            "data": data[run.domain],
        }
        path = results / "training" / f"{run.key}.json"
        scratch = results / "checkpoints" / run.key
        works.append(Work(path, settings, train_run, (run, str(sets), str(results)), scratch))
    return works


def model_path(results: Path, run: TrainingRun) -> Path:
    """Where the model of a run is."""
    return results / "models" / f"{run.key}.beeline"


def train_run(run: TrainingRun, sets: str, results: str) -> Record:
    """Train, write the model file, and measure; what goes into the record."""
    import torch

    from beeline.models.registry import make_network
    from beeline.training.metrics import heuristic_errors, network_metrics
    from beeline.training.neural import train
    from beeline.training.neural_settings import NeuralSettings
    from beeline.training.objectives import DistributionObjective

    torch.set_num_threads(1)
    shared = domain_inputs(run.model, run.domain, sets)
    objectives = {
        split: DistributionObjective(
            part.labelled[run.residual], run.distribution, sigma=run.sigma, batch_size=BATCH
        )
        for split, part in shared.parts.items()
    }
    network = make_network(run.model, shared.vocabulary, objectives["train"].heads, seed=run.seed)
    settings = NeuralSettings(
        steps=run.steps,
        optimiser=EDITIONS[run.edition].optimiser,
        select=EDITIONS[run.edition].select,
        learning_rate=network_entry(run.model).learning_rate,
        validate_every=run.validate_every,
        seed=run.seed,
        tensorboard=False,
    )
    trained = train(
        network,
        shared.parts["train"].inputs,
        objectives["train"],
        shared.parts["val"].inputs,
        objectives["val"],
        settings,
        Path(results) / "checkpoints" / run.key,
    )
    model = Path(results) / "models"
    model.mkdir(parents=True, exist_ok=True)
    _write_model(model_path(Path(results), run), run, shared, network.options(), trained)
    began = perf_counter()
    test = shared.parts["test"]
    errors = network_metrics(network, test.inputs, objectives["test"])
    return {
        "line": f"test MSE {errors['mse']:.3g}, {trained.seconds:.0f} s",
        "best_step": trained.best_step,
        "validation": trained.metrics,
        "test": errors,
        "heuristics": heuristic_errors(test.labelled[run.residual]),
        "states": {split: len(part.inputs) for split, part in shared.parts.items()},
        "test_states_of": test.of,
        "train_seconds": trained.seconds,
        "test_seconds": perf_counter() - began,
    }


@lru_cache(maxsize=1)  # runs with the same inputs follow each other
def domain_inputs(model: str, domain: str, sets: str) -> DomainInputs:
    """The inputs and labels of all splits."""
    from beeline.data.reader import Dataset
    from beeline.encode.instances import read_instances
    from beeline.encode.registry import encoder_family
    from beeline.pddl import parse_domain
    from beeline.training.labelled import label_states

    family = encoder_family(network_entry(model).encoder)
    lifted = parse_domain(Dataset(Path(sets) / "train" / domain).domain_text)
    vocabulary = family.vocabulary(lifted)
    parts = {}
    for split in ("train", "val", "test"):
        instances = read_instances(Path(sets) / split / domain, split=split)
        first = label_states(instances, lower=LOWER, residual="ff")
        # Whatever has all labels has fewer of them, too: both have the same states.
        second = label_states(first.instances, lower=LOWER, residual="none")
        part = Part(
            family.dataset_inputs(vocabulary, first.instances),
            {"ff": first, "none": second},
            len(first),
        )
        parts[split] = _sampled(model, part) if split == "test" else part
    return DomainInputs(lifted, vocabulary, parts)


def _sampled(model: str, part: Part) -> Part:
    """As many states as can be evaluated in time, drawn once for all runs."""
    states = len(part.inputs)
    seconds = _estimated_seconds(model, part.labelled["ff"].instances)
    if seconds <= MAX_TEST_SECONDS:
        return part
    count = max(1, int(states * MAX_TEST_SECONDS / seconds))
    rows = np.sort(np.random.default_rng(SAMPLE_SEED).permutation(states)[:count])
    return Part(
        Sampled(part.inputs, rows),
        {name: _rows_of(each, rows) for name, each in part.labelled.items()},
        states,
    )


def _estimated_seconds(model: str, instances: Sequence[InstanceStates]) -> float:
    from beeline.learned.inference import inference_entry
    from beeline.task.grounding import ground

    work = inference_entry(model).work
    return sum(1e-6 * len(each) * work(ground(each.problem)) for each in instances)


def _rows_of(labelled: LabelledStates, rows: NDArray[np.int64]) -> LabelledStates:
    """The labels of some rows; for errors only, as instances stay whole."""
    columns = ("target", "lower", "upper", "residual", "ff", "lmcut")
    return replace(labelled, **{name: getattr(labelled, name)[rows] for name in columns})


def _write_model(
    path: Path,
    run: TrainingRun,
    shared: DomainInputs,
    options: dict[str, Any],
    trained: Trained,
) -> None:
    from beeline import __version__
    from beeline.learned.neural_model import Distribution, NeuralModel
    from beeline.pddl.signature import domain_signature

    NeuralModel(
        signature=domain_signature(shared.domain),
        encoder=network_entry(run.model).encoder,
        vocabulary=json.loads(json.dumps(shared.vocabulary.to_json())),
        network=run.model,
        options=dict(options),
        weights={
            name: tensor.detach().numpy().astype("float32", order="C")
            for name, tensor in trained.weights.items()
        },
        distribution=Distribution(run.distribution, run.sigma, LOWER, "none", run.residual),
        summary={
            "steps": trained.steps,
            "best_step": trained.best_step,
            "validation": {name: round(value, 6) for name, value in trained.metrics.items()},
        },
        seed=run.seed,
        package_version=__version__,
    ).save(path)
