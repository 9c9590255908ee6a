"""Limits of time and memory, the process's own age and size, and how it is stopped.

Deadlines and limits on memory are for work that cannot watch them itself, such as reading and
grounding. Signals are a wish to stop: a search ends in good order and keeps what it has. A command
is stopped from outside by Ctrl-C, or by SIGTERM, which does the same: what still delivers what was
asked for, such as the best plan so far, ends as if nothing had happened; otherwise the two have the
same exit codes in all commands.
"""

from __future__ import annotations

import re
import signal
import threading
import time
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager
    from types import FrameType
    from typing import Any, ClassVar


LONGEST = 1e8  # seconds, three years
ENDING = 0.03  # share of a limit that is kept for what comes last
AGAIN = 1.0  # seconds until the bell rings once more


class TimeIsUp(BaseException):  # an event, not an error: no handler of errors may take it
    """The deadline has passed."""


class Clock:
    """Runs from when it is made, or `since` another one, and knows what is left of two limits.

    `seconds` are those on the wall, `processor_seconds` those that the process has worked, all its
    threads together. Native work that lasts looks at the wall's clock itself; about ten times a
    second it asks whether it shall go on, which is when `has_worked_enough` is looked at.
    """

    def __init__(
        self,
        seconds: float | None = None,
        processor_seconds: float | None = None,
        *,
        since: Clock | None = None,
    ) -> None:
        self._limits = (seconds, processor_seconds)
        self._start: tuple[float, float] = _now() if since is None else since._start

    def elapsed(self) -> float:
        """Seconds so far."""
        return _now()[0] - self._start[0]

    def worked(self) -> float:
        """Seconds of the processor so far."""
        return _now()[1] - self._start[1]

    def left(self) -> float | None:
        """What is left of the seconds; None if they are not limited."""
        return None if self._limits[0] is None else self._limits[0] - self.elapsed()

    @property
    def has_worked_enough(self) -> bool:
        """Whether nothing is left of the processor's seconds."""
        return self._limits[1] is not None and self.worked() >= self._limits[1]

    @property
    def is_up(self) -> bool:
        """Whether nothing is left of either."""
        left = self.left()
        return self.has_worked_enough or (left is not None and left <= 0)

    @property
    def is_nearly_up(self) -> bool:
        """Whether so little is left of either that it takes what is left to end in good order."""
        used = zip((self.elapsed(), self.worked()), self._limits, strict=True)
        return any(most is not None and done >= (1 - ENDING) * most for done, most in used)

    def alarm(self) -> AbstractContextManager[None]:
        """Raise `TimeIsUp` in the block when nothing is left of either."""
        most = self._limits[1]
        return alarm(self.left(), None if most is None else most - self.worked())


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


@contextmanager
def alarm(seconds: float | None, processor_seconds: float | None = None) -> Iterator[None]:
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
    if any(each is not None and each <= 0 for each in (seconds, processor_seconds)):
        raise TimeIsUp
    wanted = {
        (signal.SIGALRM, signal.ITIMER_REAL): seconds,
        (signal.SIGPROF, signal.ITIMER_PROF): processor_seconds,
    }
    bells = {
        bell: limit
        for bell, limit in wanted.items()
        if limit is not None and _in_main_thread() and _is_free(bell[0])
    }
    ring = partial(_ring, time.process_time() + (processor_seconds or 0))
    try:
        for (number, timer), limit in bells.items():
            signal.signal(number, ring)
            # The bell may ring before this returns; the clock knows no times beyond some decades.
            # It rings again, since Python drops what is raised in a destructor or a collector's
            # callback.
            signal.setitimer(timer, min(limit, LONGEST), AGAIN)
        yield
    finally:
        for number, timer in bells:
            signal.setitimer(timer, 0)
            signal.signal(number, signal.SIG_DFL)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _is_free(number: int) -> bool:
    """Whether the program leaves this signal to us."""
    handler = signal.getsignal(number)
    return handler == signal.SIG_DFL or getattr(handler, "func", None) is _ring


def _ring(enough: float, number: int, _: FrameType | None) -> None:
    # The system counts work in ticks, and may find too many of them: then it is asked once more.
    missing = enough - time.process_time() if number == signal.SIGPROF else 0.0
    if missing > 0:
        signal.setitimer(signal.ITIMER_PROF, missing, AGAIN)
        return
    raise TimeIsUp


RESERVE = 6 * 2**20  # bytes


@contextmanager
def limited_memory(limit: int | str | None) -> Iterator[None]:
    """Let the system refuse the process more memory than that: the block ends in MemoryError.

    None means no limit. The limit is one of the whole process, so only the main thread sets it;
    elsewhere, and where the system cannot tell how much is in use, the block just runs.

    >>> try:
    ...     with limited_memory(2**30):
    ...         memory = bytearray(2**31)
    ... except MemoryError:
    ...     print("enough")
    enough
    """
    size = memory_size("memory limit", limit)
    allowed = None if size is None else _allowed_data(size)
    if allowed is None or not _in_main_thread():
        yield
        return
    import resource

    previous = resource.getrlimit(resource.RLIMIT_DATA)
    lower_limit(resource.RLIMIT_DATA, allowed)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, previous)


def lower_limit(kind: int, limit: int) -> None:
    """Set a soft limit of the system, unless it is lower already."""
    import resource

    soft, hard = resource.getrlimit(kind)
    known = [each for each in (soft, hard, limit) if each != resource.RLIM_INFINITY]
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (min(known), hard))


def _allowed_data(memory: int) -> int | None:
    """Bytes of private data at which the process occupies that much; None if unknown.

    Some data never occupies memory, such as the stacks of idle threads: what is mapped now and
    not in use is allowed on top. Some of it will be used after all, and so will more pages of
    programs, which are no data: `RESERVE` is kept for these.
    """
    data, resident = _status_of_process("VmData"), _status_of_process("VmRSS")
    if data is None or resident is None:
        return None
    return max(0, memory - RESERVE + 1024 * (data - resident))


def _status_of_process(name: str) -> int | None:
    """A size in KB that the system keeps under this name; None if it does not."""
    try:
        with open("/proc/self/status", "rb") as stream:
            for line in stream:
                if line.startswith(f"{name}:".encode()):
                    return int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    return None


_UNITS = {"": 2**20, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def memory_size(option: str, word: int | str | None) -> int | None:
    """Bytes; the unit of a text is K, M, G or T, by default M. Numbers are bytes already.

    >>> memory_size("--memory-limit", "2G"), memory_size("--memory-limit", "200")
    (2147483648, 209715200)
    >>> memory_size("memory_limit", 2**30)
    1073741824
    """
    if not isinstance(word, str):
        return word
    match = re.fullmatch(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)([KMGT]?)I?B?", word.upper())
    if match is None:
        raise BeelineError(f"{option} '{word[:40]}' is not a size", hint="such as 200M or 2G")
    return int(float(match[1]) * _UNITS[match[2]])


_STARTED = time.perf_counter()


def elapsed_time() -> float:
    """Seconds since the process started, or since this module was imported if that is unknown."""
    since_import = time.perf_counter() - _STARTED
    try:
        with open("/proc/self/stat", "rb") as stream:
            # The name of the program, in parentheses, may hold anything; field 22 is the start.
            ticks = int(stream.read().rpartition(b")")[2].split()[19])
        from os import sysconf

        started = ticks / sysconf("SC_CLK_TCK")
        return max(time.clock_gettime(time.CLOCK_BOOTTIME) - started, since_import)
    except (OSError, ValueError, IndexError, AttributeError):
        return max(time.process_time(), since_import)


def peak_memory() -> int | None:
    """The largest amount of memory that the process has occupied so far, in KB."""
    # Unlike getrusage, this does not count what the parent process had before it forked.
    known = _status_of_process("VmHWM")
    if known is not None:
        return known
    try:
        import resource
        import sys
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // 1024 if sys.platform == "darwin" else peak


class StopRequest:
    """While the block runs, the given signals set `requested` instead of ending the program.

    A second Ctrl-C raises KeyboardInterrupt as usual. Handlers that the program has installed
    itself are left alone, and only the main thread can have any. What asks for a stop may come too
    late for the block to notice: `heard` counts such signals for those who would begin another.

    >>> import os
    >>> with StopRequest([signal.SIGINT]) as stop:
    ...     os.kill(os.getpid(), signal.SIGINT)
    >>> stop.requested
    True
    """

    heard: ClassVar[int] = 0  # signals in all blocks of the process

    def __init__(self, signals: Iterable[int]) -> None:
        self.requested = False
        self._signals = tuple(signals)
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> StopRequest:
        if _in_main_thread():
            for number in self._signals:
                handler = signal.getsignal(number)
                if handler in (signal.SIG_DFL, signal.default_int_handler):
                    self._previous[number] = handler
                    signal.signal(number, self._note)
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _note(self, number: int, _: FrameType | None) -> None:
        if self.requested and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.requested = True
        StopRequest.heard += 1


GOES_ON = "the same command goes on where this one stopped"


class Stop:
    """What stops a command: Ctrl-C, unless it is told otherwise."""

    exit_code = ExitCode.INTERRUPTED  # of a command that was stopped before it had a result
    word = "interrupted"


@contextmanager
def termination_like_interruption() -> Iterator[Stop]:
    """Let SIGTERM do in the block what Ctrl-C does, and remember which of them it was.

    Shells let programs in the background ignore Ctrl-C; in the block they hear it.
    """
    stop = Stop()

    def leave(_: int, __: FrameType | None) -> None:
        stop.exit_code, stop.word = ExitCode.TIME_LIMIT, "terminated"
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
