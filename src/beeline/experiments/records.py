"""Records: one JSON file for each run. What has one with the same settings is not run again."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.backends.local import LocalExecutor
from beeline.core.errors import BeelineError, WriteError
from beeline.core.executor import Finished, WorkerDiedError
from beeline.core.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

Record = dict[str, Any]


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


def read_record(path: Path) -> Record | None:
    """The record in a file; None if there is no such file, or one that somebody has damaged."""
    if not path.is_file():
        return None
    try:
        record = json.loads(path.read_text())
    except ValueError:
        return None
    return record if isinstance(record, dict) and "settings" in record else None


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


def make_records(works: Sequence[Work], jobs: int, say: Callable[[str], None]) -> int:
    """Make all records that are missing, in order; how many could not be made.

    A single job runs in this process.
    """
    missing = {str(work.path): work for work in works if not is_done(work)}
    done = failed = 0
    if len(missing) < len(works):
        say(f"{len(works) - len(missing)} of {len(works)} runs have records")
    for ended in _run(list(missing.values()), jobs):
        work = missing[ended.key]
        done += 1
        place = f"[{done}/{len(missing)}] {work.path.parent.name}/{work.path.stem}"
        if isinstance(ended.error, WriteError):
            raise ended.error  # nor could any other be kept
        if isinstance(ended.error, BeelineError | WorkerDiedError):
            failed += 1
            say(f"{place}: FAILED: {ended.error}")
            continue
        record = {"settings": work.settings, **ended.result()}
        work.path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(work.path, json.dumps(record, indent=1) + "\n")
        if work.scratch is not None:
            shutil.rmtree(work.scratch, ignore_errors=True)
        say(f"{place}: {record['line']}")
    return failed


def _run(works: Sequence[Work], jobs: int) -> Iterator[Finished]:
    if jobs == 1:
        for work in works:
            try:
                yield Finished(str(work.path), work.function(*work.arguments))
            except BeelineError as error:
                yield Finished(str(work.path), error=error)
        return
    with LocalExecutor(jobs) as executor:
        for work in works:
            executor.submit(str(work.path), work.function, *work.arguments)
        yield from executor.finished()
