"""The tables on truncated Gaussians, from sets of states to tables of results."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean, median_high
from typing import TYPE_CHECKING

from beeline.evaluate.tables import Table, plain_table
from beeline.experiments.claims import RULE, check
from beeline.experiments.figures import (
    Bold,
    Figure,
    Figures,
    figure,
    figures_table,
    first,
    grouped,
    grouped_table,
    mean_of,
    paper_figures,
)
from beeline.experiments.nunez2024 import runs
from beeline.experiments.nunez2024.runs import CONFIGURATIONS, FF, GRID, METHODS, Choice
from beeline.experiments.nunez2024.sets import SEEDS, make_sets, set_sizes
from beeline.experiments.records import Place, Record, Work, record_of
from beeline.experiments.registry import read_paper, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


FOLDER = "nunez2024"
CHOICE = Choice()
HEURISTICS = {"ff": "h_FF", "lmcut": "h_LM-cut"}  # alone
MEASURES = ("mse", "nll", "coverage", "evaluations")
CLEAR_GAP = 0.1 + 1e-9  # between the best error and the second, for bold print


def stages(choice: Choice, table: str, place: Place) -> Iterator[list[Work]]:
    """The records of a table, those of trainings first."""
    sets = _sets(choice, place)
    make_sets(sets, choice, choice.domains_of(*choice.models), place)
    yield runs.training_works(choice, sets, place.results)
    if choice.what == "planning":
        yield runs.planning_works(choice, place.results)


def tables(choice: Choice, table: str, place: Place) -> list[Table]:
    """The paper's table with our figures, then what stands behind it."""
    training = list(runs.trained(choice, place.results).values())
    works = runs.planning_works(choice, place.results) if choice.what == "planning" else []
    searches = [record for work in works if (record := record_of(work))]
    found = []
    for model in choice.models:
        ours = record_figures(model, training, searches, choice.tasks, choice.max_evaluations)
        found += _main_tables(choice, table, model, ours, place)
    return [*found, _set_table(choice, place), _training_table(choice, training)]


def tasks_text(choice: Choice, *, given: bool) -> str:
    """Which tasks these are."""
    made = text(FOLDER, "tasks_made")
    return text(FOLDER, "tasks_given", tasks_made=made) if given else made


def model_figures(version: str, model: str) -> dict[str, Figures]:
    """The paper's figures of a network by measure, of one of its versions."""
    content = read_paper(FOLDER, GRID["editions"][version]["paper"])
    return paper_figures(content["figures"].get(model, {}))


def record_figures(
    model: str, training: Iterable[Record], searches: Iterable[Record], tasks: int, limit: int
) -> dict[str, Figures]:
    """The figures of records by measure; a seed that has not searched all `tasks` is left out.

    Tasks that are not solved count as `limit` evaluations.
    """
    values: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for record in (each for each in training if each["settings"]["model"] == model):
        settings, test = record["settings"], record["test"]
        plain = settings["distribution"] == runs.GAUSSIAN
        column = f"{settings['sigma']}/{settings['residual']} {'N' if plain else 'TN'}"
        for measure in ("mse", "nll"):
            values[measure, column, settings["domain"]].append(test[measure])
            if plain:
                clipped = (measure, f"{column}+clip", settings["domain"])
                values[clipped].append(test[f"{measure}_clip"])
        for name, value in record["heuristics"].items():
            values["mse", HEURISTICS[name], settings["domain"]] = [value]
    groups = grouped(searches, "model", "configuration", "method", "domain", "seed")
    for (own, configuration, method, domain, _), group in groups.items():
        if own in (model, FF) and len(group) == tasks:
            column = f"{configuration} {method}" if configuration else HEURISTICS[FF]
            counts = [run["evaluated"] if run["solved"] else limit for run in group]
            values["evaluations", column, domain].append(fmean(counts))
            values["coverage", column, domain].append(fmean(bool(run["solved"]) for run in group))
    found: dict[str, dict[str, dict[str, Figure]]] = {measure: {} for measure in MEASURES}
    for (measure, column, domain), seeds in values.items():
        found[measure].setdefault(column, {})[domain] = figure(seeds)
    return {**found}


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
    usual = choice.edition == runs.LATER and choice.sets == "usual"
    return place.results / ("sets" if usual else f"sets-{choice.edition}-{choice.sets}")


def _main_tables(
    choice: Choice, table: str, model: str, ours: dict[str, Figures], place: Place
) -> list[Table]:
    """Two tables of a network: errors and likelihoods, or coverage and evaluations."""
    domains, paper = choice.domains_of(model), model_figures(choice.edition, model)
    tasks = tasks_text(choice, given=place.data is not None)
    note = text(FOLDER, "note", choice=choice, tasks=tasks)
    heuristics = tuple(HEURISTICS.values())
    bold: Bold = clear_best
    if choice.what == "planning":
        heuristics, bold = heuristics[:1], lambda _: set()
        configurations = [
            each for each in runs.PLANNED_CONFIGURATIONS if each in choice.configurations
        ]
        limits = text(FOLDER, "limits", choice=choice, order=runs.ORDERS[choice.order])
        first = f"{limits} {note} {RULE} {text(FOLDER, 'searches')}"
        listed = [
            ("coverage", f"{table}: share of solved tasks", first, heuristics),
            ("evaluations", f"{table}: mean evaluations", limits, heuristics),
        ]
    else:
        configurations = [*CONFIGURATIONS]
        first = f"{note} {text(FOLDER, 'bold')} {RULE}"
        weights = text(FOLDER, "weights", select=choice.how["select"].upper())
        listed = [
            ("mse", f"{table}: errors on the test set", first, heuristics),
            ("nll", "Negative log-likelihood on the test set", weights, ()),
        ]
    verdicts = check(
        GRID["claims"], choice.what, domains, lambda m, _: ours[m], lambda m, _: paper.get(m, {})
    )
    columns = [f"{each} {method}" for each in configurations for method in METHODS]
    return [
        figures_table(
            str(number),
            f"{title}, {runs.MODELS[model]['title']}",
            note,
            {column: column for column in (*alone, *columns)},
            domains,
            ours[measure],
            paper.get(measure),
            means=("", {}),
            bold=bold,
            claims=[each.claim(table) for each in verdicts] if number == 1 else (),
        )
        for number, (measure, title, note, alone) in enumerate(listed, 1)
    ]


def _set_table(choice: Choice, place: Place) -> Table:
    rows = set_sizes(_sets(choice, place), choice.domains_of(*choice.models))
    header = ["domain", "set", "preset", "other sizes", "tasks", "solved", "attempts", "states"]
    seeds = ", ".join(f"{name} seed {seed}" for name, seed in SEEDS.items())
    note = f"Optimal plans from A* with LM-cut; {seeds}."
    return plain_table("8", "Sets of states", note, [*header, "A* evaluations at most"], rows)


def _training_table(choice: Choice, training: Sequence[Record]) -> Table:
    hours = sum(each["train_seconds"] + each["test_seconds"] for each in training) / 3600
    return grouped_table(
        "9",
        "Training",
        text(FOLDER, "training", how=choice.how, hours=hours),
        grouped(training, "model", "domain").values(),
        {
            "model": first("settings.model"),
            "domain": first("settings.domain"),
            "runs": len,
            "steps": first("settings.steps"),
            "validation every": first("settings.validate_every"),
            "learning rate": first("settings.learning_rate"),
            "best step (median)": lambda group: median_high(each["best_step"] for each in group),
            "test states": first("states.test"),
            "drawn from": first("test_states_of"),
            "seconds each": mean_of("train_seconds"),
        },
    )
