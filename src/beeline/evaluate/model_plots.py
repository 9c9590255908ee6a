"""Plots of models: learning curves, h against h*, and how honest sigma is.

How far predictions are from the truth, and how honest their sigma is, as a table.
"""

from __future__ import annotations

from collections import Counter
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING, Any

from beeline.evaluate import drawing
from beeline.evaluate.drawing import INK, Plot, diagonal, draw, file_name, label, look
from beeline.evaluate.measures import deviation
from beeline.evaluate.tables import Cell, Table, number_cell, plain_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from beeline.evaluate.record_reading import Curve, Predictions


MOST_POINTS = 400  # of a line or a cloud; more of them would only make the page heavy
MOST_BINS = 30
WIDE_RANGE = 30.0  # positive curves that span more than this factor get a logarithmic axis
LARGEST_Z = 4.0
Z_BINS = 32
INTERVALS = (0.68, 0.95)
SQUARE = (4.8, 4.1)  # inches, of axes


def curve_plots(curves: Sequence[Curve], names: Sequence[str]) -> list[Plot]:
    """A plot for each domain and column; a line for each seed.

    `names` are all configurations: their places decide on their colours.
    """
    plots = []
    for domain in sorted({curve.domain for curve in curves}):
        here = [curve for curve in curves if curve.domain == domain]
        for column in sorted({name for curve in here for name in curve.columns}):
            chosen = [curve for curve in here if _has_values(curve, column)]
            if chosen:
                plots.append(_curves(domain, column, chosen, names))
    return plots


def prediction_plots(predictions: Sequence[Predictions], names: Sequence[str]) -> list[Plot]:
    """h against h* for each domain, then the calibration of sigma over all of them."""
    plots = []
    for domain in sorted({each.domain for each in predictions}):
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
    series = []
    for curve in curves:
        points = zip(curve.step, curve.columns[column], strict=True)
        known = _thinned([point for point in points if point[1] == point[1]])
        x, y = zip(*known, strict=True)
        series.append((curve.configuration, x, y))
    values = [value for _, _, y in series for value in y]
    caption = "A line for each seed." if len({each.seed for each in curves}) > 1 else ""
    name, title = file_name("curve", domain, column), f"{domain}: {column}"
    wide = min(values) > 0 and max(values) / min(values) > WIDE_RANGE
    axes = ("step", column)
    lines = drawing.Lines(name, title, caption, axes, tuple(series), logarithmic=wide)
    return drawing.line_plot(lines, names, "Learning curves")


def _h_plot(domain: str, predictions: Sequence[Predictions], names: Sequence[str]) -> Plot:
    def paint(axes: Any) -> None:
        import numpy as np

        top = 0.0
        for number, name in enumerate(names):
            mine = [each for each in predictions if each.configuration == name]
            if not mine:
                continue
            style = look(number)
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
            axes.fill_between(centres, low, high, color=style["color"], alpha=0.15, linewidth=0)
            marked = max(1, len(centres) // 10)
            axes.plot(centres, middle, **style, markevery=marked, label=label(name))
            cloud = zip(*_thinned(list(zip(truth.tolist(), h.tolist(), strict=True))), strict=True)
            axes.plot(*cloud, ".", color=style["color"], alpha=0.25, markersize=2.5)
        diagonal(axes, 0, top)
        axes.set(xlabel="h*", ylabel="h")

    return draw(
        file_name("h-star", domain),
        f"{domain}: h against h*",
        "Line: median; band: from 10% to 90% of the states with about this h*.",
        paint,
        size=SQUARE,
        group="h against h*",
    )


def _interval_plot(scores: dict[str, list[float]], names: Sequence[str]) -> Plot:
    nominal = [place / 20 for place in range(1, 20)]

    def paint(axes: Any) -> None:
        for name, z in scores.items():
            x, y = zip(
                *((100 * each, 100 * share_within(z, each)) for each in nominal), strict=True
            )
            axes.plot(x, y, **look(names.index(name)), markevery=2, label=label(name))
        diagonal(axes, 0, 100)
        axes.set(xlabel="central interval of the prediction, %", xlim=(0, 100))
        axes.set(ylabel="h* within it, % of states", ylim=(0, 100))

    return draw(
        "calibration",
        "Calibration of sigma",
        "How often h* lies within the interval h ± kσ that a Gaussian fills with this probability:"
        " on the diagonal σ is honest, above it too large, below it too small.",
        paint,
        size=SQUARE,
        group="Calibration",
    )


def _z_plot(scores: dict[str, list[float]], names: Sequence[str]) -> Plot:
    width = 2 * LARGEST_Z / Z_BINS
    centres = [-LARGEST_Z + width * (place + 0.5) for place in range(Z_BINS)]

    def paint(axes: Any) -> None:
        normal = [NormalDist().pdf(each) for each in centres]
        line = {"color": INK, "linewidth": 0.9, "linestyle": ":"}
        axes.plot(centres, normal, **line, label="standard normal")
        for name, z in scores.items():
            inside = (min(max(value, -LARGEST_Z), LARGEST_Z - 1e-9) for value in z)
            counts = Counter(int((value + LARGEST_Z) / width) for value in inside)
            density = [counts[place] / len(z) / width for place in range(Z_BINS)]
            style = {**look(names.index(name)), "marker": None}
            axes.step(centres, density, where="mid", **style, label=label(name))
        axes.set(xlabel="z = (h* − h) / σ", ylabel="density")

    return draw(
        "z-histogram",
        "Errors in units of sigma",
        f"Errors beyond ±{LARGEST_Z:g}σ are counted in the outermost bins.",
        paint,
        size=SQUARE,
        group="Calibration",
    )


def _has_values(curve: Curve, column: str) -> bool:
    return any(value == value for value in curve.columns.get(column, ()))


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most so many points at equal distances; the last one stays."""
    if len(points) <= MOST_POINTS:
        return points
    return [points[place * (len(points) - 1) // (MOST_POINTS - 1)] for place in range(MOST_POINTS)]


def prediction_table(predictions: Sequence[Predictions]) -> Table | None:
    """A row for each domain and configuration, means over seeds; None without predictions."""
    groups: dict[tuple[str, str], list[Predictions]] = {}
    for each in predictions:
        if each.h:
            groups.setdefault((each.domain, each.configuration), []).append(each)
    if not groups:
        return None
    rows = []
    for key, seeds in sorted(groups.items()):
        states = number_cell(fmean([len(each.h) for each in seeds]), decimals=0)
        rows.append([*key, states, *map(_over_seeds, zip(*map(_measured, seeds), strict=True))])
    return plain_table(
        "predictions",
        "Errors of predictions",
        "Mean squared and mean absolute error; bias is the mean of h - h*; admissible: the"
        " share of states with h ≤ h*. Within 68% and 95%: the share of states whose h* lies in the"
        " Gaussian interval of that probability around h. Mean ± standard deviation over seeds.",
        (
            *("domain", "configuration", "states", "MSE", "MAE", "bias", "admissible, %"),
            *(f"within {100 * share:.0f}%" for share in INTERVALS),
        ),
        rows,
    )


def _measured(each: Predictions) -> list[float | None]:
    """MSE, MAE, bias, and the percentages of admissible states and of those in `INTERVALS`."""
    errors = [h - truth for h, truth in zip(each.h, each.h_star, strict=True)]
    z = z_scores([each], each.configuration)
    return [
        fmean([error * error for error in errors]),
        fmean([abs(error) for error in errors]),
        fmean(errors),
        100 * sum(error <= 0 for error in errors) / len(errors),
        *(100 * share_within(z, share) if z else None for share in INTERVALS),
    ]


def _over_seeds(seeds: Iterable[float | None]) -> Cell:
    values = [value for value in seeds if value is not None]
    return number_cell(fmean(values) if values else None, spread=deviation(values))
