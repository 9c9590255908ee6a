"""The paper's figures: distributions of a state, and training curves. And searches beyond it.

Figure 2 says that truncated Gaussians converge faster. It is measured as the number of steps until
the validation error of a run is for the first time as small as one that all runs of its domain
and configuration reach: the largest of their best errors.

Beyond the paper are anytime searches that are told the best cost so far, drawn as costs over time,
and A* with quantiles, beside what these promise.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from itertools import product
from statistics import fmean
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.evaluate.drawing import Lines, file_name
from beeline.evaluate.tables import Table, plain_table
from beeline.experiments.figures import figure
from beeline.experiments.nunez2024 import FF, GRID, LMCUT, RIVALS, column, runs
from beeline.experiments.nunez2024.searches import Search, planning_task, task_places
from beeline.experiments.records import Work, digest_of, model_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from beeline.experiments.figures import Figure
    from beeline.experiments.nunez2024 import Choice
    from beeline.experiments.nunez2024.runs import Entrant, TrainingRun
    from beeline.experiments.nunez2024.searches import TaskPlace
    from beeline.experiments.records import Record
    from beeline.fitting.objectives import Predictions
    from beeline.task.states import StateBatch

    Row = tuple[Entrant, Predictions]
    Searched = Mapping[Search, Sequence[Record]]  # those that have searched all tasks
    Found = dict[str, dict[str, dict[str, Figure]]]  # by measure, column and domain

POINTS = 241  # of a density
REACH = 4.0  # sigmas to both sides of it
TAIL = 0.002  # of a density that is left out
MEMORY = "4G"  # of anytime searches
EARLY = 1 / 8  # of the time
TIMES = 60  # of a curve


class Speed(NamedTuple):
    """Steps by column and domain, and the error to be reached by configuration and domain."""

    steps: dict[str, dict[str, Figure]]
    errors: dict[tuple[str, str], float]


def speeds(entrants: Iterable[Entrant], trained: Mapping[TrainingRun, Record]) -> Speed:
    """How soon runs reach an error that all of their domain and configuration reach."""
    groups: dict[tuple[str, str], dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for entrant in (each for each in entrants if each.run in trained):
        name = column(entrant.configuration, entrant.method)
        groups[entrant.configuration, entrant.run.domain][name].append(trained[entrant.run])
    found = Speed(defaultdict(dict), {})
    for (configuration, domain), columns in groups.items():
        every = [record["curve"] for listed in columns.values() for record in listed]
        error = max(min(curve["mse"]) for curve in every)
        found.errors[configuration, domain] = error
        for name, listed in columns.items():
            steps = [float(steps_to(record["curve"], error)) for record in listed]
            found.steps[name][domain] = figure(steps)
    return found


def steps_to(curve: Mapping[str, Sequence[float]], error: float) -> float:
    """The first step with such a validation error or a smaller one.

    >>> steps_to({"step": [100, 200, 300], "mse": [9.0, 3.0, 4.0]}, 4.0)
    200
    """
    return next(step for step, mse in zip(curve["step"], curve["mse"], strict=True) if mse <= error)


def curve_lines(choice: Choice, trained: Mapping[TrainingRun, Record]) -> list[Lines]:
    """Validation errors over steps: a plot for each domain and configuration, a line a seed."""
    groups: dict[tuple[str, str], list[tuple[str, Record]]] = defaultdict(list)
    for entrant in (each for each in runs.entrants(choice) if each.run in trained):
        key = (entrant.run.domain, entrant.configuration)
        groups[key].append((entrant.method, trained[entrant.run]))
    return [
        Lines(
            file_name("curve", domain, configuration),
            f"{domain}, {configuration}: validation error",
            "A line for each seed.",
            ("training step", "mean squared error"),
            tuple(
                (method, tuple(record["curve"]["step"]), tuple(record["curve"]["mse"]))
                for method, record in sorted(listed, key=lambda each: each[0])
            ),
            logarithmic=True,
        )
        for (domain, configuration), listed in groups.items()
    ]


def error_table(speed: Speed, domains: Sequence[str]) -> Table:
    """The validation errors that were to be reached."""
    names = list(dict.fromkeys(configuration for configuration, _ in speed.errors))
    rows = [[name, *(speed.errors.get((name, domain)) for domain in domains)] for name in names]
    note = "The largest of the best validation errors of all runs: one that all of them reach."
    return plain_table("2", "Errors to be reached", note, ["configuration", *domains], rows)


def bound_lines() -> tuple[Lines, Table]:
    """Truncated Gaussians with mu = 0 and sigma = 1 between bounds, and their means."""
    from beeline.models.estimates import moments, truncated_mean

    x = np.linspace(-REACH, REACH, POINTS)
    series, rows = [], []
    for lower, upper in GRID["densities"]["bounds"]:
        ends = (np.zeros(1), np.ones(1), np.array([lower]), np.array([upper]))
        found = moments(*ends)
        log_z = float(found.log_mass[0] - 0.5 * found.origin[0] ** 2)
        inside = x[(x > lower) & (x < upper)]
        at = np.concatenate([[max(lower, -REACH)], inside, [min(upper, REACH)]])
        density = np.exp(-0.5 * at**2 - log_z) / np.sqrt(2 * np.pi)
        name = f"({lower:g}, {upper:g})".replace("inf", "∞")
        ends_at = (float(at[0]), float(at[-1]))
        xs, ys = (ends_at[0], *at.tolist(), ends_at[1]), (0.0, *density.tolist(), 0.0)
        series.append((name, xs, ys))
        rows.append([name, float(truncated_mean(*ends)[0]), float(np.exp(log_z))])
    note = "The mean stays within the bounds even where mu = 0 does not."
    header = ["bounds", "mean", "mass of the Gaussian within them"]
    table = plain_table("2", "Truncated Gaussians with mu = 0 and sigma = 1", note, header, rows)
    title = "Truncated Gaussians with mu = 0, sigma = 1"
    return Lines("bounds", title, note, ("x", "density"), tuple(series)), table


def predicted(choice: Choice, sets: Path, results: Path) -> dict[str, list[Row]]:
    """What the networks of the first seed say about the test states of each domain."""
    import beeline
    from beeline.fitting.objectives import predictions

    here, found = runs.trained(choice, results), defaultdict(list)
    for entrant in (each for each in runs.entrants(choice) if each.run in here):
        if entrant.run.seed == 0 and entrant.estimate == "mean":
            states, _ = runs.tested_states(
                entrant.run.model, entrant.run.domain, str(sets), choice.tests
            )
            model: Any = beeline.load_model(model_path(results, entrant.run.key))
            found[entrant.run.domain].append((entrant, predictions(model, states)))
    return dict(found)


def density_lines(domain: str, rows: Sequence[Row]) -> Lines:
    """The distributions of one state, the bound and the true cost."""
    labelled = rows[0][1].labelled
    row = typical_state(labelled.target)
    ends = [float(each.estimate("quantile", q)[row]) for _, each in rows for q in (TAIL, 1 - TAIL)]
    truth, lower = float(labelled.target[row]), float(labelled.lmcut[row])
    x = np.linspace(min(truth, lower, *ends) - 0.5, max(truth, *ends) + 0.5, POINTS)
    series, top = [], 0.0
    for entrant, each in rows:
        density = each.density(row, x)
        top = max(top, float(density.max()))
        name = column(entrant.configuration, entrant.method)
        series.append((name, tuple(x.tolist()), tuple(density.tolist())))
        mean = each.estimate()[row : row + 1]
        at = float(each.density(row, mean)[0])
        series.append((f"{name}, mean", (float(mean[0]),), (at,)))
    for name, value in (("h*", truth), ("h_LM-cut", lower)):
        series.append((name, (value, value), (0.0, 1.05 * top)))
    return Lines(
        file_name("state", domain),
        f"{domain}: distributions of a state's cost",
        "A state of the test set whose h* is the median.",
        ("cost-to-go", "density"),
        tuple(series),
    )


def typical_state(target: NDArray[np.float64]) -> int:
    """The first state whose cost is nearest to the median."""
    return int(np.argmin(np.abs(target - np.median(target))))


def density_table(predicted: Mapping[str, Sequence[Row]], title: str) -> Table:
    """What is known and predicted about the state of each domain."""
    rows = []
    for domain, listed in predicted.items():
        for entrant, each in listed:
            labelled = each.labelled
            row = typical_state(labelled.target)
            known = [
                float(values[row]) for values in (labelled.target, labelled.lmcut, labelled.ff)
            ]
            told = [float(values[row]) for values in (each.mu, each.sigma, each.estimate())]
            name = column(entrant.configuration, entrant.method)
            below = float(np.mean(each.mu < labelled.lmcut))
            rows.append([domain, name, *known, *told, below])
    header = ["domain", "column", "h*", f"h_{LMCUT}", f"h_{FF}", "mu", "sigma", "mean"]
    note = "Of one state in the middle of the test set; mu below h_lmcut: of all of its states."
    return plain_table("1", title, note, [*header, "mu below h_lmcut, share"], rows)


def rival_works(choice: Choice, sets: Path, results: Path) -> dict[Search, list[Work]]:
    """Searches beyond the paper, with all networks that are trained, task by task."""
    limits = {name: getattr(choice, name) for name in ("max_evaluations", "time_limit")}
    run = anytime_run if choice.what == "anytime" else quantile_run
    works: dict[Search, list[Work]] = {}
    here = runs.trained(choice, results)
    listed = {each.domain: list(task_places(choice, sets, each.domain)) for each in here}
    # Row by row: what is cut off leaves whole rows.
    for (name, how), entrant in product(RIVALS[choice.what].items(), here):
        alone = "search" in how
        if "promise" in how or (alone and entrant.seed > 0):
            continue
        path = model_path(results, entrant.key)
        works[Search(entrant.model, name, entrant.domain, entrant.seed)] = found = []
        shown = {"how": dict(how), "digest": "" if alone else digest_of([path])}
        of = "" if alone else f"{entrant.key}-"
        for told, place in listed[entrant.domain]:
            settings = {"domain": entrant.domain, **shown, **limits, **told}
            file = f"{place.number:04d}-{of}{name.replace(', ', '-')}.json"
            arguments = (settings, place, "" if alone else str(path))
            folder = results / choice.what / entrant.domain
            found.append(Work(folder / file, settings, run, arguments))
    return works


def anytime_run(wanted: Mapping[str, Any], place: TaskPlace, path: str) -> Record:
    """Look for better and better plans; what goes into the record: costs by processor time."""
    import beeline
    from beeline.planning.plan import plan
    from beeline.planning.solve import solve

    task, how, costs = planning_task(place), wanted["how"], list[tuple[float, int]]()
    began = process_time()
    told: dict[str, Any] = {
        "anytime": True,
        "unbounded": how.get("unbounded", False),
        "processor_time_limit": wanted["time_limit"],
        "memory_limit": MEMORY,
        "on_plan": lambda _, cost: costs.append((process_time() - began, cost)),
    }
    if how.get("verb") == "plan":
        result = plan(beeline.load_model(path), task, **told)
    elif path:
        result = solve(task, "gbfs", beeline.load_model(path), **told)
    else:
        result = solve(task, how["search"], **told)
    return {
        "line": f"cost {result.cost}, {len(costs)} plans{', optimal' if result.optimal else ''}",
        "task": task.problem.name,
        "costs": costs,
        "cost": result.cost,
        "optimal": result.optimal,
        "evaluated": result.evaluated,
        "seconds": process_time() - began,
    }


def quantile_run(wanted: Mapping[str, Any], place: TaskPlace, path: str) -> Record:
    """A* with a quantile, the mean or LM-cut; what goes into the record."""
    import beeline
    from beeline.models.evaluator import NeuralEvaluator
    from beeline.planning.solve import solve

    task, quantile = planning_task(place), wanted["how"].get("quantile")
    heuristic: Any = LMCUT
    if path:
        model: Any = beeline.load_model(path)
        estimate = "mean" if quantile is None else "quantile"
        heuristic = NeuralEvaluator(model, task, estimate=estimate, quantile=quantile)
    limits = {name: wanted[name] for name in ("max_evaluations", "time_limit")}
    result = solve(task, "astar", heuristic, **limits)
    ids, costs = optimal_states(place)
    values = heuristic.evaluate(ids) if path else None
    above = None if values is None else float((values > costs + 1e-9).mean())
    return {
        "line": f"{result.status.value}, cost {result.cost}, {result.evaluated} evaluations",
        "task": task.problem.name,
        "solved": result.solved,
        "cost": result.cost,
        "optimal": int(costs[0]) if len(costs) else 0,
        "steps": len(costs),
        "above": above,
        "evaluated": result.evaluated,
        "seconds": result.total_time,
    }


@lru_cache(maxsize=2)
def optimal_states(place: TaskPlace) -> tuple[StateBatch, NDArray[np.float64]]:
    """The states of an optimal plan but the last, and their costs h*."""
    from beeline import _native
    from beeline.planning.solve import solve
    from beeline.task.states import StateBatch

    task = planning_task(place)
    plan = solve(task, "astar", LMCUT).plan
    assert plan is not None  # a task of a set of optimal plans
    states = _native.States(task.native)
    ids, steps = [states.initial], [0]
    for step in plan:
        operators, successors = states.successors(ids[-1])
        names = [task.operator_name(number) for number in operators.tolist()]
        ids.append(int(successors[names.index(str(step))]))
        steps.append(int(task.costs[operators[names.index(str(step))]]))
    left = np.cumsum(steps[:0:-1])[::-1].astype(np.float64)
    return StateBatch(task, states, np.array(ids[:-1], dtype=np.uint32)), left


def rival_figures(choice: Choice, searched: Searched) -> Found:
    """The figures of searches beyond the paper: a figure a seed, each a mean over tasks."""
    values: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for search, listed in searched.items():
        for measure, value in _measured(choice, search, listed, searched):
            values[measure, search.column, search.domain].append(value)
        promise = f"{search.column} promised"
        if promise in RIVALS[choice.what]:
            p = RIVALS[choice.what][promise]["promise"]
            values["above", promise, search.domain] = [p]
            missed = fmean(1 - (1 - p) ** each["steps"] for each in listed)
            values["missed", promise, search.domain] = [missed]
    found: Found = {each["measure"]: {} for each in GRID["shown"][choice.what]}
    for (measure, name, domain), seeds in values.items():
        found[measure].setdefault(name, {})[domain] = figure(seeds)
    return found


def _measured(
    choice: Choice, search: Search, listed: Sequence[Record], searched: Searched
) -> Iterator[tuple[str, float]]:
    if choice.what == "anytime":
        best = best_costs(searched, search.domain)
        for measure, share in (("excess", 1.0), ("early", EARLY)):
            yield measure, fmean(excess(each, best, share * choice.time_limit) for each in listed)
        yield "proved", fmean(bool(each["optimal"]) for each in listed)
        return
    solved = [each for each in listed if each["solved"]]
    if all(each["above"] is not None for each in listed):
        yield "above", fmean(each["above"] for each in listed)
    if solved:
        yield "missed", fmean(each["cost"] > each["optimal"] for each in solved)
        yield "suboptimality", fmean(each["cost"] / each["optimal"] for each in solved)
    (usual,) = (
        {each["task"]: each["evaluated"] for each in records if each["solved"]}
        for other, records in searched.items()
        if other.domain == search.domain and "search" in RIVALS[choice.what][other.column]
    )
    both = [each["evaluated"] / usual[each["task"]] for each in solved if each["task"] in usual]
    if both:
        yield "effort", fmean(both)


def best_costs(searched: Searched, domain: str) -> dict[str, int]:
    """The lowest cost of each task of a domain that any search has found."""
    best: dict[str, int] = {}
    for search, listed in searched.items():
        for each in listed if search.domain == domain else ():
            for _, cost in each["costs"]:
                best[each["task"]] = min(cost, best.get(each["task"], cost))
    return best


def excess(record: Record, best: Mapping[str, int], seconds: float) -> float:
    """1 - best / cost after some time; 1 without a plan.

    >>> record = {"task": "a", "costs": [[0.5, 20], [2.0, 10]]}
    >>> [excess(record, {"a": 10}, seconds) for seconds in (0.1, 1.0, 3.0)]
    [1.0, 0.5, 0.0]
    """
    costs = [cost for found, cost in record["costs"] if found <= seconds]
    if not costs:
        return 1.0
    return 1.0 - best[record["task"]] / min(costs) if min(costs) else 0.0


def anytime_lines(choice: Choice, searched: Searched) -> list[Lines]:
    """Costs over time: a plot for each domain, a line for each search."""
    times = np.geomspace(0.01, choice.time_limit, TIMES).tolist()
    found = []
    for domain in dict.fromkeys(search.domain for search in searched):
        best, series = best_costs(searched, domain), []
        for search, listed in searched.items():
            if search.domain == domain:
                curve = [fmean(excess(each, best, at) for each in listed) for at in times]
                series.append((search.column, tuple(times), tuple(curve)))
        title = f"{domain}: cost above that of the best plan known"
        axes = ("seconds of the processor", "1 - best / cost, mean over tasks")
        name, told = file_name("anytime", domain), "A task without a plan counts as 1."
        found.append(Lines(name, title, told, axes, tuple(series)))
    return found
