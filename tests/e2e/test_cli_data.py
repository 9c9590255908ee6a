"""`beeline data` as a user meets it: results, refusals, and runs that are killed."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from processes import any_running, descendants, wait_until
from small_sets import digests, write_tasks

from beeline.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = [sys.executable, "-m", "beeline", "data", "plans"]
KILLS = 5
COUNT = 100


def blocks(folder: Path, *words: str, count: int = COUNT) -> list[str]:
    """A call that takes a few seconds."""
    size = ["--generator", "blocksworld", "-p", "blocks=8", "--count", str(count)]
    limits = ["--max-evaluations", "2000", "--siblings", "--jobs", "2"]
    return [*size, *limits, "-o", str(folder), *words]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("uninterrupted") / "set"
    subprocess.run([*COMMAND, *blocks(folder)], check=True, capture_output=True)
    return folder


class TestResults:
    def test_json_has_counts_and_settings(
        self, uninterrupted: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["data", "summary", str(uninterrupted), "--json"]) == 0
        fields: dict[str, Any] = json.loads(capsys.readouterr().out)
        assert fields["status"] == "ok"
        assert fields["instances"] == fields["solved"] == COUNT
        assert fields["splits"]["train"]["instances"] == 80
        assert fields["coverage"]["lmcut"] == fields["states"]
        assert sum(fields["h_star"].values()) == fields["coverage"]["h_star"]
        assert fields["config"]["parameters"] == {"blocks": 8}

    def test_the_summary_explains(
        self, uninterrupted: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["data", "summary", str(uninterrupted)]) == 0
        text = capsys.readouterr().out
        for part in ("split train", "split val", "dead ends", "plan length", "####", "h_star"):
            assert part in text

    def test_files_are_solved_and_a_second_run_is_quick(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        files = write_tasks(tmp_path / "tasks", count=5, blocks=4)
        words = ["data", "plans", *files, "--jobs", "1", "-o", str(tmp_path / "set"), "--json"]
        assert main(words) == 0
        first = json.loads(capsys.readouterr().out)
        before = digests(tmp_path / "set")
        assert main(words) == 0
        second = json.loads(capsys.readouterr().out)
        assert {**first, "total_time": 0} == {**second, "total_time": 0}
        assert digests(tmp_path / "set") == before

    def test_progress_is_for_terminals(self, uninterrupted: Path, tmp_path: Path) -> None:
        shutil.copytree(uninterrupted, tmp_path / "set")
        (tmp_path / "set/instances/00003.parquet").unlink()
        run = subprocess.run(
            [*COMMAND, *blocks(tmp_path / "set")], capture_output=True, text=True, check=True
        )
        assert run.stderr == ""


class TestRefusals:
    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ([], "there are no tasks"),
            (["--generator", "blocksworld", "-p", "blocks=0"], "from 2 to"),
            (["--generator", "visitall", "-p", "ratio=2.0"], "ratio"),
            (["--generator", "bloksworld"], "did you mean 'blocksworld'"),
            (["--generator", "ferry", "--preset", "nunez2024"], "no preset"),
            (["--generator", "ferry", "--count", "0"], "number of instances is 0"),
            (["--generator", "ferry", "--plans", "x"], "--plans makes no sense"),
            (["--generator", "ferry", "--optimal-plans"], "--optimal-plans without plans"),
            (["--generator", "ferry", "--sibling-h-star"], "add --siblings"),
            (["--generator", "ferry", "--seed", "-1"], "seed is -1"),
            (["--generator", "ferry", "--seed", "x"], "--seed 'x' is not a whole number"),
            (["--generator", "ferry", "--max-evaluations", "0"], "max evaluations 0"),
            (["--generator", "ferry", "--time-limit", "0"], "time limit 0"),
            (["--generator", "ferry", "--split", "a"], "the split 'a' is not understood"),
            (["--generator", "ferry", "--jobs", "0"], "number of workers is 0"),
            (["--generator", "ferry", "--backend", "slurm"], "unknown backend 'slurm'"),
            (["--generator", "ferry", "domain.pddl"], "task files and --generator"),
            (["domain.pddl", "p.pddl", "--preset", "easy"], "--preset makes no sense"),
            (["domain.pddl", "p.pddl"], "no such file"),
        ],
    )
    def test_nonsense_is_one_line_and_leaves_nothing(
        self, words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["data", "plans", *words, "-o", str(tmp_path / "set")]) == 31
        captured = capsys.readouterr()
        assert message in captured.err
        assert captured.err.count("\n") == 1
        assert captured.out == ""
        assert not (tmp_path / "set").exists()

    def test_a_directory_must_be_named(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["data", "plans", "--generator", "ferry"]) == 31
        assert "-o DIR" in capsys.readouterr().err

    def test_a_file_is_no_directory(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "set").touch()
        assert main(["data", "plans", "--generator", "ferry", "-o", str(tmp_path / "set")]) == 31
        assert "is not a folder" in capsys.readouterr().err

    def test_an_empty_set_is_refused_loudly(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = ["--generator", "blocksworld", "--count", "2", "--attempts", "1"]
        words += ["--max-evaluations", "1", "--jobs", "1", "-o", str(tmp_path / "set"), "--json"]
        assert main(["data", "plans", *words]) == 31
        captured = capsys.readouterr()
        assert "the dataset is empty" in captured.err
        assert "raise --max-evaluations" in captured.err
        assert json.loads(captured.out)["status"] == "inadequate"
        assert main(["data", "summary", str(tmp_path / "set")]) == 31


class TestInterruptions:
    @staticmethod
    def start_and_kill(folder: Path) -> None:
        """Let it work until it has made something, and then for a random moment."""

        def finished() -> int:
            return len(list((folder / "instances").glob("*.parquet")))

        before = finished()
        run = subprocess.Popen([*COMMAND, *blocks(folder)], stdout=subprocess.DEVNULL)
        assert wait_until(lambda: finished() > before)
        time.sleep(random.uniform(0, 0.05))
        workers = descendants(run.pid)
        run.send_signal(signal.SIGKILL)
        run.wait()
        assert wait_until(lambda: not any_running(workers), 10)

    def test_killed_five_times_it_still_makes_the_same_dataset(
        self, uninterrupted: Path, tmp_path: Path
    ) -> None:
        folder = tmp_path / "set"
        for _ in range(KILLS):
            self.start_and_kill(folder)
        assert 0 < len(list((folder / "instances").iterdir())) < COUNT
        subprocess.run([*COMMAND, *blocks(folder)], check=True, capture_output=True)
        assert digests(folder) == digests(uninterrupted)

    @pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 23), (signal.SIGINT, 130)])
    def test_signals_end_it_at_once_without_orphans(
        self, number: int, code: int, tmp_path: Path
    ) -> None:
        folder = tmp_path / "set"
        run = subprocess.Popen(
            [*COMMAND, *blocks(folder, count=400)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert wait_until(lambda: len(list((folder / "instances").glob("*.parquet"))) > 1)
        workers = descendants(run.pid)
        assert len(workers) == 2
        run.send_signal(number)
        _, errors = run.communicate(timeout=20)
        assert run.returncode == code
        assert "Traceback" not in errors
        assert not any_running(workers)
        assert not list(folder.rglob("*.tmp"))

    def test_a_worker_that_is_killed_does_not_matter(
        self, uninterrupted: Path, tmp_path: Path
    ) -> None:
        folder = tmp_path / "set"
        run = subprocess.Popen([*COMMAND, *blocks(folder)], stdout=subprocess.DEVNULL)
        assert wait_until(lambda: len(list((folder / "instances").glob("*.parquet"))) > 1)
        for pid in descendants(run.pid)[:1]:
            os.kill(pid, signal.SIGKILL)
        assert run.wait(120) == 0
        assert digests(folder) == digests(uninterrupted)


class TestRay:
    def test_a_ray_worker_that_is_killed_does_not_matter(
        self, uninterrupted: Path, tmp_path: Path
    ) -> None:
        folder = tmp_path / "set"
        run = subprocess.Popen(
            [*COMMAND, *blocks(folder), "--backend", "ray"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        shards = folder / "instances"

        def busy_workers() -> list[int]:
            # Ray's own helpers have such titles, too; those busy with a job bear its name.
            return descendants(run.pid, "ray::call")

        assert wait_until(
            lambda: run.poll() is not None or (list(shards.glob("*.parquet")) and busy_workers()),
            120,
        )
        os.kill(busy_workers()[0], signal.SIGKILL)
        _, errors = run.communicate(timeout=240)
        assert run.returncode == 0, errors
        assert digests(folder) == digests(uninterrupted)
