"""`evaluate_suite`: run what has no record yet, many runs at a time."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from json import dumps
from typing import TYPE_CHECKING, Any

from beeline._version import __version__
from beeline.backends import Workers
from beeline.backends.local import machine_size
from beeline.core.records import other_versions, run_jobs
from beeline.evaluate.runs import RecordState, SuiteRecords, planned_runs
from beeline.evaluate.suite import Suite, read_suite
from beeline.evaluate.tables import FORMAT

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from beeline.core.records import Glance
    from beeline.evaluate.runs import PlannedRun


@dataclass(frozen=True)
class Evaluation:
    """A suite that has been run: how many runs were made now, and how all of them ended.

    `statuses` counts the words in records for each configuration. `other_records` are of runs
    that are not, or no longer, part of the suite; `other_versions` are records of its runs that
    were made by other code.
    """

    suite: str
    folder: str
    made: int
    statuses: dict[str, dict[str, int]]
    other_records: int
    other_versions: int

    @property
    def runs(self) -> int:
        """All runs of the suite."""
        return sum(map(self.count, self.statuses))

    @property
    def failed(self) -> int:
        """Runs that broke."""
        return sum(words.get("failed", 0) for words in self.statuses.values())

    def count(self, configuration: str) -> int:
        """The runs of one configuration."""
        return sum(self.statuses[configuration].values())


def list_runs(
    suite: str | os.PathLike[str] | Suite, folder: str | os.PathLike[str]
) -> list[tuple[PlannedRun, RecordState]]:
    """All runs of a suite, and what the folder has of each; nothing is run or written."""
    known = suite if isinstance(suite, Suite) else read_suite(suite)
    records = SuiteRecords(folder)
    records.check(known.name)
    return [(run, records.state(run.job())) for run in planned_runs(known, folder)]


def evaluate_suite(
    suite: str | os.PathLike[str] | Suite,
    folder: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    backend: str = "local",
    retry_failed: bool = False,
    progress: Callable[[Glance], None] | None = None,
    warn: Callable[[str], None] | None = None,
) -> Evaluation:
    """Run every task of a suite under every configuration, and keep a record of each run.

    Each run has a process of its own, `jobs` of them at a time, by default one for each core.
    Runs that have a record of the same settings are not repeated, except that those that broke
    are with `retry_failed`. A run that breaks is recorded with its reason. Models of the suite are
    trained first, those that are not in the folder; `warn` is told of what training warns of.
    """
    known = suite if isinstance(suite, Suite) else read_suite(suite)
    records = SuiteRecords(folder, retry_failed=retry_failed)
    records.check(known.name)
    planned_runs(known, folder)  # so that nonsense is refused before models are trained
    for model in known.models.values():
        model.make(folder, warn or _python_warning)
    runs = planned_runs(known, folder)
    work = [run.job() for run in runs]
    with Workers(backend, jobs).executor(isolated=True) as executor:
        records.open(_description(known, runs))
        made = run_jobs(work, records, executor, progress)
    found = [records.read(job) or {"status": "failed"} for job in work]
    statuses: dict[str, Counter[str]] = {}
    for run, record in zip(runs, found, strict=True):
        statuses.setdefault(run.configuration.name, Counter())[record["status"]] += 1
    return Evaluation(
        known.name,
        str(folder),
        made,
        {name: dict(sorted(words.items())) for name, words in statuses.items()},
        records.others(work),
        other_versions(record.get("code") for record in found),
    )


def _python_warning(message: str) -> None:
    warnings.warn(message, stacklevel=3)


def _description(suite: Suite, runs: Sequence[PlannedRun]) -> dict[str, Any]:
    """What `suite.json` says: no dates and no names of machines, so that equal runs are equal."""
    settings = [[run.name, run.settings] for run in runs]
    digest = sha256(dumps(settings, sort_keys=True).encode()).hexdigest()
    return {
        "format": FORMAT,
        "name": suite.name,
        "description": suite.description,
        "digest": digest[:16],
        "runs": len(runs),
        "tasks": dict(sorted(Counter(task.domain for task in suite.tasks).items())),
        "configurations": [each.to_json() for each in suite.configurations],
        "limits": suite.limits.to_json(),
        "machine": machine_size(),
        "package_version": __version__,
    }
