"""What runs are compared by: one entry for each table of the report.

Configurations compared: a row for each domain, means over seeds, the best in bold.

A value is bold if it is the best of its row, or not significantly worse than the best.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import log
from statistics import fmean
from typing import TYPE_CHECKING

from beeline.evaluate.record_reading import Records, Run, TaskKey, known_costs
from beeline.evaluate.statistics import (
    FEWEST_TASKS,
    LEVEL,
    agile_score,
    deviation,
    geometric_mean,
    holm,
    satisficing_score,
    sign_test,
    wilcoxon_test,
)
from beeline.evaluate.tables import Cell, Table, number_cell, plain_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    # Of a run, given the lowest known costs.
    Value = Callable[[Run, Mapping[TaskKey, float]], float | None]


SUM, MEAN, GEOMETRIC = "sum", "mean", "geometric mean"
COMMON = "Over tasks that all configurations solve with all seeds; who solves none is left out."


@dataclass(frozen=True)
class Measure:
    """A number of a run, how it is summed up over tasks, and how configurations are compared."""

    name: str  # of files
    title: str
    column: str  # in tables where it is one of several
    note: str
    value: Value
    average: str = SUM
    higher_is_better: bool = False
    common_only: bool = False
    floor: float = 0.0  # of geometric means: smaller values count as this
    decimals: int | None = None  # None: three digits that matter

    def summed_up(self, values: Sequence[float]) -> float:
        """The values of one seed over tasks as one number."""
        if self.average == GEOMETRIC:
            return geometric_mean(values, self.floor)
        return fmean(values) if self.average == MEAN else sum(values)

    def on_test_scale(self, value: float) -> float:
        """A value as the paired test sees it: logarithmic where ratios matter."""
        return log(max(value, self.floor)) if self.average == GEOMETRIC else value

    def p_value(self, differences: Sequence[float]) -> float:
        """The paired test of this measure on differences, one for each task."""
        return (sign_test if self.name == "coverage" else wilcoxon_test)(differences)


def _solved_only(attribute: str) -> Value:
    return lambda run, _: getattr(run, attribute) if run.solved else None


def _agile(run: Run, best: Mapping[TaskKey, float]) -> float | None:
    unknown = run.solved and run.time is None
    return None if unknown else agile_score(run.time if run.solved else None, run.time_limit)


def _satisficing(run: Run, best: Mapping[TaskKey, float]) -> float | None:
    unknown, lowest = run.solved and run.cost is None, best.get(run.key, 0.0)
    return None if unknown else satisficing_score(run.cost if run.solved else None, lowest)


def _averages() -> Iterator[Measure]:
    """Geometric and plain means of what plans took and cost."""
    for average, ending in ((GEOMETRIC, ""), (MEAN, "-mean")):
        for name, attribute, title, column, floor in (
            ("evaluations", "evaluated", "Evaluations", "evaluations", 1.0),
            ("expansions", "expanded", "Expansions", "expansions", 1.0),
            ("time", "time", "Time in seconds", "time (s)", 0.001),
            ("cost", "cost", "Plan cost", "cost", 1.0),
        ):
            floored = f" Values below {floor:g} count as {floor:g}." if average == GEOMETRIC else ""
            yield Measure(
                name=f"{name}{ending}",
                title=f"{title}, {average}",
                column=column,
                note=f"{COMMON}{floored}",
                value=_solved_only(attribute),
                average=average,
                common_only=True,
                floor=floor,
            )


def _score(name: str, title: str, column: str, note: str, value: Value, decimals: int) -> Measure:
    return Measure(name, title, column, note, value, higher_is_better=True, decimals=decimals)


MEASURES = (
    _score("coverage", "Coverage", "solved", "Solved tasks.", lambda run, _: float(run.solved), 0),
    _score(
        "agile",
        "IPC agile score",
        "agile",
        "Of each task 1 if it is solved within 1 s, 0 if it is not solved, otherwise"
        " 1 - log(t) / log(T), where T is the time limit, or 300 s without one.",
        _agile,
        2,
    ),
    _score(
        "satisficing",
        "IPC satisficing score",
        "satisficing",
        "Of each task the lowest known cost divided by the cost of the plan, 0 if it is not"
        " solved. The lowest known cost is that of all runs here, or a lower one given with them.",
        _satisficing,
        2,
    ),
    *_averages(),
)
OVERVIEW = ("coverage", "agile", "satisficing", "evaluations", "expansions", "time", "cost")


ALL = "all"


@dataclass(frozen=True)
class Standing:
    """How one configuration fares by one measure; `p` is against the best, None for that one."""

    value: float | None
    spread: float | None = None
    p: float | None = None
    best: bool = False  # the best value of all
    bold: bool = False  # the best, or not significantly worse
    own_tasks: int | None = None  # where not all have the same, how many `own_value` is about
    own_value: float | None = None


@dataclass(frozen=True)
class Comparison:
    """How all configurations fare on so many tasks, the same for all of them.

    Only tasks count that every configuration with runs has been tried on.
    """

    tasks: int
    standings: Mapping[str, Standing]


def compare(
    runs: Iterable[Run],
    configurations: Sequence[str],
    measure: Measure,
    best_costs: Mapping[TaskKey, float],
) -> Comparison:
    """Standings of the configurations by a measure on the tasks of these runs."""
    # Of each configuration: seed, then task, then value.
    values: dict[str, dict[int, dict[TaskKey, float]]] = {name: {} for name in configurations}
    counts: Counter[tuple[str, TaskKey]] = Counter()
    for run in runs:
        counts[run.configuration, run.key] += 1
        value = measure.value(run, best_costs) if run.configuration in values else None
        if value is not None:
            values[run.configuration].setdefault(run.seed, {})[run.key] = value
    present = {name: [*seeds.values()] for name, seeds in values.items() if seeds}
    tried = {name: {task for mine, task in counts if mine == name} for name in present}
    every = {task for mine in tried.values() for task in mine}
    tasks = every.intersection(*tried.values())
    if measure.common_only:  # those with a value in every run
        tasks = {
            task
            for task in tasks
            if present
            and all(
                0 < counts[name, task] == sum(task in seed for seed in seeds)
                for name, seeds in present.items()
            )
        }
    standings = {name: Standing(None) for name in configurations}
    per_task = {}
    for name, seeds in present.items() if tasks else ():
        known = [{task: seed[task] for task in seed if task in tasks} for seed in seeds]
        sums = [measure.summed_up([*seed.values()]) for seed in known if seed]
        standings[name] = Standing(fmean(sums), deviation(sums))
        # Means over seeds of each task, on the scale of the test.
        per_task[name] = {
            task: fmean(measure.on_test_scale(seed[task]) for seed in known if task in seed)
            for task in {task for seed in known for task in seed}
        }
    ranked = {**standings, **dict(_ranked(measure, standings, per_task))}
    if measure.average == SUM and any(tried[name] != every for name in present):
        for name, seeds in present.items():
            own = fmean([measure.summed_up([*seed.values()]) for seed in seeds])
            ranked[name] = replace(ranked[name], own_tasks=len(tried[name]), own_value=own)
    return Comparison(len(tasks), ranked)


def _ranked(
    measure: Measure,
    standings: Mapping[str, Standing],
    per_task: Mapping[str, Mapping[TaskKey, float]],
) -> Iterator[tuple[str, Standing]]:
    """The configurations that have values, with p-values, and whether they are best or bold."""
    totals = {name: each.value for name, each in standings.items() if each.value is not None}
    if len(totals) < 2:
        return
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
    yield best, replace(standings[best], best=True, bold=True)
    for name, p in zip(others, p_values, strict=True):
        equal = totals[name] == top
        # A test that can tell nothing apart does not make a configuration as good as the best,
        # and neither does one for a configuration that solved nothing.
        close = p >= LEVEL and len(pairs[name]) >= FEWEST_TASKS and totals[name] != 0
        yield name, replace(standings[name], p=p, best=equal, bold=equal or close)


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


def standing_cell(standing: Standing, measure: Measure) -> Cell:
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
