"""`beeline train`: datasets in, a neural model out."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from beeline.cli.command import command
from beeline.cli.messages import ProgressLine, SavedModel, print_json, print_warnings
from beeline.core.errors import BeelineError
from beeline.core.files import check_output, check_output_folder
from beeline.core.limits import GOES_ON, advice, elapsed_time
from beeline.core.settings import About, values_of
from beeline.fitting.losses import PLAN_LOSSES
from beeline.learning.train import TrainSettings
from beeline.models.families import NETWORKS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from beeline.learning.train import Glance
    from beeline.models.neural_model import NeuralModel

FOLDER_SUFFIX = ".training"


def networks_and_losses() -> str:
    """The networks and losses that users choose from, for the help text."""
    from beeline.cli.help_pages import table_of

    return "\n\n".join(
        [
            table_of("Networks:", ((each.name, each.summary) for each in NETWORKS.values())),
            table_of(
                "Losses of whole plans, whose models give a point and no distribution:",
                PLAN_LOSSES.items(),
            ),
        ]
    )


@command(
    networks_and_losses,
    datasets=About("Directories of datasets of one domain.", "DATASET..."),
    output=About("Write the model to this file.", "MODEL", aliases=("-o",)),
    settings=TrainSettings,
)
def train(
    datasets: Sequence[str] = (),
    *,
    output: str | None = None,
    settings: TrainSettings,
    json: bool = False,
    quiet: bool = False,
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
      beeline data plans --generator ferry --preset nunez2024-train --count 400 -o set
      beeline train set -o ferry.beeline
      beeline train set --model linear --loss gaussian --lower none --steps 2000 -o m.beeline
      beeline train siblings-set --loss rank-gbfs --steps 10000 -o m.beeline
      beeline train set --validation other-set --seeds 3 --time-limit 3600 --plot -o m.beeline
    """
    from beeline.learning.train import train as train_model

    if not datasets:
        raise BeelineError("there is no dataset", hint="'beeline data plans' makes one")
    if output is None:
        raise BeelineError("there is no file to write to", hint="name one with -o MODEL")
    folder = str(settings.folder or f"{output}{FOLDER_SUFFIX}")
    check_output(output)
    check_output_folder(folder)
    warnings: list[str] = []
    chosen = {**values_of(settings), "folder": folder}
    try:
        with ProgressLine(quiet=quiet) as line, advice(GOES_ON):
            trained = train_model(
                datasets, **chosen, progress=_progress(line), warn=warnings.append
            )
    finally:
        if not quiet:
            print_warnings(warnings)
    saved = SavedModel(trained, output)
    _show(trained, saved, folder, warnings, json=json)
    return saved.exit_code()


def _progress(line: ProgressLine) -> Callable[[Glance], None]:
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
