"""The report: tables, claims, training; from records alone, whatever there is of them."""

from __future__ import annotations

import os
from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING

from markdown_tables import MISSING, markdown
from records import is_done, read_record
from verdicts import RULE, comparison_list, summary_table

from discovered_operators.claims import check
from discovered_operators.figures import paper_figures, read_paper, record_figures
from discovered_operators.grid import DOMAINS, HEURISTIC, KINDS
from discovered_operators.searching import ORDERS, search_works
from discovered_operators.tables import FAR, expansions_table, far_cells, means_table, tables
from discovered_operators.training import trained_works

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from records import Record

    from discovered_operators.grid import Choice, Network


def report(choice: Choice, wanted: Sequence[Network], order: str, data: Path, results: Path) -> str:
    """The whole report as Markdown."""
    works = search_works(choice, wanted, order, data, results)
    searches = [_record(work.path) for work in works if is_done(work)]
    training = [_record(work.path) for work in trained_works(wanted, data, results).values()]
    ours = record_figures(searches)
    parts = [_introduction(choice, order)]
    domains = [domain for domain in DOMAINS if domain in choice.domains]
    listed = tables(choice.percents)
    for table in listed:
        parts += [f"## {table.name}: {table.about}", expansions_table(table, ours, domains)]
    parts += ["## Geometric means", means_table(listed, ours)]
    verdicts = check(ours, paper_figures())
    parts += ["## Claims", RULE, summary_table(verdicts), comparison_list(verdicts)]
    parts += [f"## Cells that are off by more than {100 * FAR:.0f} %"]
    parts += ["\n".join(far_cells(ours)) or "None."]
    parts += ["## Training (paper: Tables E.1 and E.2)", _training_table(training)]
    parts += [_times(searches, training), f"Machine: {os.cpu_count()} cores, no GPU."]
    return "\n\n".join(part for part in parts if part) + "\n"


def _record(path: Path) -> Record:
    record = read_record(path)
    assert record is not None
    return record


def _introduction(choice: Choice, order: str) -> str:
    paper = read_paper()
    seeds = f"{choice.sample_seeds} × {choice.network_seeds} (paper: {paper['seeds']})"
    rounded = " ĥ is rounded to whole numbers." if order == "rounded" else ""
    return (
        "# Discovered preferred operators: a reduced reproduction\n\n"
        f"Beside each figure, in brackets, is that of {paper['title']}. A cell is the mean number"
        " of expansions over all initial states of a state space and all pairs of seeds:"
        f" sets of samples × networks of each, {seeds}; ideal preferred operators are learned"
        " from all states, hence once for each network seed. Greedy best-first search in the order"
        f" [{ORDERS[order]}], with a second queue for preferred operators and a boost of 1000"
        f" unless the table says otherwise; unit costs.{rounded} ĥ is learned from FSM samples, 1 %"
        " of the state space, a fifth of them random states; po^G from XRS samples; po^FSM from"
        " FSM samples; po^G*, the paper's variant with perfect distances of the samples, is not"
        " repeated. A dash is a run that has not been made; a geometric mean is over the"
        " domains that there are, and the paper's beside it over the same."
    )


def _training_table(records: Sequence[Record]) -> str:
    groups: dict[tuple[str, int, str], list[Record]] = defaultdict(list)
    for record in records:
        settings = record["settings"]
        groups[settings["kind"], settings["percent"], settings["domain"]].append(record)
    printed = read_paper()["training"]
    rows = []
    for kind, percent, domain in sorted(groups, key=lambda key: (KINDS.index(key[0]), *key[1:])):
        group = groups[kind, percent, domain]
        means = {
            name: fmean(each[name] for each in group)
            for name in ("best_epoch", "validation_loss", "train_seconds", "cpu_seconds")
        }
        samples, operators = (
            fmean(each["samples"][name] for each in group) for name in ("samples", "mean_preferred")
        )
        paper = printed.get(f"{kind}{percent}", {}).get(domain, {})
        digits = ".3f" if kind == HEURISTIC else ".4f"
        losses = [each["validation_loss"] for each in group]
        preferred = _beside(operators, paper.get("operators"), ".1f")
        rows.append(
            [
                f"{kind} {percent} %",
                domain,
                str(len(group)),
                f"{samples:,.0f}",
                _beside(means["best_epoch"], paper.get("best_epoch"), ".1f"),
                _beside(means["validation_loss"], paper.get("validation_loss"), digits),
                f"{min(losses):{digits}} to {max(losses):{digits}}",
                _beside(means["train_seconds"], paper.get("seconds"), ".1f"),
                f"{means['cpu_seconds']:.1f}",
                MISSING if kind == HEURISTIC else preferred,
                ", ".join(sorted({each["ended_by"] for each in group})),
            ]
        )
    header = ["network", "domain", "networks", "samples", "best epoch", "validation loss"]
    header += ["from, to", "seconds", "CPU seconds", "operators of a sample", "ended by"]
    return markdown(header, rows)


def _beside(here: float, paper: float | None, form: str) -> str:
    return f"{here:{form}} ({MISSING if paper is None else format(paper, form)})"


def _times(searches: Sequence[Record], training: Sequence[Record]) -> str:
    unsolved = [
        f"{each['settings']['domain']} {each['settings']['configuration']}"
        for each in searches
        if each["solved"] < len(each["expanded"])
    ]
    found = sum(each["solved"] for each in searches)
    total = sum(len(each["expanded"]) for each in searches)
    hours = [
        sum(each[name] for each in records) / 3600
        for name, records in (("train_seconds", training), ("seconds", searches))
    ]
    failed = f" Not all were solved: {', '.join(unsolved)}." if unsolved else ""
    return (
        f"{len(training)} networks took {hours[0]:.2f} hours of one core; {total:,} searches, of"
        f" which {found:,} found a plan, took {hours[1]:.2f} hours.{failed}"
    )
