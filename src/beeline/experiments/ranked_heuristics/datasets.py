"""Optimal plans of the tasks to train with and to choose weights by, from the library's planner."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import BeelineError
from beeline.data.manifest import FILE_NAME, read_manifest
from beeline.experiments.ranked_heuristics.tasks import TRAINING, VALIDATION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from beeline.data.manifest import Manifest
    from beeline.experiments.ranked_heuristics.tasks import DomainTasks
    from beeline.sampling.task_sets import TaskSet

PARTS = (TRAINING, VALIDATION)


EVALUATIONS = 500_000
FEWER = {"blocks": 100_000}  # has many tasks, of which those that need more need far more


class PlanLimits(NamedTuple):
    """Of A* with LM-cut in one task; a task that needs more is left out."""

    evaluations: int | None = None  # None for what suits the domain
    seconds: float = 300.0

    def evaluations_in(self, domain: str) -> int:
        """The limit for a domain."""
        return self.evaluations or FEWER.get(domain, EVALUATIONS)


def set_folder(results: Path, domain: str, part: str, orders: int = 1) -> Path:
    """Where the states of a part are, with so many orders of each plan."""
    return results / "datasets" / (domain if orders == 1 else f"{domain}-{orders}orders") / part


def make_sets(
    tasks: Mapping[str, DomainTasks],
    limits: PlanLimits,
    results: Path,
    jobs: int,
    say: Callable[[str], None],
) -> None:
    """Make or complete all sets, with the states beside the plans, and with unit costs."""
    from beeline.backends.local import LocalExecutor
    from beeline.sampling.optimal_plans import sample_plans
    from beeline.sampling.plan_settings import PlanSettings
    from beeline.sampling.task_sets import given_tasks

    for domain, files in tasks.items():
        for part in PARTS:
            settings = PlanSettings(
                splits=((part, 1.0),),
                siblings=True,
                max_evaluations=limits.evaluations_in(domain),
                time_limit=limits.seconds,
                unit_costs=True,
            )
            wanted = [str(task) for task in files.part(part)]
            task_set = given_tasks(str(files.domain), wanted, unit_costs=True)
            began = perf_counter()
            with LocalExecutor(jobs) as executor:
                summary = sample_plans(
                    task_set, settings, set_folder(results, domain, part), executor
                )
            counts = summary.counts()
            solved = f"{counts['solved']} of {counts['instances']} tasks solved"
            say(f"plans of {domain}, {part}: {solved}, {perf_counter() - began:.0f} s")


def make_ordered_sets(
    domains: Sequence[str], orders: int, results: Path, jobs: int, say: Callable[[str], None]
) -> None:
    """Make or complete sets with more orders of the plans that `make_sets` has found."""
    from beeline.backends.local import LocalExecutor
    from beeline.sampling.optimal_plans import sample_plans
    from beeline.sampling.plan_settings import PlanSettings

    for domain in domains:
        for part in PARTS:
            settings = PlanSettings(
                splits=((part, 1.0),),
                siblings=True,
                unit_costs=True,
                optimal_plans=True,
                orders=orders,
            )
            solved = _solved_tasks(set_folder(results, domain, part))
            folder = set_folder(results, domain, part, orders)
            began = perf_counter()
            with LocalExecutor(jobs) as executor:
                sample_plans(solved, settings, folder, executor)
            say(f"{orders} orders of {domain}, {part}: {perf_counter() - began:.0f} s")


def _solved_tasks(folder: Path) -> TaskSet:
    """The solved tasks of a set, with their plans."""
    from hashlib import sha256

    from beeline.data.reader import Dataset
    from beeline.sampling.task_sets import Source, TaskSet

    dataset = Dataset(folder)
    sources = tuple(
        Source(row["name"], text=row["task"], plan=tuple(row["plan"]))
        for row in dataset.instances(columns=["name", "status", "task", "plan"])
        if row["status"] == "solved"
    )
    digests = {
        each.name: sha256(repr((each.text, each.plan)).encode()).hexdigest() for each in sources
    }
    signature = dataset.manifest.domain
    description = {"tasks": digests, "plans": True}
    return TaskSet(dataset.domain_text, signature, sources, description)


def complete_manifest(results: Path, domain: str, part: str, orders: int = 1) -> Manifest | None:
    """The manifest of a complete set, or None."""
    folder = set_folder(results, domain, part, orders)
    if not (folder / FILE_NAME).is_file():
        return None
    manifest = read_manifest(folder)
    return manifest if manifest.complete else None


def identities(results: Path, domain: str, orders: int = 1) -> dict[str, str]:
    """What tells the sets of a domain from others; an error if one is not complete."""
    found = {}
    for part in PARTS:
        manifest = complete_manifest(results, domain, part, orders)
        if manifest is None:
            raise BeelineError(
                "the dataset is not complete",
                str(set_folder(results, domain, part, orders)),
                hint="run the experiment, not only its report",
            )
        found[part] = manifest.identity[:16]
    return found


def set_sizes(results: Path, domain: str) -> list[dict[str, Any]]:
    """Tasks, how many were solved, and states of the sets that are complete."""
    manifests = {part: complete_manifest(results, domain, part) for part in PARTS}
    return [
        {"part": part, "max_evaluations": manifest.config["max_evaluations"], **manifest.counts}
        for part, manifest in manifests.items()
        if manifest is not None
    ]
