"""Colour features per second: ours against the package `wlplan`, incremental against full.

The states are those of random walks, the same ones with the same atoms for both; multisets of
neighbours, two and three rounds of refinement; each side's colours are collected from all of the
states beforehand. One thread each, processor time, ours and theirs in turn; the quickest of
several rounds counts.

    full         `ColourTable.embed` against wlplan's `embed`, state by state, which is quicker than
                 its `embed` of a data set. The time to turn states into wlplan's objects is not
                 counted. Both must tell the same states apart, once wlplan is given the types of
                 objects, which its own graphs leave out.
    in search    evaluations per second of a greedy search with a score of random weights, whole
                 search, against the states per second of wlplan's `embed`. Beside it wlplan's
                 `predict`, which makes no list of features but only their weighted sum.
    incremental  a score that follows its parent against one that is computed from scratch, per
                 child of states of the walk, on tasks with at least 500 true atoms; and the same
                 greedy search with each of them. Sets of neighbours, too.

    python benchmarks/wl.py ../shared/data -o wl.json
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from coloured_cases import STATES, Case, greedy_search, in_turn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from beeline import _native

AGAINST_WLPLAN = (
    "blocksworld, 50 blocks",
    "blocksworld/medium/p20",
    "childsnack/easy/p30",
    "ferry/medium/p10",
    "floortile/medium/p10",
    "miconic/medium/p10",
    "rovers/easy/p30",
    "satellite/easy/p30",
    "sokoban/easy/p30",
    "spanner/medium/p10",
    "transport/easy/p30",
)
WITH_MANY_ATOMS = (
    "blocksworld, 500 blocks",
    "logistics, 400 packages",
    "visitall, 20 x 20",
    "floortile/medium/p10",
    "miconic/medium/p10",
    "rovers/medium/p10",
    "sokoban/medium/p10",
    "transport/medium/p20",
    "transport/medium/p30",
)
ROUNDS = (2, 3)
TARGETS = {"full": 5, "search": 20, "incremental": 4}
EVALUATIONS = 60_000  # of a search
FEWER_EVALUATIONS = 8_000  # where one of two searches takes its time


def ratio_of(slow: list[float], fast: list[float]) -> dict[str, Any]:
    """Quickest against quickest, and the range over the rounds."""
    each = [a / b for a, b in zip(slow, fast, strict=True)]
    return {"ratio": min(slow) / min(fast), "range": [min(each), max(each)]}


def classes(rows: list[tuple[Any, ...]]) -> list[int]:
    """For each state the first one with the same features."""
    first: dict[tuple[Any, ...], int] = {}
    return [first.setdefault(row, place) for place, row in enumerate(rows)]


def our_features(case: Case, table: _native.ColourTable) -> list[tuple[Any, ...]]:
    """Colours and counts of each state."""
    starts, colours, counts, _ = table.embed(case.graph, case.states, case.ids)
    return [
        (tuple(colours[first:last].tolist()), tuple(counts[first:last].tolist()))
        for first, last in pairwise(starts)
    ]


def against_wlplan(case: Case, rounds: int, repeats: int) -> dict[str, Any]:
    """Full features and evaluations in a search, against wlplan's features."""
    from wlplan_states import WLPlanStates

    theirs = WLPlanStates(case.task, case.states, case.ids)
    # One generator for each use: after calls of `predict`, `embed` becomes slower and slower.
    features, predictor = theirs.features(rounds), theirs.features(rounds)
    rng = np.random.default_rng(1)
    predictor.set_weights(rng.normal(size=predictor.get_n_features()).tolist())
    table = case.table(rounds, multiset=True)
    found = in_turn(
        {
            "ours": lambda: table.embed(case.graph, case.states, case.ids),
            "embed": lambda: [features.embed(state) for state in theirs.states],
            "predict": lambda: [predictor.predict(state) for state in theirs.states],
        },
        repeats,
    )
    per_state = {name: [t / len(case.ids) for t in times] for name, times in found.items()}
    searches = [
        greedy_search(case, case.score(table, incremental=True), EVALUATIONS)
        for _ in range(repeats)
    ]
    per_evaluation = [elapsed / counters["evaluated"] for elapsed, counters in searches]
    our_classes = classes(our_features(case, table))
    their_classes = classes([tuple(features.embed(state)) for state in theirs.states])
    typed_classes = classes([tuple(row) for row in theirs.typed_embeddings(rounds)])
    return {
        "task": case.name,
        "rounds": rounds,
        "true_atoms": case.true_atoms,
        "colours": table.size - table.base_colours,
        "our_states_per_second": 1 / min(per_state["ours"]),
        "wlplan_states_per_second": 1 / min(per_state["embed"]),
        "wlplan_predictions_per_second": 1 / min(per_state["predict"]),
        "evaluations_per_second": 1 / min(per_evaluation),
        "search": searches[0][1],
        "full": ratio_of(per_state["embed"], per_state["ours"]),
        "search_ratio": ratio_of(per_state["embed"], per_evaluation),
        "search_against_predict": ratio_of(per_state["predict"], per_evaluation),
        "classes": len(set(our_classes)),
        "wlplan_classes": len(set(their_classes)),
        "wlplan_typed_classes": len(set(typed_classes)),
        "same_partition": our_classes == their_classes,
        "same_partition_with_types": our_classes == typed_classes,
    }


def incremental_against_full(
    case: Case, rounds: int, multiset: bool, repeats: int
) -> dict[str, Any]:
    """The same values in two ways."""
    table = case.table(rounds, multiset=multiset)
    families = case.families()
    following, full = (case.score(table, incremental=flag) for flag in (True, False))

    def follow() -> list[NDArray[np.float64]]:
        values = []
        for parent, children in families:
            following.approach(case.states, parent)
            values.append(following.evaluate(case.states, children))
        return values

    def recompute() -> list[NDArray[np.float64]]:
        return [full.evaluate(case.states, children) for _, children in families]

    if not all(map(np.array_equal, follow(), recompute())):
        raise RuntimeError(f"{case.name}: incremental and full scores differ")
    found = in_turn({"incremental": follow, "full": recompute}, repeats)
    children = sum(len(children) for _, children in families)
    searches = [
        greedy_search(case, case.score(table, incremental=flag), FEWER_EVALUATIONS)
        for flag in (True, False)
    ]
    if searches[0][1] != searches[1][1]:
        raise RuntimeError(f"{case.name}: incremental and full searches differ")
    return {
        "task": case.name,
        "rounds": rounds,
        "multiset": multiset,
        "true_atoms": case.true_atoms,
        "children": children,
        "incremental_microseconds": 1e6 * min(found["incremental"]) / children,
        "full_microseconds": 1e6 * min(found["full"]) / children,
        "incremental": ratio_of(found["full"], found["incremental"]),
        "whole_search": searches[1][0] / searches[0][0],
    }


def partition(record: dict[str, Any]) -> str:
    """How many states both tell apart, in words."""
    count = record["classes"]
    if not record["same_partition_with_types"]:
        return f"{count}, wlplan {record['wlplan_typed_classes']}: DIFFERENT"
    if not record["same_partition"]:
        return f"{count}, wlplan {record['wlplan_classes']} without types, same with them"
    return f"{count}, same"


def spread(ratio: dict[str, Any]) -> str:
    """A ratio with its range."""
    low, high = ratio["range"]
    return f"{ratio['ratio']:5.1f} ({low:.1f} to {high:.1f})"


def verdict(kind: str, records: list[dict[str, Any]], key: str) -> dict[str, Any]:
    """The mean over tasks, beside the target."""
    ratios = [record[key]["ratio"] for record in records]
    mean, target = statistics.geometric_mean(ratios), TARGETS[kind]
    below = [record["task"] for record in records if record[key]["ratio"] < target]
    print(
        f"{kind}: {mean:.1f} times in the geometric mean of {len(ratios)} tasks"
        f" ({min(ratios):.1f} to {max(ratios):.1f}); target {target}:"
        f" {'met' if mean >= target else 'missed'}"
        f"{', but not by ' + ', '.join(below) if below else ' by all'}"
    )
    return {"ratio": mean, "range": [min(ratios), max(ratios)], "below_target": below}


def compare_with_wlplan(data: Path, repeats: int) -> dict[str, Any]:
    """All tasks, two tables."""
    cases = [Case(name, data) for name in AGAINST_WLPLAN]
    report: dict[str, Any] = {}
    for rounds in ROUNDS:
        print(f"\n{rounds} rounds, states or evaluations per second")
        print(
            f"{'task':24}{'atoms':>6}{'wlplan':>9}{'predict':>9}{'ours':>9}{'search':>10}"
            "  full                  in search              classes"
        )
        records = []
        for case in cases:
            record = against_wlplan(case, rounds, repeats)
            records.append(record)
            print(
                f"{case.name:24}{record['true_atoms']:6,}"
                f"{record['wlplan_states_per_second']:9,.0f}"
                f"{record['wlplan_predictions_per_second']:9,.0f}"
                f"{record['our_states_per_second']:9,.0f}{record['evaluations_per_second']:10,.0f}"
                f"  {spread(record['full']):22}{spread(record['search_ratio']):23}"
                f"{partition(record)}",
                flush=True,
            )
        report[f"{rounds} rounds"] = {
            "tasks": records,
            "full": verdict("full", records, "full"),
            "search": verdict("search", records, "search_ratio"),
            "same_partition_with_types": all(r["same_partition_with_types"] for r in records),
        }
    return report


def compare_with_full(data: Path, repeats: int) -> dict[str, Any]:
    """All tasks with many atoms, a table for each kind of refinement."""
    cases = [Case(name, data) for name in WITH_MANY_ATOMS]
    report: dict[str, Any] = {}
    for rounds in ROUNDS:
        for multiset in (False, True):
            name = f"{rounds} rounds, {'multisets' if multiset else 'sets'}"
            print(f"\n{name}: microseconds per evaluation")
            print(
                f"{'task':24}{'atoms':>6}{'full':>9}{'increm.':>9}  ratio                  search"
            )
            records = []
            for case in cases:
                record = incremental_against_full(case, rounds, multiset, repeats)
                records.append(record)
                print(
                    f"{case.name:24}{record['true_atoms']:6,}{record['full_microseconds']:9.1f}"
                    f"{record['incremental_microseconds']:9.2f}"
                    f"  {spread(record['incremental']):23}{record['whole_search']:5.1f}",
                    flush=True,
                )
            summary = verdict("incremental", records, "incremental")
            report[name] = {"tasks": records, **summary}
    return report


def main() -> None:
    """Measure, print and write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="the folder that holds ipc23lt")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("-r", "--repeats", type=int, default=3)
    parser.add_argument("--only", choices=("wlplan", "incremental"), help="one part of it")
    options = parser.parse_args()
    report: dict[str, Any] = {"repeats": options.repeats, "states": STATES}
    if importlib.util.find_spec("wlplan") is None:  # there is none for the newest Pythons
        print("no package wlplan here: nothing to compare with")
    elif options.only in (None, "wlplan"):
        report["wlplan"] = compare_with_wlplan(options.data, options.repeats)
    if options.only in (None, "incremental"):
        report["incremental"] = compare_with_full(options.data, options.repeats)
    if options.output:
        options.output.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
