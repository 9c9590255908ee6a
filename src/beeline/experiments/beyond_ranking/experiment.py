"""Ranking with bounds and with several orders of plans, from tasks to tables of results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.experiments.chrestien2023.experiment import (
    column_title,
    column_titles,
    plans_table,
    sizes_table,
    training_table,
)
from beeline.experiments.chrestien2023.runs import (
    common_tasks,
    coverage_figures,
    final_works,
    mean_figures,
    rate_figures,
    tests_of,
    validation_works,
)
from beeline.experiments.chrestien2023.tasks import SIZES, all_tasks
from beeline.experiments.chrestien2023.trainings import (
    DOMAINS,
    Choice,
    make_ordered_sets,
    make_sets,
    trained_works,
    training_works,
)
from beeline.experiments.chrestien2023.variants import Variant
from beeline.experiments.claims import check
from beeline.experiments.figures import figures_table
from beeline.experiments.records import is_done, need_record
from beeline.experiments.registry import grid
from beeline.experiments.training import TEST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from beeline.evaluate.tables import Table
    from beeline.experiments.chrestien2023.runs import Tests, Works
    from beeline.experiments.chrestien2023.tasks import DomainTasks
    from beeline.experiments.claims import Verdict
    from beeline.experiments.figures import Figures
    from beeline.experiments.records import Work
    from beeline.experiments.running import Place

GRID = grid("beyond_ranking")
CHOICE = Choice()._replace(**GRID["choice"])
COUNTED = ("evaluated",)  # by searches; older records do not tell
SOLVES, EXPANDS = "solves no fewer tasks than", "expands fewer states than"
RULE = (
    "Each claim is a number of comparisons of means over seeds, of one domain and one search each."
    " It holds if they all do, not if half of them or fewer do; what lies between is mixed. Equal"
    " figures are no fewer solved tasks, and they are not fewer expanded states."
)
TRAININGS = (
    "L* is the loss rank-astar. With a residual, the network's output is added to that heuristic;"
    " nothing keeps the sum above it. E[x] ranked is the loss rank-truncated: the means of"
    " Gaussians that are cut off below at LM-cut are ranked. The truncated Gaussian alone has the"
    " same bound and FF as residual; it learns the costs of states on plans, 256 states a step."
    " Orders are different orders of the steps of a plan, found without search: apart, the pairs"
    " of all of them are added up, though they contradict each other; merged, pairs that"
    " contradict another order are left out. Models with LM-cut or FF leave out of search and"
    " training what these prove to be a dead end."
)


def stages(choice: Choice, table: str, place: Place) -> Iterator[list[Work]]:
    """All records."""
    results, tasks = place.results, all_tasks(choice, place)
    choice = choice._replace(domains=tuple(tasks))
    runs = choice.runs()
    make_sets(tasks, choice, place)
    for orders in numbers_of_orders(choice):
        make_ordered_sets(choice.domains, orders, place)
    yield training_works(runs, results)
    yield list(validation_works(choice, tasks, results).values())
    yield list(_tests(choice, tasks, place).values())


def tables(choice: Choice, table: str, place: Place) -> list[Table]:
    """What was solved, at which expense, with verdicts; then what stands behind it."""
    results, tasks = place.results, all_tasks(choice, place)
    choice = choice._replace(domains=tuple(tasks))
    works = _tests(choice, tasks, place)
    done = tests_of({key: need_record(work) for key, work in works.items() if is_done(work)})
    training = [need_record(work) for work in trained_works(choice.runs(), results).values()]
    domains = [domain for domain in DOMAINS if domain in choice.domains]
    titles = column_titles(choice.losses)
    tests = {column: done[column] for column in titles if column in done}
    shared = common_tasks(tests, titles)
    counts = ", ".join(f"{domain} {len(shared[domain])}" for domain in domains if domain in shared)
    common = f"Only tasks that all columns solved with all seeds: {counts or 'none'}."
    pairs = (
        "The goal counts as expanded. The claims compare two columns each, on the tasks that these"
        f" two solved with all seeds. {RULE}"
    )
    easy = "Each column over the tasks that it solved: easy tasks weigh more where fewer are."
    rates = "In all tests together, solved or not; a state is evaluated by network and heuristics."
    listed: list[tuple[str, str, Figures, str]] = [
        (
            "Solved tasks in percent",
            f"{_note(choice, tasks, place)} {RULE}",
            coverage_figures(tests),
            SOLVES,
        ),
        (
            "Expanded states in tasks that all solved",
            f"{common} {pairs}",
            mean_figures(tests, "expanded", within=shared),
            EXPANDS,
        ),
        ("Expanded states in solved tasks", easy, mean_figures(tests, "expanded"), ""),
        ("States evaluated per second of the processor", rates, rate_figures(tests), ""),
        (
            "Plan lengths in tasks that all solved",
            common,
            mean_figures(tests, "length", within=shared),
            "",
        ),
    ]
    found = [
        figures_table(
            str(number),
            title,
            note,
            titles,
            domains,
            figures,
            corner="training and search",
            claims=[each.claim("") for each in verdicts(tests, claimed)] if claimed else (),
        )
        for number, (title, note, figures, claimed) in enumerate(listed, 1)
    ]
    plans = "A* with LM-cut. With as many orders as solved tasks, there is nothing to merge."
    several = tests if len(choice.sizes) > 1 else {}
    pairs_left = (
        " Pairs out of order are those of the validation plans that a training ranks, with several"
        " orders those of all of them; for the Gaussian alone they are as for E[x] ranked."
    )
    return [
        *found,
        plans_table(domains, place, numbers_of_orders(choice), plans),
        sizes_table(several, domains),
        training_table(training, choice.losses, pairs_left),
    ]


def tasks_text(choice: Choice, *, given: bool) -> str:
    """Which tasks these are."""
    if given:
        return "Tasks are those in the folder of data; those of spanner are made if it has none."
    missing = [each for each in choice.domains if each not in SIZES[choice.task_sizes]]
    none = f" There is no generator of {', '.join(missing)}." if missing else ""
    return f"Tasks come from the built-in generators.{none}"


def numbers_of_orders(choice: Choice) -> list[int]:
    """How many orders of plans are wanted, where that is several.

    >>> numbers_of_orders(CHOICE)
    [4]
    """
    return sorted({Variant.parse(word).orders for word in choice.losses} - {1})


def verdicts(tests: Tests, measure: str) -> list[Verdict]:
    """All claims on one measure, SOLVES or EXPANDS; there is no paper to compare with.

    Expansions are compared on the tasks that both columns solved with all seeds.
    """
    kind, relation = ("coverage", "no worse") if measure == SOLVES else ("expansions", "better")
    claims = [
        {**each, "of": kind, "measure": kind, "relation": relation}
        | {"sentence": each["sentence"].format(measure)}
        for each in GRID["claims"]
    ]

    def figures(_: str, columns: Sequence[str]) -> Figures:
        both = {column: tests[column] for column in columns or tests if column in tests}
        if kind == "coverage":
            return coverage_figures(both)
        return mean_figures(both, "expanded", within=common_tasks(both, both))

    return check(claims, None, DOMAINS, figures, title=column_title)


def _tests(choice: Choice, tasks: Mapping[str, DomainTasks], place: Place) -> Works:
    works = final_works(choice, tasks, place.results)
    return {key: work._replace(needs=COUNTED) for key, work in works.items()}


def _note(choice: Choice, tasks: Mapping[str, DomainTasks], place: Place) -> str:
    counts = "; ".join(
        f"{domain} {len(each.tasks)}, tests {len(each.part(TEST, choice.test_tasks))}"
        for domain, each in tasks.items()
    )
    chosen = (
        " the size is chosen for each domain, training and search: it solves most validation tasks,"
        f" at most {choice.validation_tasks or 'all'}, with all seeds."
        if len(choice.sizes) > 1
        else ""
    )
    return (
        f"{TRAININGS} Means over seeds, with standard deviations where there are several: at most"
        f" {choice.seeds}. {tasks_text(choice, given=place.data is not None)} They are split at"
        f" random into 50 % for training, 25 % to choose by and 25 % for tests: {counts}. Networks"
        f" are hypergraph convolutions of {', '.join(choice.sizes)}: convolutions, width, and r for"
        f" residual connections;{chosen or ' the same for all.'} All are trained with AdaBelief at"
        f" the learning rate {choice.learning_rate:g} for {choice.steps:,} steps, of one task each"
        " in all trainings that rank, with unit costs; the weights with the least validation loss"
        " are kept, of the Gaussian those with the least squared error. A search has"
        f" {choice.time_limit:g} s of the processor for each task, grounding not included. A* goes"
        " by g + h with reopening; as the learned heuristics are not admissible, plans need not be"
        " optimal. A dash is a run that has not been made."
    )
