"""Jobs and their records: what has a record of the same settings is not run again.

A job has a name, plain settings and a function. Its record is written whole or not at all, by the
process that gave the job, and knows the settings and the code that made it. Whatever ends the
work, what has been recorded stays, and the same call goes on from there.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline._version import __version__
from beeline.core.errors import BeelineError, WriteError
from beeline.core.files import make_folder, read_bytes, write_atomically
from beeline.core.limits import StopRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from typing_extensions import Self


class WorkerDiedError(Exception):
    """A job ended its worker, and the next one, as often as jobs are tried.

    `signal` is what killed it, where that is known.

    >>> print(WorkerDiedError("its process was killed", 9))
    its process was killed
    """

    def __init__(self, message: str, signal: int | None = None) -> None:
        super().__init__(message, signal)  # all arguments, so that pickling works
        self.signal = signal

    def __str__(self) -> str:
        return str(self.args[0])


class Finished(NamedTuple):
    """A job that has ended: with a value, or with the exception that it raised."""

    key: str
    value: Any = None
    error: BaseException | None = None

    def result(self) -> Any:
        """The value; a job that failed raises its error here.

        >>> Finished("a", 7).result()
        7
        """
        if self.error is not None:
            raise self.error
        return self.value


class Executor(ABC):
    """Runs jobs that know nothing of each other.

    Functions, arguments and values travel between processes, so that all of them must be
    picklable. A worker that dies is replaced and its job tried again; a job that keeps killing
    its worker ends with `WorkerDiedError`.

    An isolated executor gives each job a process of its own, which may change its limits or die;
    such a job is not tried again.
    """

    @abstractmethod
    def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Queue a job; the function must be importable by name."""

    @abstractmethod
    def finished(self) -> Iterator[Finished]:
        """The jobs in the order in which they end, until none is left."""

    @abstractmethod
    def give_up(self) -> None:
        """End all jobs at once, whatever they are doing; others can be submitted."""

    def close(self) -> None:
        """End all jobs and all that was started for them."""
        self.give_up()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class InlineExecutor(Executor):
    """An executor without workers: jobs run in this process, in their order.

    A job that was asked to stop (`StopRequest`) has no value, whether it noticed or not: the
    executor raises KeyboardInterrupt, as if the signal had come to itself.

    >>> with InlineExecutor() as executor:
    ...     executor.submit("sum", max, 2, 3)
    ...     [ended.result() for ended in executor.finished()]
    [3]
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = []

    def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Queue a job."""
        self._waiting.append((key, function, arguments))

    def finished(self) -> Iterator[Finished]:
        """Run the jobs in their order."""
        while self._waiting:
            key, function, arguments = self._waiting.pop(0)
            heard = StopRequest.heard
            try:
                ended = Finished(key, function(*arguments))
            except Exception as error:
                ended = Finished(key, error=error)
            if StopRequest.heard != heard:
                raise KeyboardInterrupt
            yield ended

    def give_up(self) -> None:
        """Forget what has not run."""
        self._waiting.clear()


Record = dict[str, Any]

# Rooms whose code decides what comes out of a job, and not only where it runs or how it is shown.
ROOMS = ("pddl", "task", "planning", "generators", "data", "models", "fitting", "learning")


@cache
def code_version() -> str:
    """The version of the package, and a digest of the engine and of all code with influence.

    >>> code_version() == code_version()
    True
    """
    root = Path(__file__).parents[1]
    code = [path for room in ROOMS for path in sorted((root / room).rglob("*.py"))]
    digest = sha256()
    for path in [*root.glob("_native*.so"), *code]:
        digest.update(f"{path.relative_to(root).as_posix()} {path.stat().st_size}\n".encode())
        digest.update(path.read_bytes())
    return f"{__version__}+{digest.hexdigest()[:12]}"


@cache
def commit() -> str | None:
    """The commit that the package runs from, with `+` if files have changed; None outside of one.

    >>> commit() == commit()
    True
    """
    from subprocess import SubprocessError, run

    root = Path(__file__).parents[3]
    if not (root / ".git").exists():
        return None
    asked = ["git", "-C", str(root), "describe", "--always", "--exclude=*", "--dirty=+"]
    try:
        return run(asked, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, SubprocessError):
        return None


class Job(NamedTuple):
    """Something to do: two jobs of one name and equal settings do the same."""

    name: str
    settings: Record
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


class Glance(NamedTuple):
    """How far jobs are: those with records, those of them that ended now, and all; the latest."""

    done: int
    made: int
    total: int
    failed: int
    latest: str


class Store(ABC):
    """Where the results of jobs are kept."""

    failed = 0  # jobs

    def missing(self, jobs: Sequence[Job]) -> Sequence[Job]:
        """The jobs that are to be run."""
        return jobs

    @abstractmethod
    def keep(self, job: Job, value: Any, code: str) -> None:
        """Keep what a job has returned, and the version of the code that it ran."""

    def fail(self, job: Job, error: BeelineError | WorkerDiedError) -> None:
        """Note that a job has failed; by default that ends all of them."""
        if isinstance(error, BeelineError):
            raise error
        raise BeelineError(str(error), hint="is there memory for so many workers?") from error


def run_jobs(
    jobs: Sequence[Job],
    store: Store,
    executor: Executor,
    progress: Callable[[Glance], None] | None = None,
) -> int:
    """Run the jobs that are missing, and keep their results as they come; how many these were.

    What cannot be written, and errors that are nobody's fault but the program's, end the work.
    """
    missing = {job.name: job for job in store.missing(jobs)}
    for job in missing.values():
        executor.submit(job.name, _run, job.function, *job.arguments)
    for made, ended in enumerate(executor.finished() if missing else (), 1):
        job = missing[ended.key]
        error = ended.error
        if isinstance(error, BeelineError | WorkerDiedError) and not isinstance(error, WriteError):
            store.fail(job, error)
        else:
            store.keep(job, *ended.result())
        if progress is not None:
            done = len(jobs) - len(missing) + made
            progress(Glance(done, made, len(jobs), store.failed, job.name))
    return len(missing)


def _run(function: Callable[..., Any], *arguments: Any) -> tuple[Any, str]:
    """What the function returns, and the code of the machine that it runs on."""
    return function(*arguments), code_version()


class Values(Store):
    """Results in memory, in the order of jobs that are named by their numbers."""

    def __init__(self, count: int) -> None:
        self.values: list[Any] = [None] * count

    def keep(self, job: Job, value: Any, code: str) -> None:
        """Keep a value in its place."""
        self.values[int(job.name)] = value


class RecordFolder(Store):
    """Records as JSON files `NAME.json` in a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def file(self, job: Job) -> Path:
        """Where the record of a job belongs."""
        return self.path / f"{job.name}.json"

    def read(self, job: Job) -> Record | None:
        """The record of a job, if there is one of the same settings."""
        record = read_record(self.file(job))
        return record if record is not None and record["settings"] == job.settings else None

    def missing(self, jobs: Sequence[Job]) -> Sequence[Job]:
        """The jobs without a record."""
        return [job for job in jobs if self.read(job) is None]

    def keep(self, job: Job, value: Record, code: str) -> None:
        """Write a record."""
        make_folder(self.file(job).parent)
        record = {"settings": job.settings, "code": code, **value}
        write_atomically(self.file(job), json.dumps(record, indent=1) + "\n")


def read_record(path: Path) -> Record | None:
    """The record in a file; None if there is no such file, or one that somebody has damaged."""
    record = read_object(path)
    return record if record is not None and "settings" in record else None


def read_object(path: Path) -> Record | None:
    """The JSON object in a file; None if there is none, or something else."""
    try:
        found = json.loads(read_bytes(path, "record"))
    except (BeelineError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def other_versions(versions: Iterable[str | None]) -> int:
    """How many of these versions, of records, are not that of the code that runs here."""
    return sum(version != code_version() for version in versions)


def other_versions_text(count: int) -> str:
    """What to say of records that other code has made.

    >>> other_versions_text(3)
    '3 records were made by another version of the code'
    """
    what = "1 record was" if count == 1 else f"{count} records were"
    return f"{what} made by another version of the code"
