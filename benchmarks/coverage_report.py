"""Records of `solved_tasks.py` to one summary, and the summary to Markdown.

- Coverage: solved tasks; a plan counts only if it is valid and came in time.
- Length ratio: plan length over that of the reference planner, geometric mean over the tasks that
  both solve.
- Bee-line ratio: expanded states over plan length, geometric mean over the solved tasks. A
  search that never turns back has 1.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    Record = dict[str, Any]

REFERENCE = "lama-first"
ALL_DOMAINS = "all domains"


def read_records(folder: Path) -> list[Record]:
    """All records below a folder; they must have been made under the same limits."""
    records: list[Record] = [
        json.loads(path.read_text()) for path in sorted(folder.glob("*/*.json"))
    ]
    limits = {json.dumps(record["limits"]) for record in records}
    if len(limits) > 1:
        sys.exit(f"the records in {folder} have different limits: {', '.join(sorted(limits))}")
    return records


def summarise(records: Sequence[Record], order: Iterable[str] = ()) -> dict[str, Any]:
    """Figures per domain and planner, and over all domains; planners as in `order`, then by name.

    Under `domains`, a domain maps each of its planners to `runs`, `solved`, `invalid` (plans),
    `length_ratio` over `length_tasks` tasks, `bee_line_ratio` over `bee_line_tasks` tasks,
    `cpu_seconds` (sum), `peak_mb` (largest) and `failures` (how often for each reason).
    """
    names = {record["planner"] for record in records}
    planners = [name for name in order if name in names]
    planners += sorted(names - set(planners))
    domains = sorted({record["domain"] for record in records})
    return {
        "reference": REFERENCE,
        "limits": records[0]["limits"] if records else None,
        "planners": planners,
        "domains": {
            domain: _by_planner([each for each in records if each["domain"] == domain], planners)
            for domain in domains
        },
        "total": _by_planner(records, planners),
    }


def _by_planner(records: Sequence[Record], planners: Iterable[str]) -> dict[str, Any]:
    """The figures of each planner that has records here."""
    reference = {
        (record["domain"], record["task"]): record["length"]
        for record in records
        if record["planner"] == REFERENCE and record["solved"]
    }
    by_planner = {name: [each for each in records if each["planner"] == name] for name in planners}
    return {name: _figures(runs, reference) for name, runs in by_planner.items() if runs}


def _figures(runs: Sequence[Record], reference: dict[tuple[str, str], int]) -> dict[str, Any]:
    solved = [record for record in runs if record["solved"]]
    # A task whose goal holds at the start has no ratios.
    lengths = [
        record["length"] / reference[key]
        for record in solved
        if (key := (record["domain"], record["task"])) in reference and record["length"]
    ]
    bee_lines = [
        record["expanded"] / record["length"]
        for record in solved
        if record["expanded"] and record["length"]
    ]
    return {
        "runs": len(runs),
        "solved": len(solved),
        "invalid": sum(record["valid"] is False for record in runs),
        "length_ratio": geometric_mean(lengths),
        "length_tasks": len(lengths),
        "bee_line_ratio": geometric_mean(bee_lines),
        "bee_line_tasks": len(bee_lines),
        "cpu_seconds": round(sum(record["cpu_seconds"] for record in runs), 1),
        "peak_mb": max(record["peak_mb"] for record in runs),
        "failures": dict(Counter(record["reason"] for record in runs if record["reason"])),
    }


def geometric_mean(ratios: Sequence[float]) -> float | None:
    """The mean for ratios; None if there are none.

    >>> geometric_mean([0.5, 2.0])
    1.0
    """
    return math.exp(statistics.fmean(map(math.log, ratios))) if ratios else None


def markdown(summary: dict[str, Any]) -> str:
    """An overview of coverage, then a table for all domains and one for each."""
    if not summary["planners"]:
        return "No records."
    limits = summary["limits"]
    parts = [
        f"{limits['cpu_seconds']} s of processor time and {limits['memory_gb']} GB for each task.",
        _overview(summary),
        _details(ALL_DOMAINS, summary["total"]),
        *(_details(name, figures) for name, figures in summary["domains"].items()),
    ]
    return "\n\n".join(parts)


def _overview(summary: dict[str, Any]) -> str:
    """Coverage: a row for each domain, a column for each planner."""
    planners = summary["planners"]
    groups = {**summary["domains"], "total": summary["total"]}
    rows = [
        [name, *(_coverage(figures.get(planner)) for planner in planners)]
        for name, figures in groups.items()
    ]
    return _table(["solved", *planners], rows)


def _details(title: str, by_planner: dict[str, Any]) -> str:
    """A row for each planner."""
    rows = [
        [
            planner,
            _coverage(figures),
            _ratio(figures["length_ratio"], figures["length_tasks"]),
            _ratio(figures["bee_line_ratio"], figures["bee_line_tasks"]),
            f"{figures['cpu_seconds'] / figures['runs']:.1f}",
            f"{figures['peak_mb']:,.0f}",
            ", ".join(f"{reason} {count}" for reason, count in figures["failures"].items()) or "–",
        ]
        for planner, figures in by_planner.items()
    ]
    header = [title, "solved", f"length ÷ {REFERENCE} (tasks)", "expanded ÷ length (tasks)"]
    return _table([*header, "mean CPU s", "peak MB", "failures"], rows)


def _coverage(figures: dict[str, Any] | None) -> str:
    return "–" if figures is None else f"{figures['solved']} of {figures['runs']}"


def _ratio(value: float | None, tasks: int) -> str:
    return "–" if value is None else f"{value:.2f} ({tasks})"


def _table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table, first column to the left, the others to the right."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, rule, *rows])
