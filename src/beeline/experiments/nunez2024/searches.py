"""Greedy best-first search with trained networks, and with h_FF alone, task by task."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.experiments import records
from beeline.experiments.nunez2024.runs import (
    FF,
    GRID,
    LATER,
    LMCUT,
    METHODS,
    column,
    entrants,
    trained,
)
from beeline.experiments.records import TEST, Record, Work, model_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from beeline.experiments.nunez2024.runs import Choice
    from beeline.task.ground_task import GroundTask

ORDERS: Mapping[str, Any] = GRID["orders"]
TASK_SEED = 3  # the test set has the same tasks


class Search(NamedTuple):
    """The searches of a table's cell: with h_FF alone, or with an entrant in an order."""

    model: str
    column: str
    domain: str
    seed: int


def planning_works(choice: Choice, results: Path) -> dict[Search, list[Work]]:
    """Searches with h_FF, and with all networks that are trained, task by task."""
    from beeline.generators.registry import entry

    preset = choice.how["presets"][choice.tests]
    limits: dict[str, Any] = {
        name: getattr(choice, name) for name in ("max_evaluations", "time_limit")
    }
    limits |= {} if (choice.edition, choice.tests) == (LATER, TEST) else {"preset": preset}
    folder = results / "planning" if choice.tests == TEST else results / f"planning-{choice.tests}"
    works: dict[Search, list[Work]] = {}
    for search, shown, path in _searchers(choice, results):
        sizes = len(entry(search.domain).preset(preset).entries)
        works[search] = []
        for index in task_indices(sizes, choice.tasks):
            settings = {**shown, **limits, "index": index}
            name = f"{index:04d}-{shown['name']}.json"
            file = folder / shown["order"] / search.domain / name
            works[search].append(Work(file, settings, plan_run, (settings, preset, path)))
    return works


def _searchers(choice: Choice, results: Path) -> Iterator[tuple[Search, dict[str, Any], str]]:
    """What is searched with: the cell, what its records say, and the model file if there is one."""
    for model in choice.models:
        for domain in choice.domains_of(model):
            alone = {"name": FF, "domain": domain, "model": FF, "method": FF, "order": "plain"}
            yield Search(model, FF, domain, 0), {**alone, "digest": ""}, ""
    here = trained(choice, results)
    for entrant in (each for each in entrants(choice) if each.run in here):
        run, file = entrant.run, model_path(results, entrant.run.key)
        words = run.key.removeprefix(f"{run.edition}-").replace(f"-{run.domain}-", "-", 1)
        bound = {entrant.lower} - {LMCUT, "none", run.lower}
        for order in choice.orders:
            shown = {
                "name": "-".join([words, entrant.method, *bound]),
                "domain": run.domain,
                "model": run.model,
                "method": entrant.method,
                "lower": entrant.lower,
                "order": order,
                "digest": records.digest_of([file]),
            }
            name = column(entrant.configuration, entrant.method, order)
            yield Search(run.model, name, run.domain, run.seed), shown, str(file)


def task_indices(sizes: int, count: int) -> list[int]:
    """Indices of tasks that are spread evenly over the sizes of a preset.

    >>> task_indices(5, 3), task_indices(5, 7)
    ([0, 2, 4], [0, 1, 2, 3, 4, 6, 8])
    """
    rounds, rest = divmod(count, sizes)
    whole = rounds * sizes
    return [*range(whole), *(whole + place for place in records.spread(sizes, rest))]


def plan_run(wanted: Mapping[str, Any], preset: str, path: str) -> Record:
    """Search once, by h_FF or the model in a file; what goes into the record."""
    from beeline.planning.solve import solve

    task = planning_task(wanted["domain"], wanted["index"], preset)
    order = ORDERS[wanted["order"]]
    result = solve(
        task,
        "gbfs",
        _heuristic(path, task, wanted, order.get("rounding", "none")) if path else FF,
        tie_breaking=order["ties"],
        max_evaluations=wanted["max_evaluations"],
        time_limit=wanted["time_limit"],
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
    recipe = Recipe.make(domain, chosen, seed=TASK_SEED, index=index, preset=preset)
    problem = parse_problem(parse_domain(found.domain_text), recipe.text(), recipe.task_name)
    return beeline.ground(problem)


def _heuristic(path: str, task: GroundTask, wanted: Mapping[str, Any], rounding: Any) -> Any:
    """The model with the estimate that the method means; N knows no bounds to be computed."""
    import beeline
    from beeline.models.evaluator import NeuralEvaluator

    model: Any = beeline.load_model(path)
    if model.distribution.name not in ("point", "policy"):
        bounded = replace(model.distribution, lower=wanted["lower"])
        model = replace(model, distribution=bounded)
    estimate = METHODS[wanted["method"]].get("estimate")
    return NeuralEvaluator(model, task, estimate=estimate, rounding=rounding)
