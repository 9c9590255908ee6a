"""What is compared: domains, networks, distributions, and how long each is trained; the runs of it.

Networks are trained and measured on test sets; then greedy best-first search goes by them, and by
h_FF alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.experiments import records
from beeline.experiments.records import TEST, TRAINING, VALIDATION, Record, Work, model_path
from beeline.experiments.registry import grid
from beeline.models.families import network_entry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from beeline.data.instances import InstanceStates
    from beeline.task.ground_task import GroundTask

GRID = grid("nunez2024")
LATER, EARLIER = "nunez2024", "nunez2022"
MODELS: Mapping[str, Any] = GRID["models"]
SIGMAS = ("learn", "fixed")
RESIDUALS = ("ff", "none")
CONFIGURATIONS = tuple(f"{sigma}/{residual}" for sigma in SIGMAS for residual in RESIDUALS)
GAUSSIAN, TRUNCATED = "gaussian", "truncated-gaussian"
METHODS = ("N", "N+clip", "TN")  # of one configuration; the first two share a model
LOWER = "lmcut"
BATCH = 256
MAX_TEST_SECONDS = 60.0  # a test set that would take longer is sampled
SAMPLE_SEED = 0

FF = "ff"
TASK_SEED = 3  # the test set has the same tasks
PLANNED_MODELS = ("nlm", "linear")
PLANNED_CONFIGURATIONS = ("learn/ff", "fixed/none")
ORDERS = {"plain": "h,fifo", "rounded": "round(h),ff,fifo"}


@dataclass(frozen=True)
class TrainingRun:
    """One network to train."""

    model: str
    domain: str
    distribution: str
    sigma: str
    residual: str
    seed: int
    steps: int
    edition: str = LATER

    @property
    def configuration(self) -> str:
        """How sigma and the residual are chosen, such as `learn/ff`."""
        return f"{self.sigma}/{self.residual}"

    @property
    def key(self) -> str:
        """A name for files; it does not tell the number of steps."""
        words = (self.model, self.domain, self.distribution, self.sigma, self.residual)
        return "-".join([*({self.edition} - {LATER}), *words, f"seed{self.seed}"])

    @property
    def settings(self) -> dict[str, Any]:
        """What its record says about it."""
        hidden = ("edition", LATER)
        return {name: value for name, value in vars(self).items() if (name, value) != hidden}

    @property
    def validate_every(self) -> int:
        """Steps between two looks at the validation set; slow networks take few steps."""
        slow = self.model == "hgn" or (self.model, self.domain) == ("nlm", "visitall")
        return min(self.steps, 50 if slow else 100)


class Choice(NamedTuple):
    """Which part of the grid is wanted, and how large everything is."""

    edition: str = LATER
    what: str = "errors"  # or "planning"
    models: Sequence[str] = tuple(MODELS)
    domains: Sequence[str] = ()  # all
    hgn_domains: Sequence[str] = ("visitall",)
    configurations: Sequence[str] = CONFIGURATIONS
    seeds: int = 2
    steps: int | None = None  # None for the usual number
    sets: str = "usual"  # sizes of the sets of states
    tasks: int = 20  # of each domain to search
    max_evaluations: int = 10_000  # of each search
    time_limit: float = 60.0  # seconds of each search
    order: str = "plain"  # or "rounded"

    @property
    def how(self) -> Mapping[str, Any]:
        """What this version of the paper does."""
        found: Mapping[str, Any] = GRID["editions"][self.edition]
        return found

    def domains_of(self, *models: str) -> list[str]:
        """The domains that one of these networks is trained in, in the order of the paper."""
        every = [each for each in self.how["domains"] if not self.domains or each in self.domains]
        some = self.hgn_domains if set(models) == {"hgn"} else every if models else ()
        return [domain for domain in every if domain in some]


def training_runs(choice: Choice) -> list[TrainingRun]:
    """All runs; those with the same inputs follow each other."""
    return [
        TrainingRun(model, domain, distribution, sigma, residual, seed, steps, choice.edition)
        for model in choice.models
        for domain in choice.domains_of(model)
        for usual in [MODELS[model]]
        for steps in [choice.steps or usual.get("other_steps", {}).get(domain, usual["steps"])]
        for sigma in SIGMAS
        for residual in RESIDUALS
        if f"{sigma}/{residual}" in choice.configurations
        for distribution in (GAUSSIAN, TRUNCATED)
        for seed in range(choice.seeds)
    ]


def training_works(choice: Choice, sets: Path, results: Path) -> list[Work]:
    """The records of all runs."""
    runs, splits = training_runs(choice), (TRAINING, VALIDATION, TEST)
    data = {
        domain: records.identities({split: sets / split / domain for split in splits})
        for domain in dict.fromkeys(run.domain for run in runs)
    }
    settings = {
        run: {
            **run.settings,
            "validate_every": run.validate_every,
            "learning_rate": network_entry(run.model).learning_rate,
            "batch": BATCH,
            "data": data[run.domain],
        }
        for run in runs
    }
    works = records.training_works(settings, results, train_run, str(sets), str(results))
    return list(works.values())


def trained(choice: Choice, results: Path) -> dict[TrainingRun, Record]:
    """The records of the runs with as many steps as asked for."""
    paths = {run: records.training_file(results, run.key) for run in training_runs(choice)}
    found = {run: records.read_record(path) for run, path in paths.items()}
    return {
        run: each for run, each in found.items() if each and each["settings"]["steps"] == run.steps
    }


def train_run(run: TrainingRun, sets: str, results: str) -> Record:
    """Train, write the model file, and measure; what goes into the record."""
    from beeline.fitting.labels import label_states
    from beeline.fitting.objectives import heuristic_errors

    how = GRID["editions"][run.edition]
    model, record = records.train_model(
        run.key,
        Path(results),
        {split: Path(sets) / split / run.domain for split in (TRAINING, VALIDATION)},
        {
            "model": run.model,
            "loss": run.distribution,
            "sigma": run.sigma,
            "lower": LOWER,
            "residual": run.residual,
            "steps": run.steps,
            "batch": BATCH,
            "optimiser": how["optimiser"],
            "select": how["select"],
            "validate_every": run.validate_every,
            "seed": run.seed,
        },
    )
    began = perf_counter()
    tested, of = test_states(run.model, run.domain, sets)
    errors = records.model_metrics(model, tested)
    record["states"][TEST] = sum(map(len, tested))
    return {
        "line": f"test MSE {errors['mse']:.3g}, {record['train_seconds']:.0f} s",
        **record,
        "test": errors,
        "heuristics": heuristic_errors(label_states(tested, lower=LOWER, residual=FF)),
        "test_states_of": of,
        "test_seconds": perf_counter() - began,
    }


@lru_cache(maxsize=1)  # runs with the same states follow each other
def test_states(model: str, domain: str, sets: str) -> tuple[list[InstanceStates], int]:
    """The labelled states to test with, and how many there were before sampling.

    As many are drawn, once for all runs, as can be evaluated in time.
    """
    from beeline.data.instances import read_instances
    from beeline.fitting.labels import label_states
    from beeline.task.grounding import ground

    read = read_instances(Path(sets) / TEST / domain, split=TEST)
    instances = label_states(read, lower=LOWER, residual=FF).instances
    count, work = sum(map(len, instances)), network_entry(model).work
    seconds = sum(1e-6 * len(each) * work(ground(each.problem)) for each in instances)
    if seconds <= MAX_TEST_SECONDS:
        return instances, count
    wanted = max(1, int(count * MAX_TEST_SECONDS / seconds))
    rows = np.sort(np.random.default_rng(SAMPLE_SEED).permutation(count)[:wanted])
    starts = np.cumsum([0, *map(len, instances)])
    parts = [
        each.taken(rows[(rows >= first) & (rows < first + len(each))] - first)
        for each, first in zip(instances, starts[:-1], strict=True)
    ]
    return [each for each in parts if len(each)], count


def planning_works(choice: Choice, results: Path) -> list[Work]:
    """Searches with h_FF, and with all models that are to plan and are trained, task by task."""
    from beeline.generators.registry import entry

    preset = choice.how["presets"][TEST]
    limits = {name: getattr(choice, name) for name in ("max_evaluations", "time_limit", "order")}
    limits |= {} if choice.edition == LATER else {"preset": preset}
    alone = {"model": FF, "configuration": "", "method": FF, "seed": 0, "digest": ""}
    entrants: dict[str, list[tuple[dict[str, Any], str]]] = {
        domain: [({"name": FF, "domain": domain, **alone}, "")]
        for domain in choice.domains_of(*choice.models)
    }
    for run in trained(choice, results):
        if run.model not in PLANNED_MODELS or run.configuration not in PLANNED_CONFIGURATIONS:
            continue
        path = model_path(results, run.key)
        for method in METHODS:
            if (TRUNCATED if method == "TN" else GAUSSIAN) == run.distribution:
                shown = {
                    "name": f"{run.model}-{run.sigma}-{run.residual}-{method}-seed{run.seed}",
                    "domain": run.domain,
                    "model": run.model,
                    "configuration": run.configuration,
                    "method": method,
                    "seed": run.seed,
                    "digest": records.digest_of([path]),
                }
                entrants[run.domain].append((shown, str(path)))
    works = []
    for domain, listed in entrants.items():
        folder = results / "planning" / choice.order / domain
        for index in task_indices(len(entry(domain).preset(preset).entries), choice.tasks):
            for shown, model in listed:
                path = folder / f"{index:04d}-{shown['name']}.json"
                settings = {**shown, **limits, "index": index}
                works.append(Work(path, settings, plan_run, (settings, preset, model)))
    return works


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
    result = solve(
        task,
        "gbfs",
        _heuristic(path, wanted["method"]) if path else FF,
        # h_FF needs no second order by the same heuristic.
        tie_breaking=ORDERS[wanted["order"] if path else "plain"],
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


def _heuristic(path: str, method: str) -> Any:
    """The model with the estimate that the method means."""
    import beeline

    model: Any = beeline.load_model(path)
    if method == "N+clip":
        return model.with_estimate("clip")
    if method == "N":  # knows no bounds: they need not be computed
        return replace(model, distribution=replace(model.distribution, lower="none"))
    return model
