"""What a folder of records holds: runs, predictions, learning curves and ready tables.

Records from disk, with an error that names the file for whatever cannot be used.

RECORDS/suite.json            what was run, under which limits, on what machine
RECORDS/runs/DOMAIN/*.json    one run each
RECORDS/predictions/*.json    predicted and true costs-to-go
RECORDS/curves/*.json         logs of training runs
RECORDS/tables/*.json         tables that are ready to be shown
RECORDS/lines/*.json          lines that are ready to be drawn
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError, Status
from beeline.core.files import read_text
from beeline.evaluate.drawing import Lines, file_name
from beeline.evaluate.tables import FORMAT, Claim, Table, read_cell

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeVar

    T = TypeVar("T")


SOLVED = "solved"
IS_IT = "is this a record?"

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
    processor_time: float | None = None  # of the whole run, all its threads together
    peak_memory: float | None = None
    cost_bound: float | None = None  # the lowest cost that is known from elsewhere
    time_limit: float | None = None
    memory_limit: float | None = None
    evaluation_limit: float | None = None
    expansion_limit: float | None = None
    processor_time_limit: float | None = None

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
class OfModel:
    """What all records of models have in common; `name` is that of the file."""

    name: str
    configuration: str
    domain: str
    seed: int


@dataclass(frozen=True)
class Predictions(OfModel):
    """Predicted and true costs-to-go of n states, with predicted deviations or None."""

    h: tuple[float, ...]
    h_star: tuple[float, ...]
    sigma: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Curve(OfModel):
    """A log of a training run: columns of values, one for each of the steps."""

    step: tuple[float, ...]
    columns: Mapping[str, tuple[float, ...]]  # NaN where nothing was measured


@dataclass(frozen=True)
class Records:
    """All that a report is made from."""

    suite: Mapping[str, Any] = field(default_factory=dict)
    runs: tuple[Run, ...] = ()
    predictions: tuple[Predictions, ...] = ()
    curves: tuple[Curve, ...] = ()
    tables: tuple[Table, ...] = ()
    lines: tuple[Lines, ...] = ()

    @property
    def configurations(self) -> tuple[str, ...]:
        """Configurations that have runs: in the order of the suite, others by name after them."""
        listed = self.suite.get("configurations")
        entries = listed if isinstance(listed, (list, dict)) else []
        order = [str(each.get("name") if isinstance(each, dict) else each) for each in entries]
        places = {name: place for place, name in enumerate(order)}
        present = sorted({run.configuration for run in self.runs})
        return tuple(sorted(present, key=lambda name: places.get(name, len(places))))

    @cached_property
    def common_tasks(self) -> frozenset[TaskKey]:
        """The tasks that every configuration was tried on."""
        tried: dict[str, set[TaskKey]] = {}
        for run in self.runs:
            tried.setdefault(run.configuration, set()).add(run.key)
        return frozenset(set.intersection(*tried.values())) if tried else frozenset()

    @cached_property
    def are_alike(self) -> bool:
        """Whether all configurations were tried on the same tasks."""
        return all(run.key in self.common_tasks for run in self.runs)

    @property
    def series(self) -> tuple[str, ...]:
        """All configurations, those that have no runs last: the order of colours in plots."""
        models = {each.configuration for each in (*self.predictions, *self.curves)}
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
        for cost in (run.cost_bound, run.cost if run.solved else None):
            if cost is not None:
                lowest[run.key] = min(cost, lowest.get(run.key, cost))
    return lowest


STATUSES = (*(status.value for status in Status), "failed")

_LIMITS = {
    "time_limit": "time",
    "memory_limit": "memory",
    "evaluation_limit": "evaluations",
    "expansion_limit": "expansions",
    "processor_time_limit": "processor_time",
}  # and what records call them
_NUMBERS = [
    each.name for each in fields(Run) if each.type == "float | None" and each.name not in _LIMITS
]


def read_records(folder: str | os.PathLike[str]) -> Records:
    """All records of a folder, in the order of their file names."""
    root = Path(folder)
    if not root.is_dir():
        raise BeelineError(
            "is a file, not a folder of records" if root.exists() else "no such folder",
            str(root),
            hint="name the folder that 'beeline evaluate' has written",
        )
    suite_file = root / "suite.json"
    records = Records(
        suite=_Fields.read(suite_file).values if suite_file.is_file() else {},
        runs=_distinct(_all(root / "runs", _run)),
        predictions=tuple(_all(root / "predictions", _predictions).values()),
        curves=tuple(_all(root / "curves", _curve).values()),
        tables=tuple(_all(root / "tables", _table).values()),
        lines=tuple(_all(root / "lines", _lines).values()),
    )
    if not (records.runs or records.predictions or records.curves or records.tables):
        raise BeelineError(
            "there are no records in this folder",
            str(root),
            hint="'beeline evaluate SUITE -o RECORDS' writes them to RECORDS/runs",
        )
    return records


def _all(folder: Path, read: Callable[[_Fields], T]) -> dict[Path, T]:
    found = {}
    for path in sorted(folder.rglob("*.json")):
        record = _Fields.read(path)
        if record.values.get("format") != FORMAT:
            shown = json.dumps(record.values.get("format"))
            raise record.error(f"format {shown} is unknown", f"known is format {FORMAT}")
        found[path] = read(record)
    return found


def _distinct(found: Mapping[Path, Run]) -> tuple[Run, ...]:
    places: dict[tuple[str, str, str, int], Path] = {}
    for path, run in found.items():
        other = places.setdefault((*run.key, run.configuration, run.seed), path)
        if other is not path:
            raise BeelineError(
                f"the same run is also in {other}", str(path), hint="remove one of the two"
            )
    return tuple(found.values())


def _run(record: _Fields) -> Run:
    status = record.text("status")
    if status not in STATUSES:
        raise record.error(f"unknown status '{status}'", f"known are {', '.join(STATUSES)}")
    limits = record.part("limits")
    numbers: dict[str, Any] = {
        **{name: record.number(name, finite=name != "initial_h") for name in _NUMBERS},
        **{name: limits.number(word) for name, word in _LIMITS.items()},
    }
    domain, task, name = (record.text(word) for word in ("domain", "task", "configuration"))
    reason = record.words("reason") or None
    return Run(domain, task, name, record.seed(), status, reason, **numbers)


def _predictions(record: _Fields) -> Predictions:
    h, h_star = record.column("h"), record.column("h_star")
    sigma = None if record.values.get("sigma") is None else record.column("sigma")
    if len({len(h), len(h_star), len(h if sigma is None else sigma)}) > 1:
        raise record.error("'h', 'h_star' and 'sigma' differ in length", "one value for each state")
    if sigma is not None and not all(value > 0 for value in sigma):
        raise record.error("'sigma' has values that are not positive", "standard deviations")
    return Predictions(**record.source(), h=h, h_star=h_star, sigma=sigma)


def _curve(record: _Fields) -> Curve:
    step, columns = record.column("step"), record.part("columns")
    values = {name: columns.column(name, gaps=True) for name in sorted(columns.values)}
    for name, column in values.items():
        if len(column) != len(step):
            raise record.error(f"column '{name}' and 'step' differ in length", "a value each step")
    return Curve(**record.source(), step=step, columns=values)


def _lines(record: _Fields) -> Lines:
    series = []
    for each in record.entries("series"):
        line = record.inner("series", each)
        x, y = line.column("x"), line.column("y")
        if len(x) != len(y):
            raise record.error("'x' and 'y' of a line differ in length", "a value for each point")
        series.append((line.text("name"), x, y))
    x_axis, y_axis = (str(each) for each in (*record.entries("axes"), "", "")[:2])
    told = (record.text("title"), record.words("caption"), (x_axis, y_axis), tuple(series))
    logarithmic = bool(record.values.get("logarithmic"))
    return Lines(file_name("lines", record.path.stem), *told, logarithmic=logarithmic)


def _table(record: _Fields) -> Table:
    header = tuple(str(name) for name in record.entries("header"))
    rows = [tuple(row) if isinstance(row, list) else () for row in record.entries("rows")]
    for number, row in enumerate(rows, 1):
        if len(row) != len(header):
            raise record.error(
                f"row {number} has {len(row)} cells for {len(header)} columns", "fill the row"
            )
        if not all(map(_is_cell, row)):
            raise record.error(f"row {number} has a cell that is no word and no number", "check it")
    return Table(
        file_name("results", record.path.stem),
        record.text("title"),
        record.words("note"),
        header,
        tuple(tuple(map(read_cell, row)) for row in rows),
        claims=tuple(_claim(record.inner("claims", each)) for each in record.entries("claims")),
        plot=record.words("plot"),
    )


def _is_cell(content: object) -> bool:
    """Whether this is a word, a number, nothing, or a value with a spread and a paper's figure."""
    if not isinstance(content, dict):
        return content is None or isinstance(content, (str, int, float))
    value, spread = content.get("value"), content.get("spread")
    return (
        not isinstance(value, dict)
        and _is_cell(value)
        and (spread is None or (isinstance(spread, (int, float)) and not isinstance(value, str)))
        and _is_cell(content.get("beside"))
    )


def _claim(record: _Fields) -> Claim:
    holds = record.values.get("holds")
    if holds is not None and not isinstance(holds, bool):
        raise record.error("'holds' of a claim is neither true, false nor null", "check it")
    words = [record.words(name) for name in ("paper", "detail", "word")]
    return Claim(record.text("text"), words[0], holds, *words[1:])


class _Fields:
    """A JSON object of a file, whose values are asked for by name and kind."""

    def __init__(self, path: Path, values: dict[str, Any]) -> None:
        self.path = path
        self.values = values

    @classmethod
    def read(cls, path: Path) -> _Fields:
        text = read_text(path, "record")
        try:
            values = json.loads(text)
        except json.JSONDecodeError as error:
            hint = "remove the file and make it again"
            raise BeelineError(
                f"not a JSON file: {error.msg}", str(path), error.lineno, hint
            ) from None
        return cls(path, {}).inner("the file", values)

    def error(self, message: str, hint: str) -> BeelineError:
        return BeelineError(message, str(self.path), hint=hint)

    def inner(self, name: str, values: object) -> _Fields:
        if not isinstance(values, dict):
            raise self.error(f"'{name}' is not a JSON object", IS_IT)
        return _Fields(self.path, values)

    def part(self, name: str) -> _Fields:
        return self.inner(name, self.values.get(name) or {})

    def _get(
        self, name: str, kind: type[T], wrong: str, default: T | None = None, hint: str = IS_IT
    ) -> T:
        value = self.values.get(name, default)
        if not isinstance(value, kind) or value == "":
            raise self.error(f"'{name}' is {wrong}", hint)
        return value

    def text(self, name: str) -> str:
        return self._get(name, str, "missing or not a text")

    def entries(self, name: str) -> list[Any]:
        return self._get(name, list, "not a list", [])

    def seed(self) -> int:
        return self._get("seed", int, "not a whole number", 0, "such as 0")

    def words(self, name: str) -> str:
        """A text that may be missing."""
        return " ".join(str(self.values.get(name) or "").split())

    def number(self, name: str, *, finite: bool = True) -> float | None:
        value: object = self.values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.error(f"'{name}' is not a number", "null stands for an unknown number")
        if finite and not 0 <= value < float("inf"):
            raise self.error(f"'{name}' is {value}", "null stands for an unknown number")
        return value

    def column(self, name: str, *, gaps: bool = False) -> tuple[float, ...]:
        """Numbers; null and what is not finite are gaps, where these are allowed."""
        values = []
        for value in self.entries(name):
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            is_finite = is_number and abs(value) < float("inf")
            if not is_finite and not (gaps and (value is None or is_number)):
                raise self.error(f"'{name}' has values that are no finite numbers", "check it")
            values.append(float(value) if is_finite else float("nan"))
        return tuple(values)

    def source(self) -> dict[str, Any]:
        """What all records of models have in common."""
        words = {name: self.text(name) for name in ("configuration", "domain")}
        return {"name": self.path.stem, **words, "seed": self.seed()}
