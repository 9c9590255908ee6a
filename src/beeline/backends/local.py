"""Jobs in processes of this machine.

Workers are new interpreters, not forks: a fork of a program with threads can hang, and what
`multiprocessing` starts would run the user's main script again. The pipe to a worker is also
its lifeline: it ends when this process does, in whatever way that happens.

A worker that gives each job a process of its own loads what jobs need once and forks for each of
them: a fork costs milliseconds, and memory, limits and crashes of a job end with it. Forking is
safe because such a worker has a single thread.
"""

from __future__ import annotations

import os
import pickle
import platform
import signal
import subprocess
import sys
import threading
from collections import deque
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from beeline.core.records import Executor, Finished, WorkerDiedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_START = (
    "import signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, ());"
    " sys.path[:] = sys.argv[2:];"
    " from beeline.backends.local import serve; serve(int(sys.argv[1]), isolated={isolated})"
)
# There is a worker for each core; numerical libraries that started threads would slow them down.
_ONE_THREAD_EACH = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


# What may break in: a time limit, Ctrl-C, an end from outside.
_BREAKING_IN = (signal.SIGALRM, signal.SIGPROF, signal.SIGINT, signal.SIGTERM)


class _Job(NamedTuple):
    key: str
    call: bytes
    attempts: int = 0


class _Worker:
    """A process, the pipe to it, and the job that it has."""

    def __init__(self, *, isolated: bool) -> None:
        start = _START.format(isolated=isolated)
        self.connection, far_end = Pipe()
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-c", start, str(far_end.fileno()), *sys.path],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # what a job prints must not mix with results
                pass_fds=[far_end.fileno()],
                env={**_ONE_THREAD_EACH, **os.environ},
            )
        finally:
            far_end.close()
        self.job: _Job | None = None

    def start(self, job: _Job) -> None:
        self.job = job._replace(attempts=job.attempts + 1)
        with suppress(OSError):  # if it is dead already, the next look at its pipe will show it
            self.connection.send_bytes(job.call)

    def end(self) -> int:
        """Kill it; returns its exit code."""
        self.connection.close()
        self.process.kill()
        return self.process.wait()


class LocalExecutor(Executor):
    """An executor with a fixed number of local processes, by default one for each core.

    With `isolated`, each job runs in a process of its own, that many at a time.

    >>> import operator
    >>> with LocalExecutor(2) as executor:
    ...     for number in range(4):
    ...         executor.submit(str(number), operator.mul, number, number)
    ...     sorted((finished.key, finished.value) for finished in executor.finished())
    [('0', 0), ('1', 1), ('2', 4), ('3', 9)]
    """

    def __init__(
        self, workers: int | None = None, *, attempts: int = 3, isolated: bool = False
    ) -> None:
        self._isolated = isolated
        self._limit = workers or usable_cores()
        self._attempts = attempts
        self._waiting: deque[_Job] = deque()
        self._workers: list[_Worker] = []

    def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Queue a job."""
        self._waiting.append(_Job(key, pickle.dumps((function, arguments))))

    def finished(self) -> Iterator[Finished]:
        """The jobs in the order in which they end, until none is left."""
        while True:
            self._assign()
            busy = [worker for worker in self._workers if worker.job is not None]
            if not busy:
                return
            ready = wait([worker.connection for worker in busy])
            for worker in busy:
                ended = self._collect(worker) if worker.connection in ready else None
                if ended is not None:
                    yield ended

    def give_up(self) -> None:
        """End all workers at once."""
        self._waiting.clear()
        while self._workers:
            self._workers.pop().end()

    def _assign(self) -> None:
        """Give waiting jobs to idle workers, and start workers while there are too few."""
        idle = [worker for worker in self._workers if worker.job is None]
        while self._waiting:
            if not idle:
                if len(self._workers) >= self._limit:
                    return
                idle.append(self._add_worker())
            idle.pop(0).start(self._waiting.popleft())

    def _add_worker(self) -> _Worker:
        """Start a worker; nobody breaks in before it is known, or it would be left behind."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _BREAKING_IN)
        try:
            self._workers.append(_Worker(isolated=self._isolated))
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return self._workers[-1]

    def _collect(self, worker: _Worker) -> Finished | None:
        """What a worker has to say; None if it died and its job will be tried again."""
        job, worker.job = worker.job, None
        assert job is not None
        try:
            value, error = pickle.loads(worker.connection.recv_bytes())
            return Finished(job.key, value, error)
        except (EOFError, OSError):
            self._workers.remove(worker)
            exit_code = worker.end()
        if job.attempts < self._attempts:
            self._waiting.appendleft(job)
            return None
        end = f"was killed by signal {-exit_code}" if exit_code < 0 else f"ended with {exit_code}"
        return Finished(job.key, error=WorkerDiedError(f"its worker {end} {job.attempts} times"))


def usable_cores() -> int:
    """The number of cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # there is no such call on macOS
        return os.cpu_count() or 1


def machine_size() -> dict[str, Any]:
    """Cores, bytes of memory (None if nobody can tell) and the platform; no names.

    >>> sorted(machine_size())
    ['cores', 'memory', 'platform']
    """
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        memory = None
    words = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return {"cores": usable_cores(), "memory": memory, "platform": words}


def serve(handle: int, *, isolated: bool) -> None:
    """Run jobs that come through this file handle, one at a time, perhaps in a new process each."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that gave the jobs
    connection = Connection(handle)
    if not isolated:
        threading.Thread(target=end_with_parent, args=(handle,), daemon=True).start()
    while True:
        try:
            data = connection.recv_bytes()
        except (EOFError, OSError):
            return
        job = pickle.loads(data)  # imports what it needs, before any fork
        answer = _answer_of_child(handle, *job) if isolated else pickle.dumps(call(*job))
        connection.send_bytes(answer)


def call(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    """The pair of value and error; one of them is None, and both can be pickled."""
    try:
        return function(*arguments), None
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # an exception with a state of its own need not survive the journey
            return None, RuntimeError(f"{type(error).__name__}: {error}")
        return None, error


def end_with_parent(handle: int) -> None:
    """End this process as soon as the other end of the pipe is gone, even within a job."""
    import select

    poll = select.poll()
    poll.register(handle, select.POLLHUP)
    while not any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll()):
        pass
    os._exit(1)


def _answer_of_child(
    handle: int, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> bytes:
    """The pickled pair of value and error of a call in a child of this process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _run_child(handle, writing, function, arguments)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        answer = stream.read()  # until the child closes its end, or dies
    exit_code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if exit_code == 0 and answer:
        return answer
    if exit_code >= 0:
        return pickle.dumps((None, WorkerDiedError(f"its process ended with {exit_code}")))
    words = f"signal {-exit_code} ({signal.strsignal(-exit_code)})"
    died = WorkerDiedError(f"its process was killed by {words}", -exit_code)
    return pickle.dumps((None, died))


def _run_child(
    handle: int, writing: int, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> NoReturn:
    """The life of a child; it ends with the process that gave the job, even within the job."""
    try:
        threading.Thread(target=end_with_parent, args=(handle,), daemon=True).start()
        answer = pickle.dumps(call(function, arguments))
        with os.fdopen(writing, "wb") as stream:
            stream.write(answer)
        os._exit(0)
    finally:  # nothing of what the worker does may go on here
        os._exit(1)
