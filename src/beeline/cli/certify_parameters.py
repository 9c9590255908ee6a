"""Options of `beeline data certify`."""

from __future__ import annotations

from typing import Annotated

import typer

from beeline.planning.heuristics import HEURISTICS
from beeline.planning.specification import SEARCHES

CertifiedHeuristic = Annotated[
    str,
    typer.Option(
        "--heuristic",
        metavar="NAME",
        help=f"One of {', '.join(HEURISTICS)}, or the file of a learned model, MODEL.beeline.",
    ),
]
CertifiedSearch = Annotated[
    str,
    typer.Option(
        "--search",
        metavar="NAME",
        help=f"{', '.join(name for name, entry in SEARCHES.items() if entry.heuristic)}.",
    ),
]
CertifiedPlan = Annotated[
    str | None,
    typer.Option(
        "--plan",
        metavar="FILE",
        help="Ask about this plan; by default about all optimal ones.",
    ),
]
