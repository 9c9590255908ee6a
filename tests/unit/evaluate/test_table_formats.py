"""Tables in Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import TYPE_CHECKING

from report_records import write_json

from beeline.evaluate.record_reading import read_records
from beeline.evaluate.tables import (
    Cell,
    Claim,
    Table,
    comma_separated,
    latex,
    markdown,
    number_cell,
)

if TYPE_CHECKING:
    from pathlib import Path

TABLE = Table(
    name="t",
    title="A | B",
    note="50% of a_b.",
    header=("domain", "x & y"),
    rows=((Cell("ferry_2"), number_cell(1234.56, spread=7.25, bold=True)),),
    footer=((Cell("all"), number_cell(None)),),
    claims=(Claim("It helps", "A. Author", True, "3 of 3"),),
)


def test_markdown() -> None:
    assert markdown(TABLE).splitlines() == [
        "## A \\| B",
        "",
        "| domain | x & y |",
        "| --- | --: |",
        "| ferry\\_2 | **1,235** ± 7 |",
        "| all | – |",
        "",
        "50% of a\\_b.",
        "",
        "- **holds**: It helps (A. Author) – 3 of 3",
    ]


def test_latex_escapes_and_emphasises() -> None:
    text = latex(TABLE)
    assert r"domain & x \& y \\" in text
    assert r"ferry\_2 & \textbf{1,235} $\pm$ 7 \\" in text
    assert r"\begin{tabular}{lr}" in text
    assert r"50\% of a\_b." in text
    assert text.count("\\midrule") == 2
    assert text.count("{") == text.count("}")


def test_csv_has_all_digits_and_deviations_in_a_column() -> None:
    rows = list(csv.reader(io.StringIO(comma_separated(TABLE))))
    assert rows == [
        ["domain", "x & y", "x & y (std)"],
        ["ferry_2", "1234.56", "7.25"],
        ["all", "", ""],
    ]


def test_csv_has_no_formulas() -> None:
    words = ["=1+1", "+cmd|' /C calc'!A0", "-x", "@SUM(A1)", "\t=1", "ferry", "-", "a=b"]
    numbers = ["-5", "+5", "-1.5e-3", "-0.5", "-12,000", "-93%"]
    table = replace(TABLE, header=("=head",), rows=tuple((Cell(each),) for each in words + numbers))
    rows = list(csv.reader(io.StringIO(comma_separated(replace(table, footer=())))))
    changed = [f"'{each}" for each in words[:5]]
    assert [row[0] for row in rows] == ["'=head", *changed, *words[5:], *numbers]


def test_ready_tables_keep_their_words_and_emphasis(tmp_path: Path) -> None:
    rows = [["**12.5**", None], ["93.1 ± 2", 7], ["n/a", True]]
    content = {"format": 1, "title": "X", "header": ["a", "b"], "rows": rows}
    write_json(tmp_path / "tables" / "x.json", content)
    (table,) = read_records(tmp_path).tables
    assert table.name == "results-x"
    first, second, third = table.rows
    assert (first[0].text, first[0].bold, first[0].value) == ("12.5", True, 12.5)
    assert (first[1].text, second[0].text, second[0].value) == ("–", "93.1 ± 2", 93.1)
    assert (third[0].value, third[1].text) == (None, "yes")
    assert table.numeric == (False, False)
    assert "93.1 ± 2" in comma_separated(table)
