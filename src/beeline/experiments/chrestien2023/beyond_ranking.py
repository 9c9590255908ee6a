"""Ranking with bounds and with several orders of plans, from tasks to tables of results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.experiments.chrestien2023 import experiment as ranking
from beeline.experiments.chrestien2023 import runs, trainings
from beeline.experiments.chrestien2023.trainings import DOMAINS, Choice, Variant
from beeline.experiments.claims import Verdict, check
from beeline.experiments.records import TEST, Place, Work, known_records
from beeline.experiments.registry import grid, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from beeline.evaluate.tables import Table
    from beeline.experiments.chrestien2023.experiment import Numbered
    from beeline.experiments.chrestien2023.runs import Tests, Works
    from beeline.experiments.figures import Figures

FOLDER = "chrestien2023/beyond_ranking"
GRID = grid(FOLDER)
CHOICE = Choice()._replace(**GRID["choice"])
COUNTED = ("evaluated",)  # by searches; older records do not tell
SOLVES, EXPANDS = "solves no fewer tasks than", "expands fewer states than"


def stages(choice: Choice, table: str, place: Place) -> Iterator[list[Work]]:
    """All records."""
    results, tasks = place.results, runs.all_tasks(choice, place)
    choice = choice._replace(domains=tuple(tasks))
    for orders in (1, *numbers_of_orders(choice)):
        trainings.make_sets(tasks, choice, place, orders)
    yield list(trainings.training_works(choice.runs(), results).values())
    yield list(runs.validation_works(choice, tasks, results).values())
    yield list(_tests(choice, tasks, place).values())


def tables(choice: Choice, table: str, place: Place) -> list[Table]:
    """What was solved, at which expense, with verdicts; then what stands behind it."""
    tasks = runs.all_tasks(choice, place)
    choice = choice._replace(domains=tuple(tasks))
    known = runs.tests_of(known_records(_tests(choice, tasks, place)))
    domains = [domain for domain in DOMAINS if domain in choice.domains]
    titles = ranking.column_titles(choice.losses)
    tests = {column: known[column] for column in titles if column in known}
    shared = runs.common_tasks(tests, titles)
    common = ranking.common_text(shared, domains, FOLDER)
    rule, trained, pairs, easy, rates, plans, pairs_left = (
        text(FOLDER, name)
        for name in ("rule", "trainings", "pairs", "easy", "rates", "plans", "pairs_left")
    )
    first = f"{trained} {_note(choice, tasks, place)} {rule}"
    expanded, lengths = (
        runs.mean_figures(tests, what, within=shared) for what in ("expanded", "length")
    )
    solves, expands = (
        [each.claim("") for each in verdicts(tests, measure)] for measure in (SOLVES, EXPANDS)
    )
    listed: list[Numbered] = [
        ("Solved tasks in percent", first, runs.coverage_figures(tests), solves),
        ("Expanded states in tasks that all solved", f"{common} {pairs} {rule}", expanded, expands),
        ("Expanded states in solved tasks", easy, runs.mean_figures(tests, "expanded"), []),
        ("States evaluated per second of the processor", rates, runs.rate_figures(tests), []),
        ("Plan lengths in tasks that all solved", common, lengths, []),
    ]
    training = list(trainings.trained(choice.runs(), place.results).values())
    return [
        *ranking.numbered(listed, titles, domains, "training and search"),
        ranking.plans_table(domains, place, numbers_of_orders(choice), plans),
        ranking.sizes_table(tests if len(choice.sizes) > 1 else {}, domains),
        ranking.training_table(training, choice.losses, pairs_left),
    ]


def tasks_text(choice: Choice, *, given: bool) -> str:
    """Which tasks these are."""
    return ranking.tasks_text(choice, given=given, folder=FOLDER, wanted=choice.domains)


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
            return runs.coverage_figures(both)
        return runs.mean_figures(both, "expanded", within=runs.common_tasks(both, both))

    return check(claims, None, DOMAINS, figures, title=ranking.column_title)


def _tests(choice: Choice, tasks: Mapping[str, runs.DomainTasks], place: Place) -> Works:
    works = runs.final_works(choice, tasks, place.results)
    return {key: work._replace(needs=COUNTED) for key, work in works.items()}


def _note(choice: Choice, tasks: Mapping[str, runs.DomainTasks], place: Place) -> str:
    counts = "; ".join(
        f"{domain} {len(each.tasks)}, tests {len(each.part(TEST, choice.test_tasks))}"
        for domain, each in tasks.items()
    )
    values = ranking.note_values(choice, place, FOLDER)
    size = "chosen_size" if len(choice.sizes) > 1 else "same_size"
    return text(FOLDER, "note", counts=counts, chosen=text(FOLDER, size, **values), **values)
