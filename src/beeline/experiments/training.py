"""Sets of states and training in experiments: the library's own, and what records say of them."""

from __future__ import annotations

from hashlib import sha256
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.data.manifest import FILE_NAME, read_manifest
from beeline.experiments.records import Record, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from beeline.data.manifest import Manifest
    from beeline.data.task_sets import PlanSettings, TaskSet
    from beeline.experiments.running import Place
    from beeline.models.neural_model import NeuralModel

TRAINING, VALIDATION, TEST = "train", "val", "test"  # sets of tasks


def make_set(
    tasks: TaskSet, settings: PlanSettings, folder: Path, words: str, place: Place
) -> None:
    """Make or complete a set of the plans of some tasks."""
    from beeline.data.optimal_plans import sample_plans

    began = perf_counter()
    with place.jobs.executor() as executor:
        counts = sample_plans(tasks, settings, folder, executor).counts()
    solved = f"{counts['solved']} of {counts['instances']} tasks solved"
    place.say(f"{words}: {solved}, {perf_counter() - began:.0f} s")


def complete_manifest(folder: Path) -> Manifest | None:
    """The manifest of a complete set, or None."""
    if not (folder / FILE_NAME).is_file():
        return None
    manifest = read_manifest(folder)
    return manifest if manifest.complete else None


def identities(sets: Mapping[str, Path]) -> dict[str, str]:
    """What tells sets from others; an error if one is not complete."""
    found = {}
    for name, folder in sets.items():
        manifest = complete_manifest(folder)
        if manifest is None:
            raise BeelineError(
                "the dataset is not complete",
                str(folder),
                hint="run the experiment, not only its report",
            )
        found[name] = manifest.identity[:16]
    return found


def training_work(
    key: str,
    settings: dict[str, Any],
    results: Path,
    function: Callable[..., Record],
    *arguments: object,
) -> Work:
    """The record of a training, whose checkpoints are removed as soon as there is one."""
    path = results / "training" / f"{key}.json"
    return Work(path, settings, function, arguments, results / "checkpoints" / key)


def model_path(results: Path, key: str) -> Path:
    """Where the model of a run is."""
    return results / "models" / f"{key}.beeline"


def model_digest(results: Path, key: str) -> str:
    """A short name for what is in the file of a model."""
    return sha256(model_path(results, key).read_bytes()).hexdigest()[:16]


def train_model(
    key: str, results: Path, sets: dict[str, Path], settings: dict[str, Any]
) -> tuple[NeuralModel, Record]:
    """Train with all of a set and validate with another; the model, and how training went.

    A training that was killed goes on where it was.
    """
    from beeline.learning.train import train

    cpu, began = process_time(), perf_counter()
    model = train(
        sets[TRAINING],
        validation=sets[VALIDATION],
        limit=None,
        folder=results / "checkpoints" / key,
        tensorboard=False,
        warn=print,
        **settings,
    )
    seconds, spent = perf_counter() - began, process_time() - cpu
    path = model_path(results, key)
    path.parent.mkdir(parents=True, exist_ok=True)
    model.save(path)
    parts = {TRAINING: "training", VALIDATION: "validation"}
    return model, {
        "best_step": model.summary["best_step"],
        "validation": dict(model.summary["validation"]),
        "instances": {name: model.summary["instances"][part] for name, part in parts.items()},
        "states": {name: model.summary["states"][part] for name, part in parts.items()},
        "train_seconds": seconds,
        "cpu_seconds": spent,  # of this process, after a resumption
    }
