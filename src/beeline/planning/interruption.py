"""Signals as a wish to stop: a search ends in good order and keeps what it has."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType, TracebackType
    from typing import Any


class StopRequest:
    """While the block runs, the given signals set `requested` instead of ending the program.

    A second Ctrl-C raises KeyboardInterrupt as usual. Handlers that the program has installed
    itself are left alone, and only the main thread can have any.

    >>> import os
    >>> with StopRequest([signal.SIGINT]) as stop:
    ...     os.kill(os.getpid(), signal.SIGINT)
    >>> stop.requested
    True
    """

    def __init__(self, signals: Iterable[int]) -> None:
        self.requested = False
        self._signals = tuple(signals)
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> StopRequest:
        if threading.current_thread() is threading.main_thread():
            for number in self._signals:
                handler = signal.getsignal(number)
                if handler in (signal.SIG_DFL, signal.default_int_handler):
                    self._previous[number] = handler
                    signal.signal(number, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _note(self, number: int, _: FrameType | None) -> None:
        if self.requested and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.requested = True
