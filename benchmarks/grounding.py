"""Grounding speed and memory, whole process against whole process.

`beeline inspect DOMAIN TASK --json` against `python -m fast_downward.translate DOMAIN TASK`,
alternating in one run, on

- the largest medium task (p30) of seven domains of the IPC 2023 learning track,
- all easy and medium tasks of the other three, sampled (`--all` takes every one),
- blocksworld tasks made here: 200 blocks, and 700 blocks (a million operators, ours only).

    python benchmarks/grounding.py ../shared/data/ipc23lt -o grounding.json
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

LARGE = ("blocksworld", "childsnack", "floortile", "rovers", "satellite", "sokoban", "transport")
SMALL = ("ferry", "miconic", "spanner")

BLOCKSWORLD = """(define (domain blocksworld)
 (:predicates (on ?x ?y) (ontable ?x) (clear ?x) (handempty) (holding ?x))
 (:action pick-up :parameters (?x)
  :precondition (and (clear ?x) (ontable ?x) (handempty))
  :effect (and (not (ontable ?x)) (not (clear ?x)) (not (handempty)) (holding ?x)))
 (:action put-down :parameters (?x)
  :precondition (holding ?x)
  :effect (and (not (holding ?x)) (clear ?x) (handempty) (ontable ?x)))
 (:action stack :parameters (?x ?y)
  :precondition (and (holding ?x) (clear ?y))
  :effect (and (not (holding ?x)) (not (clear ?y)) (clear ?x) (handempty) (on ?x ?y)))
 (:action unstack :parameters (?x ?y)
  :precondition (and (on ?x ?y) (clear ?x) (handempty))
  :effect (and (holding ?x) (clear ?y) (not (clear ?x)) (not (handempty)) (not (on ?x ?y)))))
"""


class Run(NamedTuple):
    """One finished process: wall-clock seconds, peak resident kilobytes, standard output."""

    seconds: float
    peak_kb: int
    output: str


def run(command: list[str]) -> Run:
    """Run a command to its end; any exit code but 0 stops the benchmark."""
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=errors, cwd=folder)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        text = output.read().decode()
        if process.returncode != 0:
            sys.exit(f"{' '.join(command)} ended with {process.returncode}: {errors.read()!r}")
    peak = usage.ru_maxrss // (1024 if sys.platform == "darwin" else 1)
    return Run(seconds, peak, text)


def ours(domain: Path, task: Path) -> Run:
    """`beeline inspect` as a user starts it."""
    beeline = Path(sys.executable).with_name("beeline")
    return run([str(beeline), "inspect", str(domain), str(task), "--json"])


def translator(domain: Path, task: Path) -> Run:
    """Fast Downward's translator as a user starts it."""
    return run([sys.executable, "-m", "fast_downward.translate", str(domain), str(task)])


def towers(blocks: int, rng: random.Random) -> str:
    """Atoms of a random arrangement of blocks."""
    order = [f"b{i}" for i in range(blocks)]
    rng.shuffle(order)
    atoms = []
    below = None
    for block in order:
        if below is None or rng.random() < 0.2:
            if below is not None:
                atoms.append(f"(clear {below})")
            atoms.append(f"(ontable {block})")
        else:
            atoms.append(f"(on {block} {below})")
        below = block
    atoms.append(f"(clear {below})")
    return " ".join(atoms)


def blocksworld_task(blocks: int) -> str:
    """A task with random towers at the start and in the goal."""
    rng = random.Random(blocks)
    names = " ".join(f"b{i}" for i in range(blocks))
    return (
        f"(define (problem blocks-{blocks}) (:domain blocksworld) (:objects {names})"
        f" (:init (handempty) {towers(blocks, rng)}) (:goal (and {towers(blocks, rng)})))"
    )


def measure(name: str, domain: Path, task: Path, repeats: int) -> dict[str, Any]:
    """Both programs in turn, `repeats` times; the ratio is that of the quickest runs.

    What else the machine does can only add to the time of a process, and does so in bursts.
    """
    pairs = [(ours(domain, task), translator(domain, task)) for _ in range(repeats)]
    mine = min(pair[0].seconds for pair in pairs)
    theirs = min(pair[1].seconds for pair in pairs)
    ratios = [pair[1].seconds / pair[0].seconds for pair in pairs]
    record = {
        "task": name,
        "operators": json.loads(pairs[0][0].output)["operators"],
        "seconds": mine,
        "translator_seconds": theirs,
        "ratio": theirs / mine,
        "ratio_range": [min(ratios), max(ratios)],
        "peak_mb": max(pair[0].peak_kb for pair in pairs) / 1024,
        "translator_peak_mb": max(pair[1].peak_kb for pair in pairs) / 1024,
    }
    print(
        f"{name:28} {record['operators']:9,} operators  {mine:7.3f} s  translator {theirs:7.2f} s"
        f"  ratio {record['ratio']:6.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
        f"  peak {record['peak_mb']:6.0f} / {record['translator_peak_mb']:6.0f} MB",
        flush=True,
    )
    return record


def geometric_mean(values: list[float]) -> float:
    """The mean for ratios."""
    return math.exp(statistics.fmean(map(math.log, values)))


def small_tasks(root: Path, *, every: bool) -> list[tuple[str, Path, Path]]:
    """Tasks of the domains where the translator is quick: is start-up ever slower?"""
    tasks = []
    for name in SMALL:
        files = sorted((root / name).glob("*/*.pddl"))
        chosen = files if every else files[:: max(1, len(files) // 12)]
        tasks += [
            (f"{name}/{f.parent.name}/{f.stem}", root / name / "domain.pddl", f) for f in chosen
        ]
    return tasks


def main() -> None:
    """Measure, print and write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the IPC 2023 learning track, a folder per domain")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("-r", "--repeats", type=int, default=3)
    parser.add_argument("--all", action="store_true", help="every small task, not a sample")
    options = parser.parse_args()
    report: dict[str, Any] = {"peer": "fast-downward.translate", "repeats": options.repeats}

    ours(*small_tasks(options.data, every=False)[0][1:])  # byte code and file cache, once
    report["large"] = [
        measure(
            f"{name}/medium/p30",
            options.data / name / "domain.pddl",
            options.data / name / "medium" / "p30.pddl",
            options.repeats,
        )
        for name in LARGE
    ]
    report["large_geometric_mean"] = geometric_mean([r["ratio"] for r in report["large"]])
    print(f"geometric mean over {len(LARGE)} domains: {report['large_geometric_mean']:.1f}")

    report["small"] = [
        measure(*task, options.repeats) for task in small_tasks(options.data, every=options.all)
    ]
    slower = [record["task"] for record in report["small"] if record["ratio"] < 1]
    print(f"{len(report['small'])} small tasks, slower on {len(slower)}: {slower}")

    with tempfile.TemporaryDirectory() as folder:
        domain = Path(folder, "domain.pddl")
        domain.write_text(BLOCKSWORLD)
        for blocks in (200, 700):
            Path(folder, f"{blocks}.pddl").write_text(blocksworld_task(blocks))
        report["blocks_200"] = measure(
            "blocksworld, 200 blocks", domain, Path(folder, "200.pddl"), options.repeats
        )
        million = ours(domain, Path(folder, "700.pddl"))
    counts = json.loads(million.output)
    report["blocks_700"] = {
        "operators": counts["operators"],
        "seconds": million.seconds,
        "peak_mb": million.peak_kb / 1024,
    }
    print(
        f"blocksworld, 700 blocks: {counts['operators']:,} operators in {million.seconds:.1f} s,"
        f" {million.peak_kb / 1024:.0f} MB"
    )
    if options.output:
        options.output.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
