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

from beeline.experiments.records import Record, Work, read_record
from beeline.experiments.registry import grid
from beeline.experiments.training import (
    TEST,
    TRAINING,
    VALIDATION,
    identities,
    model_digest,
    model_path,
    train_model,
    training_work,
)
from beeline.models.families import network_entry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from beeline.data.instances import InstanceStates
    from beeline.task.ground_task import GroundTask

GRID = grid("nunez2024")
LATER, EARLIER = "nunez2024", "nunez2022"
ALL_DOMAINS = tuple(
    dict.fromkeys(name for each in (LATER, EARLIER) for name in GRID["editions"][each]["domains"])
)
MODELS = ("nlm", "linear", "hgn")
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

# The same for all configurations of a domain, so that they can be compared.
STEPS = {
    "nlm": {**dict.fromkeys(ALL_DOMAINS, 1500), "ferry": 2000, "visitall": 400},
    "linear": dict.fromkeys(ALL_DOMAINS, 3000),
    "hgn": dict.fromkeys(ALL_DOMAINS, 300),
}


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
        other = [] if self.edition == LATER else [self.edition]
        return "-".join([*other, *words, f"seed{self.seed}"])

    @property
    def settings(self) -> dict[str, Any]:
        """What its record says about it."""
        settings: dict[str, Any] = dict(vars(self))
        if self.edition == LATER:
            del settings["edition"]
        return settings

    @property
    def validate_every(self) -> int:
        """Steps between two looks at the validation set; slow networks take few steps."""
        slow = self.model == "hgn" or (self.model, self.domain) == ("nlm", "visitall")
        return min(self.steps, 50 if slow else 100)


class Choice(NamedTuple):
    """Which part of the grid is wanted, and how large everything is."""

    edition: str = LATER
    what: str = "errors"  # or "planning"
    models: Sequence[str] = MODELS
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
    def all_domains(self) -> list[str]:
        """The domains in the order of the paper."""
        known = edition(self)["domains"]
        return [domain for domain in known if domain in (self.domains or known)]

    def domains_of(self, model: str) -> list[str]:
        """The domains that a network is trained in."""
        some = self.hgn_domains if model == "hgn" else self.all_domains
        return [domain for domain in self.all_domains if domain in some]


def edition(choice: Choice) -> Mapping[str, Any]:
    """What this version of the paper does."""
    found: Mapping[str, Any] = GRID["editions"][choice.edition]
    return found


def training_runs(choice: Choice) -> list[TrainingRun]:
    """All runs; those with the same inputs follow each other."""
    return [
        TrainingRun(model, domain, distribution, sigma, residual, seed, steps, choice.edition)
        for model in choice.models
        for domain in choice.domains_of(model)
        for steps in [choice.steps or STEPS[model][domain]]
        for sigma in SIGMAS
        for residual in RESIDUALS
        if f"{sigma}/{residual}" in choice.configurations
        for distribution in (GAUSSIAN, TRUNCATED)
        for seed in range(choice.seeds)
    ]


def training_works(choice: Choice, sets: Path, results: Path) -> list[Work]:
    """The records of all runs."""
    runs, works, data = training_runs(choice), [], dict[str, dict[str, str]]()
    for run in runs:
        if run.domain not in data:
            folders = {split: sets / split / run.domain for split in (TRAINING, VALIDATION, TEST)}
            data[run.domain] = identities(folders)
        settings = {
            **run.settings,
            "validate_every": run.validate_every,
            "learning_rate": network_entry(run.model).learning_rate,
            "batch": BATCH,
            "data": data[run.domain],
        }
        works.append(
            training_work(run.key, settings, results, train_run, run, str(sets), str(results))
        )
    return works


def train_run(run: TrainingRun, sets: str, results: str) -> Record:
    """Train, write the model file, and measure; what goes into the record."""
    from beeline.evaluate.model_errors import model_metrics
    from beeline.fitting.labels import label_states
    from beeline.fitting.objectives import heuristic_errors

    how = GRID["editions"][run.edition]
    model, record = train_model(
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
    errors = model_metrics(model, tested)
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


class PlanningSettings(NamedTuple):
    """Limits and tasks; the preset of the generator is the usual one of the edition."""

    tasks: int
    max_evaluations: int
    time_limit: float
    order: str
    preset: str


def contestants(
    runs: Sequence[TrainingRun], domains: Sequence[str], results: Path
) -> list[Contestant]:
    """h_FF in all domains, and all models that are to plan and are trained."""
    found = [Contestant(FF, domain) for domain in domains]
    for run in runs:
        planned = run.model in PLANNED_MODELS and run.configuration in PLANNED_CONFIGURATIONS
        record = read_record(results / "training" / f"{run.key}.json")
        if not planned or record is None or record["settings"]["steps"] != run.steps:
            continue
        path, digest = str(model_path(results, run.key)), model_digest(results, run.key)
        for method in METHODS:
            if (TRUNCATED if method == "TN" else GAUSSIAN) == run.distribution:
                name = f"{run.model}-{run.sigma}-{run.residual}-{method}-seed{run.seed}"
                words = (run.model, run.configuration, method, run.seed, path, digest)
                found.append(Contestant(name, run.domain, *words))
    return found


def planning_works(entrants: Sequence[Contestant], choice: Choice, results: Path) -> list[Work]:
    """The records of all contestants on all tasks of their domains, task by task."""
    from beeline.generators.registry import entry

    preset = edition(choice)["presets"][TEST]
    limits = (choice.tasks, choice.max_evaluations, choice.time_limit, choice.order)
    settings = PlanningSettings(*limits, preset)
    works = []
    for domain in dict.fromkeys(each.domain for each in entrants):
        sizes = len(entry(domain).preset(preset).entries)
        for index in task_indices(sizes, settings.tasks):
            for each in entrants:
                if each.domain != domain:
                    continue
                path = results / "planning" / settings.order / domain
                path /= f"{index:04d}-{each.name}.json"
                shown = {**each._asdict(), **settings._asdict(), "index": index}
                hidden = ["path", "tasks", *(["preset"] if choice.edition == LATER else [])]
                for word in hidden:
                    del shown[word]
                works.append(Work(path, shown, plan_run, (each, index, settings)))
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
    recipe = Recipe.make(domain, chosen, seed=TASK_SEED, index=index, preset=preset)
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
