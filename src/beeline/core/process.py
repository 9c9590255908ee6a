"""What the operating system knows about this process: its age and its memory."""

from __future__ import annotations

import time

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
    try:
        # Unlike getrusage, this does not count what the parent process had before it forked.
        with open("/proc/self/status", "rb") as stream:
            for line in stream:
                if line.startswith(b"VmHWM:"):
                    return int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    try:
        import resource
        import sys
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // 1024 if sys.platform == "darwin" else peak
