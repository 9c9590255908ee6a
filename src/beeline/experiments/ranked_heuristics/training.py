"""Training of one network, and its model file.

States are read and encoded once for each process, domain and kind of training.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.experiments.ranked_heuristics.datasets import PARTS, identities, set_folder
from beeline.experiments.ranked_heuristics.grid import NETWORK, Size
from beeline.experiments.ranked_heuristics.tasks import TRAINING, VALIDATION
from beeline.experiments.ranked_heuristics.variants import GAUSSIAN, TRUNCATED, Variant
from beeline.experiments.records import Record, Work, is_done
from beeline.models.registry import network_entry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.encode.instances import InstanceStates
    from beeline.encode.registry import Inputs, VocabularyOf
    from beeline.experiments.ranked_heuristics.grid import TrainingRun
    from beeline.learning.training_aims import Aim
    from beeline.models.network import Network
    from beeline.pddl.model import Domain
    from beeline.training.neural import Trained

OPTIMISER = "adabelief"
VALIDATIONS = 20  # in a whole training


class Part(NamedTuple):
    """The states of one set."""

    instances: list[InstanceStates]
    inputs: Inputs


class Language(NamedTuple):
    """What the networks of a domain share."""

    domain: Domain
    vocabulary: VocabularyOf


def training_works(runs: Sequence[TrainingRun], results: Path) -> list[Work]:
    """The records of all runs."""
    sets = dict.fromkeys((run.domain, run.variant.orders) for run in runs)
    data = {each: identities(results, *each) for each in sets}
    works = []
    for run in runs:
        checkpoints = results / "checkpoints" / run.key
        settings = {
            **vars(run),
            "network": NETWORK,
            "optimiser": OPTIMISER,
            "validate_every": validate_every(run.steps),
            "data": data[run.domain, run.variant.orders],
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

    from beeline.models.registry import make_network
    from beeline.training.neural import train
    from beeline.training.neural_settings import NeuralSettings

    torch.set_num_threads(1)
    variant = run.variant
    aim, language = variant.aim(), domain_language(run.domain, results)
    sets = {name: states_of(run.domain, results, name, variant.states) for name in PARTS}
    cpu = process_time()
    parts = {
        name: aim.part(part.instances, network_entry(NETWORK).encoder, name, print)
        for name, part in sets.items()
    }
    network = make_network(
        NETWORK,
        language.vocabulary,
        aim.distribution.heads,
        seed=run.seed,
        **Size.parse(run.size)._asdict(),
    )
    trained = train(
        network,
        sets[TRAINING].inputs,
        parts[TRAINING].objective,
        sets[VALIDATION].inputs,
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
    spent = process_time() - cpu  # of this process, after a resumption
    path = model_path(Path(results), run)
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_model(path, run, aim, language, network.options(), trained)
    metrics = dict(trained.metrics)
    if "violations" not in metrics:
        metrics["violations"] = _violations(network, run, results)
    return {
        "line": f"{aim.select} {metrics[aim.select]:.4g},"
        f" {100 * metrics['violations']:.1f} % of pairs violated,"
        f" best step {trained.best_step}, {trained.seconds:.0f} s",
        "best_step": trained.best_step,
        "validation": metrics,
        "instances": {name: len(part.instances) for name, part in sets.items()},
        "states": {name: len(part.inputs) for name, part in sets.items()},
        "train_seconds": trained.seconds,
        "cpu_seconds": spent,
    }


def domain_language(domain: str, results: str) -> Language:
    """The domain of the tasks to train with, and its vocabulary."""
    from beeline.data.reader import Dataset
    from beeline.encode.registry import encoder_family
    from beeline.pddl import parse_domain

    lifted = parse_domain(Dataset(set_folder(Path(results), domain, TRAINING)).domain_text)
    family = encoder_family(network_entry(NETWORK).encoder)
    return Language(lifted, family.vocabulary(lifted))


@lru_cache(maxsize=3)  # of both parts, and of plans beside; runs with the same follow each other
def states_of(domain: str, results: str, part: str, kind: Variant) -> Part:
    """The states of a part that this kind of training takes."""
    from beeline.encode.instances import read_instances
    from beeline.encode.registry import encoder_family

    aim, encoder = kind.aim(), network_entry(NETWORK).encoder
    folder = set_folder(Path(results), domain, part, kind.orders)
    read = read_instances(folder, split=part, siblings=aim.siblings, orders=kind.orders > 1)
    encoded = aim.part(read, encoder, part, print).instances
    vocabulary = domain_language(domain, results).vocabulary
    return Part(read, encoder_family(encoder).dataset_inputs(vocabulary, encoded))


def _violations(network: Network, run: TrainingRun, results: str) -> float:
    """The share of validation pairs out of order by means of Gaussians that were not ranked."""
    from beeline.training.metrics import network_metrics

    assert run.variant.loss == GAUSSIAN
    residual = run.variant.aim().distribution.residual
    ranked = Variant(TRUNCATED, residual)  # the same Gaussians
    states = states_of(run.domain, results, VALIDATION, ranked.states)
    encoder = network_entry(NETWORK).encoder
    objective = ranked.aim().part(states.instances, encoder, VALIDATION, print).objective
    return network_metrics(network, states.inputs, objective)["violations"]


def _write_model(
    path: Path,
    run: TrainingRun,
    aim: Aim,
    language: Language,
    options: dict[str, Any],
    trained: Trained,
) -> None:
    from beeline import __version__
    from beeline.learned.neural_model import NeuralModel
    from beeline.pddl.signature import domain_signature

    NeuralModel(
        signature=domain_signature(language.domain),
        encoder=network_entry(NETWORK).encoder,
        vocabulary=json.loads(json.dumps(language.vocabulary.to_json())),  # as a file has it
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
