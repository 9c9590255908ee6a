"""Plots of models: learning curves, h against h*, and how honest sigma is.

How far predictions are from the truth, and how honest their sigma is, as a table.
"""

from __future__ import annotations

from math import fsum
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from beeline.evaluate.drawing import INK, Plot, draw, file_name, label, logarithmic, look
from beeline.evaluate.statistics import deviation, mean
from beeline.evaluate.tables import Cell, Table, number_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from beeline.evaluate.record_reading import Curve, Predictions


MOST_POINTS = 400  # of a line or a cloud; more of them would only make the page heavy
MOST_BINS = 30
WIDE_RANGE = 30.0  # positive curves that span more than this factor get a logarithmic axis
LARGEST_Z = 4.0
Z_BINS = 32


def curve_plots(curves: Sequence[Curve], names: Sequence[str]) -> list[Plot]:
    """A plot for each domain and column; a line for each seed.

    `names` are all configurations: their places decide on their colours.
    """
    plots = []
    for domain in _in_order(curve.domain for curve in curves):
        here = [curve for curve in curves if curve.domain == domain]
        for column in _in_order(name for curve in here for name in curve.columns):
            chosen = [curve for curve in here if _has_values(curve, column)]
            if chosen:
                plots.append(_curves(domain, column, chosen, names))
    return plots


def prediction_plots(predictions: Sequence[Predictions], names: Sequence[str]) -> list[Plot]:
    """h against h* for each domain, then the calibration of sigma over all of them."""
    plots = []
    for domain in _in_order(each.domain for each in predictions):
        here = [each for each in predictions if each.domain == domain and each.h]
        if here:
            plots.append(_h_plot(domain, here, names))
    scores = {name: z for name in names if (z := z_scores(predictions, name))}
    if scores:
        plots += [_interval_plot(scores, names), _z_plot(scores, names)]
    return plots


def z_scores(predictions: Iterable[Predictions], configuration: str) -> list[float]:
    """(h* - h) / sigma of all states of a configuration that have a sigma."""
    return [
        (truth - mu) / sigma
        for each in predictions
        if each.configuration == configuration and each.sigma is not None
        for truth, mu, sigma in zip(each.h_star, each.h, each.sigma, strict=True)
    ]


def share_within(z: Sequence[float], probability: float) -> float:
    """The share of z-scores within the central interval of this probability of a Gaussian.

    >>> share_within([0.0, 0.5, -0.5, 3.0], 0.68)
    0.75
    """
    bound = NormalDist().inv_cdf((1 + probability) / 2)
    return sum(abs(value) <= bound for value in z) / len(z)


def _curves(domain: str, column: str, curves: Sequence[Curve], names: Sequence[str]) -> Plot:
    def paint(axes: Any) -> None:
        everything = []
        labelled = set()
        for curve in curves:
            style = look(names.index(curve.configuration))
            points = list(zip(curve.step, curve.columns[column], strict=True))
            points = _thinned([point for point in points if point[1] == point[1]])
            everything += [value for _, value in points]
            axes.plot(
                *zip(*points, strict=True),
                color=style.colour,
                linestyle=style.dash,
                linewidth=1.2,
                marker=style.marker if len(points) == 1 else None,
                alpha=0.85,
                label=None if curve.configuration in labelled else label(curve.configuration),
            )
            labelled.add(curve.configuration)
        low, high = min(everything), max(everything)
        if low > 0 and high / low > WIDE_RANGE:
            logarithmic(axes.yaxis, low, high)
        axes.set(xlabel="step", ylabel=column)

    caption = "A line for each seed." if len({each.seed for each in curves}) > 1 else ""
    title = f"{domain}: {column}"
    return draw(file_name("curve", domain, column), title, caption, paint, group="Learning curves")


def _h_plot(domain: str, predictions: Sequence[Predictions], names: Sequence[str]) -> Plot:
    def paint(axes: Any) -> None:
        import numpy as np

        top = 0.0
        for name in names:
            mine = [each for each in predictions if each.configuration == name]
            if not mine:
                continue
            style = look(names.index(name))
            truth = np.concatenate([each.h_star for each in mine])
            h = np.concatenate([each.h for each in mine])
            top = max(top, float(truth.max()))
            bins = min(MOST_BINS, len(np.unique(truth)))
            edges = np.linspace(truth.min(), truth.max() + 1e-9, bins + 1)
            place = np.clip(np.digitize(truth, edges) - 1, 0, bins - 1)
            filled = np.unique(place)
            centres = [float(truth[place == each].mean()) for each in filled]
            low, middle, high = np.array(
                [np.quantile(h[place == each], (0.1, 0.5, 0.9)) for each in filled]
            ).T
            axes.fill_between(centres, low, high, color=style.colour, alpha=0.15, linewidth=0)
            axes.plot(
                centres,
                middle,
                color=style.colour,
                linestyle=style.dash,
                marker=style.marker,
                markevery=max(1, len(centres) // 10),
                label=label(name),
            )
            cloud = _thinned(list(zip(truth.tolist(), h.tolist(), strict=True)))
            axes.plot(
                *zip(*cloud, strict=True), ".", color=style.colour, alpha=0.25, markersize=2.5
            )
        axes.plot([0, top], [0, top], color=INK, linewidth=0.8, linestyle=":")
        axes.set(xlabel="h*", ylabel="h")

    return draw(
        file_name("h-star", domain),
        f"{domain}: h against h*",
        "Line: median; band: from 10% to 90% of the states with about this h*.",
        paint,
        size=(4.8, 4.1),
        group="h against h*",
    )


def _interval_plot(scores: dict[str, list[float]], names: Sequence[str]) -> Plot:
    nominal = [place / 20 for place in range(1, 20)]

    def paint(axes: Any) -> None:
        for name, z in scores.items():
            style = look(names.index(name))
            axes.plot(
                [100 * each for each in nominal],
                [100 * share_within(z, each) for each in nominal],
                color=style.colour,
                linestyle=style.dash,
                marker=style.marker,
                markevery=2,
                label=label(name),
            )
        axes.plot([0, 100], [0, 100], color=INK, linewidth=0.8, linestyle=":")
        axes.set(
            xlabel="central interval of the prediction, %",
            ylabel="h* within it, % of states",
            xlim=(0, 100),
            ylim=(0, 100),
        )

    return draw(
        "calibration",
        "Calibration of sigma",
        "How often h* lies within the interval h ± kσ that a Gaussian fills with this probability:"
        " on the diagonal σ is honest, above it too large, below it too small.",
        paint,
        size=(4.8, 4.1),
        group="Calibration",
    )


def _z_plot(scores: dict[str, list[float]], names: Sequence[str]) -> Plot:
    width = 2 * LARGEST_Z / Z_BINS
    centres = [-LARGEST_Z + width * (place + 0.5) for place in range(Z_BINS)]

    def paint(axes: Any) -> None:
        normal = NormalDist()
        axes.plot(
            centres,
            [normal.pdf(each) for each in centres],
            color=INK,
            linewidth=0.9,
            linestyle=":",
            label="standard normal",
        )
        for name, z in scores.items():
            style = look(names.index(name))
            counts = [0] * Z_BINS
            for value in z:
                inside = min(max(value, -LARGEST_Z), LARGEST_Z - 1e-9)
                counts[int((inside + LARGEST_Z) / width)] += 1
            axes.step(
                centres,
                [count / len(z) / width for count in counts],
                where="mid",
                color=style.colour,
                linestyle=style.dash,
                label=label(name),
            )
        axes.set(xlabel="z = (h* − h) / σ", ylabel="density")

    return draw(
        "z-histogram",
        "Errors in units of sigma",
        f"Errors beyond ±{LARGEST_Z:g}σ are counted in the outermost bins.",
        paint,
        size=(4.8, 4.1),
        group="Calibration",
    )


def _has_values(curve: Curve, column: str) -> bool:
    return any(value == value for value in curve.columns.get(column, ()))


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most so many points at equal distances; the last one stays."""
    if len(points) <= MOST_POINTS:
        return points
    return [points[place * (len(points) - 1) // (MOST_POINTS - 1)] for place in range(MOST_POINTS)]


def _in_order(names: Iterable[str]) -> list[str]:
    """Each name once, sorted."""
    return sorted(set(names))


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
