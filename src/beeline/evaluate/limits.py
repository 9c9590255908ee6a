"""Limits of a run: what the search is told, and what the operating system enforces."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import ceil, inf
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.core.memory_limit import limited_memory, lower_limit
from beeline.core.memory_size import memory_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from beeline.evaluate.suite_text import Section

GRACE = 10  # seconds of work beyond the time limit before a run is killed


@dataclass(frozen=True)
class RunLimits:
    """Seconds, bytes of the run's process, and counts; None means no limit."""

    time: float | None = None
    memory: int | None = None
    evaluations: int | None = None
    expansions: int | None = None

    def search_words(self) -> dict[str, Any]:
        """The limits as `solve` and `plan` call them."""
        return {
            "time_limit": self.time,
            "memory_limit": self.memory,
            "max_evaluations": self.evaluations,
            "max_expansions": self.expansions,
        }

    def to_json(self) -> dict[str, float | None]:
        """The limits as records have them."""
        return asdict(self)


def run_limits(section: Section) -> RunLimits:
    """The limits of the table [limits]."""
    section.known(("time", "memory", "evaluations", "expansions"))
    seconds = section.get("time", "a number")
    if seconds is not None and not 0 < seconds < inf:
        raise section.error(f"'time' is {seconds}", "time", "seconds, above 0")
    counts = {name: section.get(name, "a whole number") for name in ("evaluations", "expansions")}
    for name, count in counts.items():
        if count is not None and not 1 <= count < 2**62:
            raise section.error(f"'{name}' is {count}", name, "a whole number from 1 up")
    return RunLimits(
        time=None if seconds is None else float(seconds), memory=_memory(section), **counts
    )


@contextmanager
def enforced(limits: RunLimits) -> Iterator[None]:
    """Let the system refuse memory beyond the limit, and kill what goes on long after its time.

    Searches watch their limits themselves; this is for everything else, such as reading a task.
    """
    import resource

    kinds = (resource.RLIMIT_CPU, resource.RLIMIT_CORE)
    previous = {kind: resource.getrlimit(kind) for kind in kinds}
    if limits.time is not None:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        lower_limit(kinds[0], ceil(usage.ru_utime + usage.ru_stime + limits.time) + GRACE)
        lower_limit(kinds[1], 0)  # to be killed is no reason to leave a core file
    try:
        with limited_memory(limits.memory):
            yield
    finally:
        for kind, pair in previous.items():
            resource.setrlimit(kind, pair)


def _memory(section: Section) -> int | None:
    value = section.values.get("memory")
    if value is None:
        return None
    try:
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            size = memory_size("'memory'", str(value))
            if size:
                return size
    except BeelineError:
        pass
    raise section.error(f"'memory' is {value!r}", "memory", 'such as "2G"; a plain number means MB')
