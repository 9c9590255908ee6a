"""Figures, tables and claims of made-up records, beside the paper's."""

from __future__ import annotations

import math
from typing import Any

import pytest
from table_lines import table_lines

from beeline.experiments.discovered_operators.claims import CLAIMS, check
from beeline.experiments.discovered_operators.figures import (
    GEOMETRIC_MEAN,
    Cell,
    Figures,
    geometric_mean,
    number,
    paper_figures,
    paper_mean,
    read_paper,
    record_figures,
)
from beeline.experiments.discovered_operators.grid import DOMAINS
from beeline.experiments.discovered_operators.searching import configurations
from beeline.experiments.discovered_operators.tables import (
    Table,
    expansions_table,
    far_cells,
    means_table,
    tables,
)

PAPER = paper_figures()


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
    assert found == {"h": {"grid": Cell(27.5, (15.0, 40.0))}, "ff": {"grid": Cell(8.0)}}


def test_the_printed_geometric_means_are_those_of_the_printed_cells() -> None:
    for configuration, row in read_paper()["expansions"].items():
        mean = geometric_mean(PAPER[configuration], DOMAINS)
        if mean is not None:
            printed = number(row[GEOMETRIC_MEAN])
            # Cells such as "2K" have one digit only.
            assert math.isclose(mean, printed, rel_tol=0.02), configuration


def test_every_table_has_figures_of_the_paper() -> None:
    percents = [1, 5, 10, 20, 30, 40, 50]
    shown = {key for table in tables(percents, [1, 5, 10, 20]) for key, _ in table.columns}
    known = {each.key for each in configurations(percents, [1, 5, 10, 20])}
    assert shown - {"h+xrs*1"} <= known
    for key in shown - {"goalcount+xrs5"}:
        assert set(PAPER[key]) == set(DOMAINS)
    assert len(read_paper()["training"]["xrs5"]) == len(DOMAINS)


def test_means_are_compared_over_the_domains_that_there_are() -> None:
    assert paper_mean("h", DOMAINS) == 35.0
    assert paper_mean("h", ["rovers"]) == pytest.approx(13.4)
    assert paper_mean("goalcount+xrs5", DOMAINS) == 28.1
    assert paper_mean("goalcount+xrs5", ["grid"]) is None
    assert paper_mean("nothing", DOMAINS) is None


def test_a_table_has_both_sources_ratios_and_dashes() -> None:
    ours: Figures = {"h": {"grid": Cell(133.0, (130.0, 136.0))}, "blind": {"grid": Cell(51234.2)}}
    table = Table("", "", (("h", "h"), ("h+ff", "with ff"), ("blind", "blind")))
    assert table_lines(expansions_table(table, ours, ["grid", "rovers"])) == [
        "| grid | 133.0 (66.5) | – (32.7) | 51,234 (51K) |",
        "| rovers | – (13.4) | – (18.5) | – (4K) |",
        "| geometric mean | 133.0 (66.5, ×2.00, 1 domain) | – (28.0) |"
        " 51,234 (51,000, ×1.00, 1 domain) |",
        "| pairs of seeds | 2 |  |  |",
    ]
    assert table_lines(means_table([table], ours)) == [
        "| h | 1 | 133.0 | 66.5 | 2.00 | no |",
        "| blind | 1 | 51,234 | 51,000 | 1.00 | yes |",
    ]
    assert far_cells(ours).rows == [["h", "grid", "133.0", "66.5", "+100 %", "130.0, 136.0"]]


def test_the_paper_s_claims_hold_in_its_own_tables() -> None:
    verdicts = check(PAPER, PAPER)
    assert len({each.sentence for each in verdicts}) == len(CLAIMS)
    assert {each.word for each in verdicts if each.here} == {"holds"}
    # Only a geometric mean is printed of the one that cannot be compared.
    assert [each.sentence for each in verdicts if not each.here] == [
        "h_GC with po^G 5 % expands fewer states than h_FF and h_add alone"
    ]


def test_claims_compare_only_what_there_is() -> None:
    ours: Figures = {
        "h": {"grid": Cell(50.0), "rovers": Cell(10.0)},
        "h+xrs1": {"grid": Cell(60.0)},
        "h+perfect": {"grid": Cell(20.0), "rovers": Cell(11.0)},
    }
    found = {each.sentence: each for each in check(ours, PAPER)}
    one = found["po^G 1 % expands fewer states than ĥ alone"]
    assert (one.here[0].claimed, one.here[0].other, one.here[0].holds) == ("60.0", "50.0", False)
    assert (one.paper[0].claimed, one.paper[0].other) == ("67.4", "66.5")
    assert one.word == "does not hold, nor in the paper"
    ideal = found["po* expands fewer states than ĥ alone, in all domains"]
    assert [each.holds for each in ideal.here] == [True, False]


def test_each_claim_belongs_to_a_table_of_the_paper() -> None:
    names = {each.name for each in tables([1, 5], [1, 5])}
    assert {each.table for each in CLAIMS} == names
    assert sum(len(check(PAPER, PAPER, name)) for name in names) == len(CLAIMS)
