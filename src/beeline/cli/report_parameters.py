"""Arguments and options of `beeline report`."""

from __future__ import annotations

from typing import Annotated

import typer

RecordsFolder = Annotated[
    str,
    typer.Argument(metavar="RECORDS", help="The folder of records, as 'beeline evaluate' made it."),
]
ReportFolder = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="DIR", help="Folder for page, tables and plots; made if missing."
    ),
]
ReportTitle = Annotated[
    str | None,
    typer.Option(
        "--title", metavar="WORDS", help="Title of the page; by default the suite's name."
    ),
]
ComparedPair = Annotated[
    str | None,
    typer.Option(
        "--compare",
        metavar="A,B",
        help="Two configurations to look at task by task; by default the first with some others.",
    ),
]
