"""What is compared: domains, losses, sizes of the network, seeds; and the trainings of it.

Networks are trained with optimal plans, which the library's planner finds. What a network is
trained for is one word: `rank-astar` is the loss with all that it has by itself, and
`rank-astar+lmcut` adds the network's output to LM-cut; `rank-astar+4merged` learns from up to four
orders of each plan, merged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import BeelineError
from beeline.experiments import records
from beeline.experiments.records import TRAINING, VALIDATION, Record, Work
from beeline.experiments.registry import grid
from beeline.fitting.losses import FIRST, MERGED, SEPARATE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from beeline.data.task_sets import TaskSet
    from beeline.experiments.chrestien2023.runs import DomainTasks

DOMAINS = ("blocks", "ferry", "npuzzle", "spanner", "elevators")
POLICY, TRUNCATED, GAUSSIAN = "policy", "rank-truncated", "truncated-gaussian"
TITLES: dict[str, str] = grid("chrestien2023")["losses"]
RESIDUALS: dict[str, str] = grid("chrestien2023")["residuals"]
ALL_LOSSES = tuple(loss for loss in TITLES if loss != GAUSSIAN)
LOSSES = tuple(loss for loss in ALL_LOSSES if loss != TRUNCATED)  # of the paper
WAYS = {"merged": MERGED, "apart": SEPARATE}
GBFS = "gbfs"
SEARCHES = ("astar", GBFS)
NETWORK, GRID_NETWORK = "hgconv", "coat"
OPTIMISERS = {NETWORK: "adabelief", GRID_NETWORK: "adam"}
PARTS = (TRAINING, VALIDATION)
VALIDATIONS = 20  # in a whole training
PLAN_EVALUATIONS = 500_000
FEWER_EVALUATIONS = {"blocks": 100_000}  # has many tasks; those that need more need far more


class Variant(NamedTuple):
    """A kind of training; `residual` None is what the loss has by itself."""

    loss: str
    residual: str | None = None
    orders: int = 1  # of each plan, at most
    way: str = FIRST  # to learn from several

    @classmethod
    def parse(cls, word: str) -> Variant:
        """The training that a word means.

        >>> Variant.parse("rank-astar+lmcut+4merged")
        Variant(loss='rank-astar', residual='lmcut', orders=4, way='merged')
        >>> Variant.parse("rank-truncated").title
        'E[x] ranked'
        """
        losses, residuals, ways = ("|".join(names) for names in (TITLES, RESIDUALS, WAYS))
        pattern = rf"({losses})(?:\+({residuals}))?(?:\+([2-9])({ways}))?"
        match = re.fullmatch(pattern, word)
        if match is None:
            raise BeelineError(
                f"'{word[:60]}' is no training of this experiment",
                hint=f"one of {', '.join(TITLES)}, perhaps with one of +{', +'.join(RESIDUALS)},"
                " then +4merged or +4apart for several orders of plans",
            )
        if match[4] is None:
            return cls(match[1], match[2])
        if match[1] == GAUSSIAN:
            raise BeelineError(
                f"'{word[:60]}': the likelihood of single states has no orders of plans",
                hint="leave the orders out",
            )
        return cls(match[1], match[2], int(match[3]), WAYS[match[4]])

    @property
    def _way(self) -> str:
        return "merged" if self.way == MERGED else "apart"

    @property
    def word(self) -> str:
        """What `parse` takes."""
        orders = None if self.way == FIRST else f"{self.orders}{self._way}"
        return "+".join(filter(None, (self.loss, self.residual, orders)))

    @property
    def title(self) -> str:
        """The training in words.

        >>> Variant("rank-astar", "ff", 4, "separate").title
        'L*, FF residual, 4 orders apart'
        """
        orders = None if self.way == FIRST else f"{self.orders} orders {self._way}"
        residual = self.residual and RESIDUALS[self.residual]
        return ", ".join(filter(None, (TITLES[self.loss], residual, orders)))

    @property
    def settings(self) -> dict[str, str | None]:
        """What `train` is told."""
        orders = None if self.way == FIRST else self.way
        return {"loss": self.loss, "residual": self.residual, "orders": orders}


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
    gradient_clip: float = 0.0  # the norm that gradients are scaled down to; 0 for none

    @property
    def key(self) -> str:
        """A name for files; it tells neither steps nor learning rate.

        >>> TrainingRun("ferry", "l2", "1x8", 0, 100, 1e-3, 0.1).key
        'ferry-l2-1x8-clip0.1-seed0'
        """
        clip = f"-clip{self.gradient_clip:g}" if self.gradient_clip else ""
        return f"{self.domain}-{self.loss}-{self.size}{clip}-seed{self.seed}"

    @property
    def variant(self) -> Variant:
        """What is trained."""
        return Variant.parse(self.loss)

    @property
    def validate_every(self) -> int:
        """Steps between two looks at the tasks to choose weights by."""
        return max(1, self.steps // VALIDATIONS)

    def sets(self, results: Path) -> dict[str, Path]:
        """The states to train and to validate with."""
        orders = self.variant.orders
        return {part: set_folder(results, self.domain, part, orders) for part in PARTS}


class Choice(NamedTuple):
    """Which part of the grid is wanted, and how large everything is."""

    domains: Sequence[str] = DOMAINS
    losses: Sequence[str] = LOSSES
    sizes: Sequence[str] = ("2x8r", "3x8r")
    seeds: int = 2
    steps: int = 2000
    learning_rate: float = 5e-3  # regression gets nowhere in so few steps with a smaller one
    gradient_clip: float = 0.0  # norm of gradients, at most; 0 for none, as in the paper
    tasks: int = 120  # of each domain, where they are made
    task_sizes: str = "paper"  # of tasks that are made
    plan_evaluations: int | None = None  # limit on optimal search; None for what suits the domain
    plan_seconds: float = 300.0
    symmetry: int = 0  # 1: optimal plans are searched for by symmetry, too
    time_limit: float = 5.0  # processor seconds of a search
    validation_tasks: int = 40  # at most, to choose sizes by; 0 for all
    test_tasks: int = 0  # at most; 0 for all

    def runs(self) -> list[TrainingRun]:
        """All networks; those with the same inputs follow each other.

        >>> [run.key for run in Choice(["ferry"], ["l2"], seeds=2).runs()][:2]
        ['ferry-l2-2x8r-seed0', 'ferry-l2-2x8r-seed1']
        """
        return [
            TrainingRun(
                domain, loss, size, seed, self.steps, self.learning_rate, self.gradient_clip
            )
            for size in self.sizes
            for domain in self.domains
            for seed in range(self.seeds)
            for loss in self.losses
        ]


def set_folder(results: Path, domain: str, part: str, orders: int = 1) -> Path:
    """Where the states of a part are, with so many orders of each plan."""
    return results / "datasets" / (domain if orders == 1 else f"{domain}-{orders}orders") / part


def make_sets(
    tasks: Mapping[str, DomainTasks], choice: Choice, place: records.Place, orders: int = 1
) -> None:
    """Make or complete all sets, with the states beside the plans, and with unit costs.

    Sets with more orders are made of the plans that those with one have found.
    """
    from beeline.data.task_sets import PlanSettings, given_tasks

    for domain, files in tasks.items():
        most = choice.plan_evaluations or FEWER_EVALUATIONS.get(domain, PLAN_EVALUATIONS)
        for part in PARTS:
            more: dict[str, Any] = {"max_evaluations": most, "time_limit": choice.plan_seconds}
            more["symmetry"] = bool(choice.symmetry)
            words = "plans"
            if orders == 1:
                wanted = [str(task) for task in files.part(part)]
                task_set = given_tasks(str(files.domain), wanted, unit_costs=True)
            else:
                task_set = _solved_tasks(set_folder(place.results, domain, part))
                more, words = {"optimal_plans": True, "orders": orders}, f"{orders} orders"
            settings = PlanSettings(splits=((part, 1.0),), siblings=True, unit_costs=True, **more)
            folder = set_folder(place.results, domain, part, orders)
            records.make_set(task_set, settings, folder, f"{words} of {domain}, {part}", place)


def _solved_tasks(folder: Path) -> TaskSet:
    """The solved tasks of a set, with their plans."""
    from hashlib import sha256

    from beeline.data.reader import Dataset
    from beeline.data.task_sets import Source, TaskSet
    from beeline.task.plan_file import Plan

    dataset = Dataset(folder)
    sources, digests = [], {}
    for row in dataset.instances(columns=["name", "status", "task", "plan"]):
        if row["status"] == "solved":
            name, task, plan = row["name"], row["task"], row["plan"]
            sources.append(Source(name, text=task, plan=Plan(plan)))
            digests[name] = sha256(repr((task, tuple(plan))).encode()).hexdigest()
    description = {"tasks": digests, "plans": True}
    return TaskSet(dataset.domain_text, dataset.manifest.domain, tuple(sources), description)


def training_works(
    runs: Iterable[TrainingRun], results: Path, network: str = NETWORK
) -> dict[TrainingRun, Work]:
    """The records of all runs."""
    runs = list(runs)
    folders = {(run.domain, run.variant.orders): run.sets(results) for run in runs}
    data = {kind: records.identities(sets) for kind, sets in folders.items()}
    shown = {"network": network, "optimiser": OPTIMISERS[network]}
    settings = {
        run: {**vars(run), **shown, "validate_every": run.validate_every}
        | {"data": data[run.domain, run.variant.orders]}
        for run in runs
    }
    if network == GRID_NETWORK:  # gradients are not clipped, and records from before do not say so
        for each in settings.values():
            del each["gradient_clip"]
    return records.training_works(settings, results, train_run, str(results), network)


def trained(
    runs: Iterable[TrainingRun], results: Path, network: str = NETWORK
) -> dict[TrainingRun, Record]:
    """The records that there are of the networks that are wanted."""
    known = [run for run in runs if records.training_file(results, run.key).is_file()]
    return records.known_records(training_works(known, results, network))


def train_run(run: TrainingRun, results: str, network: str = NETWORK) -> Record:
    """Train, and write the model file; what goes into the record."""
    from beeline.data.instances import read_instances

    sets = run.sets(Path(results))
    settings: dict[str, Any] = {
        **run.variant.settings,
        "model": network,
        "options": Size.parse(run.size)._asdict() if network == NETWORK else {"preset": run.size},
        "steps": run.steps,
        "optimiser": OPTIMISERS[network],
        "learning_rate": run.learning_rate,
        "gradient_clip": run.gradient_clip,
        "validate_every": run.validate_every,
        "seed": run.seed,
    }
    model, record = records.train_model(run.key, Path(results), sets, settings)
    metrics = record["validation"]
    select, value = next(iter(metrics.items()))
    if "violations" not in metrics:  # of means of Gaussians that were not ranked
        states = read_instances(sets[VALIDATION], split=VALIDATION, siblings=True)
        ranked = records.model_metrics(model, states, loss=TRUNCATED)
        metrics["violations"] = ranked["violations"]
    return {
        "line": f"{select} {value:.4g}, {100 * metrics['violations']:.1f} % of pairs violated,"
        f" best step {record['best_step']}, {record['train_seconds']:.0f} s",
        **record,
    }
