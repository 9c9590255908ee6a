"""Which trainings are compared, and in which order they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from beeline.experiments.ranked_heuristics.experiment import SCALES as RANKING_SCALES
from beeline.experiments.ranked_heuristics.grid import Choice
from beeline.experiments.ranked_heuristics.variants import (
    GAUSSIAN,
    RANK_ASTAR,
    TRUNCATED,
    Variant,
)

if TYPE_CHECKING:
    from beeline.experiments.ranked_heuristics.grid import TrainingRun

ORDERS = 4
VARIANTS = (
    RANK_ASTAR,
    f"{RANK_ASTAR}+lmcut",
    f"{RANK_ASTAR}+ff",
    TRUNCATED,
    f"{TRUNCATED}+lmcut",
    GAUSSIAN,
    f"{RANK_ASTAR}+{ORDERS}apart",
    f"{RANK_ASTAR}+{ORDERS}merged",
)
CHOICE = Choice(domains=("blocks", "ferry", "npuzzle", "spanner"), losses=VARIANTS, sizes=("2x8r",))
SCALES: dict[str, dict[str, Any]] = {
    **RANKING_SCALES,
    "paper": {name: value for name, value in RANKING_SCALES["paper"].items() if name != "sizes"},
}


def grouped_runs(choice: Choice) -> list[TrainingRun]:
    """All networks; those that take the same states follow each other, as reading takes long.

    >>> runs = grouped_runs(CHOICE._replace(domains=("ferry",), seeds=2))
    >>> [(run.loss, run.seed) for run in runs[2:5]]
    [('rank-astar+lmcut', 0), ('rank-truncated', 0), ('rank-truncated+lmcut', 0)]
    """
    runs = choice.runs()
    groups = dict.fromkeys((run.size, run.domain, run.variant.states) for run in runs)
    places = {group: place for place, group in enumerate(groups)}
    return sorted(runs, key=lambda run: places[run.size, run.domain, run.variant.states])


def numbers_of_orders(choice: Choice) -> list[int]:
    """How many orders of plans are wanted, where that is several.

    >>> numbers_of_orders(CHOICE)
    [4]
    """
    found = {Variant.parse(word).orders for word in choice.losses}
    return sorted(found - {1})
