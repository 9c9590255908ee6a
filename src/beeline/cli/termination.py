"""SIGTERM where Ctrl-C already leaves things in good order."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


GOES_ON = "the same command goes on where this one stopped"


class TerminatedError(BaseException):
    """SIGTERM was received."""


@contextmanager
def termination_like_interruption(advice: str = "") -> Iterator[None]:
    """Let SIGTERM do in the block what Ctrl-C does, and raise an error of its own in the end.

    Shells let programs in the background ignore Ctrl-C; in the block they hear it. The advice
    is for those who press it.
    """
    received = False

    def leave(_: int, __: FrameType | None) -> None:
        nonlocal received
        received = True
        signal.raise_signal(signal.SIGINT)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGTERM, leave)
    ignored = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    if ignored:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        if received:
            raise TerminatedError from None
        raise KeyboardInterrupt(advice) from None
    finally:
        signal.signal(signal.SIGTERM, previous)
        if ignored:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
