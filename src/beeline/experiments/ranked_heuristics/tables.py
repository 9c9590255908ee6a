"""The paper's tables: ours, and the paper's figures in brackets."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from beeline.experiments.ranked_heuristics.claims import title
from beeline.experiments.ranked_heuristics.figures import (
    Cell,
    beside,
    coverage,
    paper_figures,
    plain,
    read_paper,
    seeds_text,
)
from beeline.experiments.ranked_heuristics.grid import ALL_LOSSES, DOMAINS, SEARCHES, searches_of
from beeline.experiments.ranked_heuristics.variants import Variant
from beeline.experiments.result_tables import MISSING, Grid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from beeline.experiments.ranked_heuristics.figures import Column, Figures, Tests
    from beeline.experiments.records import Record


def columns(losses: Sequence[str]) -> list[Column]:
    """All searches with all losses, as in the paper's tables."""
    return [(search, loss) for search in SEARCHES for loss in losses if search in searches_of(loss)]


def figures_table(
    wanted: Sequence[Column], domains: Sequence[str], ours: Figures, what: str | None, form: str
) -> Grid:
    """One row for each domain, then means over those that have all figures, then seeds.

    Beside ours are the paper's figures of `what`; there are none if that is None.
    """
    paper = None if what is None else paper_figures(what)
    rows = []
    for domain in domains:
        row = [domain]
        for column in wanted:
            here = ours.get(column, {}).get(domain)
            if paper is None:
                row.append(plain(here, form))
            else:
                row.append(beside(here, paper.get(column, {}).get(domain), form))
        rows.append(row)
    full = [
        domain
        for domain in domains
        if all(domain in ours.get(column, {}) for column in wanted if column in ours)
    ]
    if len(full) > 1:
        row = [f"mean of {len(full)}"]
        for column in wanted:
            here = _mean(ours.get(column, {}), full)
            if paper is None:
                row.append(plain(here, form))
            else:
                row.append(beside(here, _mean(paper.get(column, {}), full), form))
        rows.append(row)
    seeds = [seeds_text(ours.get(column, {}).values()) for column in wanted]
    rows.append(["seeds", *seeds])
    return Grid(["domain", *(title(column) for column in wanted)], rows)


def _mean(row: Mapping[str, Cell], domains: Sequence[str]) -> Cell | None:
    if any(domain not in row for domain in domains):
        return None
    return Cell(fmean(row[domain].mean for domain in domains))


def breadth_first_table(records: Mapping[str, Record]) -> Grid:
    """Table 5: solved tasks and mean expansions without a heuristic."""
    paper = read_paper()["breadth_first"]
    rows = []
    for domain in (each for each in DOMAINS if each in records):
        record = records[domain]
        pairs = zip(record["expanded"], record["solved"], strict=True)
        expanded = [count for count, solved in pairs if solved]
        texts = [
            beside(Cell(coverage(record)), Cell(paper[domain]), ".0f"),
            f"{fmean(expanded):,.0f}" if expanded else MISSING,
        ]
        rows.append([domain, str(len(record["solved"])), *texts])
    return Grid(["domain", "tasks", "solved, %", "expansions"], rows)


def plans_table(sizes: Mapping[str, Sequence[Mapping[str, object]]]) -> Grid:
    """How many tasks have optimal plans."""
    rows = []
    for domain, sets in sizes.items():
        for each in sets:
            rows.append(
                [
                    domain,
                    str(each["part"]),
                    f"{each['solved']} of {each['instances']}",
                    f"{each['states']:,}",
                    f"{each['max_evaluations']:,}",
                ]
            )
    return Grid(["domain", "part", "tasks solved", "states", "evaluations at most"], rows)


def sizes_table(tests: Tests, domains: Sequence[str]) -> Grid:
    """The size of the network that was chosen for each column."""
    rows = [
        [
            title(column),
            *(
                ", ".join(dict.fromkeys(each.size for each in row.get(domain, []))) or MISSING
                for domain in domains
            ),
        ]
        for column, row in tests.items()
    ]
    return Grid(["network", *domains], rows)


def training_table(records: Sequence[Record], losses: Sequence[str] = ALL_LOSSES) -> Grid:
    """What training took, and the share of pairs out of order that is left; losses in order."""
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        settings = record["settings"]
        key = settings["domain"], settings["loss"], settings["size"]
        groups.setdefault(key, []).append(record)
    order = {name: place for place, name in enumerate((*DOMAINS, *losses))}
    rows = []
    for domain, loss, size in sorted(
        groups, key=lambda key: (order[key[0]], order[key[1]], key[2])
    ):
        group = groups[domain, loss, size]
        rows.append(
            [
                domain,
                Variant.parse(loss).title,
                size,
                str(len(group)),
                f"{fmean(_loss(each) for each in group):.4g}",
                f"{100 * fmean(each['validation']['violations'] for each in group):.1f}",
                f"{fmean(each['best_step'] for each in group):.0f}",
                f"{fmean(each['cpu_seconds'] for each in group):.0f}",
            ]
        )
    header = ["domain", "loss", "size", "networks", "validation loss", "pairs out of order, %"]
    return Grid([*header, "best step", "CPU seconds"], rows)


def _loss(record: Record) -> float:
    """The validation loss; of a likelihood, the negative logarithm."""
    found: dict[str, float] = record["validation"]
    return found["loss"] if "loss" in found else found["nll"]
