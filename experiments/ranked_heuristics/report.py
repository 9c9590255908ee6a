"""The report: tables, claims, training; from records alone, whatever there is of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from records import is_done, read_record
from verdicts import RULE, comparison_list, summary_table

from ranked_heuristics.claims import COVERAGE, EXPANSIONS, check
from ranked_heuristics.datasets import set_sizes
from ranked_heuristics.figures import (
    common_tasks,
    coverage_figures,
    mean_figures,
    outcomes,
    paper_figures,
    read_paper,
)
from ranked_heuristics.grid import ALL_LOSSES, DOMAINS, LOSSES
from ranked_heuristics.searching import breadth_first_works, final_works
from ranked_heuristics.tables import (
    breadth_first_table,
    columns,
    figures_table,
    plans_table,
    sizes_table,
    training_table,
)
from ranked_heuristics.tasks import SPANNER_SIZES, TEST
from ranked_heuristics.training import trained_works

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from records import Record, Work

    from ranked_heuristics.grid import Choice, Limits
    from ranked_heuristics.tasks import DomainTasks

DISAGREEMENT = (
    "Deviations are from Table 7. It and Table 1 disagree on L* in GBFS: 98 and 100 in ferry, 92"
    " and 89 in npuzzle; the former are shown."
)
FEWER = (
    "Means over the tasks that the search solved, in which easy tasks weigh more where fewer are"
    " solved; the goal counts as expanded. The paper does not say what its means are over."
)


def report(choice: Choice, tasks: Mapping[str, DomainTasks], limits: Limits, results: Path) -> str:
    """The whole report as Markdown."""
    domains = [domain for domain in DOMAINS if domain in choice.domains]
    choice = choice._replace(losses=ALL_LOSSES)  # whatever has been trained
    works = final_works(choice, tasks, limits, results)
    tests = outcomes({key: _record(work) for key, work in works.items() if is_done(work)})
    training = [_record(work) for work in trained_works(choice.runs(), results).values()]
    aside = breadth_first_works(choice, tasks, limits, results)
    breadth_first = {domain: _record(work) for domain, work in aside.items() if is_done(work)}
    wanted = columns([*LOSSES, *(loss for _, loss in tests if loss not in LOSSES)])
    solved = coverage_figures(tests)
    expanded = mean_figures(tests, "expanded", common=False)
    verdicts = check(
        {COVERAGE: solved, EXPANSIONS: expanded},
        {COVERAGE: paper_figures("coverage"), EXPANSIONS: paper_figures("expansions")},
    )
    common = common_tasks(tests)
    counts = ", ".join(f"{domain} {len(common[domain])}" for domain in domains if domain in common)
    parts = [
        _introduction(choice, tasks, limits),
        "## Tables 1 and 7: solved tasks in percent",
        DISAGREEMENT,
        figures_table(wanted, domains, solved, "coverage", ".0f"),
        "## Table 6: expanded states",
        FEWER,
        figures_table(wanted, domains, expanded, "expansions", ".0f"),
        "## Expanded states in tasks that all solved",
        f"Only tasks that all columns of the paper solved with all seeds: {counts or 'none'}."
        " The paper's figures are those of its Table 6.",
        figures_table(
            wanted, domains, mean_figures(tests, "expanded", common=True), "expansions", ".0f"
        ),
        "## Table 8: plan lengths in tasks that all solved",
        figures_table(
            wanted, domains, mean_figures(tests, "length", common=True), "lengths", ".1f"
        ),
        "## Table 5: breadth-first search",
        breadth_first_table(breadth_first),
        "## Claims",
        RULE + " Comparisons are of one domain each; one of solved tasks holds if they are equal,"
        " as the paper has many cells of 100 %.",
        summary_table(verdicts),
        comparison_list(verdicts),
        "## Optimal plans to train with",
        plans_table({domain: set_sizes(results, domain) for domain in domains}),
        "## Sizes of the networks that solve most validation tasks",
        sizes_table({column: tests[column] for column in wanted if column in tests}, domains),
        "## Training",
        training_table(training),
        _times(training),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _record(work: Work) -> Record:
    record = read_record(work.path)
    assert record is not None
    return record


def _introduction(choice: Choice, tasks: Mapping[str, DomainTasks], limits: Limits) -> str:
    paper = read_paper()
    counts = "; ".join(
        f"{domain} {len(each.tasks)} ({paper['tasks'][domain]}), tests"
        f" {len(each.part(TEST, limits.test_tasks))}"
        for domain, each in tasks.items()
    )
    sizes = ", ".join(f"{name} {low} to {high}" for name, (low, high) in SPANNER_SIZES.items())
    return (
        "# Heuristics optimised to rank: a reduced reproduction\n\n"
        f"Beside each figure, in brackets, is that of {paper['title']}, PDDL domains. Means over"
        f" seeds, with standard deviations where there are several: at most {choice.seeds} (paper:"
        f" {paper['seeds']}). Tasks are split at random into 50 % for training, 25 % to choose by"
        f" and 25 % for tests: {counts}. Tasks of spanner are our own unless they are given, with"
        f" {sizes}, spare spanners being those beyond one for each nut.\n\n"
        "Networks are hypergraph convolutions, trained with AdaBelief at the learning rate"
        f" {choice.learning_rate:g} for"
        f" {choice.steps:,} steps (paper: {paper['steps']:,}) of one task each, on optimal plans"
        " that A* with LM-cut finds, with unit costs; the weights with the least validation loss"
        f" are kept. Sizes are {', '.join(choice.sizes)}: convolutions, width, and r for"
        " residual connections (paper: all of 1 to 3 convolutions of width 4, 8 or 16). The size"
        " is chosen for each domain, loss and search: it solves most validation tasks, at most"
        f" {limits.validation_tasks or 'all'}, with all seeds.\n\n"
        f"A search has {limits.time:g} s of the processor for each task, grounding not included,"
        " on whatever else the machine does meanwhile. A* goes by g + h with reopening; as learned"
        " heuristics are not admissible, plans need not be optimal. Ties go to the smaller h, then"
        " to the state generated first, in GBFS to the latter alone. L_le is searched with PHS*"
        " (Orseau and Lelis, 2021), in the columns of GBFS as in the paper. A dash is a run that"
        " has not been made."
    )


def _times(training: list[Record]) -> str:
    hours = sum(each["cpu_seconds"] for each in training) / 3600
    return (
        f"{len(training)} networks took {hours:.2f} hours of one core. Machine:"
        f" {os.cpu_count()} cores, no GPU."
    )
