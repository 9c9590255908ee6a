"""What experiments make and keep: sets of states, models, and one JSON record for each run.

A record says in a line how its run went.
"""

from __future__ import annotations

import shutil
from hashlib import sha256
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.backends import Workers
from beeline.core import records
from beeline.core.errors import BeelineError
from beeline.core.files import write_atomically
from beeline.core.records import InlineExecutor, Job, WorkerDiedError
from beeline.core.records import Record as Record
from beeline.core.records import read_record as read_record
from beeline.data.manifest import FILE_NAME, Manifest, read_manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import TypeVar

    from beeline.core.records import Glance
    from beeline.data.instances import InstanceStates
    from beeline.data.task_sets import PlanSettings, TaskSet
    from beeline.models.neural_model import NeuralModel

    Run = TypeVar("Run", bound=Any)
    Key = TypeVar("Key")

TRAINING, VALIDATION, TEST = "train", "val", "test"  # sets of tasks


class Place(NamedTuple):
    """The folder of records, models and made tasks; tasks that are given, if any."""

    results: Path
    data: Path | None
    jobs: Workers
    say: Callable[[str], None]
    progress: Callable[[Glance], None] | None = None


class Work(NamedTuple):
    """A record that is wanted: where, of which settings, and what makes it.

    A `scratch` folder is removed as soon as there is a record. One without all values that are
    needed does not count.
    """

    path: Path
    settings: dict[str, Any]
    function: Callable[..., Record]
    arguments: tuple[Any, ...]
    scratch: Path | None = None
    needs: tuple[str, ...] = ()


def record_of(work: Work) -> Record | None:
    """The record of these very settings, if there is one."""
    record = read_record(work.path) or {}
    fits = record.get("settings") == work.settings and all(name in record for name in work.needs)
    return record if fits else None


def known_records(works: Mapping[Key, Work]) -> dict[Key, Record]:
    """The records that there are."""
    return {key: record for key, work in works.items() if (record := record_of(work))}


def make_records(
    works: Sequence[Work],
    workers: Workers | int,
    say: Callable[[str], None],
    progress: Callable[[Glance], None] | None = None,
) -> int:
    """Make all records that are missing, in order; how many could not be made.

    A single worker of this machine is this process.
    """
    if isinstance(workers, int):
        workers = Workers("local", workers)
    store = _Records(works, say)
    jobs = [Job(str(each.path), each.settings, each.function, each.arguments) for each in works]
    with InlineExecutor() if workers == ("local", 1) else workers.executor() as executor:
        records.run_jobs(jobs, store, executor, progress)
    return store.failed


class _Records(records.RecordFolder):
    """The records of some works, anywhere, each told when it is made."""

    def __init__(self, works: Sequence[Work], say: Callable[[str], None]) -> None:
        self._works = {str(work.path): work for work in works}
        self._say = say
        self._ended = self._missing = 0

    def file(self, job: Job) -> Path:
        """The file of a record, which is its name."""
        return self._works[job.name].path

    def missing(self, jobs: Sequence[Job]) -> list[Job]:
        """The jobs without a record that has all it needs."""
        found = {job.name: record_of(self._works[job.name]) for job in jobs}
        known = [record for record in found.values() if record is not None]
        self._missing = len(jobs) - len(known)
        if known:
            self._say(f"{len(known)} of {len(jobs)} runs have records")
            others = records.other_versions(record.get("code") for record in known)
            if others:
                self._say(records.other_versions_text(others))
        return [job for job in jobs if found[job.name] is None]

    def keep(self, job: Job, value: Record, code: str) -> None:
        """Write a record, and clear what is needed no more."""
        super().keep(job, value, code)
        scratch = self._works[job.name].scratch
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)
        self._tell(job, value["line"])

    def fail(self, job: Job, error: BeelineError | WorkerDiedError) -> None:
        """Say it, and go on."""
        self.failed += 1
        self._tell(job, f"FAILED: {error}")

    def _tell(self, job: Job, words: str) -> None:
        self._ended += 1
        file = self.file(job)
        self._say(f"[{self._ended}/{self._missing}] {file.parent.name}/{file.stem}: {words}")


def no_such_file(path: Path) -> BeelineError:
    """What to say of a file that DATA should have."""
    hint = "DATA has a folder for each domain"
    return BeelineError("there is no such file", str(path), hint=hint)


def spread(total: int, count: int) -> list[int]:
    """So many places of `total` ones, spread evenly.

    >>> spread(10, 3)
    [1, 5, 8]
    """
    return [(2 * place + 1) * total // (2 * count) for place in range(count)]


def write_if_new(path: Path, text: str) -> None:
    """Write a file that has not got this text already."""
    if not path.is_file() or path.read_text() != text:
        write_atomically(path, text)


NOT_MADE = ""  # instead of a digest: no record is of what is not there yet


def digest_of(files: Iterable[Path]) -> str:
    """A short name for what is in some files."""
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def make_set(
    tasks: TaskSet, settings: PlanSettings, folder: Path, words: str, place: Place
) -> None:
    """Make or complete a set of the plans of some tasks."""
    from beeline.data.optimal_plans import sample_plans

    began = perf_counter()
    with place.jobs.executor() as executor:
        made = sample_plans(tasks, settings, folder, executor, progress=place.progress)
        counts = made.counts()
    solved = f"{counts['solved']} of {counts['instances']} tasks solved"
    place.say(f"{words}: {solved}, {perf_counter() - began:.0f} s")


def complete_manifest(folder: Path) -> Manifest | None:
    """The manifest of a complete set, or None."""
    manifest = read_manifest(folder) if (folder / FILE_NAME).is_file() else None
    return manifest if manifest is not None and manifest.complete else None


def identities(sets: Mapping[str, Path]) -> dict[str, str]:
    """What tells sets from others; an error if one is not complete."""
    found = {}
    for name, folder in sets.items():
        manifest = complete_manifest(folder)
        if manifest is None:
            hint = "run the experiment, not only its report"
            raise BeelineError("the dataset is not complete", str(folder), hint=hint)
        found[name] = manifest.identity[:16]
    return found


def training_file(results: Path, key: str) -> Path:
    """Where the record of a training is."""
    return results / "training" / f"{key}.json"


def training_works(
    settings: Mapping[Run, dict[str, Any]],
    results: Path,
    function: Callable[..., Record],
    *arguments: object,
) -> dict[Run, Work]:
    """The records of trainings, whose checkpoints are removed as soon as there is one.

    The function gets a run, which has a `key`, and the arguments.
    """
    return {
        run: Work(
            training_file(results, run.key),
            each,
            function,
            (run, *arguments),
            results / "checkpoints" / run.key,
        )
        for run, each in settings.items()
    }


def model_path(results: Path, key: str) -> Path:
    """Where the model of a run is."""
    return results / "models" / f"{key}.beeline"


def save_model(model: Any, results: Path, key: str) -> None:
    """Write the model of a run."""
    path = model_path(results, key)
    path.parent.mkdir(parents=True, exist_ok=True)
    model.save(path)


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
    save_model(model, results, key)
    parts = {TRAINING: "training", VALIDATION: "validation"}
    return model, {
        "best_step": model.summary["best_step"],
        "validation": dict(model.summary["validation"]),
        "instances": {name: model.summary["instances"][part] for name, part in parts.items()},
        "states": {name: model.summary["states"][part] for name, part in parts.items()},
        "train_seconds": seconds,
        "cpu_seconds": spent,  # of this process, after a resumption
    }


def model_metrics(
    model: NeuralModel, instances: Sequence[InstanceStates], *, loss: str | None = None
) -> dict[str, float]:
    """The metrics of a model on the states of some instances.

    Of a distribution these are the errors `mse` and `nll`, also with clipped means, over the states
    that have all labels; of a `loss` of whole plans the loss and the share of `violations`, pairs
    out of order. None is the likelihood of the model's own distribution.
    """
    from beeline.fitting.objectives import network_and_inputs, network_metrics
    from beeline.learning.training_aims import chosen_aim

    distribution = model.distribution
    aim = chosen_aim(
        distribution.name if loss is None else loss,
        sigma=distribution.sigma,
        lower=distribution.lower,
        residual=distribution.residual,
    )
    part = aim.part(instances, model.encoder, "test", lambda _: None)
    return network_metrics(*network_and_inputs(model, part.instances), part.objective)
