"""The far end of a local worker that gives each job a process of its own.

The worker loads what jobs need once and forks for each of them: a fork costs milliseconds, and
memory, limits and crashes of a job end with it. Forking is safe because the worker has a single
thread.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, NoReturn

from beeline.backends.worker import call, end_with_parent
from beeline.core.executor import WorkerDiedError

if TYPE_CHECKING:
    from collections.abc import Callable


def serve(handle: int) -> None:
    """Run jobs that come through this file handle, one at a time, each in a new process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that gave the jobs
    connection = Connection(handle)
    while True:
        try:
            job = connection.recv_bytes()
        except (EOFError, OSError):
            return
        # The job's module is imported here, once, and not again in every process.
        connection.send_bytes(_answer(handle, *pickle.loads(job)))


def _answer(handle: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> bytes:
    """The pickled pair of value and error of a call in a child of this process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _run(handle, writing, function, arguments)
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


def _run(
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
