"""Workers that try inputs, one after another, and may die of them.

A worker is a fork of this process, which has imported everything already: a new one costs
milliseconds. It is told a range of numbers and makes each input from its number, so that this
process knows what a worker that died was working on, and can make the same input again.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import tempfile
import time
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from fuzzing.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

    # Tries an input by its number: "accepted", "refused", ..., or what was found.
    Trial = Callable[[int], str | list[Finding]]

CHUNK = 25  # inputs per message to a worker
MOST_STDERR = 20_000  # bytes of a report
PATIENCE = 10  # times as long as an input may compute, it may wait for others to compute
GLANCE = 0.5  # seconds between looks at the clock and at memory


@dataclass(frozen=True)
class Limits:
    """For each input: seconds of computing, and megabytes of its worker."""

    seconds: float
    megabytes: int
    limit_addresses: bool = True  # AddressSanitizer reserves terabytes of addresses


class Worker:
    """A child process with the numbers that it still has to try."""

    def __init__(self, trial: Trial, limits: Limits, kind: str) -> None:
        self._limits = limits
        self._kind = kind
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        context = get_context("fork")
        self.pipe, other = context.Pipe()
        arguments = (trial, other, self._errors.fileno(), limits, kind)
        self._process = context.Process(target=_work, args=arguments, daemon=True)
        self._process.start()
        other.close()
        self._numbers: list[int] = []
        self._note_time()

    @property
    def idle(self) -> bool:
        """Whether it waits for numbers."""
        return not self._numbers

    def give(self, numbers: list[int]) -> None:
        """Let it try these."""
        self._numbers = numbers
        self._note_time()
        self.pipe.send(numbers)

    def receive(self) -> tuple[int, str | list[Finding]] | None:
        """One result; None if there is none because the process has ended."""
        try:
            number, outcome = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            return None
        self._numbers.remove(number)
        self._note_time()
        return number, outcome

    def _note_time(self) -> None:
        self._since = time.monotonic(), _processor_seconds(self._process.pid)

    def excess(self) -> str | None:
        """Which limit the current input is beyond."""
        if not self._numbers:
            return None
        wall, computing = self._since
        late = time.monotonic() - wall > PATIENCE * self._limits.seconds
        if late or _processor_seconds(self._process.pid) - computing > self._limits.seconds:
            return f"no end after {self._limits.seconds:g} seconds"
        if _megabytes(self._process.pid) > self._limits.megabytes:
            return f"more than {self._limits.megabytes} MB of memory"
        return None

    def stop(self) -> None:
        """Kill it, whatever it does."""
        self._process.kill()
        self._process.join()
        self.pipe.close()
        self._errors.close()

    def end(self, excess: str | None = None) -> tuple[Finding | None, list[int]]:
        """Kill it; what is to be said of the input that it was at, and the numbers after it."""
        if excess is not None and self._process.pid is not None:
            # A traceback of where it is, if it can still give one.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGUSR1)
            time.sleep(0.2)
        if excess is not None or self.idle:
            self._process.kill()
        self._process.join()
        self.pipe.close()
        code = self._process.exitcode or 0
        said = _read(self._errors.fileno())
        self._errors.close()
        if self.idle:
            return None, []
        number, *rest = self._numbers
        cause = excess or (f"ended by signal {-code}" if code < 0 else f"ended with code {code}")
        summary = next((li for li in said.splitlines() if "SUMMARY" in li or "ERROR" in li), "")
        signature = f"{cause} {summary.split(' (')[0][-80:]}".strip()
        return Finding(self._kind, number, signature, f"{cause}\n{said}"), rest


def try_all(
    numbers: Iterator[int], trial: Trial, limits: Limits, kind: str, workers: int
) -> Iterator[tuple[int, str | list[Finding]]]:
    """The outcome of each input, in the order in which they end."""
    pool: dict[Connection, Worker] = {}
    returned: list[int] = []
    try:
        while True:
            for worker in [each for each in pool.values() if each.idle]:
                chunk = _chunk(returned, numbers)
                if chunk:
                    worker.give(chunk)
            while len(pool) < workers and (chunk := _chunk(returned, numbers)):
                worker = Worker(trial, limits, kind)
                pool[worker.pipe] = worker
                worker.give(chunk)
            busy: list[Any] = [pipe for pipe, worker in pool.items() if not worker.idle]
            if not busy:
                return
            for pipe in wait(busy, GLANCE):
                result = pool[pipe].receive()
                if result is not None:
                    yield result
                else:
                    found, rest = pool.pop(pipe).end()
                    returned += rest
                    if found is not None:
                        yield found.number, [found]
            for pipe, worker in list(pool.items()):
                excess = worker.excess()
                if excess is not None:
                    found, rest = pool.pop(pipe).end(excess)
                    returned += rest
                    if found is not None:
                        yield found.number, [found]
    finally:
        for worker in pool.values():
            worker.stop()


def _chunk(returned: list[int], numbers: Iterator[int]) -> list[int]:
    chunk = returned[:CHUNK]
    del returned[:CHUNK]
    while len(chunk) < CHUNK:
        number = next(numbers, None)
        if number is None:
            break
        chunk.append(number)
    return chunk


def _work(trial: Trial, pipe: Connection, errors: int, limits: Limits, kind: str) -> None:
    import faulthandler
    import warnings

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    os.dup2(errors, 2)
    faulthandler.enable(2)
    faulthandler.register(signal.SIGUSR1, 2)
    warnings.simplefilter("error")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limits.limit_addresses:
        with open("/proc/self/statm") as file:
            before = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        size = before + limits.megabytes * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    with contextlib.suppress(EOFError):
        while True:
            for number in pipe.recv():
                before = os.fstat(2).st_size
                outcome = trial(number)
                if os.fstat(2).st_size > before and isinstance(outcome, str):
                    said = _read(2)
                    first = next((line for line in said.splitlines() if "error" in line), "")
                    words = f"output on standard error {first[-80:]}".strip()
                    outcome = [Finding(kind, number, words, said)]
                if os.fstat(2).st_size > before:
                    os.ftruncate(2, 0)
                    os.lseek(2, 0, os.SEEK_SET)
                pipe.send((number, outcome))


def _read(file: int) -> str:
    return os.pread(file, MOST_STDERR, 0).decode(errors="replace")


def _processor_seconds(process: int | None) -> float:
    try:
        with open(f"/proc/{process}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0


def _megabytes(process: int | None) -> float:
    try:
        with open(f"/proc/{process}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except (OSError, IndexError):
        return 0.0  # it has ended, or the system has no such file
