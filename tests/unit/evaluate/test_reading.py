"""Records are read whole; what cannot be used is refused with the name of its file."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from report_records import run_record, write_json, write_records, write_run

from beeline.core.errors import BeelineError
from beeline.evaluate.drawing import Lines, line_plot
from beeline.evaluate.record_reading import read_records

if TYPE_CHECKING:
    from pathlib import Path


def test_everything_is_read(tmp_path: Path) -> None:
    records = read_records(write_records(tmp_path, tasks=2, seeds=1))
    assert len(records.runs) == 3 * 2 * 3
    assert records.configurations == ("gbfs-ff", "learned", "blind")
    assert records.series == ("gbfs-ff", "learned", "blind", "wide")
    assert records.runs[0].time_limit == 60
    assert len(records.predictions) == len(records.curves) == 4
    assert records.curves[0].columns["val/mse"][0] != records.curves[0].columns["val/mse"][0]
    assert [claim.holds for claim in records.tables[0].claims] == [True, False, None]


def test_lines_are_drawn_as_they_are(tmp_path: Path) -> None:
    lines = Lines("a", "A", "b", ("x", "y"), (("up", (0.0, 1.0), (1.0, 2.0)),), logarithmic=True)
    write_run(tmp_path, run_record("d", "p", "a"))
    write_json(tmp_path / "lines" / "a.json", {"format": 1, **lines.to_json()})
    (read,) = read_records(tmp_path).lines
    assert read == replace(lines, name="lines-a")
    assert ">up<" in line_plot(read).svg
    write_json(
        tmp_path / "lines" / "a.json",
        {"format": 1, **lines.to_json(), "series": [{"name": "up", "x": [1], "y": []}]},
    )
    with pytest.raises(BeelineError, match="'x' and 'y' of a line differ in length"):
        read_records(tmp_path)


def test_unfinished_files_are_left_out(tmp_path: Path) -> None:
    path = write_run(tmp_path, run_record("d", "p", "a"))
    (path.parent / f".{path.name}.x7.tmp").write_text("{")
    assert len(read_records(tmp_path).runs) == 1


def test_an_infinite_estimate_is_fine(tmp_path: Path) -> None:
    write_run(tmp_path, run_record("d", "p", "a", status="unsolvable", initial_h=float("inf")))
    assert read_records(tmp_path).runs[0].initial_h == float("inf")


@pytest.mark.parametrize(
    ("name", "message"),
    [("missing", "no such folder"), ("file", "is a file"), ("empty", "there are no records")],
)
def test_folders_without_records_are_refused(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "empty" / "runs").mkdir(parents=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(BeelineError, match=message) as caught:
        read_records(tmp_path / name)
    assert caught.value.file == str(tmp_path / name)
    assert caught.value.hint


def test_half_a_file_is_refused_with_its_line(tmp_path: Path) -> None:
    path = write_run(tmp_path, run_record("d", "p", "a"))
    path.write_text(json.dumps(run_record("d", "p", "a"), indent=1)[:60])
    with pytest.raises(BeelineError, match="not a JSON file") as caught:
        read_records(tmp_path)
    assert (caught.value.file, caught.value.line) == (str(path), 5)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"format": 2}, "format 2 is unknown"),
        ({"status": "done"}, "unknown status 'done'"),
        ({"domain": None}, "'domain' is missing"),
        ({"seed": "1"}, "'seed' is not a whole number"),
        ({"cost": "7"}, "'cost' is not a number"),
        ({"total_time": -1}, "'total_time' is -1"),
        ({"expanded": float("nan")}, "'expanded' is nan"),
        ({"limits": [1]}, "'limits' is not a JSON object"),
    ],
)
def test_broken_runs_are_refused(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    path = write_run(tmp_path, run_record("d", "p", "a"))
    write_json(path, {**run_record("d", "p", "a"), **fields})
    with pytest.raises(BeelineError, match=message) as caught:
        read_records(tmp_path)
    assert caught.value.file == str(path)


def test_the_same_run_twice_is_refused(tmp_path: Path) -> None:
    write_run(tmp_path, run_record("d", "p", "a"))
    write_json(tmp_path / "runs" / "d" / "copy.json", run_record("d", "p", "a"))
    with pytest.raises(BeelineError, match="the same run is also in"):
        read_records(tmp_path)


MODEL = {"format": 1, "configuration": "a", "domain": "d", "seed": 0}
TABLE = {"format": 1, "title": "T", "header": ["a"], "rows": []}


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("predictions", {**MODEL, "h": [1], "h_star": [1, 2]}, "differ in length"),
        ("predictions", {**MODEL, "h": [1], "h_star": [1], "sigma": [0]}, "not positive"),
        ("predictions", {**MODEL, "h": [None], "h_star": [1]}, "no finite numbers"),
        ("predictions", {**MODEL, "h": 3, "h_star": [1]}, "'h' is not a list"),
        ("curves", {**MODEL, "step": [1], "columns": {"loss": []}}, "column 'loss' and 'step'"),
        ("tables", {**TABLE, "rows": [[1, 2]]}, "row 1 has 2 cells for 1 columns"),
        ("tables", {**TABLE, "rows": [[[]]]}, "no word and no number"),
        ("tables", {**TABLE, "claims": [{"text": "x", "holds": "yes"}]}, "neither true, false"),
        ("tables", [], "not a JSON object"),
    ],
)
def test_other_broken_records_are_refused(
    tmp_path: Path, kind: str, content: object, message: str
) -> None:
    write_json(tmp_path / kind / "x.json", content)
    with pytest.raises(BeelineError, match=message) as caught:
        read_records(tmp_path)
    assert caught.value.file == str(tmp_path / kind / "x.json")
