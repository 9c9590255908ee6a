"""The tables on truncated Gaussians, from sets of states to tables of results."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING

from beeline.experiments.claims import RULE, check
from beeline.experiments.figures import figure, figures_table, paper_figures, plain_table
from beeline.experiments.nunez2024.runs import (
    CONFIGURATIONS,
    FF,
    GAUSSIAN,
    GRID,
    LATER,
    METHODS,
    ORDERS,
    PLANNED_CONFIGURATIONS,
    Choice,
    contestants,
    edition,
    planning_works,
    training_runs,
    training_works,
)
from beeline.experiments.nunez2024.sets import SEEDS, make_sets, set_sizes
from beeline.experiments.records import is_done, need_record, read_record
from beeline.experiments.registry import read_paper

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from beeline.evaluate.tables import Table
    from beeline.experiments.figures import Figure, Figures
    from beeline.experiments.records import Record, Work
    from beeline.experiments.running import Place

CHOICE = Choice()
TITLES = {
    "nlm": "neural logic machines",
    "linear": "linear regression",
    "hgn": "STRIPS hypergraph networks",
}
HEURISTICS = {"ff": "h_FF", "lmcut": "h_LM-cut"}  # alone
CLEAR_GAP = 0.1 + 1e-9  # between the best error and the second, for bold print


def stages(choice: Choice, table: str, place: Place) -> Iterator[list[Work]]:
    """The records of a table, those of trainings first."""
    sets = _sets(choice, place)
    make_sets(sets, choice, _trained_domains(choice), place)
    yield training_works(choice, sets, place.results)
    if choice.what == "planning":
        yield _searches(choice, place)


def tables(choice: Choice, table: str, place: Place) -> list[Table]:
    """The paper's table with our figures, then what stands behind it."""
    training = _training_records(choice, place.results)
    works = _searches(choice, place) if choice.what == "planning" else []
    searches = [need_record(work) for work in works if is_done(work)]
    found = []
    for model in choice.models:
        ours = record_figures(model, training, searches, choice.tasks, choice.max_evaluations)
        paper = model_figures(choice.edition, model)
        parts = _planning_tables if choice.what == "planning" else _error_tables
        found += parts(choice, table, model, ours, paper, place)
    return [*found, _set_table(choice, place), _training_table(choice, training)]


def tasks_text(choice: Choice, *, given: bool) -> str:
    """Which tasks these are."""
    sets = "The sets of states are those in the folder of data. " if given else ""
    return (
        f"{sets}Tasks are not the paper's own: the same generator parameters unless the sets of"
        " states below say otherwise, other random draws, and for errors only tasks that were"
        " solved optimally within the limits below."
    )


def model_figures(version: str, model: str) -> dict[str, Figures]:
    """The paper's figures of a network by measure, of one of its versions."""
    content = read_paper("nunez2024", GRID["editions"][version]["paper"])
    return paper_figures(content["figures"].get(model, {}))


def record_figures(
    model: str, training: Iterable[Record], searches: Iterable[Record], tasks: int, limit: int
) -> dict[str, Figures]:
    """The figures of records by measure; a seed that has not searched all `tasks` is left out.

    Tasks that are not solved count as `limit` evaluations.
    """
    values: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for record in training:
        settings, test = record["settings"], record["test"]
        if settings["model"] != model:
            continue
        plain = settings["distribution"] == GAUSSIAN
        column = f"{settings['sigma']}/{settings['residual']} {'N' if plain else 'TN'}"
        for measure in ("mse", "nll"):
            values[measure, column, settings["domain"]].append(test[measure])
            if plain:
                clipped = (measure, f"{column}+clip", settings["domain"])
                values[clipped].append(test[f"{measure}_clip"])
        for name, value in record["heuristics"].items():
            values["mse", HEURISTICS[name], settings["domain"]] = [value]
    groups: dict[tuple[str, str, int], list[Record]] = defaultdict(list)
    for record in searches:
        settings = record["settings"]
        if settings["model"] in (model, FF):
            column = f"{settings['configuration']} {settings['method']}"
            column = column if settings["configuration"] else HEURISTICS[FF]
            groups[column, settings["domain"], settings["seed"]].append(record)
    for (column, domain, _), runs in groups.items():
        if len(runs) == tasks:
            counts = [run["evaluated"] if run["solved"] else limit for run in runs]
            values["evaluations", column, domain].append(fmean(counts))
            values["coverage", column, domain].append(fmean(bool(run["solved"]) for run in runs))
    found: dict[str, dict[str, dict[str, Figure]]] = defaultdict(lambda: defaultdict(dict))
    for (measure, column, domain), seeds in values.items():
        found[measure][column][domain] = figure(seeds)
    return {measure: found[measure] for measure in ("mse", "nll", "coverage", "evaluations")}


def clear_best(figures: Figures) -> set[tuple[str, str]]:
    """Columns and domains of the errors that are clearly the best of their configuration."""
    found = set()
    for configuration in CONFIGURATIONS:
        columns = [f"{configuration} {each}" for each in METHODS]
        rows = {column: figures.get(column, {}) for column in columns}
        for domain in set.intersection(*(set(row) for row in rows.values())):
            first, second, *_ = sorted((rows[column][domain].mean, column) for column in rows)
            if second[0] - first[0] > CLEAR_GAP:
                found.add((first[1], domain))
    return found


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
    return planning_works(entrants, choice, place.results)


def _training_records(choice: Choice, results: Path) -> list[Record]:
    """Those of the runs with as many steps as asked for."""
    runs = training_runs(choice)
    found = [(run, read_record(results / "training" / f"{run.key}.json")) for run in runs]
    return [record for run, record in found if record and record["settings"]["steps"] == run.steps]


def _note(choice: Choice, place: Place) -> str:
    return (
        "N is a Gaussian, +clip its mean clipped to h_LM-cut, TN a Gaussian truncated at h_LM-cut"
        " whose mean is the heuristic; sigma is learned or fixed at 1/√2; the network corrects"
        " h_FF (ff) or predicts alone (none). Mean ± sample standard deviation over"
        f" {choice.seeds} seeds (paper: 5); in brackets is the paper's figure. A dash is a run that"
        f" has not been made. {tasks_text(choice, given=place.data is not None)}"
    )


def _titles(heuristics: Iterable[str], configurations: Iterable[str]) -> dict[str, str]:
    columns = [f"{each} {method}" for each in configurations for method in METHODS]
    return {column: column for column in (*heuristics, *columns)}


def _error_tables(
    choice: Choice,
    table: str,
    model: str,
    ours: dict[str, Figures],
    paper: dict[str, Figures],
    place: Place,
) -> list[Table]:
    domains, select = choice.domains_of(model), edition(choice)["select"].upper()
    verdicts = check(
        GRID["claims"], "errors", domains, lambda m, _: ours[m], lambda m, _: paper.get(m, {})
    )
    return [
        figures_table(
            "1",
            f"{table}: errors on the test set, {TITLES[model]}",
            f"{_note(choice, place)} Bold: best of N, N+clip and TN by more than 0.1. {RULE}",
            _titles(HEURISTICS.values(), CONFIGURATIONS),
            domains,
            ours["mse"],
            paper.get("mse"),
            means=("", {}),
            bold=clear_best,
            claims=[each.claim(table) for each in verdicts],
        ),
        figures_table(
            "2",
            f"Negative log-likelihood on the test set, {TITLES[model]}",
            f"Of the weights with the best validation {select}.",
            _titles((), CONFIGURATIONS),
            domains,
            ours["nll"],
            paper.get("nll"),
            means=("", {}),
            bold=clear_best,
        ),
    ]


def _planning_tables(
    choice: Choice,
    table: str,
    model: str,
    ours: dict[str, Figures],
    paper: dict[str, Figures],
    place: Place,
) -> list[Table]:
    domains = choice.domains_of(model)
    limits = (
        f"GBFS in the order [{ORDERS[choice.order]}] on {choice.tasks} tasks of each domain, spread"
        f" evenly over the sizes of the preset, with at most {choice.max_evaluations:,} evaluations"
        f" and {choice.time_limit:g} seconds each (paper: 100 tasks, 10,000 evaluations, no limit"
        f" on time); a task that is not solved counts as {choice.max_evaluations:,} evaluations."
    )
    rule = f"{RULE} Searches are compared by coverage, then by evaluations."
    verdicts = check(
        GRID["claims"], "planning", domains, lambda m, _: ours[m], lambda m, _: paper.get(m, {})
    )
    shown = [each for each in PLANNED_CONFIGURATIONS if each in choice.configurations]
    columns = _titles([HEURISTICS[FF]], shown)
    return [
        figures_table(
            number,
            f"{table}: {words}, {TITLES[model]}",
            note,
            columns,
            domains,
            ours[measure],
            paper.get(measure),
            means=("", {}),
            claims=claims,
        )
        for number, measure, words, note, claims in (
            (
                "1",
                "coverage",
                "share of solved tasks",
                f"{limits} {_note(choice, place)} {rule}",
                [each.claim(table) for each in verdicts],
            ),
            ("2", "evaluations", "mean evaluations", limits, []),
        )
    ]


def _set_table(choice: Choice, place: Place) -> Table:
    rows = [
        [
            row["domain"],
            row["split"],
            str(row["preset"]),
            ", ".join(f"{name} {value}" for name, value in row["parameters"].items()) or "none",
            *(row[name] for name in ("instances", "solved", "attempts", "states")),
            row["max_evaluations"],
        ]
        for row in set_sizes(_sets(choice, place), _trained_domains(choice))
    ]
    header = ["domain", "set", "preset", "other sizes", "tasks", "solved", "attempts", "states"]
    seeds = ", ".join(f"{name} seed {seed}" for name, seed in SEEDS.items())
    note = f"Optimal plans from A* with LM-cut; {seeds}."
    return plain_table("8", "Sets of states", note, [*header, "A* evaluations at most"], rows)


def _training_table(choice: Choice, training: Sequence[Record]) -> Table:
    groups: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in training:
        groups[record["settings"]["model"], record["settings"]["domain"]].append(record)
    rows: list[list[object]] = []
    for (model, domain), records in groups.items():
        settings, first = records[0]["settings"], records[0]
        best = sorted(each["best_step"] for each in records)
        rows.append(
            [
                model,
                domain,
                len(records),
                *(settings[name] for name in ("steps", "validate_every", "learning_rate")),
                best[len(best) // 2],
                first["states"]["test"],
                first["test_states_of"],
                fmean(each["train_seconds"] for each in records),
            ]
        )
    header = ["model", "domain", "runs", "steps", "validation every", "learning rate"]
    header += ["best step (median)", "test states", "drawn from", "seconds each"]
    hours = sum(each["train_seconds"] + each["test_seconds"] for each in training) / 3600
    how = edition(choice)
    note = (
        f"{how['optimiser']}, batch 256, weights with the best validation {how['select']}; the"
        f" paper takes {how['steps']:,} steps and 5 seeds. Training and tests took {hours:.2f}"
        " hours by the clock."
    )
    return plain_table("9", "Training", note, header, rows)
