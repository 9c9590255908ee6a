"""Tables of runs: single measures, overview, significance, outcomes, two by two.

Every run as a row, and what a reader should know about the runs before comparing them.
"""

from __future__ import annotations

from dataclasses import replace
from math import exp, log
from statistics import fmean
from typing import TYPE_CHECKING, Any

from beeline.evaluate import measures
from beeline.evaluate.drawing import file_name
from beeline.evaluate.measures import ALL, FEWEST_TASKS, LEVEL, MEASURES, Measure, compare
from beeline.evaluate.record_reading import STATUSES, Records, Run, TaskKey, known_costs
from beeline.evaluate.tables import MISSING, Cell, Table, number_cell, plain_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


MOST_SHOWN = 500  # on the page; the CSV file has all
SHOWN_REASONS = 20
_BEST = Cell("best", 1.0, bold=True, best=True)  # sorted behind all that is worse

_COLUMNS = (
    *("domain", "task", "configuration", "seed", "status", "cost", "length", "expanded"),
    *("evaluated", "generated", "initial_h", "search_time", "total_time", "processor_time"),
    *("peak_memory", "reason"),
)


def run_table(records: Records) -> Table:
    """All runs, by domain, task, configuration and seed."""
    order = {name: place for place, name in enumerate(records.configurations)}
    runs = sorted(
        records.runs, key=lambda run: (run.domain, run.task, order[run.configuration], run.seed)
    )
    header = [name.replace("_", " ") for name in _COLUMNS]
    rows = ([_cell(run, name) for name in _COLUMNS] for run in runs)
    return plain_table(
        "runs",
        "All runs",
        "Times in seconds, by the clock but for that of the processor; memory in bytes.",
        header,
        rows,
    )


def warnings_of(records: Records) -> list[str]:
    """What makes a comparison unfair or incomplete, one sentence each."""
    found = []
    limited = _domains_by_configuration(records.suite)
    for name in records.configurations:
        mine = [run for run in records.runs if run.configuration == name]
        meant = limited.get(name)  # a suite may try a configuration on some domains only
        tasks = {run.key for run in records.runs if meant is None or run.domain in meant}
        wanted = len(tasks) * len({run.seed for run in mine})
        if len(mine) < wanted:
            found.append(f"{name} has {len(mine):,} of {wanted:,} runs: the rest is missing")
    for attribute, words in (
        ("time_limit", "time limits"),
        ("processor_time_limit", "limits of the processor's time"),
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


def _domains_by_configuration(suite: Mapping[str, Any]) -> dict[str, list[str] | None]:
    listed = suite.get("configurations")
    entries = listed if isinstance(listed, list) else []
    return {str(e.get("name")): e.get("domains") for e in entries if isinstance(e, dict)}


def _cell(run: Run, name: str) -> str | float:
    content: str | float | None = getattr(run, name)
    if content is None or isinstance(content, str):
        words = content or MISSING
        return words.replace("_", " ") if name == "status" else words
    return content if abs(content) < float("inf") else str(content)


def comparison_table(records: Records, measure: Measure) -> Table:
    """The table of a measure: domains by configurations, with all tasks in the footer."""
    names = records.configurations
    best_costs = known_costs(records.runs)
    rows = []
    for domain in (*records.domains, ALL):
        scope = [run for run in records.runs if domain in (ALL, run.domain)]
        row = compare(scope, names, measure, best_costs)
        cells = [standing_cell(row.standings[name], measure) for name in names]
        rows.append([domain, row.tasks, *cells])
    header = ("domain", "tasks", *names)
    words = legend(records)
    return plain_table(measure.name, measure.title, measure.note, header, rows, 1, legend=words)


def standing_cell(standing: measures.Standing, measure: Measure) -> Cell:
    """A standing as a cell: mean, standard deviation, emphasis.

    Solved tasks are those of how many, where configurations have not been tried on the same ones.
    """
    if standing.own_value is not None and standing.own_tasks and measure.name == "coverage":
        cell = number_cell(standing.own_value, decimals=measure.decimals)
        words = f"{cell.text} of {standing.own_tasks:,}"
        return replace(cell, text=words, bold=standing.bold, best=standing.best)
    return number_cell(
        standing.value,
        spread=standing.spread,
        decimals=measure.decimals,
        bold=standing.bold,
        best=standing.best,
    )


def seeds_words(records: Records) -> str:
    """What is said where a configuration has several seeds."""
    seeds = {(run.configuration, run.seed) for run in records.runs}
    several = len(seeds) > len(records.configurations)
    return "Mean ± standard deviation over seeds." if several else ""


def like_with_like(records: Records) -> str:
    """What is said where configurations have not been tried on the same tasks."""
    if records.are_alike:
        return ""
    return (
        "Not all configurations were tried on the same tasks: solved tasks are given with how many"
        " were tried; everything else, and what is best, is about the tasks that all were tried"
        f" on, of which there are {len(records.common_tasks):,}."
    )


def legend(records: Records) -> str:
    """What bold and the numbers behind ± mean in tables of measures."""
    words = [seeds_words(records), like_with_like(records)]
    if len(records.configurations) > 1:
        words.append(
            "Bold: the best of a row, or not significantly worse than the best (paired test over"
            f" tasks, p ≥ {LEVEL:g}, two-sided, after Holm: the sign test for coverage, which is"
            " McNemar's exact test for a single seed, Wilcoxon's signed-rank test for the rest);"
            f" with fewer than {FEWEST_TASKS} tasks, which no test can tell apart, the best alone."
        )
    return " ".join(filter(None, words))


def overview_tables(records: Records) -> list[Table]:
    """How configurations fare on all tasks, and how sure that is."""
    best_costs = known_costs(records.runs)
    names = records.configurations
    compared = {
        measure: compare(records.runs, names, measure, best_costs)
        for measure in MEASURES
        if measure.name in measures.OVERVIEW
    }
    tasks = len({run.key for run in records.runs})
    common = next(found.tasks for measure, found in compared.items() if measure.common_only)
    bold = "Bold: the best, or not significantly worse." if len(names) > 1 else ""
    like = like_with_like(records)
    rows = [
        [
            name,
            *(standing_cell(each.standings[name], measure) for measure, each in compared.items()),
        ]
        for name in names
    ]
    overview = plain_table(
        "overview",
        "All tasks",
        f"{tasks:,} tasks; evaluations, expansions, time and cost are geometric means over"
        f" the tasks that all solved, of which there are {common:,}."
        f" {' '.join(filter(None, (like, seeds_words(records), bold)))}".rstrip(),
        ("configuration", *(measure.column for measure in compared)),
        rows,
    )
    significance = plain_table(
        "significance",
        "Significance",
        "p-values against the best configuration over all tasks, two-sided, after Holm: by the"
        " sign test for coverage (McNemar's exact test for a single seed), by Wilcoxon's"
        f" signed-rank test for the rest. Below {LEVEL:g} the difference is significant.",
        ("measure", "tasks", *names),
        [
            [measure.title, each.tasks, *(_sureness(each.standings[name]) for name in names)]
            for measure, each in compared.items()
        ],
    )
    return [overview, significance][: len(names)]


def _sureness(standing: measures.Standing) -> Cell | None:
    if standing.p is None:
        return _BEST if standing.best else None
    return p_cell(standing.p, bold=standing.bold)


def p_cell(p: float | None, *, bold: bool = False) -> Cell:
    """A cell of a p-value.

    >>> p_cell(0.03125).text, p_cell(1e-9).text
    ('0.031', '< 0.0001')
    """
    if p is None:
        return Cell(MISSING)
    return Cell("< 0.0001" if p < 1e-4 else f"{p:.2g}", p, bold=bold)


def outcome_table(records: Records) -> Table:
    """How many runs of each configuration ended in which way."""
    present = [word for word in STATUSES if any(run.status == word for run in records.runs)]
    rows = []
    for name in records.configurations:
        ended = [run.status for run in records.runs if run.configuration == name]
        rows.append([name, len(ended), *map(ended.count, present)])
    header = ("configuration", "runs", *(word.replace("_", " ") for word in present))
    return plain_table("outcomes", "How runs ended", "Runs over all tasks and seeds.", header, rows)


def failure_table(records: Records) -> Table | None:
    """Why runs failed, the most frequent reasons first; None if none did."""
    failed: dict[tuple[str, str], list[Run]] = {}
    for run in records.runs:
        if run.status == "failed":
            reason = run.reason or "no reason was recorded"
            failed.setdefault((run.configuration, reason), []).append(run)
    if not failed:
        return None
    order = sorted(failed, key=lambda pair: (-len(failed[pair]), pair))[:SHOWN_REASONS]
    rows = [
        [*pair, len(failed[pair]), f"{failed[pair][0].domain}: {failed[pair][0].task}"]
        for pair in order
    ]
    note = f"{len(rows)} of {len(failed)} reasons." if len(rows) < len(failed) else ""
    header = ("configuration", "reason", "runs", "such as")
    return plain_table("failures", "Why runs failed", note, header, rows)


def pair_table(records: Records, first: str, second: str) -> Table:
    """Two configurations task by task: who solves what, and what the common tasks take."""
    return plain_table(
        file_name("pair", first, second),
        f"{first} against {second}",
        "A task counts as solved if it is with at least half of the seeds. Ratios are"
        f" geometric means of {first} divided by {second} over tasks that both solve with every"
        f" seed: below 1, {first} is better. p: by the sign test for coverage, by Wilcoxon's"
        " signed-rank test for expansions; not corrected for the number of rows.",
        (
            *("domain", "tasks", "both", f"only {first}", f"only {second}", "neither"),
            *("p coverage", "expansions ratio", "p expansions", "time ratio", "cost ratio"),
        ),
        [_pair_row(records, domain, first, second) for domain in (*records.domains, ALL)],
        1,
    )


def _pair_row(records: Records, domain: str, first: str, second: str) -> list[Any]:
    runs: dict[str, dict[TaskKey, list[Run]]] = {first: {}, second: {}}
    for run in records.runs:
        if run.configuration in runs and domain in (ALL, run.domain):
            runs[run.configuration].setdefault(run.key, []).append(run)
    tasks = sorted(runs[first].keys() & runs[second].keys())
    shares = [
        tuple(fmean([each.solved for each in runs[name][task]]) for name in (first, second))
        for task in tasks
    ]
    counts = [
        sum((a >= 0.5, b >= 0.5) == wanted for a, b in shares)
        for wanted in ((True, True), (True, False), (False, True), (False, False))
    ]
    common = [task for task, pair in zip(tasks, shares, strict=True) if pair == (1.0, 1.0)]
    expansions, time, cost = (
        _log_ratios(runs[first], runs[second], common, name)
        for name in ("expansions", "time", "cost")
    )
    ratios = [exp(fmean(each)) if each else None for each in (expansions, time, cost)]
    solving = p_cell(measures.sign_test([a - b for a, b in shares]) if tasks else None)
    expanding = p_cell(measures.wilcoxon_test(expansions) if expansions else None)
    return [domain, len(tasks), *counts, solving, ratios[0], expanding, *ratios[1:]]


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
            above, below = (measures.geometric_mean(values, measure.floor) for values in sides)
            ratios.append(log(above / below))
    return ratios
