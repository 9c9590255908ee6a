"""All experiments by name: each goes from nothing to a page, on a tiny scale."""

from __future__ import annotations

import json
import os
import shutil
import sys
from contextlib import contextmanager
from html import unescape
from typing import TYPE_CHECKING

import pytest

from beeline.core.errors import BeelineError, install_hint
from beeline.core.records import commit
from beeline.evaluate.record_reading import read_records
from beeline.evaluate.tables import Claim, Table
from beeline.experiments.claims import UNTOLD, Comparison, Verdict, check
from beeline.experiments.figures import Figure
from beeline.experiments.registry import (
    EARLIER_NAMES,
    EXPERIMENTS,
    SCALES,
    changes,
    find_experiment,
    is_deprecated,
)
from beeline.experiments.running import at_smaller_scale, run_experiment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WITHOUT_CLAIMS = {
    *("chrestien2023-table5", "chrestien2023-table8", "chrestien2023-table8-grids"),
    *("minini2023-table4.1", "nunez2022-figure1", "nunez2024-figure1"),
}
WITHOUT_PAPER = {
    *("beyond-ranking", "nunez2024-intervals", "nunez2024-anytime", "nunez2024-quantiles")
}
PICTURES = {
    *(f"nunez{year}-figure{number}" for year in (2022, 2024) for number in (1, 2)),
    "nunez2024-anytime",
}
ITS_OWN_TASKS = {  # worked examples
    *(f"chrestien2023-table{number}" for number in (2, 3, 4)),
    *(f"chrestien2023-figure{number}" for number in (1, 2, 3)),
}
# Claims about several domains, or about how near to the paper one comes in its own tasks.
TOLD_ELSEWHERE = {
    *("minini2023-section4.2", "minini2023-tableE.2", "minini2023-rules", "minini2023-rules4.5")
}


@contextmanager
def chdir(place: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(place)
    try:
        yield
    finally:
        os.chdir(before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("experiments")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_without_torch_says_so_before_anything_is_made(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(BeelineError, match="torch, which is not installed") as caught:
        run_experiment(name, scale="tiny", folder=tmp_path / "new", jobs=1)
    assert caught.value.hint == install_hint("neural")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_runs_from_nothing_to_a_page(name: str, folder: Path) -> None:
    experiment = find_experiment(name)
    outcome = run_experiment(name, scale="tiny", folder=folder / experiment.paper, jobs=1)
    assert outcome.failed == 0
    table = outcome.tables[0]
    assert table.title.startswith(experiment.table)
    cells = {cell for row in table.rows for cell in row}
    has_paper = name not in WITHOUT_PAPER
    has_figures = has_paper and name not in PICTURES  # papers tell no numbers of those
    assert any(cell.beside is not None for cell in cells) == has_figures
    page = (folder / experiment.paper / name / "report" / "index.html").read_text()
    assert outcome.page.endswith("index.html")
    assert table.title in page
    assert ("<h2>Figures</h2>" in page or 'id="figures"' in page) == (name in PICTURES)
    made = has_paper and name not in ITS_OWN_TASKS
    assert ("not the paper" in page) == made  # whose tasks these are
    assert ("beside the papers" in page) == has_paper
    assert outcome.tasks in unescape(page)
    assert bool(table.claims) == (name not in WITHOUT_CLAIMS)
    compared = any("comparisons" in each.detail for each in table.claims)
    assert compared == (bool(table.claims) and name not in TOLD_ELSEWHERE)
    if name in TOLD_ELSEWHERE:
        assert {each.word for each in table.claims} == {"not tested at this scale"}
    text = (folder / experiment.paper / name / "results.md").read_text()
    assert f"- command: beeline experiment {name} --scale tiny" in text
    assert f"- digest: {outcome.digest}" in text
    assert commit() is None or f"- commit: {commit()}" in text
    records = read_records(outcome.folder)
    assert [each.rows for each in records.tables] == [each.rows for each in outcome.tables]
    assert records.suite["digest"] == outcome.digest


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_scale_has_all_settings_and_the_paper_is_largest(name: str) -> None:
    tiny, small, paper = (
        find_experiment(name).choice(scale)._asdict() for scale in ("tiny", "small", "paper")
    )
    seeds = [field for field in tiny if "seeds" in field]
    for field in seeds:
        assert tiny[field] <= small[field] < paper[field]
    assert set(small["domains"]) >= set(tiny["domains"])


def test_an_experiment_that_was_stopped_goes_on(folder: Path, tmp_path: Path) -> None:
    """Stopped after each record, the figures are those of one that was not."""
    name, stops, counts = "minini2023-table4.5", 0, []
    whole = run_experiment(name, scale="tiny", folder=folder / "minini2023", jobs=1)

    def stop(words: str) -> None:
        if words.startswith("[1/"):
            raise KeyboardInterrupt

    for _ in range(100):
        try:
            outcome = run_experiment(name, scale="tiny", folder=tmp_path, jobs=1, say=stop)
            break
        except KeyboardInterrupt:
            stops += 1
            counts.append(len(list(tmp_path.rglob("search/plain/*.json"))))
    assert stops == 2 + 13  # networks and searches
    assert counts == sorted(counts)
    assert outcome.tables[0].rows == whole.tables[0].rows
    assert outcome.digest == whole.digest


# One for each thing that a report looks for: sets of plans, samples, state spaces, figures.
@pytest.mark.parametrize(
    "name",
    ["nunez2024-table2", "chrestien2023-table5", "minini2023-table4.1", "minini2023-property1"],
)
def test_before_anything_is_made_there_is_a_report_with_dashes(tmp_path: Path, name: str) -> None:
    outcome = run_experiment(name, scale="tiny", folder=tmp_path, report_only=True)
    assert not any(claim.holds for table in outcome.tables for claim in table.claims)
    assert (tmp_path / name / "report" / "index.html").is_file()


def test_numbers_of_seeds_and_single_settings_can_be_chosen(folder: Path) -> None:
    experiment = find_experiment("minini2023-table4.5")
    chosen = changes("percents=1,5 epochs=7 domains=blocks", experiment.choice("tiny")._asdict())
    assert chosen == {"percents": (1, 5), "epochs": 7, "domains": ("blocks",)}
    with pytest.raises(BeelineError, match="no setting of this experiment"):
        changes("depth=3", experiment.choice("tiny")._asdict())
    with pytest.raises(BeelineError, match="no value of initial_states"):
        changes("initial_states=many", experiment.choice("tiny")._asdict())
    outcome = run_experiment(
        "minini2023-table4.5", scale="tiny", folder=folder / "minini2023", seeds=2, report_only=True
    )
    suite = json.loads((folder / "minini2023" / "minini2023-table4.5" / "suite.json").read_text())
    assert suite["choice"]["network_seeds"] == suite["choice"]["sample_seeds"] == 2
    assert outcome.digest == suite["digest"]
    assert suite["command"] == (
        'beeline experiment minini2023-table4.5 --scale tiny --set "sample_seeds=2 network_seeds=2"'
    )


def test_words_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BeelineError, match="there is no experiment 'seed009'"):
        find_experiment("seed009")
    with pytest.raises(BeelineError, match="unknown scale"):
        run_experiment("minini2023-table4.5", scale="huge", folder=tmp_path)
    with pytest.raises(BeelineError, match="no such folder of data"):
        run_experiment("minini2023-table4.5", scale="tiny", folder=tmp_path, data=tmp_path / "none")
    with pytest.raises(BeelineError, match="number of seeds"):
        run_experiment("minini2023-table4.5", scale="tiny", folder=tmp_path, seeds=0)
    assert SCALES[0] == "small"


def test_names_that_papers_had_before_still_work() -> None:
    for earlier, name in EARLIER_NAMES.items():
        for known in EXPERIMENTS:
            if known.startswith(f"{name}-"):
                before = known.replace(name, earlier)
                assert find_experiment(before).name == known
                assert is_deprecated(before)
                assert not is_deprecated(known)


def test_records_of_earlier_names_are_taken_as_they_are(folder: Path, tmp_path: Path) -> None:
    """A folder as it was made when papers had other names: nothing is run again."""
    whole = run_experiment("nunez2022-table2", scale="tiny", folder=folder / "nunez2022", jobs=1)
    before = tmp_path / "seed000-tiny"
    shutil.copytree(folder / "nunez2022", before)
    shutil.rmtree(before / "nunez2022-table2")
    for path in sorted(before.rglob("*nunez2022*"), reverse=True):
        path.rename(path.with_name(path.name.replace("nunez2022", "seed000")))
    for path in [*before.glob("training/*.json"), *before.glob("planning/*/*/*.json")]:
        path.write_text(path.read_text().replace("nunez2022", "seed000"))
    said: list[str] = []
    with chdir(tmp_path):
        again = run_experiment("seed000-table2", scale="tiny", jobs=1, say=said.append)
    assert again.tables[0].rows == whole.tables[0].rows
    assert not [line for line in said if line.startswith("[")]
    named = [*before.glob("*"), *before.glob("models/*"), *before.glob("training/*")]
    assert named
    assert not [path for path in named if "seed000" in path.name]
    assert again.folder == str(before / "nunez2022-table2")


def test_a_small_experiment_counts_only_what_can_tell() -> None:
    equal = Comparison("ferry", "100", "100", holds=True, tells=False)
    worse = Comparison("blocks", "90", "100", holds=False)
    better = Comparison("spanner", "99", "90", holds=True)
    verdicts = [
        Verdict("all equal", [equal, equal], [equal, equal]),
        Verdict("equal but for one", [equal, equal, worse], []),
        Verdict("some equal", [equal, better], []),
    ]
    claims = tuple(each.claim("Table 1") for each in verdicts)
    assert [each.word for each in claims] == ["holds", "mixed", "holds"]  # at the paper's scale
    found = at_smaller_scale(Table("1", "", "", (), (), claims=claims)).claims
    assert [(each.word.partition(",")[0], each.look) for each in found] == [
        ("not tested at this scale", "open"),
        ("does not hold at this scale", "open"),
        ("holds", "holds"),
    ]
    assert found[0].holds is None


def test_solved_tasks_tell_nothing_where_blind_search_solves_all() -> None:
    claim = {"of": "x", "sentence": "A is better", "measure": "coverage", "pairs": [["a", "b"]]}
    figures = {"a": {"ferry": Figure(100.0)}, "b": {"ferry": Figure(90.0)}}
    for easy, word in (((), ""), (("ferry",), UNTOLD)):
        (verdict,) = check([claim], None, ["ferry"], lambda *_: figures, easy=easy)
        assert (verdict.word, verdict.below) == ("holds", word)


def test_claims_may_allow_for_a_part_of_a_figure_and_compare_domains() -> None:
    figures = {"a": {"ferry": Figure(104.0), "blocks": Figure(50.0)}, "b": {"ferry": Figure(100.0)}}
    near = {"of": "x", "sentence": "s", "measure": "expansions", "relation": "as good"}
    near |= {"pairs": [["a", "b"]], "tolerance": 0.05}
    tight, no_worse = {**near, "tolerance": 0.03}, {**near, "relation": "no worse"}
    across = {"of": "x", "sentence": "s", "measure": "expansions", "across": True}
    across |= {"pairs": [["blocks", "ferry"]]}
    found = check([near, tight, no_worse, across], None, ["ferry"], lambda *_: figures)
    assert [each.here[0].holds for each in found] == [True, False, True, True]
    assert found[3].here[0].label == "a, blocks against ferry"


def test_a_small_experiment_refutes_nothing() -> None:
    claims = (
        Claim("a", "", True, "2 of 2 comparisons: x", "holds"),
        Claim("b", "", False, "0 of 2 comparisons: x", "does not hold"),
        Claim("c", "", False, "0 of 2 comparisons: x", "does not hold, nor in the paper"),
        Claim("d", "", False, "2 of 3 comparisons: x", "mixed"),
        Claim("e", "", None, "nothing to compare"),
    )
    found = at_smaller_scale(Table("1", "", "", (), (), claims=claims)).claims
    assert [(each.word, each.look) for each in found] == [
        ("holds", "holds"),
        ("does not hold at this scale", "open"),
        ("does not hold at this scale, nor in the paper", "open"),
        ("mixed", "open"),
        ("not tested at this scale", "open"),
    ]
    assert [each.holds for each in found] == [each.holds for each in claims]
    assert claims[1].look == "fails"  # at the paper's scale
