"""Arguments and options of `beeline evaluate`."""

from __future__ import annotations

from typing import Annotated

import typer

SuiteFile = Annotated[
    str,
    typer.Argument(metavar="SUITE", help="Suite file (TOML): tasks, configurations, limits."),
]
NewRecordsFolder = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="RECORDS", help="Folder for records; completed if it is there."
    ),
]
RetryFailed = Annotated[
    bool, typer.Option("--retry-failed", help="Also repeat runs that are recorded as failed.")
]
ListRuns = Annotated[
    bool, typer.Option("--list", help="Show all runs and which have records; run nothing.")
]
