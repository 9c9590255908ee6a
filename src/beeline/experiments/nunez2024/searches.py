"""Greedy best-first search with trained networks, and with h_FF alone, task by task."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.experiments import records
from beeline.experiments.nunez2024.choices import FF, GRID, LMCUT, METHODS, column
from beeline.experiments.nunez2024.runs import entrants, trained
from beeline.experiments.records import TEST, Record, Work, model_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from beeline.experiments.nunez2024.choices import Choice
    from beeline.task.ground_task import GroundTask

ORDERS: Mapping[str, Any] = GRID["orders"]
TASK_SEED = 3  # of tasks of a preset
USUAL = (TEST, "table", "solved")  # not told by names of folders


class Search(NamedTuple):
    """The searches of a table's cell: with h_FF alone, or with an entrant in an order."""

    model: str
    column: str
    domain: str
    seed: int


def planning_works(choice: Choice, sets: Path, results: Path) -> dict[Search, list[Work]]:
    """Searches with h_FF, and with all networks that are trained, task by task."""
    limits: dict[str, Any] = {
        name: getattr(choice, name) for name in ("max_evaluations", "time_limit")
    }
    words = [choice.tests, choice.sizes, choice.population]
    folder = results / "-".join(["planning", *(each for each in words if each not in USUAL)])
    found: dict[str, list[tuple[dict[str, Any], TaskPlace]]] = {}
    works: dict[Search, list[Work]] = {}
    for search, shown, path in _searchers(choice, results):
        if search.domain not in found:
            found[search.domain] = list(task_places(choice, sets, search.domain))
        works[search] = []
        for told, place in found[search.domain]:
            settings = {**shown, **limits, **told}
            name = f"{place.number:04d}-{shown['name']}.json"
            file = folder / shown["order"] / search.domain / name
            works[search].append(Work(file, settings, plan_run, (settings, place, path)))
    return works


class TaskPlace(NamedTuple):
    """Where a task comes from: an instance of a dataset, or a place in a preset."""

    domain: str
    number: int
    dataset: str = ""
    preset: str = ""
    parameters: tuple[tuple[str, Any], ...] = ()


def task_places(
    choice: Choice, sets: Path, domain: str
) -> Iterator[tuple[dict[str, Any], TaskPlace]]:
    """The tasks of a domain to search, and what records say about each.

    They are tasks of the test set, which A* has solved, as in the paper; or any of the same sizes.
    """
    from beeline.generators.registry import entry

    if choice.population == "solved":
        folder = sets / choice.tests / domain
        data = records.identities({choice.tests: folder})
        numbers = list(solved_tasks(str(folder)))
        count = min(choice.tasks, len(numbers))
        for index in (numbers[place] for place in records.spread(len(numbers), count)):
            yield {"instance": index, "data": data}, TaskPlace(domain, index, str(folder))
        return
    preset = choice.preset(domain, choice.tests)
    parameters = tuple(sorted(choice.parameters(domain).items()))
    for index in task_indices(len(entry(domain).preset(preset).entries), choice.tasks):
        told = {"preset": preset, "parameters": dict(parameters), "index": index}
        yield told, TaskPlace(domain, index, "", preset, parameters)


@lru_cache(maxsize=8)
def solved_tasks(folder: str) -> dict[int, tuple[str, str]]:
    """Names and texts of the tasks of a dataset that were solved, by number."""
    from beeline.data.reader import Dataset

    columns = ["instance", "name", "status", "task"]
    rows = Dataset(folder).instances(columns=columns)
    solved = [row for row in rows if row["status"] == "solved"]
    return {row["instance"]: (row["name"], row["task"]) for row in solved}


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


def plan_run(wanted: Mapping[str, Any], place: TaskPlace, path: str) -> Record:
    """Search once, by h_FF or the model in a file; what goes into the record."""
    from beeline.planning.solve import solve

    task = planning_task(place)
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
def planning_task(place: TaskPlace) -> GroundTask:
    """The task, ground."""
    import beeline
    from beeline.generators.recipe import Recipe
    from beeline.generators.registry import entry
    from beeline.pddl import parse_domain, parse_problem

    found, index = entry(place.domain), place.number
    if place.dataset:
        name, text = solved_tasks(place.dataset)[index]
    else:
        chosen: Any = {**found.preset(place.preset).settings(index), **dict(place.parameters)}
        recipe = Recipe.make(place.domain, chosen, seed=TASK_SEED, index=index, preset=place.preset)
        name, text = recipe.task_name, recipe.text()
    return beeline.ground(parse_problem(parse_domain(found.domain_text), text, name))


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
