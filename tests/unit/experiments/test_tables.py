"""Figures from records, and tables of figures."""

from __future__ import annotations

from typing import Any

from table_lines import table_lines

from beeline.experiments.admissible_bounds.figures import ALONE, Figure, Key, record_figures
from beeline.experiments.admissible_bounds.planning import task_indices
from beeline.experiments.admissible_bounds.tables import error_table, planning_table


def trained(distribution: str, seed: int, mse: float, clipped: float) -> dict[str, Any]:
    settings = {"model": "nlm", "domain": "ferry", "sigma": "learn", "residual": "ff"}
    return {
        "settings": {**settings, "distribution": distribution, "seed": seed},
        "test": {"mse": mse, "mse_clip": clipped, "nll": mse / 10, "nll_clip": clipped / 10},
        "heuristics": {"ff": 9.0, "lmcut": 11.0},
    }


def searched(method: str, seed: int, solved: bool, evaluated: int) -> dict[str, Any]:
    alone = method == "ff"
    settings = {
        "model": "ff" if alone else "nlm",
        "domain": "ferry",
        "configuration": ALONE if alone else "learn/ff",
        "method": method,
        "seed": seed,
    }
    return {"settings": settings, "solved": solved, "evaluated": evaluated}


TRAINING = [
    trained("gaussian", 0, 4.0, 3.0),
    trained("gaussian", 1, 6.0, 5.0),
    trained("truncated-gaussian", 0, 2.0, 2.0),
]
PLANNING = [
    searched("TN", 0, True, 100),
    searched("TN", 0, False, 77),
    searched("TN", 1, True, 50),  # its second task has not been searched
    searched("ff", 0, True, 300),
    searched("ff", 0, True, 500),
]
FIGURES = record_figures(TRAINING, PLANNING, tasks=2, limit=1000)


def key(method: str, configuration: str = "learn/ff") -> Key:
    return Key("nlm", "ferry", configuration, method)


def test_errors_are_means_over_seeds() -> None:
    assert FIGURES.mse[key("N")] == Figure(5.0, 2**0.5)
    assert FIGURES.mse[key("N+clip")] == Figure(4.0, 2**0.5)
    assert FIGURES.mse[key("TN")] == Figure(2.0)
    assert FIGURES.mse[key("lmcut", ALONE)] == Figure(11.0)
    assert FIGURES.nll[key("N")].mean == 0.5


def test_unsolved_tasks_count_as_the_limit_and_unfinished_seeds_not_at_all() -> None:
    assert FIGURES.coverage[key("TN")] == Figure(0.5)
    assert FIGURES.evaluations[key("TN")] == Figure(550.0)
    assert FIGURES.evaluations[key("ff", ALONE)] == Figure(400.0)


def test_the_table_of_errors_has_both_sources_and_dashes() -> None:
    paper = {key("N"): Figure(3.73, 0.7)}
    lines = table_lines(error_table(FIGURES.mse, paper, "nlm", ["ferry"]))
    assert lines[0].startswith("| ferry | MSE | here | 9.00 | 11.00 | 5.00 ± 1.41 | **2.00** | – |")
    assert lines[1].startswith("| ferry | MSE | paper | – | – | 3.73 ± 0.70 | – |")
    assert lines[2].startswith("| ferry | +clip | here |  |  | 4.00 ± 1.41 |  |")


def test_the_table_of_searches_has_both_sources_and_dashes() -> None:
    paper = {key("TN"): Figure(0.98, 0.05)}
    table = planning_table(FIGURES.coverage, paper, "nlm", ["ferry"], ["learn/ff"], "{:.2f}".format)
    assert table_lines(table) == [
        "| ferry | here | 1.00 | – | – | 0.50 |",
        "| ferry | paper | – | – | – | 0.98 ± 0.05 |",
    ]


def test_tasks_are_spread_over_all_sizes() -> None:
    assert task_indices(5, 20) == list(range(20))
    assert len(set(task_indices(25, 20))) == 20
    assert max(task_indices(25, 20)) == 24
    assert [index % 12 for index in task_indices(12, 15)] == [*range(12), 2, 6, 10]
