"""The far end of a local worker: takes jobs from a pipe until the pipe is closed.

A worker that gives each job a process of its own loads what jobs need once and forks for each of
them: a fork costs milliseconds, and memory, limits and crashes of a job end with it. Forking is
safe because such a worker has a single thread.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, NoReturn

from beeline.core.executor import WorkerDiedError

if TYPE_CHECKING:
    from collections.abc import Callable


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
