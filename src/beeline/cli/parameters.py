"""Arguments and options, each described once; commands name them as their annotations."""

from __future__ import annotations

from typing import Annotated

import typer

DomainFile = Annotated[str, typer.Argument(metavar="DOMAIN", help="PDDL domain file.")]
TaskFile = Annotated[str, typer.Argument(metavar="TASK", help="PDDL problem file.")]
PlanFile = Annotated[str, typer.Argument(metavar="PLAN", help="Plan file, a step on each line.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print no warnings.")]
UnitCosts = Annotated[
    bool, typer.Option("--unit-costs", help="Let every action cost 1, whatever the files say.")
]
