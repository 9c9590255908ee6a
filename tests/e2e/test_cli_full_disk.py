"""Places where nothing can be written: refused before the work, and nothing lost after it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from few_made_tasks import FEW_MADE_TASKS
from learning_sets import blocks
from neural_models import small_dataset

from beeline.cli.main import main
from beeline.cli.messages import Progress
from beeline.integrations.ipc import NOTHING_LEARNED
from beeline.models.model_file import load

MALFORMED = Path(__file__).parent / "malformed"
FILES = [str(MALFORMED / "base_domain.pddl"), str(MALFORMED / "base_task.pddl")]
QUICK = ["--rounds", "1", "--neighbours", "set", "--no-h-ff", "--jobs", "1"]

# A limit on the size of files is a full disk that every user can have.
FULL_FROM_THE_START = """
import json, resource, sys
from beeline.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
print(json.dumps([main(words) for words in json.loads(sys.argv[1])]))
"""

# The place is tried; then the disk becomes full, or the folder vanishes.
CHANGED_MEANWHILE = """
import resource, shutil, sys
from beeline.cli.main import main
from beeline.core import files
def try_and_change(*arguments, tried=files._try_writing):
    tried(*arguments)
    if sys.argv[1] == "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))
    else:
        shutil.rmtree(sys.argv[1])
files._try_writing = try_and_change
sys.exit(main(sys.argv[2:]))
"""


def run_changed(change: str | Path, *words: object) -> subprocess.CompletedProcess[str]:
    start = FEW_MADE_TASKS if words[0] == "learn" else ""
    return subprocess.run(
        [sys.executable, "-c", start + CHANGED_MEANWHILE, str(change), *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_command_tries_its_output_before_it_reads_anything(tmp_path: Path) -> None:
    missing = [str(tmp_path / name) for name in ("domain.pddl", "task.pddl")]
    model, folder = str(tmp_path / "m"), str(tmp_path / "new" / "folder")
    commands = [
        ["solve", *missing, "-o", model],
        ["solve", *missing, "-o", model, "--anytime"],
        ["plan", "no.beeline", *missing, "-o", model],
        ["learn", *missing, "-o", model],
        ["learn", *missing, "-o", model, "--per-task"],
        ["train", str(tmp_path / "set"), "-o", model],
        ["generate", "ferry", "-o", folder],
        ["data", "plans", *missing, "-o", folder],
        ["data", "regression", *missing, "--count", "5", "-o", folder],
        ["data", "statespace", *missing, "-o", folder],
        ["evaluate", str(tmp_path / "suite.toml"), "-o", folder],
        ["report", str(tmp_path / "records"), "-o", folder],
        ["experiment", "minini2023-table4.5", "--scale", "tiny", "-o", folder],
        ["ipc", "learn", model, *missing],
        ["ipc", "plan", model, *missing, str(tmp_path / "plan")],
    ]
    run = subprocess.run(
        [sys.executable, "-c", FULL_FROM_THE_START, json.dumps(commands)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(run.stdout) == [32] * len(commands), run.stderr
    lines = run.stderr.splitlines()
    assert len(lines) == len(commands)
    assert all(
        "cannot write: File too large (hint: make room on the disk)" in line for line in lines
    )
    assert os.listdir(tmp_path) == []


class TestPlans:
    MESSAGE = "cannot write: File too large (hint: the plan is on standard output)"

    @pytest.mark.parametrize("words", [[], ["--anytime"]])
    def test_a_plan_that_cannot_be_written_is_printed(
        self, words: list[str], tmp_path: Path
    ) -> None:
        plan = tmp_path / "plan"
        run = run_changed("full", "solve", *FILES, "-o", plan, *words)
        assert run.returncode == 32
        assert run.stdout.startswith("(")
        assert run.stdout.endswith("; cost = 5 (general cost)\n")
        name = f"{plan}.1" if words else str(plan)
        *report, error = run.stderr.splitlines()
        assert report[0].startswith("status        solved")
        assert not any(line.startswith(("written to", "beeline: ")) for line in report)
        assert error == f"beeline: error: {name}: {self.MESSAGE}"
        assert os.listdir(tmp_path) == []

    def test_as_json_it_comes_with_the_reason(self, tmp_path: Path) -> None:
        run = run_changed("full", "solve", *FILES, "-o", tmp_path / "plan", "--json")
        fields = json.loads(run.stdout)
        assert (run.returncode, fields["status"], fields["plan_files"]) == (32, "solved", [])
        assert len(fields["plan"]) == 3
        assert fields["error"]["message"] == "cannot write: File too large"

    def test_plans_of_models_and_of_the_competition_are_printed_too(self, tmp_path: Path) -> None:
        domain, (task,) = blocks(tmp_path / "tasks", range(4, 5))
        (tmp_path / "dk.1").write_bytes(NOTHING_LEARNED)
        for words in (
            ["plan", "blocksworld", domain, task, "-o", tmp_path / "plan"],
            ["ipc", "plan", tmp_path / "dk.1", domain, task, tmp_path / "plan"],
        ):
            run = run_changed("full", *words)
            assert run.returncode == 32
            assert run.stdout.startswith("(")
            assert self.MESSAGE in run.stderr
        assert sorted(os.listdir(tmp_path)) == ["dk.1", "tasks"]


class TestModels:
    def test_a_model_whose_folder_is_gone_is_kept_in_the_temporary_one(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        domain, files = blocks(tmp_path / "tasks", range(3, 5))
        for name in ("out", "temporary"):
            (tmp_path / name).mkdir()
        monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
        model = tmp_path / "out" / "m.beeline"
        words = ["learn", domain, *files, *QUICK, "-o", model, "--json"]
        run = run_changed(tmp_path / "out", *words)
        fields = json.loads(run.stdout)
        kept = tmp_path / "temporary" / "m.rescued.beeline"
        assert (run.returncode, fields["model"]) == (32, str(kept))
        assert fields["error"]["file"] == str(model)
        assert f"{model}: cannot write: No such file or directory" in run.stderr
        assert f"(hint: the model is in {kept})" in run.stderr
        assert load(kept).domain_name == "blocksworld"

    def test_a_model_that_fits_nowhere_is_told_in_one_line(self, tmp_path: Path) -> None:
        domain, files = blocks(tmp_path / "tasks", range(3, 5))
        words = ["learn", domain, *files, *QUICK, "--quiet", "-o", tmp_path / "m.beeline"]
        run = run_changed("full", *words)
        assert (run.returncode, run.stdout) == (32, "")
        assert run.stderr == (
            f"beeline: error: {tmp_path / 'm.beeline'}: cannot write: File too large"
            " (hint: make room on the disk)\n"
        )
        assert os.listdir(tmp_path) == ["tasks"]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_dataset(tmp_path_factory.mktemp("train"))


class TestTraining:
    """Once the first validation is shown, something happens to the disk."""

    def train(
        self,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        dataset: Path,
        model: Path,
        change: Any,
    ) -> tuple[int, dict[str, Any], str]:
        monkeypatch.setattr(Progress, "step", lambda *_, **__: change())
        words = ["--model", "linear", "--steps", "30", "-o", str(model), "--json"]
        exit_code = main(["train", str(dataset), *words])
        captured = capsys.readouterr()
        return exit_code, json.loads(captured.out), captured.err

    def test_a_model_whose_name_was_taken_is_kept_beside_it(
        self,
        dataset: Path,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        model, kept = tmp_path / "m.beeline", tmp_path / "m.rescued.beeline"
        change = lambda: model.mkdir(exist_ok=True)  # noqa: E731
        exit_code, fields, err = self.train(monkeypatch, capsys, dataset, model, change)
        assert (exit_code, fields["model"]) == (32, str(kept))
        assert f"(hint: the model is in {kept})" in err
        assert load(kept).network == "linear"

    def test_a_model_does_not_suffer_from_a_folder_that_cannot_be_completed(
        self,
        dataset: Path,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        model = tmp_path / "m.beeline"
        folder = tmp_path / "m.beeline.training"
        change = lambda: folder.exists() and folder.rename(tmp_path / "moved")  # noqa: E731
        exit_code, fields, err = self.train(monkeypatch, capsys, dataset, model, change)
        assert (exit_code, fields["model"]) == (0, str(model))
        assert "training is complete, but its folder is not" in fields["warnings"][0]
        assert "checkpoint.safetensors: cannot write" in err
        assert load(model).network == "linear"
