"""Errors and calibration of models, against plain sums and distributions that are honest."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from linear_states import linear_states
from neural_models import random_model, small_dataset

from beeline.cli.main import main
from beeline.core.errors import BeelineError
from beeline.data.instances import read_instances
from beeline.evaluate.model_errors import TOLD, calibration, error_figures, model_errors
from beeline.fitting.objectives import Predictions, predictions
from beeline.generators import domain_text
from beeline.models.estimates import truncated_quantile
from beeline.models.neural_model import Distribution
from beeline.pddl import parse_domain

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_dataset(tmp_path_factory.mktemp("set"))


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory, dataset: Path) -> Path:
    domain = read_instances(dataset)[0].problem.domain
    path = tmp_path_factory.mktemp("models") / "model.beeline"
    random_model("linear", domain, name="gaussian").save(path)
    return path


def drawn(name: str, *, width: float = 1.0, count: int = 4000) -> Predictions:
    """Predictions whose targets are drawn from them, or from ones `width` times as wide."""
    _, labelled = linear_states(count, seed=5)
    rng = np.random.default_rng(7)
    mu, sigma = rng.uniform(0, 9, count), rng.uniform(0.5, 3, count)
    lower = np.zeros(count)
    p = rng.uniform(0, 1, count)
    settings = Distribution(name, epsilon=0.0)
    found = Predictions(replace(labelled, lower=lower), settings, mu, sigma)
    if name == "truncated-gaussian":
        bounds = (np.zeros(1), np.full(1, np.inf))
        rows = zip(mu[:, None], width * sigma[:, None], p, strict=True)
        x = np.array([truncated_quantile(m, s, *bounds, q)[0] for m, s, q in rows])
    elif name == "laplace":
        x = mu + width * rng.laplace(0, sigma)
    else:
        x = mu + width * rng.normal(0, sigma)
    return replace(found, labelled=replace(labelled, lower=lower, target=x))


@pytest.mark.parametrize("name", ["gaussian", "truncated-gaussian", "laplace"])
def test_an_honest_distribution_is_calibrated(name: str) -> None:
    every = np.ones(4000, dtype=bool)
    for probability, share in calibration(drawn(name), every, TOLD).items():
        assert share == pytest.approx(probability, abs=0.03)
    for probability, share in calibration(drawn(name, width=2.0), every, TOLD).items():
        assert share < probability - 0.02  # sigma is too small


def test_figures_are_plain_means(dataset: Path, model_file: Path) -> None:
    import beeline

    found = model_errors(model_file, dataset)
    instances = read_instances(dataset)
    said = predictions(beeline.load_model(model_file), instances)
    x, mu, bound = said.labelled.target, said.mu, said.labelled.lmcut
    clipped = np.maximum(mu, bound)
    figures = found.figures
    assert figures["states"] == len(x) == sum(map(len, instances))
    assert figures["mse"] == pytest.approx(np.mean((mu - x) ** 2))
    assert figures["mse_clip"] == pytest.approx(np.mean((clipped - x) ** 2))
    assert figures["mae"] == pytest.approx(np.mean(np.abs(mu - x)))
    assert figures["mae_clip"] == pytest.approx(np.mean(np.abs(clipped - x)))
    assert figures["bias"] == pytest.approx(np.mean(mu - x))
    assert figures["below_bound"] == pytest.approx(np.mean(mu < bound))
    assert figures["overestimated"] == pytest.approx(np.mean(mu > x))
    assert found.heuristics["ff"] == pytest.approx(np.mean((said.labelled.ff - x) ** 2))
    assert sum(each["states"] for each in found.sizes.values()) == len(x)
    assert [*found.sizes] == ["4"]
    assert "h* within it" in found.plot().svg


def test_the_mean_of_a_truncated_gaussian_hardly_violates_its_bound() -> None:
    figures = error_figures(drawn("truncated-gaussian"), np.ones(4000, dtype=bool))
    assert figures["below_bound"] == 0.0
    assert figures["mse"] == figures["mse_clip"]
    assert figures["nll"] == figures["nll_clip"]


def test_a_bound_can_be_chosen_and_a_split(dataset: Path, model_file: Path) -> None:
    plain, blind = (model_errors(model_file, dataset, lower=each) for each in (None, "blind"))
    assert plain.figures["mse"] == blind.figures["mse"]
    assert plain.figures["mse_clip"] != blind.figures["mse_clip"]
    parts = [model_errors(model_file, dataset, split=each).figures for each in ("train", "val")]
    assert sum(each["states"] for each in parts) == plain.figures["states"]


def test_the_command_prints_a_table_and_one_object(
    dataset: Path, model_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["models", "errors", str(model_file), str(dataset)]
    assert main([*words, "--plot", str(tmp_path / "plot.svg")]) == 0
    text = capsys.readouterr().out
    assert text.startswith("objects")
    assert "h_lmcut" in text
    assert (tmp_path / "plot.svg").read_text().startswith("<?xml")
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["mse"] == pytest.approx(model_errors(model_file, dataset).figures["mse"])
    assert [each["probability"] for each in told["calibration"]][:2] == [0.05, 0.1]
    assert told["sizes"][0]["objects"] == "4"


def test_models_that_cannot_be_compared_are_refused(
    dataset: Path, model_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "errors", "blocksworld", str(dataset)]) == 31
    assert "gives scores, not costs" in capsys.readouterr().err
    other = tmp_path / "ferry.beeline"
    random_model("nlm", parse_domain(domain_text("ferry"))).save(other)
    with pytest.raises(BeelineError, match="does not fit"):
        model_errors(other, dataset)
    with pytest.raises(BeelineError, match="the dataset has no split 'test'"):
        model_errors(model_file, dataset, split="test")
