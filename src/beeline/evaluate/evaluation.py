"""`evaluate_suite`: run what has no record yet, many runs at a time."""

from __future__ import annotations

import signal
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from json import dumps
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline._version import __version__
from beeline.backends import make_executor
from beeline.backends.machine import machine_size
from beeline.core.errors import BeelineError
from beeline.core.executor import WorkerDiedError
from beeline.core.statuses import Status
from beeline.evaluate.planned_runs import planned_runs
from beeline.evaluate.records import FORMAT, RecordFolder, RecordState
from beeline.evaluate.suite import Suite, read_suite

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from beeline.core.executor import Finished
    from beeline.evaluate.planned_runs import PlannedRun


class Glance(NamedTuple):
    """How far a suite is: runs with records, those of them made now, and all; the latest name."""

    done: int
    made: int
    total: int
    failed: int
    latest: str


@dataclass(frozen=True)
class Evaluation:
    """A suite that has been run: how many runs were made now, and how all of them ended.

    `statuses` counts the words in records for each configuration. `other_records` are of runs
    that are not, or no longer, part of the suite.
    """

    suite: str
    folder: str
    made: int
    statuses: dict[str, dict[str, int]]
    other_records: int

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
    records = RecordFolder(folder)
    records.check(known.name)
    return [(run, records.state(run)) for run in planned_runs(known)]


def evaluate_suite(
    suite: str | os.PathLike[str] | Suite,
    folder: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    backend: str = "local",
    retry_failed: bool = False,
    progress: Callable[[Glance], None] | None = None,
) -> Evaluation:
    """Run every task of a suite under every configuration, and keep a record of each run.

    Each run has a process of its own, `jobs` of them at a time, by default one for each core.
    Runs that have a record of the same settings are not repeated, except that those that broke
    are with `retry_failed`. A run that breaks is recorded with its reason.
    """
    known = suite if isinstance(suite, Suite) else read_suite(suite)
    records = RecordFolder(folder)
    records.check(known.name)
    runs = planned_runs(known)
    states = {run.name: records.state(run) for run in runs}
    kept = {RecordState.DONE} if retry_failed else {RecordState.DONE, RecordState.FAILED}
    missing = [run for run in runs if states[run.name] not in kept]
    with make_executor(backend, jobs, isolated=True) as executor:
        records.open(_description(known, runs), runs)
        from beeline.evaluate.single_run import FAILED, outcome

        by_name = {run.name: run for run in missing}
        failed = 0 if retry_failed else list(states.values()).count(RecordState.FAILED)
        for run in missing:
            executor.submit(run.name, outcome, run)
        for made, ended in enumerate(executor.finished(), 1):
            found = _outcome(ended)
            records.write(by_name[ended.key], found)
            failed += found["status"] == FAILED
            if progress is not None:
                done = len(runs) - len(missing) + made
                progress(Glance(done, made, len(runs), failed, ended.key))
    return Evaluation(
        known.name, str(folder), len(missing), _statuses(runs, records), records.others(runs)
    )


def _outcome(ended: Finished) -> dict[str, Any]:
    """What the run says, or what can be said of a run that cannot speak any more."""
    from beeline.evaluate.single_run import early_end, failure

    if isinstance(ended.error, WorkerDiedError):
        if ended.error.signal == signal.SIGXCPU:
            reason = "killed, because it went on after its time limit"
            return early_end(Status.TIME_LIMIT.value, reason)
        if ended.error.signal == signal.SIGKILL:
            return failure(f"{ended.error}: perhaps the machine ran out of memory")
        return failure(str(ended.error))
    if isinstance(ended.error, BeelineError):
        return failure(str(ended.error))
    found: dict[str, Any] = ended.result()
    return found


def _statuses(runs: Sequence[PlannedRun], records: RecordFolder) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for run in runs:
        record = records.read(run) or {"status": "failed"}
        counts.setdefault(run.configuration.name, Counter())[record["status"]] += 1
    return {name: dict(sorted(words.items())) for name, words in counts.items()}


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
