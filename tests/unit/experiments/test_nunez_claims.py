"""Claims of a paper, counted in its own tables and in made-up ones."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from beeline.experiments.claims import Comparison, Verdict, check, within
from beeline.experiments.figures import Figure
from beeline.experiments.nunez2024 import CONFIGURATIONS, EARLIER, GRID, LATER
from beeline.experiments.nunez2024.experiment import CHOICE, table_figures
from beeline.experiments.registry import EXPERIMENTS

if TYPE_CHECKING:
    from beeline.experiments.figures import Figures

DOMAINS = GRID["editions"][LATER]["domains"]
ALL_DOMAINS = tuple(dict.fromkeys((*DOMAINS, *GRID["editions"][EARLIER]["domains"])))
METHODS = CHOICE.methods
PAPER = table_figures(LATER, "Table 1") | table_figures(LATER, "Table 2")
COLUMNS = [" ".join(words) for words in product(CONFIGURATIONS, METHODS)]


def verdicts(
    ours: dict[str, Figures], paper: dict[str, Figures] = PAPER, of: str | None = None
) -> list[Verdict]:
    """Of the claims about columns that the paper has; it tells no numbers of curves."""
    columns = {column for figures in paper.values() for column in figures}
    return check(
        [each for each in within(GRID["claims"], columns) if each["of"] != "curves"],
        of,
        ALL_DOMAINS,
        lambda measure, _: ours.get(measure, {}),
        lambda measure, _: paper[measure],
    )


def counts(ours: dict[str, Figures]) -> dict[str, tuple[int, int]]:
    """How many comparisons hold, and of how many, by the first words of the claim."""
    return {
        verdict.sentence: (sum(each.holds for each in verdict.here), len(verdict.here))
        for verdict in verdicts(ours)
    }


@pytest.mark.parametrize(
    "name", [each for each in EXPERIMENTS if each.startswith("nunez202") and "-table" in each]
)
def test_the_tables_of_the_paper_are_whole(name: str) -> None:
    """Each cell of each table has a figure, but for those that could not be read."""
    choice = EXPERIMENTS[name].choice("paper")
    domains, found = choice.how["domains"], table_figures(choice.edition, EXPERIMENTS[name].table)
    wanted = ("coverage", "evaluations") if choice.what == "planning" else ("mse",)
    assert set(wanted) <= set(found) <= {*wanted, "nll"}
    for measure, column in product(wanted, choice.columns):
        row = found[measure][column]
        lost = {"gripper"} if column == "L_GBFS" else set()  # which failed in the paper, too
        assert tuple(row) == tuple(each for each in domains if each not in lost)
        means = [figure.mean for figure in row.values()]
        assert all(0 <= each <= 1 for each in means) or measure != "coverage"
        assert all(1 < each <= 10_000 for each in means) or measure != "evaluations"


def test_figures_are_those_that_are_printed() -> None:
    assert PAPER["mse"]["fixed/none N+clip"]["ferry"] == Figure(10.5, 9.6)
    hgn = table_figures(LATER, "Table 6")["mse"]
    assert hgn["h_LM-cut"]["gripper"] == Figure(15.82)
    assert hgn["learn/ff N"]["ferry"] == Figure(8.9e8, 1.8e8)
    assert table_figures(LATER, "Table 9")["coverage"]["fixed/ff TN"]["gripper"] == Figure(0.76, 0)
    assert "satellite" not in table_figures(EARLIER, "Table 1")["nll"]["learn/ff TN"]  # not legible
    floored = table_figures(EARLIER, "Table S11")["evaluations"]["learn/ff TN floored"]
    assert [each.mean for each in floored.values()] == [725, 917, 3158]


def test_the_counts_that_the_paper_tells_come_from_its_tables() -> None:
    found = counts(PAPER)
    assert found["learning sigma lowers the error of TN"] == (7, 8)
    assert found["learning sigma does not lower the error of N"] == (5, 8)
    assert found["GBFS with TN solves more than with N and N+clip, with learn/ff"] == (8, 8)
    assert found["GBFS with learn/ff solves more than with h_FF alone"] == (12, 12)
    assert all(verdict.word == "holds" for verdict in verdicts(PAPER))


def test_runs_that_are_missing_are_not_compared() -> None:
    assert {verdict.word for verdict in verdicts({})} == {"–"}
    errors = {
        "learn/ff N": {"ferry": Figure(2.0)},
        "learn/ff TN": {"ferry": Figure(1.0)},
        "h_FF": {"ferry": Figure(1.5)},
    }
    found = counts({"mse": errors})
    assert found["TN has a smaller error than N and N+clip with learn/ff"] == (1, 1)
    assert found["with the residual h_FF, models have smaller errors than h_FF alone"] == (1, 2)


def test_equal_coverage_is_decided_by_evaluations() -> None:
    sentence = "GBFS with TN solves more than with N and N+clip, with learn/ff"
    for coverage, evaluations, holds in ((0.9, 10, 1), (0.9, 20, 0), (0.8, 10, 0), (1.0, 99, 1)):
        ours = {
            "coverage": {
                "learn/ff TN": {"ferry": Figure(coverage)},
                "learn/ff N": {"ferry": Figure(0.9)},
            },
            "evaluations": {
                "learn/ff TN": {"ferry": Figure(evaluations)},
                "learn/ff N": {"ferry": Figure(20)},
            },
        }
        assert counts(ours)[sentence] == (holds, 1)


@pytest.mark.parametrize(
    ("here", "paper", "word"),
    [
        ("11", "10", "holds"),
        ("110", "110", "holds"),
        ("110", "111", "mixed"),
        ("10", "11", "does not hold"),
        ("00", "00", "does not hold, nor in the paper"),
    ],
)
def test_a_verdict_compares_shares(here: str, paper: str, word: str) -> None:
    sides = [[Comparison("", "", "", digit == "1") for digit in side] for side in (here, paper)]
    verdict = Verdict("claim", *sides)
    assert verdict.word == verdict.claim("Table 1").word == word
    assert verdict.claim("Table 1").holds == (word == "holds")


def test_a_claim_without_comparisons_is_open() -> None:
    claim = Verdict("claim", [], []).claim("Table 1")
    assert (claim.holds, claim.word, claim.detail) == (None, "", "nothing to compare")


def test_the_first_version_of_the_paper_has_whole_tables_too() -> None:
    paper = table_figures(EARLIER, "Table 1") | table_figures(EARLIER, "Table 2")
    domains = GRID["editions"][EARLIER]["domains"]
    assert all(tuple(paper["mse"][column]) == domains for column in COLUMNS)
    assert paper["coverage"]["learn/ff TN"]["satellite"] == Figure(0.652, 0.0327)
    # In the paper's words: except for fixed/ff in logistics, TN is better than N.
    worse = [
        (domain, configuration)
        for configuration, domain in product(CONFIGURATIONS, domains)
        if paper["mse"][f"{configuration} TN"][domain].mean
        >= paper["mse"][f"{configuration} N"][domain].mean
    ]
    assert worse == [("logistics", "fixed/ff")]
    assert len(verdicts(paper, paper, "planning")) == 2
