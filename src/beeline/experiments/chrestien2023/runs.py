"""Searches with the trained networks: for the choice of a size, and for the tables; figures."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.experiments.chrestien2023.trainings import TrainingRun, searches_of, trained_works
from beeline.experiments.chrestien2023.variants import POLICY
from beeline.experiments.figures import Figure, figure
from beeline.experiments.records import Record, Work, is_done, read_record
from beeline.experiments.registry import grid
from beeline.experiments.training import TEST, VALIDATION, model_digest, model_path

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from beeline._native import SearchProgress
    from beeline.experiments.chrestien2023.tasks import DomainTasks
    from beeline.experiments.chrestien2023.trainings import Choice
    from beeline.task.ground_task import GroundTask

    Works = dict[tuple[TrainingRun, str], Work]
    Tests = Mapping[str, Mapping[str, Sequence["Trial"]]]  # by column and domain, for each seed

BREADTH_FIRST = "bfs"
WORDS: dict[str, dict[str, Any]] = grid("chrestien2023")["searches"]
MEMORY_LIMIT = 6144  # MB of a process
PATIENCE = 12  # seconds on the wall for each one of the processor, on a busy machine
RESULTS = ("solved", "expanded", "evaluated", "length", "seconds")  # of each task


class Search(NamedTuple):
    """One kind of search in some tasks of a domain, with a model if it needs one."""

    words: str  # a key of WORDS
    domain_file: str
    tasks: tuple[str, ...]
    model: str | None
    time_limit: float


def validation_works(choice: Choice, tasks: Mapping[str, DomainTasks], results: Path) -> Works:
    """Searches with all networks; none where there is one size to choose from."""
    trained = trained_works(choice.runs(), results) if len(choice.sizes) > 1 else {}
    return {
        (run, search): _work(run, search, VALIDATION, tasks[run.domain], choice, results)
        for run in trained
        for search in searches_of(run.loss)
    }


def final_works(choice: Choice, tasks: Mapping[str, DomainTasks], results: Path) -> Works:
    """Searches with the networks of the chosen sizes."""
    chosen = chosen_sizes(choice, tasks, results)
    trained = trained_works(choice.runs(), results)
    return {
        (run, search): _work(run, search, TEST, tasks[run.domain], choice, results)
        for run in trained
        for search in searches_of(run.loss)
        if chosen.get((run.domain, run.loss, search)) == run.size
    }


def breadth_first_works(
    choice: Choice, tasks: Mapping[str, DomainTasks], results: Path
) -> dict[str, Work]:
    """Searches without any heuristic, by domain."""
    return {
        domain: _work(domain, BREADTH_FIRST, TEST, tasks[domain], choice, results)
        for domain in choice.domains
    }


def chosen_sizes(
    choice: Choice, tasks: Mapping[str, DomainTasks], results: Path
) -> dict[tuple[str, str, str], str]:
    """The size for each domain, loss and search that solves most tasks, over all seeds.

    Of those that solve equally many, the one that expands fewer states on average, then the
    first. A choice is made as soon as all networks that are trained have been searched with.
    """
    runs = trained_works(choice.runs(), results)
    keys = dict.fromkeys((run.domain, run.loss, s) for run in runs for s in searches_of(run.loss))
    if len(choice.sizes) == 1:
        return dict.fromkeys(keys, choice.sizes[0])
    works = validation_works(choice, tasks, results)
    found = {}
    for key in keys:
        records: dict[str, list[Record]] = {size: [] for size in choice.sizes}
        missing = False
        for (run, search), work in works.items():
            if (run.domain, run.loss, search) == key:
                missing |= not is_done(work)
                records[run.size].append(read_record(work.path) or {})
        if not missing:
            counts = {len(each) for each in records.values() if each}
            # Sizes with fewer seeds than others would be judged by luck.
            ready = {size: each for size, each in records.items() if len(each) == max(counts)}
            found[key] = min(ready, key=lambda size: _merit(ready[size]))
    return found


def _merit(records: Sequence[Record]) -> tuple[int, float]:
    solved = sum(sum(record["solved"]) for record in records)
    expanded = sum(
        count
        for record in records
        for count, success in zip(record["expanded"], record["solved"], strict=True)
        if success
    )
    return -solved, expanded / max(solved, 1)


def _work(
    run: TrainingRun | str,
    search: str,
    part: str,
    tasks: DomainTasks,
    choice: Choice,
    results: Path,
) -> Work:
    """The record of one search in a part of the tasks; of a network, or of a domain alone."""
    count = choice.validation_tasks if part == VALIDATION else choice.test_tasks
    files = tasks.part(part, count)
    alone = isinstance(run, str)
    name = run if isinstance(run, str) else run.key
    words = POLICY if not isinstance(run, str) and run.variant.loss == POLICY else search
    settings = {
        "run": run if isinstance(run, str) else vars(run),
        "search": search,
        "part": part,
        "words": WORDS[words],
        "processor_seconds": choice.time_limit,
        "memory_limit": MEMORY_LIMIT,
        "tasks": tasks.digest(files),
        "model": None if alone else model_digest(results, name),
    }
    wanted = Search(
        words,
        str(tasks.domain),
        tuple(map(str, files)),
        None if alone else str(model_path(results, name)),
        choice.time_limit,
    )
    folder = results / ("validation" if part == VALIDATION else "search")
    return Work(folder / f"{name}-{search}.json", settings, search_all, (wanted,))


def search_all(wanted: Search) -> Record:
    """Search all tasks; what goes into the record."""
    import beeline
    from beeline.planning.solve import solve

    model = None if wanted.model is None else beeline.load_model(wanted.model)
    found: dict[str, list[Any]] = {name: [] for name in RESULTS}
    for file in wanted.tasks:
        task = _task(wanted.domain_file, file)
        until = process_time() + wanted.time_limit
        result = solve(
            task,
            **WORDS[wanted.words],
            heuristic=model,
            progress=partial(_before, until),
            time_limit=PATIENCE * wanted.time_limit,
            memory_limit=MEMORY_LIMIT << 20,
        )
        seconds = process_time() - until + wanted.time_limit
        if result.interrupted and seconds < wanted.time_limit:
            raise KeyboardInterrupt
        solved = result.solved and seconds <= wanted.time_limit
        length = result.length if solved else None
        values = (solved, result.expanded, result.evaluated, length, seconds)
        for name, value in zip(RESULTS, values, strict=True):
            found[name].append(value)
    count = f"{sum(found['solved'])} of {len(wanted.tasks)} solved"
    return {
        "line": f"{count}, {sum(found['seconds']):.1f} s of the processor",
        "names": [Path(file).stem for file in wanted.tasks],
        **found,
    }


def _before(until: float, _: SearchProgress) -> bool:
    """Whether this process has not used up its time."""
    return process_time() < until


@lru_cache(maxsize=256)  # grounding is not part of the search
def _task(domain: str, file: str) -> GroundTask:
    import beeline

    return beeline.load(domain, file, unit_costs=True)


class Trial(NamedTuple):
    """What one network did in all tests of a domain."""

    size: str
    record: Record

    def solved(self) -> set[str]:
        """The tasks with a plan."""
        names, solved = self.record["names"], self.record["solved"]
        return {name for name, success in zip(names, solved, strict=True) if success}

    def mean(self, what: str, tasks: set[str] | None = None) -> float | None:
        """Of `expanded` or `length`, over solved tasks or those of them; None without any."""
        counted = self.solved() if tasks is None else self.solved() & tasks
        pairs = zip(self.record["names"], self.record[what], strict=True)
        values = [value for name, value in pairs if name in counted]
        return fmean(values) if values else None


def tests_of(
    records: Mapping[tuple[TrainingRun, str], Record],
) -> dict[str, dict[str, list[Trial]]]:
    """Records of tests by column, a search and a training, and domain."""
    found: dict[str, dict[str, list[Trial]]] = {}
    for (run, search), record in records.items():
        row = found.setdefault(f"{search} {run.loss}", {})
        row.setdefault(run.domain, []).append(Trial(run.size, record))
    return found


def coverage(record: Record) -> float:
    """Solved tasks in percent."""
    return 100 * sum(record["solved"]) / len(record["solved"])


def trial_figures(
    tests: Tests, value: Callable[[Trial, str], float | None]
) -> dict[str, dict[str, Figure]]:
    """Means over seeds of what each network did in a domain; None counts for nothing."""
    found: dict[str, dict[str, Figure]] = {}
    for column, row in tests.items():
        found[column] = {}
        for domain, seeds in row.items():
            values = [number for each in seeds if (number := value(each, domain)) is not None]
            if values:
                found[column][domain] = figure(values)
    return found


def coverage_figures(tests: Tests) -> dict[str, dict[str, Figure]]:
    """Solved tasks in percent."""
    return trial_figures(tests, lambda each, _: coverage(each.record))


def mean_figures(
    tests: Tests, what: str, *, within: Mapping[str, set[str]] | None = None
) -> dict[str, dict[str, Figure]]:
    """Means of `expanded` or `length` over solved tasks; of each domain, `within` some only."""
    if within is None:
        return trial_figures(tests, lambda each, _: each.mean(what))
    found = trial_figures(tests, lambda each, domain: each.mean(what, within[domain]))
    return {
        column: {domain: row[domain]._replace(tasks=len(within[domain])) for domain in row}
        for column, row in found.items()
    }


def rate_figures(tests: Tests) -> dict[str, dict[str, Figure]]:
    """States evaluated per second of the processor, in all tests together, solved or not.

    Tests that took no time that clocks can tell have no rate.
    """

    def rate(each: Trial, _: str) -> float | None:
        seconds = sum(each.record["seconds"])
        return sum(each.record["evaluated"]) / seconds if seconds > 0 else None

    return trial_figures(tests, rate)


def common_tasks(tests: Tests, columns: Collection[str]) -> dict[str, set[str]]:
    """The tasks of each domain that every one of these columns solved with every seed."""
    found: dict[str, set[str]] = {}
    for domain in dict.fromkeys(domain for row in tests.values() for domain in row):
        solved = [
            each.solved()
            for column, row in tests.items()
            if column in columns
            for each in row.get(domain, [])
        ]
        found[domain] = set.intersection(*solved) if solved else set()
    return found
