"""Figures of searches and samples beside the paper's, and how far they are from them."""

from __future__ import annotations

from math import log
from statistics import fmean
from typing import TYPE_CHECKING

from beeline.evaluate.tables import Cell, Table, number_cell, plain_table
from beeline.experiments.figures import (
    GEOMETRIC_MEAN,
    Figure,
    Figures,
    geometric_mean,
    grouped,
    paper_figures,
)
from beeline.experiments.minini2023.samples import DOMAINS, HEURISTIC, PERFECT, READINGS
from beeline.experiments.registry import read_paper

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from beeline.experiments.records import Record

PAPER = read_paper("minini2023")
EXPANSIONS, DEVIATIONS, OPERATORS = "expansions", "deviations", "mean_preferred"
DISTANCE = "distance"
MEASURES = paper_figures(PAPER["figures"])
MEASURES[OPERATORS] = {
    column: {domain: Figure(row["operators"]) for domain, row in rows.items()}
    for column, rows in PAPER["training"].items()
    if not column.startswith(HEURISTIC)
}
PRINTED: Figures = MEASURES[EXPANSIONS]  # with geometric means
FAR = 0.3  # a cell that is off by more is listed
NEAR_MEAN = 0.15  # a geometric mean that is off by no more is near


def record_figures(records: Iterable[Record]) -> dict[str, dict[str, Figure]]:
    """Mean expansions of all searches; each pair of seeds weighs the same.

    What is not learned has no seeds.
    """
    found: dict[str, dict[str, Figure]] = {}
    for (key, domain), group in grouped(records, "configuration", "domain").items():
        means = tuple(fmean(record["expanded"]) for record in group)
        learned = group[0]["settings"]["pair"] is not None
        figure = Figure(fmean(means), seeds=means if learned else ())
        found.setdefault(key, {})[domain] = figure
    return found


def cells_of_paper(measure: str = EXPANSIONS) -> dict[str, dict[str, Figure]]:
    """The paper's figures without its geometric means."""
    return {
        key: {domain: cell for domain, cell in row.items() if domain != GEOMETRIC_MEAN}
        for key, row in MEASURES.get(measure, {}).items()
    }


def paper_mean(configuration: str, domains: Sequence[str]) -> float | None:
    """The paper's geometric mean: as printed for all domains, else of those."""
    row = PRINTED.get(configuration, {})
    if set(domains) == set(DOMAINS) and GEOMETRIC_MEAN in row:
        return row[GEOMETRIC_MEAN].mean
    return geometric_mean(row, domains)


def mean_cell(key: str, ours: Figures) -> Cell:
    """The geometric mean over the domains that there are, beside the paper's over the same."""
    row = ours.get(key, {})
    domains = list(row) or list(DOMAINS)
    return beside(geometric_mean(row, domains), paper_mean(key, domains))


def means_table(titles: Mapping[str, str], ours: Figures) -> Table:
    """Geometric means of all configurations, ours over the paper's."""
    rows = []
    for key, title in titles.items():
        domains = list(ours.get(key, {}))
        here, paper = geometric_mean(ours.get(key, {}), domains), paper_mean(key, domains)
        if here is None or paper is None:
            continue
        near = "yes" if abs(here / paper - 1) <= NEAR_MEAN else "no"
        words = title + (", no boosting" if key.endswith("-unboosted") else "")
        rows.append([words, len(domains), here, paper, here / paper, near])
    within = f"within {100 * NEAR_MEAN:.0f} %"
    header = ["configuration", "domains", "here", "paper", "ratio", within]
    note = "Over the domains that there are; the paper's over the same."
    return plain_table("2", "Geometric means of expansions", note, header, rows)


def far_cells(ours: Figures) -> Table:
    """Cells that are off by more than 30 percent."""
    rows = []
    for key, paper in cells_of_paper().items():
        for domain in (each for each in DOMAINS if each in ours.get(key, {}) and each in paper):
            here, there = ours[key][domain], paper[domain].mean
            off = here.mean / there - 1
            if abs(off) > FAR:
                seeds = (min(here.seeds), max(here.seeds)) if here.seeds else (None, None)
                rows.append([key, domain, here.mean, there, 100 * off, *seeds])
    header = ["configuration", "domain", "here", "paper", "off by, %", "least seed", "largest seed"]
    return plain_table("5", f"Cells that are off by more than {100 * FAR:.0f} %", "", header, rows)


def distances(
    rules: Mapping[str, Sequence[str]], ours: Figures, paper: Figures
) -> dict[str, dict[str, Figure]]:
    """How far the columns of each rule are from the paper's: mean of |log(ours / paper)|.

    >>> ours, paper = ({"x": {"grid": Figure(mean)}} for mean in (2.0, 4.0))
    >>> round(distances({"a rule": ["x"]}, ours, paper)["a rule"]["grid"].mean, 3)
    0.693
    """
    found: dict[str, dict[str, Figure]] = {}
    for rule, keys in rules.items():
        for domain in DOMAINS:
            pairs = [
                (ours[key][domain].mean, row[domain].mean)
                for key in keys
                for row in [paper.get(key) or paper.get(base(key), {})]
                if domain in ours.get(key, {}) and domain in row
            ]
            if pairs:
                mean = fmean(abs(log(here / there)) for here, there in pairs)
                found.setdefault(rule, {})[domain] = Figure(mean)
    return found


def base(key: str) -> str:
    """The paper's column that a variant belongs to.

    >>> base("h+xrs1-unboosted-any"), base("own5"), base("xrs*20"), base("matching1")
    ('h+xrs1-unboosted', 'xrs5', 'xrs20', 'xrs*1')
    """
    for reading in READINGS:
        if key.startswith(reading):
            return key.replace(reading, PERFECT)
    return key.removesuffix("-any").replace("own", "xrs").replace("*", "")


def printed(column: str, measure: str) -> Mapping[str, Figure]:
    """The paper's figures beside a column."""
    cells = cells_of_paper(measure)
    return cells.get(column) or cells.get(base(column), {})


def deviations(figures: Figures) -> dict[str, dict[str, Figure]]:
    """Standard deviations over pairs of seeds, where there are several."""
    return {
        column: {
            name: Figure(each.deviation) for name, each in row.items() if each.deviation is not None
        }
        for column, row in figures.items()
    }


def beside(here: float | None, paper: float | None) -> Cell:
    """A cell of our figure and the paper's."""
    return number_cell(here, beside=number_cell(paper))
