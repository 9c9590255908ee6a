"""What runs are compared by: one entry for each table of the report."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from beeline.report.scores import agile_score, geometric_mean, mean, satisficing_score
from beeline.report.significance import sign_test, wilcoxon_test

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from beeline.report.records import Run, TaskKey

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
