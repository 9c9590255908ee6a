"""`beeline train`: datasets in, a neural model out."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from beeline.cli.messages import print_json, print_warnings
from beeline.cli.model_output import SavedModel
from beeline.cli.progress_line import ProgressLine
from beeline.cli.termination import GOES_ON, advice
from beeline.cli.values import number, whole_number
from beeline.core.errors import BeelineError
from beeline.core.files import check_output, check_output_folder
from beeline.core.process import elapsed_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.cli.parameters import Json, NewModel, Quiet
    from beeline.cli.train_parameters import (
        Alpha,
        Beta,
        InstanceLimit,
        LearningRate,
        LikelihoodWeight,
        LogFolder,
        LowerBound,
        NetworkName,
        NetworkOptions,
        OptimiserName,
        PlanOrders,
        Plot,
        Residual,
        Seeds,
        Select,
        SigmaKind,
        SurrogateName,
        TrainBatch,
        TrainDatasets,
        TrainLoss,
        TrainSeed,
        TrainSteps,
        TrainTimeLimit,
        UpperBound,
        ValidationDataset,
    )
    from beeline.learned.neural_model import NeuralModel
    from beeline.learning.train_neural import Glance

FOLDER_SUFFIX = ".training"


def run(
    datasets: TrainDatasets = None,
    *,
    output: NewModel = None,
    model: NetworkName = "nlm",
    option: NetworkOptions = None,
    loss: TrainLoss = "truncated-gaussian",
    sigma: SigmaKind = None,
    lower: LowerBound = None,
    upper: UpperBound = None,
    residual: Residual = None,
    alpha: Alpha = None,
    beta: Beta = None,
    surrogate: SurrogateName = None,
    weight: LikelihoodWeight = None,
    orders: PlanOrders = None,
    validation: ValidationDataset = None,
    limit: InstanceLimit = "400",
    steps: TrainSteps = "40000",
    batch: TrainBatch = None,
    optimiser: OptimiserName = None,
    lr: LearningRate = None,
    select: Select = None,
    seed: TrainSeed = "0",
    seeds: Seeds = "1",
    time_limit: TrainTimeLimit = None,
    log: LogFolder = None,
    plot: Plot = False,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Train a neural network to estimate the cost-to-go or to rank states, and write a model.

    A network predicts, for each state, a distribution of the cost of the rest of a cheapest plan.
    It adds to a heuristic (--residual), knows an admissible one as a lower bound (--lower), and
    learns from the states of a dataset's optimal plans. By default it is a truncated Gaussian
    that the network gives mean and width to. Needs torch.

    With a loss of plans, each step takes the states that a search generates if it expands nothing
    but one plan. Ranking losses teach the network to put the plan's states before all others. The
    datasets must have been made with --siblings; those made with --orders, too, have several orders
    of each plan.

    Checkpoints and logs are kept in the folder MODEL.training beside the model. A training that
    was stopped by Ctrl-C, SIGTERM or a crash writes no model; the same call goes on where it
    stopped, and gives the model that it would have given. The exit code is 0 if there is a model,
    31 if the datasets allow none, and 32 if the model, or what is beside it, could not be written.

    Example:
      beeline data plans --generator ferry --preset seed003-train --count 400 -o set
      beeline train set -o ferry.beeline
      beeline train set --model linear --loss gaussian --lower none --steps 2000 -o m.beeline
      beeline train siblings-set --loss rank-gbfs --steps 10000 -o m.beeline
      beeline train set --validation other-set --seeds 3 --time-limit 3600 --plot -o m.beeline
    """
    from beeline.learning.train_neural import train

    if not datasets:
        raise BeelineError("there is no dataset", hint="'beeline data plans' makes one")
    if output is None:
        raise BeelineError("there is no file to write to", hint="name one with -o MODEL")
    folder = log or f"{output}{FOLDER_SUFFIX}"
    check_output(output)
    check_output_folder(folder)
    line = ProgressLine(quiet=quiet)
    warnings: list[str] = []
    show_progress = _progress(line)
    try:
        with advice(GOES_ON):
            trained = train(
                datasets,
                validation=validation,
                model=model,
                loss=loss,
                sigma=sigma,
                lower=lower,
                upper=upper,
                residual=residual,
                alpha=number("--alpha", alpha),
                beta=number("--beta", beta),
                surrogate=surrogate,
                weight=number("--weight", weight),
                orders=orders,
                limit=whole_number("--limit", limit) or None,
                steps=whole_number("--steps", steps) or 0,
                batch=whole_number("--batch", batch),
                optimiser=optimiser,
                learning_rate=number("--lr", lr),
                select=select,
                seed=whole_number("--seed", seed) or 0,
                seeds=whole_number("--seeds", seeds) or 0,
                time_limit=number("--time-limit", time_limit),
                options=chosen_options(option or ()),
                folder=folder,
                tensorboard=True,
                plot=plot,
                progress=show_progress,
                warn=warnings.append,
            )
    finally:
        line.clear()
        if not quiet:
            print_warnings(warnings)
    saved = SavedModel(trained, output)
    _show(trained, saved, folder, warnings, json=json)
    return saved.exit_code()


def help_details() -> str:
    """The networks and losses that users choose from, for the help text."""
    from beeline.models.registry import NETWORKS
    from beeline.training.plan_losses import PLAN_LOSSES

    lines = ["\b", "Networks:"]
    lines += [f"  {entry.name:<7} {entry.summary}" for entry in NETWORKS.values()]
    lines += ["", "\b", "Losses of whole plans, whose models give a point and no distribution:"]
    lines += [f"  {name:<15} {summary}" for name, summary in PLAN_LOSSES.items()]
    return "\n".join(lines)


def chosen_options(words: Sequence[str]) -> dict[str, int | bool]:
    """Sizes of a network from words such as `depth=5` and `distinct=yes`.

    >>> chosen_options(["depth=5", "distinct=yes"])
    {'depth': 5, 'distinct': True}
    """
    options: dict[str, int | bool] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key.isidentifier():
            raise BeelineError(f"--option '{word[:40]}' is no KEY=VALUE", hint="such as depth=5")
        if value in ("yes", "no"):
            options[key] = value == "yes"
        else:
            options[key] = whole_number(f"--option {key}", value) or 0
    return options


def _progress(line: ProgressLine) -> Any:
    started = perf_counter()

    def show(glance: Glance) -> None:
        seconds = perf_counter() - started
        runs = f"seed {glance.run} of {glance.runs}, " if glance.runs > 1 else ""
        losses = ", ".join(f"{name} {value:.4g}" for name, value in glance.losses.items())
        line.say(f"{seconds:.0f} s: {runs}step {glance.step:,} of {glance.steps:,}, {losses}"[:150])

    return show


def _show(
    model: NeuralModel, saved: SavedModel, folder: str, warnings: list[str], *, json: bool
) -> None:
    place = saved.fields()
    if json:
        print_json(
            {
                **place,
                "folder": folder,
                "network": model.network,
                "options": model.options,
                "weights": model.num_weights,
                "distribution": model.distribution.to_json(),
                **model.summary,
                "seed": model.seed,
                "warnings": warnings,
                "total_time": round(elapsed_time(), 6),
            }
        )
        return
    summary = model.summary
    found = ", ".join(f"{name} {value:.4g}" for name, value in summary["validation"].items())
    print(
        f"{summary['instances']['training']:,} instances with {summary['states']['training']:,}"
        f" states, validated with {summary['states']['validation']:,} others"
    )
    print(f"best after {summary['best_step']:,} of {summary['steps']:,} steps: {found}")
    if len(summary["seeds"]) > 1:
        print(f"chosen: seed {model.seed}, the best of {len(summary['seeds'])}")
    print(
        f"{saved.file}: {place['bytes']:,} bytes, {model.num_weights:,} weights;"
        f" logs are in {folder}"
    )
    print(f"next: beeline plan {saved.file} DOMAIN TASK")
