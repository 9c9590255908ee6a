"""Ranking with bounds and with several orders of plans, from tasks to tables of results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.experiments.beyond_ranking.claims import EXPANDS, RULE, SOLVES, check
from beeline.experiments.beyond_ranking.grid import (
    CHOICE,
    SCALES,
    grouped_runs,
    numbers_of_orders,
)
from beeline.experiments.ranked_heuristics.datasets import (
    PlanLimits,
    complete_manifest,
    make_ordered_sets,
    make_sets,
    set_sizes,
)
from beeline.experiments.ranked_heuristics.figures import (
    common_tasks,
    coverage_figures,
    mean_figures,
    outcomes,
    rate_figures,
)
from beeline.experiments.ranked_heuristics.grid import DOMAINS
from beeline.experiments.ranked_heuristics.searching import final_works, validation_works
from beeline.experiments.ranked_heuristics.tables import (
    columns,
    figures_table,
    plans_table,
    sizes_table,
    training_table,
)
from beeline.experiments.ranked_heuristics.tasks import SIZES, TEST, all_tasks
from beeline.experiments.ranked_heuristics.training import trained_works, training_works
from beeline.experiments.records import is_done, make_records, need_record
from beeline.experiments.result_tables import MISSING, Grid, ResultTable, turned

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from beeline.experiments.place import Place
    from beeline.experiments.ranked_heuristics.figures import Column, Figures
    from beeline.experiments.ranked_heuristics.grid import Choice, TrainingRun
    from beeline.experiments.ranked_heuristics.tasks import DomainTasks
    from beeline.experiments.records import Record, Work

__all__ = ["CHOICE", "SCALES", "SEED_FIELDS"]

SEED_FIELDS = ("seeds",)
COUNTED = ("evaluated",)  # by searches; older records do not tell

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


def paper_title(choice: Choice) -> str:
    """There is no paper."""
    return ""


def make(choice: Choice, table: str, place: Place) -> int:
    """Make all records; how many could not be made."""
    results, tasks = place.results, all_tasks(choice, place)
    choice = choice._replace(domains=tuple(tasks))
    runs = grouped_runs(choice)
    plans = PlanLimits(choice.plan_evaluations, choice.plan_seconds)
    make_sets(tasks, plans, results, place.jobs, place.say)
    for orders in numbers_of_orders(choice):
        make_ordered_sets(choice.domains, orders, results, place.jobs, place.say)
    failed = make_records(training_works(runs, results), place.jobs, place.say)
    works = list(validation_works(choice, tasks, choice.limits, results).values())
    failed += make_records(works, place.jobs, place.say)
    tests = list(_tests(choice, tasks, results).values())
    return failed + make_records(tests, place.jobs, place.say)


def result_tables(choice: Choice, table: str, place: Place) -> list[ResultTable]:
    """What was solved, at which expense, with verdicts; then what stands behind it."""
    results, tasks = place.results, all_tasks(choice, place)
    choice = choice._replace(domains=tuple(tasks))
    works = _tests(choice, tasks, results)
    done = outcomes({key: need_record(work) for key, work in works.items() if is_done(work)})
    training = [need_record(work) for work in trained_works(choice.runs(), results).values()]
    domains = [domain for domain in DOMAINS if domain in choice.domains]
    wanted = columns(choice.losses)
    tests = {column: done[column] for column in wanted if column in done}
    shared = common_tasks(tests, wanted)

    def figures(ours: Figures, form: str) -> Grid:
        return _figures(wanted, domains, ours, form)

    counts = ", ".join(f"{domain} {len(shared[domain])}" for domain in domains if domain in shared)
    common = f"Only tasks that all columns solved with all seeds: {counts or 'none'}."
    several = len(choice.sizes) > 1
    found = [
        ResultTable(
            "1",
            "Solved tasks in percent",
            f"{_note(choice, tasks, place)} {RULE}",
            figures(coverage_figures(tests), ".1f"),
            check(tests, choice.losses, SOLVES),
        ),
        ResultTable(
            "2",
            "Expanded states in tasks that all solved",
            f"{common} The goal counts as expanded. The claims compare two columns each, on the"
            f" tasks that these two solved with all seeds. {RULE}",
            figures(mean_figures(tests, "expanded", within=shared), ".1f"),
            check(tests, choice.losses, EXPANDS),
        ),
        ResultTable(
            "3",
            "Expanded states in solved tasks",
            "Each column over the tasks that it solved: easy tasks weigh more where fewer are.",
            figures(mean_figures(tests, "expanded"), ".0f"),
        ),
        ResultTable(
            "4",
            "States evaluated per second of the processor",
            "In all tests together, solved or not; a state is evaluated by network and heuristics.",
            figures(rate_figures(tests), ".0f"),
        ),
        ResultTable(
            "5",
            "Plan lengths in tasks that all solved",
            common,
            figures(mean_figures(tests, "length", within=shared), ".1f"),
        ),
        ResultTable(
            "6",
            "Optimal plans to train with",
            "A* with LM-cut. With as many orders as solved tasks, there is nothing to merge.",
            _plans(domains, choice, place.results),
        ),
        ResultTable(
            "7",
            "Sizes of the networks that solve most validation tasks",
            "",
            sizes_table(tests if several else {}, domains),
        ),
        ResultTable("8", "Training", _training(training), training_table(training, choice.losses)),
    ]
    return [each for each in found if each.grid.rows]


def tasks_text(choice: Choice, *, given: bool) -> str:
    """Which tasks these are."""
    if given:
        return "Tasks are those in the folder of data; those of spanner are made if it has none."
    missing = [each for each in choice.domains if each not in SIZES[choice.task_sizes]]
    none = f" There is no generator of {', '.join(missing)}." if missing else ""
    return f"Tasks come from the built-in generators.{none}"


def _tests(
    choice: Choice, tasks: Mapping[str, DomainTasks], results: Path
) -> dict[tuple[TrainingRun, str], Work]:
    works = final_works(choice, tasks, choice.limits, results)
    return {key: work._replace(needs=COUNTED) for key, work in works.items()}


def _figures(wanted: list[Column], domains: list[str], ours: Figures, form: str) -> Grid:
    return turned(figures_table(wanted, domains, ours, None, form), "training and search")


def _plans(domains: list[str], choice: Choice, results: Path) -> Grid:
    """Tasks with plans, and how many orders of these there are."""
    header, rows = plans_table({domain: set_sizes(results, domain) for domain in domains})
    for most in numbers_of_orders(choice):
        header = [*header, f"orders, at most {most} each"]
        for row in rows:
            manifest = complete_manifest(results, row[0], row[1], most)
            row.append(MISSING if manifest is None else f"{manifest.counts['orders']:,}")
    return Grid(header, rows)


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


def _training(training: list[Record]) -> str:
    hours = sum(each["cpu_seconds"] for each in training) / 3600
    return (
        f"{len(training)} networks took {hours:.2f} hours of one core. Pairs out of order are those"
        " of the validation plans that a training ranks, with several orders those of all of them;"
        " for the Gaussian alone they are as for E[x] ranked."
    )
