"""The whole experiment on a tiny scale."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from discovered_operators import training
from discovered_operators.grid import Choice, Network, networks
from discovered_operators.searching import configurations
from preferred_operators import main

import beeline
from beeline.core.errors import BeelineError
from beeline.generators import domain_text
from beeline.generators.recipe import Recipe
from beeline.learned.task_model import TaskModel

if TYPE_CHECKING:
    from pathlib import Path

SHORT = ["--domains", "blocks", "--sample-seeds", "1", "--network-seeds", "2", "--epochs", "2"]
SHORT += ["--percents", "1", "--jobs", "1"]
NETWORKS = 8  # h, xrs, fsm and ideal, with two seeds
ALONE = 9  # configurations of which nothing is learned


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
    assert main([str(data), "-o", str(folder), *SHORT]) == 0
    return folder


def row_of(report: str, table: str, domain: str) -> list[str]:
    """The cells of a domain in a table of the report."""
    lines = report.partition(f"## {table}")[2].splitlines()
    line = next(line for line in lines if line.startswith(f"| {domain} |"))
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


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
    count = len(configurations([1]))
    assert len(paths) == ALONE + 2 * (count - ALONE)
    for path in paths:
        record = json.loads(path.read_text())
        assert (len(record["expanded"]), record["solved"]) == (3, 3)
    perfect, ideal = (
        json.loads(results.joinpath("search", "plain", f"blocks-{name}.json").read_text())
        for name in ("perfect", "h+perfect-s0-n0")
    )
    assert sum(perfect["expanded"]) <= sum(ideal["expanded"])


def test_the_report_has_our_figures_beside_the_paper_s(results: Path) -> None:
    report = results.joinpath("report.md").read_text()
    cells = row_of(report, "Table 4.2", "blocks")
    assert [cell.partition("(")[2] for cell in cells] == [
        "19.4)",
        "57.0)",
        "21.0)",
        "42.1)",
        "43.0)",
        "43.0)",
    ]
    assert [cell.startswith("–") for cell in cells] == [False, False, False, False, True, False]
    assert row_of(report, "Table 4.2", "pairs of seeds") == ["", "2", "2", "2", "", "2"]
    assert row_of(report, "Geometric means", "ĥ, po^G 1 %")[0] == "1"
    assert "| h 1 % | blocks | 2 | 2 |" in report
    assert "| po^G expands fewer states than po^FSM, 5 % | – | – | – |" in report


def test_what_has_a_record_is_not_made_again(
    data: Path, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = list(results.rglob("*.json"))
    times = [path.stat().st_mtime_ns for path in paths]
    whole = results.joinpath("report.md").read_text()
    assert main([str(data), "-o", str(results), *SHORT]) == 0
    assert f"{NETWORKS} of {NETWORKS} runs have records" in capsys.readouterr().out
    assert [path.stat().st_mtime_ns for path in paths] == times
    assert results.joinpath("report.md").read_text() == whole


def test_rounded_searches_have_records_of_their_own(data: Path, results: Path) -> None:
    words = [str(data), "-o", str(results), *SHORT, "--rounded"]
    assert main([*words, "--stage", "search"]) == main([*words, "--stage", "report"]) == 0
    plain, rounded = (
        len(list(results.joinpath("search", name).iterdir())) for name in ("plain", "rounded")
    )
    assert 0 < rounded < plain
    assert "[round(h),fifo]" in results.joinpath("report-rounded.md").read_text()


def test_without_networks_there_is_a_partial_report(data: Path, tmp_path: Path) -> None:
    words = [str(data), "-o", str(tmp_path), *SHORT]
    assert main([*words, "--stage", "report"]) == 0
    assert set(row_of((tmp_path / "report.md").read_text(), "Table 4.3", "blocks")) == {
        "– (57.0)",
        "– (41.1)",
        "– (43.0)",
    }
    assert main([*words, "--stage", "search"]) == 0
    assert len(list(tmp_path.joinpath("search", "plain").iterdir())) == ALONE


def test_a_killed_training_goes_on(
    data: Path, tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [str(data), "-o", str(tmp_path), *SHORT, "--stage", "train", "--only", "h"]

    def fail(*_: object) -> None:
        raise RuntimeError("no room for a model")

    with monkeypatch.context() as patch:
        patch.setattr(training, "_write_model", fail)
        with pytest.raises(RuntimeError):
            main(words)
    assert tmp_path.joinpath("checkpoints", "h1-blocks-s0-n0", "training.json").is_file()
    assert main(words) == 0
    name = "h1-blocks-s0-n0.beeline"
    resumed, other = (folder.joinpath("models", name) for folder in (tmp_path, results))
    assert resumed.read_bytes() == other.read_bytes()


def test_seeds_of_samples_and_of_networks_are_separate(data: Path) -> None:
    task = beeline.load(*training.task_files(data, "blocks"), unit_costs=True)
    one, same, other = (
        training.samples_of(task, Network("xrs", "blocks", 5, *seeds))
        for seeds in ((0, 0), (0, 1), (1, 0))
    )
    assert (one.facts == same.facts).all()
    assert (one.facts != other.facts).any()


def test_wanted_and_cheap_networks_come_first() -> None:
    runs = networks(Choice())
    assert len(runs) == len({run.key for run in runs}) == 7 * 4 * 6 + 3 * 2
    groups = list(dict.fromkeys((run.kind, run.percent) for run in runs))
    assert groups == [
        ("h", 1),
        ("xrs", 1),
        ("xrs", 5),
        ("fsm", 1),
        ("fsm", 5),
        ("ideal", 100),
        ("xrs", 10),
    ]
    assert [run.domain for run in runs[:3]] == ["scanalyzer", "visitall", "blocks"]
    assert {(run.sample_seed, run.network_seed) for run in runs[:7]} == {(0, 0)}


def test_a_folder_without_tasks_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path), "-o", str(tmp_path / "results"), *SHORT]) == 1
    assert "DATA has a folder for each domain" in capsys.readouterr().err
    with pytest.raises(BeelineError, match="no such file"):
        training.task_digest(tmp_path, "grid")
