"""Tables that are drawn: a series for each row, with spreads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from beeline.evaluate.record_reading import read_records
from beeline.evaluate.report import write_report
from beeline.evaluate.run_plots import table_plot
from beeline.evaluate.tables import Table, number_cell, plain_table, read_cell

if TYPE_CHECKING:
    from pathlib import Path


def drawn(*values: float | None) -> Table:
    cells = [number_cell(value, spread=1.0) for value in values]
    header = ["configuration", *(f"domain-{place}" for place in range(len(values)))]
    return plain_table(
        "t", "How many states", "", header, [["ĥ, po^G", *cells]], plot="states expanded"
    )


def test_a_plot_has_all_columns_rows_and_what_is_counted() -> None:
    plot = table_plot(drawn(3.0, 1.0))
    assert plot is not None
    for words in ("domain-0", "domain-1", "ĥ, po^G", "states expanded"):
        assert words in plot.svg
    assert (plot.title, plot.name) == ("How many states", "table-t")


def test_columns_and_tables_without_numbers_are_not_drawn() -> None:
    plot = table_plot(drawn(3.0, None))
    assert plot is not None
    assert "domain-1" not in plot.svg
    assert table_plot(drawn(None)) is None


def test_a_table_that_says_so_is_drawn_in_the_report(tmp_path: Path) -> None:
    tables = tmp_path / "records" / "tables"
    tables.mkdir(parents=True)
    for name, table in (("plain", drawn(1.0)), ("drawn", drawn(2.0))):
        content = table.to_json()
        if name == "plain":
            del content["plot"]
        tables.joinpath(f"{name}.json").write_text(json.dumps(content))
    assert [each.plot for each in read_records(tmp_path / "records").tables] == [
        "states expanded",
        "",
    ]
    write_report(tmp_path / "records", tmp_path / "report")
    assert len(list((tmp_path / "report" / "plots").iterdir())) == 1


def test_cells_keep_their_decimals_in_files() -> None:
    cell = number_cell(-191.53, decimals=2, beside=number_cell(0.0, decimals=2))
    assert str(cell) == "-191.53 (0.00)"
    assert read_cell(json.loads(json.dumps(cell.to_json()))) == cell
    assert number_cell(12.345).to_json() == 12.345
