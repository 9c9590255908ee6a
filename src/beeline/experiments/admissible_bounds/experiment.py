"""The tables on truncated Gaussians, from sets of states to tables of results."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from beeline.experiments.admissible_bounds.claims import check
from beeline.experiments.admissible_bounds.datasets import SEEDS, make_sets, set_sizes
from beeline.experiments.admissible_bounds.figures import (
    paper_figures,
    read_paper,
    record_figures,
)
from beeline.experiments.admissible_bounds.grid import (
    ALL_DOMAINS,
    EARLIER,
    EDITIONS,
    LATER,
    Choice,
    training_runs,
)
from beeline.experiments.admissible_bounds.planning import (
    ORDERS,
    PLANNED_CONFIGURATIONS,
    contestants,
    planning_settings,
    planning_works,
)
from beeline.experiments.admissible_bounds.tables import error_table, planning_table
from beeline.experiments.admissible_bounds.training import training_works
from beeline.experiments.records import is_done, make_records, need_record, read_record
from beeline.experiments.result_tables import Grid, ResultTable
from beeline.experiments.verdicts import RULE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from beeline.experiments.admissible_bounds.figures import Figures
    from beeline.experiments.place import Place
    from beeline.experiments.records import Record, Work

TITLES = {
    "nlm": "neural logic machines",
    "linear": "linear regression",
    "hgn": "STRIPS hypergraph networks",
}

CHOICE = Choice()
SEED_FIELDS = ("seeds",)
SCALES: dict[str, dict[str, Any]] = {
    "tiny": {
        "domains": ("blocksworld",),
        "hgn_domains": ("blocksworld",),
        "seeds": 1,
        "steps": 2,
        "sets": "tiny",
        "tasks": 1,
        "max_evaluations": 20,
    },
    "small": {
        "hgn_domains": ("blocksworld", "ferry"),
        "seeds": 2,
        "steps": 300,
        "sets": "small",
        "tasks": 10,
        "max_evaluations": 2000,
        "time_limit": 20.0,
    },
    "paper": {
        "hgn_domains": ALL_DOMAINS,
        "seeds": 5,
        "steps": 40_000,
        "sets": "paper",
        "tasks": 100,
        "time_limit": 1800.0,
    },
}


def paper_title(choice: Choice) -> str:
    """Authors and title."""
    return str(read_paper(choice.edition)["title"])


def make(choice: Choice, table: str, place: Place) -> int:
    """Make all records of a table; how many could not be made."""
    make_sets(_sets(choice, place), choice, _trained_domains(choice), place.jobs, place.say)
    works = training_works(training_runs(choice), _sets(choice, place), place.results)
    failed = make_records(works, place.jobs, place.say)
    if choice.what == "planning":
        failed += make_records(_searches(choice, place), place.jobs, place.say)
    return failed


def result_tables(choice: Choice, table: str, place: Place) -> list[ResultTable]:
    """The paper's table with our figures, then what stands behind it."""
    training = _training_records(choice, place.results)
    works = _searches(choice, place) if choice.what == "planning" else []
    searches = [need_record(work) for work in works if is_done(work)]
    ours = record_figures(training, searches, choice.tasks, choice.max_evaluations)
    found = []
    for model in choice.models:
        parts = _planning_tables if choice.what == "planning" else _error_tables
        found += parts(choice, table, model, ours, place)
    found.append(ResultTable("8", "Sets of states", *_set_grid(choice, place)))
    found.append(ResultTable("9", "Training", *_training_grid(choice, training)))
    return [each for each in found if each.grid.rows]


def tasks_text(choice: Choice, *, given: bool) -> str:
    """Which tasks these are."""
    sets = "The sets of states are those in the folder of data. " if given else ""
    return (
        f"{sets}Tasks are not the paper's own: the same generator parameters unless the sets of"
        " states below say otherwise, other random draws, and for errors only tasks that were"
        " solved optimally within the limits below."
    )


def _sets(choice: Choice, place: Place) -> Path:
    if place.data is not None:
        return place.data
    usual = choice.edition == LATER and choice.sets == "usual"
    return place.results / ("sets" if usual else f"sets-{choice.edition}-{choice.sets}")


def _trained_domains(choice: Choice) -> list[str]:
    models = [set(choice.domains_of(model)) for model in choice.models]
    return [domain for domain in choice.all_domains if any(domain in each for each in models)]


def _searches(choice: Choice, place: Place) -> list[Work]:
    entrants = contestants(training_runs(choice), _trained_domains(choice), place.results)
    return planning_works(entrants, planning_settings(choice), place.results)


def _training_records(choice: Choice, results: Path) -> list[Record]:
    """Those of the runs with as many steps as asked for."""
    runs = training_runs(choice)
    found = [read_record(results / "training" / f"{run.key}.json") for run in runs]
    return [
        record
        for run, record in zip(runs, found, strict=True)
        if record is not None and record["settings"]["steps"] == run.steps
    ]


def _note(choice: Choice, place: Place) -> str:
    return (
        "N is a Gaussian, +clip its mean clipped to h_LM-cut, TN a Gaussian truncated at h_LM-cut"
        " whose mean is the heuristic; sigma is learned or fixed at 1/√2; the network corrects"
        " h_FF (ff) or predicts alone (none). Mean ± sample standard deviation over"
        f" {choice.seeds} seeds (paper: 5). A dash is a run that has not been made."
        f" {tasks_text(choice, given=place.data is not None)}"
    )


def _error_tables(
    choice: Choice, table: str, model: str, ours: Figures, place: Place
) -> list[ResultTable]:
    paper, domains = paper_figures(choice.edition), choice.domains_of(model)
    metric = "NLL" if EDITIONS[choice.edition].select == "nll" else "MSE"
    return [
        ResultTable(
            "1",
            f"{table}: errors on the test set, {TITLES[model]}",
            f"{_note(choice, place)} Only N is clipped, so that lines of +clip have no other"
            f" figures. Bold: best of N, N+clip and TN by more than 0.1. {RULE}",
            error_table(ours.mse, paper.mse, model, domains),
            check(ours, paper, model, "errors"),
        ),
        ResultTable(
            "2",
            f"Negative log-likelihood on the test set, {TITLES[model]}",
            f"Of the weights with the best validation {metric}.",
            error_table(ours.nll, paper.nll, model, domains, "NLL"),
        ),
    ]


def _planning_tables(
    choice: Choice, table: str, model: str, ours: Figures, place: Place
) -> list[ResultTable]:
    paper, domains = paper_figures(choice.edition), choice.domains_of(model)
    limits = (
        f"GBFS in the order [{ORDERS[choice.order]}] on {choice.tasks} tasks of each domain, spread"
        f" evenly over the sizes of the preset, with at most {choice.max_evaluations:,} evaluations"
        f" and {choice.time_limit:g} seconds each (paper: 100 tasks, 10,000 evaluations, no limit"
        f" on time); a task that is not solved counts as {choice.max_evaluations:,} evaluations."
    )
    rule = "Searches are compared by coverage, then by evaluations."
    shown = [each for each in PLANNED_CONFIGURATIONS if each in choice.configurations]
    return [
        ResultTable(
            "1",
            f"{table}: share of solved tasks, {TITLES[model]}",
            f"{limits} {_note(choice, place)} {RULE} {rule}",
            planning_table(ours.coverage, paper.coverage, model, domains, shown, "{:.2f}".format),
            check(ours, paper, model, "planning"),
        ),
        ResultTable(
            "2",
            f"{table}: mean evaluations, {TITLES[model]}",
            limits,
            planning_table(
                ours.evaluations, paper.evaluations, model, domains, shown, "{:.0f}".format
            ),
        ),
    ]


def _set_grid(choice: Choice, place: Place) -> tuple[str, Grid]:
    rows = [
        [
            row["domain"],
            row["split"],
            str(row["preset"]),
            ", ".join(f"{name} {value}" for name, value in row["parameters"].items()) or "none",
            f"{row['solved']} of {row['instances']}",
            str(row["attempts"]),
            f"{row['states']:,}",
            f"{row['max_evaluations']:,}",
        ]
        for row in set_sizes(_sets(choice, place), _trained_domains(choice))
    ]
    header = ["domain", "set", "preset", "other sizes", "solved", "attempts", "states"]
    header.append("A* evaluations at most")
    seeds = ", ".join(f"{name} seed {seed}" for name, seed in SEEDS.items())
    return f"Optimal plans from A* with LM-cut; {seeds}.", Grid(header, rows)


def _training_grid(choice: Choice, training: Sequence[Record]) -> tuple[str, Grid]:
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
    edition, steps = EDITIONS[choice.edition], 10_000 if choice.edition == EARLIER else 40_000
    note = (
        f"{edition.optimiser}, batch 256, weights with the best validation {edition.select}; the"
        f" paper takes {steps:,} steps and 5 seeds. Training and tests took {hours:.2f} hours"
        " by the clock."
    )
    return note, Grid(header, rows)
