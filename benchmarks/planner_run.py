"""One planner on one task under limits: a record of what it did, and the check of its plan."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from limited_process import LimitedRun, Limits, run_limited
from planners import PLAN, PLANNERS, Job

if TYPE_CHECKING:
    from threading import Event

# Exit codes of Fast Downward, which Beeline shares from 11 on.
REASONS = {
    11: "unsolvable",
    12: "incomplete",
    20: "memory_limit",
    21: "time_limit",
    22: "memory_limit",
    23: "time_limit",
    24: "memory_and_time_limit",
}
STARVED = 0.9  # of the processor time; who ends at a time limit with less has had too little
BAD_COMMAND_LINE = 2  # nothing to measure; of Stone Soup with a plan: time is up
BAD_INPUT = 31  # of `beeline validate`: the file is no plan


def measure(name: str, job: Job, stop: Event) -> dict[str, Any]:
    """The record of a planner on a task, with its plan checked."""
    planner = PLANNERS[name]
    # The wall clock only guards against planners that hang.
    guard = max(job.wall_seconds, 4 * job.cpu_seconds) + 30
    limits = Limits(job.cpu_seconds, job.memory_gb * 2**20, guard)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as path:
        folder = Path(path)
        run = run_limited(planner.command(job), folder, limits, stop)
        if run.code == BAD_COMMAND_LINE and not any(folder.glob(f"{PLAN}*")):
            raise RuntimeError(f"{name} does not know its options: {run.errors}")
        verdict = last_verdict(job, folder) if planner.anytime else None
        plan = folder / PLAN
        if verdict is None and plan.exists():
            verdict = validate(job, plan)
    valid = None if verdict is None else bool(verdict["valid"])
    # Those that go on with better plans are stopped at the limit; what they have by then counts.
    in_time = planner.anytime and valid
    reason = None if in_time else reason_of_failure(run, job.cpu_seconds, valid)
    record = {
        "planner": name,
        "domain": job.domain_name,
        "task": job.task_name,
        "solved": reason is None,
        "reason": reason,
        "valid": valid,
        "length": verdict["length"] if verdict and valid else None,
        "cost": verdict["cost"] if verdict and valid else None,
        "cpu_seconds": round(run.cpu_seconds, 3),
        "wall_seconds": round(run.wall_seconds, 3),
        "peak_mb": round(run.peak_kb / 1024, 1),
        "expanded": None,
        "evaluated": None,
        **planner.counters(run.output),
        "limits": {"cpu_seconds": job.cpu_seconds, "memory_gb": job.memory_gb},
    }
    if planner.needs_models:
        record["model_sha256"] = hashlib.sha256(job.model.read_bytes()).hexdigest()
    if reason is not None and reason.startswith("exit code"):
        record["message"] = run.errors[-1000:]
    return record


def last_verdict(job: Job, folder: Path) -> dict[str, Any] | None:
    """The verdict on the last whole plan of those that are numbered."""
    numbered = [path for path in folder.glob(f"{PLAN}.*") if path.suffix[1:].isdigit()]
    for path in sorted(numbered, key=lambda path: -int(path.suffix[1:])):
        verdict = validate(job, path)
        if verdict["valid"]:
            return verdict
    return None


def reason_of_failure(run: LimitedRun, seconds: float, valid: bool | None) -> str | None:
    """Why a run does not count, None if it does; a plan after the time limit is none.

    `wall_clock_limit` says that the machine was too busy to give a planner its processor time.
    """
    if run.guarded:
        return "wall_clock_limit"
    if run.cpu_seconds > seconds:
        return "time_limit"
    if valid:
        return None
    if valid is False:
        return "invalid_plan"
    reason = REASONS.get(run.code, f"exit code {run.code}")
    starved = reason == "time_limit" and run.cpu_seconds < STARVED * seconds
    return "wall_clock_limit" if starved else reason


def validate(job: Job, plan: Path) -> dict[str, Any]:
    """The verdict of `beeline validate`, in a process of its own to keep this one small.

    The operating system counts as peak memory of a process what its parent had when it started.
    """
    program = str(Path(sys.executable).with_name("beeline"))
    command = [program, "validate", str(job.domain), str(job.task), str(plan), "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == BAD_INPUT:
        return {"valid": False, "length": None, "cost": None}  # such as half a plan
    if not done.stdout:
        raise RuntimeError(f"no verdict on a plan for {job.task}: {done.stderr}")
    verdict: dict[str, Any] = json.loads(done.stdout)
    return verdict
