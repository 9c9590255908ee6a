"""The tables on discovered preferred operators, from state spaces to tables of results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from beeline.experiments.claims import RULE, check, compared
from beeline.experiments.figures import (
    GEOMETRIC_MEAN,
    Figures,
    figures_table,
    first,
    grouped,
    grouped_table,
    mean_of,
)
from beeline.experiments.minini2023 import runs
from beeline.experiments.minini2023.beside import (
    DEVIATIONS,
    DISTANCE,
    EXPANSIONS,
    MEASURES,
    PAPER,
    cells_of_paper,
    deviations,
    distances,
    far_cells,
    mean_cell,
    means_table,
    printed,
    record_figures,
)
from beeline.experiments.minini2023.beside import beside as figure_beside
from beeline.experiments.minini2023.runs import Choice, Configuration, Network
from beeline.experiments.minini2023.samples import (
    DOMAINS,
    HEURISTIC,
    KINDS,
    PERFECT,
    SHARE,
    SPACES,
    Draw,
    check_data,
    make_spaces,
    sample_figures,
    sample_kind,
    sample_works,
)
from beeline.experiments.records import Place, Record, Work, known_records
from beeline.experiments.registry import grid, table_words, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from beeline.evaluate.tables import Cell, Table


FOLDER = "minini2023"
CHOICE = Choice()
GRID = grid(FOLDER)


def stages(choice: Choice, table: str, place: Place) -> Iterator[list[Work]]:
    """The records of a table, those of trainings first."""
    data, measured = _data(place), "measure" in table_words(FOLDER, table)
    if place.data is None:
        make_spaces(data, choice.domains, choice.spaces, choice.initial_states, place.say)
    check_data(data, choice.domains, searched=not measured)
    if measured:
        yield list(_draws(choice, table, place).values())
        return
    yield list(runs.training_works(_networks(choice, table), data, place.results).values())
    yield _searches(choice, table, place)


def tables(choice: Choice, table: str, place: Place) -> list[Table]:
    """The paper's table with our figures, then what stands behind it."""
    words = table_words(FOLDER, table)
    domains = [domain for domain in DOMAINS if domain in choice.domains]
    titles = dict(columns(choice, table))
    ours: dict[str, Figures] = {}
    if "measure" in words:
        shown = words["measure"]
        known = known_records(_draws(choice, table, place))
        ours[shown] = sample_figures(known, list(titles), shown)
        note, behind = text(FOLDER, "samples", choice=choice), []
        note += f" {tasks_text(choice, given=place.data is not None)}"
        means = None
    else:
        shown = words.get("shows", EXPANSIONS)
        trained = runs.training_works(_networks(choice, table), _data(place), place.results)
        training = [*known_records(trained).values()]
        searches = [*known_records(dict(enumerate(_searches(choice, table, place)))).values()]
        ours[EXPANSIONS] = record_figures(searches)
        ours[DEVIATIONS] = deviations(ours[EXPANSIONS])
        note = _note(choice, place)
        behind = [_training_table(training), _search_table(searches, training)]
        behind += [] if place.data is None else [far_cells(ours[EXPANSIONS])]
        behind = [means_table(titles, ours[EXPANSIONS]), *behind]
        means = (GEOMETRIC_MEAN, {key: mean_cell(key, ours[EXPANSIONS]) for key in titles})
    if place.data is not None:  # in other tasks there is nothing to be near to
        ours[DISTANCE] = distances(words.get("rules", {}), ours[shown], MEASURES[shown])
    verdicts = check(
        GRID["claims"],
        table,
        DOMAINS,
        lambda measure, _: ours.get(measure, {}),
        lambda measure, _: cells_of_paper(measure),
    )
    first_table = figures_table(
        "1",
        f"{table}: {words['title']}",
        f"{words.get('note', '')} {note} {RULE}".strip(),
        titles,
        domains,
        ours[shown],
        {column: printed(column, shown) for column in titles},
        means=means if shown == EXPANSIONS else ("", {}),
        claims=[each.claim(table) for each in verdicts],
    )
    if shown == DEVIATIONS:
        behind = [_drawn(text(FOLDER, "drawn", table=table), titles, domains, ours), *behind]
    if ours.get(DISTANCE):
        rules = {rule: rule for rule in words["rules"]}
        about = text(FOLDER, "distances")
        behind = [
            figures_table("9", "Distance from the paper", about, rules, domains, ours[DISTANCE]),
            *behind,
        ]
    return [replace(each, name=str(n)) for n, each in enumerate([first_table, *behind], 1)]


def _drawn(
    title: str, titles: Mapping[str, str], domains: Sequence[str], ours: Mapping[str, Figures]
) -> Table:
    """Means with deviations as a table that is drawn, without numbers of seeds."""
    whole = figures_table("6", title, "", titles, domains, ours[EXPANSIONS], means=("", {}))
    rows = tuple(row[:-1] for row in whole.rows)
    return replace(whole, header=whole.header[:-1], rows=rows, plot="states expanded")


def _note(choice: Choice, place: Place) -> str:
    return text(
        FOLDER,
        "note",
        choice=choice,
        paper=PAPER,
        order=runs.ORDERS[choice.order],
        rounded=text(FOLDER, "rounded") if choice.order == "rounded" else "",
        epochs="" if choice.epochs is None else text(FOLDER, "epochs", choice=choice),
        tasks=tasks_text(choice, given=place.data is not None),
    )


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
    words = table_words(FOLDER, table)
    if words.get("percents") == "fsm_percents":  # of both kinds
        choice = choice._replace(percents=choice.fsm_percents)
    return [pair for pair in words["columns"] if _known(choice, pair[0])]


def _known(choice: Choice, key: str) -> bool:
    """Whether the choice has the samples of a configuration, or of a column of samples."""
    configuration = Configuration.parse(key)
    operators = configuration.operators or sample_kind(key)
    other = configuration.share != SHARE and configuration.share not in choice.shares
    return operators is None or (choice.has(*operators) and not other)


def _data(place: Place) -> Path:
    return place.results / "tasks" if place.data is None else place.data


def _wanted(choice: Choice, table: str) -> list[Configuration]:
    """The configurations of a table, and those that its claims compare."""
    keys = [key for key, _ in columns(choice, table)]
    claims = [each for each in GRID["claims"] if each["measure"] != DISTANCE]
    more = [key for key in sorted(compared(claims, table)) if _known(choice, key)]
    return [Configuration.parse(key) for key in dict.fromkeys((*keys, *more))]


def _networks(choice: Choice, table: str) -> list[Network]:
    """The networks that the searches of a table need, cheap ones first."""
    needed = {
        network
        for each in _wanted(choice, table)
        for domain in choice.domains
        for pair in choice.pairs
        for network in each.networks(choice, domain, pair).values()
    }
    usual = [network for network in runs.networks(choice) if network in needed]
    # Those of the paper's smaller experiments, which a choice does not count.
    others = [
        each
        for each in needed
        if (each.kind == PERFECT or each.share != SHARE) and each.kind in choice.only
    ]
    order = {domain: place for place, domain in enumerate(runs.CHEAP_FIRST)}
    return usual + sorted(others, key=lambda each: (order[each.domain], each.key))


def _draws(choice: Choice, table: str, place: Place) -> dict[Draw, Work]:
    """The samples of a table, and those that its claims compare."""
    wanted = [key for key, _ in columns(choice, table)]
    draws = [
        Draw(column, domain, seed)
        for domain in runs.CHEAP_FIRST
        if domain in choice.domains
        for column in wanted
        for seed in range(choice.sample_seeds)
    ]
    return sample_works(draws, _data(place), place.results)


def _searches(choice: Choice, table: str, place: Place) -> list[Work]:
    everything = _networks(choice._replace(only=KINDS), table)
    wanted = _wanted(choice, table)
    return runs.search_works(choice, wanted, everything, _data(place), place.results)


def _training_table(records: Sequence[Record]) -> Table:
    def beside(name: str, printed: str, without: str = "") -> Any:
        """Means beside those that the paper prints, `without` one kind of networks."""

        def cell(group: Sequence[Record]) -> Cell | None:
            settings = group[0]["settings"]
            if settings["kind"] == without:
                return None
            usual = settings["kind"] if settings["share"] == SHARE else ""
            rows = PAPER["training"].get(f"{usual}{settings['percent']}", {})
            return figure_beside(
                mean_of(name)(group), rows.get(settings["domain"], {}).get(printed)
            )

        return cell

    def network(group: Sequence[Record]) -> str:
        settings = group[0]["settings"]
        share = "" if settings["share"] == SHARE else f", k1 = {settings['share']:g}"
        return f"{settings['kind']} {settings['percent']} %{share}"

    groups = grouped(records, "kind", "percent", "domain", "share")
    order = sorted(groups, key=lambda key: (KINDS.index(key[0]), *key[1:]))
    return grouped_table(
        "3",
        "Training (paper: Tables E.1 and E.2)",
        "",
        [groups[key] for key in order],
        {
            "network": network,
            "domain": first("settings.domain"),
            "networks": len,
            "samples": mean_of("samples.samples"),
            "best epoch": beside("best_epoch", "best_epoch"),
            "validation loss": beside("validation_loss", "validation_loss"),
            "least": lambda group: min(each["validation_loss"] for each in group),
            "largest": lambda group: max(each["validation_loss"] for each in group),
            "seconds": beside("train_seconds", "seconds"),
            "CPU seconds": mean_of("cpu_seconds"),
            "operators of a sample": beside("samples.mean_preferred", "operators", HEURISTIC),
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
