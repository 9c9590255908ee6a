"""The far end of a local worker: takes jobs from a pipe until the pipe is closed."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from multiprocessing.connection import Connection


def serve(handle: int) -> None:
    """Run jobs that come through this file handle, one at a time."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that gave the jobs
    connection = Connection(handle)
    threading.Thread(target=_end_with_parent, args=(handle,), daemon=True).start()
    while True:
        try:
            job = connection.recv_bytes()
        except (EOFError, OSError):
            return
        connection.send_bytes(_run(job))


def _run(job: bytes) -> bytes:
    """The pickled pair of value and error."""
    try:
        function, arguments = pickle.loads(job)
        return pickle.dumps((function(*arguments), None))
    except Exception as error:
        try:
            answer = pickle.dumps((None, error))
            pickle.loads(answer)
        except Exception:  # an exception with a state of its own need not survive the journey
            answer = pickle.dumps((None, RuntimeError(f"{type(error).__name__}: {error}")))
        return answer


def _end_with_parent(handle: int) -> None:
    """End this process as soon as the other end of the pipe is gone, even within a job."""
    import select

    poll = select.poll()
    poll.register(handle, select.POLLHUP)
    while not any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll()):
        pass
    os._exit(1)
