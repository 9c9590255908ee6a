"""The whole experiment on a tiny scale."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from table_lines import column_of, row_of

import beeline
from beeline import _native
from beeline.core.errors import BeelineError
from beeline.core.files import write_atomically
from beeline.data.regression import rows_at
from beeline.data.state_spaces import enumerate_states, state_space_samples
from beeline.experiments.minini2023 import samples
from beeline.experiments.minini2023.experiment import GRID
from beeline.experiments.minini2023.runs import (
    Choice,
    Network,
    any_operator,
    initial_tasks,
    networks,
)
from beeline.experiments.minini2023.samples import both_operators
from beeline.experiments.running import run_experiment
from beeline.generators import domain_text
from beeline.generators.registry import Recipe
from beeline.models.resnet.model import PreferringEvaluator, TaskModel
from beeline.planning.python_heuristics import StateBatch

if TYPE_CHECKING:
    from pathlib import Path

    from beeline.experiments.running import Outcome

SEEDS = {"sample_seeds": 1, "network_seeds": 2, "percents": (1,), "initial_states": 3}
TABLES = ("4.2", "4.3", "4.4", "4.5", "C.1")
NETWORKS = 10  # h, xrs, fsm, ideal, and xrs with perfect distances, with two seeds
ALONE = 9  # configurations of which nothing is learned


def run(
    table: str, data: Path, results: Path, said: list[str] | None = None, **more: object
) -> Outcome:
    listener = [] if said is None else said
    return run_experiment(
        f"minini2023-table{table}",
        scale="tiny",
        folder=results,
        data=data,
        jobs=1,
        changes={**SEEDS, **more},
        say=listener.append,
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four blocks, three initial states."""
    folder = tmp_path_factory.mktemp("statespaces")
    place = folder / "blocks"
    (place / "init").mkdir(parents=True)
    place.joinpath("domain.pddl").write_text(domain_text("blocksworld"))
    texts = [Recipe.make("blocksworld", {"blocks": 4}, seed=seed).text() for seed in range(4)]
    place.joinpath("task.pddl").write_text(texts[0])
    goal = texts[0].partition("(:goal")[2]
    for number, text in enumerate(texts[1:]):
        start = text.partition("(:goal")[0]
        place.joinpath("init", f"{number}.pddl").write_text(f"{start}(:goal{goal}")
    return folder


@pytest.fixture(scope="module")
def results(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    for table in TABLES:
        assert run(table, data, folder).failed == 0
    return folder


def test_every_network_has_a_record_and_a_model(results: Path) -> None:
    records = sorted(results.joinpath("training").glob("*.json"))
    assert len(records) == NETWORKS
    record = json.loads(results.joinpath("training", "h1-blocks-s0-n1.json").read_text())
    assert record["settings"]["random_share"] == 0.2
    assert record["samples"]["samples"] == 2  # a hundredth of 125 states
    assert (record["epochs"], record["ended_by"]) == (2, "steps")
    assert list(record["metrics"].values()) == [record["validation_loss"]]
    for path in records:
        model = beeline.load_model(results / "models" / f"{path.stem}.beeline")
        assert isinstance(model, TaskModel)
        assert model.has_preferred == (not path.stem.startswith("h1"))
    assert not list(results.joinpath("checkpoints").iterdir())


def test_every_configuration_is_searched_from_all_initial_states(results: Path) -> None:
    paths = sorted(results.joinpath("search", "plain").glob("*.json"))
    shown = {
        key
        for each in GRID["experiments"]
        if each["table"].removeprefix("Table ") in TABLES
        for key, _ in each["columns"]
    }
    count = len([key for key in shown if not re.search(r"(xrs|fsm)(5|[1-5]0)", key)])
    assert len(paths) == ALONE + 2 * (count - ALONE)
    for path in paths:
        record = json.loads(path.read_text())
        assert (len(record["expanded"]), record["solved"]) == (3, 3)
    perfect, ideal = (
        json.loads(results.joinpath("search", "plain", f"blocks-{name}.json").read_text())
        for name in ("perfect", "h+perfect-s0-n0")
    )
    assert sum(perfect["expanded"]) <= sum(ideal["expanded"])


def test_the_table_has_our_figures_beside_the_paper_s(data: Path, results: Path) -> None:
    tables = run("4.2", data, results).tables
    cells = column_of(tables[0], "blocks")
    assert [cell.partition("(")[2] for cell in cells] == [
        "19.4)",
        "57)",
        "21)",
        "42.1)",
        "43)",
        "43)",
    ]
    assert not [cell for cell in cells if cell.startswith("–")]
    assert column_of(tables[0], "seeds") == ["–", "2", "2", "2", "2", "2"]
    assert row_of(tables[1], "ĥ, po^G 1 %")[0] == "1"
    assert row_of(tables[2], "h 1 %", "blocks")[:2] == ["2", "2"]
    claims = {each.text: each.holds for each in run("4.4", data, results).tables[0].claims}
    assert claims["po^G expands fewer states than po^FSM, 5 %"] is None


def test_perfect_distances_let_equal_states_share_all_their_operators(data: Path) -> None:
    task = beeline.load(*samples.task_files(data, "blocks"), unit_costs=True)
    kinds = {kind: samples.samples_of(task, kind, 50) for kind in ("own", "xrs", "xrs*")}
    assert len({each.facts.tobytes() for each in kinds.values()}) == 1
    counts = [each.summary["mean_preferred"] for each in kinds.values()]
    assert max(counts[:2]) < counts[2]


def test_the_nearest_state_that_matches_a_whole_state_is_that_state(data: Path) -> None:
    task = beeline.load(*samples.task_files(data, "blocks"), unit_costs=True)
    space = state_space_samples(task)
    _, found = both_operators(task, space.values, "matching")
    order = np.argsort(_native.PartialStates(task.native).insert(space.values))
    ideal = rows_at(space.ideal, order)
    for one, other in zip(pairwise(found[0]), pairwise(ideal[0]), strict=True):
        assert set(found[1][slice(*one)]) == set(ideal[1][slice(*other)])


def test_all_states_of_the_backward_space_but_the_goal_have_operators_of_it(data: Path) -> None:
    task = beeline.load(*samples.task_files(data, "blocks"), unit_costs=True)
    states = _native.PartialStates(task.native)
    met, steps, _ = states.sample("breadth-first", 100_000)
    _, (starts, _) = both_operators(task, states.values(met), "backward")
    assert len(starts) == len(met) + 1
    assert np.count_nonzero(np.diff(starts) == 0) == np.count_nonzero(steps == 0) == 1


def test_a_backward_space_that_is_too_large_tells_nothing(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samples, "MOST_BACKWARD", 10)
    found = samples.look_at(samples.Draw("backward5", "blocks", 0), str(data))
    assert "equal_operators" not in found
    assert "equal_operators" in samples.look_at(samples.Draw("matching5", "blocks", 0), str(data))


def test_samples_have_figures_without_any_network(data: Path, tmp_path: Path) -> None:
    percents = {"percents": (5, 50), "fsm_percents": (5,)}
    depths = run("A.1", data, tmp_path, **percents).tables[0]
    space = enumerate_states(
        beeline.load(*samples.task_files(data, "blocks"), unit_costs=True)
    ).largest_distance
    assert column_of(depths, "blocks")[0] == f"{space} (24)"
    assert len(depths.rows) == 4  # d*, L and two sizes
    rules = run("E.2", data, tmp_path, **percents)
    assert [each.title for each in rules.tables][1] == "Distance from the paper"
    assert column_of(rules.tables[1], "configuration") == ["nearest", "own", "all"]
    assert not list(tmp_path.joinpath("training").glob("*"))


def test_blind_search_by_ideal_operators_expands_an_optimal_path(
    data: Path, tmp_path: Path
) -> None:
    found = run_experiment(
        "minini2023-property1", scale="tiny", folder=tmp_path, data=data, jobs=1, changes=SEEDS
    )
    (claim,) = found.tables[0].claims
    assert claim.word == "holds"  # a theorem: at any scale
    rows = [
        json.loads(path.read_text())["expanded"]
        for path in sorted(tmp_path.joinpath("search").rglob("*.json"))
    ]
    assert rows[0] == rows[1]


def test_deviations_are_shown_and_drawn(data: Path, tmp_path: Path) -> None:
    found = run_experiment(
        "minini2023-figure4.3", scale="tiny", folder=tmp_path, data=data, jobs=1, changes=SEEDS
    )
    assert found.tables[1].header == ("configuration", "blocks")
    assert all("±" in cell for cell in column_of(found.tables[1], "blocks"))
    folder = tmp_path / "minini2023-figure4.3" / "report"
    (plot,) = folder.joinpath("plots").glob("*.svg")
    assert "states expanded" in plot.read_text()
    assert "h_blind, po^G 1 %" in plot.read_text()


def test_the_highest_output_of_all_operators_may_belong_to_one_that_is_not_applicable(
    data: Path, results: Path
) -> None:
    task = initial_tasks(str(data), "blocks", 1)[0]
    model = beeline.load_model(results / "models" / "xrs1-blocks-s0-n0.beeline")
    states = _native.States(task.native)
    batch = StateBatch(task, states, np.array([states.initial], np.uint32))
    some, of_all = (
        make(model, task).preferred(batch)[0] for make in (PreferringEvaluator, any_operator)
    )
    assert set(of_all) <= set(some)
    assert some


def test_what_has_a_record_is_not_made_again(data: Path, results: Path) -> None:
    paths = [path for name in ("training", "search") for path in (results / name).rglob("*.json")]
    times = [path.stat().st_mtime_ns for path in paths]
    page = results / "minini2023-table4.3" / "report" / "index.html"
    whole, said = page.read_text(), list[str]()
    run("4.3", data, results, said)
    assert "4 of 4 runs have records" in said
    assert [path.stat().st_mtime_ns for path in paths] == times
    assert page.read_text() == whole


def test_rounded_searches_have_records_of_their_own(data: Path, results: Path) -> None:
    rounded = run("4.2", data, results, order="rounded")
    counts = [
        len(list(results.joinpath("search", name).iterdir())) for name in ("plain", "rounded")
    ]
    assert 0 < counts[1] < counts[0]
    assert "[round(h),fifo]" in rounded.tables[0].note


def test_without_networks_there_is_a_partial_report(data: Path, tmp_path: Path) -> None:
    found = run_experiment(
        "minini2023-table4.3",
        scale="tiny",
        folder=tmp_path,
        data=data,
        changes=SEEDS,
        report_only=True,
    )
    assert column_of(found.tables[0], "blocks") == ["– (57)", "– (41.1)", "– (43)"]


def test_made_tasks_have_initial_states_of_one_state_space(tmp_path: Path) -> None:
    samples.make_spaces(tmp_path, ["blocks"], "tiny", 3, lambda _: None)
    tasks = initial_tasks(str(tmp_path), "blocks", 3)
    whole = beeline.load(*samples.task_files(tmp_path, "blocks"), unit_costs=True)
    assert {tuple(task.goal) for task in tasks} == {tuple(whole.goal)}
    assert len({tuple(task.initial) for task in tasks}) == 3
    texts = [path.read_text() for path in sorted((tmp_path / "blocks" / "init").iterdir())]
    said: list[str] = []
    samples.make_spaces(tmp_path, ["blocks"], "tiny", 3, said.append)
    assert not said
    samples.make_spaces(tmp_path, ["blocks"], "tiny", 4, said.append)
    assert said == ["made blocks, 125 states"]
    again = [path.read_text() for path in sorted((tmp_path / "blocks" / "init").iterdir())]
    assert again[:3] == texts


def test_a_killed_training_goes_on(
    data: Path, tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def fail(*_: object) -> None:
        raise RuntimeError("no room for a model")

    with monkeypatch.context() as patch:
        patch.setattr(TaskModel, "save", fail)
        with pytest.raises(RuntimeError):
            run("4.2", data, tmp_path, only=("h",))
    assert tmp_path.joinpath("checkpoints", "h1-blocks-s0-n0", "training.json").is_file()
    assert run("4.2", data, tmp_path, only=("h",)).failed == 0
    name = "h1-blocks-s0-n0.beeline"
    resumed, other = (folder.joinpath("models", name) for folder in (tmp_path, results))
    assert resumed.read_bytes() == other.read_bytes()


def test_seeds_of_samples_and_of_networks_are_separate(data: Path) -> None:
    task = beeline.load(*samples.task_files(data, "blocks"), unit_costs=True)
    one, same, other = (
        Network("xrs", "blocks", 5, *seeds).samples(task) for seeds in ((0, 0), (0, 1), (1, 0))
    )
    assert (one.facts == same.facts).all()
    assert (one.facts != other.facts).any()


def test_wanted_and_cheap_networks_come_first() -> None:
    wanted = networks(Choice())
    assert len(wanted) == len({run.key for run in wanted}) == 7 * 4 * 6 + 3 * 2
    groups = list(dict.fromkeys((run.kind, run.percent) for run in wanted))
    assert groups == [
        ("h", 1),
        ("xrs", 1),
        ("xrs", 5),
        ("fsm", 1),
        ("fsm", 5),
        ("ideal", 100),
        ("xrs", 10),
    ]
    assert [run.domain for run in wanted[:3]] == ["scanalyzer", "visitall", "blocks"]
    assert {(run.sample_seed, run.network_seed) for run in wanted[:7]} == {(0, 0)}


def test_a_folder_without_tasks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BeelineError, match="DATA has a folder for each domain"):
        run("4.2", tmp_path, tmp_path / "results")
    with pytest.raises(BeelineError, match="no such file"):
        samples.check_data(tmp_path, ["grid"], searched=False)
    (tmp_path / "grid").mkdir()
    for name in ("domain.pddl", "task.pddl"):
        write_atomically(tmp_path / "grid" / name, "")
    samples.check_data(tmp_path, ["grid"], searched=False)
    with pytest.raises(BeelineError, match="no initial states"):
        samples.check_data(tmp_path, ["grid"], searched=True)
