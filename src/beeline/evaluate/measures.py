"""What runs are compared by: one entry for each table of the report.

Configurations compared: a row for each domain, means over seeds, the best in bold.

A value is bold if it is the best of its row, or not significantly worse than the best.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from beeline.evaluate.record_reading import known_costs
from beeline.evaluate.statistics import (
    FEWEST_TASKS,
    LEVEL,
    agile_score,
    deviation,
    geometric_mean,
    holm,
    mean,
    satisficing_score,
    sign_test,
    wilcoxon_test,
)
from beeline.evaluate.tables import Cell, Table, number_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from beeline.evaluate.record_reading import Records, Run, TaskKey


SUM, MEAN, GEOMETRIC = "sum", "mean", "geometric mean"
COMMON = "Over tasks that all configurations solve with all seeds; who solves none is left out."


@dataclass(frozen=True)
class Measure:
    """A number of a run, how it is summed up over tasks, and how configurations are compared."""

    name: str  # of files
    title: str
    column: str  # in tables where it is one of several
    note: str
    value: Callable[[Run, Mapping[TaskKey, float]], float | None]  # given the lowest known costs
    average: str = SUM
    higher_is_better: bool = False
    common_only: bool = False
    floor: float = 0.0  # of geometric means: smaller values count as this
    decimals: int | None = None  # None: three digits that matter

    def summed_up(self, values: Sequence[float]) -> float:
        """The values of one seed over tasks as one number."""
        if self.average == GEOMETRIC:
            return geometric_mean(values, self.floor)
        return mean(values) if self.average == MEAN else sum(values)

    def on_test_scale(self, value: float) -> float:
        """A value as the paired test sees it: logarithmic where ratios matter."""
        return log(max(value, self.floor)) if self.average == GEOMETRIC else value

    def p_value(self, differences: Sequence[float]) -> float:
        """The paired test of this measure on differences, one for each task."""
        return (sign_test if self.name == "coverage" else wilcoxon_test)(differences)


def _solved_only(attribute: str) -> Callable[[Run, Mapping[TaskKey, float]], float | None]:
    def value(run: Run, best: Mapping[TaskKey, float]) -> float | None:
        found: float | None = getattr(run, attribute) if run.solved else None
        return found

    return value


def _coverage(run: Run, best: Mapping[TaskKey, float]) -> float:
    return float(run.solved)


def _agile(run: Run, best: Mapping[TaskKey, float]) -> float | None:
    if run.solved and run.time is None:
        return None
    return agile_score(run.time if run.solved else None, run.time_limit)


def _satisficing(run: Run, best: Mapping[TaskKey, float]) -> float | None:
    if run.solved and run.cost is None:
        return None
    return satisficing_score(run.cost if run.solved else None, best.get(run.key, 0.0))


def _averages() -> list[Measure]:
    """Geometric and plain means of what plans took and cost."""
    entries = []
    for average, words in ((GEOMETRIC, "geometric mean"), (MEAN, "mean")):
        for name, attribute, unit, floor in (
            ("evaluations", "evaluated", "", 1.0),
            ("expansions", "expanded", "", 1.0),
            ("time", "time", " in seconds", 0.001),
            ("cost", "cost", "", 1.0),
        ):
            title = "Plan cost" if name == "cost" else name.capitalize()
            floored = f" Values below {floor:g} count as {floor:g}." if average == GEOMETRIC else ""
            entries.append(
                Measure(
                    name=name if average == GEOMETRIC else f"{name}-mean",
                    title=f"{title}{unit}, {words}",
                    column=f"{name} (s)" if name == "time" else name,
                    note=f"{COMMON}{floored}",
                    value=_solved_only(attribute),
                    average=average,
                    common_only=True,
                    floor=floor,
                )
            )
    return entries


MEASURES = (
    Measure(
        name="coverage",
        title="Coverage",
        column="solved",
        note="Solved tasks.",
        value=_coverage,
        higher_is_better=True,
        decimals=0,
    ),
    Measure(
        name="agile",
        title="IPC agile score",
        column="agile",
        note="Of each task 1 if it is solved within 1 s, 0 if it is not solved, otherwise"
        " 1 - log(t) / log(T), where T is the time limit, or 300 s without one.",
        value=_agile,
        higher_is_better=True,
        decimals=2,
    ),
    Measure(
        name="satisficing",
        title="IPC satisficing score",
        column="satisficing",
        note="Of each task the lowest known cost divided by the cost of the plan, 0 if it is not"
        " solved. The lowest known cost is that of all runs here, or a lower one given with them.",
        value=_satisficing,
        higher_is_better=True,
        decimals=2,
    ),
    *_averages(),
)
OVERVIEW = ("coverage", "agile", "satisficing", "evaluations", "expansions", "time", "cost")


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
