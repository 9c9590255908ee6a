"""The whole experiment on a tiny scale."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from table_lines import column_of, row_of

import beeline
from beeline.core.errors import BeelineError
from beeline.data.manifest import Manifest
from beeline.experiments.nunez2024 import Choice, runs, searches
from beeline.experiments.nunez2024.runs import training_runs
from beeline.experiments.nunez2024.searches import planning_task, solved_tasks, task_places
from beeline.experiments.running import run_experiment

if TYPE_CHECKING:
    from pathlib import Path

    from beeline.experiments.running import Outcome

FERRY = {"domains": ("ferry",), "steps": 3, "max_evaluations": 40}
TABLES = ("nunez2024-table8", "nunez2024-table9")
FOLDERS = ("training", "errors", "planning")


def run(name: str, folder: Path, said: list[str] | None = None, **more: bool) -> Outcome:
    listener = [] if said is None else said
    return run_experiment(
        name, scale="tiny", folder=folder, jobs=1, changes=FERRY, say=listener.append, **more
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    for name in TABLES:
        assert run(name, folder).failed == 0
    return folder


@pytest.fixture(scope="module")
def made_sets(results: Path) -> Path:
    return results / "sets-nunez2024-tiny-table"


def test_every_stage_leaves_records_and_is_not_repeated(results: Path) -> None:
    trained, tested, searched = (sorted(results.joinpath(name).rglob("*.json")) for name in FOLDERS)
    assert (len(trained), len(tested), len(searched)) == (8, 8, 13)
    record = json.loads(trained[0].read_text())
    assert record["settings"]["steps"] == 3
    assert "edition" not in record["settings"]
    assert record["settings"]["weight_decay"] == 0.0  # of linear regression
    told = {"mse", "mse_clip", "nll", "nll_clip", "within_80"}
    assert set(json.loads(tested[0].read_text())["test"]) >= told
    model = beeline.load_model(results / "models" / f"{trained[0].stem}.beeline")
    assert model.domain_name == "ferry"

    made = (*trained, *tested, *searched)
    times = [path.stat().st_mtime_ns for path in made]
    said: list[str] = []
    errors = run("nunez2024-table8", results, said)
    assert said.count("8 of 8 runs have records") == 2
    run("nunez2024-table9", results, said)
    assert "13 of 13 runs have records" in said
    assert [path.stat().st_mtime_ns for path in made] == times
    assert all(not cell.startswith("–") for cell in column_of(errors.tables[0], "ferry"))
    listed = row_of(errors.tables[2], "ferry", "train")
    assert listed[:4] == ["nunez2024-train", "none", "4", "4"]
    assert len(errors.tables[0].claims) == 5


def test_a_report_shows_what_there_is(results: Path) -> None:
    lost = sorted(results.joinpath("training").iterdir())[0]
    content = lost.read_text()
    lost.unlink()
    partial = run("nunez2024-table8", results, report_only=True)
    lost.write_text(content)
    cells = column_of(partial.tables[0], "ferry")
    assert sum(cell.startswith("–") for cell in cells) == 2  # N and N+clip


def test_large_test_sets_are_sampled_once_for_all(
    made_sets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, of = runs.tested_states.__wrapped__("linear", "ferry", str(made_sets), "test")
    assert sum(map(len, whole)) == of
    monkeypatch.setattr(runs, "MAX_TEST_SECONDS", 1e-4)
    (some, count), (again, _) = (
        runs.tested_states.__wrapped__("linear", "ferry", str(made_sets), "test") for _ in range(2)
    )
    assert count == of > sum(map(len, some)) > 0
    assert [each.features["ff"].tolist() for each in some] == [
        each.features["ff"].tolist() for each in again
    ]
    drawn = np.concatenate([each.features["h_star"] for each in some])
    assert set(drawn) <= set(np.concatenate([each.features["h_star"] for each in whole]))


def test_runs_with_the_same_inputs_follow_each_other() -> None:
    wanted = training_runs(Choice())
    groups = [(run.model, run.domain) for run in wanted]
    changes = sum(one != other for one, other in pairwise(groups))
    assert changes + 1 == len(set(groups)) == 9
    assert len({run.key for run in wanted}) == len(wanted) == 9 * 8 * 2
    assert {run.domain for run in wanted if run.model == "hgn"} == {"visitall"}


def test_training_needs_complete_sets(tmp_path: Path) -> None:
    with pytest.raises(BeelineError, match="not complete"):
        runs.training_works(Choice(), tmp_path, tmp_path)


def test_a_set_of_another_domain_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "train" / "ferry"
    place.mkdir(parents=True)
    other = Manifest("0", {"generator": "gripper"}, 1, {}, "", 1, ["train"], {"instances": 1})
    other.write(place)
    with pytest.raises(BeelineError, match="generator 'gripper'"):
        searches.checked_manifest(place, "ferry", "train")


def test_the_first_version_has_its_own_domains_and_training() -> None:
    wanted = training_runs(Choice("nunez2022", models=("nlm",)))
    assert {run.domain for run in wanted} == {"blocksworld", "logistics", "satellite"}
    assert wanted[0].key.startswith("nunez2022-nlm-blocksworld")
    assert wanted[0].settings["edition"] == "nunez2022"
    assert wanted[0].settings["gradient_clip"] == 0.0
    assert wanted[0].settings["optimiser"] == "adam"
    hgn = [
        training_runs(
            Choice(each, models=("hgn",), domains=("blocksworld",), hgn_domains=("blocksworld",))
        )[0]
        for each in ("nunez2022", "nunez2024")
    ]
    assert [run.settings["hgn_steps"] for run in hgn] == [3, 4]


def test_other_bounds_are_trained_with_where_training_looks_at_them() -> None:
    choice = Choice(
        models=("linear",), domains=("ferry",), configurations=("learn/ff", "learn/ff/max"), seeds=1
    )
    found = {(each.configuration, each.method): each for each in runs.entrants(choice)}
    assert len(training_runs(choice)) == 3  # N is the same with any bound
    assert found["learn/ff", "N"].run == found["learn/ff/max", "N+clip"].run
    assert (
        found["learn/ff/max", "TN"].run.key == "linear-ferry-truncated-gaussian-learn-ff-max-seed0"
    )
    assert [found["learn/ff/max", each].lower for each in choice.methods] == ["none", "max", "max"]


def test_a_training_that_was_changed_has_a_file_of_its_own() -> None:
    usual, other = (
        training_runs(Choice(models=("linear",), domains=("ferry",), **more))[0]
        for more in ({}, {"gradient_clip": 0.0, "select": "nll"})
    )
    assert usual.key == "linear-ferry-gaussian-learn-ff-seed0"
    assert other.key == "linear-ferry-gaussian-learn-ff-gradient_clip=0.0-select=nll-seed0"


def test_a_loss_that_ranks_stands_alone_and_wants_siblings() -> None:
    choice = Choice(models=("hgn",), configurations=("learn/ff", "L_GBFS"), seeds=1)
    assert choice.columns == ["learn/ff N", "learn/ff N+clip", "learn/ff TN", "L_GBFS"]
    ranks = training_runs(choice)[-1]
    assert (ranks.ranks, ranks.settings["optimiser"], ranks.settings["batch"]) == (
        True,
        "adabelief",
        1,
    )
    assert searches.set_names(choice)[-2:] == ["train-siblings", "val-siblings"]


def test_bounds_are_learned_from_other_plans_of_the_same_tasks() -> None:
    choice = Choice(methods=("TN", "interval", "TN-plans"), configurations=("learn/ff",), seeds=1)
    assert searches.set_names(choice)[3:] == ["train-satisficing", "val-satisficing"]
    tn, interval, plans = training_runs(choice)[:3]
    assert [each.source for each in (tn, interval, plans)] == ["", "satisficing", "satisficing"]
    assert (interval.settings["select"], plans.settings["target"]) == ("nll", "plan")
    assert plans.key == "nlm-blocksworld-truncated-gaussian-learn-ff-target=plan-seed0"


def test_a_configuration_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(BeelineError, match="unknown residual 'max': there are none, ff, lmcut"):
        runs.entrants(Choice(configurations=("learn/max",)))


def test_few_tasks_of_many_sizes_are_spread() -> None:
    choice = Choice("nunez2022", sets="small")
    tasks, _ = searches._tasks(choice, "logistics", "val")
    recipes = [source.recipe.parameters for source in tasks.sources if source.recipe]
    assert (len(recipes), tasks.description["spread"]) == (24, 24)
    assert {each.city_size for each in recipes} == {1, 2, 3}
    assert {each.packages for each in recipes} == {3, 4, 5}
    satellites = searches._tasks(choice, "satellite", "val")[0].sources
    sizes = {each.recipe.parameters.satellites for each in satellites if each.recipe}
    assert sizes == {1, 2, 3, 4, 5}


@pytest.mark.parametrize("split", ["train", "val", "test"])
def test_small_logistics_tasks_have_few_objects_and_say_so(split: str) -> None:
    tasks, _ = searches._tasks(Choice("nunez2022", sets="small"), "logistics", split)
    assert tasks.description["parameters"] == {"airplanes": 1, "cities": 2, "trucks": 2}
    for source in tasks.sources:
        assert source.recipe is not None
        size = source.recipe.parameters
        assert size.airplanes + size.cities * (1 + size.city_size) + size.packages + 2 <= 16


def test_tasks_to_search_are_those_that_were_solved(made_sets: Path) -> None:
    choice = Choice(domains=("ferry",), tasks=2)
    solved = solved_tasks(str(made_sets / "test" / "ferry"))
    (told, place), (_, other) = task_places(choice, made_sets, "ferry")
    assert {place.number, other.number} < set(solved)
    assert set(told) == {"instance", "data"}
    assert planning_task(place).problem.name == solved[place.number][0]
    everything = Choice(domains=("ferry",), tasks=99)
    assert len(list(task_places(everything, made_sets, "ferry"))) == len(solved)


def test_tasks_of_a_preset_need_not_be_solvable_by_astar(tmp_path: Path) -> None:
    choice = Choice(population="preset", tasks=3, sizes="script")
    places = [place for _, place in task_places(choice, tmp_path, "gripper")]
    assert [place.preset for place in places] == ["nunez2024-test-script"] * 3
    assert dict(places[0].parameters) == {"random_goals": 1}
    goals = {each.args[1] for each in planning_task(places[0]).goal_literals}
    assert goals == {"rooma", "roomb"}


def test_the_published_program_has_other_sizes_of_tests() -> None:
    table, script = Choice(), Choice(sizes="script")
    assert script.preset("visitall", "test") == "nunez2024-test-script"
    assert script.preset("visitall", "train") == table.preset("visitall", "train")
    assert script.preset("ferry", "test") == table.preset("ferry", "test") == "nunez2024-test"
