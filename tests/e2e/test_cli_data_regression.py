"""`beeline data regression` and `beeline data statespace` as a user meets them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from plain_regression import GUARDED, GUARDED_TASK
from search_tasks import write_task
from small_sets import digests, write_tasks

from beeline.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_tasks(tmp_path_factory.mktemp("tasks") / "blocks", count=1, blocks=4)


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
