"""Models that a suite trains: which words they know, what is trained again, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from suites import run_in_place

from beeline.backends.local import LocalExecutor
from beeline.core.errors import BeelineError
from beeline.data.optimal_plans import sample_plans
from beeline.data.task_sets import PlanSettings, generated_tasks
from beeline.evaluate.evaluation import RecordState, evaluate_suite, list_runs
from beeline.evaluate.suite import read_suite
from beeline.generators import domain_text
from beeline.generators.registry import Recipe
from beeline.models.model_file import load_model

if TYPE_CHECKING:
    from pathlib import Path

TASKS = '[[tasks]]\ngenerator = "ferry"\nparameters = { cars = 3, locations = 3 }\ncount = 1\n'
LEARNED = '[[models]]\nname = "own"\ndomain = "ferry/domain.pddl"\ntasks = ["ferry"]\nrounds = 1\n'
PLANS = '[[configurations]]\nname = "planned"\nmodel = "own"\n'

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*tasks"),
    pytest.mark.usefixtures("few_made_tasks"),
]


@pytest.fixture(autouse=True)
def in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    run_in_place(monkeypatch)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with four ferry tasks to learn from."""
    place = tmp_path / "ferry"
    place.mkdir()
    place.joinpath("domain.pddl").write_text(domain_text("ferry"))
    for number in range(4):
        recipe = Recipe.make("ferry", {"cars": 1 + number % 2, "locations": 3}, seed=number)
        place.joinpath(f"p{number}.pddl").write_text(recipe.text())
    return tmp_path


def write(folder: Path, *parts: str) -> Path:
    path = folder / "suite.toml"
    path.write_text("\n".join(['name = "small"', TASKS, *parts]))
    return path


def models(folder: Path) -> list[Path]:
    return sorted((folder / "records" / "models").glob("*.beeline"))


def test_a_model_is_learned_once_and_used_by_configurations_that_name_it(folder: Path) -> None:
    suite = write(folder, LEARNED, PLANS)
    assert [state for _, state in list_runs(suite, folder / "records")] == [RecordState.MISSING]
    assert not (folder / "records").exists()
    found = evaluate_suite(suite, folder / "records")
    assert (found.made, found.statuses) == (1, {"planned": {"solved": 1}})
    (path,) = models(folder)
    assert path.name.startswith("own-")
    assert load_model(path).domain_name == "ferry"
    time = path.stat().st_mtime_ns
    assert evaluate_suite(suite, folder / "records").made == 0
    assert path.stat().st_mtime_ns == time


def test_other_settings_or_tasks_make_another_model_and_its_runs_again(folder: Path) -> None:
    evaluate_suite(write(folder, LEARNED, PLANS), folder / "records")
    other = write(folder, LEARNED.replace("rounds = 1", "rounds = 2"), PLANS)
    assert evaluate_suite(other, folder / "records").made == 1
    assert len(models(folder)) == 2
    folder.joinpath("ferry", "p0.pddl").unlink()
    evaluate_suite(other, folder / "records")
    assert len(models(folder)) == 3


def test_a_network_is_trained_with_a_dataset_and_may_be_named_by_domain(folder: Path) -> None:
    tasks = generated_tasks("ferry", count=4, parameters={"cars": 2, "locations": 3})
    settings = PlanSettings(splits=(("train", 0.5), ("val", 0.5)))
    with LocalExecutor(1) as executor:
        sample_plans(tasks, settings, folder / "set", executor)
    trained = '[[models]]\nname = "ferry-net"\ndatasets = "set"\nmodel = "linear"\nsteps = 3\n'
    uses = '[[configurations]]\nname = "net"\nmodel = "{domain}-net"\nsearch = "gbfs"\n'
    suite = write(folder, trained, uses)
    assert evaluate_suite(suite, folder / "records").made == 1
    (path,) = models(folder)
    assert path.with_suffix(".training").is_dir()  # where it would go on
    assert load_model(path).summary["steps"] == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ('name = "a"\n', "'datasets' or learned from 'tasks'"),
        ('name = "a"\ndomain = "none.pddl"\ntasks = ["ferry"]\n', "there is no .*none.pddl"),
        ('name = "a"\ndomain = "ferry/domain.pddl"\ntasks = ["ferry"]\nround = 1\n', "'round'"),
        ('domain = "ferry/domain.pddl"\ntasks = ["ferry"]\n', "a model has no name"),
        (LEARNED.partition("\n")[2] + "\n" + LEARNED, "two models have this name"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_anything(
    folder: Path, words: str, message: str
) -> None:
    with pytest.raises(BeelineError, match=message) as caught:
        read_suite(write(folder, f"[[models]]\n{words}", PLANS))
    assert caught.value.file == str(folder / "suite.toml")


def test_a_value_that_learning_refuses_is_an_error_of_the_suite(folder: Path) -> None:
    suite = write(folder, LEARNED.replace("rounds = 1", 'loss = "none"'), PLANS)
    with pytest.raises(BeelineError, match=r"models 'own': .*none") as caught:
        evaluate_suite(suite, folder / "records")
    assert caught.value.file == str(suite)
    assert not models(folder)
