"""Tables of runs beside those of single measures: overview, significance, outcomes, two by two.

Every run as a row, and what a reader should know about the runs before comparing them.
"""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING

from beeline.evaluate.drawing import file_name
from beeline.evaluate.measures import ALL, MEASURES, OVERVIEW, compare, seeds_words, standing_cell
from beeline.evaluate.record_reading import STATUSES, known_costs
from beeline.evaluate.statistics import LEVEL, geometric_mean, mean, sign_test, wilcoxon_test
from beeline.evaluate.tables import Cell, Table, number_cell, p_cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from beeline.evaluate.measures import Comparison, Measure
    from beeline.evaluate.record_reading import Records, Run, TaskKey


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


SHOWN_REASONS = 20
_BEST = Cell("best", 1.0, bold=True, best=True)  # sorted behind all that is worse


def overview_tables(records: Records) -> list[Table]:
    """How configurations fare on all tasks, and how sure that is."""
    best_costs = known_costs(records.runs)
    names = records.configurations
    measures = [measure for measure in MEASURES if measure.name in OVERVIEW]
    compared = [compare(records.runs, names, measure, best_costs) for measure in measures]
    tasks = len({run.key for run in records.runs})
    common = next(
        found.tasks
        for measure, found in zip(measures, compared, strict=True)
        if measure.common_only
    )
    rows = []
    for name in names:
        cells = [
            standing_cell(found.standings[name], measure)
            for measure, found in zip(measures, compared, strict=True)
        ]
        rows.append((Cell(name), *cells))
    bold = "Bold: the best, or not significantly worse." if len(names) > 1 else ""
    overview = Table(
        name="overview",
        title="All tasks",
        note=f"{tasks:,} tasks; evaluations, expansions, time and cost are geometric means over"
        f" the tasks that all solved, of which there are {common:,}."
        f" {seeds_words(records)} {bold}".rstrip(),
        header=("configuration", *(measure.column for measure in measures)),
        rows=tuple(rows),
    )
    if len(names) < 2:
        return [overview]
    return [overview, _significance(names, measures, compared)]


def _significance(
    names: Sequence[str], measures: Sequence[Measure], compared: Sequence[Comparison]
) -> Table:
    rows = []
    for measure, found in zip(measures, compared, strict=True):
        cells = []
        for name in names:
            standing = found.standings[name]
            if standing.p is None:
                cells.append(_BEST if standing.best else number_cell(None))
            else:
                cells.append(p_cell(standing.p, bold=standing.bold))
        rows.append((Cell(measure.title), number_cell(found.tasks), *cells))
    return Table(
        name="significance",
        title="Significance",
        note="p-values against the best configuration over all tasks, two-sided, after Holm: by the"
        " sign test for coverage (McNemar's exact test for a single seed), by Wilcoxon's"
        f" signed-rank test for the rest. Below {LEVEL:g} the difference is significant.",
        header=("measure", "tasks", *names),
        rows=tuple(rows),
    )


def outcome_table(records: Records) -> Table:
    """How many runs of each configuration ended in which way."""
    present = [word for word in STATUSES if any(run.status == word for run in records.runs)]
    rows = []
    for name in records.configurations:
        ended = [run.status for run in records.runs if run.configuration == name]
        counts = [number_cell(ended.count(word)) for word in present]
        rows.append((Cell(name), number_cell(len(ended)), *counts))
    return Table(
        name="outcomes",
        title="How runs ended",
        note="Runs over all tasks and seeds.",
        header=("configuration", "runs", *(word.replace("_", " ") for word in present)),
        rows=tuple(rows),
    )


def failure_table(records: Records) -> Table | None:
    """Why runs failed, the most frequent reasons first; None if none did."""
    counts: dict[tuple[str, str], list[Run]] = {}
    for run in records.runs:
        if run.status == "failed":
            reason = run.reason or "no reason was recorded"
            counts.setdefault((run.configuration, reason), []).append(run)
    if not counts:
        return None
    order = sorted(counts, key=lambda pair: (-len(counts[pair]), pair))[:SHOWN_REASONS]
    rows = [
        (
            Cell(name),
            Cell(reason),
            number_cell(len(counts[name, reason])),
            Cell(f"{counts[name, reason][0].domain}: {counts[name, reason][0].task}"),
        )
        for name, reason in order
    ]
    return Table(
        name="failures",
        title="Why runs failed",
        note=f"{len(rows)} of {len(counts)} reasons." if len(rows) < len(counts) else "",
        header=("configuration", "reason", "runs", "such as"),
        rows=tuple(rows),
    )


def pair_table(records: Records, first: str, second: str) -> Table:
    """Two configurations task by task: who solves what, and what the common tasks take."""
    rows = [_pair_row(records, domain, first, second) for domain in (*records.domains, ALL)]
    return Table(
        name=file_name("pair", first, second),
        title=f"{first} against {second}",
        note="A task counts as solved if it is with at least half of the seeds. Ratios are"
        f" geometric means of {first} divided by {second} over tasks that both solve with every"
        f" seed: below 1, {first} is better. p: by the sign test for coverage, by Wilcoxon's"
        " signed-rank test for expansions; not corrected for the number of rows.",
        header=(
            *("domain", "tasks", "both", f"only {first}", f"only {second}", "neither"),
            *("p coverage", "expansions ratio", "p expansions", "time ratio", "cost ratio"),
        ),
        rows=tuple(rows[:-1]),
        footer=tuple(rows[-1:]),
    )


def _pair_row(records: Records, domain: str, first: str, second: str) -> tuple[Cell, ...]:
    runs: dict[str, dict[TaskKey, list[Run]]] = {first: {}, second: {}}
    for run in records.runs:
        if run.configuration in runs and domain in (ALL, run.domain):
            runs[run.configuration].setdefault(run.key, []).append(run)
    tasks = sorted(runs[first].keys() & runs[second].keys())
    shares = [(_share(runs[first][task]), _share(runs[second][task])) for task in tasks]
    counts = [
        sum((a >= 0.5, b >= 0.5) == wanted for a, b in shares)
        for wanted in ((True, True), (True, False), (False, True), (False, False))
    ]
    common = [task for task, pair in zip(tasks, shares, strict=True) if pair == (1.0, 1.0)]
    expansions = _log_ratios(runs[first], runs[second], common, "expansions")
    return (
        Cell(domain),
        number_cell(len(tasks)),
        *(number_cell(count) for count in counts),
        p_cell(sign_test([a - b for a, b in shares]) if tasks else None),
        _ratio_cell(expansions),
        p_cell(wilcoxon_test(expansions) if expansions else None),
        _ratio_cell(_log_ratios(runs[first], runs[second], common, "time")),
        _ratio_cell(_log_ratios(runs[first], runs[second], common, "cost")),
    )


def _share(runs: Sequence[Run]) -> float:
    return sum(run.solved for run in runs) / len(runs)


def _log_ratios(
    first: Mapping[TaskKey, list[Run]],
    second: Mapping[TaskKey, list[Run]],
    tasks: Sequence[TaskKey],
    name: str,
) -> list[float]:
    """Logarithms of the ratio of a measure, one for each task where both are known."""
    measure = next(each for each in MEASURES if each.name == name)
    ratios = []
    for task in tasks:
        sides = [
            [value for run in runs[task] if (value := measure.value(run, {})) is not None]
            for runs in (first, second)
        ]
        if all(sides):
            above, below = (geometric_mean(values, measure.floor) for values in sides)
            ratios.append(log(above / below))
    return ratios


def _ratio_cell(log_ratios: Sequence[float]) -> Cell:
    return number_cell(exp(mean(log_ratios)) if log_ratios else None)
