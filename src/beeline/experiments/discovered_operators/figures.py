"""Mean expansions of each configuration in each domain, from records and from the paper."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.experiments.discovered_operators.grid import DOMAINS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from beeline.experiments.records import Record

PAPER_FILE = Path(__file__).with_name("paper.json")
GEOMETRIC_MEAN = "geometric mean"


class Cell(NamedTuple):
    """Mean expansions over initial states and seeds.

    `seeds` has the means of all pairs of seeds; none where nothing is learned, nor in the paper.
    """

    mean: float
    seeds: tuple[float, ...] = ()


Figures = dict[str, dict[str, Cell]]  # by configuration, then by domain


def number(printed: str) -> float:
    """The number that a printed one stands for.

    >>> number("54K"), number("1.2K"), number("39.0")
    (54000.0, 1200.0, 39.0)
    """
    return float(printed[:-1]) * 1000 if printed.endswith("K") else float(printed)


def expansions_text(value: float) -> str:
    """Expansions with as many digits as are worth reading.

    >>> expansions_text(39.04), expansions_text(19712.3)
    ('39.0', '19,712')
    """
    return f"{value:.1f}" if value < 1000 else f"{value:,.0f}"


def record_figures(records: Iterable[Record]) -> Figures:
    """Figures of all searches; each pair of seeds weighs the same."""
    means: dict[tuple[str, str], list[float]] = defaultdict(list)
    learned = {}
    for record in records:
        settings = record["settings"]
        key = settings["configuration"], settings["domain"]
        means[key].append(fmean(record["expanded"]))
        learned[key] = settings["pair"] is not None
    found: Figures = defaultdict(dict)
    for (configuration, domain), values in means.items():
        seeds = tuple(values) if learned[configuration, domain] else ()
        found[configuration][domain] = Cell(fmean(values), seeds)
    return dict(found)


@lru_cache(maxsize=1)
def read_paper() -> dict[str, Any]:
    """The paper's figures as they are printed."""
    content: dict[str, Any] = json.loads(PAPER_FILE.read_text())
    return content


def paper_figures() -> Figures:
    """The paper's figures without its geometric means."""
    return {
        configuration: {
            domain: Cell(number(printed))
            for domain, printed in row.items()
            if domain != GEOMETRIC_MEAN
        }
        for configuration, row in read_paper()["expansions"].items()
    }


def geometric_mean(row: Mapping[str, Cell], domains: Iterable[str]) -> float | None:
    """Over these domains; None if there are none, or not all of them have figures.

    >>> round(geometric_mean({"blocks": Cell(4.0), "grid": Cell(9.0)}, ["blocks", "grid"]), 6)
    6.0
    """
    wanted = list(domains)
    if not wanted or any(domain not in row for domain in wanted):
        return None
    return math.exp(fmean(math.log(row[domain].mean) for domain in wanted))


def paper_mean(configuration: str, domains: Sequence[str]) -> float | None:
    """The paper's geometric mean: as printed for all domains, else of those."""
    row = read_paper()["expansions"].get(configuration, {})
    if set(domains) == set(DOMAINS) and GEOMETRIC_MEAN in row:
        return number(row[GEOMETRIC_MEAN])
    return geometric_mean(paper_figures().get(configuration, {}), domains)
