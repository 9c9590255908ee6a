"""Regression samples of several tasks with several seeds: each pair is a job.

Without a folder, only figures come out. With one, each job makes a shard of a dataset, its figures
go along, and a run that was stopped goes on where it stopped.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import BeelineError
from beeline.core.records import Job, Store, Values, other_versions_text, run_jobs
from beeline.data.manifest import FILE_NAME, MOST_SHARDS, REGRESSION
from beeline.data.regression import regression_samples
from beeline.data.shards import INSTANCES_FOLDER, DatasetWriter, Shard, read_about, shard_path
from beeline.data.state_spaces import (
    enumerate_states,
    regression_columns,
    sample_manifest,
    sample_shard,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from beeline.core.records import Executor, Glance
    from beeline.data.manifest import Manifest
    from beeline.data.regression_settings import RegressionSettings
    from beeline.data.task_sets import Source, TaskSet
    from beeline.task.ground_task import GroundTask

    Figures = dict[str, Any]


class PairJob(NamedTuple):
    """All that a worker needs to sample one task with one seed; `files` are named in messages."""

    number: int
    identity: str | None  # of the dataset, if there is one
    domain_text: str
    files: tuple[str, str]
    source: Source
    settings: RegressionSettings

    def task(self) -> GroundTask:
        """The ground task."""
        texts = (self.domain_text, self.source.text)
        return _ground(texts, self.files, unit_costs=self.settings.unit_costs)


@lru_cache(maxsize=1)  # seeds of one task follow each other
def _ground(texts: tuple[str, str], files: tuple[str, str], *, unit_costs: bool) -> GroundTask:
    from beeline.pddl import parse_domain, parse_problem
    from beeline.task.grounding import ground

    domain = parse_domain(texts[0], files[0])
    return ground(parse_problem(domain, texts[1], files[1]), unit_costs=unit_costs)


def sample_regression(
    tasks: TaskSet,
    files: tuple[str, Sequence[str]],
    settings: RegressionSettings,
    executor: Executor,
    folder: str | None = None,
    progress: Callable[[Glance], None] | None = None,
    warn: Callable[[str], None] | None = None,
) -> list[Figures]:
    """Sample every task with every seed; the figures of each pair, tasks first.

    `files` are the domain file and the task files that the tasks come from. A percentage of the
    state space of a single task becomes the number of samples that it means.
    """
    space: Figures = {}
    if settings.percent is not None and len(tasks.sources) == 1:
        places = (files[0], files[1][0])
        pair = PairJob(0, None, tasks.domain_text, places, tasks.sources[0], settings)
        space["states"] = len(enumerate_states(pair.task(), settings.max_states))
        settings = settings.of(space["states"])
    jobs, manifest = _plan_work(tasks, files, settings, has_folder=folder is not None)
    if folder is None:
        values = Values(len(jobs))
        run_jobs(jobs, values, executor, progress)
        return [{**figures, **space} for figures, _ in values.values]
    shards = _SampleShards(Path(folder), manifest)
    try:
        run_jobs(jobs, shards, executor, progress)
        if shards.other_versions and warn is not None:
            warn(other_versions_text(shards.other_versions))
        return [{**figures, **space} for figures in shards.finish(len(jobs))]
    finally:
        shards.close()


def _plan_work(
    tasks: TaskSet,
    files: tuple[str, Sequence[str]],
    settings: RegressionSettings,
    *,
    has_folder: bool,
) -> tuple[list[Job], Manifest]:
    """The jobs, and the manifest of their shards."""
    count = len(tasks.sources) * settings.seeds
    if has_folder and count > MOST_SHARDS:
        message = f"{count} pairs of tasks and seeds are too many for a dataset"
        raise BeelineError(message, hint=f"it has at most {MOST_SHARDS} shards; make several")
    config = settings.to_json()
    manifest = sample_manifest(REGRESSION, tasks, config, settings.seed, count)
    identity = manifest.identity if has_folder else None
    domain, named = files
    jobs: list[Job] = []
    for source, file in zip(tasks.sources, named, strict=True):
        for seed in range(settings.seed, settings.seed + settings.seeds):
            chosen = replace(settings, seed=seed, seeds=1)
            number, places = len(jobs), (domain, file)
            pair = PairJob(number, identity, tasks.domain_text, places, source, chosen)
            jobs.append(Job(str(number), config, sample_pair, (pair,)))
    return jobs, manifest


def sample_pair(job: PairJob) -> tuple[Figures, Shard | None]:
    """The figures of one task with one seed, and its shard if there is a dataset."""
    task, settings = job.task(), job.settings
    space = {}
    if settings.percent is not None:
        space["states"] = len(enumerate_states(task, settings.max_states))
        settings = settings.of(space["states"])
    start = perf_counter()
    samples = regression_samples(task, settings)
    seconds = round(perf_counter() - start, 6)
    figures: Figures = {
        "domain": task.problem.domain.name,
        "task": task.problem.name,
        "seed": settings.seed,
        "strategy": settings.strategy,
        **space,
        **samples.summary(),
        "warnings": [str(warning) for warning in task.problem.warnings],
    }
    shard = None
    if job.identity is not None:
        columns = regression_columns(task, samples)
        number, seed = job.number, settings.seed
        shard = sample_shard(
            number, job.identity, REGRESSION, job.source, task, seed, columns, about=figures
        )
    return {**figures, "time": seconds}, shard


class _SampleShards(Store):
    """The shards of a dataset as records; nothing is written before the first one is there."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._folder = folder
        self._manifest = manifest
        self._writer: DatasetWriter | None = None
        self._seconds: dict[int, float] = {}
        self.other_versions = 0  # shards that were there, made by other code

    def _open(self) -> DatasetWriter:
        if self._writer is None:
            self._writer = DatasetWriter(self._folder, self._manifest)
        return self._writer

    def missing(self, jobs: Sequence[Job]) -> Sequence[Job]:
        """The jobs without a shard."""
        if not (self._folder / FILE_NAME).exists():
            return jobs
        missing = self._open().missing()
        self.other_versions = self._open().other_versions
        others = {*range(len(jobs))}.difference(missing)
        missing += [number for number in others if not self._figures(number)]
        return [jobs[number] for number in sorted(missing)]

    def _figures(self, number: int) -> Figures:
        path = shard_path(self._folder, INSTANCES_FOLDER, number)
        return read_about(path.read_bytes())

    def keep(self, job: Job, value: tuple[Figures, Shard], code: str) -> None:
        """Write a shard, which knows its code and its figures."""
        figures, shard = value
        self._seconds[int(job.name)] = figures["time"]
        self._open().add(int(job.name), shard)

    def finish(self, count: int) -> list[Figures]:
        """Note that all shards are there, and read their figures; old ones took no time."""
        writer, found = self._open(), []
        for number in range(count):
            found.append({**self._figures(number), "time": self._seconds.get(number, 0.0)})
        writer.finish({"instances": count, "states": sum(each["samples"] for each in found)})
        return found

    def close(self) -> None:
        """Let others write to the directory."""
        if self._writer is not None:
            self._writer.close()
