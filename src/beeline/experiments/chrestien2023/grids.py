"""Rows 6 to 16 of the tables on heuristics optimised to rank, from grids to tables of results."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from beeline.evaluate.tables import Table, plain_table
from beeline.experiments.chrestien2023 import grid_runs as runs
from beeline.experiments.chrestien2023 import trainings
from beeline.experiments.chrestien2023.experiment import column_titles, main_tables, training_table
from beeline.experiments.chrestien2023.grid_runs import BASELINES, FOLDER, ROWS, Choice
from beeline.experiments.chrestien2023.runs import coverage, tests_of
from beeline.experiments.records import Place, Record, Work, known_records
from beeline.experiments.registry import read_paper, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

CHOICE = Choice()


def stages(choice: Choice, table: str, place: Place) -> Iterator[list[Work]]:
    """All records; all tables need the same."""
    results, tests = place.results, _tests(choice, place)
    runs.make_sets(choice, place)
    yield list(runs.baseline_works(choice, tests, results).values())
    yield list(trainings.training_works(choice.runs(), results, trainings.GRID_NETWORK).values())
    yield list(runs.search_works(choice, tests, results).values())


def tables(choice: Choice, table: str, place: Place) -> list[Table]:
    """The paper's table with our figures, then what stands behind it."""
    results, files = place.results, _tests(choice, place)
    tests = tests_of(known_records(runs.search_works(choice, files, results)))
    alone = known_records(runs.baseline_works(choice, files, results))
    training = trainings.trained(choice.runs(), results, trainings.GRID_NETWORK)
    easy = [
        row for (name, row), record in alone.items() if name == "blind" and all(record["solved"])
    ]
    titles = column_titles(choice.losses)
    return [
        *main_tables(FOLDER, table, tests, titles, choice.domains, _note(choice, place), easy),
        baseline_table(alone, choice.domains),
        training_table([*training.values()], choice.losses, "", choice.kinds),
    ]


def tasks_text(choice: Choice, *, given: bool) -> str:
    """Which tasks these are."""
    published = ", ".join(row for row in choice.domains if "levels" in ROWS[row])
    return text(FOLDER, "tasks_given" if given else "tasks_made", rows=published)


def _tests(choice: Choice, place: Place) -> dict[str, list[str]]:
    return {row: runs.write_tests(row, choice, place) for row in choice.domains}


def _note(choice: Choice, place: Place) -> str:
    limits = "; ".join(
        f"{row} {choice.of(row)[0]} tests, {choice.of(row)[1]:,} evaluations"
        for row in choice.domains
    )
    tasks = tasks_text(choice, given=place.data is not None)
    return text(FOLDER, "note", choice=choice, paper=read_paper(FOLDER), tasks=tasks, limits=limits)


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
            line.append(coverage(record))
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
