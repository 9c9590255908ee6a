"""`train`: from datasets to neural models."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest
from neural_models import ON_ANY_DOMAIN, OPTIONS, small_dataset

import beeline
from beeline.core.errors import BeelineError
from beeline.learning.training_data import read_training_data
from beeline.models import model_file

if TYPE_CHECKING:
    from pathlib import Path

    from beeline.learning.train import Glance

QUICK: dict[str, Any] = {"steps": 20, "validate_every": 5}


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_dataset(tmp_path_factory.mktemp("sets"))


@pytest.fixture(scope="module")
def ferry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_dataset(tmp_path_factory.mktemp("sets"), "ferry", cars=2, locations=3)


@pytest.mark.parametrize("network", ON_ANY_DOMAIN)
def test_a_model_of_every_network_plans(network: str, blocks: Path) -> None:
    model = beeline.train(blocks, model=network, options=OPTIONS[network], **QUICK)
    assert (model.network, model.domain_name) == (network, "blocksworld")
    assert model.summary["steps"] == 20
    assert model.summary["instances"]["training"] + model.summary["instances"]["validation"] == 6
    assert set(model.summary["validation"]) == {"mse", "mse_clip", "nll", "nll_clip"}
    task = beeline.ground(beeline.generators.generate("blocksworld", seed=3, blocks=5))
    assert beeline.plan(model, task).solved
    assert beeline.solve(task, heuristic=model).solved
    again = beeline.train(blocks, model=network, options=OPTIONS[network], **QUICK)
    assert model_file.to_bytes(again) == model_file.to_bytes(model)


def test_learning_lowers_the_error(blocks: Path) -> None:
    first = beeline.train(blocks, model="linear", steps=1, residual="none")
    last = beeline.train(blocks, model="linear", steps=400, residual="none")
    assert last.summary["validation"]["mse"] < 0.7 * first.summary["validation"]["mse"]


@pytest.mark.parametrize(
    "choices",
    [
        {"loss": "gaussian", "sigma": "fixed", "lower": "none", "residual": "none"},
        {"loss": "laplace", "lower": "blind", "residual": "lmcut", "select": "nll"},
        {"upper": "plan", "lower": "max"},
    ],
    ids=str,
)
def test_settings_stand_in_the_model(blocks: Path, choices: dict[str, str]) -> None:
    model = beeline.train(blocks, model="linear", **choices, **QUICK)
    settings = model.distribution.to_json()
    for key, word in choices.items():
        if key == "select":
            assert model.summary["selected_by"] == word
        else:
            assert settings["name" if key == "loss" else key] == word


class TestSeeds:
    def test_the_best_is_taken(self, blocks: Path, tmp_path: Path) -> None:
        glances: list[Glance] = []
        model = beeline.train(
            blocks,
            model="linear",
            seed=4,
            seeds=3,
            folder=tmp_path,
            progress=glances.append,
            **QUICK,
        )
        found = {each["seed"]: each["mse"] for each in model.summary["seeds"]}
        assert list(found) == [4, 5, 6]
        assert found[model.seed] == min(found.values())
        assert sorted(each.name for each in tmp_path.iterdir()) == ["seed-4", "seed-5", "seed-6"]
        assert [(each.run, each.runs) for each in glances[::4]] == [(1, 3), (2, 3), (3, 3)]
        assert glances[-1].step == glances[-1].steps == 20

    def test_each_is_the_same_as_alone(self, blocks: Path) -> None:
        together = beeline.train(blocks, model="linear", seed=4, seeds=3, **QUICK)
        alone = beeline.train(blocks, model="linear", seed=together.seed, **QUICK)
        for name, array in alone.weights.items():
            assert (array == together.weights[name]).all()

    def test_workers_give_the_same_model_at_the_same_time(
        self, blocks: Path, tmp_path: Path
    ) -> None:
        glances: list[Glance] = []
        words = {"model": "linear", "seeds": 3, **QUICK}
        here = beeline.train(blocks, **words)
        there = beeline.train(
            blocks, folder=tmp_path / "log", jobs=2, progress=glances.append, **words
        )
        here.save(tmp_path / "here")
        there.save(tmp_path / "there")
        assert (tmp_path / "there").read_bytes() == (tmp_path / "here").read_bytes()
        assert [(each.run, each.step) for each in glances] == [(1, 20), (2, 20), (3, 20)]
        assert len(list((tmp_path / "log").iterdir())) == 3

    def test_none_is_refused(self, blocks: Path) -> None:
        with pytest.raises(BeelineError, match="0 seeds"):
            beeline.train(blocks, model="linear", seeds=0)


class TestFolder:
    def test_a_longer_run_goes_on(self, blocks: Path, tmp_path: Path) -> None:
        glances: list[Glance] = []
        for steps in (20, 40):
            longer = beeline.train(
                blocks,
                model="linear",
                steps=steps,
                validate_every=5,
                folder=tmp_path,
                progress=glances.append,
            )
        assert [each.step for each in glances] == [5, 10, 15, 20, 25, 30, 35, 40]
        unbroken = beeline.train(blocks, model="linear", steps=40, validate_every=5)
        assert model_file.to_bytes(longer) == model_file.to_bytes(unbroken)

    def test_another_training_is_not_mixed_in(self, blocks: Path, tmp_path: Path) -> None:
        beeline.train(blocks, model="linear", folder=tmp_path, **QUICK)
        with pytest.raises(BeelineError, match=r"another run: .*batch_size' is 256, not 7"):
            beeline.train(blocks, model="linear", batch=7, folder=tmp_path, **QUICK)

    def test_curves_are_drawn(self, blocks: Path, tmp_path: Path) -> None:
        beeline.train(blocks, model="linear", folder=tmp_path, plot=True, **QUICK)
        assert (tmp_path / "seed-0" / "curves.png").read_bytes()[:4] == b"\x89PNG"


class TestData:
    def test_splits(self, blocks: Path) -> None:
        data = read_training_data([blocks], None, limit=None, seed=0)
        assert len(data.training) > len(data.validation) > 0
        names = {each.problem.name for each in data.training}
        assert names.isdisjoint(each.problem.name for each in data.validation)

    def test_another_dataset_validates(self, blocks: Path, tmp_path: Path) -> None:
        other = small_dataset(tmp_path, blocks=5)
        data = read_training_data([blocks], other, limit=None, seed=0)
        assert {len(each.problem.objects) for each in data.training} == {4}
        assert {len(each.problem.objects) for each in data.validation} == {5}
        both = read_training_data([blocks, other], None, limit=None, seed=0)
        assert {len(each.problem.objects) for each in both.training} == {4, 5}
        assert {len(each.problem.objects) for each in both.validation} == {4, 5}

    @pytest.mark.parametrize("sets", [1, 2])
    def test_a_limit_draws_instances_by_the_seed(self, blocks: Path, sets: int) -> None:
        drawn = [
            {
                (each.problem.name, place)
                for place, each in enumerate(
                    read_training_data([blocks] * sets, None, limit=2, seed=seed).training
                )
            }
            for seed in (0, 0, 1, 2, 3)
        ]
        assert {len(each) for each in drawn} == {2}
        assert drawn[0] == drawn[1]
        assert any(each != drawn[0] for each in drawn)

    def test_nothing_to_validate_with(self, tmp_path: Path) -> None:
        from small_sets import make_set, write_tasks

        files = write_tasks(tmp_path / "tasks", count=2, blocks=3)
        make_set(files, tmp_path / "set", splits=(("train", 1.0),))
        with pytest.raises(BeelineError, match=r"no split 'val' to validate with .*--validation"):
            beeline.train(tmp_path / "set", model="linear")
        # as a whole it can validate another training
        data = read_training_data([tmp_path / "set"], tmp_path / "set", limit=None, seed=0)
        assert len(data.validation) == 2

    def test_datasets_of_two_domains(self, blocks: Path, ferry: Path) -> None:
        message = r"is of another domain than .*: type 'car' is unknown to the first dataset"
        with pytest.raises(BeelineError, match=message):
            beeline.train([blocks, ferry], model="linear")
        with pytest.raises(BeelineError, match=message):
            beeline.train(blocks, validation=ferry, model="linear")

    def test_no_dataset(self, tmp_path: Path) -> None:
        with pytest.raises(BeelineError, match="there is no dataset"):
            beeline.train([], model="linear")
        with pytest.raises(BeelineError, match="no such dataset directory"):
            beeline.train(tmp_path / "none", model="linear")

    def test_a_damaged_dataset_is_refused(self, blocks: Path, tmp_path: Path) -> None:
        shutil.copytree(blocks, tmp_path / "set")
        next((tmp_path / "set").rglob("*.parquet")).write_bytes(b"PAR1")
        with pytest.raises(BeelineError):
            beeline.train(tmp_path / "set", model="linear")


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"model": "liner"}, "unknown network 'liner'.*did you mean 'linear'"),
        ({"loss": "l3"}, "unknown loss 'l3': there are gaussian, .*rank-truncated"),
        ({"lower": "ff"}, "unknown lower 'ff'"),
        ({"residual": "add"}, "unknown residual 'add'"),
        ({"select": "luck"}, "no metric 'luck'"),
        ({"steps": 0}, "steps"),
        ({"batch": 0}, "batch size 0"),
        ({"limit": -1}, "the limit on instances is -1"),
        ({"learning_rate": -1.0}, "learning_rate"),
        ({"options": {"height": 3}}, "network 'linear' with .*height"),
    ],
)
def test_settings_that_make_no_sense(blocks: Path, choices: dict[str, Any], message: str) -> None:
    with pytest.raises(BeelineError, match=message):
        beeline.train(blocks, **{"model": "linear", **QUICK, **choices})
