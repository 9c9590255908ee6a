"""The engine against other planners: evaluations per second, memory per state.

Fast Downward's binary (package `up-fast-downward`) searches each task for some seconds; Beeline
then does the same search, to the same number of expansions (`ff`, `blind`) or evaluations
(`lmcut`). The script tells where expanded, evaluated and generated states do not come out equal:
for `blind` they must; for `ff` and `lmcut` a tie between supporters or cuts may be broken in
another way. Time is processor time of the search itself, without reading, grounding and setting
up. What counts is evaluations per second (`ff`, `lmcut`) and
expansions per second (`blind`); a ratio above 1 means that Beeline is faster.

    configuration   Fast Downward               Beeline
    ff              eager_greedy([ff()])        greedy search, ties first in, first out
    lmcut           astar(lmcut())              A*, ties by h, then first in, first out
    blind           astar(blind())              the same

Memory per state is the peak resident memory of the whole process, task and heuristic included,
divided by the registered states: the one figure that means the same for both. It says something
where states are many, in `blind`; elsewhere interpreter and task outweigh them. Beside it stands
what each side says of itself, which differs in kind: Fast Downward prints the bytes of a packed
state alone; ours are a packed state with its share of the hash table ("registry") and these with
the search node ("search").

pymimir (eager greedy search with its FF, A* with its blind heuristic, grounded) and pyperplan
(greedy search with hFF) search the same tasks for `--seconds` or until they have a plan. They
order states differently, so only rates are compared. Tasks that they do not parse, or do not
ground within a minute, are listed. pymimir has no LM-cut; pyperplan is compared where its speed
is the target, with hFF.

Two more measurements: goal count written with numpy against the native one, and ten million
states registered in one blind search.

    python benchmarks/engine.py ../shared/data -o engine.json
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import tempfile
from pathlib import Path
from typing import Any

import downward
from contestants import run_contestant

SEARCHES = {
    "ff": "eager_greedy([ff()],max_time={})",
    "lmcut": "astar(lmcut(),max_time={})",
    "blind": "astar(blind(),max_time={})",
}
# Fast Downward does not solve these within ten seconds.
TASKS = {
    "ff": {
        "blocksworld": ("easy/p30", "medium/p12"),
        "childsnack": ("easy/p20", "easy/p30"),
        "floortile": ("easy/p25", "easy/p30", "medium/p12"),
        "rovers": ("easy/p30", "medium/p12"),
        "satellite": ("medium/p24",),
        "sokoban": ("easy/p30", "medium/p12"),
        "transport": ("easy/p30", "medium/p12"),
    },
    "lmcut": {
        "blocksworld": ("easy/p14", "easy/p25"),
        "childsnack": ("easy/p14", "easy/p25"),
        "ferry": ("easy/p25", "easy/p30"),
        "floortile": ("easy/p14", "easy/p25"),
        "rovers": ("easy/p25", "easy/p30"),
        "satellite": ("easy/p25",),
        "sokoban": ("easy/p25",),
        "transport": ("easy/p14", "easy/p25"),
    },
    "blind": {
        "blocksworld": ("easy/p14", "easy/p25"),
        "childsnack": ("easy/p14", "easy/p25"),
        "ferry": ("easy/p14", "easy/p25"),
        "floortile": ("easy/p14", "easy/p25"),
        "rovers": ("easy/p25",),
        "satellite": ("easy/p14", "easy/p25"),
        "sokoban": ("easy/p25",),
        "transport": ("easy/p14", "easy/p25"),
    },
}
PEERS = {"ff": ("pymimir", "pyperplan"), "lmcut": (), "blind": ("pymimir",)}
COUNTERS = ("expanded", "evaluated", "generated")
GOALCOUNT_TASKS = ("transport/easy/p30", "satellite/easy/p25", "rovers/easy/p25")
MANY_STATES_TASKS = ("floortile/easy/p14", "blocksworld/easy/p14")  # 29 and 31 variables
MANY_STATES = 10_000_000
PEER_PATIENCE = 60.0  # seconds to parse and ground


def geometric_mean(values: list[float]) -> float:
    """The mean for ratios."""
    return math.exp(statistics.fmean(map(math.log, values)))


def files(data: Path, name: str) -> tuple[Path, Path]:
    """Domain and task file of a name such as `rovers/easy/p30`."""
    root = data / "ipc23lt"
    return root / name.split("/")[0] / "domain.pddl", root / f"{name}.pddl"


def rate(kind: str, run: dict[str, Any]) -> float:
    """What a search does per second."""
    return float(run["expanded" if kind == "blind" else "evaluated"] / run["seconds"])


def bytes_per_state(run: dict[str, Any]) -> float:
    """Peak memory of the process, shared out."""
    return float(run["peak_mb"] * 2**20 / run["states"])


def compare(kind: str, name: str, data: Path, seconds: float, repeats: int) -> dict[str, Any]:
    """Fast Downward, then ours, `repeats` times in turn."""
    domain, task = files(data, name)
    pairs = []
    with tempfile.TemporaryDirectory() as folder:
        sas = downward.translate(domain, task, Path(folder))
        for _ in range(repeats):
            theirs = downward.search(sas, SEARCHES[kind].format(seconds))
            limit = "evaluations" if kind == "lmcut" else "expansions"
            counter = "evaluated" if kind == "lmcut" else "expanded"
            ours = run_contestant(
                "beeline", domain=domain, task=task, heuristic=kind, **{limit: theirs[counter]}
            )
            if "error" in ours:
                raise RuntimeError(f"{name}: {ours['error']}")
            pairs.append((ours, theirs))
    ratios = [rate(kind, ours) / rate(kind, theirs) for ours, theirs in pairs]
    record = {
        "task": name,
        "ours": [ours for ours, _ in pairs],
        "fast_downward": [theirs for _, theirs in pairs],
        "ratio": statistics.median(ratios),
        "ratio_range": [min(ratios), max(ratios)],
        "same_counters": all(a[key] == b[key] for a, b in pairs for key in COUNTERS),
        "long_enough": all(theirs["seconds"] >= seconds for _, theirs in pairs),
        "bytes_per_state": bytes_per_state(pairs[0][0]),
        "fast_downward_bytes_per_state": bytes_per_state(pairs[0][1]),
    }
    ours, theirs = pairs[0]
    remarks = [] if record["same_counters"] else ["counters differ"]
    if kind == "blind":
        sizes = record["bytes_per_state"], record["fast_downward_bytes_per_state"]
        remarks.append(f"bytes per state {sizes[0]:.0f}, Fast Downward {sizes[1]:.0f}")
    if not record["long_enough"]:
        remarks.append(f"ended after {theirs['seconds']:.1f} s")
    print(
        f"{kind:6}{name:24}{rate(kind, ours):12,.0f}/s  Fast Downward{rate(kind, theirs):12,.0f}/s"
        f"  ratio {record['ratio']:5.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        f"  {', '.join(remarks)}",
        flush=True,
    )
    return record


def compare_peer(
    peer: str, kind: str, record: dict[str, Any], data: Path, seconds: float
) -> dict[str, Any]:
    """A peer's rate on a task beside ours from the comparison above."""
    domain, task = files(data, record["task"])
    theirs = run_contestant(
        peer,
        domain=domain,
        task=task,
        heuristic=kind,
        seconds=seconds,
        timeout=seconds + PEER_PATIENCE,
    )
    result = {"task": record["task"], "run": theirs}
    line = f"{kind:6}{record['task']:24}"
    if "error" in theirs:
        print(f"{line}{peer}: {theirs['error']}", flush=True)
        return result
    ours = statistics.median(rate(kind, run) for run in record["ours"])
    result["ratio"] = ours / rate(kind, theirs)
    print(
        f"{line}{ours:12,.0f}/s  {peer:13}{rate(kind, theirs):12,.0f}/s"
        f"  ratio {result['ratio']:7.1f}",
        flush=True,
    )
    return result


def configuration(kind: str, data: Path, seconds: float, repeats: int) -> dict[str, Any]:
    """All tasks of a configuration, with its means."""
    names = [f"{domain}/{task}" for domain, tasks in TASKS[kind].items() for task in tasks]
    records = [compare(kind, name, data, seconds, repeats) for name in names]
    report: dict[str, Any] = {
        "tasks": records,
        "domains": len(TASKS[kind]),
        "ratio": geometric_mean([r["ratio"] for r in records]),
        "counters_differ": [r["task"] for r in records if not r["same_counters"]],
        "peers": {},
    }
    ratios = [r["ratio"] for r in records]
    print(
        f"{kind}: {report['ratio']:.2f} times Fast Downward in the geometric mean of"
        f" {len(records)} tasks of {report['domains']} domains ({min(ratios):.2f} to"
        f" {max(ratios):.2f}); counters are equal on"
        f" {len(records) - len(report['counters_differ'])} tasks"
    )
    if kind == "blind":
        report["memory_ratio"] = geometric_mean(
            [r["bytes_per_state"] / r["fast_downward_bytes_per_state"] for r in records]
        )
        print(f"{kind}: memory per state {report['memory_ratio']:.2f} times Fast Downward's")
    for peer in PEERS[kind]:
        results = [compare_peer(peer, kind, record, data, seconds) for record in records]
        ratios = [result["ratio"] for result in results if "ratio" in result]
        report["peers"][peer] = {"tasks": results}
        if ratios:
            report["peers"][peer]["ratio"] = geometric_mean(ratios)
            print(
                f"{kind}: {geometric_mean(ratios):.1f} times {peer} in the geometric mean of"
                f" {len(ratios)} tasks ({min(ratios):.1f} to {max(ratios):.1f})"
            )
    return report


def python_goalcount(data: Path) -> list[dict[str, Any]]:
    """Goal count with numpy against the native one, in the same search."""
    records = []
    for name in GOALCOUNT_TASKS:
        domain, task = files(data, name)
        native, python = (
            run_contestant(
                "beeline",
                domain=domain,
                task=task,
                heuristic=heuristic,
                evaluations=200_000,
                repeats=7,
            )
            for heuristic in ("goalcount", "numpy-goalcount")
        )
        record = {
            "task": name,
            "native": native,
            "python": python,
            "share": rate("ff", python) / rate("ff", native),
            "branching_factor": native["generated"] / native["expanded"],
            "states_per_call": native["evaluated"] / native["expanded"],
            "microseconds_per_call": 1e6
            * (python["seconds"] - native["seconds"])
            / native["expanded"],
        }
        records.append(record)
        print(
            f"numpy goal count {name:20} {rate('ff', python):10,.0f}/s, native"
            f" {rate('ff', native):10,.0f}/s: {record['share']:.0%}; branching factor"
            f" {record['branching_factor']:.0f}, {record['states_per_call']:.1f} new states and"
            f" {record['microseconds_per_call']:.1f} µs more per call"
            f"{'' if all(python[key] == native[key] for key in COUNTERS) else ', SEARCHES DIFFER'}",
            flush=True,
        )
    return records


def many_states(data: Path) -> list[dict[str, Any]]:
    """Peak memory of a blind search that registers ten million states."""
    records = []
    for name in MANY_STATES_TASKS:
        domain, task = files(data, name)
        run = run_contestant(
            "beeline", domain=domain, task=task, heuristic="blind", evaluations=MANY_STATES
        )
        records.append({"task": name, **run})
        print(
            f"{name}: {run['states']:,} states of {run['variables']} variables,"
            f" peak {run['peak_mb']:,.0f} MB, {bytes_per_state(run):.0f} bytes per state"
            f" ({run['bytes_per_state_in_search']:.0f} with search nodes,"
            f" {run['bytes_per_state_in_registry']:.0f} in the registry)",
            flush=True,
        )
    return records


def main() -> None:
    """Measure, print and write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="the folder that holds ipc23lt")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("-s", "--seconds", type=float, default=10.0, help="for each peer's search")
    parser.add_argument("-r", "--repeats", type=int, default=1)
    parser.add_argument("--only", choices=(*SEARCHES, "goalcount", "memory"), help="one part of it")
    options = parser.parse_args()
    report: dict[str, Any] = {"seconds": options.seconds, "repeats": options.repeats}
    for kind in SEARCHES:
        if options.only in (None, kind):
            report[kind] = configuration(kind, options.data, options.seconds, options.repeats)
    if options.only in (None, "goalcount"):
        report["python_goalcount"] = python_goalcount(options.data)
    if options.only in (None, "memory"):
        report["many_states"] = many_states(options.data)
    if options.output:
        options.output.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
