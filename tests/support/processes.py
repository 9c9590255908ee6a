"""Processes that tests start, and what becomes of their children."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Process(NamedTuple):
    """What the operating system says about a process."""

    parent: int
    state: str
    title: str


def all_processes() -> dict[int, Process]:
    """Every process, by its number."""
    listing = subprocess.run(
        ["ps", "-axww", "-o", "pid=,ppid=,state=,command="],
        capture_output=True,
        text=True,
        check=True,
    )
    found = {}
    for line in listing.stdout.splitlines():
        pid, parent, state, *title = line.split(None, 3)
        found[int(pid)] = Process(int(parent), state, "".join(title))
    return found


def any_running(pids: list[int]) -> bool:
    """Whether one of these exists and is not just waiting to be buried."""
    processes = all_processes()
    return any(pid in processes and processes[pid].state[0] != "Z" for pid in pids)


def descendants(pid: int, title: str = "") -> list[int]:
    """The processes below this one, those whose titles begin so."""
    processes = all_processes()
    found = [pid]
    for ancestor in found:
        found += [child for child, process in processes.items() if process.parent == ancestor]
    return [child for child in found[1:] if processes[child].title.startswith(title)]


def wait_until(condition: Callable[[], object], seconds: float = 30.0) -> bool:
    """Whether a condition becomes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def listening_addresses(pids: list[int]) -> set[str]:
    """The IPv4 addresses at which these processes wait for connections; 0.0.0.0 is every one."""
    sockets = set()
    for pid in pids:
        for handle in Path(f"/proc/{pid}/fd").glob("*"):
            with suppress(OSError):
                sockets.add(os.readlink(handle))
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == "0A" and f"socket:[{inode}]" in sockets:
                # Numbers of four bytes each, the last of which is an IPv4 address, or nothing.
                last = bytes.fromhex(local.partition(":")[0][-8:])
                found.add(".".join(str(byte) for byte in reversed(last)))
    return found
