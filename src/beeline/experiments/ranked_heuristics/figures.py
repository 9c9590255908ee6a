"""Coverage, expansions and plan lengths of each loss in each domain, from records and the paper."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import lru_cache
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.experiments.result_tables import MISSING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from beeline.experiments.ranked_heuristics.grid import TrainingRun
    from beeline.experiments.records import Record

PAPER_FILE = Path(__file__).with_name("paper.json")
Column = tuple[str, str]  # a search and a loss


class Cell(NamedTuple):
    """A mean over seeds, and how far they lie apart; NaN is for no figure at all."""

    mean: float
    deviation: float | None = None
    seeds: int = 1

    def text(self, form: str) -> str:
        """The mean, with the deviation if there is one.

        >>> Cell(97.5, 3.54, 2).text(".0f"), Cell(33.0).text(".0f")
        ('98 ± 4', '33')
        """
        more = "" if self.deviation is None else f" ± {self.deviation:{form}}"
        return f"{self.mean:{form}}{more}"


Figures = dict[Column, dict[str, Cell]]  # by domain
Tests = dict[Column, dict[str, list["Outcome"]]]  # by domain, one for each seed


class Outcome(NamedTuple):
    """What one network did in all tests of a domain."""

    size: str
    seed: int
    record: Record

    def solved(self) -> set[str]:
        """The tasks with a plan."""
        names, solved = self.record["names"], self.record["solved"]
        return {name for name, success in zip(names, solved, strict=True) if success}

    def mean(self, what: str, tasks: set[str] | None = None) -> float | None:
        """Of `expanded` or `length`, over solved tasks or those of them; None without any."""
        counted = self.solved() if tasks is None else self.solved() & tasks
        pairs = zip(self.record["names"], self.record[what], strict=True)
        values = [value for name, value in pairs if name in counted]
        return fmean(values) if values else None


def outcomes(records: Mapping[tuple[TrainingRun, str], Record]) -> Tests:
    """Records of tests by column and domain."""
    found: dict[Column, dict[str, list[Outcome]]] = defaultdict(lambda: defaultdict(list))
    for (run, search), record in records.items():
        found[search, run.loss][run.domain].append(Outcome(run.size, run.seed, record))
    return {column: dict(row) for column, row in found.items()}


def cell(values: Sequence[float]) -> Cell:
    """Mean and standard deviation (of a sample) of what seeds found.

    >>> cell([98.0, 100.0])
    Cell(mean=99.0, deviation=1.4142135623730951, seeds=2)
    """
    return Cell(fmean(values), stdev(values) if len(values) > 1 else None, len(values))


def coverage(record: Record) -> float:
    """Solved tasks in percent."""
    return 100 * sum(record["solved"]) / len(record["solved"])


def coverage_figures(tests: Tests) -> Figures:
    """Solved tasks in percent."""
    return {
        column: {
            domain: cell([coverage(each.record) for each in found]) for domain, found in row.items()
        }
        for column, row in tests.items()
    }


def mean_figures(
    tests: Tests, what: str, *, within: Mapping[str, set[str]] | None = None
) -> Figures:
    """Means of `expanded` or `length` over solved tasks; of each domain, `within` some only."""
    found: Figures = {}
    for column, row in tests.items():
        found[column] = {}
        for domain, seeds in row.items():
            wanted = None if within is None else within[domain]
            means = [each.mean(what, wanted) for each in seeds]
            values = [value for value in means if value is not None]
            if values:
                found[column][domain] = Cell(fmean(values), seeds=len(values))
    return found


def rate_figures(tests: Tests) -> Figures:
    """States evaluated per second of the processor, in all tests together, solved or not.

    Tests that took no time that clocks can tell have no rate.
    """
    found: Figures = {}
    for column, row in tests.items():
        found[column] = {}
        for domain, seeds in row.items():
            sums = [(sum(one.record["evaluated"]), sum(one.record["seconds"])) for one in seeds]
            rates = [evaluated / seconds for evaluated, seconds in sums if seconds > 0]
            if rates:
                found[column][domain] = cell(rates)
    return found


def paper_columns() -> set[Column]:
    """The columns of the paper's tables."""
    return {(search, loss) for search, row in read_paper()["coverage"].items() for loss in row}


def common_tasks(tests: Tests, columns: Collection[Column]) -> dict[str, set[str]]:
    """The tasks of each domain that every one of these columns solved with every seed."""
    found: dict[str, set[str]] = {}
    for domain in dict.fromkeys(domain for row in tests.values() for domain in row):
        solved = [
            each.solved()
            for column, row in tests.items()
            if column in columns
            for each in row.get(domain, [])
        ]
        found[domain] = set.intersection(*solved) if solved else set()
    return found


@lru_cache(maxsize=1)
def read_paper() -> dict[str, Any]:
    """The paper's figures."""
    content: dict[str, Any] = json.loads(PAPER_FILE.read_text())
    return content


def paper_figures(what: str) -> Figures:
    """The paper's `coverage`, `expansions` or `lengths`."""
    paper = read_paper()
    found: Figures = {}
    for search, losses in paper[what].items():
        for loss, row in losses.items():
            deviations = paper["deviation"][search][loss] if what == "coverage" else {}
            found[search, loss] = {
                domain: Cell(value, deviations.get(domain)) for domain, value in row.items()
            }
    return found


def plain(here: Cell | None, form: str) -> str:
    """A figure alone.

    >>> plain(Cell(98.0), ".0f"), plain(None, ".0f")
    ('98', '–')
    """
    return MISSING if here is None else here.text(form)


def beside(here: Cell | None, paper: Cell | None, form: str) -> str:
    """A figure, and that of the paper in brackets.

    >>> beside(Cell(98.0), None, ".0f")
    '98 (–)'
    """
    return f"{plain(here, form)} ({plain(paper, form)})"


def seeds_text(cells: Iterable[Cell]) -> str:
    """How many seeds cells have: one number, or from and to."""
    counts = sorted({each.seeds for each in cells})
    if not counts:
        return MISSING
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
