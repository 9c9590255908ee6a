"""Learn blocksworld from small tasks, then plan in tasks up to fifteen times as large.

`make demo` runs this. It calls the command line as you would, and shows each call:

1. `beeline generate` makes thirty tasks of five to ten blocks.
2. `beeline learn` learns from them how to search; that takes a few seconds.
3. `beeline plan` solves tasks of 20 to 150 blocks with what was learned. On the same tasks,
   `beeline solve` runs greedy search with the FF heuristic, which needs no learning. (With
   `--preferred ff --deferred` it gets further, though not to the largest tasks: try it.)
4. A table and a plot show both.

    python examples/learn_blocksworld/learn_and_compare.py -o build/demo --max-blocks 60
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from comparison_plot import draw

TRAINING_BLOCKS = range(5, 11)
TRAINING_TASKS = 5  # of each size
TEST_BLOCKS = (20, 24, 30, 40, 50, 60, 80, 100, 125, 150)

HEADER = (
    "            learned model            |   greedy search with h_FF\n"
    "  blocks    seconds  expanded  steps |   seconds  expanded  steps"
)


class Run(NamedTuple):
    """What a planner did in one task; `steps` is the length of its plan, if it found one."""

    seconds: float  # of the processor, for everything: reading, grounding, search
    expanded: int
    steps: int | None


class Row(NamedTuple):
    """One task, two planners."""

    blocks: int
    learned: Run
    classical: Run


def main() -> None:
    """Generate, learn, plan, compare."""
    parser = argparse.ArgumentParser(description="learn blocksworld, then plan in larger tasks")
    parser.add_argument("-o", "--output", type=Path, default=Path("build/demo"), metavar="DIR")
    parser.add_argument("--max-blocks", type=int, default=max(TEST_BLOCKS), metavar="N")
    parser.add_argument("--time-limit", type=float, default=5.0, metavar="SECONDS")
    options = parser.parse_args()
    start = time.perf_counter()
    sizes = [blocks for blocks in TEST_BLOCKS if blocks <= options.max_blocks]
    if not sizes:
        parser.error(f"--max-blocks is a number from {min(TEST_BLOCKS)} up")

    training, tests = options.output / "training", options.output / "test"
    model = options.output / "blocksworld.beeline"

    print("== Tasks to learn from\n")
    low, high = min(TRAINING_BLOCKS), max(TRAINING_BLOCKS)
    generate(f"{low}..{high}", len(TRAINING_BLOCKS) * TRAINING_TASKS, low, training)

    print("\n== Learning\n")
    domain = training / "domain.pddl"
    show("learn", domain, training / "blocksworld-*.pddl", "-o", model)
    files = sorted(training.glob("blocksworld-*.pddl"))
    subprocess.run(command("learn", domain, *files, "-o", model), check=True)

    print("\n== Larger tasks\n")
    for blocks in sizes:  # which are seeds as well, so that all names differ
        generate(str(blocks), 1, blocks, tests, silent=blocks > sizes[0])
    print(f"... and so on, up to {sizes[-1]} blocks")

    print(f"\n== Both planners, {options.time_limit:g} seconds for each task\n")
    # Of the processor: what else the machine does makes no difference.
    limits = ("--processor-time-limit", f"{options.time_limit:g}", "--memory-limit", "2G")
    first = task_file(tests, sizes[0])
    show("plan", model, domain, first, *limits)
    show("solve", domain, first, "--heuristic", "ff", *limits)
    print(f"... and so on\n\n{HEADER}")

    def compare(blocks: int) -> Row:
        task = task_file(tests, blocks)
        return Row(
            blocks,
            learned=result("plan", model, domain, task, *limits),
            classical=result("solve", domain, task, "--heuristic", "ff", *limits),
        )

    rows = []
    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:  # each waits for a process
        for row in pool.map(compare, sizes):
            rows.append(row)
            print(table_line(row), flush=True)

    files = draw(rows, options.time_limit, options.output / "blocksworld")
    print(f"\n{conclusion(rows)}")
    print(f"plot: {' and '.join(map(str, files))}")
    print(f"what it has learned: beeline models info {model}")
    print(f"all in all {time.perf_counter() - start:.0f} seconds")


def generate(blocks: str, count: int, seed: int, folder: Path, *, silent: bool = False) -> None:
    """So many tasks of a size, or of a range of sizes together."""
    words = ["generate", "blocksworld", "-p", f"blocks={blocks}", "--count", str(count)]
    words += ["--seed", str(seed), "-o", str(folder)]
    if not silent:
        show(*words)
    subprocess.run(command(*words), check=True, stdout=subprocess.DEVNULL)


def task_file(folder: Path, blocks: int) -> Path:
    """The first task of a size."""
    return folder / f"blocksworld-{blocks}-0000.pddl"


def show(*words: object) -> None:
    """Print a call as one would type it."""
    print("$ beeline", *words, flush=True)


def result(*words: object) -> Run:
    """Run a search and read its result. Finding no plan in time is a result as well."""
    run = subprocess.run(command(*words, "--json", "--quiet"), stdout=subprocess.PIPE)
    found: dict[str, Any] = json.loads(run.stdout or "{}")
    if "expanded" not in found:
        sys.exit(f"'beeline {' '.join(map(str, words))}' failed: {found.get('error')}")
    return Run(found["processor_time"], found["expanded"], found["length"])


def command(*words: object) -> list[str]:
    """The command line that belongs to this interpreter."""
    return [sys.executable, "-m", "beeline", *map(str, words)]


def table_line(row: Row) -> str:
    """A line of the table.

    >>> table_line(Row(20, Run(0.2, 60, 60), Run(10.0, 43156, None))).split()
    ['20', '0.20', '60', '60', '|', '10.00', '43,156', '–']
    """
    cells = [
        f"{run.seconds:>9.2f} {run.expanded:>9,} {'–' if run.steps is None else run.steps:>6}"
        for run in (row.learned, row.classical)
    ]
    return f"  {row.blocks:>6}  {cells[0]} | {cells[1]}"


def conclusion(rows: list[Row]) -> str:
    """How many tasks each planner solved, and how straight the learned searches went."""
    learned = [row.learned for row in rows if row.learned.steps]
    classical = [row.classical for row in rows if row.classical.steps]
    words = (
        f"The model solved {len(learned)} of {len(rows)} tasks,"
        f" greedy search with h_FF {len(classical)}."
    )
    if learned:
        ratio = sum(run.expanded for run in learned) / sum(run.steps or 0 for run in learned)
        words += f"\nWith the model, search expanded {ratio:.2f} states for each step of a plan."
    return words


if __name__ == "__main__":
    main()
