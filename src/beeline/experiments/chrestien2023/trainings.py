"""What is compared: domains, losses, sizes of the network, seeds; and the trainings of it.

Networks are trained with optimal plans, which the library's planner finds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import BeelineError
from beeline.experiments.chrestien2023.variants import (
    BELLMAN,
    POLICY,
    RANK_ASTAR,
    RANK_GBFS,
    SQUARED,
    TRAJECTORY,
    TRUNCATED,
    Variant,
)
from beeline.experiments.records import Record, Work, is_done
from beeline.experiments.training import (
    TRAINING,
    VALIDATION,
    identities,
    make_set,
    train_model,
    training_work,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from beeline.data.task_sets import TaskSet
    from beeline.experiments.chrestien2023.tasks import DomainTasks
    from beeline.experiments.running import Place

DOMAINS = ("blocks", "ferry", "npuzzle", "spanner", "elevators")
LOSSES = (RANK_ASTAR, RANK_GBFS, TRAJECTORY, SQUARED, BELLMAN, POLICY)  # of the paper
ALL_LOSSES = (*LOSSES, TRUNCATED)
ASTAR, GBFS = "astar", "gbfs"
SEARCHES = (ASTAR, GBFS)
NETWORK = "hgconv"
STEPS = 2000
LEARNING_RATE = 5e-3  # regression gets nowhere in so few steps with a smaller one
SIZES = ("2x8r", "3x8r")
PARTS = (TRAINING, VALIDATION)
OPTIMISER = "adabelief"
VALIDATIONS = 20  # in a whole training
PLAN_EVALUATIONS = 500_000
FEWER_EVALUATIONS = {"blocks": 100_000}  # has many tasks; those that need more need far more


class Size(NamedTuple):
    """Convolutions, their width, and whether there are residual connections."""

    layers: int
    width: int
    residual: bool

    @classmethod
    def parse(cls, word: str) -> Size:
        """The size that a word such as `2x8r` means.

        >>> Size.parse("3x16")
        Size(layers=3, width=16, residual=False)
        """
        match = re.fullmatch(r"([1-9])x([1-9][0-9]?)(r?)", word)
        if match is None:
            raise BeelineError(
                f"'{word[:60]}' is no size of the network",
                hint="such as 2x8r: two convolutions of width 8 with residual connections",
            )
        return cls(int(match[1]), int(match[2]), match[3] == "r")


def searches_of(loss: str) -> tuple[str, ...]:
    """The columns of a loss: the policy belongs to greedy search alone, as in the paper."""
    return (GBFS,) if Variant.parse(loss).loss == POLICY else SEARCHES


@dataclass(frozen=True)
class TrainingRun:
    """One network to train."""

    domain: str
    loss: str  # the word of a variant
    size: str
    seed: int
    steps: int
    learning_rate: float

    @property
    def key(self) -> str:
        """A name for files; it tells neither steps nor learning rate."""
        return f"{self.domain}-{self.loss}-{self.size}-seed{self.seed}"

    @property
    def variant(self) -> Variant:
        """What is trained."""
        return Variant.parse(self.loss)


class Choice(NamedTuple):
    """Which part of the grid is wanted, and how large everything is."""

    domains: Sequence[str] = DOMAINS
    losses: Sequence[str] = LOSSES
    sizes: Sequence[str] = SIZES
    seeds: int = 2
    steps: int = STEPS
    learning_rate: float = LEARNING_RATE
    tasks: int = 120  # of each domain, where they are made
    task_sizes: str = "paper"  # of tasks that are made
    plan_evaluations: int | None = None  # limit on optimal search; None for what suits the domain
    plan_seconds: float = 300.0
    time_limit: float = 5.0  # processor seconds of a search
    validation_tasks: int = 40  # at most, to choose sizes by; 0 for all
    test_tasks: int = 0  # at most; 0 for all

    def runs(self) -> list[TrainingRun]:
        """All networks; those with the same inputs follow each other.

        >>> [run.key for run in Choice(["ferry"], ["l2"], seeds=2).runs()][:2]
        ['ferry-l2-2x8r-seed0', 'ferry-l2-2x8r-seed1']
        """
        return [
            TrainingRun(domain, loss, size, seed, self.steps, self.learning_rate)
            for size in self.sizes
            for domain in self.domains
            for seed in range(self.seeds)
            for loss in self.losses
        ]


def set_folder(results: Path, domain: str, part: str, orders: int = 1) -> Path:
    """Where the states of a part are, with so many orders of each plan."""
    return results / "datasets" / (domain if orders == 1 else f"{domain}-{orders}orders") / part


def make_sets(tasks: Mapping[str, DomainTasks], choice: Choice, place: Place) -> None:
    """Make or complete all sets, with the states beside the plans, and with unit costs."""
    from beeline.data.task_sets import PlanSettings, given_tasks

    for domain, files in tasks.items():
        most = choice.plan_evaluations or FEWER_EVALUATIONS.get(domain, PLAN_EVALUATIONS)
        for part in PARTS:
            settings = PlanSettings(
                splits=((part, 1.0),),
                siblings=True,
                max_evaluations=most,
                time_limit=choice.plan_seconds,
                unit_costs=True,
            )
            wanted = [str(task) for task in files.part(part)]
            task_set = given_tasks(str(files.domain), wanted, unit_costs=True)
            folder = set_folder(place.results, domain, part)
            make_set(task_set, settings, folder, f"plans of {domain}, {part}", place)


def make_ordered_sets(domains: Sequence[str], orders: int, place: Place) -> None:
    """Make or complete sets with more orders of the plans that `make_sets` has found."""
    from beeline.data.task_sets import PlanSettings

    for domain in domains:
        for part in PARTS:
            settings = PlanSettings(
                splits=((part, 1.0),),
                siblings=True,
                unit_costs=True,
                optimal_plans=True,
                orders=orders,
            )
            solved = _solved_tasks(set_folder(place.results, domain, part))
            folder = set_folder(place.results, domain, part, orders)
            make_set(solved, settings, folder, f"{orders} orders of {domain}, {part}", place)


def _solved_tasks(folder: Path) -> TaskSet:
    """The solved tasks of a set, with their plans."""
    from hashlib import sha256

    from beeline.data.reader import Dataset
    from beeline.data.task_sets import Source, TaskSet
    from beeline.task.plan_file import Plan

    dataset = Dataset(folder)
    rows = [
        row
        for row in dataset.instances(columns=["name", "status", "task", "plan"])
        if row["status"] == "solved"
    ]
    sources = tuple(Source(row["name"], text=row["task"], plan=Plan(row["plan"])) for row in rows)
    digests = {
        row["name"]: sha256(repr((row["task"], tuple(row["plan"]))).encode()).hexdigest()
        for row in rows
    }
    signature = dataset.manifest.domain
    description = {"tasks": digests, "plans": True}
    return TaskSet(dataset.domain_text, signature, sources, description)


def training_works(runs: Sequence[TrainingRun], results: Path) -> list[Work]:
    """The records of all runs."""
    works, data = [], dict[tuple[str, int], dict[str, str]]()
    for run in runs:
        kind = run.domain, run.variant.orders
        if kind not in data:
            folders = {part: set_folder(results, run.domain, part, kind[1]) for part in PARTS}
            data[kind] = identities(folders)
        settings = {
            **vars(run),
            "network": NETWORK,
            "optimiser": OPTIMISER,
            "validate_every": validate_every(run.steps),
            "data": data[kind],
        }
        works.append(training_work(run.key, settings, results, train_run, run, str(results)))
    return works


def trained_works(runs: Sequence[TrainingRun], results: Path) -> dict[TrainingRun, Work]:
    """Those that have records already."""
    known = [run for run in runs if (results / "training" / f"{run.key}.json").is_file()]
    works = training_works(known, results)
    return {run: work for run, work in zip(known, works, strict=True) if is_done(work)}


def validate_every(steps: int) -> int:
    """Steps between two looks at the tasks to choose weights by."""
    return max(1, steps // VALIDATIONS)


def train_run(run: TrainingRun, results: str) -> Record:
    """Train, and write the model file; what goes into the record."""
    from beeline.data.instances import read_instances
    from beeline.evaluate.model_errors import model_metrics

    variant = run.variant
    sets = {part: set_folder(Path(results), run.domain, part, variant.orders) for part in PARTS}
    settings: dict[str, Any] = {
        **variant.settings,
        "model": NETWORK,
        "options": Size.parse(run.size)._asdict(),
        "steps": run.steps,
        "optimiser": OPTIMISER,
        "learning_rate": run.learning_rate,
        "validate_every": validate_every(run.steps),
        "seed": run.seed,
    }
    model, record = train_model(run.key, Path(results), sets, settings)
    metrics = record["validation"]
    select, value = next(iter(metrics.items()))
    if "violations" not in metrics:  # of means of Gaussians that were not ranked
        states = read_instances(sets[VALIDATION], split=VALIDATION, siblings=True)
        ranked = model_metrics(model, states, loss=TRUNCATED)
        metrics["violations"] = ranked["violations"]
    return {
        "line": f"{select} {value:.4g}, {100 * metrics['violations']:.1f} % of pairs violated,"
        f" best step {record['best_step']}, {record['train_seconds']:.0f} s",
        **record,
    }
