"""Records of the packaged models to the Markdown page beside them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from model_trials import CLASSICAL, LEARNED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Record = dict[str, Any]

OPENING = """\
# Packaged models

Made by `make models`: each model learned from 90 generated tasks of its domain (30 small ones, and
twice the 30 of the preset `easy`) and was then tried on 12 larger ones (8 of `medium`, 4 of
`hard`). Beside it stands greedy search with h_FF (`beeline solve`), which learns nothing. Both had
{seconds:g} seconds and {memory} of memory for each task, one process on one core; seconds count
from the start of the process. Plans are validated before they count.

"Expanded per step" is the number of expanded states over the length of the plan, a geometric mean
over the solved tasks; 1 is a search that never turns back. "Plan length" compares the plans where
both found one: below 1 the model's plans are shorter.
"""
HEADER = [
    "domain",
    "solved",
    "h_FF",
    "expanded per step",
    "h_FF",
    "plan length",
    "features",
    "rounds",
    "neighbours",
    "uses h_FF",
    "bytes",
]
NOTE = "A star marks plans that the classical search within `beeline plan` has found."


def page(results: Record) -> str:
    """The whole page: an overview, then what happened in each task."""
    domains = dict(sorted(results["domains"].items()))
    parts = [
        OPENING.format(seconds=results["seconds"], memory=results["memory"]),
        _table(
            HEADER,
            [*(_overview(name, record) for name, record in domains.items()), _total(domains)],
        ),
        "",
        NOTE,
        *(_details(name, record) for name, record in domains.items()),
    ]
    return "\n".join(parts) + "\n"


def _overview(name: str, record: Record) -> list[str]:
    chosen, tests = record["training"]["candidate"], record["tests"]
    return [
        name,
        _coverage(tests, LEARNED),
        _coverage(tests, CLASSICAL),
        _ratio(_expanded_per_step(tests, LEARNED)),
        _ratio(_expanded_per_step(tests, CLASSICAL)),
        _ratio(_relative_length(tests)),
        f"{record['training']['features']:,}",
        str(chosen["rounds"]),
        chosen["neighbours"],
        "yes" if chosen["h_ff"] else "no",
        f"{record['bytes']:,}",
    ]


def _total(domains: dict[str, Record]) -> list[str]:
    tests = [test for record in domains.values() for test in record["tests"]]
    solved = [f"**{_coverage(tests, planner)}**" for planner in (LEARNED, CLASSICAL)]
    return ["**all**", *solved, *[""] * (len(HEADER) - 3)]


def _details(name: str, record: Record) -> str:
    tasks = record["training"]["tasks"]
    intro = (
        f"{tasks['with_plans']} of {tasks['given']} tasks to learn from had plans,"
        f" {tasks['optimal']} of these optimal, the longest with {tasks['longest_plan']} steps."
    )
    if record["learning_seconds"] is not None:
        intro += f" Learning took {record['learning_seconds']:.0f} s."
    rows = [
        [test["task"], test["size"], *_cells(test[LEARNED]), *_cells(test[CLASSICAL])]
        for test in record["tests"]
    ]
    header = ["task", "size", "steps", "expanded", "s", "h_FF: steps", "expanded", "s"]
    return f"\n## {name}\n\n{intro}\n\n{_table(header, rows)}"


def _cells(run: Record) -> list[str]:
    if run["status"] != "solved":
        return [str(run["status"]).replace("_", " "), "–", "–"]
    star = "*" if run.get("search") == CLASSICAL else ""
    return [f"{run['steps']:,}{star}", f"{run['expanded']:,}", f"{run['seconds']:.1f}"]


def _coverage(tests: Sequence[Record], planner: str) -> str:
    solved = sum(test[planner]["status"] == "solved" for test in tests)
    return f"{solved} of {len(tests)}"


def _expanded_per_step(tests: Iterable[Record], planner: str) -> float | None:
    runs = [test[planner] for test in tests if test[planner].get("steps")]
    return geometric_mean([max(run["expanded"], 1) / run["steps"] for run in runs])


def _relative_length(tests: Iterable[Record]) -> float | None:
    both = [test for test in tests if test[LEARNED].get("steps") and test[CLASSICAL].get("steps")]
    return geometric_mean([test[LEARNED]["steps"] / test[CLASSICAL]["steps"] for test in both])


def geometric_mean(ratios: Sequence[float]) -> float | None:
    """The mean for ratios; None if there are none.

    >>> geometric_mean([0.5, 2.0])
    1.0
    """
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}" if value < 100 else f"{value:,.0f}"


def _table(header: list[str], rows: Iterable[list[str]]) -> str:
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, rule, *rows])
