"""The tables on discovered preferred operators, from state spaces to tables of results."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, Any

from beeline.experiments.discovered_operators.claims import check, compared
from beeline.experiments.discovered_operators.figures import (
    paper_figures,
    read_paper,
    record_figures,
)
from beeline.experiments.discovered_operators.grid import (
    DOMAINS,
    HEURISTIC,
    KINDS,
    Choice,
    networks,
)
from beeline.experiments.discovered_operators.made_spaces import SPACES, make_spaces
from beeline.experiments.discovered_operators.searching import (
    ORDERS,
    configurations,
    search_works,
)
from beeline.experiments.discovered_operators.tables import (
    FAR,
    Table,
    expansions_table,
    far_cells,
    means_table,
    tables,
)
from beeline.experiments.discovered_operators.training import trained_works, training_works
from beeline.experiments.records import is_done, make_records, need_record
from beeline.experiments.result_tables import MISSING, Grid, ResultTable, turned
from beeline.experiments.verdicts import RULE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from beeline.experiments.discovered_operators.grid import Network
    from beeline.experiments.place import Place
    from beeline.experiments.records import Record, Work

CHOICE = Choice()
SEED_FIELDS = ("sample_seeds", "network_seeds")
SCALES: dict[str, dict[str, Any]] = {
    "tiny": {
        "domains": ("blocks",),
        "ideal_domains": ("blocks",),
        "sample_seeds": 1,
        "network_seeds": 1,
        "percents": (1, 5),
        "epochs": 2,
        "initial_states": 2,
        "spaces": "tiny",
    },
    "small": {
        "ideal_domains": ("blocks", "visitall"),
        "sample_seeds": 2,
        "network_seeds": 1,
        "epochs": 300,
        "initial_states": 20,
        "spaces": "small",
    },
    "paper": {
        "ideal_domains": DOMAINS,
        "sample_seeds": 5,
        "network_seeds": 5,
        "percents": (1, 5, 10, 20, 30, 40, 50),
        "fsm_percents": (1, 5, 10, 20),
        "spaces": "paper",
    },
}


def paper_title(choice: Choice) -> str:
    """Authors and title."""
    return str(read_paper()["title"])


def make(choice: Choice, table: str, place: Place) -> int:
    """Make all records of a table; how many could not be made."""
    data = _data(place)
    if place.data is None:
        make_spaces(data, choice.domains, choice.spaces, choice.initial_states, place.say)
    works = training_works(_networks(choice, table), data, place.results)
    failed = make_records(works, place.jobs, place.say)
    works = _searches(choice, table, place)
    return failed + make_records(works, place.jobs, place.say)


def result_tables(choice: Choice, table: str, place: Place) -> list[ResultTable]:
    """The paper's table with our figures, then what stands behind it."""
    searches = [need_record(work) for work in _searches(choice, table, place) if is_done(work)]
    trained = trained_works(_networks(choice, table), _data(place), place.results)
    training = [need_record(work) for work in trained.values()]
    ours = record_figures(searches)
    domains = [domain for domain in DOMAINS if domain in choice.domains]
    own = _table(choice, table)
    found = [
        ResultTable(
            "1",
            f"{own.name}: expansions, {own.about}",
            _note(choice, place),
            turned(expansions_table(own, ours, domains), "configuration"),
            check(ours, paper_figures(), own.name),
        ),
        ResultTable(
            "2",
            "Geometric means of expansions",
            "Over the domains that there are; the paper's over the same.",
            means_table([own], ours),
        ),
        ResultTable("3", "Training (paper: Tables E.1 and E.2)", "", _training_grid(training)),
        ResultTable("4", "Searches", _times(searches, training), _search_grid(searches)),
    ]
    if place.data is not None:
        title = f"Cells that are off by more than {100 * FAR:.0f} %"
        found.append(ResultTable("5", title, "", far_cells(ours)))
    return [each for each in found if each.grid.rows]


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


def _data(place: Place) -> Path:
    return place.results / "tasks" if place.data is None else place.data


def _table(choice: Choice, name: str) -> Table:
    listed = tables(choice.percents, choice.fsm_percents)
    return next(each for each in listed if each.name == name)


def _searches(choice: Choice, table: str, place: Place) -> list[Work]:
    everything = _networks(choice._replace(only=KINDS), table)
    wanted = _wanted(choice, table)
    return search_works(choice, wanted, everything, _data(place), place.results)


def _networks(choice: Choice, table: str) -> list[Network]:
    """The networks that the searches of a table need."""
    wanted = _wanted(choice, table)
    needed = {
        network
        for each in configurations(choice.percents, choice.fsm_percents)
        if each.key in wanted
        for domain in choice.domains
        for pair in choice.pairs
        for network in each.networks(choice, domain, pair).values()
    }
    return [network for network in networks(choice) if network in needed]


def _wanted(choice: Choice, table: str) -> set[str]:
    """The configurations of a table, and those that its claims compare."""
    return {key for key, _ in _table(choice, table).columns} | compared(table)


def _note(choice: Choice, place: Place) -> str:
    seeds = f"{choice.sample_seeds} × {choice.network_seeds} (paper: {read_paper()['seeds']})"
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


def _training_grid(records: Sequence[Record]) -> Grid:
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
    return Grid(header, rows)


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


def _search_grid(searches: Sequence[Record]) -> Grid:
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in searches:
        groups[record["settings"]["domain"]].append(record)
    rows = []
    for domain in (each for each in DOMAINS if each in groups):
        group = groups[domain]
        solved = sum(each["solved"] for each in group)
        total = sum(len(each["expanded"]) for each in group)
        seconds = sum(each["seconds"] for each in group)
        rows.append([domain, str(len(group[0]["expanded"])), f"{total:,}", f"{solved:,}"])
        rows[-1].append(f"{seconds:.1f}")
    return Grid(["domain", "initial states", "searches", "solved", "seconds"], rows)
