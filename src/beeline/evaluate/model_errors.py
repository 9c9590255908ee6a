"""How far a neural model's distributions are from the costs of a dataset's states.

Errors are those of a search's estimate h (the mean of the distribution, or mu clipped to the lower
bound l). Calibration asks how often h* lies in the central interval that the distribution fills
with some probability; an honest sigma gives the same share. Everything is told over all states and
for tasks of similar numbers of objects.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from beeline.core.settings import keywords
from beeline.evaluate.drawing import Plot, diagonal, draw, look
from beeline.evaluate.settings import ErrorSettings
from beeline.evaluate.tables import Table, plain_table

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from beeline.fitting.objectives import Predictions
    from beeline.models.neural_model import NeuralModel

    Rows = NDArray[np.bool_]

PROBABILITIES = tuple(place / 20 for place in range(1, 20))
TOLD = (0.5, 0.8, 0.95)  # of these in tables
MOST_SIZES = 6  # groups of tasks


@dataclass(frozen=True)
class ModelErrors:
    """What came out: `figures` over all states, and for each group of sizes by its name.

    `mse`, `mae`, `nll` with their `_clip`; `bias` is the mean of h - h*; `below_bound` the share of
    states with h < l, `mu_below_bound` that with mu < l, `overestimated` that with h > h*.
    `calibration` has, for each probability, the share of states with h* in the central interval.
    `heuristics` are mean squared errors.
    """

    figures: Mapping[str, float]
    calibration: Mapping[float, float]
    sizes: Mapping[str, Mapping[str, float]]
    heuristics: Mapping[str, float]
    dropped: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        pairs = [{"probability": each, "share": share} for each, share in self.calibration.items()]
        sizes = [{"objects": name, **each} for name, each in self.sizes.items()]
        rest = {"heuristics": dict(self.heuristics), "dropped": dict(self.dropped)}
        return {**self.figures, "calibration": pairs, "sizes": sizes, **rest}

    def table(self) -> Table:
        """A row for all states, and one for each size."""
        names = list(self.figures)
        rows = [
            [name, *(each[figure] for figure in names)]
            for name, each in {"all": self.figures, **self.sizes}.items()
        ]
        header = ["objects", *(name.replace("_", " ") for name in names)]
        return plain_table("errors", "Errors of the model", "", header, rows)

    def plot(self) -> Plot:
        """The reliability plot: promised against measured shares."""

        def paint(axes: Any) -> None:
            shares = [[100 * each for each in pair] for pair in self.calibration.items()]
            axes.plot(*zip(*shares, strict=True), **look(0))
            diagonal(axes, 0, 100)
            axes.set(xlabel="central interval of the distribution, %", xlim=(0, 100))
            axes.set(ylabel="h* within it, % of states", ylim=(0, 100))

        caption = "On the diagonal sigma is honest, above it too large, below it too small."
        return draw("reliability", "Reliability", caption, paint, size=(4.8, 4.1))


@keywords(ErrorSettings)
def model_errors(
    model: NeuralModel | str | os.PathLike[str],
    dataset: str | os.PathLike[str],
    settings: ErrorSettings,
) -> ModelErrors:
    """The errors of a neural model, or of one in a file, on the states of a dataset's plans.

    Keyword arguments are the fields of `ErrorSettings`. The dataset's plans must be optimal.

    >>> import pathlib, tempfile
    >>> import beeline
    >>> from beeline.core.records import InlineExecutor
    >>> from beeline.data.optimal_plans import sample_plans
    >>> from beeline.data.task_sets import PlanSettings, generated_tasks
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "set"
    >>> tasks = generated_tasks("ferry", count=8, parameters={"cars": 2, "locations": 3})
    >>> with InlineExecutor() as executor:
    ...     _ = sample_plans(tasks, PlanSettings(), folder, executor)
    >>> model = beeline.train(folder, model="linear", steps=20)
    >>> found = model_errors(model, folder, split="val")
    >>> [*found.calibration][:3]
    [0.05, 0.1, 0.15]
    >>> sorted(found.heuristics)
    ['ff', 'lmcut']
    """
    from beeline.core.errors import BeelineError
    from beeline.data.instances import read_instances
    from beeline.models.families import require_torch
    from beeline.models.model_file import load_model
    from beeline.planning.model import check_fits

    require_torch()
    loaded: Any = load_model(model) if isinstance(model, str | Path) else model
    if not hasattr(loaded, "distribution"):
        raise BeelineError(
            "the model gives scores, not costs: there is nothing to compare with costs",
            str(model) if isinstance(model, str | Path) else None,
            hint="'beeline train' makes models that estimate costs",
        )
    instances = read_instances(dataset, split=settings.split)
    check_fits(loaded, instances[0].problem.domain)
    from beeline.fitting.objectives import heuristic_errors, predictions

    found = predictions(loaded, instances, lower=settings.lower)
    every = np.ones(len(found.mu), dtype=bool)
    objects = [len(each.problem.objects) for each in found.labelled.instances]
    of_state = np.repeat(objects, [len(each) for each in found.labelled.instances])
    return ModelErrors(
        error_figures(found, every),
        calibration(found, every, PROBABILITIES),
        {name: error_figures(found, rows) for name, rows in size_groups(of_state).items()},
        heuristic_errors(found.labelled),
        found.labelled.dropped,
    )


def error_figures(found: Predictions, rows: Rows) -> dict[str, float]:
    """Errors, likelihoods and shares over some states, by name."""
    target, h, clipped = found.labelled.target, found.estimate(), found.estimate("clip")
    if found.settings.name == "truncated-gaussian":  # whose mean respects the bound
        clipped, nll_clip = h, found.nll()
    else:
        nll_clip = found.nll(clipped)
    columns = {
        "mse": (h - target) ** 2,
        "mse_clip": (clipped - target) ** 2,
        "mae": np.abs(h - target),
        "mae_clip": np.abs(clipped - target),
        "bias": h - target,
        "nll": found.nll(),
        "nll_clip": nll_clip,
        "below_bound": h < found.labelled.lower,
        "mu_below_bound": found.mu < found.labelled.lower,
        "overestimated": h > target,
    }
    means = {name: float(np.mean(column[rows])) for name, column in columns.items()}
    shares = calibration(found, rows, TOLD)
    within = {f"within_{100 * each:.0f}": share for each, share in shares.items()}
    return {"states": int(np.count_nonzero(rows)), **means, **within}


def calibration(
    found: Predictions, rows: Rows, probabilities: Sequence[float]
) -> dict[float, float]:
    """How often h* lies in the central interval of each probability."""
    shares = {}
    for each in probabilities:
        low, high = (found.estimate("quantile", 0.5 + side * each / 2) for side in (-1, 1))
        inside = (low <= found.labelled.target) & (found.labelled.target <= high)
        shares[each] = float(np.mean(inside[rows]))
    return shares


def size_groups(objects: NDArray[np.int64]) -> dict[str, Rows]:
    """The rows of states by the number of objects of their tasks; many numbers are put together.

    >>> [*size_groups(np.array([3, 5, 5]))], [*size_groups(np.arange(12))]
    (['3', '5'], ['0-1', '2-3', '4-5', '6-7', '8-9', '10-11'])
    """
    sizes = np.unique(objects)
    groups = np.array_split(sizes, min(MOST_SIZES, len(sizes)))
    ends = [(group[0], group[-1]) for group in groups]
    return {
        str(low) if low == high else f"{low}-{high}": (low <= objects) & (objects <= high)
        for low, high in ends
    }
