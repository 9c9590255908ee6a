"""The grids of the paper on ranking: what Beeline's searches reach in each of its eleven rows.

Against: the figures that Chrestien et al. (2023) print for Sokoban, mazes with teleports and
sliding tiles. On: the tasks that the authors published, generated ones in the rows that have none,
as in `beeline experiment chrestien2023-table1-grids`. A search has so many seconds of processor
time for a task, reading and grounding included (paper: 600 by the clock); every plan is validated.
Expansions are those of the search; what is done to shorten plans is in the processor time.

    python benchmarks/grids.py ../shared/data/grids -o grids.json
    python benchmarks/grids.py ../shared/data/grids -o grids.json --row tiles-7 --model npuzzle
    python benchmarks/grids.py ../shared/data/grids -o tiles.json --row tiles-7 --skip 10 --tasks 20

With `--model`, a packaged model or the file of one plans in place of the searches, and `--improve`
says how much of the effort goes into better plans; expansions are those until the first plan then.
What has a record is not run again.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import beeline
from beeline.experiments.chrestien2023.grids import (
    FOLDER,
    PAPER_SIZES,
    ROWS,
    TEST_SEED,
    generator_of,
    task_texts,
)
from beeline.experiments.registry import read_paper
from beeline.generators import domain_text
from beeline.pddl import parse_domain, parse_problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline.planning.result import Result
    from beeline.task.ground_task import GroundTask

NEAR = {"search": "gbfs", "heuristic": "distance"}
WIDTH = {"search": "width", "improve": 20.0}
GREEDY = {"search": "best-first", "heuristic": "pairs", "beta": 10.0, "improve": 20.0}
BEAM = {"search": "beam", "batch": 1000, "improve": 2.0}
STAGES = {"search": "gbfs", "heuristic": "stages"}
NARROW: dict[str, Any] = {
    "search": "beam",
    "heuristic": "stages",
    "tie_breaking": "h,pairs,random",
    "batch": 5,
}
# The last one improves its plans until time is up.
TILES: list[dict[str, Any]] = [STAGES, NARROW, NARROW | {"improve": 1e6}]
CONFIGURATIONS: dict[str, list[dict[str, Any]]] = {  # few expansions first, then short plans
    **{row: [WIDTH] for row in ROWS if row.startswith("sokoban")},
    **{row: [NEAR] for row in ROWS if row.startswith("maze")},
    "tiles-5": [*TILES, GREEDY, BEAM],
    "tiles-6": [*TILES, GREEDY, BEAM],
    "tiles-7": [
        *TILES,
        BEAM | {"batch": 30, "improve": 20.0},
        BEAM | {"batch": 3000, "improve": 5.0},
    ],
}


def solve(words: dict[str, Any], task: GroundTask, seconds: float) -> Result:
    """A search with these settings."""
    return beeline.solve(task, processor_time_limit=seconds, **words)


def run(
    search: Callable[[GroundTask, float], Result], domain: str, text: str, seconds: float
) -> Any:
    """The record of one task."""
    start = time.process_time()
    task = beeline.ground(parse_problem(parse_domain(domain), text))
    result = search(task, seconds - (time.process_time() - start))
    used = time.process_time() - start
    if result.plan is not None:
        assert beeline.validate(task, result.plan).failure is None
    steps = [str(step) for step in result.plan or ()]
    return {
        "solved": result.plan is not None,
        "expanded": result.expanded,
        "length": len(steps),
        "pushes": sum(step.startswith("(push ") for step in steps),
        "seconds": round(used, 3),
    }


def run_row(row: str, options: argparse.Namespace, records: dict[str, Any]) -> None:
    """All that has no record yet."""
    wanted = options.skip + options.tasks
    texts = list(task_texts(row, wanted, TEST_SEED, PAPER_SIZES, options.levels))
    domain = domain_text(generator_of(row))
    if options.model is not None:
        model = beeline.load_model(options.model)

        def plan(task: GroundTask, seconds: float) -> Result:
            share = options.improve
            return beeline.plan(model, task, processor_time_limit=seconds, improve=share)

        searches = {f"plan {Path(options.model).stem} improve={options.improve:g}": plan}
    else:
        searches = {
            " ".join(f"{key}={value}" for key, value in words.items()): partial(solve, words)
            for words in CONFIGURATIONS[row]
        }
    for name, search in searches.items():
        for number, (_, text) in list(enumerate(texts))[options.skip :]:
            key = f"{row} {number} {name}"
            if key not in records:
                records[key] = run(search, domain, text, options.seconds)
                options.output.write_text(json.dumps(records, indent=1) + "\n")


def report(records: dict[str, Any]) -> str:
    """A Markdown table, the paper's figures in brackets."""
    paper = read_paper(FOLDER)
    figures, planners = paper["figures"], paper["planners"]
    lines = [
        "| row | tasks | configuration | solved, % | expanded | as many as the paper solved | steps"
        " | s |",
        "|---|--:|---|--:|--:|--:|--:|--:|",
    ]
    for row in ROWS:
        found: dict[str, list[Any]] = {}
        for key, record in records.items():
            if key.startswith(f"{row} "):
                found.setdefault(key.split(" ", 2)[2], []).append(record)
        best = max(
            *(column[row][0] for column in figures["coverage"].values()),
            *(planner.get(row, 0) for planner in planners.values()),
        )
        solved_there = figures["coverage"]["astar rank-astar"][row][0]
        expanded_there = figures["expansions"]["astar rank-astar"][row]
        length_there = figures["lengths"]["astar rank-astar"][row]
        for name, results in found.items():
            solved = sorted(
                (each for each in results if each["solved"]), key=lambda each: each["expanded"]
            )
            line = [row, str(len(results)), name]
            line.append(f"{100 * len(solved) / len(results):.0f} ({best})")
            if solved:
                easiest = solved[: math.ceil(solved_there / 100 * len(results))]
                line.append(
                    f"{fmean(each['expanded'] for each in solved):,.0f} ({expanded_there:,})"
                )
                line.append(f"{fmean(each['expanded'] for each in easiest):,.0f}")
                line.append(f"{fmean(each['length'] for each in solved):.1f} ({length_there})")
            else:
                line += ["–", "–", "–"]
            line.append(f"{fmean(each['seconds'] for each in results):.2f}")
            lines.append(f"| {' | '.join(line)} |")
    return "\n".join(lines)


def main() -> None:
    """Run what has no record, then print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("levels", type=Path, help="folder of the published levels")
    parser.add_argument("-o", "--output", type=Path, required=True, help="records")
    parser.add_argument("--row", action="append", choices=list(ROWS), default=[])
    parser.add_argument("--tasks", type=int, default=100, help="of each row; 100")
    parser.add_argument("--skip", type=int, default=0, help="the first tasks of each row; 0")
    parser.add_argument("--seconds", type=float, default=60.0, help="of the processor; 60")
    parser.add_argument("--model", help="plan with this one in place of the searches")
    parser.add_argument("--improve", type=float, default=0.5, help="its share; 0.5")
    parser.add_argument("--report", action="store_true", help="run nothing")
    options = parser.parse_args()
    records = json.loads(options.output.read_text()) if options.output.exists() else {}
    if not options.report:
        for row in options.row or ROWS:
            run_row(row, options, records)
    print(report(records))


if __name__ == "__main__":
    main()
