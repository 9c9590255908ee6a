"""Training of one network, and its model file.

States are read and encoded once for each process, domain and kind of loss.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.experiments.ranked_heuristics.datasets import identities, set_folder
from beeline.experiments.ranked_heuristics.grid import NETWORK, TRUNCATED, Size
from beeline.experiments.ranked_heuristics.tasks import TRAINING, VALIDATION
from beeline.experiments.records import Record, Work, is_done
from beeline.models.registry import network_entry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.encode.instances import InstanceStates
    from beeline.encode.registry import Inputs, VocabularyOf
    from beeline.experiments.ranked_heuristics.grid import TrainingRun
    from beeline.learning.training_aims import Aim
    from beeline.pddl.model import Domain
    from beeline.training.neural import Trained

OPTIMISER = "adabelief"
VALIDATIONS = 20  # in a whole training


class Part(NamedTuple):
    """The states of one set."""

    instances: list[InstanceStates]
    inputs: Inputs


class DomainInputs(NamedTuple):
    """Everything that the networks of a domain share."""

    domain: Domain
    vocabulary: VocabularyOf
    parts: dict[str, Part]


def training_works(runs: Sequence[TrainingRun], results: Path) -> list[Work]:
    """The records of all runs."""
    data = {domain: identities(results, domain) for domain in dict.fromkeys(r.domain for r in runs)}
    works = []
    for run in runs:
        checkpoints = results / "checkpoints" / run.key
        settings = {
            **vars(run),
            "network": NETWORK,
            "optimiser": OPTIMISER,
            "validate_every": validate_every(run.steps),
            "data": data[run.domain],
        }
        path = results / "training" / f"{run.key}.json"
        arguments = (run, str(results), str(checkpoints))
        works.append(Work(path, settings, train_run, arguments, checkpoints))
    return works


def trained_works(runs: Sequence[TrainingRun], results: Path) -> dict[TrainingRun, Work]:
    """Those that have records already."""
    known = [run for run in runs if (results / "training" / f"{run.key}.json").is_file()]
    works = training_works(known, results)
    return {run: work for run, work in zip(known, works, strict=True) if is_done(work)}


def validate_every(steps: int) -> int:
    """Steps between two looks at the tasks to choose weights by."""
    return max(1, steps // VALIDATIONS)


def model_path(results: Path, run: TrainingRun) -> Path:
    """Where the model of a run is."""
    return results / "models" / f"{run.key}.beeline"


def train_run(run: TrainingRun, results: str, checkpoints: str) -> Record:
    """Train, and write the model file; what goes into the record."""
    import torch

    from beeline.learning.training_aims import chosen_aim
    from beeline.models.registry import make_network
    from beeline.training.neural import train
    from beeline.training.neural_settings import NeuralSettings

    torch.set_num_threads(1)
    shared = domain_inputs(run.domain, results, bounds=run.loss == TRUNCATED)
    aim = chosen_aim(run.loss)
    cpu = process_time()
    parts = {
        name: aim.part(part.instances, network_entry(NETWORK).encoder, name, print)
        for name, part in shared.parts.items()
    }
    network = make_network(
        NETWORK,
        shared.vocabulary,
        aim.distribution.heads,
        seed=run.seed,
        **Size.parse(run.size)._asdict(),
    )
    trained = train(
        network,
        shared.parts[TRAINING].inputs,
        parts[TRAINING].objective,
        shared.parts[VALIDATION].inputs,
        parts[VALIDATION].objective,
        NeuralSettings(
            steps=run.steps,
            optimiser=OPTIMISER,
            learning_rate=run.learning_rate,
            validate_every=validate_every(run.steps),
            select=aim.select,
            seed=run.seed,
            tensorboard=False,
        ),
        Path(checkpoints),
    )
    path = model_path(Path(results), run)
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_model(path, run, aim, shared, network.options(), trained)
    violated = 100 * trained.metrics["violations"]
    return {
        "line": f"loss {trained.metrics['loss']:.4g}, {violated:.1f} % of pairs violated,"
        f" best step {trained.best_step}, {trained.seconds:.0f} s",
        "best_step": trained.best_step,
        "validation": trained.metrics,
        "instances": {name: len(part.instances) for name, part in shared.parts.items()},
        "states": {name: len(part.inputs) for name, part in shared.parts.items()},
        "train_seconds": trained.seconds,
        "cpu_seconds": process_time() - cpu,  # of this process, after a resumption
    }


@lru_cache(maxsize=1)  # runs with the same inputs follow each other
def domain_inputs(domain: str, results: str, *, bounds: bool) -> DomainInputs:
    """The states of the plans and beside them; with `bounds`, those that LM-cut lets live."""
    from beeline.data.reader import Dataset
    from beeline.encode.instances import read_instances
    from beeline.encode.registry import encoder_family
    from beeline.learning.training_aims import chosen_aim
    from beeline.pddl import parse_domain

    folders = {part: set_folder(Path(results), domain, part) for part in (TRAINING, VALIDATION)}
    encoder = network_entry(NETWORK).encoder
    family = encoder_family(encoder)
    lifted = parse_domain(Dataset(folders[TRAINING]).domain_text)
    vocabulary = family.vocabulary(lifted)
    aim = chosen_aim(TRUNCATED if bounds else "l2")
    parts = {}
    for name, folder in folders.items():
        read = read_instances(folder, split=name, siblings=True)
        encoded = aim.part(read, encoder, name, print).instances
        parts[name] = Part(read, family.dataset_inputs(vocabulary, encoded))
    return DomainInputs(lifted, vocabulary, parts)


def _write_model(
    path: Path,
    run: TrainingRun,
    aim: Aim,
    shared: DomainInputs,
    options: dict[str, Any],
    trained: Trained,
) -> None:
    from beeline import __version__
    from beeline.learned.neural_model import NeuralModel
    from beeline.pddl.signature import domain_signature

    NeuralModel(
        signature=domain_signature(shared.domain),
        encoder=network_entry(NETWORK).encoder,
        vocabulary=json.loads(json.dumps(shared.vocabulary.to_json())),  # as a file has it
        network=NETWORK,
        options=dict(options),
        weights={
            name: tensor.detach().numpy().astype("float32", order="C")
            for name, tensor in trained.weights.items()
        },
        distribution=aim.distribution,
        summary={
            "loss": aim.to_json(),
            "unit_costs": True,
            "steps": trained.steps,
            "batch": aim.batch,
            "optimiser": OPTIMISER,
            "learning_rate": run.learning_rate,
            "best_step": trained.best_step,
            "validation": {name: round(value, 6) for name, value in trained.metrics.items()},
        },
        seed=run.seed,
        package_version=__version__,
    ).save(path)
