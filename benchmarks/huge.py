"""Huge tasks: how long reading, grounding and searching take, and how much memory, with a model.

The sizes are those of the hardest tasks of the IPC 2023 learning track and of those that learned
rules have been tried on (Chen, Hofmann, Klassen and McIlraith, AAAI 2026), drawn by Beeline's own
generators. Each is planned with the packaged model of its domain, or with `DOMAIN.beeline` of a
folder, in a process of its own with 60 seconds of processor time and 4 GB of address space; plans
are checked with `beeline validate`.

    python benchmarks/huge.py -o huge.jsonl
    python benchmarks/huge.py -o huge.jsonl --models models --only childsnack --only gripper

With `--fit DATA`, models that the folder lacks are fitted first, all with the same choices (three
rounds, neighbour sets, chains, distances of goals, scores of operators) and nothing tried out: on
the tasks in `DATA/DOMAIN/training`, such as those of the learning track.

    python benchmarks/huge.py -o huge.jsonl --models models --fit ../shared/data/ipc23lt \\
        --only transport

With `--most N` only tasks with fewer operators have them all written down; without it, as in
`beeline plan`.

With `--alone` the learned search gets no help, and plans stay as it finds them: what a step costs.
`--plot FILE` draws that over the number of objects, from all records of the file.

Records are added to the file; a task that has one is not run again. The table is printed at the
end. Seconds are processor time; "search" ends with the first plan, without its useless steps, and
"rest" is what makes the plan better.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from limited_process import Limits, run_limited
from planner_run import reason_of_failure, validate
from planners import PLAN, Job

TRACK: dict[str, dict[str, Any]] = {
    "blocksworld": {"blocks": 488},
    "childsnack": {"children": 292, "allergic": 147, "trays": 10, "sandwiches": 437},
    "ferry": {"cars": 974, "locations": 487},
    "miconic": {"passengers": 485, "floors": 196},
    "rovers": {"rovers": 20, "waypoints": 137, "cameras": 75, "objectives": 151},
    "satellite": {
        "satellites": 99,
        "instruments": 3,
        "modes": 10,
        "targets": 49,
        "observations": 49,
    },
    "spanner": {"spanners": 487, "nuts": 244, "locations": 99},
    "transport": {"vehicles": 50, "packages": 194, "locations": 99, "max_capacity": 10},
}
RULES: dict[str, dict[str, Any]] = {
    "gripper": {"balls": 48_500},
    "logistics": {"cities": 64, "city_size": 15, "trucks": 64, "airplanes": 64, "packages": 108},
    "miconic": {"passengers": 970, "floors": 980},
    # 1.9 billion operators, which are not written down.
    "childsnack": {"children": 1000, "allergic": 500, "trays": 10, "sandwiches": 1500},
}
# To see how the time grows.
GROWTH: dict[str, list[dict[str, Any]]] = {
    "gripper": [{"balls": balls} for balls in (2500, 5000, 10_000, 20_000)],
    "childsnack": [
        {"children": n, "allergic": n // 2, "trays": 10, "sandwiches": n * 3 // 2}
        for n in (100, 150, 200)
    ],
    "ferry": [{"cars": 2 * n, "locations": n} for n in (60, 120, 240)],
    "miconic": [{"passengers": n, "floors": n} for n in (120, 240, 480)],
}
PHASES = ("parse", "ground", "search", "rest")


def main() -> None:
    """Run what has no record yet, then print a table."""
    if len(sys.argv) == 3 and sys.argv[1] == "--one":
        plan_one(**json.loads(sys.argv[2]))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-o", "--output", type=Path, required=True, help="file of records")
    parser.add_argument("--models", type=Path, help="folder with DOMAIN.beeline; packaged ones")
    parser.add_argument("--fit", type=Path, metavar="DATA", help="fit models that are missing")
    parser.add_argument("--only", action="append", default=[], metavar="DOMAIN")
    parser.add_argument("--growth", action="store_true", help="also smaller sizes of some domains")
    parser.add_argument("--alone", action="store_true", help="no help, plans as they are found")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="milliseconds a step, as a picture"
    )
    parser.add_argument("--most", type=float, help="operators that are written down")
    parser.add_argument("--seed", type=int, default=0, help="of the generators; 0")
    parser.add_argument("--time-limit", type=int, default=60, metavar="SECONDS")
    parser.add_argument("--memory-limit", type=int, default=4, metavar="GB")
    options = parser.parse_args()
    cases = [*TRACK.items(), *RULES.items()]
    if options.growth:
        cases += [(domain, sizes) for domain, all_sizes in GROWTH.items() for sizes in all_sizes]
    lines = options.output.read_text().splitlines() if options.output.exists() else []
    records = {record["task"]: record for record in map(json.loads, lines)}
    for domain, sizes in cases:
        task = f"{domain} {' '.join(str(size) for size in sizes.values())}"
        if task in records or (options.only and domain not in options.only):
            continue
        if options.fit is not None and options.models is not None:
            fit(options.fit / domain, options.models / f"{domain}.beeline")
        records[task] = {"task": task, **measure(domain, sizes, options)}
        with options.output.open("a") as file:
            file.write(json.dumps(records[task]) + "\n")
        print(row(records[task]), flush=True)
    print(f"\n{table(list(records.values()))}")
    if options.plot is not None:
        plot(list(records.values()), options.plot)


def measure(domain: str, sizes: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    """Draw a task, plan it in a process of its own, and check the plan."""
    from beeline import generators

    model = domain if options.models is None else str(options.models / f"{domain}.beeline")
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        files = [folder / "domain.pddl", folder / "task.pddl"]
        files[0].write_text(generators.domain_text(domain))
        _, text = next(generators.instances(domain, seed=options.seed, **sizes))
        files[1].write_text(text)
        settings: dict[str, Any] = {"model": model, "domain": str(files[0]), "task": str(files[1])}
        settings |= {"alone": options.alone, "most": options.most}
        command = [sys.executable, str(Path(__file__).resolve()), "--one", json.dumps(settings)]
        seconds, memory = options.time_limit, options.memory_limit
        limits = Limits(seconds, memory * 2**20, 6 * seconds + 30)
        run = run_limited(command, folder, limits, threading.Event())
        record: dict[str, Any] = {"domain": domain, "sizes": sizes, "seed": options.seed}
        for line in run.output.splitlines():
            record |= json.loads(line)
        plan, valid = folder / PLAN, None
        if plan.exists():
            job = Job(domain, "", files[0], files[1], seconds, seconds, memory, Path(model))
            verdict = validate(job, plan)
            valid = bool(verdict["valid"])
            record["steps"] = verdict["length"]
    reason = reason_of_failure(run, seconds, valid)
    if reason is not None and "MemoryError" in run.errors:
        reason = "memory_limit"
    if reason == "exit code 0":  # it ended in good order, without a plan
        reason = record["status"]
    if reason is not None and reason.startswith("exit code"):
        record["message"] = run.errors[-1000:]
    return {
        **record,
        "solved": reason is None,
        "reason": reason,
        "cpu_seconds": round(run.cpu_seconds, 2),
        "peak_mb": round(run.peak_kb / 1024),
        "limits": {"cpu_seconds": seconds, "memory_gb": memory},
    }


def fit(data: Path, file: Path) -> None:
    """Fit a model on the training tasks of a domain, unless there is one or there are none."""
    from beeline.learning.candidates import ALL, FitJob, fit_candidates
    from beeline.learning.settings import Candidate
    from beeline.learning.task_set import PlanJob, find_plan, read_training_set
    from beeline.models.colours.model import ColourModel
    from beeline.models.model_file import save
    from beeline.planning.model import SearchStyle

    files = sorted((data / "training").glob("*.pddl"))
    if file.exists() or not files:
        return
    training = read_training_set(data / "domain.pddl", files)
    jobs = [PlanJob(training.domain_text, task, False, 60.0, None, 0.3) for task in training.tasks]
    planned = tuple(sorted((t for t in map(find_plan, jobs) if t.plan), key=lambda t: t.size))
    chosen = Candidate(False, 3, False, 1e-3, ALL, training.relations.ways()[0])
    chosen = chosen._replace(chains=True, distance=True, operators=1e-4)
    job = FitJob(training.domain_text, planned, (chosen,), "rank-siblings", False, 0)
    fitted = fit_candidates(replace(job, relations=training.relations))[0]
    style = SearchStyle(preferred=True, symmetry=True, rollout=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    save(ColourModel(training.signature, fitted.scorer, style, {}, 0, "0"), file)


def plan_one(
    model: str, domain: str, task: str, *, alone: bool = False, most: float | None = None
) -> None:
    """Plan in this process; each phase prints its seconds when it is over."""
    from beeline import load, plan, write_plan
    from beeline.models.model_file import find_model
    from beeline.pddl import read_domain
    from beeline.planning.model import most_written

    last = time.process_time()

    def tell(phase: str, **more: object) -> None:
        nonlocal last
        now = time.process_time()
        print(json.dumps({phase: round(now - last, 6), **more}), flush=True)
        last = now

    learned = find_model(model, read_domain(domain))
    ground = load(domain, task, most_operators=most_written(learned) if most is None else most)
    share = ground.parse_time / (ground.parse_time + ground.ground_time)
    last += share * (time.process_time() - last)
    print(json.dumps({"parse": round(last, 3)}), flush=True)
    counts = {"objects": ground.num_objects, "operators": ground.num_operators}
    tell("ground", facts=ground.num_facts, **counts)
    begun = False

    def first_plan(steps: object, cost: int) -> None:
        nonlocal begun
        if not begun:
            tell("search", first_cost=cost)
        begun = True

    result = plan(learned, ground, on_plan=first_plan, fallback=not alone, as_found=alone or None)
    counters = {"expanded": result.expanded, "evaluated": result.evaluated}
    tell("rest", status=result.status.value, phases=result.phases, **counters)
    if result.plan is not None:
        write_plan(PLAN, result.plan)


def plot(records: list[dict[str, Any]], file: Path) -> None:
    """Milliseconds of search for each step over the number of objects, a line for each domain."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
    for domain in dict.fromkeys(record["domain"] for record in records):
        points = sorted(
            # A clock that ticks too coarsely for a small task must not make it a zero.
            (record["objects"], 1000 * max(record["search"], 1e-6) / record["steps"])
            for record in records
            if record["domain"] == domain and record["solved"]
        )
        axes.plot(*zip(*points, strict=True), marker="o", label=domain)
    axes.set(xscale="log", yscale="log", xlabel="objects", ylabel="milliseconds a step")
    axes.legend()
    figure.savefig(file, dpi=150)


HEADERS = (*PHASES, "all", "MB", "operators", "steps", "expanded", "ms a step")


def row(record: dict[str, Any]) -> str:
    """A line of the table."""
    seconds = [f"{record[phase]:.1f}" if phase in record else "" for phase in PHASES]
    steps = record.get("steps")
    pace = f"{1000 * record['search'] / steps:.2f}" if steps else ""
    cells = [
        *seconds,
        f"{record['cpu_seconds']:.1f}",
        f"{record['peak_mb']:,}",
        f"{record['operators']:,}" if "operators" in record else "",
        f"{steps:,}" if steps else record["reason"],
        f"{record['expanded']:,}" if "expanded" in record else "",
        pace,
    ]
    return f"| {record['task']} | {' | '.join(cells)} |"


def table(records: list[dict[str, Any]]) -> str:
    """All records in Markdown."""
    head = [f"| task | {' | '.join(HEADERS)} |", f"|---|{'---:|' * len(HEADERS)}"]
    return "\n".join([*head, *map(row, records)])


if __name__ == "__main__":
    main()
