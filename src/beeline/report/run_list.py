"""Every run as a row, and what a reader should know about the runs before comparing them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.report.table import Cell, Table, number_cell

if TYPE_CHECKING:
    from beeline.report.records import Records, Run

MOST_SHOWN = 500  # on the page; the CSV file has all

_COLUMNS = (
    *("domain", "task", "configuration", "seed", "status", "cost", "length", "expanded"),
    *("evaluated", "generated", "initial_h", "search_time", "total_time", "peak_memory", "reason"),
)


def run_table(records: Records) -> Table:
    """All runs, by domain, task, configuration and seed."""
    order = {name: place for place, name in enumerate(records.configurations)}
    runs = sorted(
        records.runs, key=lambda run: (run.domain, run.task, order[run.configuration], run.seed)
    )
    return Table(
        name="runs",
        title="All runs",
        note="Times in seconds, memory in bytes.",
        header=tuple(name.replace("_", " ") for name in _COLUMNS),
        rows=tuple(tuple(_cell(run, name) for name in _COLUMNS) for run in runs),
    )


def warnings_of(records: Records) -> list[str]:
    """What makes a comparison unfair or incomplete, one sentence each."""
    found = []
    tasks = {run.key for run in records.runs}
    for name in records.configurations:
        mine = [run for run in records.runs if run.configuration == name]
        wanted = len(tasks) * len({run.seed for run in mine})
        if len(mine) < wanted:
            found.append(f"{name} has {len(mine):,} of {wanted:,} runs: the rest is missing")
    for attribute, words in (
        ("time_limit", "time limits"),
        ("memory_limit", "memory limits"),
        ("evaluation_limit", "limits of evaluations"),
        ("expansion_limit", "limits of expansions"),
    ):
        if len({getattr(run, attribute) for run in records.runs}) > 1:
            found.append(f"runs were made under different {words}")
    failed = sum(run.status == "failed" for run in records.runs)
    if failed:
        found.append(f"{failed:,} of {len(records.runs):,} runs failed; they count as not solved")
    return found


def _cell(run: Run, name: str) -> Cell:
    content = getattr(run, name)
    if content is None or isinstance(content, str):
        words = content or "–"
        return Cell(words.replace("_", " ") if name == "status" else words)
    if name == "initial_h" and not abs(content) < float("inf"):
        return Cell(str(content))
    return number_cell(content)
