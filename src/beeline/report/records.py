"""What a folder of records holds: runs, predictions, learning curves and ready tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SOLVED = "solved"

TaskKey = tuple[str, str]  # domain and name of a task


@dataclass(frozen=True)
class Run:
    """One task under one configuration and one seed; times in seconds, memory in bytes."""

    domain: str
    task: str
    configuration: str
    seed: int
    status: str
    reason: str | None = None
    cost: float | None = None
    length: float | None = None
    expanded: float | None = None
    evaluated: float | None = None
    generated: float | None = None
    initial_h: float | None = None
    search_time: float | None = None
    total_time: float | None = None
    peak_memory: float | None = None
    cost_bound: float | None = None  # the lowest cost that is known from elsewhere
    time_limit: float | None = None
    memory_limit: float | None = None
    evaluation_limit: float | None = None
    expansion_limit: float | None = None

    @property
    def solved(self) -> bool:
        """Whether there is a plan."""
        return self.status == SOLVED

    @property
    def key(self) -> TaskKey:
        """The task, among those of all domains."""
        return self.domain, self.task

    @property
    def time(self) -> float | None:
        """Seconds of the whole run, or of its search if only that is known."""
        return self.search_time if self.total_time is None else self.total_time


@dataclass(frozen=True)
class Predictions:
    """Predicted and true costs-to-go of n states, with predicted deviations or None."""

    name: str
    configuration: str
    domain: str
    seed: int
    h: tuple[float, ...]
    h_star: tuple[float, ...]
    sigma: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Curve:
    """A log of a training run: columns of values, one for each of the steps."""

    name: str
    configuration: str
    domain: str
    seed: int
    step: tuple[float, ...]
    columns: Mapping[str, tuple[float, ...]]  # NaN where nothing was measured


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper and whether it holds here; None: it cannot be told.

    `word` says it more exactly, such as `mixed`, if it is not empty.
    """

    text: str
    paper: str
    holds: bool | None
    detail: str
    word: str = ""


@dataclass(frozen=True)
class ReadyTable:
    """A table that an experiment has made, with the claims it speaks to."""

    name: str
    title: str
    note: str
    header: tuple[str, ...]
    rows: tuple[tuple[str | float | None, ...], ...]
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class Records:
    """All that a report is made from."""

    suite: Mapping[str, Any] = field(default_factory=dict)
    runs: tuple[Run, ...] = ()
    predictions: tuple[Predictions, ...] = ()
    curves: tuple[Curve, ...] = ()
    tables: tuple[ReadyTable, ...] = ()

    @property
    def configurations(self) -> tuple[str, ...]:
        """Configurations that have runs: in the order of the suite, others by name after them."""
        present = sorted({run.configuration for run in self.runs})
        order = _names(self.suite.get("configurations"))
        return tuple(sorted(present, key=lambda name: order.get(name, len(order))))

    @property
    def series(self) -> tuple[str, ...]:
        """All configurations, those that have no runs last: the order of colours in plots."""
        models = {each.configuration for each in self.predictions}
        models |= {each.configuration for each in self.curves}
        return (*self.configurations, *sorted(models - set(self.configurations)))

    @property
    def domains(self) -> tuple[str, ...]:
        """Domains that have runs, by name."""
        return tuple(sorted({run.domain for run in self.runs}))


def known_costs(runs: Iterable[Run]) -> dict[TaskKey, float]:
    """The lowest known cost of each task: of a plan in the records, or known from elsewhere.

    >>> runs = [Run("d", "p", "a", 0, "solved", cost=7), Run("d", "p", "b", 0, "solved", cost=5)]
    >>> known_costs(runs)
    {('d', 'p'): 5}
    """
    lowest: dict[TaskKey, float] = {}
    for run in runs:
        found = [run.cost_bound, run.cost if run.solved else None]
        for cost in found:
            if cost is not None and cost < lowest.get(run.key, float("inf")):
                lowest[run.key] = cost
    return lowest


def _names(configurations: object) -> dict[str, int]:
    """Places of configurations that are listed by name, as objects with names, or by key."""
    if not isinstance(configurations, (list, dict)):
        return {}
    entries = [each.get("name") if isinstance(each, dict) else each for each in configurations]
    return {str(name): place for place, name in enumerate(entries)}
