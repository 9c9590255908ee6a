"""The tasks of a table: sets of states from optimal plans of generated tasks, taken as they are
where complete; and greedy best-first search with trained networks and with h_FF alone, one by one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import BeelineError
from beeline.experiments import records
from beeline.experiments.nunez2024 import EARLIER, FF, GRID, LMCUT, METHODS, Choice, column
from beeline.experiments.nunez2024.runs import entrants, trained

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from beeline.data.manifest import Manifest
    from beeline.data.task_sets import TaskSet
    from beeline.task.ground_task import GroundTask

ORDERS: Mapping[str, Any] = GRID["orders"]
TASK_SEED = 3  # of tasks of a preset
USUAL = (records.TEST, "table", "solved")  # not told by names of folders
SEEDS = {records.TRAINING: 1, records.VALIDATION: 2, records.TEST: 3, "large": 4}


class Search(NamedTuple):
    """The searches of a table's cell: with h_FF alone, or with an entrant in an order."""

    model: str
    column: str
    domain: str
    seed: int


def planning_works(choice: Choice, sets: Path, results: Path) -> dict[Search, list[records.Work]]:
    """Searches with h_FF, and with all networks that are trained, task by task."""
    limits: dict[str, Any] = {
        name: getattr(choice, name) for name in ("max_evaluations", "time_limit")
    }
    words = [choice.tests, choice.sizes, choice.population]
    folder = results / "-".join(["planning", *(each for each in words if each not in USUAL)])
    found: dict[str, list[tuple[dict[str, Any], TaskPlace]]] = {}
    works: dict[Search, list[records.Work]] = {}
    for search, shown, path in _searchers(choice, results):
        if search.domain not in found:
            found[search.domain] = list(task_places(choice, sets, search.domain))
        works[search] = []
        for told, place in found[search.domain]:
            settings = {**shown, **limits, **told}
            name = f"{place.number:04d}-{shown['name']}.json"
            file = folder / shown["order"] / search.domain / name
            works[search].append(records.Work(file, settings, plan_run, (settings, place, path)))
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
        if records.complete_manifest(folder) is None:
            return  # a report of what there is
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
        run, file = entrant.run, records.model_path(results, entrant.run.key)
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


def plan_run(wanted: Mapping[str, Any], place: TaskPlace, path: str) -> records.Record:
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
    from beeline.generators.registry import Recipe, entry
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


def checked_manifest(folder: Path, domain: str, split: str) -> Manifest | None:
    """The manifest of a complete set, or None; a set of something else is refused."""
    manifest = records.complete_manifest(folder)
    if manifest is None:
        return None
    generator = manifest.config.get("generator")
    if generator != domain or split not in manifest.splits:
        raise BeelineError(
            f"the dataset is of generator '{generator}' with splits {', '.join(manifest.splits)}",
            str(folder),
            hint=f"a set of '{domain}' with a split '{split}' belongs there",
        )
    return manifest


def make_sets(folder: Path, choice: Choice, domains: Sequence[str], place: records.Place) -> None:
    """Make or complete the sets `folder/SPLIT/DOMAIN`."""
    from beeline.data.task_sets import PlanSettings

    for name, domain in product(set_names(choice), domains):
        split, _, source = name.partition("-")
        if checked_manifest(folder / name / domain, domain, split) is None:
            tasks, limits = _tasks(choice, domain, split)
            kind = {source: True} if source else {}
            settings = PlanSettings(seed=SEEDS[split], splits=((split, 1.0),), **kind, **limits)
            words = f"plans of {domain}, {name}"
            records.make_set(tasks, settings, folder / name / domain, words, place)


def set_names(choice: Choice) -> list[str]:
    """The sets of each domain: splits, and others of the same tasks that some loss learns from.

    Curves of training are tested with nothing, anytime searches on any tasks of a preset.

    >>> set_names(Choice(configurations=("learn/ff", "L_GBFS")))
    ['train', 'val', 'test', 'train-siblings', 'val-siblings']
    """
    names = [records.TRAINING, records.VALIDATION, choice.tests]
    if choice.what == "curves" or (choice.what, choice.population) == ("anytime", "preset"):
        names.pop()
    sources = dict.fromkeys(each.run.source for each in entrants(choice) if each.run.source)
    return [*names, *(f"{name}-{source}" for source in sources for name in names[:2])]


def _tasks(choice: Choice, domain: str, split: str) -> tuple[TaskSet, dict[str, Any]]:
    """The tasks of a set, and the limits of A* with LM-cut."""
    from beeline.data.task_sets import generated_tasks

    other = GRID["other_sizes"][choice.edition].get(f"{choice.sets} {domain} {split}", {})
    sizes = GRID["sets"][choice.sets]
    limits = {**GRID["set_defaults"], **sizes.get(split, sizes[records.TEST]), **other}
    count = limits.pop("instances")
    parameters = {**choice.parameters(domain), **limits.pop("parameters")}
    # Sizes of tests may be too large for a quick look.
    smaller = records.VALIDATION if choice.sets == "tiny" and split != records.TRAINING else split
    preset = choice.preset(domain, smaller)
    spread = choice.edition == EARLIER  # has hundreds of sizes, small ones first
    most = None if spread else count or None
    tasks = generated_tasks(
        domain, preset=preset, count=most, seed=SEEDS[split], parameters=parameters
    )
    total = len(tasks.sources)
    if spread and 0 < count < total:
        chosen = tuple(tasks.sources[place] for place in spread_places(total, count))
        description = {**tasks.description, "spread": count}
        tasks = replace(tasks, sources=chosen, description=description)
    return tasks, limits


def spread_places(total: int, count: int) -> list[int]:
    """One place of each of `count` equal parts, never in step with sizes that repeat in a rhythm.

    >>> spread_places(12, 4)
    [2, 3, 8, 11]
    """
    starts = [part * total // count for part in range(count + 1)]
    return [
        start + int.from_bytes(sha256(b"%d" % start).digest()[:4], "big") % (end - start)
        for start, end in pairwise(starts)
    ]


def set_sizes(folder: Path, choice: Choice, domains: Sequence[str]) -> Iterator[list[Any]]:
    """Domain, split, preset, other parameters, tasks, solved ones, attempts, states and limit.

    Of all sets that are complete.
    """
    from beeline.data.reader import Dataset

    for domain, split in product(domains, set_names(choice)):
        manifest = checked_manifest(folder / split / domain, domain, split.partition("-")[0])
        if manifest is not None:
            config, counts = manifest.config, manifest.counts
            rows = Dataset(folder / split / domain).instances(columns=["attempts"])
            sizes = [f"{name} {value}" for name, value in (config.get("parameters") or {}).items()]
            sizes += ["by symmetry"] if config.get("symmetry") else []
            yield [
                *(domain, split, str(config.get("preset")), ", ".join(sizes) or "none"),
                *(counts["instances"], counts["solved"], sum(row["attempts"] for row in rows)),
                *(counts["states"], config.get("max_evaluations")),
            ]
