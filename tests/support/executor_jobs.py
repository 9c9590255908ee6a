"""Jobs for executors: workers import them by name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path


def die_unless_marked(path: str) -> str:
    """Kill the worker the first time, succeed the second time."""
    marker = Path(path)
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "survived"


def die() -> None:
    """Kill the worker."""
    os.kill(os.getpid(), signal.SIGKILL)


def fail(message: str) -> None:
    """Raise an error of our own."""
    from beeline.core.errors import BeelineError

    raise BeelineError(message, "task.pddl", 3)


class StubbornError(Exception):
    """An exception that cannot be pickled."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.lock = open(os.devnull)  # noqa: SIM115


def fail_stubbornly(message: str) -> None:
    """Raise an error that cannot travel."""
    raise StubbornError(message)


def note_and_sleep(folder: str, seconds: float) -> int:
    """Leave a file with the number of the worker's process, then sleep."""
    Path(folder, str(os.getpid())).touch()
    time.sleep(seconds)
    return os.getpid()


def burn(seconds: float) -> None:
    """Compute without end, under a limit of time that is enforced without grace."""
    from beeline.evaluate import configuration as limits

    limits.GRACE = 0
    with limits.enforced(limits.RunLimits(time=seconds)):
        while True:
            pass


def hoard(megabytes: int) -> str:
    """Take more memory than a limit allows."""
    from beeline.evaluate.configuration import RunLimits, enforced

    try:
        with enforced(RunLimits(memory=megabytes * 2**20)):
            bytes(megabytes * 2**20)
    except MemoryError:
        return "refused"
    return "granted"
