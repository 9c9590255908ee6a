"""The tables on discovered preferred operators, from state spaces to tables of results."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, Any

from beeline.evaluate.tables import Cell, number_cell
from beeline.experiments.claims import RULE, check, compared
from beeline.experiments.figures import (
    GEOMETRIC_MEAN,
    Figure,
    figures_table,
    geometric_mean,
    paper_figures,
    plain_table,
)
from beeline.experiments.minini2023.runs import (
    DOMAINS,
    HEURISTIC,
    KINDS,
    ORDERS,
    Choice,
    Configuration,
    networks,
    search_works,
    trained_works,
    training_works,
)
from beeline.experiments.minini2023.spaces import SPACES, make_spaces
from beeline.experiments.records import is_done, need_record
from beeline.experiments.registry import grid, read_paper

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from beeline.evaluate.tables import Table
    from beeline.experiments.figures import Figures
    from beeline.experiments.minini2023.runs import Network
    from beeline.experiments.records import Record, Work
    from beeline.experiments.running import Place

CHOICE = Choice()
GRID = grid("minini2023")
PAPER = read_paper("minini2023")
PRINTED: Figures = paper_figures(PAPER["figures"])["expansions"]  # with geometric means
FAR = 0.3  # a cell that is off by more is listed
NEAR_MEAN = 0.15  # a geometric mean that is off by no more is near


def stages(choice: Choice, table: str, place: Place) -> Iterator[list[Work]]:
    """The records of a table, those of trainings first."""
    data = _data(place)
    if place.data is None:
        make_spaces(data, choice.domains, choice.spaces, choice.initial_states, place.say)
    yield training_works(_networks(choice, table), data, place.results)
    yield _searches(choice, table, place)


def tables(choice: Choice, table: str, place: Place) -> list[Table]:
    """The paper's table with our figures, then what stands behind it."""
    searches = [need_record(work) for work in _searches(choice, table, place) if is_done(work)]
    trained = trained_works(_networks(choice, table), _data(place), place.results)
    training = [need_record(work) for work in trained.values()]
    ours, paper = record_figures(searches), cells_of_paper()
    domains = [domain for domain in DOMAINS if domain in choice.domains]
    titles = dict(columns(choice, table))
    verdicts = check(GRID["claims"], table, DOMAINS, lambda *_: ours, lambda *_: paper)
    found = [
        figures_table(
            "1",
            f"{table}: expansions, {_experiment(table)['title']}",
            _note(choice, place),
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
        return "The state spaces and initial states are those in the folder of data."
    made = {domain: SPACES[choice.spaces][domain] for domain in choice.domains}
    sizes = "; ".join(
        " ".join([domain, *(f"{name} {value}" for name, value in parameters.items())])
        for domain, parameters in made.items()
    )
    return (
        "These are not the paper's tasks: they come from the built-in generators, with"
        f" {choice.initial_states} initial states drawn from each state space ({sizes}). Figures"
        " can be compared among themselves, with the paper's only roughly."
    )


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
    means: dict[tuple[str, str], list[float]] = defaultdict(list)
    learned = {}
    for record in records:
        settings = record["settings"]
        key = settings["configuration"], settings["domain"]
        means[key].append(fmean(record["expanded"]))
        learned[key] = settings["pair"] is not None
    found: dict[str, dict[str, Figure]] = defaultdict(dict)
    for key, values in means.items():
        seeds = tuple(values) if learned[key] else ()
        found[key[0]][key[1]] = Figure(fmean(values), seeds=seeds)
    return dict(found)


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
    beside = number_cell(paper_mean(key, domains))
    return number_cell(geometric_mean(row, domains), beside=beside)


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
        for domain in DOMAINS:
            here = ours.get(key, {}).get(domain)
            if here is None or domain not in paper:
                continue
            off = here.mean / paper[domain].mean - 1
            if abs(off) > FAR:
                seeds = (min(here.seeds), max(here.seeds)) if here.seeds else (None, None)
                rows.append([key, domain, here.mean, paper[domain].mean, 100 * off, *seeds])
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
    return [network for network in networks(choice) if network in needed]


def _searches(choice: Choice, table: str, place: Place) -> list[Work]:
    everything = _networks(choice._replace(only=KINDS), table)
    wanted = _wanted(choice, table)
    return search_works(choice, wanted, everything, _data(place), place.results)


def _note(choice: Choice, place: Place) -> str:
    seeds = f"{choice.sample_seeds} × {choice.network_seeds} (paper: {PAPER['seeds']})"
    rounded = " ĥ is rounded to whole numbers." if choice.order == "rounded" else ""
    epochs = "" if choice.epochs is None else f" Training ends after {choice.epochs} epochs."
    return (
        "Beside each figure, in brackets, is the paper's. A cell is the mean number of expansions"
        " over all initial states of a state space and all pairs of seeds: sets of samples ×"
        f" networks of each, {seeds}; ideal preferred operators are learned from all states,"
        " hence once for each network seed. Greedy best-first search in the order"
        f" [{ORDERS[choice.order]}], with a second queue for preferred operators and a boost of"
        f" 1000 unless the table says otherwise; unit costs.{rounded} ĥ is learned from FSM"
        " samples, 1 % of the state space, a fifth of them random states; po^G from XRS samples;"
        " po^FSM from FSM samples. Of the applicable operators, the one with the highest output of"
        " a network is preferred, and all with one above 0.9. po^G*, the paper's variant with"
        f" perfect distances of the samples, is not repeated.{epochs} A dash is a run that has not"
        f" been made. {tasks_text(choice, given=place.data is not None)} {RULE}"
    )


def _training_table(records: Sequence[Record]) -> Table:
    groups: dict[tuple[str, int, str], list[Record]] = defaultdict(list)
    for record in records:
        settings = record["settings"]
        groups[settings["kind"], settings["percent"], settings["domain"]].append(record)
    rows: list[list[object]] = []
    for kind, percent, domain in sorted(groups, key=lambda key: (KINDS.index(key[0]), *key[1:])):
        group = groups[kind, percent, domain]
        paper = PAPER["training"].get(f"{kind}{percent}", {}).get(domain, {})
        losses = [each["validation_loss"] for each in group]
        operators = fmean(each["samples"]["mean_preferred"] for each in group)
        rows.append(
            [
                f"{kind} {percent} %",
                domain,
                len(group),
                fmean(each["samples"]["samples"] for each in group),
                _beside(fmean(each["best_epoch"] for each in group), paper.get("best_epoch")),
                _beside(fmean(losses), paper.get("validation_loss")),
                min(losses),
                max(losses),
                _beside(fmean(each["train_seconds"] for each in group), paper.get("seconds")),
                fmean(each["cpu_seconds"] for each in group),
                None if kind == HEURISTIC else _beside(operators, paper.get("operators")),
                ", ".join(sorted({each["ended_by"] for each in group})),
            ]
        )
    header = ["network", "domain", "networks", "samples", "best epoch", "validation loss"]
    header += ["least", "largest", "seconds", "CPU seconds", "operators of a sample", "ended by"]
    return plain_table("3", "Training (paper: Tables E.1 and E.2)", "", header, rows)


def _beside(here: float, paper: float | None) -> Cell:
    return number_cell(here, beside=number_cell(paper))


def _search_table(searches: Sequence[Record], training: Sequence[Record]) -> Table:
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in searches:
        groups[record["settings"]["domain"]].append(record)
    rows = [
        [
            domain,
            len(groups[domain][0]["expanded"]),
            sum(len(each["expanded"]) for each in groups[domain]),
            sum(each["solved"] for each in groups[domain]),
            sum(each["seconds"] for each in groups[domain]),
        ]
        for domain in DOMAINS
        if domain in groups
    ]
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
    header = ["domain", "initial states", "searches", "solved", "seconds"]
    return plain_table("4", "Searches", note, header, rows)
