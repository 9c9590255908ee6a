"""One process, with all that it starts, under limits of processor time, memory and wall clock.

The kernel's own limit on processor time counts clock ticks, and on a busy machine stops a process
several per cent too early. Here the time of all processes is added up from `/proc`, which is
exact; the kernel's limit stays behind as a guard. Linux only.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from threading import Event

POLL_SECONDS = 0.02
COUNT_SECONDS = 0.25  # between two looks at the processor time, since each reads all of /proc
GRACE_SECONDS = 5.0  # to end in good order

# The shell sets the limits and becomes the command.
_LIMITED = 'ulimit -t "$1" && ulimit -v "$2" || exit 125; shift 2; exec "$@"'


class Limits(NamedTuple):
    """What a run may use: processor time of all its processes, address space of each."""

    cpu_seconds: float
    memory_kb: int
    wall_seconds: float


class LimitedRun(NamedTuple):
    """A finished run; `guarded` says that the wall clock ended it."""

    cpu_seconds: float
    wall_seconds: float
    peak_kb: int  # resident memory of its largest process
    output: str
    errors: str
    code: int
    guarded: bool


class Usage(NamedTuple):
    """Processor time of several processes, and resident memory of the largest."""

    cpu_seconds: float = 0.0
    memory_kb: int = 0

    def maximum(self, other: Usage) -> Usage:
        """The larger figure of both, each by itself."""
        memory_kb = max(self.memory_kb, other.memory_kb)
        return Usage(max(self.cpu_seconds, other.cpu_seconds), memory_kb)


class Stopped(Exception):  # noqa: N818 - it is not an error
    """The run was ended because the caller wanted to stop."""


def run_limited(command: list[str], folder: Path, limits: Limits, stop: Event) -> LimitedRun:
    """Run a command in a folder, where its output is kept, until it ends or `stop` is set.

    At a limit of time its processes get SIGTERM, and SIGKILL if that is not enough.

    >>> import sys, tempfile, threading
    >>> limits = Limits(cpu_seconds=10, memory_kb=2**20, wall_seconds=20)
    >>> command = [sys.executable, "-c", "print(6 * 7)"]
    >>> run_limited(command, Path(tempfile.mkdtemp()), limits, threading.Event()).output
    '42\\n'
    """
    guard = int(2 * limits.cpu_seconds) + 10
    shell = ["sh", "-c", _LIMITED, "sh", str(guard), str(limits.memory_kb)]
    output, errors = folder / "output.txt", folder / "errors.txt"
    with output.open("wb") as out, errors.open("wb") as err:
        start = time.perf_counter()
        # A session of its own: signals for the terminal's group pass it by, and one signal from
        # here reaches all of its processes.
        process = subprocess.Popen(
            shell + command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=folder,
            start_new_session=True,
        )
        counted, counted_at, terminated_at = Usage(), start, 0.0
        guarded = False
        try:
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    break
                if stop.wait(POLL_SECONDS):
                    raise Stopped
                now = time.perf_counter()
                if now - counted_at > COUNT_SECONDS:
                    counted, counted_at = counted.maximum(session_usage(process.pid)), now
                guarded = guarded or now - start > limits.wall_seconds
                if not terminated_at and (guarded or counted.cpu_seconds > limits.cpu_seconds):
                    os.killpg(process.pid, signal.SIGTERM)
                    terminated_at = now
                elif terminated_at and now - terminated_at > GRACE_SECONDS:
                    os.killpg(process.pid, signal.SIGKILL)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        with suppress(ProcessLookupError):  # the usual case: nothing has outlived its parent
            os.killpg(process.pid, signal.SIGKILL)
    return LimitedRun(
        # Processes that it did not wait for are in what was counted only.
        cpu_seconds=max(usage.ru_utime + usage.ru_stime, counted.cpu_seconds),
        wall_seconds=seconds,
        peak_kb=max(usage.ru_maxrss, counted.memory_kb),
        output=output.read_text(errors="replace"),
        errors=errors.read_text(errors="replace"),
        code=process.returncode,
        guarded=guarded,
    )


def session_usage(session: int) -> Usage:
    """What the processes of a session have used so far, with those that they have waited for."""
    ticks = pages = 0
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        with suppress(OSError):  # it has just ended
            # The name of the program, in parentheses, may hold anything; the state follows it.
            stat = Path("/proc", entry, "stat").read_bytes().rpartition(b")")[2].split()
            if int(stat[3]) == session:
                ticks += sum(map(int, stat[11:15]))
                pages = max(pages, int(stat[21]))
    return Usage(ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE") // 1024)
