"""Figures from records, and tables of figures."""

from __future__ import annotations

from typing import Any

from table_lines import row_of, table_lines

from beeline.experiments.figures import Figure, figure, figures_table
from beeline.experiments.nunez2024.experiment import clear_best, record_figures
from beeline.experiments.nunez2024.runs import task_indices


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
        "configuration": "" if alone else "learn/ff",
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
FIGURES = record_figures("nlm", TRAINING, PLANNING, tasks=2, limit=1000)


def test_errors_are_means_over_seeds() -> None:
    mse = FIGURES["mse"]
    assert mse["learn/ff N"]["ferry"] == figure([4.0, 6.0])
    assert (mse["learn/ff N+clip"]["ferry"].mean, mse["learn/ff N+clip"]["ferry"].deviation) == (
        4.0,
        2**0.5,
    )
    assert mse["learn/ff TN"]["ferry"] == figure([2.0])
    assert mse["h_LM-cut"]["ferry"].mean == 11.0
    assert FIGURES["nll"]["learn/ff N"]["ferry"].mean == 0.5


def test_another_network_has_figures_of_its_own() -> None:
    others = record_figures("linear", TRAINING, PLANNING, tasks=2, limit=1000)
    assert not others["mse"]
    assert list(others["coverage"]) == ["h_FF"]  # the same beside each network


def test_unsolved_tasks_count_as_the_limit_and_unfinished_seeds_not_at_all() -> None:
    assert FIGURES["coverage"]["learn/ff TN"]["ferry"] == figure([0.5])
    assert FIGURES["evaluations"]["learn/ff TN"]["ferry"] == figure([550.0])
    assert FIGURES["evaluations"]["h_FF"]["ferry"] == figure([400.0])


def test_a_table_has_both_sources_and_dashes() -> None:
    paper = {"learn/ff N": {"ferry": Figure(3.73, 0.7)}}
    titles = {name: name for name in ("h_FF", "learn/ff N", "learn/ff N+clip", "learn/ff TN")}
    table = figures_table(
        "1",
        "",
        "",
        titles,
        ["ferry", "gripper"],
        FIGURES["mse"],
        paper,
        means=("", {}),
        bold=clear_best,
    )
    assert table.header == ("configuration", "ferry", "gripper", "seeds")
    assert table_lines(table) == [
        "| h_FF | 9 (–) | – (–) | 1 |",
        "| learn/ff N | 5.00 ± 1.41 (3.73 ± 0.70) | – (–) | 2 |",
        "| learn/ff N+clip | 4.00 ± 1.41 (–) | – (–) | 2 |",
        "| learn/ff TN | 2 (–) | – (–) | 1 |",
    ]
    assert [row[1].bold for row in table.rows] == [False, False, False, True]
    alone = figures_table("1", "", "", titles, ["ferry"], FIGURES["mse"], means=("", {}))
    assert row_of(alone, "h_FF") == ["9", "1"]


def test_tasks_are_spread_over_all_sizes() -> None:
    assert task_indices(5, 20) == list(range(20))
    assert len(set(task_indices(25, 20))) == 20
    assert max(task_indices(25, 20)) == 24
    assert [index % 12 for index in task_indices(12, 15)] == [*range(12), 2, 6, 10]
