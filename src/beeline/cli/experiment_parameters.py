"""Arguments and options of `beeline experiment`."""

from __future__ import annotations

from typing import Annotated

import typer

ExperimentName = Annotated[
    str | None, typer.Argument(metavar="NAME", help="The experiment; without it, all are listed.")
]
ExperimentScale = Annotated[
    str,
    typer.Option(
        "--scale",
        metavar="WORD",
        help="small: in minutes, fewer domains, tasks, seeds and steps. paper: as in the paper.",
    ),
]
ExperimentFolder = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="DIR",
        help="Folder for everything; completed if it is there. By default PAPER-SCALE, such as"
        " seed002-small, which experiments of the same paper share.",
    ),
]
ExperimentData = Annotated[
    str | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="Folder of the paper's own tasks, DIR/DOMAIN/*.pddl; by default tasks are made.",
    ),
]
ExperimentSeeds = Annotated[
    str | None, typer.Option("--seeds", metavar="N", help="Seeds of everything that is random.")
]
ExperimentChanges = Annotated[
    str | None,
    typer.Option(
        "--set",
        metavar="WORDS",
        help="Other settings of the experiment, such as 'domains=blocks,grid epochs=50'.",
    ),
]
ReportOnly = Annotated[
    bool, typer.Option("--report-only", help="Run nothing; report what has been run so far.")
]
