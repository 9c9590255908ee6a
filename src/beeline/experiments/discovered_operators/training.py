"""Training of one network, and its model file.

Samples are drawn anew for each network, which takes a second.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import BeelineError
from beeline.experiments.discovered_operators.grid import FSM, HEURISTIC, IDEAL, Network
from beeline.experiments.records import Record, Work, is_done

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from beeline.sampling.regression import Rows
    from beeline.task.ground_task import GroundTask
    from beeline.training.task_networks import TaskTraining

RANDOM_SHARE = 0.2  # of the samples for the heuristic
SHARE = 0.1  # of the samples that come breadth-first: k1 of XRS, p of FSM


class Samples(NamedTuple):
    """What a network is trained with."""

    facts: NDArray[np.uint8]  # [n, facts]
    costs: NDArray[np.int64]  # [n], cost-to-go
    preferred: Rows
    summary: dict[str, Any]


def training_works(wanted: Sequence[Network], data: Path, results: Path) -> list[Work]:
    """The records of all networks."""
    digests = {domain: task_digest(data, domain) for domain in {each.domain for each in wanted}}
    works = []
    for each in wanted:
        checkpoints = results / "checkpoints" / each.key
        settings = {**vars(each), "share": SHARE, "task": digests[each.domain]}
        settings["random_share"] = _random_share(each)
        arguments = (each, str(data), str(model_path(results, each)), str(checkpoints))
        path = results / "training" / f"{each.key}.json"
        works.append(Work(path, settings, train_network, arguments, checkpoints))
    return works


def trained_works(wanted: Sequence[Network], data: Path, results: Path) -> dict[Network, Work]:
    """Those that have records already."""
    works = training_works(wanted, data, results)
    return {each: work for each, work in zip(wanted, works, strict=True) if is_done(work)}


def task_digest(data: Path, domain: str) -> str:
    """A short name for what is in the files of a state space; an error if there are none."""
    content = sha256()
    for path in task_files(data, domain):
        if not path.is_file():
            raise BeelineError(
                "there is no such file", str(path), hint="DATA has a folder for each domain"
            )
        content.update(path.read_bytes())
    return content.hexdigest()[:16]


def task_files(data: Path, domain: str) -> tuple[Path, Path]:
    """The domain and the task whose state space is sampled."""
    return data / domain / "domain.pddl", data / domain / "task.pddl"


def model_path(results: Path, network: Network) -> Path:
    """Where the model of a network is."""
    return results / "models" / f"{network.key}.beeline"


def train_network(network: Network, data: str, model: str, checkpoints: str) -> Record:
    """Sample, train, and write the model file; what goes into the record."""
    from beeline.training.task_networks import TaskTraining, train_heuristic, train_operators

    task = _task(data, network.domain)
    began = perf_counter()
    samples = samples_of(task, network)
    sampled, cpu = perf_counter(), process_time()
    settings = TaskTraining(seed=network.network_seed)
    if network.epochs is not None:
        settings = TaskTraining(seed=network.network_seed, epochs=network.epochs)
    if network.kind == HEURISTIC:
        found = train_heuristic(samples.facts, samples.costs, settings, checkpoints)
    else:
        found = train_operators(
            samples.facts, samples.preferred, task.num_operators, settings, checkpoints
        )
    cpu_seconds = process_time() - cpu
    summary = {"unit_costs": True, "samples": samples.summary, "network": found.summary()}
    Path(model).parent.mkdir(parents=True, exist_ok=True)
    _write_model(Path(model), network, task, settings, found.weights, summary)
    loss = next(iter(found.trained.metrics.values()))
    return {
        "line": f"best epoch {found.best_epoch}, loss {loss:.4g}, {found.trained.seconds:.0f} s",
        "best_epoch": found.best_epoch,
        "validation_loss": loss,
        "metrics": found.trained.metrics,
        "epochs": found.summary()["epochs"],
        "ended_by": found.trained.ended_by,
        "samples": samples.summary,
        "sample_seconds": sampled - began,
        "train_seconds": found.trained.seconds,
        "cpu_seconds": cpu_seconds,  # of this process: without what was done before a resumption
    }


def samples_of(task: GroundTask, network: Network) -> Samples:
    """Samples of the size and kind that the network wants."""
    from beeline.sampling.regression import facts_of, regression_samples
    from beeline.sampling.regression_settings import RegressionSettings, share_of_states
    from beeline.sampling.state_spaces import enumerate_states, state_space_samples

    if network.kind == IDEAL:
        space = state_space_samples(task)
        return Samples(facts_of(task, space.values), space.h_star, space.ideal, space.summary())
    settings = RegressionSettings(
        share_of_states(len(enumerate_states(task)), network.percent),
        "fsm" if network.kind in (HEURISTIC, FSM) else "xrs",
        share=SHARE,
        random_share=_random_share(network),
        seed=network.sample_seed,
        unit_costs=True,
    )
    found = regression_samples(task, settings)
    facts = facts_of(task, found.values)
    return Samples(facts, found.estimates, found.preferred, found.summary())


def _random_share(network: Network) -> float:
    return RANDOM_SHARE if network.kind == HEURISTIC else 0.0


@lru_cache(maxsize=2)
def _task(data: str, domain: str) -> GroundTask:
    import beeline

    return beeline.load(*task_files(Path(data), domain), unit_costs=True)


def _write_model(
    path: Path,
    network: Network,
    task: GroundTask,
    settings: TaskTraining,
    weights: dict[str, NDArray[np.float32]],
    summary: dict[str, Any],
) -> None:
    from beeline import __version__
    from beeline.encode.propositional import vocabulary
    from beeline.learned.task_model import TaskModel
    from beeline.pddl.signature import domain_signature

    TaskModel(
        signature=domain_signature(task.problem.domain),
        vocabulary=vocabulary(task),
        hidden=settings.hidden,
        heuristic=weights if network.kind == HEURISTIC else None,
        operators=None if network.kind == HEURISTIC else weights,
        summary=summary,
        seed=network.network_seed,
        package_version=__version__,
    ).save(path)
