"""Loss curves of training runs as a picture: what was minimised, and what weights are chosen by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.core.extras import install_hint
from beeline.training.logs import STEP, TRAIN_LOSS, VALIDATION

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    History = Mapping[str, Sequence[float]]

MOST_RUNS = 10  # as many as there are colours


def plot_curves(
    histories: Mapping[str, History], path: str | os.PathLike[str], *, title: str = ""
) -> None:
    """Draw the logs of runs, by label, into a file whose ending says the format.

    On the left the loss in training, with the same on validation states dashed; on the right the
    squared error on validation states, logarithmic, with its smallest value marked.
    """
    if not 0 < len(histories) <= MOST_RUNS:
        raise BeelineError(
            f"there are {len(histories)} runs to draw", hint=f"name 1 to {MOST_RUNS} of them"
        )
    figure_class = _figure_class()
    figure = figure_class(figsize=(9.0, 3.6), layout="constrained")
    losses, errors = figure.subplots(1, 2)
    for number, (label, history) in enumerate(histories.items()):
        colour = f"C{number}"
        steps = history[STEP]
        losses.plot(steps, history[TRAIN_LOSS], colour, linewidth=1.0, alpha=0.6, label=label)
        if (nll := history.get(f"{VALIDATION}nll")) is not None:
            losses.plot(steps, nll, colour, linewidth=1.2, linestyle="--")
        if (mse := history.get(f"{VALIDATION}mse")) is not None:
            best = min(range(len(mse)), key=mse.__getitem__)
            errors.plot(steps, mse, colour, linewidth=1.2, label=f"{label}: {mse[best]:.3g}")
            errors.plot([steps[best]], [mse[best]], f"{colour}o", markersize=5)
    _dress(losses, "training loss (dashed: validation)")
    _dress(errors, "validation MSE (dot: smallest)")
    errors.set_yscale("log")
    if title:
        figure.suptitle(title)
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise BeelineError(
            f"cannot draw the curves: {error}"[:200], str(path), hint="name a .png, .svg or .pdf"
        ) from None


def _dress(axes: Any, title: str) -> None:
    axes.set_title(title, fontsize=10)
    axes.set_xlabel("steps")
    axes.grid(visible=True, which="both", alpha=0.2)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=8)


def _figure_class() -> Any:
    """Matplotlib's figure, which draws into files without any screen."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise BeelineError(
            "drawing needs matplotlib, which is not installed",
            hint=install_hint("report"),
        ) from None
    return Figure
