"""The far end of a local worker: takes jobs from a pipe until the pipe is closed."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def serve(handle: int) -> None:
    """Run jobs that come through this file handle, one at a time."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that gave the jobs
    connection = Connection(handle)
    threading.Thread(target=end_with_parent, args=(handle,), daemon=True).start()
    while True:
        try:
            job = connection.recv_bytes()
        except (EOFError, OSError):
            return
        connection.send_bytes(pickle.dumps(call(*pickle.loads(job))))


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
