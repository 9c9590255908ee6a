"""Reading what is no file on a disk: pipes, as in `<(...)` and `/dev/stdin`, and terminals.

Nobody may wait for ever for a pipe that nobody writes to, nor read a device without an end.
"""

from __future__ import annotations

import os
import select
import stat

from beeline.core.errors import BeelineError

LARGEST_PIPE = 2**28  # bytes
LARGEST_DEVICE = 2**20  # bytes that come from a terminal
PATIENCE = 2.0  # seconds that the other end of a pipe may take to open it
_PART = 2**16  # bytes


def read_stream(name: str, mode: int, kind: str) -> bytes:
    """All bytes of a pipe, or of a device that has an end; `mode` is what the system calls it."""
    if not stat.S_ISFIFO(mode) and not stat.S_ISCHR(mode):
        what = "a socket" if stat.S_ISSOCK(mode) else "a device"
        raise BeelineError(f"is {what}, not a {kind}", name, hint="name a file")
    most = LARGEST_PIPE if stat.S_ISFIFO(mode) else LARGEST_DEVICE
    handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return _read(handle, most, name, kind)
    finally:
        os.close(handle)


def _read(handle: int, most: int, name: str, kind: str) -> bytes:
    events = select.poll()
    events.register(handle, select.POLLIN)
    parts: list[bytes] = []
    size = 0
    seconds: float | None = PATIENCE
    while size <= most:
        told = events.poll(None if seconds is None else seconds * 1000)
        try:
            part = os.read(handle, _PART)
        except BlockingIOError:  # somebody has opened the other end, and may think
            seconds = None
            continue
        if not part and not told and not parts:
            raise BeelineError("a pipe that nobody writes to", name, hint=f"name a {kind}")
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
    raise BeelineError(f"goes on after {most:,} bytes", name, hint=f"is this a {kind}?")
