"""Averages, scores, common tasks, and what is printed in bold."""

from __future__ import annotations

from typing import Any

import pytest

from beeline.evaluate.measures import MEASURES, compare
from beeline.evaluate.record_reading import Records, Run, known_costs
from beeline.evaluate.run_tables import (
    comparison_table,
    outcome_table,
    overview_tables,
    pair_table,
    warnings_of,
)

BY_NAME = {measure.name: measure for measure in MEASURES}


def solved(task: str, name: str, seed: int = 0, domain: str = "d", **fields: Any) -> Run:
    numbers = {"cost": 10, "expanded": 100, "evaluated": 200, "total_time": 0.5, **fields}
    return Run(domain, task, name, seed, "solved", **numbers)


def unsolved(task: str, name: str, seed: int = 0, domain: str = "d") -> Run:
    return Run(domain, task, name, seed, "time_limit", time_limit=60)


def standings(runs: list[Run], measure: str, names: list[str]) -> Any:
    return compare(runs, names, BY_NAME[measure], known_costs(runs)).standings


def test_coverage_is_a_mean_over_seeds_with_its_deviation() -> None:
    runs = [
        solved("p1", "a", 0),
        solved("p2", "a", 0),
        solved("p1", "a", 1),
        unsolved("p2", "a", 1),
    ]
    found = standings(runs, "coverage", ["a"])["a"]
    assert found.value == 1.5
    assert found.spread == pytest.approx(0.5**0.5)
    assert not found.bold  # nothing to compare with


def test_counts_are_geometric_means_over_common_tasks() -> None:
    runs = [
        *(solved("p1", "a", expanded=10), solved("p2", "a", expanded=1000), solved("p3", "a")),
        *(solved("p1", "b", expanded=1), solved("p2", "b", expanded=0), unsolved("p3", "b")),
    ]
    comparison = compare(runs, ["a", "b"], BY_NAME["expansions"], {})
    assert comparison.tasks == 2
    assert comparison.standings["a"].value == pytest.approx(100)
    assert comparison.standings["b"].value == pytest.approx(1)  # none counts as one
    plain = compare(runs, ["a", "b"], BY_NAME["expansions-mean"], {})
    assert plain.standings["a"].value == pytest.approx(505)


def test_a_task_is_common_only_if_every_seed_solves_it() -> None:
    runs = [solved("p1", "a"), solved("p1", "b", 0), unsolved("p1", "b", 1), solved("p2", "b", 0)]
    assert compare(runs, ["a", "b"], BY_NAME["cost"], {}).tasks == 0


def test_a_configuration_that_solves_nothing_does_not_empty_the_table() -> None:
    runs = [solved("p1", "a"), solved("p1", "b"), unsolved("p1", "c")]
    comparison = compare(runs, ["a", "b", "c"], BY_NAME["time"], {})
    assert comparison.tasks == 1
    assert comparison.standings["c"].value is None


def test_satisficing_scores_use_the_lowest_known_cost() -> None:
    runs = [solved("p1", "a", cost=10), solved("p1", "b", cost=5, cost_bound=4)]
    found = standings(runs, "satisficing", ["a", "b"])
    assert (found["a"].value, found["b"].value) == (0.4, 0.8)


def test_agile_scores_use_the_time_limit() -> None:
    runs = [solved("p1", "a", total_time=30, time_limit=900), unsolved("p2", "a")]
    assert standings(runs, "agile", ["a"])["a"].value == pytest.approx(0.5)


def test_without_a_total_time_the_time_of_search_counts() -> None:
    runs = [solved("p1", "a", total_time=None, search_time=2.0)]
    assert standings(runs, "time", ["a"])["a"].value == pytest.approx(2.0)


def test_bold_is_what_no_test_can_tell_from_the_best() -> None:
    tasks = [f"p{number}" for number in range(12)]
    runs = []
    for number, task in enumerate(tasks):
        runs.append(solved(task, "best", expanded=100))
        runs.append(solved(task, "close", expanded=125 if number % 2 else 90))
        runs.append(solved(task, "worse", expanded=200))
    found = standings(runs, "expansions", ["best", "close", "worse"])
    assert {name: each.bold for name, each in found.items()} == {
        "best": True,
        "close": True,
        "worse": False,
    }
    assert found["best"].p is None
    assert found["close"].p > 0.05 > found["worse"].p


def test_few_tasks_make_only_the_best_bold() -> None:
    runs = [solved(f"p{n}", "a", expanded=10) for n in range(5)]
    runs += [solved(f"p{n}", "b", expanded=11) for n in range(5)]
    found = standings(runs, "expansions", ["a", "b"])
    assert (found["a"].bold, found["b"].bold) == (True, False)


def test_equal_values_are_all_the_best() -> None:
    runs = [solved("p1", name) for name in ("a", "b")]
    assert all(each.best and each.bold for each in standings(runs, "coverage", ["a", "b"]).values())


def test_who_solves_nothing_is_never_bold() -> None:
    tasks = [f"p{number}" for number in range(8)]
    runs = [solved(task, "a") if task < "p3" else unsolved(task, "a") for task in tasks]
    runs += [unsolved(task, "b") for task in tasks]
    found = standings(runs, "coverage", ["a", "b"])
    assert found["b"].p == 0.25
    assert not found["b"].bold


def test_the_table_has_a_row_for_each_domain_and_one_for_all() -> None:
    runs = (
        *(
            solved("p1", "a", domain="x"),
            solved("p1", "a", domain="y"),
            solved("p2", "a", domain="y"),
        ),
    )
    table = comparison_table(Records(runs=runs), BY_NAME["coverage"])
    assert [[cell.text for cell in row] for row in table.rows] == [["x", "1", "1"], ["y", "2", "2"]]
    assert [cell.text for cell in table.footer[0]] == ["all", "3", "3"]


def test_configurations_stand_in_the_order_of_the_suite() -> None:
    runs = tuple(solved("p1", name) for name in ("a", "b", "c"))
    for listed in (["c", "a"], [{"name": "c"}, {"name": "a"}], {"c": {}, "a": {}}):
        assert Records({"configurations": listed}, runs).configurations == ("c", "a", "b")


def test_overview_and_outcomes() -> None:
    records = Records(runs=(solved("p1", "a"), solved("p1", "b", expanded=7), unsolved("p2", "a")))
    overview, significance = overview_tables(records)
    assert [row[0].text for row in overview.rows] == ["a", "b"]
    assert overview.rows[1][5].text == "7"
    assert significance.rows[4][3].text == "best"
    outcomes = outcome_table(records)
    assert outcomes.header == ("configuration", "runs", "solved", "time limit")
    assert [cell.text for cell in outcomes.rows[0]] == ["a", "2", "1", "1"]


def test_two_by_two() -> None:
    runs = (
        *(solved("p1", "a", expanded=10), solved("p2", "a"), unsolved("p3", "a")),
        *(solved("p1", "b", expanded=40), unsolved("p2", "b"), unsolved("p3", "b")),
    )
    table = pair_table(Records(runs=runs), "a", "b")
    row = [cell.text for cell in table.footer[0]]
    assert row[:6] == ["all", "3", "1", "1", "0", "1"]
    assert row[7] == "0.250"


def test_warnings_tell_of_missing_runs_other_limits_and_failures() -> None:
    runs = (
        *(solved("p1", "a"), solved("p2", "a", time_limit=5)),
        Run("d", "p1", "b", 0, "failed", reason="killed"),
    )
    assert warnings_of(Records(runs=runs)) == [
        "b has 1 of 2 runs: the rest is missing",
        "runs were made under different time limits",
        "1 of 3 runs failed; they count as not solved",
    ]


class TestLikeWithLike:
    """`some` was tried on one of two domains, and solves all of it; `all` is better there."""

    def records(self) -> Records:
        easy, hard = ([f"{kind}{n:02}" for n in range(20)] for kind in ("e", "h"))
        runs = [solved(task, "some", domain="easy", expanded=200) for task in easy]
        runs += [solved(task, "all", domain="easy", expanded=100) for task in easy[:19]]
        runs += [unsolved(easy[19], "all", domain="easy")]
        runs += [solved(task, "all", domain="hard") for task in hard[:4]]
        runs += [unsolved(task, "all", domain="hard") for task in hard[4:]]
        listed = [{"name": "some", "domains": ["easy"]}, {"name": "all"}]
        return Records({"configurations": listed}, tuple(runs))

    def test_who_was_tried_on_more_tasks_is_not_better_for_that(self) -> None:
        records = self.records()
        found = standings(list(records.runs), "coverage", ["some", "all"])
        assert (found["some"].value, found["all"].value) == (20, 19)
        assert (found["some"].best, found["all"].best) == (True, False)
        assert compare(records.runs, ["some", "all"], BY_NAME["agile"], {}).tasks == 20

    def test_tables_say_of_how_many_and_over_what(self) -> None:
        overview, significance = overview_tables(self.records())
        assert [[str(cell) for cell in row[:2]] for row in overview.rows] == [
            ["some", "20 of 20"],
            ["all", "23 of 40"],
        ]
        assert "tried on, of which there are 20." in overview.note
        assert [str(cell) for cell in significance.rows[0][:2]] == ["Coverage", "20"]
        table = comparison_table(self.records(), BY_NAME["coverage"])
        assert [[str(cell) for cell in row] for row in (*table.rows, *table.footer)] == [
            ["easy", "20", "20", "19"],
            ["hard", "20", "–", "4"],
            ["all", "20", "20 of 20", "23 of 40"],
        ]
        assert "tried on the same tasks" in table.legend

    def test_a_configuration_that_is_limited_to_domains_misses_nothing(self) -> None:
        records = self.records()
        assert warnings_of(records) == ["runs were made under different time limits"]
        fewer = Records(records.suite, records.runs[1:])
        assert "some has 19 of 20 runs: the rest is missing" in warnings_of(fewer)

    def test_without_a_common_task_nobody_is_best(self) -> None:
        runs = [solved("p1", "a"), solved("p2", "b")]
        found = compare(runs, ["a", "b"], BY_NAME["coverage"], {})
        assert found.tasks == 0
        assert not any(each.best or each.bold for each in found.standings.values())
        (table,) = overview_tables(Records({}, tuple(runs)))[:1]
        assert [str(row[1]) for row in table.rows] == ["1 of 1", "1 of 1"]

    def test_where_all_were_tried_on_the_same_tasks_nothing_is_said(self) -> None:
        records = Records({}, tuple(solved("p1", name) for name in ("a", "b")))
        table = comparison_table(records, BY_NAME["coverage"])
        assert str(table.footer[0][2]) == "1"
        assert "same tasks" not in table.legend
