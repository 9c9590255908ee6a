"""How many tasks planners solve, how straight they search, and how long their plans are.

The IPC 2023 learning track (`--suite track`): ten domains, eleven tasks each, `easy/p{10,20,30}`
and `medium/p{02,06,...,30}`; six of the eleven with `--suite short-track`. All test tasks of other
IPC families: `--suite ipc`. Two tasks of each domain: `--suite track-pairs`, `--suite ipc-pairs`.
Twenty tests of each domain of the paper on ranking, as its experiment takes: `--suite ranking`;
twelve of each of its rows of grids, whose models are called by their generators: `--suite grids`.
A planner has 60 seconds of processor time for a task, from reading to the plan, and 8 GB of
address space, on one core. Every plan is checked with `beeline validate`.

    python benchmarks/solved_tasks.py ../shared/data -o records --planner lama-first
    python benchmarks/solved_tasks.py ../shared/data -o records --planner beeline --models models
    python benchmarks/solved_tasks.py ../shared/data -o records --report

Each run leaves a record, `records/PLANNER/DOMAIN-SET-TASK.json`; what has one is not run again.
The report takes all records that are there, prints Markdown and writes `records/summary.json`.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from coverage_report import markdown, read_records, summarise
from limited_process import Stopped
from planner_run import measure
from planners import PLANNERS, Job

from beeline.core.files import write_atomically
from beeline.experiments.chrestien2023 import grids
from beeline.experiments.chrestien2023.runs import domain_tasks
from beeline.experiments.records import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

# In this order for all domains, so that a run that is cut short has seen each of them.
EASY = [("easy", f"p{number}") for number in (10, 20, 30)]
MEDIUM = [("medium", f"p{number:02}") for number in range(2, 31, 4)]
SUITES = {
    "track": ("ipc23lt", EASY + MEDIUM),
    "short-track": ("ipc23lt", EASY + MEDIUM[:5:2]),
    "ipc": ("ipc", [("test", f"p{number:02}") for number in range(1, 9)]),
    "track-pairs": ("ipc23lt", [("easy", "p20"), ("medium", "p02")]),
    "ipc-pairs": ("ipc", [("test", "p02"), ("test", "p06")]),
    "ranking": ("ranking", [("test", f"{number:02}") for number in range(20)]),
    "grids": ("grids", [("test", f"{number:03}") for number in range(12)]),
}


class Case(NamedTuple):
    """A planner on a task, and where its record belongs."""

    planner: str
    job: Job
    record: Path


def main() -> None:
    """Run what has no record yet, then report if asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder with ipc23lt/DOMAIN/{easy,medium}")
    parser.add_argument("--suite", choices=SUITES, default="track", help="which tasks; track")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder for records")
    parser.add_argument("--planner", action="append", choices=PLANNERS, default=[])
    parser.add_argument("--models", type=Path, help="folder with DOMAIN.beeline for each domain")
    parser.add_argument("--domain", action="append", default=[], help="only this one")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time")
    parser.add_argument(
        "--time-limit", type=int, default=60, metavar="SECONDS", help="processor time; 60"
    )
    parser.add_argument(
        "--wall-limit",
        type=int,
        metavar="SECONDS",
        help="what Beeline is told as --time-limit, by default the same number;"
        " more on a busy machine",
    )
    parser.add_argument(
        "--memory-limit", type=int, default=8, metavar="GB", help="address space; 8"
    )
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    learned = [name for name in options.planner if PLANNERS[name].needs_models]
    if learned and options.models is None:
        parser.error(f"{learned[0]} needs --models")
    if not options.planner and not options.report:
        parser.error("nothing to do: name a --planner, or ask for the --report")
    run_all(make_cases(options), options.jobs)
    if options.report:
        summary = summarise(read_records(options.output), PLANNERS)
        write_atomically(options.output / "summary.json", json.dumps(summary, indent=1) + "\n")
        print(markdown(summary))


def make_cases(options: argparse.Namespace) -> list[Case]:
    """All cases that have no record, planner by planner, the small tasks of all domains first."""
    tasks = list(given_tasks(options))
    models = (options.models or Path()).resolve()
    cases = []
    for planner in dict.fromkeys(options.planner):
        folder = options.output.resolve() / planner
        folder.mkdir(parents=True, exist_ok=True)
        for domain_name, task_name, domain, task in tasks:
            learned = grids.generator_of(domain_name) if domain_name in grids.ROWS else domain_name
            job = Job(
                domain_name=domain_name,
                task_name=task_name,
                domain=domain,
                task=task,
                cpu_seconds=options.time_limit,
                wall_seconds=options.wall_limit or options.time_limit,
                memory_gb=options.memory_limit,
                model=models / f"{learned}.beeline",
            )
            record = folder / f"{domain_name}-{task_name}.json"
            if not record.exists():
                cases.append(Case(planner, job, record))
    return cases


def given_tasks(options: argparse.Namespace) -> Iterator[tuple[str, str, Path, Path]]:
    """Names of domains and of tasks in them, and their files."""
    folder_name, tasks = SUITES[options.suite]
    root = options.data.resolve() / folder_name
    of_grids = options.suite == "grids"
    names = [*grids.ROWS] if of_grids else [path.parent.name for path in root.glob("*/domain.pddl")]
    unknown = set(options.domain) - set(names)
    if unknown or not names:
        sys.exit(f"no {'/'.join(sorted(unknown)) or 'domains'} in {root}")
    rows: dict[str, list[str]] = {}
    if of_grids:
        choice = grids.Choice(test_tasks=[len(tasks)] * len(grids.DOMAINS))
        place = Place(options.output.resolve(), root, 1, print)
        rows = {row: grids.write_tests(row, choice, place) for row in options.domain or names}
    for part, number in tasks:
        for name in sorted(options.domain or names):
            domain, task = root / name / "domain.pddl", root / name / part / f"{number}.pddl"
            if options.suite == "ranking":
                tests = domain_tasks(root, root, name, 0).part(part, len(tasks))
                if int(number) >= len(tests):
                    continue
                task = tests[int(number)]
            elif of_grids:
                domain, *levels = map(Path, rows[name])
                if int(number) >= len(levels):
                    continue
                task = levels[int(number)]
            yield name, f"{part}-{number}", domain, task


def run_all(cases: list[Case], jobs: int) -> None:
    """Run the cases; SIGINT and SIGTERM stop the runs under way, which leave no record."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    done = 0

    def run_one(case: Case) -> None:
        nonlocal done
        if stop.is_set():
            return
        if PLANNERS[case.planner].needs_models and not case.job.model.exists():
            print(f"{case.planner} has no {case.job.model}: left out", flush=True)
            return
        try:
            record = measure(case.planner, case.job, stop)
        except Stopped:
            return
        except BaseException:
            stop.set()
            raise
        write_atomically(case.record, json.dumps(record, indent=1) + "\n")
        done += 1
        print(f"{done:4}/{len(cases)} {line(record)}", flush=True)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run_one, cases))  # raises what a run has raised
    if stop.is_set():
        sys.exit(130)


def line(record: dict[str, Any]) -> str:
    """A record in one line of the log."""
    name = f"{record['planner']:10} {record['domain']:11} {record['task']:10}"
    used = f"{record['cpu_seconds']:6.1f} s {record['peak_mb']:6.0f} MB"
    if not record["solved"]:
        return f"{name} {used}  {record['reason']}"
    return f"{name} {used}  length {record['length']}, {record['expanded']} expanded"


if __name__ == "__main__":
    main()
