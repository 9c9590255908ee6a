"""Configurations compared: a row for each domain, means over seeds, the best in bold.

A value is bold if it is the best of its row, or not significantly worse than the best.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from beeline.report.records import known_costs
from beeline.report.scores import deviation, mean
from beeline.report.significance import FEWEST_TASKS, LEVEL, holm
from beeline.report.table import Cell, Table, number_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from beeline.report.measures import Measure
    from beeline.report.records import Records, Run, TaskKey

ALL = "all"

# Of one configuration: seed, then task, then value.
Values = dict[int, dict["TaskKey", float]]


@dataclass(frozen=True)
class Standing:
    """How one configuration fares by one measure; `p` is against the best, None for that one."""

    value: float | None
    spread: float | None = None
    p: float | None = None
    best: bool = False  # the best value of all
    bold: bool = False  # the best, or not significantly worse


@dataclass(frozen=True)
class Comparison:
    """How all configurations fare on so many tasks."""

    tasks: int
    standings: Mapping[str, Standing]


def compare(
    runs: Iterable[Run],
    configurations: Sequence[str],
    measure: Measure,
    best_costs: Mapping[TaskKey, float],
) -> Comparison:
    """Standings of the configurations by a measure on the tasks of these runs."""
    scope = list(runs)
    values = {name: _values(scope, name, measure, best_costs) for name in configurations}
    present = [name for name in configurations if values[name]]
    tasks = {run.key for run in scope}
    if measure.common_only:
        tasks = _common(scope, values, present)
    if not tasks:
        return Comparison(0, {name: Standing(None) for name in configurations})
    spreads: dict[str, float | None] = {}
    totals: dict[str, float] = {}
    per_task: dict[str, dict[TaskKey, float]] = {}
    for name in present:
        seeds = [
            {task: value for task, value in by_task.items() if task in tasks}
            for by_task in values[name].values()
        ]
        sums = [measure.summed_up(list(seed.values())) for seed in seeds if seed]
        totals[name], spreads[name] = mean(sums), deviation(sums)
        per_task[name] = _task_means(seeds, measure)
    ranked = _ranked(measure, totals, per_task)
    return Comparison(
        len(tasks),
        {
            name: Standing(totals[name], spreads[name], *ranked[name])
            if name in totals
            else Standing(None)
            for name in configurations
        },
    )


def comparison_table(records: Records, measure: Measure) -> Table:
    """The table of a measure: domains by configurations, with all tasks in the footer."""
    names = records.configurations
    best_costs = known_costs(records.runs)
    rows = []
    for domain in (*records.domains, ALL):
        scope = [run for run in records.runs if domain in (ALL, run.domain)]
        row = compare(scope, names, measure, best_costs)
        cells = [standing_cell(row.standings[name], measure) for name in names]
        rows.append((Cell(domain), number_cell(row.tasks), *cells))
    return Table(
        name=measure.name,
        title=measure.title,
        note=measure.note,
        header=("domain", "tasks", *names),
        rows=tuple(rows[:-1]),
        footer=tuple(rows[-1:]),
        legend=legend(records),
    )


def standing_cell(standing: Standing, measure: Measure) -> Cell:
    """A standing as a cell: mean, standard deviation, emphasis."""
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
    if len(seeds) == len(records.configurations):
        return ""
    return "Mean ± standard deviation over seeds."


def legend(records: Records) -> str:
    """What bold and the numbers behind ± mean in tables of measures."""
    words = [seeds_words(records)]
    if len(records.configurations) > 1:
        words.append(
            "Bold: the best of a row, or not significantly worse than the best (paired test over"
            f" tasks, p ≥ {LEVEL:g}, two-sided, after Holm: the sign test for coverage, which is"
            " McNemar's exact test for a single seed, Wilcoxon's signed-rank test for the rest);"
            f" with fewer than {FEWEST_TASKS} tasks, which no test can tell apart, the best alone."
        )
    return " ".join(filter(None, words))


def _values(
    runs: Iterable[Run], name: str, measure: Measure, best_costs: Mapping[TaskKey, float]
) -> Values:
    found: Values = {}
    for run in runs:
        value = measure.value(run, best_costs) if run.configuration == name else None
        if value is not None:
            found.setdefault(run.seed, {})[run.key] = value
    return found


def _common(
    runs: Iterable[Run], values: Mapping[str, Values], present: Sequence[str]
) -> set[TaskKey]:
    """Tasks with a value in every run, of all configurations that have values at all."""
    runs_of: dict[tuple[str, TaskKey], int] = {}
    for run in runs:
        pair = (run.configuration, run.key)
        runs_of[pair] = runs_of.get(pair, 0) + 1
    tasks = {key for _, key in runs_of}
    return {
        task
        for task in tasks
        if present
        and all(
            sum(task in seed for seed in values[name].values()) == runs_of.get((name, task))
            for name in present
        )
    }


def _task_means(seeds: Sequence[Mapping[TaskKey, float]], measure: Measure) -> dict[TaskKey, float]:
    """Means over seeds of each task, on the scale of the test."""
    tasks = {task for seed in seeds for task in seed}
    return {
        task: mean([measure.on_test_scale(seed[task]) for seed in seeds if task in seed])
        for task in tasks
    }


def _ranked(
    measure: Measure, totals: Mapping[str, float], per_task: Mapping[str, Mapping[TaskKey, float]]
) -> dict[str, tuple[float | None, bool, bool]]:
    """p-value, whether it is the best, and whether it is bold, of each configuration."""
    if len(totals) < 2:
        return dict.fromkeys(totals, (None, False, False))
    top = max(totals.values()) if measure.higher_is_better else min(totals.values())
    best = next(name for name in totals if totals[name] == top)
    others = [name for name in totals if name != best]
    pairs = {name: sorted(per_task[best].keys() & per_task[name].keys()) for name in others}
    p_values = holm(
        [
            measure.p_value([per_task[name][task] - per_task[best][task] for task in pairs[name]])
            for name in others
        ]
    )
    ranked: dict[str, tuple[float | None, bool, bool]] = {best: (None, True, True)}
    for name, p in zip(others, p_values, strict=True):
        equal = totals[name] == top
        # A test that can tell nothing apart does not make a configuration as good as the best,
        # and neither does one for a configuration that solved nothing.
        close = p >= LEVEL and len(pairs[name]) >= FEWEST_TASKS and totals[name] != 0
        ranked[name] = (p, equal, equal or close)
    return ranked
