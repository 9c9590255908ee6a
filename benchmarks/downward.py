"""Fast Downward as a peer: the binary of the package `up-fast-downward`, and its translator."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

from measured_process import run

# What the planner prints, and the name we give it. The last occurrence counts.
FIGURES = {
    "expanded": r"Expanded (\d+) state",
    "evaluated": r"Evaluated (\d+) state",
    "generated": r"Generated (\d+) state",
    "states": r"Number of registered states: (\d+)",
    "bytes_per_packed_state": r"Bytes per state: (\d+)",
    "cost": r"Plan cost: (\d+)",
    "initial_h": r"Initial heuristic value for [^:]*: (\d+)",
    "seconds": r"Search time: ([\d.e-]+)s",
}


def binary() -> Path:
    """The planner's search component; its Python package is found but not imported."""
    package = importlib.util.find_spec("up_fast_downward")
    if package is None or package.origin is None:
        sys.exit("Fast Downward is missing: pip install up-fast-downward")
    return Path(package.origin).parent / "downward/builds/release/bin/downward"


def translate(domain: Path, task: Path, folder: Path, timeout: float = 600.0) -> Path:
    """The task in the planner's own format, in a new file of `folder`."""
    sas = folder / f"{len(list(folder.iterdir()))}-{task.stem}.sas"
    translator = [sys.executable, "-m", "fast_downward.translate"]
    files = [str(domain.resolve()), str(task.resolve()), "--sas-file", str(sas)]
    done = run(translator + files, timeout=timeout)
    if done.code != 0:
        raise RuntimeError(f"the translator ended with {done.code} on {task}: {done.errors}")
    return sas


def search(sas: Path, configuration: str, timeout: float = 600.0) -> dict[str, Any]:
    """Run a search. The answer has the figures above that were printed, and peak memory.

    Peak memory is the process's resident memory as the operating system counts it; what the
    planner prints itself is address space.
    """
    done = run(
        [str(binary()), "--search", configuration, "--internal-plan-file", "plan"],
        stdin=sas,
        timeout=timeout,
    )
    record: dict[str, Any] = {
        "solved": "Solution found" in done.output,
        "peak_mb": done.peak_kb / 1024,
    }
    for name, pattern in FIGURES.items():
        found = re.findall(pattern, done.output)
        if found:
            record[name] = float(found[-1]) if name == "seconds" else int(found[-1])
    return record
