"""How a command is stopped from outside: by Ctrl-C, or by SIGTERM, which does the same.

What still delivers what was asked for, such as the best plan so far, ends as if nothing had
happened. Otherwise Ctrl-C and SIGTERM have the same exit codes in all commands.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

from beeline.core.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


GOES_ON = "the same command goes on where this one stopped"


class Stop:
    """What has stopped a command, if anything."""

    terminated = False  # by SIGTERM

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of a command that was stopped before it had a result."""
        return ExitCode.TIME_LIMIT if self.terminated else ExitCode.INTERRUPTED

    @property
    def word(self) -> str:
        """What to say of it."""
        return "terminated" if self.terminated else "interrupted"


@contextmanager
def termination_like_interruption() -> Iterator[Stop]:
    """Let SIGTERM do in the block what Ctrl-C does, and remember which of them it was.

    Shells let programs in the background ignore Ctrl-C; in the block they hear it.
    """
    stop = Stop()

    def leave(_: int, __: FrameType | None) -> None:
        stop.terminated = True
        signal.raise_signal(signal.SIGINT)

    try:
        previous = signal.signal(signal.SIGTERM, leave)
    except ValueError:  # only the main thread has signals
        yield stop
        return
    ignored = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    if ignored:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGTERM, previous)
        if ignored:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def advice(words: str) -> Iterator[None]:
    """What to tell those who stop the block."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(words) from None
