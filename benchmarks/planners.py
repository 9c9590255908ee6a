"""Planners by name: the command that solves a task with each, and the counters that it prints."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import downward

if TYPE_CHECKING:
    from collections.abc import Callable

PLAN = "plan"  # the name of the plan, in the folder where a planner runs
COUNTERS = ("expanded", "evaluated", "search_time")


class Job(NamedTuple):
    """A task to solve and what may be used for it."""

    domain_name: str
    task_name: str  # such as easy-p10
    domain: Path
    task: Path
    cpu_seconds: int
    wall_seconds: int  # for planners that only know a limit of wall-clock time
    memory_gb: int  # address space
    model: Path  # only read by planners that need one


class Planner(NamedTuple):
    """How to start a planner and how to read what it prints; `needs_models` if it has learned."""

    command: Callable[[Job], list[str]]
    counters: Callable[[str], dict[str, Any]]
    needs_models: bool = False
    anytime: bool = False  # leaves numbered plans, the last one is the cheapest


def _driver(job: Job, *options: str) -> list[str]:
    """Fast Downward's own driver: it translates the task, then searches."""
    driver = [sys.executable, str(downward.binary().parents[3] / "fast-downward.py")]
    memory = ["--overall-memory-limit", f"{job.memory_gb}G"]
    return [*driver, *memory, "--plan-file", PLAN, *options]


def lama_first(job: Job) -> list[str]:
    """The first iteration of LAMA: lazy greedy search, h_FF and landmarks, preferred operators."""
    return [*_driver(job, "--alias", "lama-first"), str(job.domain), str(job.task)]


def stone_soup(job: Job) -> list[str]:
    """Fast Downward Stone Soup of 2023, whose many searches share the time that there is."""
    limit = ["--overall-time-limit", f"{job.cpu_seconds}s"]
    return [*_driver(job, "--alias", "seq-sat-fdss-2023"), *limit, str(job.domain), str(job.task)]


def eager_ff(job: Job) -> list[str]:
    """Eager greedy search with h_FF in Fast Downward."""
    files = [str(job.domain), str(job.task)]
    return [*_driver(job), *files, "--search", "eager_greedy([ff()])"]


def _beeline(job: Job, *arguments: str) -> list[str]:
    limits = ["--time-limit", str(job.wall_seconds), "--memory-limit", f"{job.memory_gb}G"]
    limits += ["--processor-time-limit", str(job.cpu_seconds)]
    program = str(Path(sys.executable).with_name("beeline"))
    return [program, *arguments, *limits, "-o", PLAN, "--json", "--quiet"]


def beeline(job: Job) -> list[str]:
    """Search with the model that Beeline has learned for the domain."""
    return _beeline(job, "plan", str(job.model), str(job.domain), str(job.task))


def beeline_anytime(job: Job) -> list[str]:
    """The same, with better plans until the time is over."""
    return [*beeline(job), "--anytime"]


def beeline_ff(job: Job) -> list[str]:
    """Beeline's own lazy greedy search with h_FF and its preferred operators."""
    search = ("--heuristic", "ff", "--preferred", "ff", "--deferred")
    return _beeline(job, "solve", str(job.domain), str(job.task), *search)


def beeline_lama_first(job: Job) -> list[str]:
    """What `beeline solve` does without options: h_FF and landmarks, as LAMA."""
    return _beeline(job, "solve", str(job.domain), str(job.task), "--search", "lama-first")


def lama(job: Job) -> list[str]:
    """LAMA, until the time is over; the last plan is the cheapest."""
    return [*_driver(job, "--alias", "lama"), str(job.domain), str(job.task)]


def beeline_lama(job: Job) -> list[str]:
    """Beeline's LAMA, until the time is over."""
    return _beeline(job, "solve", str(job.domain), str(job.task), "--search", "lama")


def counters_of_downward(output: str) -> dict[str, Any]:
    """Counters in the log of Fast Downward; it prints none when it is stopped.

    >>> counters_of_downward("[t=0.1s, 9 KB] Expanded 12 state(s).")
    {'expanded': 12.0}
    """
    patterns = {**downward.FIGURES, "search_time": downward.FIGURES["seconds"]}
    found = {name: re.findall(patterns[name], output) for name in COUNTERS}
    return {name: float(numbers[-1]) for name, numbers in found.items() if numbers}


def counters_of_beeline(output: str) -> dict[str, Any]:
    """Counters in the JSON of Beeline, and its phases where it tells them.

    >>> counters_of_beeline('{"expanded": 12, "evaluated": 30, "cost": 9}')
    {'expanded': 12, 'evaluated': 30}
    """
    try:
        fields: dict[str, Any] = json.loads(output)
    except json.JSONDecodeError:
        return {}
    return {name: fields[name] for name in (*COUNTERS, "phases") if name in fields}


PLANNERS = {
    "lama-first": Planner(lama_first, counters_of_downward),
    "lama": Planner(lama, counters_of_downward, anytime=True),
    "stone-soup": Planner(stone_soup, counters_of_downward, anytime=True),
    "eager-ff": Planner(eager_ff, counters_of_downward),
    "beeline-ff": Planner(beeline_ff, counters_of_beeline),
    "beeline-lama-first": Planner(beeline_lama_first, counters_of_beeline),
    "beeline-lama": Planner(beeline_lama, counters_of_beeline, anytime=True),
    "beeline": Planner(beeline, counters_of_beeline, needs_models=True),
    "beeline-anytime": Planner(
        beeline_anytime, counters_of_beeline, needs_models=True, anytime=True
    ),
}
