"""The tables on heuristics optimised to rank, from tasks to tables of results."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING

from beeline.evaluate.tables import MISSING, Claim, Table, number_cell, plain_table
from beeline.experiments import figures
from beeline.experiments.chrestien2023 import runs, trainings
from beeline.experiments.chrestien2023.trainings import ALL_LOSSES, DOMAINS, Choice, Variant
from beeline.experiments.claims import RULE, check
from beeline.experiments.figures import Figures, figures_table, first, mean_of, paper_figures
from beeline.experiments.records import TEST, Place, Record, Work, complete_manifest, known_records
from beeline.experiments.registry import grid, read_paper, table_words, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from beeline.experiments.chrestien2023.runs import Tests

    Numbered = tuple[str, str, Figures, Sequence[Claim]]

FOLDER = "chrestien2023"
BREADTH_FIRST = "Table 5"
CHOICE = Choice()


def stages(choice: Choice, table: str, place: Place) -> Iterator[list[Work]]:
    """All records; all tables but that of breadth-first search need the same."""
    results, tasks = place.results, runs.all_tasks(choice, place)
    choice = choice._replace(domains=tuple(tasks))
    if table == BREADTH_FIRST:
        yield list(runs.breadth_first_works(choice, tasks, results).values())
        return
    trainings.make_sets(tasks, choice, place)
    yield list(trainings.training_works(choice.runs(), results).values())
    yield list(runs.breadth_first_works(choice, tasks, results).values())
    for works in (runs.validation_works, runs.final_works):
        yield list(works(choice, tasks, results).values())


def tables(choice: Choice, table: str, place: Place) -> list[Table]:
    """The paper's table with our figures, then what stands behind it."""
    results, tasks = place.results, runs.all_tasks(choice, place)
    # Whatever has been trained.
    choice = choice._replace(domains=tuple(tasks), losses=ALL_LOSSES)
    aside = runs.breadth_first_works(choice, tasks, results)
    alone = known_records(aside)
    if table == BREADTH_FIRST:
        about = text(FOLDER, "breadth_first", choice=choice)
        note = f"{tasks_text(choice, given=place.data is not None)} {about}"
        return [replace(breadth_first_table(alone), name="1", note=note)]
    tests = runs.tests_of(known_records(runs.final_works(choice, tasks, results)))
    domains = [domain for domain in DOMAINS if domain in choice.domains]
    more = {column.partition(" ")[2] for column in tests}
    titles = column_titles(
        [loss for loss in ALL_LOSSES if loss in trainings.LOSSES or loss in more]
    )
    paper = read_paper(FOLDER)
    counts = "; ".join(
        f"{domain} {len(each.tasks)} ({paper['tasks'][domain]}), tests"
        f" {len(each.part(TEST, choice.test_tasks))}"
        for domain, each in tasks.items()
    )
    note = text(FOLDER, "note", paper=paper, counts=counts, **note_values(choice, place))
    easy = [domain for domain, record in alone.items() if all(record["solved"])]
    return [
        *main_tables(FOLDER, table, tests, titles, domains, note, easy),
        breadth_first_table(alone, planners=table == "Table 7"),
        plans_table(domains, place),
        sizes_table({column: tests[column] for column in titles if column in tests}, domains),
        training_table([*trainings.trained(choice.runs(), results).values()], ALL_LOSSES, ""),
    ]


def tasks_text(
    choice: Choice, *, given: bool, folder: str = FOLDER, wanted: Sequence[str] = DOMAINS
) -> str:
    """Which tasks these are."""
    names = ", ".join(each for each in wanted if each not in runs.SIZES[choice.task_sizes])
    missing = text(folder, "missing", domains=names) if names else ""
    return text(folder, "tasks_given" if given else "tasks_made", missing=missing)


def note_values(choice: Choice, place: Place, folder: str = FOLDER) -> dict[str, object]:
    """What the note below the first table tells of the choice."""
    wanted = DOMAINS if folder == FOLDER else choice.domains
    return {
        "choice": choice,
        "tasks": tasks_text(choice, given=place.data is not None, folder=folder, wanted=wanted),
        "sizes": ", ".join(choice.sizes),
        "validated": choice.validation_tasks or "all",
        "clipped": f"clipped to the norm {choice.gradient_clip:g}"
        if choice.gradient_clip
        else "not clipped",
    }


def column_title(column: str) -> str:
    """A column in words.

    >>> column_title("astar l2")
    'L_2 in A*'
    """
    search, _, loss = column.partition(" ")
    return f"{Variant.parse(loss).title} in {'A*' if search == 'astar' else 'GBFS'}"


def column_titles(losses: Sequence[str]) -> dict[str, str]:
    """All searches with all losses, as in the paper's tables."""
    found = [
        f"{s} {loss}"
        for s in trainings.SEARCHES
        for loss in losses
        if s in trainings.searches_of(loss)
    ]
    return {column: column_title(column) for column in found}


def common_text(shared: Mapping[str, set[str]], domains: Sequence[str], folder: str) -> str:
    """How many tasks of each domain all columns have solved."""
    counts = ", ".join(f"{domain} {len(shared[domain])}" for domain in domains if domain in shared)
    return text(folder, "common", counts=counts or "none")


def main_tables(
    folder: str,
    table: str,
    tests: Tests,
    titles: Mapping[str, str],
    domains: Sequence[str],
    note: str,
    easy: Sequence[str],
) -> list[Table]:
    """The paper's table with our figures; of expansions also one that compares the same tasks."""
    paper = paper_figures(read_paper(folder)["figures"])
    shared = runs.common_tasks(tests, paper["coverage"])
    common, words = common_text(shared, domains, folder), table_words(folder, table)
    ours: dict[str, Figures] = {
        "coverage": runs.coverage_figures(tests),
        "expansions": runs.mean_figures(tests, "expanded"),
        "lengths": runs.mean_figures(tests, "length", within=shared),
    }
    said = {"note": note, "common": common, "rule": RULE}
    about = " ".join(said.get(name) or text(folder, name) for name in words["below"])
    measure = words["shows"]
    verdicts = check(
        grid(folder)["claims"],
        measure,
        domains,
        lambda name, _: ours[name],
        lambda name, _: paper[name],
        column_title,
        easy,
    )
    claims = [each.claim(table) for each in verdicts]
    listed: list[Numbered] = [(f"{table}: {words['title']}", about, ours[measure], claims)]
    if measure == "expansions":
        fair = runs.mean_figures(tests, "expanded", within=shared)
        listed.append(("Expanded states in tasks that all solved", common, fair, []))
    return numbered(listed, titles, domains, "loss and search", paper[measure])


def numbered(
    listed: Sequence[Numbered],
    titles: Mapping[str, str],
    domains: Sequence[str],
    corner: str,
    paper: Figures | None = None,
) -> list[Table]:
    """Tables of titles, notes, figures and claims."""
    return [
        figures_table(str(n), title, note, titles, domains, ours, paper, corner=corner, claims=more)
        for n, (title, note, ours, more) in enumerate(listed, 1)
    ]


def breadth_first_table(records: Mapping[str, Record], *, planners: bool = False) -> Table:
    """Solved tasks and mean expansions without a heuristic; what the paper has of `planners`."""
    paper = read_paper(FOLDER)
    others = paper["planners"] if planners else {}
    rows = []
    for domain in (each for each in DOMAINS if each in records):
        record = records[domain]
        expanded = runs.Trial("", record).values("expanded")
        solved = number_cell(
            runs.coverage(record), beside=number_cell(paper["breadth_first"][domain])
        )
        row = [domain, len(record["solved"]), solved, fmean(expanded) if expanded else None]
        rows.append([*row, *(each[domain] for each in others.values())])
    header = ["domain", "tasks", "solved, %", "expansions"]
    header += [f"{name}, solved in the paper, %" for name in others]
    return plain_table("5", "Table 5: breadth-first search", "", header, rows)


def plans_table(
    domains: Sequence[str], place: Place, orders: Sequence[int] = (), note: str = "A* with LM-cut."
) -> Table:
    """How many tasks have optimal plans, and how many orders of these there are."""
    rows = []
    for domain, part in ((domain, part) for domain in domains for part in trainings.PARTS):
        found, *ordered = (
            complete_manifest(trainings.set_folder(place.results, domain, part, most))
            for most in (1, *orders)
        )
        if found is not None:
            counts = [found.counts[name] for name in ("instances", "solved", "states")]
            more = [None if each is None else each.counts["orders"] for each in ordered]
            rows.append([domain, part, *counts, found.config["max_evaluations"], *more])
    header = ["domain", "part", "tasks", "solved", "states", "evaluations at most"]
    header += [f"orders, at most {most} each" for most in orders]
    return plain_table("6", "Optimal plans to train with", note, header, rows)


def sizes_table(tests: Tests, domains: Sequence[str]) -> Table:
    """The size of the network that was chosen for each column."""
    rows = []
    for column, row in tests.items():
        sizes = [dict.fromkeys(each.size for each in row.get(domain, [])) for domain in domains]
        rows.append([column_title(column), *(", ".join(each) or MISSING for each in sizes)])
    title = "Sizes of the networks that solve most validation tasks"
    return plain_table("7", title, "", ["network", *domains], rows)


def training_table(
    records: Sequence[Record], losses: Sequence[str], note: str, domains: Sequence[str] = DOMAINS
) -> Table:
    """What training took, and the share of pairs out of order that is left; losses in order."""
    order = {name: place for place, name in enumerate((*domains, *losses))}
    groups = figures.grouped(records, "domain", "loss", "size")
    hours = sum(each["cpu_seconds"] for each in records) / 3600
    violated = mean_of("validation.violations")
    return figures.grouped_table(
        "8",
        "Training",
        f"{len(records)} networks took {hours:.2f} hours of one core.{note}",
        [groups[key] for key in sorted(groups, key=lambda key: (*map(order.get, key[:2]), key[2]))],
        {
            "domain": first("settings.domain"),
            "loss": lambda group: Variant.parse(group[0]["settings"]["loss"]).title,
            "size": first("settings.size"),
            "networks": len,
            # Of a likelihood, the loss is the negative logarithm.
            "validation loss": lambda group: mean_of(
                f"validation.{'loss' if 'loss' in group[0]['validation'] else 'nll'}"
            )(group),
            "pairs out of order, %": lambda group: 100 * violated(group),
            "best step": mean_of("best_step"),
            "CPU seconds": mean_of("cpu_seconds"),
        },
    )
