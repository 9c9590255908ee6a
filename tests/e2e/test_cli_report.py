"""`beeline report` from records to a page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from report_records import run_record, write_run

from beeline.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def small_records(folder: Path) -> str:
    for task in ("p1", "p2"):
        write_run(folder, run_record("ferry", task, "ff"))
        write_run(folder, run_record("ferry", task, "learned", expanded=12, total_time=0.1))
    return str(folder)


def test_the_page_is_written_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = small_records(tmp_path / "records")
    output = tmp_path / "report"
    words = ["report", records, "-o", str(output), "--compare", "learned,ff", "--title", "Ferry"]
    assert main(words) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "learned" in captured.out
    assert captured.out.splitlines()[-1].split() == ["report", str(output / "index.html")]
    assert "<title>Ferry</title>" in (output / "index.html").read_text()
    assert main([*words, "--json"]) == 0
    fields = json.loads(capsys.readouterr().out)
    assert (fields["status"], fields["runs"], fields["domains"]) == ("ok", 4, ["ferry"])
    assert "scatter-learned-ff" in fields["plots"]
    assert "coverage" in fields["tables"]


def test_bad_input_is_one_line_and_exit_code_31(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = small_records(tmp_path / "records")
    broken = tmp_path / "broken" / "runs" / "x.json"
    broken.parent.mkdir(parents=True)
    broken.write_text("{")
    output = str(tmp_path / "report")
    for words, message in (
        ([records], "there is no folder for the report"),
        ([str(tmp_path / "nowhere"), "-o", output], "no such folder"),
        ([str(tmp_path / "broken"), "-o", output], f"{broken}:1: not a JSON file"),
        ([records, "-o", output, "--compare", "ff,lama"], "there is no configuration 'lama'"),
    ):
        assert main(["report", *words]) == 31
        captured = capsys.readouterr()
        assert message in captured.err
        assert captured.err.count("\n") == 1
    assert not (tmp_path / "report").exists()
