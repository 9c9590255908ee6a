"""The tables on truncated Gaussians, from sets of states to tables of results."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean, median_high
from typing import TYPE_CHECKING

from beeline.evaluate.tables import Table, plain_table
from beeline.experiments.claims import RULE, check, within
from beeline.experiments.figures import (
    Figure,
    Figures,
    figure,
    figures_table,
    first,
    grouped,
    grouped_table,
    mean_of,
    printed_figures,
)
from beeline.experiments.nunez2024 import (
    GRID,
    MODELS,
    RIVALS,
    Choice,
    column,
    pictures,
    runs,
    searches,
    training_settings,
)
from beeline.experiments.nunez2024.searches import ORDERS, SEEDS, make_sets, set_sizes
from beeline.experiments.records import Place, Record, Work, known_records, record_of
from beeline.experiments.registry import read_paper, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from beeline.evaluate.drawing import Lines
    from beeline.experiments.nunez2024.runs import Entrant
    from beeline.experiments.nunez2024.searches import Search

    # The figures of one network by measure.
    Found = dict[str, dict[str, dict[str, Figure]]]

FOLDER = "nunez2024"
CHOICE = Choice()
HEURISTICS = {"ff": "h_FF", "lmcut": "h_LM-cut"}  # alone
MEASURES = ("mse", "nll", "within_80", "mae", "coverage", "evaluations")
ERRORS = ("mse", "nll", "mae")  # the smaller the better
CLEAR_GAP = 0.1 + 1e-9  # between the best error and the second, for bold print


def stages(choice: Choice, table: str, place: Place) -> Iterator[list[Work]]:
    """The records of a table, those of trainings first."""
    sets = _sets(choice, place)
    make_sets(sets, choice, choice.domains_of(*choice.models), place)
    yield runs.training_works(choice, sets, place.results)
    if choice.what == "planning":
        works = searches.planning_works(choice, sets, place.results).values()
        yield _distinct(work for listed in works for work in listed)
    elif choice.what in RIVALS:
        works = pictures.rival_works(choice, sets, place.results).values()
        yield _distinct(work for listed in works for work in listed)
    elif choice.what in ("errors", "intervals"):
        yield _distinct(runs.error_works(choice, sets, place.results).values())


def tables(choice: Choice, table: str, place: Place) -> list[Table]:
    """The paper's table with our figures, then what stands behind it."""
    here = runs.trained(choice, place.results)
    behind = [_set_table(choice, place), _training_table(choice, list(here.values()))]
    if choice.what == "curves":
        return [*_curve_tables(choice, table, place), *behind]
    if choice.what == "densities":
        shown = pictures.predicted(choice, _sets(choice, place), place.results)
        title = f"{table}: distributions of a state of each domain"
        return [pictures.density_table(shown, title), pictures.bound_lines()[1], *behind]
    if choice.what in RIVALS:
        ours = pictures.rival_figures(choice, _rivals(choice, place))
        return [*_main_tables(choice, table, choice.models[0], ours, place), *behind]
    tested: dict[Entrant, Record] = {}
    searched: dict[Search, list[Record | None]] = {}
    if choice.what == "planning":
        listed = searches.planning_works(choice, _sets(choice, place), place.results)
        searched = {search: [*map(record_of, works)] for search, works in listed.items()}
    else:
        tested = known_records(runs.error_works(choice, _sets(choice, place), place.results))
    found = []
    for model in choice.models:
        ours = record_figures(model, tested, searched, choice.max_evaluations)
        found += _main_tables(choice, table, model, ours, place)
    return [*found, *behind, *([_test_table(tested)] if tested else [])]


def lines(choice: Choice, table: str, place: Place) -> list[Lines]:
    """The plots of a figure; tables have none."""
    if choice.what == "curves":
        return pictures.curve_lines(choice, runs.trained(choice, place.results))
    if choice.what == "densities":
        shown = pictures.predicted(choice, _sets(choice, place), place.results)
        states = [pictures.density_lines(*each) for each in shown.items()]
        return [pictures.bound_lines()[0], *states]
    if choice.what == "anytime":
        return pictures.anytime_lines(choice, _rivals(choice, place))
    return []


def _rivals(choice: Choice, place: Place) -> dict[Search, list[Record]]:
    """The searches beyond the paper that have searched all tasks."""
    listed = pictures.rival_works(choice, _sets(choice, place), place.results)
    found = {search: [*map(record_of, works)] for search, works in listed.items()}
    return {
        search: [each for each in records if each is not None]
        for search, records in found.items()
        if records and all(each is not None for each in records)
    }


def tasks_text(choice: Choice, *, given: bool) -> str:
    """Which tasks these are."""
    kinds = {"intervals": "tasks_intervals", "quantiles": "tasks_intervals"}
    made = text(FOLDER, {**kinds, "anytime": "tasks_anytime"}.get(choice.what, "tasks_made"))
    return text(FOLDER, "tasks_given", tasks_made=made) if given else made


def table_figures(edition: str, table: str) -> dict[str, Figures]:
    """The figures of a table of the paper by measure, of one of its editions."""
    content = read_paper(FOLDER, GRID["editions"][edition]["paper"])
    return printed_figures(content["tables"].get(table, {}))


def record_figures(
    model: str,
    tested: Mapping[Entrant, Record],
    searched: Mapping[Search, Sequence[Record | None]],
    limit: int,
) -> Found:
    """The figures of a network by measure; a seed that has not searched all tasks is left out.

    Tasks that are not solved count as `limit` evaluations.
    """
    values: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for entrant, record in tested.items():
        if entrant.run.model != model:
            continue
        domain, clipped = entrant.run.domain, "_clip" if entrant.estimate == "clip" else ""
        values["within_80", column(entrant.configuration, entrant.method), domain].append(
            record["test"]["within_80"]
        )
        for measure in ("mse", "nll", "mae"):
            cell = (measure, column(entrant.configuration, entrant.method), domain)
            values[cell].append(record["test"][f"{measure}{clipped}"])
        for name, value in record["heuristics"].items():
            values["mse", HEURISTICS[name], domain] = [value]
    for search, records in searched.items():
        group = [record for record in records if record is not None]
        if search.model == model and group and len(group) == len(records):
            shown, domain = HEURISTICS.get(search.column, search.column), search.domain
            counts = [run["evaluated"] if run["solved"] else limit for run in group]
            values["evaluations", shown, domain].append(fmean(counts))
            values["coverage", shown, domain].append(fmean(bool(run["solved"]) for run in group))
    found: Found = {measure: {} for measure in MEASURES}
    for (measure, shown, domain), seeds in values.items():
        found[measure].setdefault(shown, {})[domain] = figure(seeds)
    return found


def clear_best(figures: Figures) -> set[tuple[str, str]]:
    """Columns and domains of the errors that are clearly the best of their configuration."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in (each for each in figures if " " in each):
        groups[name.rpartition(" ")[0]].append(name)
    found = set()
    for names in (each for each in groups.values() if len(each) == len(CHOICE.methods)):
        for domain in set.intersection(*(set(figures[name]) for name in names)):
            best, second, *_ = sorted((figures[name][domain].mean, name) for name in names)
            if second[0] - best[0] > CLEAR_GAP:
                found.add((best[1], domain))
    return found


def _distinct(works: Iterable[Work]) -> list[Work]:
    return list({work.path: work for work in works}.values())


def _sets(choice: Choice, place: Place) -> Path:
    if place.data is not None:
        return place.data
    return place.results / f"sets-{choice.edition}-{choice.sets}-{choice.sizes}"


def _main_tables(choice: Choice, table: str, model: str, ours: Found, place: Place) -> list[Table]:
    """The tables of a network: of errors, of searches, or of intervals."""
    domains, paper = choice.domains_of(model), table_figures(choice.edition, table)
    order = " and ".join(f"[{ORDERS[each]['shown']}]" for each in choice.orders)
    drawn, tasks = text(FOLDER, choice.population), tasks_text(choice, given=place.data is not None)
    select = training_settings(choice, model, "gaussian")["select"].upper()
    said = {
        "note": text(FOLDER, "note", choice=choice, tasks=tasks),
        "limits": text(FOLDER, "limits", choice=choice, order=order, tasks=drawn),
        "rule": RULE,
    }
    shown = GRID["shown"][choice.what]
    verdicts = check(
        within(GRID["claims"], {*shown[0]["alone"], *choice.columns}),
        choice.what,
        domains,
        lambda m, _: ours[m],
        lambda m, _: paper.get(m, {}),
    )
    return [
        figures_table(
            str(number),
            f"{each['title'].format(table=table)}, {MODELS[model]['title']}",
            " ".join(
                said.get(name) or text(FOLDER, name, choice=choice, select=select)
                for name in each["below"]
            ),
            {name: name for name in (*each["alone"], *choice.columns)},
            domains,
            ours[each["measure"]],
            paper.get(each["measure"]),
            means=("", {}),
            bold=clear_best if each["measure"] in ERRORS else lambda _: set(),
            claims=[verdict.claim(table) for verdict in verdicts] if number == 1 else (),
        )
        for number, each in enumerate(shown, 1)
    ]


def _curve_tables(choice: Choice, table: str, place: Place) -> list[Table]:
    """Steps to an error, and the error."""
    domains = choice.domains_of(*choice.models)
    speed = pictures.speeds(runs.entrants(choice), runs.trained(choice, place.results))
    verdicts = check(
        within(GRID["claims"], choice.columns), choice.what, domains, lambda *_: speed.steps
    )
    tasks = tasks_text(choice, given=place.data is not None)
    note = text(FOLDER, "note", choice=choice, tasks=tasks)
    steps = figures_table(
        "1",
        f"{table}: steps to reach the same validation error",
        f"{text(FOLDER, 'curves')} {note} {RULE}",
        {name: name for name in choice.columns},
        domains,
        speed.steps,
        means=("", {}),
        claims=[each.claim(table) for each in verdicts],
    )
    return [steps, pictures.error_table(speed, domains)]


def _set_table(choice: Choice, place: Place) -> Table:
    rows = set_sizes(_sets(choice, place), choice, choice.domains_of(*choice.models))
    header = ["domain", "set", "preset", "other sizes", "tasks", "solved", "attempts", "states"]
    seeds = ", ".join(f"{name} seed {seed}" for name, seed in SEEDS.items())
    note = f"Optimal plans from A* with LM-cut, satisficing ones from greedy search; {seeds}."
    return plain_table("7", "Sets of states", note, [*header, "A* evaluations at most"], rows)


def _training_table(choice: Choice, training: Sequence[Record]) -> Table:
    hours = sum(each["train_seconds"] for each in training) / 3600
    return grouped_table(
        "8",
        "Training",
        text(FOLDER, "training", how=choice.how, training=choice.how["training"], hours=hours),
        grouped(training, "model", "domain").values(),
        {
            "model": first("settings.model"),
            "domain": first("settings.domain"),
            "runs": len,
            "steps": first("settings.steps"),
            "validation every": first("settings.validate_every"),
            "learning rate": first("settings.learning_rate"),
            "best step (median)": lambda group: median_high(each["best_step"] for each in group),
            "seconds each": mean_of("train_seconds"),
        },
    )


def _test_table(tested: Mapping[Entrant, Record]) -> Table:
    groups: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for entrant, record in tested.items():
        named = {**record, "model": entrant.run.model, "domain": entrant.run.domain}
        groups[entrant.run.model, entrant.run.domain].append(named)
    return grouped_table(
        "9",
        "Tests",
        text(FOLDER, "sampled", seconds=runs.MAX_TEST_SECONDS),
        groups.values(),
        {
            **{name: first(name) for name in ("model", "domain")},
            "states": first("states"),
            "drawn from": first("states_of"),
            "seconds each": mean_of("seconds"),
        },
    )
