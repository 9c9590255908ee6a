"""Our LAMA against Fast Downward's: tasks solved, time, evaluations, length, quality.

All test tasks of the IPC families and six tasks of each domain of the learning track, by
`lama-first` of Fast Downward (translator included) and of `beeline solve`, 30 seconds of processor
time each; with `--anytime`, `lama` of both with 60 seconds on two tasks of each domain. Every plan
is validated.

    python benchmarks/lama.py ../shared/data -o records
    python benchmarks/lama.py ../shared/data -o records --anytime

Each run leaves a record below `records/first` or `records/anytime`; what has one is not run again.
Quality is the IPC's: the cost of the cheapest plan of both divided by one's own, 0 without a plan.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path
from typing import Any

from coverage_report import read_records
from solved_tasks import SUITES, make_cases, run_all

PEER, OURS = "lama-first", "beeline-lama-first"

Pair = tuple[dict[str, Any], dict[str, Any]]


def main() -> None:
    """Run what has no record yet, then print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder for records")
    parser.add_argument("--anytime", action="store_true", help="lama, not lama-first")
    parser.add_argument("--domain", action="append", default=[], help="only this one")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time")
    parser.add_argument("--wall-limit", type=int, default=120, metavar="SECONDS")
    parser.add_argument("--report", action="store_true", help="run nothing")
    options = parser.parse_args()
    options.planner = ["lama", "beeline-lama"] if options.anytime else [PEER, OURS]
    options.time_limit = 60 if options.anytime else 30
    options.memory_limit, options.models = 8, None
    options.output /= "anytime" if options.anytime else "first"
    suites = ("ipc-pairs", "track-pairs") if options.anytime else ("ipc", "short-track")
    wanted = options.domain
    for suite in suites:
        folder = options.data.resolve() / SUITES[suite][0]
        names = {path.parent.name for path in folder.glob("*/domain.pddl")}
        options.suite, options.domain = suite, [name for name in wanted if name in names]
        if not options.report and (options.domain or not wanted):
            run_all(make_cases(options), options.jobs)
    print(table(read_records(options.output), *options.planner))


def table(records: list[dict[str, Any]], peer: str, ours: str) -> str:
    """Figures per domain and over all, as Markdown."""
    by_task: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for record in records:
        by_task.setdefault((record["domain"], record["task"]), {})[record["planner"]] = record
    pairs = {key: (found[peer], found[ours]) for key, found in by_task.items() if len(found) == 2}
    lines = [
        f"| domain | tasks | {peer} | {ours} | faster | time | evaluations/s | steps | quality |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    domains = sorted({domain for domain, _ in pairs})
    for domain in domains:
        lines.append(row(domain, [pair for key, pair in pairs.items() if key[0] == domain]))
    lines.append(row("all", list(pairs.values())))
    return "\n".join(lines)


def row(name: str, pairs: list[Pair]) -> str:
    """Solved by both; then, over tasks that both solve: ours divided by the peer's."""
    both = [pair for pair in pairs if pair[0]["solved"] and pair[1]["solved"]]
    faster = sum(ours["cpu_seconds"] < peer["cpu_seconds"] for peer, ours in both)
    rates = [
        (ours["evaluated"] / searched(ours)) / (peer["evaluated"] / peer["search_time"])
        for peer, ours in both
        if min(each.get("search_time") or 0 for each in (peer, ours)) > 0.1
    ]
    qualities = [sum(quality(pair, place) for pair in pairs) for place in (0, 1)]
    cells = [
        name,
        str(len(pairs)),
        *(str(sum(pair[place]["solved"] for pair in pairs)) for place in (0, 1)),
        f"{faster} of {len(both)}",
        ratio([ours["cpu_seconds"] / peer["cpu_seconds"] for peer, ours in both]),
        ratio(rates),
        ratio([ours["length"] / peer["length"] for peer, ours in both if peer["length"]]),
        f"{qualities[0]:.1f} / {qualities[1]:.1f}",
    ]
    return f"| {' | '.join(cells)} |"


def searched(record: dict[str, Any]) -> float:
    """Seconds of processor time of Beeline's search, which it tells by the clock.

    A search does nothing but compute, so that it had the same share of the processor as the run.
    """
    share: float = record["cpu_seconds"] / record["wall_seconds"]
    return min(1.0, share) * float(record["search_time"])


def quality(pair: Pair, place: int) -> float:
    """The IPC's score of one planner on a task."""
    costs = [record["cost"] for record in pair if record["solved"]]
    if not pair[place]["solved"]:
        return 0.0
    own = pair[place]["cost"]
    return min(costs) / own if own else 1.0


def ratio(values: list[float]) -> str:
    """The geometric mean, if there is any value."""
    return f"{statistics.geometric_mean(values):.2f}" if values else ""


if __name__ == "__main__":
    main()
