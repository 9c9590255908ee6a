"""`beeline learn` and the files around it: what is refused, and what models are good for."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from few_made_tasks import make_few_tasks
from learning_sets import blocks, ferry

from beeline.cli.main import main
from beeline.models.model_file import MAGIC, load

QUICK = ["--rounds", "2", "--neighbours", "set", "--no-h-ff", "--jobs", "1"]
KEYS = {
    *("model", "bytes", "candidate", "examples", "training_loss", "settings", "tasks"),
    *("held_out", "features", "rows", "style", "warnings", "total_time"),
}


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[str]]:
    return blocks(tmp_path_factory.mktemp("blocks"), range(3, 5))


@pytest.fixture(scope="module")
def learned(
    tasks: tuple[str, list[str]], tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, dict[str, Any]]:
    """A model file, and the JSON that was printed with it."""
    from contextlib import redirect_stdout
    from io import StringIO

    path = str(tmp_path_factory.mktemp("model") / "m.beeline")
    with redirect_stdout(StringIO()) as out, pytest.MonkeyPatch.context() as patch:
        make_few_tasks(patch)
        assert main(["learn", tasks[0], *tasks[1], "-o", path, *QUICK, "--json", "--quiet"]) == 0
    text = out.getvalue()
    assert text.count("\n") == 1
    return path, json.loads(text)


@pytest.mark.usefixtures("few_made_tasks")
class TestModelFiles:
    def test_json_has_the_promised_keys(self, learned: tuple[str, dict[str, Any]]) -> None:
        path, fields = learned
        assert fields.keys() >= KEYS
        assert fields["bytes"] == os.stat(path).st_size
        assert fields["style"].keys() == {"rollout", "preferred", "symmetry"}
        assert fields["settings"]["seed"] == 0

    def test_nothing_else_is_left_in_the_folder(self, learned: tuple[str, dict[str, Any]]) -> None:
        assert os.listdir(Path(learned[0]).parent) == ["m.beeline"]

    def test_a_larger_task_is_planned_with_it(
        self,
        learned: tuple[str, dict[str, Any]],
        tasks: tuple[str, list[str]],
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        _, (larger,) = blocks(tmp_path / "larger", range(8, 9), seed=3)
        plan = str(tmp_path / "plan")
        assert main(["plan", learned[0], tasks[0], larger, "-o", plan, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["model"] == learned[0]
        assert main(["validate", tasks[0], larger, plan]) == 0

    def test_it_can_be_looked_into(
        self, learned: tuple[str, dict[str, Any]], capsys: pytest.CaptureFixture[str]
    ) -> None:
        path, fields = learned
        assert main(["models", "info", path]) == 0
        text = capsys.readouterr().out
        assert "blocksworld: 5 predicates, 4 actions" in text
        assert "colours of 2 rounds, neighbour sets" in text
        assert main(["models", "info", path, "--json"]) == 0
        info = json.loads(capsys.readouterr().out)
        assert info["training"]["tasks"] == fields["tasks"]
        assert info["training"]["candidate"] == fields["candidate"]

    def test_another_domain_does_not_fit(
        self,
        learned: tuple[str, dict[str, Any]],
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        domain, (task,) = ferry(tmp_path, range(2, 3))
        assert main(["plan", learned[0], domain, task]) == 31
        error = capsys.readouterr().err
        assert f"{learned[0]}: the model, learned in 'blocksworld', does not fit" in error

    def test_an_old_model_gives_way_to_a_new_one(
        self, tasks: tuple[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        model = tmp_path / "m.beeline"
        old = f"{MAGIC.decode()} 1, an old one"
        model.write_text(old)
        call = ["learn", tasks[0], *tasks[1], "-o", str(model), *QUICK]
        assert main([*call, "--loss", "none"]) == 31
        assert model.read_text() == old
        assert main(call) == 0
        assert model.read_bytes() != old.encode()
        assert "beeline: warning: 2 tasks to learn from" in capsys.readouterr().err

    def test_a_file_that_is_no_model_is_kept_unless_forced(
        self, tasks: tuple[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        model = tmp_path / "m.beeline"
        model.write_text("what to buy")
        call = ["learn", tasks[0], *tasks[1], "-o", str(model), *QUICK]
        assert main(call) == 31
        message = f"{model}: exists and is no model (hint: another -o FILE, or --force)"
        assert capsys.readouterr() == ("", f"beeline: error: {message}\n")
        assert model.read_text() == "what to buy"
        assert main([*call, "--force"]) == 0
        assert load(model).domain_name == "blocksworld"


class TestRefusals:
    def error(
        self, capsys: pytest.CaptureFixture[str], folder: Path, *words: str, code: int = 31
    ) -> str:
        """The one line on standard error; no model was written."""
        model = folder / "refused.beeline"
        assert main(["learn", *words, "-o", str(model), *QUICK]) == code
        captured = capsys.readouterr()
        assert captured.out == ""
        assert not model.exists()
        (line,) = (each for each in captured.err.splitlines() if "warning" not in each)
        assert line.startswith("beeline: error: ")
        return line

    def test_a_folder_without_tasks(
        self, tasks: tuple[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "domain.pddl").write_text(Path(tasks[0]).read_text())
        (tmp_path / "notes.txt").write_text("no task")
        error = self.error(capsys, tmp_path, tasks[0], str(tmp_path))
        assert f"{tmp_path}: there are no task files in this folder" in error

    def test_no_tasks_at_all(
        self, tasks: tuple[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert "there are no tasks" in self.error(capsys, tmp_path, tasks[0])

    def test_files_that_do_not_exist(
        self, tasks: tuple[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        missing = str(tmp_path / "missing.pddl")
        assert f"{missing}: no such file" in self.error(capsys, tmp_path, missing, *tasks[1])
        assert f"{missing}: no such file" in self.error(capsys, tmp_path, tasks[0], missing)

    def test_a_task_of_another_domain(
        self, tasks: tuple[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        _, (stranger,) = ferry(tmp_path / "ferry", range(2, 3))
        error = self.error(capsys, tmp_path, tasks[0], *tasks[1], stranger)
        assert f"{stranger}:" in error
        assert "ferry" in error

    def test_the_domain_in_the_place_of_a_task(
        self, tasks: tuple[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert f"{tasks[0]}:" in self.error(capsys, tmp_path, tasks[0], tasks[0])
        assert f"{tasks[1][0]}:" in self.error(capsys, tmp_path, tasks[1][0], tasks[0])

    def test_broken_pddl_by_file_and_line(
        self, tasks: tuple[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        broken = tmp_path / "broken.pddl"
        broken.write_text(
            "(define (problem p) (:domain blocksworld)\n (:objects a b)\n"
            " (:init (arm-empty) (cleer a))\n (:goal (clear a)))"
        )
        error = self.error(capsys, tmp_path, tasks[0], *tasks[1], str(broken))
        assert f"{broken}:3: " in error
        assert "cleer" in error
        domain = tmp_path / "domain.pddl"
        domain.write_text("(define (domain d)\n (:predicates (p))\n (:action a :effect (q)))")
        assert f"{domain}:3: " in self.error(capsys, tmp_path, str(domain), *tasks[1])

    def test_an_unsupported_feature_has_its_own_code(
        self, tasks: tuple[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        domain = tmp_path / "domain.pddl"
        domain.write_text(
            "(define (domain d) (:predicates (p))\n (:durative-action a :parameters ()"
            " :duration (= ?duration 1) :condition () :effect (at end (p))))"
        )
        error = self.error(capsys, tmp_path, str(domain), *tasks[1], code=34)
        assert f"{domain}:2: " in error

    def test_a_domain_without_actions(
        self, tasks: tuple[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        domain = tmp_path / "domain.pddl"
        domain.write_text("(define (domain still) (:predicates (p)))")
        error = self.error(capsys, tmp_path, str(domain), *tasks[1])
        assert f"{domain}: the domain 'still' has no actions" in error

    def test_tasks_that_cannot_be_solved(
        self, tasks: tuple[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        task = tmp_path / "impossible.pddl"
        task.write_text(
            "(define (problem p) (:domain blocksworld) (:objects a b)"
            " (:init (arm-empty) (clear a) (on-table a) (on-table b) (clear b))"
            " (:goal (and (on a b) (on b a))))"
        )
        error = self.error(capsys, tmp_path, tasks[0], str(task))
        assert "no plan was found for any of the 1 tasks" in error

    def test_a_plan_of_another_task(
        self, tasks: tuple[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        plan = tmp_path / f"{Path(tasks[1][0]).stem}.plan"
        plan.write_text("; a comment\n(pick-up nobody)\n")
        error = self.error(capsys, tmp_path, tasks[0], *tasks[1], "--plans", str(tmp_path))
        assert f"{plan}:2: " in error
        missing = str(tmp_path / "missing")
        error = self.error(capsys, tmp_path, tasks[0], *tasks[1], "--plans", missing)
        assert f"{missing}: no such folder of plans" in error

    def test_errors_as_json(
        self, tasks: tuple[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        missing = str(tmp_path / "missing.pddl")
        assert main(["learn", tasks[0], missing, "-o", str(tmp_path / "m"), "--json"]) == 31
        fields = json.loads(capsys.readouterr().out)
        assert (fields["status"], fields["exit_code"]) == ("error", 31)
        assert fields["error"]["file"] == missing

    @pytest.mark.parametrize("place", ["folder", "missing/m.beeline", "file/m.beeline"])
    def test_models_that_cannot_be_written_are_refused_before_work_begins(
        self,
        place: str,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        (tmp_path / "folder").mkdir()
        (tmp_path / "file").write_text("a file")
        missing = str(tmp_path / "missing.pddl")
        assert main(["learn", missing, missing, "-o", str(tmp_path / place)]) == 31
        assert "missing.pddl" not in capsys.readouterr().err
        assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
