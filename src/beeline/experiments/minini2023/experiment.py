"""The tables on discovered preferred operators, from state spaces to tables of results."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from beeline.evaluate.tables import Cell, Table, number_cell, plain_table
from beeline.experiments.claims import RULE, check, compared
from beeline.experiments.figures import (
    GEOMETRIC_MEAN,
    Figure,
    Figures,
    figures_table,
    first,
    geometric_mean,
    grouped,
    grouped_table,
    mean_of,
    paper_figures,
)
from beeline.experiments.minini2023 import runs
from beeline.experiments.minini2023.runs import DOMAINS, KINDS, Choice, Configuration, Network
from beeline.experiments.minini2023.spaces import SPACES, make_spaces
from beeline.experiments.records import Place, Record, Work, record_of
from beeline.experiments.registry import grid, read_paper, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path


FOLDER = "minini2023"
CHOICE = Choice()
GRID = grid(FOLDER)
PAPER = read_paper(FOLDER)
PRINTED: Figures = paper_figures(PAPER["figures"])["expansions"]  # with geometric means
FAR = 0.3  # a cell that is off by more is listed
NEAR_MEAN = 0.15  # a geometric mean that is off by no more is near


def stages(choice: Choice, table: str, place: Place) -> Iterator[list[Work]]:
    """The records of a table, those of trainings first."""
    data = _data(place)
    if place.data is None:
        make_spaces(data, choice.domains, choice.spaces, choice.initial_states, place.say)
    yield list(runs.training_works(_networks(choice, table), data, place.results).values())
    yield _searches(choice, table, place)


def tables(choice: Choice, table: str, place: Place) -> list[Table]:
    """The paper's table with our figures, then what stands behind it."""
    works = runs.training_works(_networks(choice, table), _data(place), place.results).values()
    training = [record for work in works if (record := record_of(work))]
    searches = [done for work in _searches(choice, table, place) if (done := record_of(work))]
    ours, paper = record_figures(searches), cells_of_paper()
    domains = [domain for domain in DOMAINS if domain in choice.domains]
    titles = dict(columns(choice, table))
    verdicts = check(GRID["claims"], table, DOMAINS, lambda *_: ours, lambda *_: paper)
    note = text(
        FOLDER,
        "note",
        choice=choice,
        paper=PAPER,
        order=runs.ORDERS[choice.order],
        rounded=text(FOLDER, "rounded") if choice.order == "rounded" else "",
        epochs="" if choice.epochs is None else text(FOLDER, "epochs", choice=choice),
        tasks=tasks_text(choice, given=place.data is not None),
    )
    found = [
        figures_table(
            "1",
            f"{table}: expansions, {_experiment(table)['title']}",
            f"{note} {RULE}",
            titles,
            domains,
            ours,
            paper,
            means=(GEOMETRIC_MEAN, {key: mean_cell(key, ours) for key in titles}),
            claims=[each.claim(table) for each in verdicts],
        ),
        means_table(titles, ours),
        _training_table(training),
        _search_table(searches, training),
    ]
    return found if place.data is None else [*found, far_cells(ours)]


def tasks_text(choice: Choice, *, given: bool) -> str:
    """Which tasks these are."""
    if given:
        return text(FOLDER, "tasks_given")
    sizes = "; ".join(
        " ".join([domain, *(f"{name} {value}" for name, value in known[domain].items())])
        for known in [SPACES[choice.spaces]]
        for domain in choice.domains
    )
    return text(FOLDER, "tasks_made", choice=choice, sizes=sizes)


def columns(choice: Choice, table: str) -> list[tuple[str, str]]:
    """The configurations of a table that the choice has, with titles.

    >>> [key for key, _ in columns(CHOICE, "Table 4.4")]
    ['h+xrs1', 'h+fsm1', 'h+xrs5', 'h+fsm5']
    """
    words = _experiment(table)
    if words.get("percents") == "fsm_percents":  # of both kinds
        choice = choice._replace(percents=choice.fsm_percents)
    return [pair for pair in words["columns"] if _known(choice, pair[0])]


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


def cells_of_paper() -> dict[str, dict[str, Figure]]:
    """The paper's figures without its geometric means."""
    return {
        key: {domain: cell for domain, cell in row.items() if domain != GEOMETRIC_MEAN}
        for key, row in PRINTED.items()
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
    return _beside(geometric_mean(row, domains), paper_mean(key, domains))


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


def _experiment(table: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in GRID["experiments"] if each["table"] == table)
    return found


def _known(choice: Choice, key: str) -> bool:
    """Whether the choice has the networks of a configuration; the paper's po^G* has none."""
    operators = Configuration.parse(key).operators
    return operators is None or choice.has(*operators)


def _data(place: Place) -> Path:
    return place.results / "tasks" if place.data is None else place.data


def _wanted(choice: Choice, table: str) -> list[Configuration]:
    """The configurations of a table, and those that its claims compare."""
    keys = [key for key, _ in columns(choice, table) if "*" not in key]
    more = [key for key in sorted(compared(GRID["claims"], table)) if _known(choice, key)]
    return [Configuration.parse(key) for key in dict.fromkeys((*keys, *more))]


def _networks(choice: Choice, table: str) -> list[Network]:
    """The networks that the searches of a table need."""
    needed = {
        network
        for each in _wanted(choice, table)
        for domain in choice.domains
        for pair in choice.pairs
        for network in each.networks(choice, domain, pair).values()
    }
    return [network for network in runs.networks(choice) if network in needed]


def _searches(choice: Choice, table: str, place: Place) -> list[Work]:
    everything = _networks(choice._replace(only=KINDS), table)
    wanted = _wanted(choice, table)
    return runs.search_works(choice, wanted, everything, _data(place), place.results)


def _beside(here: float | None, paper: float | None) -> Cell:
    return number_cell(here, beside=number_cell(paper))


def _training_table(records: Sequence[Record]) -> Table:
    def beside(name: str, printed: str, without: str = "") -> Any:
        """Means beside those that the paper prints, `without` one kind of networks."""

        def cell(group: Sequence[Record]) -> Cell | None:
            settings = group[0]["settings"]
            if settings["kind"] == without:
                return None
            rows = PAPER["training"].get(f"{settings['kind']}{settings['percent']}", {})
            return _beside(mean_of(name)(group), rows.get(settings["domain"], {}).get(printed))

        return cell

    groups = grouped(records, "kind", "percent", "domain")
    order = sorted(groups, key=lambda key: (KINDS.index(key[0]), *key[1:]))
    return grouped_table(
        "3",
        "Training (paper: Tables E.1 and E.2)",
        "",
        [groups[key] for key in order],
        {
            "network": lambda group: "{kind} {percent} %".format(**group[0]["settings"]),
            "domain": first("settings.domain"),
            "networks": len,
            "samples": mean_of("samples.samples"),
            "best epoch": beside("best_epoch", "best_epoch"),
            "validation loss": beside("validation_loss", "validation_loss"),
            "least": lambda group: min(each["validation_loss"] for each in group),
            "largest": lambda group: max(each["validation_loss"] for each in group),
            "seconds": beside("train_seconds", "seconds"),
            "CPU seconds": mean_of("cpu_seconds"),
            "operators of a sample": beside("samples.mean_preferred", "operators", runs.HEURISTIC),
            "ended by": lambda group: ", ".join(sorted({each["ended_by"] for each in group})),
        },
    )


def _search_table(searches: Sequence[Record], training: Sequence[Record]) -> Table:
    groups = grouped(searches, "domain")
    unsolved = [
        f"{each['settings']['domain']} {each['settings']['configuration']}"
        for each in searches
        if each["solved"] < len(each["expanded"])
    ]
    trained, searched = (
        sum(each[name] for each in records) / 3600
        for name, records in (("train_seconds", training), ("seconds", searches))
    )
    note = (
        f"{len(training)} networks took {trained:.2f} hours of one core; searches took"
        f" {searched:.2f} hours."
    )
    note += f" Not all were solved: {', '.join(unsolved)}." if unsolved else ""
    return grouped_table(
        "4",
        "Searches",
        note,
        [groups[domain,] for domain in DOMAINS if (domain,) in groups],
        {
            "domain": first("settings.domain"),
            "initial states": lambda group: len(group[0]["expanded"]),
            "searches": lambda group: sum(len(each["expanded"]) for each in group),
            "solved": lambda group: sum(each["solved"] for each in group),
            "seconds": lambda group: sum(each["seconds"] for each in group),
        },
    )
