"""Where the jobs of learning run: in parallel, with progress, until time is up or someone says so.

Results come in the order of the jobs, not in that of their ends: nothing that is learned depends
on timing unless a limit on time is reached.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.backends import make_executor
from beeline.backends.local import usable_cores
from beeline.core.alarm import TimeIsUp, alarm
from beeline.core.executor import WorkerDiedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import FrameType, TracebackType

    from typing_extensions import Self

    from beeline.core.executor import Executor

    Progress = Callable[["Phase"], None]


OUT_OF_TIME = "the time limit was reached"


class Stopped(BaseException):  # an event, not an error: no handler of errors may take it
    """Learning ends here, by a limit on time or a signal."""

    def __init__(self, reason: str, number: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.number = number  # of the signal


class Phase(NamedTuple):
    """What learning is doing, and how far it is."""

    name: str
    done: int
    total: int


class Workshop:
    """Workers, a clock, and someone to tell how it goes."""

    def __init__(
        self,
        *,
        jobs: int | None = None,
        time_limit: float | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.workers = usable_cores() if jobs is None else jobs
        self._start = perf_counter()
        self._time_limit = time_limit
        self._progress = progress
        self._executor: Executor | None = None
        self.cut_short = False  # whether jobs were given up because time was up

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all workers."""
        if self._executor is not None:
            self._executor.close()
            self._executor = None

    def run(
        self,
        name: str,
        function: Callable[..., Any],
        jobs: Sequence[Any],
        *,
        share: float = 1.0,
    ) -> list[Any]:
        """The value of the function for each job; None where its worker died or time ran out.

        `share` is the part of the time limit that may have passed when this ends; the last part
        of the limit raises `Stopped`.
        """
        values: list[Any] = [None] * len(jobs)
        self._say(name, 0, len(jobs))
        if self._executor is None:
            self._executor = make_executor("local", self.workers)
        for number, job in enumerate(jobs):
            self._executor.submit(str(number), function, job)
        done = 0
        try:
            with alarm(self._seconds_left(share)):
                for finished in self._executor.finished():
                    done += 1
                    if not isinstance(finished.error, WorkerDiedError):
                        values[int(finished.key)] = finished.result()
                    self._say(name, done, len(jobs))
                    self._check(share)
        except TimeIsUp:
            self.close()
            self.cut_short = done < len(jobs)
            left = self._seconds_left(1.0)
            if left is not None and left <= 0:
                raise Stopped(OUT_OF_TIME) from None
        except BaseException:
            self.close()  # what it has queued belongs to nobody
            raise
        return values

    def _check(self, share: float) -> None:
        """The alarm does not ring in every thread."""
        left = self._seconds_left(share)
        if left is not None and left <= 0:
            raise TimeIsUp

    def _seconds_left(self, share: float) -> float | None:
        if self._time_limit is None:
            return None
        return self._start + share * self._time_limit - perf_counter()

    def _say(self, name: str, done: int, total: int) -> None:
        if self._progress is not None:
            self._progress(Phase(name, done, total))


@contextmanager
def stopping_by(signals: Iterable[int]) -> Iterator[None]:
    """While the block runs, these signals raise `Stopped` in it; only the main thread has any.

    >>> import os
    >>> try:
    ...     with stopping_by([signal.SIGTERM]):
    ...         os.kill(os.getpid(), signal.SIGTERM)
    ... except Stopped as event:
    ...     print(event.reason)
    SIGTERM was received
    """

    def stop(number: int, _: FrameType | None) -> None:
        raise Stopped(f"{signal.Signals(number).name} was received", number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = {number: signal.signal(number, stop) for number in signals}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
