"""How far predictions are from the truth, and how honest their sigma is, as a table."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

from beeline.report.model_plots import share_within, z_scores
from beeline.report.scores import deviation, mean
from beeline.report.table import Cell, Table, number_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from beeline.report.records import Predictions

INTERVALS = (0.68, 0.95)


def prediction_table(predictions: Sequence[Predictions]) -> Table | None:
    """A row for each domain and configuration, means over seeds; None without predictions."""
    groups: dict[tuple[str, str], list[Predictions]] = {}
    for each in predictions:
        if each.h:
            groups.setdefault((each.domain, each.configuration), []).append(each)
    if not groups:
        return None
    rows = []
    for (domain, name), seeds in sorted(groups.items()):
        states = mean([len(each.h) for each in seeds])
        rows.append(
            (
                Cell(domain),
                Cell(name),
                number_cell(states, decimals=0),
                *(_over_seeds(seeds, value) for value in (_squared, _absolute, _bias, _below)),
                *(_over_seeds(seeds, _within(share)) for share in INTERVALS),
            )
        )
    return Table(
        name="predictions",
        title="Errors of predictions",
        note="Mean squared and mean absolute error; bias is the mean of h - h*; admissible: the"
        " share of states with h ≤ h*. Within 68% and 95%: the share of states whose h* lies in the"
        " Gaussian interval of that probability around h. Mean ± standard deviation over seeds.",
        header=(
            *("domain", "configuration", "states", "MSE", "MAE", "bias", "admissible, %"),
            *(f"within {100 * share:.0f}%" for share in INTERVALS),
        ),
        rows=tuple(rows),
    )


def _over_seeds(seeds: Sequence[Predictions], value: Callable[[Predictions], float | None]) -> Cell:
    values = [found for each in seeds if (found := value(each)) is not None]
    return number_cell(mean(values) if values else None, spread=deviation(values))


def _errors(each: Predictions) -> list[float]:
    return [h - truth for h, truth in zip(each.h, each.h_star, strict=True)]


def _squared(each: Predictions) -> float:
    return fsum(error * error for error in _errors(each)) / len(each.h)


def _absolute(each: Predictions) -> float:
    return fsum(map(abs, _errors(each))) / len(each.h)


def _bias(each: Predictions) -> float:
    return fsum(_errors(each)) / len(each.h)


def _below(each: Predictions) -> float:
    return 100 * sum(error <= 0 for error in _errors(each)) / len(each.h)


def _within(probability: float) -> Callable[[Predictions], float | None]:
    def value(each: Predictions) -> float | None:
        z = z_scores([each], each.configuration)
        return 100 * share_within(z, probability) if z else None

    return value
