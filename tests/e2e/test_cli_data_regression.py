"""`beeline data regression` and `beeline data statespace` as a user meets them."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from plain_regression import GUARDED, GUARDED_TASK
from search_tasks import write_task
from small_sets import digests, write_tasks

from beeline import Dataset
from beeline.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_tasks(tmp_path_factory.mktemp("tasks") / "blocks", count=1, blocks=4)


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_tasks(tmp_path_factory.mktemp("tasks") / "blocks", count=2, blocks=4)


def run_json(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main([*words, "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    fields: dict[str, Any] = json.loads(captured.out)
    return fields


class TestRegression:
    def test_json_has_the_figures(
        self, files: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        fields = run_json(["data", "regression", *files, "--count", "50"], capsys)
        assert fields["samples"] == fields["distinct"] == 50
        assert 0 < fields["max_depth"] <= 20
        assert fields["limit"] > 0
        assert 0 <= fields["time"] <= fields["total_time"]
        assert fields["config"]["strategy"] == "xrs"

    def test_percent_is_of_the_state_space(
        self, files: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = ["data", "regression", *files, "--percent", "20", "--strategy=fsm", "--random=0.2"]
        fields = run_json(words, capsys)
        assert fields["states"] == 125
        assert fields["samples"] + fields["dropped"] == 25
        assert fields["random"] + fields["dropped"] == 5

    def test_a_dataset_is_written_and_explained(
        self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = ["data", "regression", *files, "--count", "40", "--seed", "3"]
        for name in ("one", "two", "two"):
            assert main([*words, "-o", str(tmp_path / name)]) == 0
        assert digests(tmp_path / "one") == digests(tmp_path / "two")
        text = capsys.readouterr().out
        for part in ("max depth", "distinct", "written to"):
            assert part in text
        assert main(["data", "summary", str(tmp_path / "one")]) == 0
        text = capsys.readouterr().out
        for part in ("xrs", "estimate", "####", "preferred", "operators"):
            assert part in text
        fields = run_json(["data", "summary", str(tmp_path / "one")], capsys)
        assert fields["states"] == 40
        assert fields["sampler"] == "regression"

    def test_training_refuses_it(
        self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = str(tmp_path / "set")
        assert main(["data", "regression", *files, "--count", "40", "-o", folder, "--quiet"]) == 0
        assert main(["train", folder, "-o", str(tmp_path / "model")]) == 31
        captured = capsys.readouterr()
        assert captured.out == ""
        assert "the dataset has no plans: it was made by 'beeline data regression'" in captured.err

    def test_costs_count_unless_told_otherwise(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = ["data", "regression", *write_task(tmp_path, GUARDED, GUARDED_TASK), "--count=30"]
        fields = run_json(words, capsys)
        assert fields["max_estimate"] > fields["max_depth"]
        fields = run_json([*words, "--unit-costs"], capsys)
        assert fields["max_estimate"] == fields["max_depth"]


class TestSeveral:
    """Several tasks and seeds: each pair is a job, and a shard."""

    WORDS = ("--count", "30", "--random-share", "0.2", "--seed", "5", "--seeds", "2")

    def test_each_pair_has_the_figures_of_a_run_of_its_own(
        self, several: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = ["data", "regression", *several, *self.WORDS, "--jobs", "2"]
        fields = run_json(words, capsys)
        assert [run["seed"] for run in fields["runs"]] == [5, 6, 5, 6]
        assert fields["samples"] == sum(run["samples"] for run in fields["runs"])
        assert fields["config"]["seeds"] == 2
        domain, *tasks = several
        for run, (task, seed) in zip(fields["runs"], product(tasks, ("5", "6")), strict=True):
            words = ["data", "regression", domain, task, *self.WORDS[:4], "--seed", seed]
            alone = run_json(words, capsys)
            assert {**run, "time": None} == {name: alone[name] for name in run} | {"time": None}

    def test_a_percentage_is_of_each_state_space(
        self, several: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        fields = run_json(["data", "regression", *several, "--percent", "20"], capsys)
        assert [run["states"] for run in fields["runs"]] == [125, 125]
        assert [run["samples"] for run in fields["runs"]] == [25, 25]
        assert (fields["config"]["count"], fields["config"]["percent"]) == (None, 20.0)

    def test_a_set_is_the_same_however_many_work_on_it(
        self, several: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = ["data", "regression", *several, *self.WORDS]
        for jobs in ("1", "2"):
            assert main([*words, "--jobs", jobs, "-o", str(tmp_path / jobs)]) == 0
        assert digests(tmp_path / "1") == digests(tmp_path / "2")
        text = capsys.readouterr().out
        assert text.count("seed 5: 30 samples") + text.count("seed 5: 29 samples") == 4
        rows = list(Dataset(tmp_path / "1").instances())
        assert [(row["instance"], row["name"], row["seed"]) for row in rows] == [
            *((0, "p1", 5), (1, "p1", 6), (2, "p2", 5), (3, "p2", 6)),
        ]
        fields = run_json(["data", "summary", str(tmp_path / "1")], capsys)
        assert fields["task"] == "p1, p2"
        assert fields["states"] == sum(1 for _ in Dataset(tmp_path / "1").states())

    def test_only_what_is_missing_is_made_again(
        self, several: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = tmp_path / "set"
        words = ["data", "regression", *several, *self.WORDS, "--jobs", "2", "-o", str(folder)]
        whole = run_json(words, capsys)
        before = digests(folder)
        (folder / "instances" / "00002.parquet").unlink()
        kept = {path: path.stat().st_mtime_ns for path in folder.glob("*/00001.parquet")}
        again = run_json(words, capsys)
        assert digests(folder) == before
        assert all(path.stat().st_mtime_ns == time for path, time in kept.items())
        assert [run["time"] > 0 for run in again["runs"]] == [False, False, True, False]
        for one, two in zip(whole["runs"], again["runs"], strict=True):
            assert {**one, "time": 0} == {**two, "time": 0}

    @pytest.mark.slow
    def test_ray_makes_the_same_set(
        self, several: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pytest.importorskip("ray")
        monkeypatch.delenv("RAY_ADDRESS", raising=False)
        words = ["data", "regression", *several, *self.WORDS, "--quiet", "--jobs", "2"]
        for backend in ("local", "ray"):
            assert main([*words, "--backend", backend, "-o", str(tmp_path / backend)]) == 0
        assert digests(tmp_path / "local") == digests(tmp_path / "ray")

    def test_an_unsolvable_task_is_told_and_the_others_are_kept(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        domain, task = write_task(tmp_path, GUARDED, GUARDED_TASK)
        other = tmp_path / "other.pddl"
        other.write_text(GUARDED_TASK.replace("(at b)", "(at b) (at c)"))
        words = ["data", "regression", domain, task, str(other), "--count=9", "--jobs=1"]
        assert main([*words, "-o", str(tmp_path / "set")]) == 11
        assert "the task is unsolvable" in capsys.readouterr().err
        assert len(list((tmp_path / "set").glob("instances/*.parquet"))) == 1

    @pytest.mark.parametrize("seeds", ["0", "-1", "1000000"])
    def test_the_number_of_seeds_has_bounds(
        self, several: list[str], seeds: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["data", "regression", *several, "--count=9", f"--seeds={seeds}"]) == 31
        assert f"the number of seeds is {seeds}" in capsys.readouterr().err

    def test_a_dataset_has_room_for_a_thousand_pairs(
        self, several: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = ["data", "regression", *several, "--count=9", "--seeds=501"]
        assert main([*words, "-o", str(tmp_path / "set")]) == 31
        assert "1002 pairs of tasks and seeds are too many" in capsys.readouterr().err
        assert not (tmp_path / "set").exists()

    def test_a_task_must_be_named(self, several: list[str]) -> None:
        assert main(["data", "regression", several[0], "--count=9"]) == 2


class TestStateSpace:
    def test_json_has_the_figures(
        self, files: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        fields = run_json(["data", "statespace", *files, "--unit-costs"], capsys)
        assert fields["states"] == fields["samples"] == 125
        assert fields["arcs"] > 125
        assert fields["dead_ends"] == 0
        assert fields["d_star"] > 5
        assert fields["time"] >= 0

    def test_a_dataset_is_written_and_explained(
        self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = str(tmp_path / "space")
        assert main(["data", "statespace", *files, "-o", folder]) == 0
        assert "d*" in capsys.readouterr().out
        assert main(["data", "summary", folder]) == 0
        assert "dead ends" in capsys.readouterr().out


class TestRefusals:
    @pytest.mark.parametrize(
        ("words", "code", "message"),
        [
            (["regression"], 31, "how many samples?"),
            (["regression", "--count", "3", "--percent", "3"], 31, "--count and --percent"),
            (["regression", "--count", "0"], 31, "number of samples is 0"),
            (["regression", "--count", "x"], 31, "--count 'x' is not a whole number"),
            (["regression", "--percent", "0"], 31, "0 percent"),
            (["regression", "--percent", "nan"], 31, "nan percent"),
            (["regression", "--percent=5", "--max-states=10"], 22, "more than 10 states"),
            (["regression", "--count=5", "--strategy=bfs"], 31, "unknown strategy 'bfs'"),
            (["regression", "--count=5", "--depth=4"], 31, "'xrs' has no depth limit"),
            (["regression", "--count=5", "--share=2"], 31, "share 2.0"),
            (["regression", "--count=5", "--random=1"], 31, "random states is 1.0"),
            (["statespace", "--max-states=10"], 22, "the state space is too large"),
            (["statespace", "--max-states=0"], 31, "limit on states is 0"),
            (["statespace", "--count=0"], 31, "number of states is 0"),
        ],
    )
    def test_nonsense_is_one_line_and_leaves_nothing(
        self,
        files: list[str],
        words: list[str],
        code: int,
        message: str,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        command, *options = words
        folder = tmp_path / "set"
        assert main(["data", command, *files, *options, "-o", str(folder)]) == code
        captured = capsys.readouterr()
        assert message in captured.err
        assert captured.err.count("\n") == 1
        assert captured.out == ""
        assert not folder.exists()

    @pytest.mark.parametrize("command", [["regression", "--count=9"], ["statespace"]])
    def test_an_unsolvable_task(
        self, command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        task = GUARDED_TASK.replace("(at b)", "(at b) (at c)")
        files = write_task(tmp_path, GUARDED, task)
        assert main(["data", command[0], *files, *command[1:]]) == 11
        assert "the task is unsolvable" in capsys.readouterr().err

    def test_help_teaches(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["data", "regression", "--help"]) == 0
        text = capsys.readouterr().out
        for part in ("Strategies:", "random-walk", "--percent", "Example:"):
            assert part in text
