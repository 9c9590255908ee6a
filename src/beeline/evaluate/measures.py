"""What runs are compared by: one entry for each table of the report, and how configurations fare.

Scores of the International Planning Competitions, and averages. Paired tests over tasks say whether
one configuration is better by more than chance. Their unit is the task: seeds of a task are
averaged first, since they are no independent tasks. Both tests are two-sided and, for up to
`MOST_EXACT` differences, exact, ties included. A value is bold if it is the best of its row, or not
significantly worse than the best.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import comb, erfc, exp, fsum, log, sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from beeline.evaluate.record_reading import Run, TaskKey

    # Of a run, given the lowest known costs.
    Value = Callable[[Run, Mapping[TaskKey, float]], float | None]

SUM, MEAN, GEOMETRIC = "sum", "mean", "geometric mean"
COMMON = "Over tasks that all configurations solve with all seeds; who solves none is left out."
FULL_SCORE_SECONDS = 1.0
USUAL_TIME_LIMIT = 300.0  # of the agile tracks


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


def agile_score(seconds: float | None, time_limit: float | None = None) -> float:
    """1 for a plan within a second, falling with the logarithm to 0 at the time limit T.

    1 - log(t) / log(T); 0 without a plan (`None`). Without a limit, T is 300 s.

    >>> agile_score(0.5), agile_score(None), round(agile_score(30, 900), 3), agile_score(900, 900)
    (1.0, 0.0, 0.5, 0.0)
    """
    if seconds is None:
        return 0.0
    if seconds <= FULL_SCORE_SECONDS:
        return 1.0
    limit = USUAL_TIME_LIMIT if time_limit is None else time_limit
    if seconds >= limit:
        return 0.0
    return 1.0 - log(seconds) / log(limit)


def satisficing_score(cost: float | None, best_cost: float) -> float:
    """The lowest known cost divided by the plan's; 0 without a plan.

    >>> satisficing_score(10, 8), satisficing_score(None, 8), satisficing_score(0, 0)
    (0.8, 0.0, 1.0)
    """
    if cost is None:
        return 0.0
    return 1.0 if cost <= best_cost else best_cost / cost


def geometric_mean(values: Sequence[float], floor: float) -> float:
    """The geometric mean of values, of which those below `floor` count as `floor`.

    >>> round(geometric_mean([0, 10, 100], floor=1), 6)
    10.0
    """
    return exp(fmean(log(max(value, floor)) for value in values))


def deviation(values: Sequence[float]) -> float | None:
    """The standard deviation of a sample (n - 1 in the denominator); None for a single value.

    >>> deviation([1, 3, 5]), deviation([7])
    (2.0, None)
    """
    return stdev(values) if len(values) > 1 else None


LEVEL = 0.05


FEWEST_TASKS = 6  # with five differences even the clearest result has p = 2 / 2**5 > LEVEL


MOST_EXACT = 50


def sign_test(differences: Sequence[float]) -> float:
    """p-value of the sign test; zeros are left out.

    Of differences of solved (1) and unsolved (0) it is McNemar's exact test.

    >>> sign_test([1, 1, 1, 1, 1, 1, 0, 0]), sign_test([1, -1]), sign_test([])
    (0.03125, 1.0, 1.0)
    """
    up = sum(value > 0 for value in differences)
    down = sum(value < 0 for value in differences)
    tail = sum(comb(up + down, fewer) for fewer in range(min(up, down) + 1))
    return min(1.0, 2 * tail / (1 << (up + down)))


def wilcoxon_test(differences: Sequence[float]) -> float:
    """p-value of Wilcoxon's signed-rank test; zeros are left out, ties share their mean rank.

    With more than `MOST_EXACT` differences by the normal approximation.

    >>> wilcoxon_test([1, 2, 3, 4, 5, 6]), wilcoxon_test([2, -2]), wilcoxon_test([0, 0])
    (0.03125, 1.0, 1.0)
    """
    nonzero = [value for value in differences if value]
    ranks = _doubled_ranks([abs(value) for value in nonzero])
    positive = sum(rank for rank, value in zip(ranks, nonzero, strict=True) if value > 0)
    smaller = min(positive, sum(ranks) - positive)
    if len(nonzero) > MOST_EXACT:
        spread = sqrt(fsum((rank / 2) ** 2 for rank in ranks) / 4)
        return min(1.0, erfc((sum(ranks) / 4 - smaller / 2) / spread / sqrt(2)))
    # ways[s]: how many choices of signs give positive ranks that add up to s
    ways = [1] + [0] * smaller
    for rank in ranks:
        for total in range(smaller, rank - 1, -1):
            ways[total] += ways[total - rank]
    return min(1.0, 2 * sum(ways) / (1 << len(ranks)))


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for their number, after Holm.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[index]))
        corrected[index] = largest
    return corrected


def _doubled_ranks(sizes: Sequence[float]) -> list[int]:
    """Twice the ranks from 1 up, whole numbers even where ties share a rank."""
    _, kinds, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    found: list[int] = (2 * np.cumsum(counts) - counts + 1)[kinds].tolist()
    return found
