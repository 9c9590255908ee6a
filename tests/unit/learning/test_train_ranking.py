"""`train` with losses of whole plans: from datasets to models that searches use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from neural_models import ON_ANY_DOMAIN, OPTIONS, small_dataset
from small_sets import make_set, write_tasks

import beeline
from beeline.core.errors import BeelineError
from beeline.fitting.losses import PLAN_LOSSES
from beeline.fitting.neural_settings import OPTIMISERS
from beeline.fitting.plan_objectives import METRICS
from beeline.learning.training_aims import TRAINING_LOSSES, chosen_aim
from beeline.models import model_file
from beeline.models.neural_model import NeuralModel

if TYPE_CHECKING:
    from pathlib import Path

    from beeline.learning.train import Glance

QUICK: dict[str, Any] = {"steps": 12, "validate_every": 4}


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six tasks with siblings, two of them for validation."""
    folder = tmp_path_factory.mktemp("sets")
    files = write_tasks(folder / "tasks", count=6, blocks=4)
    make_set(files, folder / "set", splits=(("train", 0.7), ("val", 0.3)), siblings=True)
    return folder / "set"


@pytest.mark.parametrize("loss", PLAN_LOSSES)
@pytest.mark.parametrize("network", ["linear", "nlm"])
def test_from_plans_to_a_model_that_plans(network: str, loss: str, blocks: Path) -> None:
    model = beeline.train(blocks, model=network, loss=loss, options=OPTIONS[network], **QUICK)
    data = model_file.to_bytes(model)
    again = beeline.train(blocks, model=network, loss=loss, options=OPTIONS[network], **QUICK)
    assert model_file.to_bytes(again) == data
    loaded = model_file.from_bytes(data, "m")
    assert isinstance(loaded, NeuralModel)
    assert loaded.summary["loss"]["name"] == loss
    assert set(loaded.summary["validation"]) == set(METRICS)
    assert loaded.summary["selected_by"] == "loss"
    names = {"policy": "policy", "rank-truncated": "truncated-gaussian"}
    assert loaded.distribution.name == names.get(loss, "point")
    assert loaded.distribution.residual == "none"
    task = beeline.ground(beeline.generators.generate("blocksworld", seed=3, blocks=4))
    assert beeline.plan(loaded, task).solved
    for search in ("gbfs", "astar"):
        assert beeline.solve(task, search=search, heuristic=loaded).solved


@pytest.mark.parametrize("network", ON_ANY_DOMAIN)
def test_every_network_can_rank(network: str, blocks: Path) -> None:
    options = OPTIONS[network]
    model = beeline.train(blocks, model=network, loss="rank-gbfs", options=options, **QUICK)
    task = beeline.ground(beeline.generators.generate("blocksworld", seed=3, blocks=4))
    assert beeline.solve(task, heuristic=model).solved


@pytest.mark.parametrize("loss", ["rank-astar", "rank-gbfs", "rank-truncated"])
def test_learning_puts_pairs_in_order(loss: str, blocks: Path) -> None:
    found = [
        beeline.train(blocks, model="linear", loss=loss, steps=steps, select="violations")
        for steps in (1, 300)
    ]
    first, last = (model.summary["validation"]["violations"] for model in found)
    assert last < 0.7 * first


def test_settings_stand_in_the_model(blocks: Path) -> None:
    choices: dict[str, Any] = {"alpha": 0.5, "beta": 2.0, "surrogate": "hinge"}
    model = beeline.train(
        blocks,
        model="linear",
        loss="rank-gbfs",
        residual="ff",
        optimiser="adam",
        batch=2,
        select="violations",
        **choices,
        **QUICK,
    )
    assert model.summary["loss"] == {"name": "rank-gbfs", **choices}
    assert model.summary["optimiser"] == "adam"
    assert (model.summary["batch"], model.summary["selected_by"]) == (2, "violations")
    assert model.distribution.residual == "ff"
    bounds: dict[str, Any] = {"lower": "max", "sigma": "fixed", "weight": 0.1}
    bounded = beeline.train(blocks, model="linear", loss="rank-truncated", **bounds, **QUICK)
    assert bounded.summary["loss"]["weight"] == 0.1
    assert bounded.summary["optimiser"] == "adabelief"
    assert (bounded.distribution.lower, bounded.distribution.sigma) == ("max", "fixed")


def test_states_are_the_distinct_ones_of_open_lists(blocks: Path) -> None:
    from beeline.data.reader import Dataset

    model = beeline.train(blocks, model="linear", loss="rank-gbfs", **QUICK)
    for split, name in (("train", "training"), ("val", "validation")):
        rows = Dataset(blocks).states(split=split)
        states = {(row["instance"], row["state"]) for row in rows if np.isfinite(row["ff"])}
        assert model.summary["states"][name] == len(states)


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_training_that_was_stopped_goes_on(optimiser: str, blocks: Path, tmp_path: Path) -> None:
    choices: dict[str, Any] = {"model": "linear", "loss": "policy", "optimiser": optimiser}
    glances: list[Glance] = []
    for steps in (8, 16):
        resumed = beeline.train(
            blocks,
            steps=steps,
            validate_every=4,
            folder=tmp_path,
            progress=glances.append,
            **choices,
        )
    assert [each.step for each in glances] == [4, 8, 12, 16]
    unbroken = beeline.train(blocks, steps=16, validate_every=4, **choices)
    assert model_file.to_bytes(resumed) == model_file.to_bytes(unbroken)
    other = "adamw" if optimiser != "adamw" else "adam"
    with pytest.raises(BeelineError, match=f"another run: its 'optimiser' is {optimiser}, not"):
        beeline.train(blocks, **{**choices, "optimiser": other}, folder=tmp_path, **QUICK)
    with pytest.raises(BeelineError, match="another run"):
        beeline.train(blocks, **{**choices, "loss": "rank-gbfs"}, folder=tmp_path, **QUICK)


def test_a_dataset_without_siblings_is_refused(tmp_path: Path) -> None:
    plain = small_dataset(tmp_path)
    for loss in PLAN_LOSSES:
        with pytest.raises(BeelineError, match=r"only the states of plans.*--siblings"):
            beeline.train(plain, model="linear", loss=loss)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"loss": "rank-astr"}, "unknown loss 'rank-astr'.*did you mean 'rank-astar'"),
        ({"loss": "rank-siblings"}, "unknown loss 'rank-siblings'"),
        ({"loss": "rank-gbfs", "lower": "lmcut"}, "'rank-gbfs' has no lower bound.*truncated"),
        ({"loss": "l2", "sigma": "learn"}, "'l2' has no sigma"),
        ({"loss": "rank-truncated", "upper": "plan"}, "'rank-truncated' has no upper bound"),
        ({"loss": "gaussian", "alpha": 1.0}, "'gaussian' has no alpha"),
        ({"loss": "gaussian", "surrogate": "hinge"}, "'gaussian' has no surrogate"),
        ({"loss": "rank-gbfs", "residual": "add"}, "unknown residual 'add'"),
        ({"loss": "rank-gbfs", "select": "mse"}, "no metric 'mse'.*loss, violations"),
        ({"loss": "rank-gbfs", "optimiser": "sgd"}, "unknown optimiser 'sgd': there are adamw"),
        ({"loss": "rank-gbfs", "batch": 0}, "batch size 0"),
    ],
)
def test_settings_that_make_no_sense(blocks: Path, choices: dict[str, Any], message: str) -> None:
    with pytest.raises(BeelineError, match=message):
        beeline.train(blocks, **{"model": "linear", **QUICK, **choices})


def test_every_loss_has_an_aim() -> None:
    for name in TRAINING_LOSSES:
        aim = chosen_aim(name)
        assert aim.to_json()["name"] == name
        assert aim.siblings is (name in PLAN_LOSSES)
