"""A deadline for work that cannot watch the clock itself."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


LONGEST = 1e8  # seconds, three years


class TimeIsUp(BaseException):  # an event, not an error: no handler of errors may take it
    """The deadline has passed."""


@contextmanager
def alarm(seconds: float | None) -> Iterator[None]:
    """Raise `TimeIsUp` in the block if it takes longer than this; None means no deadline.

    Native work notices as soon as it lets Python look at signals. Only the main thread has
    signals; elsewhere, and where the program already uses the alarm clock, the block just runs.

    >>> try:
    ...     with alarm(0.01):
    ...         while True:
    ...             pass
    ... except TimeIsUp:
    ...     print("enough")
    enough
    """
    import signal
    import threading

    usable = (
        seconds is not None
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, _ring)
    )
    if seconds is not None and seconds <= 0:
        raise TimeIsUp
    if seconds is None or not usable:
        yield
        return

    try:
        signal.signal(signal.SIGALRM, _ring)
        # The bell may ring before this returns; the clock knows no times beyond some decades.
        signal.setitimer(signal.ITIMER_REAL, min(seconds, LONGEST))
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _ring(_: int, __: FrameType | None) -> None:
    raise TimeIsUp
