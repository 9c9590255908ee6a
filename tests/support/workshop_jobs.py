"""Jobs that workers find by name."""

from __future__ import annotations

import os
import signal
import time


def square(number: int) -> int:
    """Some value."""
    return number * number


def wait(seconds: float) -> float:
    """Some time."""
    time.sleep(seconds)
    return seconds


def die_if_odd(number: int) -> int:
    """A worker that the system kills."""
    if number % 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number
