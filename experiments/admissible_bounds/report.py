"""The report: tables, claims, settings; from records alone, whatever there is of them."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from markdown_tables import markdown
from records import read_record
from verdicts import RULE, comparison_list, summary_table

from admissible_bounds.claims import check
from admissible_bounds.datasets import SETS, set_sizes
from admissible_bounds.figures import paper_figures, read_paper, record_figures
from admissible_bounds.planning import (
    ORDERS,
    PLANNED_CONFIGURATIONS,
    PLANNED_MODELS,
    contestants,
    planning_works,
)
from admissible_bounds.tables import error_table, planning_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from records import Record

    from admissible_bounds.figures import Figures
    from admissible_bounds.grid import Choice, TrainingRun
    from admissible_bounds.planning import PlanningSettings

TITLES = {
    "nlm": "Neural logic machines",
    "linear": "Linear regression",
    "hgn": "STRIPS hypergraph networks",
}


def report(
    choice: Choice,
    runs: Sequence[TrainingRun],
    settings: PlanningSettings,
    sets: Path,
    results: Path,
) -> str:
    """The whole report as Markdown."""
    training = _training_records(runs, results)
    searched = {
        order: _planning_records(choice, runs, settings._replace(order=order), results)
        for order in ORDERS
    }
    ours = {
        order: record_figures(training, records, settings.tasks, settings.max_evaluations)
        for order, records in searched.items()
    }
    parts = [_introduction()]
    paper = paper_figures()
    models = [model for model in choice.models if choice.domains_of(model)]
    for model in models:
        parts += _model_part(choice, model, ours, paper)
    parts += ["## Claims", f"{RULE} Searches are compared by coverage, then by evaluations."]
    for model in models:
        verdicts = check(ours["plain"], paper, model)
        parts += [f"### {TITLES[model]}", summary_table(verdicts), comparison_list(verdicts)]
    parts += ["## Settings", _set_table(choice, sets), _training_table(training)]
    parts += [_planning_counts(searched, settings), f"Machine: {os.cpu_count()} cores, no GPU."]
    return "\n\n".join(part for part in parts if part) + "\n"


def _training_records(runs: Sequence[TrainingRun], results: Path) -> list[Record]:
    """Those of the runs with as many steps as asked for."""
    found = [read_record(results / "training" / f"{run.key}.json") for run in runs]
    return [
        record
        for run, record in zip(runs, found, strict=True)
        if record is not None and record["settings"]["steps"] == run.steps
    ]


def _planning_records(
    choice: Choice, runs: Sequence[TrainingRun], settings: PlanningSettings, results: Path
) -> list[Record]:
    works = planning_works(contestants(runs, choice.domains, results), settings, results)
    found = [(work, read_record(work.path)) for work in works]
    return [record for work, record in found if record and record["settings"] == work.settings]


def _introduction() -> str:
    return (
        "# Truncated Gaussians with admissible bounds: a reduced reproduction\n\n"
        f"Beside each figure is that of {read_paper()['title']}. N is a Gaussian, +clip its mean"
        " clipped to h_LM-cut, TN a Gaussian truncated at h_LM-cut whose mean is the heuristic;"
        " sigma is learned or fixed at 1/√2; the network corrects h_FF (ff) or predicts alone"
        " (none). Mean ± sample standard deviation over seeds. Bold: best of N, N+clip and TN by"
        " more than 0.1. A dash is a run that has not been made. Test instances differ from the"
        " paper's: same generator parameters, other random draws, and only those that could be"
        " solved optimally within the limits below."
    )


def _model_part(
    choice: Choice,
    model: str,
    ours: dict[str, Figures],
    paper: Figures,
) -> list[str]:
    domains, where = choice.domains_of(model), read_paper()["tables"]
    parts = [
        f"## {TITLES[model]}",
        f"Errors on the test set (paper: {where['mse'][model]}):",
        error_table(ours["plain"].mse, paper.mse, model, domains),
    ]
    if any(key.model == model for key in ours["plain"].nll):
        theirs = any(key.model == model for key in paper.nll)
        parts += [
            "Negative log-likelihood on the test set, of the weights with the best validation MSE"
            + (" (paper: Table 8, weights with the best validation NLL):" if theirs else ":"),
            error_table(ours["plain"].nll, paper.nll, model, domains, "NLL"),
        ]
    for order, figures in ours.items():
        has_some = any(key.model == model for key in figures.coverage)
        if model not in PLANNED_MODELS or (order != "plain" and not has_some):
            continue
        source = f" (paper: {where['planning'][model]})" if order == "plain" else ""
        peers = paper if order == "plain" else paper._replace(coverage={}, evaluations={})
        for name, mine, other, form in (
            ("Ratio of solved tasks", figures.coverage, peers.coverage, "{:.2f}".format),
            ("Mean evaluations", figures.evaluations, peers.evaluations, "{:.0f}".format),
        ):
            parts.append(f"{name}, GBFS with [{ORDERS[order]}]{source}:")
            parts.append(planning_table(mine, other, model, domains, PLANNED_CONFIGURATIONS, form))
    return parts


def _set_table(choice: Choice, sets: Path) -> str:
    rows = [
        [
            row["domain"],
            row["split"],
            str(row["preset"]),
            f"{row['solved']} of {row['instances']}",
            str(row["attempts"]),
            f"{row['states']:,}",
            f"{row['max_evaluations']:,}",
        ]
        for row in set_sizes(sets, choice.domains)
    ]
    header = ["domain", "set", "preset", "solved", "attempts", "states", "A* evaluations at most"]
    counts = ", ".join(f"{name} seed {each.seed}" for name, each in SETS.items())
    return f"Sets of states ({counts}; A* with LM-cut):\n\n{markdown(header, rows)}"


def _training_table(training: Sequence[Record]) -> str:
    groups: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in training:
        groups[record["settings"]["model"], record["settings"]["domain"]].append(record)
    rows = []
    for (model, domain), records in groups.items():
        settings, seconds = records[0]["settings"], [each["train_seconds"] for each in records]
        tested, of = records[0]["states"]["test"], records[0]["test_states_of"]
        best = sorted(each["best_step"] for each in records)
        rows.append(
            [
                model,
                domain,
                str(len(records)),
                f"{settings['steps']:,}",
                f"{settings['validate_every']}",
                f"{settings['learning_rate']:g}",
                f"{best[len(best) // 2]:,}",
                f"{tested:,}" + ("" if tested == of else f" drawn from {of:,}"),
                f"{sum(seconds) / len(seconds):.0f}",
            ]
        )
    header = ["model", "domain", "runs", "steps", "validation every", "learning rate"]
    header += ["best step (median)", "test states", "seconds each"]
    hours = sum(each["train_seconds"] + each["test_seconds"] for each in training) / 3600
    return (
        "Training: AdamW, batch 256, weight decay 0.01, gradient norm at most 0.1, weights with"
        " the best validation MSE; the paper takes 40,000 steps and 5 seeds.\n\n"
        f"{markdown(header, rows)}\n\nTraining and tests took {hours:.2f} hours of one core."
    )


def _planning_counts(searched: dict[str, list[Record]], settings: PlanningSettings) -> str:
    groups: dict[tuple[str, ...], list[Record]] = defaultdict(list)
    for order, records in searched.items():
        for record in records:
            words: dict[str, Any] = record["settings"]
            groups[order, words["model"], words["domain"]].append(record)
    rows = []
    for (order, model, domain), records in groups.items():
        late = sum(each["status"] == "time_limit" for each in records)
        seconds = sum(each["seconds"] for each in records)
        rows.append([ORDERS[order], model, domain, str(len(records)), str(late), f"{seconds:.0f}"])
    header = ["order", "heuristic", "domain", "searches", "ended by time", "seconds in all"]
    return (
        f"Planning: GBFS on {settings.tasks} tasks of each domain, spread evenly over the sizes of"
        f" the test preset, at most {settings.max_evaluations:,} evaluations and"
        f" {settings.time_limit:g} seconds each (the paper has 100 tasks and no limit on time); a"
        f" task that is not solved counts as {settings.max_evaluations:,} evaluations."
        f"\n\n{markdown(header, rows)}"
    )
