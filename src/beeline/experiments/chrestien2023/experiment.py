"""The tables on heuristics optimised to rank, from tasks to tables of results."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from beeline.evaluate.tables import MISSING, number_cell
from beeline.experiments.chrestien2023.runs import (
    breadth_first_works,
    common_tasks,
    coverage,
    coverage_figures,
    final_works,
    mean_figures,
    tests_of,
    validation_works,
)
from beeline.experiments.chrestien2023.tasks import SIZES, all_tasks
from beeline.experiments.chrestien2023.trainings import (
    ALL_LOSSES,
    DOMAINS,
    LOSSES,
    PARTS,
    SEARCHES,
    Choice,
    make_sets,
    searches_of,
    set_folder,
    trained_works,
    training_works,
)
from beeline.experiments.chrestien2023.variants import Variant
from beeline.experiments.claims import RULE, check
from beeline.experiments.figures import figures_table, paper_figures, plain_table
from beeline.experiments.records import is_done, need_record
from beeline.experiments.registry import grid, read_paper
from beeline.experiments.training import TEST, complete_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from beeline.evaluate.tables import Table
    from beeline.experiments.chrestien2023.runs import Tests
    from beeline.experiments.chrestien2023.tasks import DomainTasks
    from beeline.experiments.records import Record, Work
    from beeline.experiments.running import Place

CHOICE = Choice()
DISAGREEMENT = (
    "The paper's deviations are from its Table 7, which disagrees with Table 1 on L* in GBFS: 98"
    " and 100 in ferry, 92 and 89 in npuzzle; the former are shown."
)
EQUAL = (
    "Comparisons are of one domain each; one of solved tasks holds if they are equal, as the paper"
    " has many cells of 100 %."
)
OVER_SOLVED = (
    "Means over the tasks that the search solved, in which easy tasks weigh more where fewer are"
    " solved; the goal counts as expanded. The paper does not say what its means are over."
)


def stages(choice: Choice, table: str, place: Place) -> Iterator[list[Work]]:
    """All records; all tables need the same."""
    results, tasks = place.results, all_tasks(choice, place)
    choice = choice._replace(domains=tuple(tasks))
    make_sets(tasks, choice, place)
    yield training_works(choice.runs(), results)
    yield list(breadth_first_works(choice, tasks, results).values())
    for works in (validation_works, final_works):
        yield list(works(choice, tasks, results).values())


def tables(choice: Choice, table: str, place: Place) -> list[Table]:
    """The paper's table with our figures, then what stands behind it."""
    results, tasks = place.results, all_tasks(choice, place)
    # Whatever has been trained.
    choice = choice._replace(domains=tuple(tasks), losses=ALL_LOSSES)
    works = final_works(choice, tasks, results)
    tests = tests_of({key: need_record(work) for key, work in works.items() if is_done(work)})
    training = [need_record(work) for work in trained_works(choice.runs(), results).values()]
    aside = breadth_first_works(choice, tasks, results)
    alone = {domain: need_record(work) for domain, work in aside.items() if is_done(work)}
    domains = [domain for domain in DOMAINS if domain in choice.domains]
    more = {column.partition(" ")[2] for column in tests}
    titles = column_titles([loss for loss in ALL_LOSSES if loss in LOSSES or loss in more])
    return [
        *_main_tables(table, tests, titles, domains, _note(choice, tasks, place)),
        breadth_first_table(alone),
        plans_table(domains, place),
        sizes_table({column: tests[column] for column in titles if column in tests}, domains),
        training_table(training, ALL_LOSSES, ""),
    ]


def tasks_text(choice: Choice, *, given: bool) -> str:
    """Which tasks these are."""
    if given:
        return "Tasks are those in the folder of data; those of spanner are made if it has none."
    missing = [domain for domain in DOMAINS if domain not in SIZES[choice.task_sizes]]
    return (
        "These are not the paper's tasks: they come from the built-in generators. Figures can be"
        " compared among themselves, with the paper's only roughly."
        + (f" There is no generator of {', '.join(missing)}." if missing else "")
    )


def column_title(column: str) -> str:
    """A column in words.

    >>> column_title("astar l2")
    'L_2 in A*'
    """
    search, _, loss = column.partition(" ")
    return f"{Variant.parse(loss).title} in {'A*' if search == 'astar' else 'GBFS'}"


def column_titles(losses: Sequence[str]) -> dict[str, str]:
    """All searches with all losses, as in the paper's tables."""
    found = [f"{s} {loss}" for s in SEARCHES for loss in losses if s in searches_of(loss)]
    return {column: column_title(column) for column in found}


def _main_tables(
    table: str, tests: Tests, titles: Mapping[str, str], domains: list[str], note: str
) -> list[Table]:
    paper = paper_figures(read_paper("chrestien2023")["figures"])
    shared = common_tasks(tests, paper["coverage"])
    counts = ", ".join(f"{domain} {len(shared[domain])}" for domain in domains if domain in shared)
    common = f"Only tasks that all columns of the paper solved with all seeds: {counts or 'none'}."
    ours = {"coverage": coverage_figures(tests), "expansions": mean_figures(tests, "expanded")}
    measure, words, about = {
        "Table 1": ("coverage", "solved tasks in percent", f"{note} {DISAGREEMENT} {RULE} {EQUAL}"),
        "Table 6": ("expansions", "expanded states", f"{OVER_SOLVED} {note} {RULE}"),
        "Table 8": ("lengths", "plan lengths in tasks that all solved", f"{common} {note}"),
    }[table]
    if table == "Table 8":
        ours["lengths"] = mean_figures(tests, "length", within=shared)
    verdicts = check(
        grid("chrestien2023")["claims"],
        measure,
        domains,
        lambda name, _: ours[name],
        lambda name, _: paper[name],
        column_title,
    )
    claims = [each.claim(table) for each in verdicts]
    listed = [(f"{table}: {words}", about, ours[measure], claims)]
    if table == "Table 6":
        fair = mean_figures(tests, "expanded", within=shared)
        listed.append(("Expanded states in tasks that all solved", common, fair, []))
    return [
        figures_table(
            str(number),
            title,
            about,
            titles,
            domains,
            figures,
            paper[measure],
            corner="loss and search",
            claims=claims,
        )
        for number, (title, about, figures, claims) in enumerate(listed, 1)
    ]


def breadth_first_table(records: Mapping[str, Record]) -> Table:
    """Solved tasks and mean expansions without a heuristic."""
    paper = read_paper("chrestien2023")["breadth_first"]
    rows = []
    for domain in (each for each in DOMAINS if each in records):
        record = records[domain]
        pairs = zip(record["expanded"], record["solved"], strict=True)
        expanded = [count for count, solved in pairs if solved]
        solved = number_cell(coverage(record), beside=number_cell(paper[domain]))
        rows.append([domain, len(record["solved"]), solved, fmean(expanded) if expanded else None])
    header = ["domain", "tasks", "solved, %", "expansions"]
    return plain_table("5", "Table 5: breadth-first search", "", header, rows)


def plans_table(
    domains: Sequence[str], place: Place, orders: Sequence[int] = (), note: str = "A* with LM-cut."
) -> Table:
    """How many tasks have optimal plans, and how many orders of these there are."""
    rows: list[list[object]] = []
    for domain in domains:
        for part in PARTS:
            manifest = complete_manifest(set_folder(place.results, domain, part))
            if manifest is None:
                continue
            counts = [manifest.counts[name] for name in ("instances", "solved", "states")]
            rows.append([domain, part, *counts, manifest.config["max_evaluations"]])
            for most in orders:
                ordered = complete_manifest(set_folder(place.results, domain, part, most))
                rows[-1].append(None if ordered is None else ordered.counts["orders"])
    header = ["domain", "part", "tasks", "solved", "states", "evaluations at most"]
    header += [f"orders, at most {most} each" for most in orders]
    return plain_table("6", "Optimal plans to train with", note, header, rows)


def sizes_table(tests: Tests, domains: Sequence[str]) -> Table:
    """The size of the network that was chosen for each column."""
    rows = [
        [
            column_title(column),
            *(
                ", ".join(dict.fromkeys(each.size for each in row.get(domain, []))) or MISSING
                for domain in domains
            ),
        ]
        for column, row in tests.items()
    ]
    title = "Sizes of the networks that solve most validation tasks"
    return plain_table("7", title, "", ["network", *domains], rows)


def training_table(records: Sequence[Record], losses: Sequence[str], note: str) -> Table:
    """What training took, and the share of pairs out of order that is left; losses in order."""
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        settings = record["settings"]
        key = settings["domain"], settings["loss"], settings["size"]
        groups.setdefault(key, []).append(record)
    order = {name: place for place, name in enumerate((*DOMAINS, *losses))}
    rows: list[list[object]] = []
    for key in sorted(groups, key=lambda key: (order[key[0]], order[key[1]], key[2])):
        (domain, loss, size), group = key, groups[key]
        found = [each["validation"] for each in group]
        # Of a likelihood, the loss is the negative logarithm.
        rows.append(
            [
                domain,
                Variant.parse(loss).title,
                size,
                len(group),
                fmean(each["loss"] if "loss" in each else each["nll"] for each in found),
                100 * fmean(each["violations"] for each in found),
                fmean(each["best_step"] for each in group),
                fmean(each["cpu_seconds"] for each in group),
            ]
        )
    header = ["domain", "loss", "size", "networks", "validation loss", "pairs out of order, %"]
    hours = sum(each["cpu_seconds"] for each in records) / 3600
    words = f"{len(records)} networks took {hours:.2f} hours of one core.{note}"
    return plain_table("8", "Training", words, [*header, "best step", "CPU seconds"], rows)


def _note(choice: Choice, tasks: Mapping[str, DomainTasks], place: Place) -> str:
    paper = read_paper("chrestien2023")
    counts = "; ".join(
        f"{domain} {len(each.tasks)} ({paper['tasks'][domain]}), tests"
        f" {len(each.part(TEST, choice.test_tasks))}"
        for domain, each in tasks.items()
    )
    return (
        "Beside each figure, in brackets, is the paper's, PDDL domains. Means over seeds, with"
        f" standard deviations where there are several: at most {choice.seeds} (paper:"
        f" {paper['seeds']}). {tasks_text(choice, given=place.data is not None)} They are split at"
        f" random into 50 % for training, 25 % to choose by and 25 % for tests: {counts}. Networks"
        " are hypergraph convolutions, trained with AdaBelief at the learning rate"
        f" {choice.learning_rate:g} for {choice.steps:,} steps (paper: {paper['steps']:,}) of one"
        " task each, on optimal plans, with unit costs; the weights with the least validation loss"
        f" are kept. Sizes are {', '.join(choice.sizes)}: convolutions, width, and r for residual"
        " connections; the size is chosen for each domain, loss and search: it solves most"
        f" validation tasks, at most {choice.validation_tasks or 'all'}, with all seeds. A search"
        f" has {choice.time_limit:g} s of the processor for each task (paper: 5), grounding not"
        " included. A* goes by g + h with reopening; as learned heuristics are not admissible,"
        " plans need not be optimal. Ties go to the smaller h, then to the state generated first,"
        " in GBFS to the latter alone. L_le is searched with PHS* (Orseau and Lelis, 2021), in the"
        " columns of GBFS as in the paper. A dash is a run that has not been made."
    )
