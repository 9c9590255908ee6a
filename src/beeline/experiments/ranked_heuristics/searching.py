"""Searches with the trained networks: for the choice of a size, and for the tables."""

from __future__ import annotations

from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.experiments.ranked_heuristics.grid import ASTAR, GBFS, TrainingRun, searches_of
from beeline.experiments.ranked_heuristics.tasks import TEST, VALIDATION
from beeline.experiments.ranked_heuristics.training import model_path, trained_works
from beeline.experiments.ranked_heuristics.variants import POLICY
from beeline.experiments.records import Record, Work, is_done, read_record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from beeline._native import SearchProgress
    from beeline.experiments.ranked_heuristics.grid import Choice, Limits
    from beeline.experiments.ranked_heuristics.tasks import DomainTasks
    from beeline.task.ground_task import GroundTask

BREADTH_FIRST = "bfs"
# A learned heuristic is not admissible: A* is the best-first search by g + h, with reopening, and
# its plans need not be optimal. Ties go to the smaller h, then to the state generated first.
WORDS: dict[str, dict[str, Any]] = {
    ASTAR: {"search": "best-first", "alpha": 1.0, "beta": 1.0, "tie_breaking": "f,h,fifo"},
    GBFS: {"search": "gbfs", "tie_breaking": "h,fifo"},
    POLICY: {"search": "phs"},
    BREADTH_FIRST: {"search": "bfs"},
}
PATIENCE = 12  # seconds on the wall for each one of the processor, on a busy machine
RESULTS = ("solved", "expanded", "evaluated", "length", "seconds")  # of each task


class Search(NamedTuple):
    """One kind of search in some tasks of a domain, with a model if it needs one."""

    words: str  # a key of WORDS
    domain_file: str
    tasks: tuple[str, ...]
    model: str | None
    time_limit: float
    memory_limit: int


def validation_works(
    choice: Choice, tasks: Mapping[str, DomainTasks], limits: Limits, results: Path
) -> dict[tuple[TrainingRun, str], Work]:
    """Searches with all networks; none where there is one size to choose from."""
    trained = trained_works(choice.runs(), results) if len(choice.sizes) > 1 else {}
    return {
        (run, search): _work(run, search, VALIDATION, tasks[run.domain], limits, results)
        for run in trained
        for search in searches_of(run.loss)
    }


def final_works(
    choice: Choice, tasks: Mapping[str, DomainTasks], limits: Limits, results: Path
) -> dict[tuple[TrainingRun, str], Work]:
    """Searches with the networks of the chosen sizes."""
    chosen = chosen_sizes(choice, tasks, limits, results)
    trained = trained_works(choice.runs(), results)
    return {
        (run, search): _work(run, search, TEST, tasks[run.domain], limits, results)
        for run in trained
        for search in searches_of(run.loss)
        if chosen.get((run.domain, run.loss, search)) == run.size
    }


def breadth_first_works(
    choice: Choice, tasks: Mapping[str, DomainTasks], limits: Limits, results: Path
) -> dict[str, Work]:
    """Searches without any heuristic, by domain."""
    return {
        domain: _work(domain, BREADTH_FIRST, TEST, tasks[domain], limits, results)
        for domain in choice.domains
    }


def chosen_sizes(
    choice: Choice, tasks: Mapping[str, DomainTasks], limits: Limits, results: Path
) -> dict[tuple[str, str, str], str]:
    """The size for each domain, loss and search that solves most tasks, over all seeds.

    Of those that solve equally many, the one that expands fewer states on average, then the
    first. A choice is made as soon as all networks that are trained have been searched with.
    """
    runs = trained_works(choice.runs(), results)
    keys = dict.fromkeys((run.domain, run.loss, s) for run in runs for s in searches_of(run.loss))
    if len(choice.sizes) == 1:
        return dict.fromkeys(keys, choice.sizes[0])
    works = validation_works(choice, tasks, limits, results)
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
    limits: Limits,
    results: Path,
) -> Work:
    """The record of one search in a part of the tasks; of a network, or of a domain alone."""
    count = limits.validation_tasks if part == VALIDATION else limits.test_tasks
    files = tasks.part(part, count)
    alone = isinstance(run, str)
    model = None if isinstance(run, str) else model_path(results, run)
    words = POLICY if not isinstance(run, str) and run.variant.loss == POLICY else search
    settings = {
        "run": run if isinstance(run, str) else vars(run),
        "search": search,
        "part": part,
        "words": WORDS[words],
        "processor_seconds": limits.time,
        "memory_limit": limits.memory,
        "tasks": tasks.digest(files),
        "model": None if model is None else sha256(model.read_bytes()).hexdigest()[:16],
    }
    folder = results / ("validation" if part == VALIDATION else "search")
    name = run if isinstance(run, str) else run.key
    wanted = Search(
        words,
        str(tasks.domain),
        tuple(str(file) for file in files),
        None if alone else str(model),
        limits.time,
        limits.memory << 20,
    )
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
            memory_limit=wanted.memory_limit,
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
