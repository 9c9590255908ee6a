"""Trainings of networks over grids, and searches with them up to a number of evaluations."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.experiments.chrestien2023.grids.tasks import DOMAINS, PAPER_SIZES, ROWS
from beeline.experiments.chrestien2023.runs import RESULTS, WORDS
from beeline.experiments.chrestien2023.trainings import (
    LOSSES,
    PARTS,
    TrainingRun,
    searches_of,
    set_folder,
    validate_every,
)
from beeline.experiments.chrestien2023.variants import POLICY
from beeline.experiments.records import Record, Work, is_done
from beeline.experiments.training import (
    identities,
    model_digest,
    model_path,
    train_model,
    training_work,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from beeline.task.ground_task import GroundTask

    Works = dict[tuple[TrainingRun, str], Work]  # of a network in a row, and a search

NETWORK, OPTIMISER = "coat", "adam"
BASELINES = {
    "blind": {"search": "bfs"},
    "h_FF": {"search": "gbfs", "heuristic": "ff", "tie_breaking": "h,fifo"},
}


class Choice(NamedTuple):
    """Which part of the tables is wanted, and how large everything is.

    `test_tasks` and `evaluations`, the limit of a search, are those of Sokoban, mazes and tiles.
    """

    domains: Sequence[str] = tuple(ROWS)  # rows of the tables
    losses: Sequence[str] = LOSSES
    network: str = "small"  # a preset of sizes
    seeds: int = 2
    steps: int = 400
    learning_rate: float = 2e-3
    training_tasks: int = 200
    validation_tasks: int = 40
    test_tasks: Sequence[int] = (40, 10, 20)
    evaluations: Sequence[int] = (5000, 2000, 5000)
    task_sizes: str = PAPER_SIZES

    @property
    def kinds(self) -> list[str]:
        """What networks are trained for.

        >>> Choice(domains=("tiles-6", "sokoban-3", "sokoban-4")).kinds
        ['sokoban', 'tiles']
        """
        wanted = {ROWS[row]["domain"] for row in self.domains}
        return [domain for domain in DOMAINS if domain in wanted]

    def of(self, row: str) -> tuple[int, int]:
        """How many tests a row has, and how many evaluations a search."""
        place = DOMAINS.index(ROWS[row]["domain"])
        return self.test_tasks[place], self.evaluations[place]

    def runs(self) -> list[TrainingRun]:
        """All networks."""
        return [
            TrainingRun(domain, loss, self.network, seed, self.steps, self.learning_rate)
            for domain in self.kinds
            for seed in range(self.seeds)
            for loss in self.losses
        ]


class GridSearch(NamedTuple):
    """One kind of search in the tests of a row, with a model if it needs one."""

    words: Mapping[str, Any]
    files: tuple[str, ...]  # the domain first
    model: str | None
    max_evaluations: int


def training_works(runs: Sequence[TrainingRun], results: Path) -> list[Work]:
    """The records of all trainings."""
    works = []
    for run in runs:
        settings = {
            **vars(run),
            "network": NETWORK,
            "optimiser": OPTIMISER,
            "validate_every": validate_every(run.steps),
            "data": identities({part: set_folder(results, run.domain, part) for part in PARTS}),
        }
        works.append(training_work(run.key, settings, results, train_run, run, str(results)))
    return works


def trained_runs(runs: Sequence[TrainingRun], results: Path) -> dict[TrainingRun, Work]:
    """Those that have records already."""
    known = [run for run in runs if (results / "training" / f"{run.key}.json").is_file()]
    works = training_works(known, results)
    return {run: work for run, work in zip(known, works, strict=True) if is_done(work)}


def train_run(run: TrainingRun, results: str) -> Record:
    """Train, and write the model file; what goes into the record."""
    settings: dict[str, Any] = {
        **run.variant.settings,
        "model": NETWORK,
        "options": {"preset": run.size},
        "steps": run.steps,
        "optimiser": OPTIMISER,
        "learning_rate": run.learning_rate,
        "gradient_clip": None,
        "validate_every": validate_every(run.steps),
        "seed": run.seed,
    }
    sets = {part: set_folder(Path(results), run.domain, part) for part in PARTS}
    _, record = train_model(run.key, Path(results), sets, settings)
    metrics = record["validation"]
    return {
        "line": f"loss {metrics['loss']:.4g}, {100 * metrics['violations']:.1f} % of pairs"
        f" violated, best step {record['best_step']}, {record['train_seconds']:.0f} s",
        **record,
    }


def search_works(choice: Choice, tests: Mapping[str, Sequence[str]], results: Path) -> Works:
    """Searches with all networks that are trained, in all rows of their domains."""
    return {
        (replace(run, domain=row), search): _work(
            f"{run.key}-{row}-{search}",
            WORDS[POLICY if run.variant.loss == POLICY else search],
            tests[row],
            run.key,
            choice.of(row)[1],
            results,
        )
        for run in trained_runs(choice.runs(), results)
        for row in choice.domains
        if ROWS[row]["domain"] == run.domain
        for search in searches_of(run.loss)
    }


def baseline_works(
    choice: Choice, tests: Mapping[str, Sequence[str]], results: Path
) -> dict[tuple[str, str], Work]:
    """Searches without networks, by name and row."""
    return {
        (name, row): _work(f"{name}-{row}", words, tests[row], None, choice.of(row)[1], results)
        for name, words in BASELINES.items()
        for row in choice.domains
    }


def _work(
    name: str,
    words: Mapping[str, Any],
    files: Sequence[str],
    key: str | None,
    evaluations: int,
    results: Path,
) -> Work:
    content = sha256()
    for file in files:
        content.update(sha256(Path(file).read_bytes()).digest())
    settings = {
        "words": dict(words),
        "max_evaluations": evaluations,
        "tasks": content.hexdigest()[:16],
        "model": None if key is None else model_digest(results, key),
    }
    model = None if key is None else str(model_path(results, key))
    wanted = GridSearch(dict(words), tuple(files), model, evaluations)
    return Work(results / "search" / f"{name}.json", settings, search_all, (wanted,))


def search_all(wanted: GridSearch) -> Record:
    """Search all tasks; what goes into the record."""
    from time import process_time

    import beeline

    words = dict(wanted.words)
    if wanted.model is not None:
        words["heuristic"] = beeline.load_model(wanted.model)
    found: dict[str, list[Any]] = {name: [] for name in RESULTS}
    for file in wanted.files[1:]:
        task = _task(wanted.files[0], file)
        began = process_time()
        result = beeline.solve(task, max_evaluations=wanted.max_evaluations, **words)
        if result.interrupted:
            raise KeyboardInterrupt
        length = result.length if result.solved else None
        seconds = process_time() - began
        values = (result.solved, result.expanded, result.evaluated, length, seconds)
        for name, value in zip(RESULTS, values, strict=True):
            found[name].append(value)
    count = f"{sum(found['solved'])} of {len(wanted.files) - 1} solved"
    return {
        "line": f"{count}, {sum(found['seconds']):.1f} s of the processor",
        "names": [Path(file).stem for file in wanted.files[1:]],
        **found,
    }


@lru_cache(maxsize=64)  # grounding is not part of the search
def _task(domain: str, file: str) -> GroundTask:
    import beeline

    return beeline.load(domain, file, unit_costs=True)
