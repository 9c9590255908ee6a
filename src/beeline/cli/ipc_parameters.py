"""Arguments of the commands for the learning track of the planning competition."""

from __future__ import annotations

from typing import Annotated

import typer

NewKnowledge = Annotated[
    str,
    typer.Argument(metavar="DK", help="Write domain knowledge to DK.1, DK.2, ..., ever better."),
]
Knowledge = Annotated[
    str,
    typer.Argument(metavar="DK", help="A file of 'ipc learn', or their prefix for the last one."),
]
PlanPrefix = Annotated[
    str, typer.Argument(metavar="PLAN", help="Write plans to PLAN.1, PLAN.2, ..., ever cheaper.")
]
