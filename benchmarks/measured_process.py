"""One process from start to end: its output, wall-clock time and peak resident memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple


class Run(NamedTuple):
    """A finished process."""

    seconds: float
    peak_kb: int
    output: str
    errors: str
    code: int


def run(command: list[str], *, stdin: Path | None = None, timeout: float = 600.0) -> Run:
    """Run a command in an empty folder; it is killed after `timeout` seconds.

    >>> run([sys.executable, "-c", "print(6 * 7)"]).output
    '42\\n'
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
        (stdin or Path(os.devnull)).open("rb") as source,
    ):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=source, stdout=output, stderr=errors, cwd=folder)
        alarm = threading.Timer(timeout, process.kill)
        alarm.daemon = True
        alarm.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        alarm.cancel()
        output.seek(0)
        errors.seek(0)
        text, complaints = (file.read().decode(errors="replace") for file in (output, errors))
    peak = usage.ru_maxrss // (1024 if sys.platform == "darwin" else 1)
    return Run(seconds, peak, text, complaints, process.returncode)
