"""Rows 6 to 16 of the tables on heuristics optimised to rank, from grids to tables of results."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from beeline.evaluate.tables import number_cell
from beeline.experiments.chrestien2023.experiment import column_title, column_titles, training_rows
from beeline.experiments.chrestien2023.grids.runs import (
    BASELINES,
    Choice,
    baseline_works,
    search_works,
    trained_runs,
    training_works,
)
from beeline.experiments.chrestien2023.grids.tasks import FOLDER, ROWS, make_sets, write_tests
from beeline.experiments.chrestien2023.runs import (
    common_tasks,
    coverage,
    coverage_figures,
    mean_figures,
    tests_of,
)
from beeline.experiments.claims import RULE, check
from beeline.experiments.figures import figures_table, paper_figures, plain_table
from beeline.experiments.records import is_done, need_record
from beeline.experiments.registry import grid, read_paper

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from beeline.evaluate.tables import Table
    from beeline.experiments.chrestien2023.runs import Tests
    from beeline.experiments.records import Record, Work
    from beeline.experiments.running import Place

CHOICE = Choice()
OVER_SOLVED = (
    "Means over the tasks that the search solved, in which easy tasks weigh more where fewer are"
    " solved; the goal counts as expanded. The paper does not say what its means are over."
)
LIMITS = (
    "The paper's searches had 600 s each and evaluated one state at a time. Limits here count"
    " evaluations, so that figures do not depend on the machine."
)


def stages(choice: Choice, table: str, place: Place) -> Iterator[list[Work]]:
    """All records; all tables need the same."""
    results, tests = place.results, _tests(choice, place)
    make_sets(choice, place)
    yield list(baseline_works(choice, tests, results).values())
    yield training_works(choice.runs(), results)
    yield list(search_works(choice, tests, results).values())


def tables(choice: Choice, table: str, place: Place) -> list[Table]:
    """The paper's table with our figures, then what stands behind it."""
    results, files = place.results, _tests(choice, place)
    works = search_works(choice, files, results)
    tests = tests_of({key: need_record(work) for key, work in works.items() if is_done(work)})
    training = [need_record(work) for work in trained_runs(choice.runs(), results).values()]
    aside = {
        key: need_record(work)
        for key, work in baseline_works(choice, files, results).items()
        if is_done(work)
    }
    return [
        *_main_tables(table, tests, choice, place),
        baseline_table(aside, choice.domains),
        training_rows(training, choice.kinds, choice.losses),
    ]


def tasks_text(choice: Choice, *, given: bool) -> str:
    """Which tasks these are."""
    if not given:
        return (
            "These are not the paper's tasks: they come from the built-in generators, which follow"
            " its description. Figures can be compared among themselves, with the paper's only"
            " roughly."
        )
    published = [row for row in choice.domains if "levels" in ROWS[row]]
    return (
        f"Tests of {', '.join(published)} are the paper's own, half of which its authors"
        " published; the others, and what networks are trained with but for the tiles, come from"
        " the built-in generators."
    )


def _tests(choice: Choice, place: Place) -> dict[str, list[str]]:
    return {row: write_tests(row, choice, place) for row in choice.domains}


def _main_tables(table: str, tests: Tests, choice: Choice, place: Place) -> list[Table]:
    paper = paper_figures(read_paper(FOLDER)["figures"])
    rows = list(choice.domains)
    shared = common_tasks(tests, paper["coverage"])
    counts = ", ".join(f"{row} {len(shared[row])}" for row in rows if row in shared)
    common = f"Only tasks that all columns solved with all seeds: {counts or 'none'}."
    note = _note(choice, place)
    ours = {
        "coverage": coverage_figures(tests),
        "expansions": mean_figures(tests, "expanded"),
        "lengths": mean_figures(tests, "length", within=shared),
    }
    percent = "solved tasks in percent"
    measure, words, about = {
        "Table 1": ("coverage", percent, f"{note} {RULE}"),
        "Table 6": ("expansions", "expanded states", f"{OVER_SOLVED} {note} {RULE}"),
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
    )
    listed = [(f"{table}: {words}", about, ours[measure], [each.claim(table) for each in verdicts])]
    if table == "Table 6":
        fair = mean_figures(tests, "expanded", within=shared)
        listed.append(("Expanded states in tasks that all solved", common, fair, []))
    titles = column_titles(choice.losses)
    return [
        figures_table(
            str(number),
            title,
            remark,
            titles,
            rows,
            figures,
            paper[measure],
            corner="loss and search",
            claims=claims,
        )
        for number, (title, remark, figures, claims) in enumerate(listed, 1)
    ]


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
            line.append(number_cell(coverage(record)))
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


def _note(choice: Choice, place: Place) -> str:
    paper = read_paper(FOLDER)
    limits = "; ".join(
        f"{row} {choice.of(row)[0]} tests, {choice.of(row)[1]:,} evaluations"
        for row in choice.domains
    )
    return (
        "Beside each figure, in brackets, is the paper's; what it calls 50x50 and 60x60 is 51x51"
        " and 61x61 in the tasks that its authors published. Means over seeds, with standard"
        f" deviations where there are several: {choice.seeds} (paper: {paper['seeds']})."
        f" {tasks_text(choice, given=place.data is not None)} Networks are convolutions with"
        f" attention, sizes '{choice.network}', trained with Adam at the learning rate"
        f" {choice.learning_rate:g} for {choice.steps:,} steps of one task each (paper:"
        f" {paper['steps']:,}), on {choice.training_tasks:,} tasks (paper:"
        f" {paper['training_tasks']:,}) of the smallest kind: 3 boxes, 15x15, 5x5. Plans are"
        " optimal, those of tiles from weighted A* with h_FF. The weights with the least loss on"
        f" {choice.validation_tasks} other tasks are kept. {LIMITS} {limits}. A* goes by g + h with"
        " reopening; as learned heuristics are not admissible, plans need not be optimal. L_le is"
        " searched with PHS* (Orseau and Lelis, 2021), in the columns of GBFS as in the paper. A"
        " dash is a run that has not been made."
    )
