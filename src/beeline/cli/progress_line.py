"""One line on a terminal that shows how a search is doing."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beeline._native import SearchProgress


class ProgressLine:
    """Rewrites its line with every glance; silent unless standard error is a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        stream = sys.stderr
        self._stream = None if quiet or stream is None or not stream.isatty() else stream
        self._width = 0

    def show(self, progress: SearchProgress) -> None:
        """Show the latest counters."""
        self.say(progress_text(progress))

    def say(self, text: str) -> None:
        """Show any text."""
        self._write(text)

    def clear(self) -> None:
        """Take the line away."""
        if self._width:
            self._write("")
            self._width = 0

    def _write(self, text: str) -> None:
        if self._stream is not None:
            padding = " " * (self._width - len(text))
            end = "" if text else "\r"
            self._stream.write(f"\r{text}{padding}{end}")
            self._stream.flush()
            self._width = len(text)


def progress_text(progress: SearchProgress) -> str:
    """Evaluations, their speed, the best value, queue sizes and states on one line."""
    evaluated, seconds = progress.counters.evaluated, progress.seconds
    speed = f" ({evaluated / seconds:,.0f}/s)" if seconds > 0.05 else ""
    best = f", best h {progress.best_h:g}" if math.isfinite(progress.best_h) else ""
    queues = "+".join(f"{size:,}" for size in progress.queue_sizes)
    return (
        f"{seconds:.1f} s: {evaluated:,} evaluated{speed}{best}"
        f", {queues} queued, {progress.states:,} states"
    )
