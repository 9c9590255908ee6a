"""Distributions of states, and how soon trainings reach an error."""

from __future__ import annotations

from typing import Any

import pytest
from scipy.integrate import trapezoid

from beeline.experiments.nunez2024 import Choice, pictures
from beeline.experiments.nunez2024.runs import entrants


def curve(*errors: float) -> dict[str, Any]:
    steps = [100.0 * (place + 1) for place in range(len(errors))]
    return {"curve": {"step": steps, "mse": [*errors]}}


CHOICE = Choice(
    models=("nlm",), domains=("ferry",), configurations=("learn/ff",), methods=("N", "TN"), seeds=2
)
N0, N1, TN0, TN1 = [each.run for each in entrants(CHOICE)]
TRAINED = {
    N0: curve(9, 8, 5, 4),
    N1: curve(9, 6, 6, 5),
    TN0: curve(9, 3, 2, 1),
    TN1: curve(4, 3, 2, 2),
}


def test_speed_is_measured_by_an_error_that_all_runs_reach() -> None:
    speed = pictures.speeds(entrants(CHOICE), TRAINED)
    assert speed.errors == {("learn/ff", "ferry"): 5.0}
    assert speed.steps["learn/ff N"]["ferry"].seeds == (300.0, 400.0)
    assert speed.steps["learn/ff TN"]["ferry"].seeds == (200.0, 100.0)
    (table,) = [pictures.error_table(speed, ["ferry"])]
    assert table.rows[0][1].value == 5.0


def test_a_line_for_each_seed_and_a_plot_for_each_configuration() -> None:
    (lines,) = pictures.curve_lines(CHOICE, TRAINED)
    assert [name for name, _, _ in lines.series] == ["N", "N", "TN", "TN"]
    assert lines.series[2][2] == (9, 3, 2, 1)


def test_truncated_densities_have_mass_one_and_means_within_bounds() -> None:
    lines, table = pictures.bound_lines()
    for (_, x, y), row in zip(lines.series, table.rows, strict=True):
        assert trapezoid(y, x) == pytest.approx(1.0, abs=2e-3)
        low, high = (float(word.replace("∞", "inf")) for word in row[0].text.strip("()").split(","))
        assert low < row[1].value < high
