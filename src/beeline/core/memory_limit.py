"""A limit on the memory of work that does not watch it itself, such as reading and grounding."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

RESERVE = 6 * 2**20  # bytes


@contextmanager
def limited_memory(limit: int | None) -> Iterator[None]:
    """Let the system refuse the process more than `limit` bytes: the block ends in MemoryError.

    None means no limit. The limit is one of the whole process, so only the main thread sets it;
    elsewhere, and where the system cannot tell how much is in use, the block just runs.

    >>> try:
    ...     with limited_memory(2**30):
    ...         memory = bytearray(2**31)
    ... except MemoryError:
    ...     print("enough")
    enough
    """
    import threading

    allowed = None if limit is None else _allowed_data(limit)
    if allowed is None or threading.current_thread() is not threading.main_thread():
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
    fields = {}
    try:
        with open("/proc/self/status") as stream:
            for line in stream:
                name, _, value = line.partition(":")
                fields[name] = value.split()
        unused = 1024 * (int(fields["VmData"][0]) - int(fields["VmRSS"][0]))
        return max(0, memory - RESERVE + unused)
    except (OSError, KeyError, ValueError, IndexError):
        return None
