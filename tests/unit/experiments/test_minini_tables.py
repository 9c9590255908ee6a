"""Figures, tables and claims of made-up records, beside the paper's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from table_lines import table_lines

from beeline.experiments.claims import check
from beeline.experiments.figures import GEOMETRIC_MEAN, Figure, figures_table, geometric_mean
from beeline.experiments.minini2023.experiment import (
    GRID,
    PRINTED,
    cells_of_paper,
    columns,
    far_cells,
    mean_cell,
    means_table,
    paper_mean,
    record_figures,
)
from beeline.experiments.minini2023.runs import DOMAINS, Choice, Configuration
from beeline.experiments.registry import read_paper

if TYPE_CHECKING:
    from beeline.experiments.claims import Verdict
    from beeline.experiments.figures import Figures

CLAIMS = GRID["claims"]
PAPER = cells_of_paper()


def verdicts(ours: Figures, of: str | None = None) -> list[Verdict]:
    return check(CLAIMS, of, DOMAINS, lambda *_: ours, lambda *_: PAPER)


def searched(
    configuration: str, domain: str, pair: list[int] | None, expanded: list[int]
) -> dict[str, Any]:
    settings = {"configuration": configuration, "domain": domain, "pair": pair}
    return {"settings": settings, "expanded": expanded}


def test_each_pair_of_seeds_weighs_the_same() -> None:
    found = record_figures(
        [
            searched("h", "grid", [0, 0], [10, 20]),
            searched("h", "grid", [0, 1], [30, 50]),
            searched("ff", "grid", None, [7, 9]),
        ]
    )
    assert found == {
        "h": {"grid": Figure(27.5, seeds=(15.0, 40.0))},
        "ff": {"grid": Figure(8.0)},
    }


def test_the_printed_geometric_means_are_those_of_the_printed_cells() -> None:
    for configuration, row in PRINTED.items():
        mean = geometric_mean(row, DOMAINS)
        if mean is not None:
            # Cells such as "2K" have one digit only.
            assert math.isclose(mean, row[GEOMETRIC_MEAN].mean, rel_tol=0.02), configuration


def test_every_table_has_figures_of_the_paper() -> None:
    choice = Choice(percents=(1, 5, 10, 20, 30, 40, 50), fsm_percents=(1, 5, 10, 20))
    tables = [columns(choice, each["table"]) for each in GRID["experiments"]]
    assert tables == [list(each["columns"]) for each in GRID["experiments"]]
    for key in {key for table in tables for key, _ in table} - {"goalcount+xrs5"}:
        assert set(PAPER[key]) == set(DOMAINS)
        assert Configuration.parse(key).key == key
    assert len(read_paper("minini2023")["training"]["xrs5"]) == len(DOMAINS)


def test_columns_of_samples_that_are_not_drawn_are_left_out() -> None:
    few = Choice(percents=(1, 10))
    assert [key for key, _ in columns(few, "Table 4.3")] == ["h", "h+ff", "h+xrs1", "h+xrs10"]
    assert "goalcount+xrs5" not in dict(columns(few, "Table 4.5"))
    assert "goalcount+xrs5" in dict(columns(Choice(), "Table 4.5"))


def test_means_are_compared_over_the_domains_that_there_are() -> None:
    assert paper_mean("h", DOMAINS) == 35.0
    assert paper_mean("h", ["rovers"]) == pytest.approx(13.4)
    assert paper_mean("goalcount+xrs5", DOMAINS) == 28.1
    assert paper_mean("goalcount+xrs5", ["grid"]) is None
    assert paper_mean("nothing", DOMAINS) is None


def test_a_table_has_both_sources_ratios_and_dashes() -> None:
    ours: Figures = {
        "h": {"grid": Figure(133.5, seeds=(130.0, 137.0))},
        "blind": {"grid": Figure(51234.2)},
    }
    titles = {"h": "h", "h+ff": "with ff", "blind": "blind"}
    means = (GEOMETRIC_MEAN, {key: mean_cell(key, ours) for key in titles})
    table = figures_table("1", "", "", titles, ["grid", "rovers"], ours, PAPER, means=means)
    assert table.header == ("configuration", "grid", "rovers", "geometric mean", "seeds")
    assert table_lines(table) == [
        "| h | 134 ± 5 (66.5) | – (13.4) | 134 (66.5) | 2 |",
        "| with ff | – (32.7) | – (18.5) | – (28) | – |",
        "| blind | 51,234 (51,000) | – (4,000) | 51,234 (51,000) | – |",
    ]
    assert table_lines(means_table(titles, ours)) == [
        "| h | 1 | 134 | 66.5 | 2.01 | no |",
        "| blind | 1 | 51,234 | 51,000 | 1.00 | yes |",
    ]
    assert table_lines(far_cells(ours)) == ["| h | grid | 134 | 66.5 | 101 | 130 | 137 |"]


def test_the_paper_s_claims_hold_in_its_own_tables() -> None:
    found = verdicts(PAPER)
    assert len({each.sentence for each in found}) == len(CLAIMS)
    assert {each.word for each in found if each.here} == {"holds"}
    # Only a geometric mean is printed of the one that cannot be compared.
    assert [each.sentence for each in found if not each.here] == [
        "h_GC with po^G 5 % expands fewer states than h_FF and h_add alone"
    ]


def test_claims_compare_only_what_there_is() -> None:
    ours: Figures = {
        "h": {"grid": Figure(50.0), "rovers": Figure(10.0)},
        "h+xrs1": {"grid": Figure(60.0)},
        "h+perfect": {"grid": Figure(20.0), "rovers": Figure(11.0)},
    }
    found = {each.sentence: each for each in verdicts(ours)}
    one = found["po^G 1 % expands fewer states than ĥ alone"]
    assert (one.here[0].claimed, one.here[0].other, one.here[0].holds) == ("60", "50", False)
    assert (one.paper[0].claimed, one.paper[0].other) == ("67.4", "66.5")
    assert one.word == "does not hold, nor in the paper"
    ideal = found["po* expands fewer states than ĥ alone, in all domains"]
    assert [each.holds for each in ideal.here] == [True, False]


def test_each_claim_belongs_to_a_table_of_the_paper() -> None:
    names = {each["table"] for each in GRID["experiments"]}
    assert {each["of"] for each in CLAIMS} == names
    assert sum(len(verdicts(PAPER, name)) for name in names) == len(CLAIMS)
