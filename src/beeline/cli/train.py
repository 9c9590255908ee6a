"""`beeline train`: datasets in, a neural model out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from beeline.cli.command import Screen, command
from beeline.cli.messages import PAGE, SavedModel, check_page, needed, progress_of
from beeline.core.errors import BeelineError
from beeline.core.files import check_output_folder, write_atomically
from beeline.core.limits import GOES_ON, advice, elapsed_time
from beeline.core.settings import About, values_of
from beeline.fitting.losses import PLAN_LOSSES
from beeline.learning.train import TrainSettings
from beeline.models.families import NETWORKS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from beeline.learning.train import Glance
    from beeline.models.neural_model import NeuralModel

LOSSES = "Losses of whole plans, whose models give a point and no distribution:"
FOLDER_SUFFIX = ".training"


@command(
    {"Networks:": NETWORKS, LOSSES: PLAN_LOSSES},
    datasets=About("Directories of datasets of one domain.", "DATASET..."),
    output=About("Write the model to this file.", "MODEL", aliases=("-o",)),
    page=PAGE,
    settings=TrainSettings,
)
def train(
    datasets: Sequence[str] = (),
    *,
    output: str | None = None,
    force: bool = False,
    page: str | None = None,
    settings: TrainSettings,
    screen: Screen,
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
    output = needed(output, "file to write to", "MODEL")
    folder = str(settings.folder or f"{output}{FOLDER_SUFFIX}")
    SavedModel.check(output, force=force)
    check_output_folder(folder)
    check_page(page, force=force)
    warnings: list[str] = []
    chosen = {**values_of(settings), "folder": folder}

    def progress(glance: Glance) -> None:
        run = f"seed {glance.run} of {glance.runs}, " if glance.runs > 1 else ""
        done = (glance.run - 1) * glance.steps + glance.step
        total = glance.runs * glance.steps
        line.step(done, total, "steps", note=f"{run}{_metrics(glance.losses)}")

    try:
        with progress_of(screen) as line, advice(GOES_ON):
            trained = train_model(datasets, **chosen, progress=progress, warn=warnings.append)
    finally:
        screen.warn(warnings)
    saved = SavedModel(trained, output)
    if page is not None:
        from beeline.pages.learning import training_page

        write_atomically(page, training_page(trained, Path(folder), warnings))
    fields = {
        **saved.fields,
        "folder": folder,
        "network": trained.network,
        "options": trained.options,
        "weights": trained.num_weights,
        "distribution": trained.distribution.to_json(),
        **trained.summary,
        "seed": trained.seed,
        "warnings": warnings,
        "total_time": round(elapsed_time(), 6),
    }
    screen.show(fields, "\n".join(_lines(trained, saved, folder)))
    return saved.exit_code()


def _metrics(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in values.items())


def _lines(model: NeuralModel, saved: SavedModel, folder: str) -> list[str]:
    """What was trained, for people."""
    from beeline.models.training_words import learned_from

    summary = model.summary
    steps = f"{summary['best_step']:,} of {summary['steps']:,} steps"
    lines = [
        learned_from(summary),
        f"best after {steps}: {_metrics(summary['validation'])}",
    ]
    if len(summary["seeds"]) > 1:
        lines.append(f"chosen: seed {model.seed}, the best of {len(summary['seeds'])}")
    size = f"{saved.fields['bytes']:,} bytes, {model.num_weights:,} weights"
    lines.append(f"{saved.file}: {size}; logs are in {folder}")
    return [*lines, f"next: beeline plan {saved.file} DOMAIN TASK"]
