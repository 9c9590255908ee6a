"""`beeline report`: records of runs as tables, plots and one page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.cli.messages import print_json, print_warnings
from beeline.core.errors import BeelineError
from beeline.core.files import check_output_folder

if TYPE_CHECKING:
    from beeline.cli.parameters import Json, Quiet
    from beeline.cli.report_parameters import (
        ComparedPair,
        RecordsFolder,
        ReportFolder,
        ReportTitle,
    )
    from beeline.report.table import Table
    from beeline.report.writing import Report


def run(
    records: RecordsFolder,
    *,
    output: ReportFolder = None,
    title: ReportTitle = None,
    compare: ComparedPair = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Turn records of runs into tables (Markdown, LaTeX, CSV), plots (SVG) and one HTML page.

    The page, DIR/index.html, needs no other file and no network. The same records give the same
    files. For a folder without records, or with a broken one, the exit code is 31; if the report
    cannot be written it is 32. Needs matplotlib and jinja2.

    Example:
      beeline report records -o report
      beeline report records -o report --title "Ferry" --compare gbfs-ff,learned
    """
    from beeline.report.writing import write_report

    if output is None:
        raise BeelineError("there is no folder for the report", hint="name one: -o DIR")
    check_output_folder(output)
    pair = None if compare is None else [name.strip() for name in compare.split(",")]
    report = write_report(records, output, title=title, compare=pair)
    if json:
        print_json(_fields(report))
        return 0
    if not quiet:
        print_warnings(report.warnings)
        for table in report.tables:
            if table.name == "overview":
                print(_columns(table) + "\n")
    print(f"report        {report.page}")
    return 0


def _fields(report: Report) -> dict[str, object]:
    return {
        "status": "ok",
        "folder": report.folder,
        "page": report.page,
        "runs": report.runs,
        "configurations": list(report.configurations),
        "domains": list(report.domains),
        "tables": [table.name for table in report.tables],
        "plots": [plot.name for plot in report.plots],
        "warnings": list(report.warnings),
    }


def _columns(table: Table) -> str:
    """A table for the terminal."""
    lines = [list(table.header)]
    for row in table.rows:
        cells = [f"{c.text} ± {c.spread_text}" if c.spread_text else c.text for c in row]
        lines.append(cells)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
