"""Datasets of plans: solve tasks optimally, and keep what can be learned from the solutions.

Each task is solved by A* with LM-cut, or, where upper bounds of the costs will do, by greedy
search with h_FF and its preferred operators. A random instance that is too hard or trivial is
replaced by another one of the same parameters, up to 20 times, as in Núñez-Molina et al., "On
using admissible bounds for learning forward search heuristics", IJCAI 2024, section 4. Shards are
independent jobs whose results depend on nothing but their settings, so that a run that was
stopped goes on as if nothing had happened.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline import _native
from beeline.core.errors import BeelineError, Status
from beeline.core.records import Glance, Job, Store, other_versions_text, run_jobs
from beeline.data.manifest import MOST_SHARDS, PLANS, Manifest
from beeline.data.plan_walk import plan_orders, state_columns, walk_plan
from beeline.data.reader import Dataset
from beeline.data.shards import DatasetWriter, Shard, encode_shard
from beeline.data.summary import Summary, summarize
from beeline.data.task_sets import PlanSettings, Source, TaskSet, assign_splits
from beeline.pddl import parse_domain, parse_problem
from beeline.planning.solve import solve
from beeline.task.grounding import ground

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from beeline.core.records import Executor, WorkerDiedError
    from beeline.task.ground_task import GroundTask
    from beeline.task.plan_file import Plan

TRIVIAL = "trivial"


class Instance(NamedTuple):
    """A task with its place in the dataset."""

    number: int
    split: str
    source: Source


@dataclass(frozen=True)
class ShardJob:
    """All that a worker needs to make one shard."""

    number: int
    identity: str
    domain_text: str
    instances: tuple[Instance, ...]
    settings: PlanSettings


def sample_plans(
    tasks: TaskSet,
    settings: PlanSettings,
    folder: str | os.PathLike[str],
    executor: Executor,
    *,
    progress: Callable[[Glance], None] | None = None,
    warn: Callable[[str], None] | None = None,
) -> Summary:
    """Make a dataset, or complete it, and say what is in it; shards are the jobs."""
    jobs, manifest = _plan_work(tasks, settings)
    with DatasetWriter(folder, manifest) as writer:
        shards = _Shards(writer)
        run_jobs(jobs, shards, executor, progress)
        if writer.other_versions and warn is not None:
            warn(other_versions_text(writer.other_versions))
        if shards.failures:
            job, error = shards.failures[0]
            names = ", ".join(instance.source.name for instance in job.instances[:3])
            others = len(shards.failures) - 1
            more = f" and {others} more shards" if others else ""
            message = f"{names}{more}: {error}; the other shards are kept"
            hint = "set --memory-limit or take fewer --jobs, and run again"
            raise BeelineError(message, str(folder), hint=hint)
        summary = summarize(Dataset(folder, unfinished=True))
        writer.finish(summary.counts())
    return summary


class _Shards(Store):
    """The shards of a dataset as records."""

    def __init__(self, writer: DatasetWriter) -> None:
        self._writer = writer
        self.failures: list[tuple[ShardJob, WorkerDiedError]] = []

    def missing(self, jobs: Sequence[Job]) -> list[Job]:
        """The jobs without a shard."""
        return [jobs[number] for number in self._writer.missing()]

    def keep(self, job: Job, value: Shard, code: str) -> None:
        """Write a shard, which knows its code."""
        self._writer.add(int(job.name), value)

    def fail(self, job: Job, error: BeelineError | WorkerDiedError) -> None:
        """Go on with other shards if a worker died."""
        if isinstance(error, BeelineError):
            raise error
        self.failed += 1
        self.failures.append((job.arguments[0], error))


def _plan_work(tasks: TaskSet, settings: PlanSettings) -> tuple[list[Job], Manifest]:
    """The jobs of all shards, and the manifest."""
    sources = tasks.sources
    splits = assign_splits([source.name for source in sources], settings.splits, settings.seed)
    size = math.ceil(len(sources) / MOST_SHARDS)
    instances = [
        Instance(number, split, source)
        for number, (split, source) in enumerate(zip(splits, sources, strict=True))
    ]
    manifest = tasks.manifest(
        PLANS,
        {**settings.to_json(), "instances_per_shard": size},
        seed=settings.seed,
        shards=math.ceil(len(sources) / size),
        splits=[name for name, _ in settings.splits],
    )
    jobs = []
    for number in range(manifest.shards):
        part = tuple(instances[number * size : (number + 1) * size])
        job = ShardJob(number, manifest.identity, tasks.domain_text, part, settings)
        jobs.append(Job(str(number), manifest.config, make_shard, (job,)))
    return jobs, manifest


def make_shard(job: ShardJob) -> Shard:
    """The rows of a few instances; depends on nothing but the job."""
    rows, states = [], []
    for instance in job.instances:
        row, columns = sample_instance(job.domain_text, instance, job.settings)
        rows.append(row)
        if columns is not None:
            states.append(columns)
    orders = job.settings.orders > 1
    return encode_shard(job.number, job.identity, rows, states, orders=orders)


def sample_instance(
    domain_text: str, instance: Instance, settings: PlanSettings
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The row of an instance, and the columns of its states if it has a plan."""
    source = instance.source
    domain = parse_domain(domain_text, "<domain>")
    outcomes: list[str] = []
    attempts = 1 if source.recipe is None else settings.attempts
    plan = None
    while plan is None and len(outcomes) < attempts:
        text = source.task_text(len(outcomes))
        task = ground(parse_problem(domain, text, source.name), unit_costs=settings.unit_costs)
        counters = dict.fromkeys(("expanded", "evaluated", "generated", "dead_ends"), 0)
        status, plan, optimal = _find_plan(task, source, settings, counters)
        outcomes.append(status)
    row = {
        "instance": instance.number,
        "name": source.name,
        "split": instance.split,
        "status": status,
        "attempts": len(outcomes),
        "outcomes": outcomes,
        "seed": settings.seed,
        "plan": plan,
        "cost": None,
        "optimal": None if plan is None else optimal,
        "objects": task.num_objects,
        "variables": task.num_variables,
        "facts": task.fact_names,
        "operators": task.num_operators,
        **counters,
        "task": text,
    }
    if plan is None:
        return row, None
    states = _native.States(task.native)
    try:
        walk = walk_plan(task, states, plan)
    except BeelineError as error:
        raise BeelineError(error.message, source.name) from None
    number, row["cost"] = instance.number, walk.costs_to_go(task)[0]
    _, *others = plan_orders(task, states, walk, settings.orders, (settings.seed, number))
    return row, state_columns(
        task, states, walk, settings, instance=number, optimal=optimal, others=others
    )


def _find_plan(
    task: GroundTask, source: Source, settings: PlanSettings, counters: dict[str, int]
) -> tuple[str, Plan | None, bool]:
    """How it ended, the plan, and whether no plan is cheaper; counters are filled in."""
    if task.goal_holds_initially:
        return TRIVIAL, None, False
    plan, optimal = source.plan, settings.optimal_plans
    if plan is None:
        how: dict[str, Any] = {"search": "astar", "heuristic": "lmcut"}
        if settings.satisficing:
            how = {"search": "gbfs", "heuristic": "ff", "preferred": "ff"}
        result = solve(
            task,
            **how,
            symmetry=settings.symmetry,
            max_evaluations=settings.max_evaluations,
            time_limit=settings.time_limit,
            memory_limit=settings.memory_limit,
        )
        if result.interrupted:
            raise KeyboardInterrupt
        counters.update({name: getattr(result, name) for name in counters})
        if result.plan is None:
            return result.status.value, None, False
        plan, optimal = result.plan, not settings.satisficing
    if len(plan) < settings.min_length:
        return TRIVIAL, None, False
    return Status.SOLVED.value, plan, optimal
