"""Trainings of networks over grids, and searches with them up to a number of evaluations."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.experiments import records
from beeline.experiments.chrestien2023.grids.tasks import DOMAINS, PAPER_SIZES, ROWS
from beeline.experiments.chrestien2023.runs import RESULTS, WORDS
from beeline.experiments.chrestien2023.trainings import LOSSES, POLICY, TrainingRun, searches_of
from beeline.experiments.records import Record, Work, digest_of, model_path

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


def training_works(runs: Sequence[TrainingRun], results: Path) -> dict[TrainingRun, Work]:
    """The records of all trainings."""
    data = {run.domain: records.identities(run.sets(results)) for run in runs}
    shown = {"network": NETWORK, "optimiser": OPTIMISER}
    settings = {
        run: {**vars(run), **shown, "validate_every": run.validate_every, "data": data[run.domain]}
        for run in runs
    }
    for each in settings.values():
        del each["gradient_clip"]  # there is none, and records from before do not say so
    return records.training_works(settings, results, train_run, str(results))


def trained(choice: Choice, results: Path) -> dict[TrainingRun, Record]:
    """The records that there are of the networks that are wanted."""
    known = [run for run in choice.runs() if records.training_file(results, run.key).is_file()]
    works = training_works(known, results)
    return {run: found for run, work in works.items() if (found := records.record_of(work))}


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
        "validate_every": run.validate_every,
        "seed": run.seed,
    }
    place = Path(results)
    _, record = records.train_model(run.key, place, run.sets(place), settings)
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
        for run in trained(choice, results)
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
    model = None if key is None else model_path(results, key)
    settings = {
        "words": dict(words),
        "max_evaluations": evaluations,
        "tasks": digest_of(map(Path, files)),
        "model": None if model is None else digest_of([model]),
    }
    path = results / "search" / f"{name}.json"
    return Work(path, settings, search_all, (dict(words), tuple(files), model, evaluations))


def search_all(
    words: dict[str, Any], files: Sequence[str], model: Path | None, max_evaluations: int
) -> Record:
    """Search some tasks, whose domain is the first file; what goes into the record."""
    from time import process_time

    import beeline

    domain, *tasks = files
    if model is not None:
        words = {**words, "heuristic": beeline.load_model(model)}
    found: dict[str, list[Any]] = {name: [] for name in RESULTS}
    for file in tasks:
        task = _task(domain, file)
        began = process_time()
        result = beeline.solve(task, max_evaluations=max_evaluations, **words)
        if result.interrupted:
            raise KeyboardInterrupt
        length = result.length if result.solved else None
        seconds = process_time() - began
        values = (result.solved, result.expanded, result.evaluated, length, seconds)
        for name, value in zip(RESULTS, values, strict=True):
            found[name].append(value)
    count = f"{sum(found['solved'])} of {len(tasks)} solved"
    return {
        "line": f"{count}, {sum(found['seconds']):.1f} s of the processor",
        "names": [Path(file).stem for file in tasks],
        **found,
    }


@lru_cache(maxsize=64)  # grounding is not part of the search
def _task(domain: str, file: str) -> GroundTask:
    import beeline

    return beeline.load(domain, file, unit_costs=True)
