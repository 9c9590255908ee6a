"""The options of `beeline train`, as Typer describes them."""

from __future__ import annotations

from typing import Annotated

import typer

from beeline.models.registry import NETWORKS
from beeline.training.neural_settings import OPTIMISERS

TrainDatasets = Annotated[
    list[str] | None,
    typer.Argument(metavar="DATASET...", help="Directories of datasets of one domain."),
]
ValidationDataset = Annotated[
    str | None,
    typer.Option(
        "--validation", metavar="DATASET", help="Validate with this dataset, not with split val."
    ),
]
NetworkName = Annotated[
    str, typer.Option("--model", metavar="NAME", help=f"One of {', '.join(NETWORKS)}.")
]
NetworkOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option", metavar="KEY=VALUE", help="A size of the network, such as depth=5; repeatable."
    ),
]
TrainLoss = Annotated[
    str,
    typer.Option(
        "--loss",
        metavar="NAME",
        help="Likelihood of a gaussian, truncated-gaussian or laplace; or a loss of whole plans.",
    ),
]
Alpha = Annotated[
    str | None,
    typer.Option("--alpha", metavar="X", help="Weight of g in Open lists: 1 for A*, 0 for GBFS."),
]
Beta = Annotated[
    str | None, typer.Option("--beta", metavar="X", help="Weight of h in Open lists, usually 1.")
]
SurrogateName = Annotated[
    str | None,
    typer.Option(
        "--surrogate", metavar="NAME", help="How pairs out of order count: logistic or hinge."
    ),
]
LikelihoodWeight = Annotated[
    str | None,
    typer.Option(
        "--weight", metavar="X", help="Weight of the likelihood in rank-truncated, usually 0.1."
    ),
]
PlanOrders = Annotated[
    str | None,
    typer.Option(
        "--orders",
        metavar="NAME",
        help="Orders of each plan: first, separate (all their losses), or merged (all pairs that do"
        " not contradict, usually).",
    ),
]
SigmaKind = Annotated[
    str | None,
    typer.Option(
        "--sigma",
        metavar="KIND",
        help="learn (usually): predicted for each state; fixed: 1/√2, gaussian is then the squared"
        " error.",
    ),
]
LowerBound = Annotated[
    str | None,
    typer.Option(
        "--lower",
        metavar="NAME",
        help="Lower bound of the cost: none, blind, max, or lmcut as usual.",
    ),
]
UpperBound = Annotated[
    str | None,
    typer.Option(
        "--upper", metavar="KIND", help="Upper bound in training: none, or plan for a plan's cost."
    ),
]
Residual = Annotated[
    str | None,
    typer.Option(
        "--residual",
        metavar="NAME",
        help="The heuristic that is corrected: ff (usually), lmcut, or none (usually with plans).",
    ),
]
InstanceLimit = Annotated[
    str,
    typer.Option(
        "--limit", metavar="N", help="Train with at most N instances, drawn by the seed; 0: all."
    ),
]
TrainSteps = Annotated[str, typer.Option("--steps", metavar="N", help="Steps of the optimiser.")]
TrainBatch = Annotated[
    str | None,
    typer.Option(
        "--batch", metavar="N", help="States in each step, usually 256, or whole plans, usually 1."
    ),
]
OptimiserName = Annotated[
    str | None,
    typer.Option(
        "--optimiser",
        metavar="NAME",
        help=f"One of {', '.join(OPTIMISERS)}; usually the first, with plans the last.",
    ),
]
LearningRate = Annotated[
    str | None,
    typer.Option("--lr", metavar="X", help="Learning rate; by default what suits the network."),
]
Select = Annotated[
    str | None,
    typer.Option(
        "--select",
        metavar="NAME",
        help="Keep the weights with the smallest mse (usually) or nll; with plans: loss (usually)"
        " or violations.",
    ),
]
TrainSeed = Annotated[
    str, typer.Option("--seed", metavar="N", help="Decides on first weights and drawn instances.")
]
Seeds = Annotated[
    str,
    typer.Option("--seeds", metavar="K", help="Train K times, from the seed on; keep the best."),
]
TrainTimeLimit = Annotated[
    str | None,
    typer.Option(
        "--time-limit", metavar="SECONDS", help="For all seeds; then the best weights are written."
    ),
]
LogFolder = Annotated[
    str | None,
    typer.Option(
        "--log",
        metavar="DIR",
        help="Checkpoints and logs (log.csv, TensorBoard) go here, not to MODEL.training.",
    ),
]
Plot = Annotated[
    bool,
    typer.Option("--plot", help="Draw loss curves beside the logs, curves.png for each seed."),
]
