"""The whole report: the same bytes twice, a page that needs nothing else, plots that fit it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from parsed_pages import ParsedPage
from report_records import run_record, write_json, write_records, write_run

from beeline.core.errors import BeelineError, install_hint
from beeline.evaluate import drawing
from beeline.evaluate.drawing import INK, SERIES, inline_svg
from beeline.evaluate.record_reading import Records, Run
from beeline.evaluate.report import Report, compared_pairs, write_report

if TYPE_CHECKING:
    from beeline.evaluate.drawing import Plot


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Report]:
    folder = tmp_path_factory.mktemp("report")
    records = write_records(folder / "records", tasks=3, seeds=2)
    report = write_report(records, folder / "out", compare=["learned", "gbfs-ff"])
    return folder, report


@pytest.fixture(scope="module")
def page(written: tuple[Path, Report]) -> str:
    return Path(written[1].page).read_text()


def test_the_page_is_well_formed_and_its_references_lead_somewhere(page: str) -> None:
    parsed = ParsedPage(page)
    assert parsed.open == []
    assert len(set(parsed.ids)) == len(parsed.ids)
    assert set(parsed.targets) - {"data:,"} <= set(parsed.ids)
    assert len(parsed.rows) > 10
    for widths in parsed.rows.values():
        assert len(set(widths)) == 1


def test_the_page_needs_no_network(page: str) -> None:
    assert "http://" not in page
    assert "https://" not in page
    assert not re.search(r"\bsrc=|@import|url\((?!#)", page)
    assert "default-src 'none'" in page
    assert {"img", "iframe", "object"}.isdisjoint(ParsedPage(page).tags)


def test_the_page_escapes_what_records_say(page: str) -> None:
    assert "blocks &amp; &lt;b&gt;" in page
    assert "<b>" not in page


def test_numbers_to_sort_by_stand_in_the_cells(page: str) -> None:
    values = re.findall(r'data-value="([^"]*)"', page)
    assert len(values) > 100
    assert all(abs(float(value)) < 1e12 for value in values)


def test_every_table_and_plot_is_a_file(written: tuple[Path, Report]) -> None:
    folder, report = written
    for table in report.tables:
        for ending in ("md", "tex", "csv"):
            assert (folder / "out" / "tables" / f"{table.name}.{ending}").stat().st_size > 0
    names = {plot.name for plot in report.plots}
    assert names >= {
        *("cactus", "coverage-over-time", "coverage-over-time-ferry", "h-star-ferry"),
        *("scatter-learned-gbfs-ff", "calibration", "z-histogram"),
    }
    for plot in report.plots:
        ElementTree.parse(folder / "out" / "plots" / f"{plot.name}.svg")
    assert (folder / "out" / "tables" / "runs.csv").read_text().count("\n") == 1 + report.runs
    assert "## Coverage" in (folder / "out" / "report.md").read_text()


def test_claims_are_shown_with_their_verdict(page: str) -> None:
    for words in ("holds", "does not hold", "cannot be told"):
        assert f">{words}</span>" in page


def test_plots_take_their_colours_from_the_page(written: tuple[Path, Report]) -> None:
    plots: dict[str, Plot] = {plot.name: plot for plot in written[1].plots}
    inline = inline_svg(plots["cactus"])
    assert "var(--ink)" in inline
    assert "var(--series-2)" in inline
    assert INK not in inline
    assert not any(colour in inline for colour in SERIES)
    assert "xmlns" not in inline
    style = (Path(drawing.__file__).parent / "page.css").read_text()
    for number in range(1, len(SERIES) + 1):
        assert style.count(f"--series-{number}:") == 2  # on a light and on a dark ground


def test_the_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    records = tmp_path / "records"
    for task in ("p1", "p2"):
        write_run(records, run_record("d", task, "a"))
        write_run(records, run_record("d", task, "b", expanded=7))
    files = []
    for name in ("one", "two"):
        write_report(records, tmp_path / name)
        paths = sorted(path for path in (tmp_path / name).rglob("*") if path.is_file())
        files.append({str(p.relative_to(tmp_path / name)): p.read_bytes() for p in paths})
    assert files[0] == files[1]


def test_odd_names_do_no_harm(tmp_path: Path) -> None:
    records = tmp_path / "records"
    for number, name in enumerate(("_a $x$ & <b>", "日本, *")):
        record = run_record("a_$d^", "p/1", name, expanded=10**number)
        write_json(records / "runs" / f"{number}.json", record)
    page = Path(write_report(records, tmp_path / "out").page).read_text()
    assert ParsedPage(page).open == []
    assert "_a $x$ &amp; &lt;b&gt;" in page


def test_records_without_runs_make_a_page_of_tables(tmp_path: Path) -> None:
    table = {"format": 1, "title": "T", "header": ["a"], "rows": [[1]], "claims": []}
    write_json(tmp_path / "records" / "tables" / "t.json", table)
    report = write_report(tmp_path / "records", tmp_path / "out", title="My words")
    assert [table.name for table in report.tables] == ["results-t"]
    assert "<title>My words</title>" in Path(report.page).read_text()


def test_nothing_solved_is_no_reason_to_fail(tmp_path: Path) -> None:
    record = run_record("d", "p", "a", status="failed", reason="x", total_time=None, cost=None)
    write_run(tmp_path / "records", record)
    report = write_report(tmp_path / "records", tmp_path / "out")
    assert report.plots == ()
    assert report.warnings == ("1 of 1 runs failed; they count as not solved",)


@pytest.mark.parametrize(
    ("names", "message"),
    [(["a", "c"], "no configuration 'c'"), (["a"], "two configurations"), (["a", "a"], "two")],
)
def test_pairs_that_make_no_sense_are_refused(names: list[str], message: str) -> None:
    known = Records(runs=(Run("d", "p", "a", 0, "solved"), Run("d", "p", "b", 0, "solved")))
    assert compared_pairs(known, None) == [("a", "b")]
    with pytest.raises(BeelineError, match=message):
        compared_pairs(known, names)


@pytest.mark.parametrize("missing", ["matplotlib", "jinja2"])
def test_a_missing_extra_is_named(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    write_run(tmp_path / "records", run_record("d", "p", "a"))
    with pytest.raises(BeelineError, match=missing) as caught:
        write_report(tmp_path / "records", tmp_path / "out")
    assert caught.value.hint == install_hint("report")
    assert not (tmp_path / "out").exists()
