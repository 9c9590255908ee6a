"""Mean expansions on seven small state spaces, beside published tables.

The tables are 4.2 and 4.5 of Minini's thesis "Discovering and Learning Preferred Operators for
Classical Planning with Neural Networks" (2023): greedy best-first search from 50 initial states of
each of seven state spaces, all costs 1, with the heuristics h_FF, h_add, goal count and blind,
each alone and with FF's preferred operators in a second queue (boost 1000), and with the perfect
heuristic. Expansions include the goal state.

A cell shows our mean, the printed one, and the deviation in percent. The thesis rounds large
numbers ("54K"): `=` marks cells that are the printed ones after rounding.

    python benchmarks/statespace_tables.py ../shared/data/statespaces -o tables.json
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import statistics
from pathlib import Path
from typing import Any, NamedTuple

DOMAINS = ("blocks", "grid", "npuzzle", "rovers", "scanalyzer", "transport", "visitall")
CELL_LIMIT = 30.0  # percent
COLUMN_LIMIT = 10.0


class Column(NamedTuple):
    """One configuration: what the thesis prints per domain, and its geometric mean."""

    heuristic: str
    preferred: bool
    printed: tuple[str, ...]
    printed_mean: str

    @property
    def title(self) -> str:
        """As a user would say it."""
        return f"{self.heuristic}{' + preferred ff' if self.preferred else ''}"


COLUMNS = (
    Column("ff", False, ("183.0", "33.6", "139.9", "11.5", "28.5", "17.8", "27.3"), "39.0"),
    Column("ff", True, ("52.8", "30.0", "205.9", "10.6", "16.9", "15.6", "23.8"), "30.0"),
    Column("add", False, ("94.9", "48.5", "155.7", "11.4", "21.6", "17.9", "30.4"), "37.1"),
    Column("add", True, ("51.2", "33.3", "198.0", "19.0", "14.3", "16.4", "29.4"), "33.2"),
    Column(
        "goalcount", False, ("332.7", "265.6", "818.7", "61.5", "31.9", "200.5", "16.7"), "124.9"
    ),
    Column("goalcount", True, ("62.5", "60.4", "1.2K", "17.5", "18.4", "44.1", "13.9"), "51.3"),
    Column("blind", False, ("54K", "51K", "67K", "4K", "5K", "145K", "2K"), "19.7K"),
    Column("blind", True, ("10K", "11K", "67K", "832.1", "3K", "15K", "2K"), "6.7K"),
    Column("perfect", False, ("19.4", "20.8", "22.6", "10.3", "9.2", "13.3", "11.9"), "14.5"),
)


def number(printed: str) -> float:
    """The number a table cell stands for.

    >>> number("54K"), number("1.2K"), number("39.0")
    (54000.0, 1200.0, 39.0)
    """
    return float(printed[:-1]) * 1000 if printed.endswith("K") else float(printed)


def rounds_to(value: float, printed: str) -> bool:
    """Whether a value is the printed one, to as many digits.

    >>> rounds_to(145433, "145K"), rounds_to(52.84, "52.8"), rounds_to(53.2, "52.8")
    (True, True, False)
    """
    digits = len(printed.rstrip("K").partition(".")[2])
    scaled = value / 1000 if printed.endswith("K") else value
    return f"{scaled:.{digits}f}" == printed.rstrip("K")


def expansions(job: tuple[Path, Path]) -> list[int]:
    """Expanded states per column, for one task."""
    import beeline
    from beeline import _native as native

    task = beeline.load(*job, unit_costs=True).native
    heuristics = {
        name: native.make_heuristic(name, task) for name in {c.heuristic for c in COLUMNS}
    }
    counts = []
    for column in COLUMNS:
        config = native.SearchConfig()
        config.evaluators = [heuristics[column.heuristic]]
        config.queues = [native.QueueSpec([native.KeySpec()])]
        if column.preferred:
            config.preferred = [heuristics["ff"]]
            config.queues = [*config.queues, native.QueueSpec([native.KeySpec()], True)]
            config.boost = 1000
        states = native.States(task)
        result = native.search(states, states.initial, config)
        if result.status != native.SearchStatus.SOLVED:
            raise RuntimeError(f"{job[1]}: {column.title} ended with {result.status.name}")
        counts.append(result.counters.expanded)
    return counts


def compare(value: float, printed: str) -> dict[str, Any]:
    """One cell of the report."""
    return {
        "mean": value,
        "printed": printed,
        "deviation_percent": 100 * (value / number(printed) - 1),
        "rounds_to_printed": rounds_to(value, printed),
    }


def show(cell: dict[str, Any]) -> str:
    """A cell as text."""
    mark = "=" if cell["rounds_to_printed"] else " "
    return f"{cell['mean']:10.1f} {cell['printed']:>6} {cell['deviation_percent']:+6.1f}{mark}"


def main() -> None:
    """Search, print both tables side by side and write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="the state spaces, a folder per domain")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    jobs = [
        (options.data / domain / "domain.pddl", task)
        for domain in DOMAINS
        for task in sorted((options.data / domain / "init").glob("*.pddl"))
    ]
    with multiprocessing.Pool(options.jobs) as pool:
        counts = pool.map(expansions, jobs, chunksize=5)

    report: dict[str, Any] = {"initial_states": len(jobs), "columns": []}
    far_cells: list[str] = []
    far_columns: list[str] = []
    for index, column in enumerate(COLUMNS):
        cells = {}
        for domain, printed in zip(DOMAINS, column.printed, strict=True):
            rows = [
                row[index]
                for row, (file, _) in zip(counts, jobs, strict=True)
                if file.parent.name == domain
            ]
            cells[domain] = compare(statistics.fmean(rows), printed)
        mean = math.exp(statistics.fmean(math.log(cell["mean"]) for cell in cells.values()))
        total = compare(mean, column.printed_mean)
        report["columns"].append({"title": column.title, "cells": cells, "geometric_mean": total})
        far_cells += [
            f"{column.title} {domain} ({cell['deviation_percent']:+.1f} %)"
            for domain, cell in cells.items()
            if abs(cell["deviation_percent"]) > CELL_LIMIT
        ]
        if abs(total["deviation_percent"]) > COLUMN_LIMIT:
            far_columns.append(f"{column.title} ({total['deviation_percent']:+.1f} %)")
        print(f"{column.title}\n{'':16}      ours  print      %")
        for domain, cell in (*cells.items(), ("geometric mean", total)):
            print(f"  {domain:14}{show(cell)}")
    report["cells_beyond_30_percent"] = far_cells
    report["columns_beyond_10_percent"] = far_columns
    print(f"cells that deviate by more than {CELL_LIMIT:.0f} %: {', '.join(far_cells) or 'none'}")
    print(f"columns by more than {COLUMN_LIMIT:.0f} %: {', '.join(far_columns) or 'none'}")
    if options.output:
        options.output.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
