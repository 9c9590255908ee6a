"""The tables of the paper: ours, and the paper's figures in brackets."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from beeline.experiments.discovered_operators.figures import (
    expansions_text,
    geometric_mean,
    paper_figures,
    paper_mean,
    read_paper,
)
from beeline.experiments.discovered_operators.grid import DOMAINS
from beeline.experiments.result_tables import MISSING, Grid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from beeline.experiments.discovered_operators.figures import Cell, Figures

FAR = 0.3  # a cell that is off by more is listed
NEAR_MEAN = 0.15  # a geometric mean that is off by no more is near
HEURISTICS = {"ff": "h_FF", "add": "h_add", "goalcount": "h_GC", "blind": "h_blind"}


class Table(NamedTuple):
    """Configurations beside each other, by key and title."""

    name: str
    about: str
    columns: tuple[tuple[str, str], ...]


def tables(percents: Sequence[int], fsm_percents: Sequence[int]) -> list[Table]:
    """All tables of expansions with these sizes of sample sets."""
    small = [percent for percent in percents if percent in fsm_percents]
    first = (
        ("perfect", "h*"),
        ("h", "ĥ"),
        ("h+perfect", "ĥ, po*"),
        ("h+ideal100", "ĥ, learned po*"),
        ("h+xrs*1", "ĥ, po^G* 1 %"),
        ("h+xrs1", "ĥ, po^G 1 %"),
    )
    sizes = tuple((f"h+xrs{percent}", f"ĥ, po^G {percent} %") for percent in percents)
    methods = tuple(
        (f"h+{kind}{percent}", f"ĥ, {title} {percent} %")
        for percent in small
        for kind, title in (("xrs", "po^G"), ("fsm", "po^FSM"))
    )
    logical = tuple(
        (name + second, title + words)
        for name, title in HEURISTICS.items()
        for second, words in (("", ""), ("+ff", ", po^FF"), ("+xrs1", ", po^G 1 %"))
    )
    alternate = tuple((f"{key}-unboosted", title) for key, title in sizes)
    found = [
        Table("Table 4.2", "perfect, ideal and discovered preferred operators", first),
        Table("Table 4.3", "sizes of sample sets", (("h", "ĥ"), ("h+ff", "ĥ, po^FF"), *sizes)),
        Table("Table 4.4", "preferred operators from XRS and from FSM", methods),
        Table("Table 4.5", "with other heuristics", logical),
        Table("Table C.1", "no boosting", alternate),
    ]
    if 5 in percents:
        more = (("goalcount+xrs5", "h_GC, po^G 5 %"),)  # its mean is in the text of section 4.5
        found[3] = found[3]._replace(columns=(*logical, *more))
    return found


def expansions_table(table: Table, ours: Figures, domains: Sequence[str]) -> Grid:
    """One row for each domain, then geometric means and the number of pairs of seeds."""
    paper = read_paper()["expansions"]
    rows = []
    for domain in domains:
        row = [domain]
        for key, _ in table.columns:
            cell = ours.get(key, {}).get(domain)
            here = MISSING if cell is None else expansions_text(cell.mean)
            row.append(f"{here} ({paper.get(key, {}).get(domain, MISSING)})")
        rows.append(row)
    rows.append(["geometric mean", *(_mean_text(key, ours) for key, _ in table.columns)])
    rows.append(["pairs of seeds", *(_seeds_text(ours.get(key, {})) for key, _ in table.columns)])
    return Grid(["domain", *(title for _, title in table.columns)], rows)


def means_table(all_tables: Sequence[Table], ours: Figures) -> Grid:
    """Geometric means of all configurations, ours over the paper's."""
    titles = {key: title for each in reversed(all_tables) for key, title in each.columns}
    unboosted = {key for each in all_tables for key, _ in each.columns if "-unboosted" in key}
    rows = []
    for key in dict.fromkeys(key for each in all_tables for key, _ in each.columns):
        domains = list(ours.get(key, {}))
        here, paper = geometric_mean(ours.get(key, {}), domains), paper_mean(key, domains)
        if here is None or paper is None:
            continue
        near = "yes" if abs(here / paper - 1) <= NEAR_MEAN else "no"
        title = titles[key] + (", no boosting" if key in unboosted else "")
        texts = (expansions_text(here), expansions_text(paper), f"{here / paper:.2f}", near)
        rows.append([title, str(len(domains)), *texts])
    within = f"within {100 * NEAR_MEAN:.0f} %"
    return Grid(["configuration", "domains", "here", "paper", "ratio", within], rows)


def far_cells(ours: Figures) -> Grid:
    """Cells that are off by more than 30 percent, with what each pair of seeds found."""
    rows = []
    for key, paper in paper_figures().items():
        for domain in DOMAINS:
            cell = ours.get(key, {}).get(domain)
            if cell is None or domain not in paper:
                continue
            deviation = cell.mean / paper[domain].mean - 1
            if abs(deviation) > FAR:
                seeds = ", ".join(map(expansions_text, cell.seeds))
                texts = [expansions_text(each) for each in (cell.mean, paper[domain].mean)]
                rows.append([key, domain, *texts, f"{100 * deviation:+.0f} %", seeds])
    return Grid(["configuration", "domain", "here", "paper", "off by", "by seeds"], rows)


def _mean_text(key: str, ours: Figures) -> str:
    row = ours.get(key, {})
    domains = list(row) or list(DOMAINS)
    here, paper = geometric_mean(row, domains), paper_mean(key, domains)
    there = MISSING if paper is None else expansions_text(paper)
    if here is None:
        return f"{MISSING} ({there})"
    ratio = "" if paper is None else f", ×{here / paper:.2f}"
    some = (
        ""
        if len(domains) == len(DOMAINS)
        else f", {len(domains)} domain{'s' if len(domains) > 1 else ''}"
    )
    return f"{expansions_text(here)} ({there}{ratio}{some})"


def _seeds_text(row: Mapping[str, Cell]) -> str:
    counts = sorted({len(seeds) for _, seeds in row.values()})
    if not counts or counts == [0]:
        return ""
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
