"""Rows 6 to 16 of the tables on heuristics optimised to rank, from grids to tables of results."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from beeline.evaluate.tables import Table, plain_table
from beeline.experiments.chrestien2023 import runs as tested
from beeline.experiments.chrestien2023.experiment import (
    column_title,
    column_titles,
    common_text,
    numbered,
    training_table,
)
from beeline.experiments.chrestien2023.grids import runs
from beeline.experiments.chrestien2023.grids.runs import BASELINES, Choice
from beeline.experiments.chrestien2023.grids.tasks import FOLDER, ROWS, make_sets, write_tests
from beeline.experiments.claims import RULE, check
from beeline.experiments.figures import Figures, paper_figures
from beeline.experiments.records import Place, Record, Work, record_of
from beeline.experiments.registry import grid, read_paper, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from beeline.experiments.chrestien2023.experiment import Numbered
    from beeline.experiments.chrestien2023.runs import Tests

CHOICE = Choice()


def stages(choice: Choice, table: str, place: Place) -> Iterator[list[Work]]:
    """All records; all tables need the same."""
    results, tests = place.results, _tests(choice, place)
    make_sets(choice, place)
    yield list(runs.baseline_works(choice, tests, results).values())
    yield list(runs.training_works(choice.runs(), results).values())
    yield list(runs.search_works(choice, tests, results).values())


def tables(choice: Choice, table: str, place: Place) -> list[Table]:
    """The paper's table with our figures, then what stands behind it."""
    results, files = place.results, _tests(choice, place)
    works = runs.search_works(choice, files, results)
    tests = tested.tests_of({key: done for key, work in works.items() if (done := record_of(work))})
    aside = runs.baseline_works(choice, files, results)
    alone = {key: done for key, work in aside.items() if (done := record_of(work))}
    training = [*runs.trained(choice, results).values()]
    easy = [
        row for (name, row), record in alone.items() if name == "blind" and all(record["solved"])
    ]
    return [
        *_main_tables(table, tests, choice, place, easy),
        baseline_table(alone, choice.domains),
        training_table(training, choice.losses, "", choice.kinds),
    ]


def tasks_text(choice: Choice, *, given: bool) -> str:
    """Which tasks these are."""
    published = ", ".join(row for row in choice.domains if "levels" in ROWS[row])
    return text(FOLDER, "tasks_given" if given else "tasks_made", rows=published)


def _tests(choice: Choice, place: Place) -> dict[str, list[str]]:
    return {row: write_tests(row, choice, place) for row in choice.domains}


def _main_tables(
    table: str, tests: Tests, choice: Choice, place: Place, easy: Sequence[str]
) -> list[Table]:
    paper = paper_figures(read_paper(FOLDER)["figures"])
    rows = list(choice.domains)
    shared = tested.common_tasks(tests, paper["coverage"])
    common = common_text(shared, rows, FOLDER)
    limits = "; ".join(
        f"{row} {choice.of(row)[0]} tests, {choice.of(row)[1]:,} evaluations" for row in rows
    )
    tasks = tasks_text(choice, given=place.data is not None)
    words = {"choice": choice, "paper": read_paper(FOLDER), "tasks": tasks, "limits": limits}
    note, over_solved = text(FOLDER, "note", **words), text(FOLDER, "over_solved")
    ours: dict[str, Figures] = {
        "coverage": tested.coverage_figures(tests),
        "expansions": tested.mean_figures(tests, "expanded"),
        "lengths": tested.mean_figures(tests, "length", within=shared),
    }
    percent = "solved tasks in percent"
    measure, title, about = {
        "Table 1": ("coverage", percent, f"{note} {RULE}"),
        "Table 6": ("expansions", "expanded states", f"{over_solved} {note} {RULE}"),
        "Table 7": ("coverage", f"{percent}, with deviations", f"{note} {RULE}"),
        "Table 8": ("lengths", "plan lengths in tasks that all solved", f"{common} {note}"),
    }[table]
    verdicts = check(
        grid(FOLDER)["claims"],
        measure,
        rows,
        lambda name, _: ours[name],
        lambda name, _: paper[name],
        column_title,
        easy,
    )
    claims = [each.claim(table) for each in verdicts]
    listed: list[Numbered] = [(f"{table}: {title}", about, ours[measure], claims)]
    if table == "Table 6":
        fair = tested.mean_figures(tests, "expanded", within=shared)
        listed.append(("Expanded states in tasks that all solved", common, fair, []))
    titles = column_titles(choice.losses)
    return numbered(listed, titles, rows, "loss and search", paper[measure])


def baseline_table(records: Mapping[tuple[str, str], Record], rows: Sequence[str]) -> Table:
    """Solved tasks, expansions and lengths without networks, within the same limits."""
    lines: list[list[object]] = []
    planners = read_paper(FOLDER)["planners"]
    for row in rows:
        line: list[object] = [row]
        for name in BASELINES:
            record = records.get((name, row))
            if record is None:
                line += [None, None, None]
                continue
            solved = [place for place, success in enumerate(record["solved"]) if success]
            line.append(tested.coverage(record))
            for what in ("expanded", "length"):
                values = [record[what][place] for place in solved]
                line.append(fmean(values) if values else None)
        lines.append([*line, *(planners[name].get(row) for name in planners)])
    header = ["row"]
    for name in BASELINES:
        words = "breadth-first search" if name == "blind" else f"GBFS, {name}"
        header += [f"{words}: solved, %", "expanded", "length"]
    header += [f"paper: {name}, %" for name in planners]
    title = "Without networks, within the same limits; the paper's planners had 600 s"
    return plain_table("5", title, "", header, lines)
