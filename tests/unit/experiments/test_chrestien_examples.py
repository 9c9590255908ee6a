"""Tables 2 to 4 and figures 1 to 3 of Chrestien et al., beside what the paper prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from beeline.experiments.chrestien2023.examples import (
    GRID,
    ExplicitGraph,
    graph_facts,
    printed_values,
    values_of,
)
from beeline.experiments.running import run_experiment

if TYPE_CHECKING:
    from pathlib import Path

SQUARE = ExplicitGraph.read(GRID["graphs"]["grid"])
WORDS = {each["table"]: each for each in GRID["experiments"]}


@pytest.mark.parametrize("table", ["Table 2", "Table 3"])
def test_tables_come_out_to_the_printed_digit_without_steps_that_have_no_alternative(
    table: str,
) -> None:
    found, printed = values_of(SQUARE, WORDS[table], "choices"), printed_values(table)
    assert set(found) == set(printed)
    for cell, value in printed.items():
        assert found[cell] == pytest.approx(value, abs=0.005 + 1e-9), cell
    by_the_definition = values_of(SQUARE, WORDS[table], "definition")
    assert by_the_definition[0, 3] < -100
    assert printed[0, 3] == 0


def test_the_example_has_70_optimal_plans() -> None:
    plans = list(SQUARE.plans())
    assert len(plans) == len(set(map(tuple, plans))) == 70
    assert {len(plan) for plan in plans} == {9}


def test_table_4_is_a_minimum_but_for_a_shift_of_each_diagonal() -> None:
    found, printed = values_of(SQUARE, WORDS["Table 4"], "choices"), printed_values("Table 4")
    for (x, y), value in printed.items():
        if x + 1 < 5 and y > 0:
            assert found[x, y] - found[x + 1, y - 1] == pytest.approx(
                value - printed[x + 1, y - 1], abs=0.02
            )


def test_the_printed_values_of_table_4_lead_astar_astray_and_those_of_definition_1_do_not() -> None:
    plan, printed = 8, SQUARE.forward_search(printed_values("Table 4"), alpha=1.0)
    assert len(printed.expanded) > plan
    values = values_of(SQUARE, WORDS["Table 4"], "definition")
    assert len(SQUARE.forward_search(values, alpha=1.0).expanded) == plan


def test_facts_of_the_figures_are_those_of_the_paper() -> None:
    one, two, three = (
        graph_facts(ExplicitGraph.read(GRID["graphs"][f"figure{number}"])) for number in (1, 2, 3)
    )
    assert (one["pairs"], one["unlisted"], one["goal_pairs"]) == (6, 0, 4)
    assert (two["optimal"], two["astar"], two["greedy"]) == (10, 10, 11)
    assert (two["violated"] > 0, two["ranking"]) == (True, 1)
    assert (three["optimal"], three["greedy"]) == (2, 9)
    # What the paper says of all heuristics holds for those whose goal is lowest.
    assert (three["ranking_goal"], three["ranking"], three["ranking_short"]) == (0, 1, 1)


@pytest.mark.parametrize("scale", ["tiny", "paper"])
def test_examples_are_judged_alike_at_every_scale(scale: str, tmp_path: Path) -> None:
    tables = run_experiment("chrestien2023-table3", scale=scale, folder=tmp_path, jobs=1).tables
    assert [each.word for each in tables[0].claims] == ["holds", "does not hold", "holds"]
    assert [str(row[1]) for row in tables[2].rows] == ["0", "14", "–"]
