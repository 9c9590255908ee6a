"""Figures, ours and a paper's, in one form: by column of a table, then by domain."""

from __future__ import annotations

import math
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.evaluate.tables import MISSING, Cell, Table, number_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from beeline.evaluate.record_reading import Claim

    Figures = Mapping[str, Mapping[str, "Figure"]]
    Row = Mapping[str, "Figure"]  # by domain
    Bold = Callable[[Figures], set[tuple[str, str]]]  # columns and domains

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


def geometric_mean(row: Row, domains: Iterable[str]) -> float | None:
    """Over these domains; None if there are none, or not all of them have figures.

    >>> round(geometric_mean({"blocks": Figure(4.0), "grid": Figure(9.0)}, ["blocks", "grid"]), 6)
    6.0
    """
    return _mean(row, domains, lambda values: math.exp(fmean(map(math.log, values))))


def arithmetic_mean(row: Row, domains: Iterable[str]) -> float | None:
    """The same as a plain mean."""
    return _mean(row, domains, fmean)


def _mean(
    row: Row, domains: Iterable[str], mean: Callable[[Sequence[float]], float]
) -> float | None:
    wanted = list(domains)
    if not wanted or any(domain not in row for domain in wanted):
        return None
    return mean([row[domain].mean for domain in wanted])


def figure_cell(here: Figure | None, *, bold: bool = False, beside: Cell | None = None) -> Cell:
    """A figure in a table, with that of a paper `beside` it if there is a paper."""
    if here is None:
        return number_cell(None, beside=beside)
    return number_cell(here.mean, spread=here.deviation, bold=bold, beside=beside)


def mean_cells(
    titles: Mapping[str, str], domains: Sequence[str], ours: Figures, paper: Figures | None
) -> tuple[str, dict[str, Cell]]:
    """Plain means over the domains that all columns have; a title, and a cell for each column."""
    full = [
        domain
        for domain in domains
        if all(domain in ours[column] for column in titles if column in ours)
    ]
    if len(full) < 2:
        return "", {}
    cells = {}
    for column in titles:
        there = None
        if paper is not None:
            there = number_cell(arithmetic_mean(paper.get(column, {}), full))
        cells[column] = number_cell(arithmetic_mean(ours.get(column, {}), full), beside=there)
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
    bold: Bold | None = None,
    claims: Iterable[Claim] = (),
) -> Table:
    """A row for each column of the paper's table: domains, means, and numbers of seeds.

    Beside each of our figures is that of the `paper`, if there is one. `titles` are of the columns
    that are shown; without `means`, plain ones are taken.
    """
    mean_title, mean = mean_cells(titles, domains, ours, paper) if means is None else means
    clear, printed = (set() if bold is None or f is None else bold(f) for f in (ours, paper))
    rows = []
    for column, words in titles.items():
        row = [Cell(words)]
        for domain in domains:
            there = None
            if paper is not None:
                known = paper.get(column, {}).get(domain)
                there = figure_cell(known, bold=(column, domain) in printed)
            here = ours.get(column, {}).get(domain)
            row.append(figure_cell(here, bold=(column, domain) in clear, beside=there))
        if mean_title:
            row.append(mean[column])
        rows.append((*row, _seeds(ours.get(column, {}).values())))
    header = (corner, *domains, *([mean_title] if mean_title else []), "seeds")
    return Table(name, title, note, header, tuple(rows), claims=tuple(claims))


def _seeds(figures: Iterable[Figure]) -> Cell:
    """How many seeds figures have: one number, or from and to."""
    counts = sorted({len(each.seeds) for each in figures})
    if not counts or counts == [0]:
        return Cell(MISSING)
    return number_cell(counts[0]) if len(counts) == 1 else Cell(f"{counts[0]} to {counts[-1]}")


def plain_table(
    name: str, title: str, note: str, header: Sequence[str], rows: Iterable[Sequence[object]]
) -> Table:
    """A table of words, numbers and cells as they are; None is a gap."""
    cells = tuple(tuple(map(_cell, row)) for row in rows)
    return Table(name, title, note, tuple(header), cells)


def _cell(content: object) -> Cell:
    if isinstance(content, Cell):
        return content
    if isinstance(content, str):
        return Cell(content)
    assert content is None or isinstance(content, (int, float))
    return number_cell(content)
