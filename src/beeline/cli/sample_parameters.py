"""Options of the commands that sample one task."""

from __future__ import annotations

from typing import Annotated

import typer

from beeline.sampling.regression_settings import STRATEGIES

Strategy = Annotated[
    str,
    typer.Option("--strategy", metavar="NAME", help=f"One of {', '.join(STRATEGIES)}."),
]
SampleCount = Annotated[
    str | None, typer.Option("--count", metavar="N", help="How many samples, random ones included.")
]
SamplePercent = Annotated[
    str | None,
    typer.Option(
        "--percent",
        metavar="P",
        help="So many percent of the state space instead, which is enumerated to know its size.",
    ),
]
FirstShare = Annotated[
    str,
    typer.Option(
        "--share", metavar="X", help="Part of the samples that xrs and fsm take breadth-first."
    ),
]
DepthLimit = Annotated[
    str | None,
    typer.Option(
        "--depth",
        metavar="N",
        help="How deep fsm, depth-first and random-walk go; by default the number of facts over"
        " the mean number of effects.",
    ),
]
RandomShare = Annotated[
    str,
    typer.Option(
        "--random",
        metavar="X",
        help="Part of the samples that are random states, with the largest estimate + 1: 0.2 to"
        " learn a heuristic, 0 to learn preferred operators.",
    ),
]
NoImprovement = Annotated[
    bool,
    typer.Option("--no-improvement", help="Leave estimates as they were drawn: no SAI, no SUI."),
]
CompletionAttempts = Annotated[
    str,
    typer.Option(
        "--attempts", metavar="N", help="Tries to complete a state before variables stay undefined."
    ),
]
SampleSeed = Annotated[
    str, typer.Option("--seed", metavar="N", help="Other seeds give other samples.")
]
MaxStates = Annotated[
    str,
    typer.Option("--max-states", metavar="N", help="Give up on a state space with more states."),
]
SampleFolder = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="DIR", help="Write a dataset; without it, only figures are shown."
    ),
]
StateCount = Annotated[
    str | None,
    typer.Option("--count", metavar="N", help="Keep so many random states; all of them."),
]
