"""The paper's figures: distributions of a state, and training curves.

Figure 2 says that truncated Gaussians converge faster. It is measured as the number of steps until
the validation error of a run is for the first time as small as one that all runs of its domain
and configuration reach: the largest of their best errors.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.evaluate.drawing import Lines, file_name
from beeline.evaluate.tables import Table, plain_table
from beeline.experiments.figures import figure
from beeline.experiments.nunez2024 import FF, GRID, LMCUT, column, runs
from beeline.experiments.records import model_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from beeline.experiments.figures import Figure
    from beeline.experiments.nunez2024 import Choice
    from beeline.experiments.nunez2024.runs import Entrant, TrainingRun
    from beeline.experiments.records import Record
    from beeline.fitting.objectives import Predictions

    Row = tuple[Entrant, Predictions]

POINTS = 241  # of a density
REACH = 4.0  # sigmas to both sides of it
TAIL = 0.002  # of a density that is left out


class Speed(NamedTuple):
    """Steps by column and domain, and the error to be reached by configuration and domain."""

    steps: dict[str, dict[str, Figure]]
    errors: dict[tuple[str, str], float]


def speeds(entrants: Iterable[Entrant], trained: Mapping[TrainingRun, Record]) -> Speed:
    """How soon runs reach an error that all of their domain and configuration reach."""
    groups: dict[tuple[str, str], dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for entrant in (each for each in entrants if each.run in trained):
        name = column(entrant.configuration, entrant.method)
        groups[entrant.configuration, entrant.run.domain][name].append(trained[entrant.run])
    found = Speed(defaultdict(dict), {})
    for (configuration, domain), columns in groups.items():
        every = [record["curve"] for listed in columns.values() for record in listed]
        error = max(min(curve["mse"]) for curve in every)
        found.errors[configuration, domain] = error
        for name, listed in columns.items():
            steps = [float(steps_to(record["curve"], error)) for record in listed]
            found.steps[name][domain] = figure(steps)
    return found


def steps_to(curve: Mapping[str, Sequence[float]], error: float) -> float:
    """The first step with such a validation error or a smaller one.

    >>> steps_to({"step": [100, 200, 300], "mse": [9.0, 3.0, 4.0]}, 4.0)
    200
    """
    return next(step for step, mse in zip(curve["step"], curve["mse"], strict=True) if mse <= error)


def curve_lines(choice: Choice, trained: Mapping[TrainingRun, Record]) -> list[Lines]:
    """Validation errors over steps: a plot for each domain and configuration, a line a seed."""
    groups: dict[tuple[str, str], list[tuple[str, Record]]] = defaultdict(list)
    for entrant in (each for each in runs.entrants(choice) if each.run in trained):
        key = (entrant.run.domain, entrant.configuration)
        groups[key].append((entrant.method, trained[entrant.run]))
    return [
        Lines(
            file_name("curve", domain, configuration),
            f"{domain}, {configuration}: validation error",
            "A line for each seed.",
            ("training step", "mean squared error"),
            tuple(
                (method, tuple(record["curve"]["step"]), tuple(record["curve"]["mse"]))
                for method, record in sorted(listed, key=lambda each: each[0])
            ),
            logarithmic=True,
        )
        for (domain, configuration), listed in groups.items()
    ]


def error_table(speed: Speed, domains: Sequence[str]) -> Table:
    """The validation errors that were to be reached."""
    names = list(dict.fromkeys(configuration for configuration, _ in speed.errors))
    rows = [[name, *(speed.errors.get((name, domain)) for domain in domains)] for name in names]
    note = "The largest of the best validation errors of all runs: one that all of them reach."
    return plain_table("2", "Errors to be reached", note, ["configuration", *domains], rows)


def bound_lines() -> tuple[Lines, Table]:
    """Truncated Gaussians with mu = 0 and sigma = 1 between bounds, and their means."""
    from beeline.models.estimates import moments, truncated_mean

    x = np.linspace(-REACH, REACH, POINTS)
    series, rows = [], []
    for lower, upper in GRID["densities"]["bounds"]:
        ends = (np.zeros(1), np.ones(1), np.array([lower]), np.array([upper]))
        found = moments(*ends)
        log_z = float(found.log_mass[0] - 0.5 * found.origin[0] ** 2)
        inside = x[(x > lower) & (x < upper)]
        at = np.concatenate([[max(lower, -REACH)], inside, [min(upper, REACH)]])
        density = np.exp(-0.5 * at**2 - log_z) / np.sqrt(2 * np.pi)
        name = f"({lower:g}, {upper:g})".replace("inf", "∞")
        ends_at = (float(at[0]), float(at[-1]))
        xs, ys = (ends_at[0], *at.tolist(), ends_at[1]), (0.0, *density.tolist(), 0.0)
        series.append((name, xs, ys))
        rows.append([name, float(truncated_mean(*ends)[0]), float(np.exp(log_z))])
    note = "The mean stays within the bounds even where mu = 0 does not."
    header = ["bounds", "mean", "mass of the Gaussian within them"]
    table = plain_table("2", "Truncated Gaussians with mu = 0 and sigma = 1", note, header, rows)
    title = "Truncated Gaussians with mu = 0, sigma = 1"
    return Lines("bounds", title, note, ("x", "density"), tuple(series)), table


def predicted(choice: Choice, sets: Path, results: Path) -> dict[str, list[Row]]:
    """What the networks of the first seed say about the test states of each domain."""
    import beeline
    from beeline.fitting.objectives import predictions

    here, found = runs.trained(choice, results), defaultdict(list)
    for entrant in (each for each in runs.entrants(choice) if each.run in here):
        if entrant.run.seed == 0 and entrant.estimate == "mean":
            states, _ = runs.tested_states(
                entrant.run.model, entrant.run.domain, str(sets), choice.tests
            )
            model: Any = beeline.load_model(model_path(results, entrant.run.key))
            found[entrant.run.domain].append((entrant, predictions(model, states)))
    return dict(found)


def density_lines(domain: str, rows: Sequence[Row]) -> Lines:
    """The distributions of one state, the bound and the true cost."""
    labelled = rows[0][1].labelled
    row = typical_state(labelled.target)
    ends = [float(each.estimate("quantile", q)[row]) for _, each in rows for q in (TAIL, 1 - TAIL)]
    truth, lower = float(labelled.target[row]), float(labelled.lmcut[row])
    x = np.linspace(min(truth, lower, *ends) - 0.5, max(truth, *ends) + 0.5, POINTS)
    series, top = [], 0.0
    for entrant, each in rows:
        density = each.density(row, x)
        top = max(top, float(density.max()))
        name = column(entrant.configuration, entrant.method)
        series.append((name, tuple(x.tolist()), tuple(density.tolist())))
        mean = each.estimate()[row : row + 1]
        at = float(each.density(row, mean)[0])
        series.append((f"{name}, mean", (float(mean[0]),), (at,)))
    for name, value in (("h*", truth), ("h_LM-cut", lower)):
        series.append((name, (value, value), (0.0, 1.05 * top)))
    return Lines(
        file_name("state", domain),
        f"{domain}: distributions of a state's cost",
        "A state of the test set whose h* is the median.",
        ("cost-to-go", "density"),
        tuple(series),
    )


def typical_state(target: NDArray[np.float64]) -> int:
    """The first state whose cost is nearest to the median."""
    return int(np.argmin(np.abs(target - np.median(target))))


def density_table(predicted: Mapping[str, Sequence[Row]], title: str) -> Table:
    """What is known and predicted about the state of each domain."""
    rows = []
    for domain, listed in predicted.items():
        for entrant, each in listed:
            labelled = each.labelled
            row = typical_state(labelled.target)
            known = [
                float(values[row]) for values in (labelled.target, labelled.lmcut, labelled.ff)
            ]
            told = [float(values[row]) for values in (each.mu, each.sigma, each.estimate())]
            name = column(entrant.configuration, entrant.method)
            below = float(np.mean(each.mu < labelled.lmcut))
            rows.append([domain, name, *known, *told, below])
    header = ["domain", "column", "h*", f"h_{LMCUT}", f"h_{FF}", "mu", "sigma", "mean"]
    note = "Of one state in the middle of the test set; mu below h_lmcut: of all of its states."
    return plain_table("1", title, note, [*header, "mu below h_lmcut, share"], rows)
