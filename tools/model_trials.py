"""Planners on test tasks: the packaged model, and greedy search with h_FF beside it.

Each run is a process of its own under limits on time and memory, as a user would start it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

LEARNED, CLASSICAL = "learned", "classical"
PATIENCE = 60.0  # seconds after its time limit at which a process is given up


class Limits(NamedTuple):
    """Of one run."""

    seconds: float
    memory: str  # such as 4G


def try_out(
    model: Path, files: Sequence[Path], limits: Limits, jobs: int, tell: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Both planners on each task file; a record with the results of each, in the same order."""
    domain = files[0].with_name("domain.pddl")

    def both(file: Path) -> dict[str, Any]:
        words = [str(domain), str(file)]
        return {
            "task": file.stem,
            LEARNED: _run(["plan", str(model), *words], limits),
            CLASSICAL: _run(["solve", *words, "--heuristic", "ff"], limits),
        }

    records = []
    with ThreadPoolExecutor(jobs) as pool:  # each thread waits for its process
        for record in pool.map(both, files):
            learned, classical = _briefly(record[LEARNED]), _briefly(record[CLASSICAL])
            tell(f"{record['task']}: {learned}; h_FF {classical}")
            records.append(record)
    return records


def _run(words: list[str], limits: Limits) -> dict[str, Any]:
    options = ["--time-limit", f"{limits.seconds:g}", "--memory-limit", limits.memory]
    command = [sys.executable, "-m", "beeline", *words, *options, "--json", "--quiet"]
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=limits.seconds + PATIENCE
        )
    except subprocess.TimeoutExpired:
        return {"status": "time_limit", "seconds": limits.seconds}
    if not run.stdout:
        return {"status": f"exit code {run.returncode}", "seconds": limits.seconds}
    result = json.loads(run.stdout)
    if "error" in result:  # not a matter of limits: to be looked into
        return {"status": f"error: {result['error']['message']}", "seconds": limits.seconds}
    return figures(result)


def figures(result: dict[str, Any]) -> dict[str, Any]:
    """What is kept of the JSON object that `plan` and `solve` print.

    >>> figures({"status": "solved", "total_time": 1.23456, "expanded": 9, "length": 8})
    {'status': 'solved', 'seconds': 1.235, 'expanded': 9, 'steps': 8}
    """
    kept = {
        "status": result["status"],
        "seconds": round(result["total_time"], 3),
        "expanded": result["expanded"],
        "steps": result["length"],
    }
    # The first one to find a plan; a later one was asked for a second opinion.
    found = [each["search"] for each in result.get("phases", ()) if each["status"] == "solved"]
    return {**kept, "search": found[0]} if found else kept


def _briefly(run: dict[str, Any]) -> str:
    if run["status"] != "solved":
        return str(run["status"]).replace("_", " ")
    return f"{run['steps']} steps, {run['expanded']} expanded, {run['seconds']:.1f} s"
