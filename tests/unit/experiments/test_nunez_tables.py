"""Figures from records, and tables of figures."""

from __future__ import annotations

from typing import Any

from table_lines import row_of, table_lines

from beeline.experiments.figures import Figure, figure, figures_table
from beeline.experiments.nunez2024.experiment import clear_best, record_figures
from beeline.experiments.nunez2024.runs import Entrant, TrainingRun
from beeline.experiments.nunez2024.searches import Search, task_indices


def run(model: str, seed: int, loss: str = "gaussian") -> TrainingRun:
    return TrainingRun(model, "ferry", loss, "learn", "ff", "lmcut", seed, 10)


def entrant(method: str, seed: int) -> Entrant:
    loss = "truncated-gaussian" if method == "TN" else "gaussian"
    return Entrant("learn/ff", method, run("nlm", seed, loss))


def measured(mse: float, clipped: float) -> dict[str, Any]:
    shares = {"mse": 1, "nll": 10, "mae": 2}
    plain = {name: mse / share for name, share in shares.items()}
    clip = {f"{name}_clip": clipped / share for name, share in shares.items()}
    heuristics = {"ff": 9.0, "lmcut": 11.0}
    return {"test": {**plain, **clip, "within_80": 0.8}, "heuristics": heuristics}


def searched(*outcomes: tuple[bool, int]) -> list[dict[str, Any] | None]:
    return [{"solved": solved, "evaluated": evaluated} for solved, evaluated in outcomes]


TESTED = {
    **{entrant(method, 0): measured(4.0, 3.0) for method in ("N", "N+clip")},
    **{entrant(method, 1): measured(6.0, 5.0) for method in ("N", "N+clip")},
    entrant("TN", 0): measured(2.0, 2.0),
}
SEARCHED = {
    Search("nlm", "learn/ff TN", "ferry", 0): searched((True, 100), (False, 77)),
    Search("nlm", "learn/ff TN", "ferry", 1): [
        *searched((True, 50)),
        None,
    ],  # the second task is missing
    **{
        Search(each, "ff", "ferry", 0): searched((True, 300), (True, 500))
        for each in ("nlm", "linear")
    },
}
FIGURES = record_figures("nlm", TESTED, SEARCHED, limit=1000)


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
    assert FIGURES["mae"]["learn/ff N+clip"]["ferry"].mean == 2.0
    assert FIGURES["within_80"]["learn/ff N"]["ferry"].mean == 0.8


def test_another_network_has_figures_of_its_own() -> None:
    others = record_figures("linear", TESTED, SEARCHED, limit=1000)
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
