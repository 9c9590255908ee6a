"""Figures, tables and claims of made-up records, beside the paper's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from table_lines import table_lines

from beeline.experiments.claims import check
from beeline.experiments.figures import GEOMETRIC_MEAN, Figure, figures_table, geometric_mean
from beeline.experiments.minini2023.beside import (
    MEASURES,
    PRINTED,
    cells_of_paper,
    deviations,
    far_cells,
    mean_cell,
    means_table,
    paper_mean,
    printed,
    record_figures,
)
from beeline.experiments.minini2023.experiment import GRID, columns
from beeline.experiments.minini2023.runs import Choice, Configuration
from beeline.experiments.minini2023.samples import DOMAINS, sample_kind
from beeline.experiments.registry import read_paper

if TYPE_CHECKING:
    from beeline.experiments.claims import Verdict
    from beeline.experiments.figures import Figures

CLAIMS = GRID["claims"]
PAPER = cells_of_paper()


def verdicts(ours: Figures, of: str | None = None) -> list[Verdict]:
    """Of these expansions, and of the paper's own figures of everything else."""

    def here(measure: str, _: object) -> Figures:
        return ours if measure == "expansions" else cells_of_paper(measure)

    return check(CLAIMS, of, DOMAINS, here, lambda measure, _: cells_of_paper(measure))


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
    every = (1, 5, 10, 20, 30, 40, 50)
    choice = Choice(percents=every, fsm_percents=every)
    for each in GRID["experiments"]:
        assert columns(choice, each["table"]) == list(each["columns"])
        for key in {key for key, _ in each["columns"]} - {"goalcount+xrs5"}:
            assert set(printed(key, each.get("measure", "expansions"))) == set(DOMAINS)
            assert "measure" in each or Configuration.parse(key).key == key
        for rule in each.get("rules", {}).values():
            assert set(rule) <= {key for key, _ in each["columns"]}
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
        "h_GC with po^G 5 % expands fewer states than h_FF and h_add alone",
        # It tells of deviations in a plot alone, and distances from the paper are ours.
        "with more informed heuristics expansions vary less: h_FF and h_add less than h_GC and"
        " h_blind",
        "shared operators come nearer to the paper than other readings of perfect distances",
        "the operators of nearest samples come nearer to the paper than each sample's own, or"
        " those of all",
        "the highest output of applicable operators comes nearer to the paper than that of all",
        "the highest output of applicable operators comes nearer to the paper, with heuristics that"
        " are not learned",
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
    assert {each["of"] for each in CLAIMS} == names - {"Table 4.1"}  # which claims nothing
    assert sum(len(verdicts(PAPER, name)) for name in names) == len(CLAIMS)


def test_words_behind_a_configuration_say_how_it_differs() -> None:
    plain, other = map(Configuration.parse, ("h+xrs*1", "h+xrs1-k0.6-unboosted-any"))
    assert (plain.operators, plain.boost, plain.rule) == (("xrs*", 1), 1000, "applicable")
    assert (other.operators, other.share, other.boost, other.rule) == (("xrs", 1), 0.6, 0, "any")
    assert Configuration.parse("blind+perfect-deepest").order == "deepest"
    assert sample_kind("perfect") is None


def test_deviations_are_those_of_seeds() -> None:
    found = deviations({"h": {"grid": Figure(2.0, seeds=(1.0, 3.0)), "rovers": Figure(1.0)}})
    assert found == {"h": {"grid": Figure(math.sqrt(2.0))}}


def test_variants_stand_beside_the_column_that_they_belong_to() -> None:
    assert printed("own5", "mean_preferred") == MEASURES["mean_preferred"]["xrs5"]
    assert printed("h+xrs1-unboosted-any", "expansions") == PAPER["h+xrs1-unboosted"]
    assert printed("h+xrs*1", "expansions") == PAPER["h+xrs*1"] != PAPER["h+xrs1"]
