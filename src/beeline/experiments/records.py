"""Records of experiments: one JSON file for each run, which says in a line how it went."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.backends import Workers
from beeline.core.executor import InlineExecutor
from beeline.core.records import (
    Job,
    Record,
    RecordFolder,
    other_versions,
    other_versions_text,
    read_record,
    run_jobs,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from beeline.core.errors import BeelineError
    from beeline.core.executor import WorkerDiedError

__all__ = ["Record", "Work", "is_done", "make_records", "need_record", "read_record"]


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


def is_done(work: Work) -> bool:
    """Whether there is a record of these very settings."""
    record = read_record(work.path)
    return (
        record is not None
        and record["settings"] == work.settings
        and all(name in record for name in work.needs)
    )


def need_record(work: Work) -> Record:
    """The record of work that is done."""
    record = read_record(work.path)
    assert record is not None
    return record


def make_records(works: Sequence[Work], workers: Workers | int, say: Callable[[str], None]) -> int:
    """Make all records that are missing, in order; how many could not be made.

    A single worker of this machine is this process.
    """
    if isinstance(workers, int):
        workers = Workers("local", workers)
    store = _Records(works, say)
    with InlineExecutor() if workers == ("local", 1) else workers.executor() as executor:
        run_jobs(store.jobs(), store, executor)
    return store.failed


class _Records(RecordFolder):
    """The records of some works, anywhere, each told when it is made."""

    def __init__(self, works: Sequence[Work], say: Callable[[str], None]) -> None:
        self._works = {str(work.path): work for work in works}
        self._say = say
        self._ended = self._missing = 0

    def jobs(self) -> list[Job]:
        """What to do for each record."""
        return [
            Job(name, work.settings, work.function, work.arguments)
            for name, work in self._works.items()
        ]

    def file(self, job: Job) -> Path:
        """The file of a record, which is its name."""
        return self._works[job.name].path

    def missing(self, jobs: Sequence[Job]) -> list[Job]:
        """The jobs without a record that has all it needs."""
        missing = [job for job in jobs if not is_done(self._works[job.name])]
        self._missing = len(missing)
        if len(missing) < len(jobs):
            self._say(f"{len(jobs) - len(missing)} of {len(jobs)} runs have records")
            known = [read_record(self.file(job)) or {} for job in jobs if job not in missing]
            others = other_versions(record.get("code") for record in known)
            if others:
                self._say(other_versions_text(others))
        return missing

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
