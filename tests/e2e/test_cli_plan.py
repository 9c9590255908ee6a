"""`beeline plan` as users and scripts see it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hand_tables import HandTable, small_blocksworld
from search_tasks import PUZZLE, puzzle_task, write_task

from beeline import generators
from beeline.cli.main import main
from beeline.models import model_file as packaged
from beeline.models.model_file import save
from beeline.pddl import parse_domain
from beeline.task.plan_file import read_plan

KEYS = {
    *("status", "cost", "length", "plan", "expanded", "evaluated", "generated", "reopened"),
    *("dead_ends", "initial_h", "search_time", "total_time", "peak_memory", "seed", "config"),
    *("interrupted", "optimal", "warnings", "phases", "model", "plan_costs", "plan_files"),
}
EXAMPLES = Path(__file__).parents[2] / "examples"
PROMPT = 3.0  # seconds; a second is promised, the rest is for a loaded machine


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Model, domain and task."""
    model = tmp_path / "m.beeline"
    save(small_blocksworld().model(), model)
    text = next(text for _, text in generators.instances("blocksworld", seed=4, blocks=6))
    return [str(model), *write_task(tmp_path, generators.domain_text("blocksworld"), text)]


def plan_json(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, object]]:
    exit_code = main(["plan", *words, "--json"])
    captured = capsys.readouterr()
    assert captured.out.count("\n") == 1
    return exit_code, json.loads(captured.out)


class TestPlans:
    def test_the_plan_file_is_valid(
        self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "out").mkdir()
        plan = str(tmp_path / "out" / "plan")
        assert main(["plan", *files, "-o", plan]) == 0
        assert os.listdir(tmp_path / "out") == ["plan"]
        printed, text = capsys.readouterr()
        assert printed == Path(plan).read_text()
        assert f"learned, by {files[0]}" in text
        assert f"written to    {plan}" in text
        assert main(["validate", *files[1:], plan]) == 0
        capsys.readouterr()
        assert main(["plan", *files, "--quiet"]) == 0
        assert capsys.readouterr() == (printed, "")

    def test_a_file_that_is_no_plan_is_kept_unless_forced(
        self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        task = shutil.copy(files[2], tmp_path / "copy.pddl")
        assert main(["plan", *files, "-o", str(task)]) == 31
        assert "copy.pddl: exists and is no plan" in capsys.readouterr().err
        assert Path(task).read_text() == Path(files[2]).read_text()
        assert main(["plan", *files, "-o", str(task), "--force"]) == 0
        assert main(["validate", *files[1:], str(task)]) == 0

    def test_json_has_the_promised_keys(
        self, files: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        exit_code, fields = plan_json(capsys, *files, "--seed", "5", "--no-fallback")
        assert exit_code == 0
        assert fields.keys() >= KEYS
        assert (fields["status"], fields["seed"], fields["model"]) == ("solved", 5, files[0])
        assert len(fields["plan"]) == fields["length"]
        assert fields["config"]["search"] == "learned"
        assert fields["config"]["domain"] == "blocksworld"
        assert fields["config"]["fallback"] is False
        assert fields["config"]["style"]["rollout"] is True

    def test_anytime_writes_numbered_plans(
        self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = tmp_path / "out"
        folder.mkdir()
        for number in range(1, 5):
            (folder / f"plan.{number}").write_text("(left by an earlier run)\n")
        exit_code, fields = plan_json(capsys, *files, "--anytime", "-o", str(folder / "plan"))
        assert (exit_code, fields["optimal"]) == (0, True)
        names = sorted(os.listdir(folder))
        assert fields["plan_files"] == [str(folder / name) for name in names]
        costs = [read_plan(folder / name).cost for name in names]
        assert costs == fields["plan_costs"] == sorted(costs, reverse=True)
        for name in names:
            assert main(["validate", *files[1:], str(folder / name)]) == 0

    def test_packaged_models_by_name(
        self,
        files: list[str],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        folder = tmp_path / "pretrained"
        folder.mkdir()
        os.rename(files[0], folder / "towers.beeline")
        monkeypatch.setattr(packaged, "FOLDER", folder)
        for word in ("towers", "auto"):
            exit_code, fields = plan_json(capsys, word, *files[1:])
            assert (exit_code, fields["model"]) == (0, word)
        assert main(["plan", "tower", *files[1:]]) == 31
        assert "did you mean 'towers'? packaged are towers" in capsys.readouterr().err


class TestOtherOutcomes:
    @pytest.mark.parametrize(
        ("words", "status", "exit_code"),
        [
            (["--max-evaluations", "3"], "evaluation_limit", 12),
            (["--max-expansions", "1"], "expansion_limit", 12),
            (["--memory-limit", "1K"], "memory_limit", 22),
            (["--time-limit", "0.000001"], "time_limit", 23),
        ],
    )
    def test_limits(
        self,
        words: list[str],
        status: str,
        exit_code: int,
        files: list[str],
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        plan = tmp_path / "plan"
        code, fields = plan_json(capsys, *files, *words, "-o", str(plan))
        assert (code, fields["status"], fields["plan"]) == (exit_code, status, None)
        assert fields.keys() >= KEYS - {"phases"}
        assert not plan.exists()

    def test_an_unsolvable_task(
        self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        task = tmp_path / "impossible.pddl"
        task.write_text(
            "(define (problem p) (:domain blocksworld) (:objects a b)"
            " (:init (arm-empty) (clear a) (on-table a) (on-table b) (clear b))"
            " (:goal (and (on a b) (on b a))))"
        )
        exit_code, fields = plan_json(capsys, *files[:2], str(task))
        assert (exit_code, fields["status"]) == (11, "unsolvable")


class TestErrors:
    def error(self, capsys: pytest.CaptureFixture[str], *words: str) -> str:
        assert main(["plan", *words]) == 31
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith("beeline: error: ")
        assert captured.err.count("\n") == 1
        return captured.err

    def test_models_are_judged_before_the_task_is_read(
        self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        missing = str(tmp_path / "missing")
        data = Path(files[0]).read_bytes()
        broken = tmp_path / "broken.beeline"
        for content, message in (
            (data[: len(data) // 2], "the model cannot be used: it is cut short: "),
            (data[:-1] + b"\x7f", "the model cannot be used: it was changed"),
            (data.replace(b"model 1 by", b"model 2 by", 1), "the model has format version 2"),
            (b"", "the file is empty, not a model"),
            (b"weights", "not a Beeline model"),
        ):
            broken.write_bytes(content)
            error = self.error(capsys, str(broken), missing, missing)
            assert f"{broken}: {message}" in error
        assert f"{tmp_path}: is a directory" in self.error(capsys, str(tmp_path), missing, missing)
        assert f"{missing}.m: no such file" in self.error(capsys, f"{missing}.m", *files[1:])
        assert f"{missing}: no such file" in self.error(capsys, files[0], missing, files[2])
        assert f"{missing}: no such file" in self.error(capsys, *files[:2], missing)

    def test_files_in_the_wrong_order(
        self, files: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        error = self.error(capsys, files[1], files[2], files[0])
        assert "PDDL, not a Beeline model (hint: models come first: MODEL DOMAIN TASK)" in error

    def test_a_model_of_another_domain(
        self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        domain = tmp_path / "ferry.pddl"
        domain.write_text(generators.domain_text("ferry"))
        error = self.error(capsys, files[0], str(domain), str(tmp_path / "missing"))
        assert f"{files[0]}: the model, learned in 'blocksworld', does not fit the domain" in error
        assert "'ferry': " in error

    def test_no_packaged_model_fits(
        self,
        files: list[str],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setattr(packaged, "FOLDER", tmp_path / "none")
        assert main(["plan", "auto", *files[1:]]) == 0
        assert "no packaged model fits the domain 'blocksworld'" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["--time-limit", "nan"], "the time limit nan is not a number of seconds"),
            (["--time-limit", "inf"], "the time limit inf is not a number of seconds"),
            (["--time-limit", "soon"], "--time-limit 'soon' is not a number"),
            (["--max-evaluations", "0"], "max evaluations 0 is not a number from 1 up"),
            (["--seed=-1"], "the seed is -1"),
            (["--memory-limit", "2X"], "--memory-limit '2X' is not a size"),
            (["-o", "."], ".: is a folder"),
        ],
    )
    def test_senseless_values_come_first(
        self, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        error = self.error(capsys, "no.beeline", "no.pddl", "no.pddl", *words)
        assert error.startswith(f"beeline: error: {message}")

    def test_errors_as_json(self, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        exit_code, fields = plan_json(capsys, files[1], *files[1:])
        assert (exit_code, fields["status"]) == (31, "error")
        assert fields["error"]["file"] == files[1]


class TestOtherWords:
    """A packaged model in a domain that says the same as its own in other words."""

    blocks = (str(EXAMPLES / "blocks" / "domain.pddl"), str(EXAMPLES / "blocks" / "task.pddl"))
    words = (
        "blocksworld fits with renaming: pick-up = pickup, put-down = putdown,"
        " hand-empty = arm-empty; ignored: block"
    )

    def test_auto_says_which_model_it_took_and_why(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        plan = str(tmp_path / "plan")
        assert main(["plan", "auto", *self.blocks, "-o", plan]) == 0
        assert f"learned, by auto (model {self.words})" in capsys.readouterr().err
        assert main(["validate", *self.blocks, plan]) == 0

    def test_a_packaged_model_may_be_named(self, capsys: pytest.CaptureFixture[str]) -> None:
        exit_code, fields = plan_json(capsys, "blocksworld", *self.blocks)
        assert exit_code == 0
        assert fields["model"] == "blocksworld"
        assert fields["fit"] == {"model": "blocksworld", "words": self.words}

    def test_a_model_that_fits_by_its_names_needs_few_words(
        self, files: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["plan", "auto", *files[1:]]) == 0
        assert "learned, by auto (model blocksworld fits)" in capsys.readouterr().err
        assert main(["plan", "blocksworld", *files[1:]]) == 0
        assert "fits" not in "".join(capsys.readouterr())

    def test_where_none_fits_the_nearest_is_named_and_the_task_planned(
        self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        domain = tmp_path / "other.pddl"
        text = generators.domain_text("blocksworld").replace(" (not (clear ?below))", "")
        domain.write_text(text)
        assert main(["plan", "auto", str(domain), files[2]]) == 0  # the names are the same
        domain.write_text(text.replace("arm-empty", "hand-empty"))
        capsys.readouterr()
        task = tmp_path / "task.pddl"
        task.write_text(Path(files[2]).read_text().replace("arm-empty", "hand-empty"))
        assert main(["plan", "auto", str(domain), str(task)]) == 0
        shown = capsys.readouterr()
        assert (
            "no packaged model fits the domain 'blocksworld', the nearest is that of blocksworld:"
            " action 'stack' has 1 deletions, in the model 2: planning without a model"
        ) in shown.err
        assert "without a model" in shown.err
        assert shown.out.startswith("(")
        assert main(["plan", "blocksworld", str(domain), str(task)]) == 31


def test_a_task_of_another_kind_than_those_learned_from_is_told(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    model = small_blocksworld().model()
    goals = ["clear", "on", "on-table"]
    kinds = {"goals": goals, "facts": [*goals, "arm-empty"], "types": ["object"]}
    save(replace(model, summary={"kinds": kinds}), files[0])
    assert main(["plan", *files]) == 0
    words = "no task that the model was learned from is like this one: its goal speaks of "
    assert f"beeline: warning: {words}" not in capsys.readouterr().err
    save(replace(model, summary={"kinds": {**kinds, "goals": goals[::2]}}), files[0])
    assert main(["plan", *files]) == 0
    assert f"beeline: warning: {words}'on'\n" in capsys.readouterr().err


class TestSignals:
    def start(self, folder: Path, *words: str) -> subprocess.Popen[str]:
        """A search without an end: a puzzle, and a model that knows nothing."""
        task = write_task(folder, PUZZLE, puzzle_task(4, 4, 3))
        model = str(folder / "m.beeline")
        save(HandTable(parse_domain(PUZZLE)).model(), model)
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "beeline", "plan", model, *task),
                *("--no-fallback", "--json", "-o", str(folder / "plan"), *words),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        return process

    @pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 23)])
    def test_a_signal_ends_a_search_in_good_order(
        self, tmp_path: Path, number: int, code: int
    ) -> None:
        process = self.start(tmp_path)
        time.sleep(2)  # starting takes a fraction of that
        process.send_signal(number)
        start = time.perf_counter()
        out, err = process.communicate(timeout=60)
        assert time.perf_counter() - start < PROMPT
        fields = json.loads(out)
        assert (process.returncode, fields["status"], err) == (code, "incomplete", "")
        assert fields["interrupted"] is True
        assert fields["expanded"] > 0
        assert not (tmp_path / "plan").exists()

    def test_the_time_limit_counts_from_the_start(self, tmp_path: Path) -> None:
        start = time.perf_counter()
        process = self.start(tmp_path, "--time-limit", "1")
        out, _ = process.communicate(timeout=60)
        assert time.perf_counter() - start < 1 + PROMPT
        assert (process.returncode, json.loads(out)["status"]) == (23, "time_limit")


def test_nothing_needless_is_imported(files: list[str]) -> None:
    script = (
        "import sys; from beeline.cli.main import main\n"
        f"main(['plan', *{files!r}, '--json']); print(*sys.modules, file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    heavy = {"typer", "click", "rich", "scipy", "pyarrow", "torch", "safetensors", "tempfile"}
    assert heavy.isdisjoint(run.stderr.split())
