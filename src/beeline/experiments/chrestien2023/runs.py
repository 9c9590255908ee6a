"""The tasks of each domain, and which are trained with, chosen by, and tested with.

Searches with the trained networks: for the choice of a size, and for the tables; figures of them.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from hashlib import sha256
from math import inf
from statistics import fmean
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import BeelineError
from beeline.experiments import records
from beeline.experiments.chrestien2023.trainings import POLICY, TrainingRun, searches_of, trained
from beeline.experiments.figures import Figure, figure
from beeline.experiments.records import TEST, TRAINING, VALIDATION, Place, Work, record_of
from beeline.experiments.registry import grid

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from beeline._native import SearchProgress
    from beeline.experiments.chrestien2023.trainings import Choice
    from beeline.experiments.records import Record
    from beeline.task.ground_task import GroundTask

    Tasks = Mapping[str, "DomainTasks"]
    Works = dict[tuple[TrainingRun, str], Work]
    Tests = Mapping[str, Mapping[str, Sequence["Trial"]]]  # by column and domain, for each seed

SHARES = ((TRAINING, 0.5), (VALIDATION, 0.25), (TEST, 0.25))
SPLIT_SEED = 0
SPANNER, ELEVATORS = "spanner", "elevators"
GENERATORS = {"blocks": "blocksworld", "elevators": "miconic"}  # where the names differ
SIZES = grid("chrestien2023")["task_sizes"]
FIRST = {ELEVATORS: 80}  # as many as in the paper: those of up to 16 passengers
WORDS: dict[str, dict[str, Any]] = grid("chrestien2023")["searches"]
MEMORY_LIMIT = 6144  # MB of a process
PATIENCE = 12  # seconds on the wall for each one of the processor, on a busy machine
RESULTS = ("solved", "expanded", "evaluated", "length", "seconds")  # of each task


class DomainTasks(NamedTuple):
    """The files of a domain."""

    domain: Path
    tasks: list[Path]  # small ones first, as far as names tell

    def part(self, split: str, count: int = 0) -> list[Path]:
        """The tasks of a split; at most `count` of them, spread evenly, or all."""
        from beeline.data.task_sets import assign_splits

        splits = assign_splits([task.stem for task in self.tasks], SHARES, SPLIT_SEED)
        found = [task for task, own in zip(self.tasks, splits, strict=True) if own == split]
        few = 0 < count < len(found)
        return [found[at] for at in records.spread(len(found), count)] if few else found

    def digest(self, tasks: Sequence[Path]) -> str:
        """A short name for what is in the files of some tasks."""
        digests = (sha256(file.read_bytes()).digest() for file in (self.domain, *tasks))
        return sha256(b"".join(digests)).hexdigest()[:16]


def all_tasks(choice: Choice, place: Place) -> dict[str, DomainTasks]:
    """The tasks of all domains that were chosen, where they are given or can be made."""
    made = SIZES[choice.task_sizes]
    return {
        domain: domain_tasks(place.data, place.results, domain, choice.tasks, choice.task_sizes)
        for domain in choice.domains
        if place.data is not None or domain in made
    }


def domain_tasks(
    data: Path | None, results: Path, domain: str, count: int, sizes: str = "paper"
) -> DomainTasks:
    """All tasks of a domain; so many are made if there are no data, or none of spanner."""
    given = data is not None and (domain != SPANNER or (data / domain).is_dir())
    folder = data / domain if data is not None and given else results / "tasks" / domain
    if not given:
        _write_tasks(folder, domain, count, sizes)
    place = folder / "domain.pddl"
    if not place.is_file():
        raise records.no_such_file(place)
    tasks = sorted((file for file in folder.glob("*.pddl") if file != place), key=_by_numbers)
    tasks = tasks[: FIRST.get(domain) if given else count]
    if len(tasks) < 3:
        raise BeelineError("there are too few tasks", str(folder), hint="each part needs one")
    return DomainTasks(place, tasks)


def _by_numbers(file: Path) -> tuple[list[int], str]:
    """Task 2 before task 10.

    >>> from pathlib import Path
    >>> sorted([Path("s10-1.pddl"), Path("s2-4.pddl")], key=_by_numbers)[0].stem
    's2-4'
    """
    return [int(word) for word in re.findall(r"\d+", file.stem)], file.stem


def _write_tasks(folder: Path, domain: str, count: int, sizes: str) -> None:
    """Tasks whose sizes are drawn at random; the same ones in every run."""
    import numpy as np

    from beeline.generators import domain_text
    from beeline.generators.registry import Recipe

    if domain not in SIZES[sizes]:
        raise BeelineError(
            f"there is no generator of {domain}",
            hint=f"name a folder of tasks with --data, or choose of {', '.join(SIZES[sizes])}",
        )
    generator = GENERATORS.get(domain, domain)
    folder.mkdir(parents=True, exist_ok=True)
    records.write_if_new(folder / "domain.pddl", domain_text(generator))
    for number in range(count):
        draw = np.random.default_rng([SPLIT_SEED, number])
        drawn = {
            name: int(draw.integers(low, high + 1))
            for name, (low, high) in SIZES[sizes][domain].items()
        }
        if domain == SPANNER:
            drawn["spanners"] = drawn["nuts"] + drawn.pop("spare")
        elif domain == ELEVATORS:  # two floors for each passenger, as in the paper's tasks
            drawn["floors"] = 2 * drawn["passengers"]
        text = Recipe.make(generator, drawn, seed=number).text()
        records.write_if_new(folder / f"{domain}-{number:03d}.pddl", text)


def validation_works(choice: Choice, tasks: Tasks, results: Path) -> Works:
    """Searches with all networks; none where there is one size to choose from."""
    several = len(choice.sizes) > 1
    runs = trained(choice.runs(), results) if several else ()
    return _works(runs, VALIDATION, choice, tasks, results)


def final_works(choice: Choice, tasks: Tasks, results: Path) -> Works:
    """Searches with the networks of the chosen sizes."""
    chosen = chosen_sizes(choice, tasks, results)
    works = _works(trained(choice.runs(), results), TEST, choice, tasks, results)
    return {
        (run, search): work
        for (run, search), work in works.items()
        if chosen.get((run.domain, run.loss, search)) == run.size
    }


def _works(
    runs: Iterable[TrainingRun], part: str, choice: Choice, tasks: Tasks, results: Path
) -> Works:
    """All searches with some networks in a part of the tasks."""
    return {
        (run, search): _work(run.domain, search, part, choice, tasks, results, run)
        for run in runs
        for search in searches_of(run.loss)
    }


def breadth_first_works(choice: Choice, tasks: Tasks, results: Path) -> dict[str, Work]:
    """Searches without any heuristic, by domain."""
    return {each: _work(each, "bfs", TEST, choice, tasks, results) for each in choice.domains}


def _work(
    domain: str,
    search: str,
    part: str,
    choice: Choice,
    tasks: Tasks,
    results: Path,
    run: TrainingRun | None = None,
) -> Work:
    """The record of one search in a part of the tasks; of a network, or of a domain alone."""
    validated, own = part == VALIDATION, tasks[domain]
    files = own.part(part, choice.validation_tasks if validated else choice.test_tasks)
    model = None if run is None else records.model_path(results, run.key)
    words = POLICY if run is not None and run.variant.loss == POLICY else search
    settings = {
        "run": domain if run is None else vars(run),
        "search": search,
        "part": part,
        "words": WORDS[words],
        "processor_seconds": choice.time_limit,
        "memory_limit": MEMORY_LIMIT,
        "tasks": own.digest(files),
        "model": None if model is None else records.digest_of([model]),
    }
    path = results / ("validation" if validated else "search")
    path /= f"{domain if run is None else run.key}-{search}.json"
    limits = {"time_limit": choice.time_limit, "memory_limit": MEMORY_LIMIT << 20}
    arguments = (WORDS[words], (own.domain, *files), model, limits)
    return Work(path, settings, search_all, arguments)


def chosen_sizes(choice: Choice, tasks: Tasks, results: Path) -> dict[tuple[str, str, str], str]:
    """The size for each domain, loss and search that solves most tasks, over all seeds.

    Of those that solve equally many, the one that expands fewer states on average, then the
    first. A choice is made as soon as all networks that are trained have been searched with.
    """
    runs = trained(choice.runs(), results)
    keys = dict.fromkeys((run.domain, run.loss, s) for run in runs for s in searches_of(run.loss))
    if len(choice.sizes) == 1:
        return dict.fromkeys(keys, choice.sizes[0])
    found: dict[tuple[str, str, str], dict[str, list[Record]]] = {}
    for (run, search), work in validation_works(choice, tasks, results).items():
        sizes = found.setdefault((run.domain, run.loss, search), {})
        sizes.setdefault(run.size, []).append(record_of(work) or {})
    chosen = {}
    for key, sizes in found.items():
        if all(all(listed) for listed in sizes.values()):
            # Sizes with fewer seeds than others would be judged by luck.
            most = max(map(len, sizes.values()))
            ready = {size: _merit(each) for size, each in sizes.items() if len(each) == most}
            chosen[key] = min(ready, key=lambda size: ready[size])
    return chosen


def _merit(records: Sequence[Record]) -> tuple[int, float]:
    solved = sum(sum(record["solved"]) for record in records)
    expanded = sum(
        count
        for record in records
        for count, success in zip(record["expanded"], record["solved"], strict=True)
        if success
    )
    return -solved, expanded / max(solved, 1)


def search_all(
    words: Mapping[str, Any], files: Sequence[Path], model: Path | None, limits: Mapping[str, Any]
) -> Record:
    """Search some tasks, whose domain is the first file; what goes into the record.

    A time limit is one of the processor's time.
    """
    import beeline

    domain, *tasks = files
    more = {**words, **limits}
    if model is not None:
        more["heuristic"] = beeline.load_model(model)
    most = limits.get("time_limit", inf)
    if "time_limit" in limits:
        more["time_limit"] = PATIENCE * most
    found: dict[str, list[Any]] = {name: [] for name in RESULTS}
    for file in tasks:
        task = _task(domain, file)
        began = process_time()
        result = beeline.solve(task, **more, progress=partial(_before, began + most))
        seconds = process_time() - began
        solved = result.solved and seconds <= most
        length = result.length if solved else None
        values = (solved, result.expanded, result.evaluated, length, seconds)
        for name, value in zip(RESULTS, values, strict=True):
            found[name].append(value)
    count = f"{sum(found['solved'])} of {len(tasks)} solved"
    return {
        "line": f"{count}, {sum(found['seconds']):.1f} s of the processor",
        "names": [file.stem for file in tasks],
        **found,
    }


def _before(until: float, _: SearchProgress) -> bool:
    """Whether this process has not used up its time."""
    return process_time() < until


@lru_cache(maxsize=256)  # grounding is not part of the search
def _task(domain: Path, file: Path) -> GroundTask:
    import beeline

    return beeline.load(domain, file, unit_costs=True)


class Trial(NamedTuple):
    """What one network did in all tests of a domain."""

    size: str
    record: Record

    def solved(self) -> set[str]:
        """The tasks with a plan."""
        return set(self.values("names"))

    def values(self, what: str, tasks: Collection[str] | None = None) -> list[Any]:
        """Of `expanded`, `length` or another result, in solved tasks or in those of them."""
        names = self.record["names"] if tasks is None else tasks
        rows = zip(*(self.record[name] for name in ("names", "solved", what)), strict=True)
        return [value for name, solved, value in rows if solved and name in names]


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

    def mean(each: Trial, domain: str) -> float | None:
        values = each.values(what, None if within is None else within[domain])
        return fmean(values) if values else None

    found = trial_figures(tests, mean)
    if within is None:
        return found
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
        rows = [row for column, row in tests.items() if column in columns]
        solved = [each.solved() for row in rows for each in row.get(domain, [])]
        found[domain] = set.intersection(*solved) if solved else set()
    return found
