"""Figures, ours and a paper's, in one form: by column of a table, then by domain."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import getitem
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.evaluate.tables import MISSING, Cell, Claim, Table, number_cell, plain_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from beeline.core.records import Record

GEOMETRIC_MEAN = "geometric mean"


class Figure(NamedTuple):
    """A mean, with what each seed found if there are any; a paper tells only the deviation."""

    mean: float
    printed_deviation: float | None = None
    seeds: tuple[float, ...] = ()
    tasks: int | None = None  # that it is a mean over, if that needs to be told

    @property
    def deviation(self) -> float | None:
        """The standard deviation of a sample, of more than one seed.

        >>> figure([98.0, 100.0]).deviation, figure([98.0]).deviation
        (1.4142135623730951, None)
        """
        return stdev(self.seeds) if len(self.seeds) > 1 else self.printed_deviation


Row = Mapping[str, Figure]  # by domain
Figures = Mapping[str, Row]
Bold = Callable[[Figures], set[tuple[str, str]]]  # columns and domains
Mean = Callable[[Sequence[float]], float]
Group = Sequence["Record"]
Column = Callable[[Group], Any]  # of a table


def figure(values: Sequence[float]) -> Figure:
    """The figure of what seeds found."""
    return Figure(fmean(values), seeds=tuple(values))


def paper_figures(content: Mapping[str, Any]) -> dict[str, Figures]:
    """The figures of a paper by measure: means, or means with deviations."""
    return {
        measure: {
            column: {
                domain: Figure(*value) if isinstance(value, list) else Figure(value)
                for domain, value in row.items()
            }
            for column, row in columns.items()
        }
        for measure, columns in content.items()
    }


def printed_figures(content: Mapping[str, Any]) -> dict[str, Figures]:
    """The same from rows as they are printed: means, or means±deviations, `–` for nothing.

    A measure is a list of parts, each with `columns` and a row of cells for each domain; shares may
    be counted `of` something. A `?` is a cell that could not be read.

    >>> rows = {"columns": ["N", "TN"], "of": 100, "ferry": "98±1.5 ?"}
    >>> printed_figures({"coverage": [rows]})["coverage"]["N"]["ferry"][:2]
    (0.98, 0.015)
    """
    found: dict[str, dict[str, dict[str, Figure]]] = {}
    for measure, parts in content.items():
        columns = found.setdefault(measure, {})
        for part in parts:
            for domain in (each for each in part if each not in ("columns", "of")):
                cells = zip(part["columns"], part[domain].split(), strict=True)
                for column, cell in ((name, cell) for name, cell in cells if cell not in "–?"):
                    numbers = [
                        round(float(each) / part.get("of", 1), 12) for each in cell.split("±")
                    ]
                    columns.setdefault(column, {})[domain] = Figure(*numbers)
    return {**found}


def mean_over(row: Row, domains: Iterable[str], mean: Mean = fmean) -> float | None:
    """Over these domains; None if there are none, or not all of them have figures."""
    wanted = list(domains)
    if not wanted or any(domain not in row for domain in wanted):
        return None
    return mean([row[domain].mean for domain in wanted])


def geometric_mean(row: Row, domains: Iterable[str]) -> float | None:
    """The same as a geometric mean.

    >>> round(geometric_mean({"blocks": Figure(4.0), "grid": Figure(9.0)}, ["blocks", "grid"]), 6)
    6.0
    """
    return mean_over(row, domains, statistics.geometric_mean)


def mean_cells(
    titles: Mapping[str, str], domains: Sequence[str], ours: Figures, paper: Figures | None
) -> tuple[str, dict[str, Cell]]:
    """Plain means over the domains that all columns have; a title, and a cell for each column."""
    shown = [ours[column] for column in titles if column in ours]
    full = [domain for domain in domains if all(domain in row for row in shown)]
    if len(full) < 2:
        return "", {}
    cells = {}
    for column in titles:
        there = None if paper is None else number_cell(mean_over(paper.get(column, {}), full))
        cells[column] = number_cell(mean_over(ours.get(column, {}), full), beside=there)
    return f"mean of {len(full)}", cells


def figures_table(
    name: str,
    title: str,
    note: str,
    titles: Mapping[str, str],
    domains: Sequence[str],
    ours: Figures,
    paper: Figures | None = None,
    *,
    corner: str = "configuration",
    means: tuple[str, Mapping[str, Cell]] | None = None,
    bold: Bold = lambda _: set(),
    claims: Iterable[Claim] = (),
) -> Table:
    """A row for each column of the paper's table: domains, means, and numbers of seeds.

    Beside each of our figures is that of the `paper`, if there is one. `titles` are of the columns
    that are shown; without `means`, plain ones are taken.
    """
    mean_title, mean = mean_cells(titles, domains, ours, paper) if means is None else means
    clear, printed = bold(ours), bold(paper or {})
    rows = []
    for column, words in titles.items():
        row, here = [Cell(words)], ours.get(column, {})
        for domain in domains:
            there, mark = None, (column, domain)
            if paper is not None:
                there = _figure_cell(paper.get(column, {}).get(domain), bold=mark in printed)
            row.append(_figure_cell(here.get(domain), bold=mark in clear, beside=there))
        row += [mean[column]] if mean_title else []
        rows.append((*row, _seeds(here.values())))
    header = (corner, *domains, *filter(None, [mean_title]), "seeds")
    return Table(name, title, note, header, tuple(rows), claims=tuple(claims))


def _figure_cell(here: Figure | None, *, bold: bool, beside: Cell | None = None) -> Cell:
    if here is None:
        return number_cell(None, beside=beside)
    return number_cell(here.mean, spread=here.deviation, bold=bold, beside=beside)


def _seeds(figures: Iterable[Figure]) -> Cell:
    """How many seeds figures have: one number, or from and to."""
    counts = sorted({len(each.seeds) for each in figures})
    if not counts or counts == [0]:
        return Cell(MISSING)
    return number_cell(counts[0]) if len(counts) == 1 else Cell(f"{counts[0]} to {counts[-1]}")


def grouped(records: Iterable[Record], *names: str) -> dict[tuple[Any, ...], list[Record]]:
    """Records by the values of some of their settings.

    >>> [*grouped([{"settings": {"domain": "ferry", "seed": seed}} for seed in (0, 1)], "domain")]
    [('ferry',)]
    """
    found: dict[tuple[Any, ...], list[Record]] = defaultdict(list)
    for record in records:
        found[tuple(record["settings"][name] for name in names)].append(record)
    return dict(found)


def grouped_table(
    name: str, title: str, note: str, groups: Iterable[Group], columns: Mapping[str, Column]
) -> Table:
    """A row for each group of records: what each column makes of the group."""
    rows = ([value(group) for value in columns.values()] for group in groups)
    return plain_table(name, title, note, columns, rows)


def first(name: str) -> Column:
    """A column of a value that all records of a group share; `a.b` is one within another.

    >>> first("settings.domain")([{"settings": {"domain": "ferry"}}])
    'ferry'
    """
    return lambda group: reduce(getitem, name.split("."), group[0])


def mean_of(name: str) -> Column:
    """A column of means of such a value.

    >>> mean_of("samples.count")([{"samples": {"count": 3}}, {"samples": {"count": 4}}])
    3.5
    """
    return lambda group: fmean(first(name)([record]) for record in group)
