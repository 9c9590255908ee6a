"""Greedy best-first search with the trained models, and with h_FF alone."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.experiments.admissible_bounds.grid import (
    EDITIONS,
    GAUSSIAN,
    LATER,
    METHODS,
    TRUNCATED,
)
from beeline.experiments.admissible_bounds.training import model_path
from beeline.experiments.records import Record, Work, read_record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from beeline.experiments.admissible_bounds.grid import Choice, TrainingRun
    from beeline.task.ground_task import GroundTask

SEED = 3  # the test set has the same tasks
USUAL_PRESET = EDITIONS[LATER].presets["test"]
PLANNED_MODELS = ("nlm", "linear")
PLANNED_CONFIGURATIONS = ("learn/ff", "fixed/none")
FF = "ff"
ORDERS = {"plain": "h,fifo", "rounded": "round(h),ff,fifo"}


class PlanningSettings(NamedTuple):
    """Limits and tasks; the preset of the generator is the usual one of the edition."""

    tasks: int = 20
    max_evaluations: int = 10_000
    time_limit: float = 60.0
    order: str = "plain"
    preset: str = USUAL_PRESET


class Contestant(NamedTuple):
    """A heuristic: h_FF, or a model with a point estimate."""

    name: str
    domain: str
    model: str = FF
    configuration: str = ""
    method: str = FF
    seed: int = 0
    path: str = ""
    digest: str = ""


def planning_settings(choice: Choice) -> PlanningSettings:
    """What a choice says about searches."""
    return PlanningSettings(
        choice.tasks,
        choice.max_evaluations,
        choice.time_limit,
        choice.order,
        EDITIONS[choice.edition].presets["test"],
    )


def contestants(
    runs: Sequence[TrainingRun], domains: Sequence[str], results: Path
) -> list[Contestant]:
    """h_FF in all domains, and all models that are to plan and are trained."""
    found = [Contestant(FF, domain) for domain in domains]
    for run in runs:
        path = model_path(results, run)
        planned = run.model in PLANNED_MODELS and run.configuration in PLANNED_CONFIGURATIONS
        record = read_record(results / "training" / f"{run.key}.json")
        if not planned or record is None or record["settings"]["steps"] != run.steps:
            continue
        digest = sha256(path.read_bytes()).hexdigest()[:16]
        for method in METHODS:
            if (TRUNCATED if method == "TN" else GAUSSIAN) == run.distribution:
                name = f"{run.model}-{run.sigma}-{run.residual}-{method}-seed{run.seed}"
                words = (run.model, run.configuration, method, run.seed, str(path), digest)
                found.append(Contestant(name, run.domain, *words))
    return found


def planning_works(
    entrants: Sequence[Contestant], settings: PlanningSettings, results: Path
) -> list[Work]:
    """The records of all contestants on all tasks of their domains, task by task."""
    works = []
    for domain in dict.fromkeys(each.domain for each in entrants):
        for index in task_indices(_preset_sizes(domain, settings.preset), settings.tasks):
            for each in entrants:
                if each.domain != domain:
                    continue
                path = results / "planning" / settings.order / domain
                path /= f"{index:04d}-{each.name}.json"
                shown = {key: value for key, value in each._asdict().items() if key != "path"}
                limits = {**settings._asdict(), "index": index}
                del limits["tasks"]
                if settings.preset == USUAL_PRESET:
                    del limits["preset"]
                works.append(Work(path, {**shown, **limits}, plan_run, (each, index, settings)))
    return works


def task_indices(sizes: int, count: int) -> list[int]:
    """Indices of tasks that are spread evenly over the sizes of a preset.

    >>> task_indices(5, 3), task_indices(5, 7)
    ([0, 2, 4], [0, 1, 2, 3, 4, 6, 8])
    """
    rounds, rest = divmod(count, sizes)
    spread = [rounds * sizes + (2 * place + 1) * sizes // (2 * rest) for place in range(rest)]
    return [*range(rounds * sizes), *spread]


def plan_run(contestant: Contestant, index: int, settings: PlanningSettings) -> Record:
    """Search once; what goes into the record."""
    from beeline.planning.solve import solve

    task = planning_task(contestant.domain, index, settings.preset)
    alone = contestant.model == FF  # needs no second order by the same heuristic
    result = solve(
        task,
        "gbfs",
        FF if alone else _heuristic(contestant),
        tie_breaking=ORDERS["plain" if alone else settings.order],
        max_evaluations=settings.max_evaluations,
        time_limit=settings.time_limit,
    )
    return {
        "line": f"{result.status.value}, {result.evaluated} evaluations, {result.total_time:.1f} s",
        "task": task.problem.name,
        "status": result.status.value,
        "solved": result.solved,
        "evaluated": result.evaluated,
        "cost": result.cost,
        "seconds": result.total_time,
    }


@lru_cache(maxsize=2)
def planning_task(domain: str, index: int, preset: str) -> GroundTask:
    """A task of the preset."""
    import beeline
    from beeline.generators.recipe import Recipe
    from beeline.generators.registry import entry
    from beeline.pddl import parse_domain, parse_problem

    found = entry(domain)
    chosen: Any = found.preset(preset).settings(index)
    recipe = Recipe.make(domain, chosen, seed=SEED, index=index, preset=preset)
    problem = parse_problem(parse_domain(found.domain_text), recipe.text(), recipe.task_name)
    return beeline.ground(problem)


def _heuristic(contestant: Contestant) -> Any:
    """The model with the estimate that the method means."""
    import beeline

    model: Any = beeline.load_model(contestant.path)
    if contestant.method == "N+clip":
        return model.with_estimate("clip")
    if contestant.method == "N":  # knows no bounds: they need not be computed
        return replace(model, distribution=replace(model.distribution, lower="none"))
    return model


def _preset_sizes(domain: str, preset: str) -> int:
    from beeline.generators.registry import entry

    return len(entry(domain).preset(preset).entries)
