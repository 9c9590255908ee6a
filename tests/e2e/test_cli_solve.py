"""`beeline solve` as users and scripts see it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from search_tasks import write_task

from beeline.cli.main import main
from beeline.task.plan_file import read_plan

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(path.parent.name for path in ROOT.glob("examples/*/task.plan"))
KEYS = {
    *("status", "cost", "length", "plan", "expanded", "evaluated", "generated", "reopened"),
    *("dead_ends", "initial_h", "search_time", "total_time", "peak_memory", "seed", "config"),
    *("interrupted", "optimal", "warnings"),
}


def example(name: str) -> list[str]:
    return [str(ROOT / "examples" / name / file) for file in ("domain.pddl", "task.pddl")]


def solve_json(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, object]]:
    exit_code = main(["solve", *words, "--json"])
    captured = capsys.readouterr()
    assert captured.out.count("\n") == 1
    return exit_code, json.loads(captured.out)


class TestPlans:
    @pytest.mark.parametrize("name", EXAMPLES)
    def test_the_plan_file_is_valid(
        self, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        plan = str(tmp_path / "plan")
        assert main(["solve", *example(name), "-o", plan, "--quiet"]) == 0
        assert main(["validate", *example(name), plan]) == 0
        assert capsys.readouterr().err == ""
        assert os.listdir(tmp_path) == ["plan"]

    def test_text_shows_plan_cost_and_counters(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["solve", *example("delivery"), "--search", "astar"]) == 0
        plan, table = capsys.readouterr()
        assert plan.splitlines()[0].startswith("(drive ")
        assert plan.splitlines()[-1] == "; cost = 14 (general cost)"
        rows = dict(line.split(maxsplit=1) for line in table.splitlines())
        assert rows["status"] == "solved, and no plan is cheaper"
        assert rows["plan"] == "7 steps, cost 14"
        assert rows["search"] == "astar with lmcut"
        assert int(rows["expanded"]) > 0

    @pytest.mark.parametrize("words", [[], ["--quiet"]])
    def test_what_is_printed_is_a_plan_file(self, words: list[str], tmp_path: Path) -> None:
        plan = tmp_path / "plan"
        with plan.open("w") as stream:
            run = subprocess.run(
                [sys.executable, "-m", "beeline", "solve", *example("delivery"), *words],
                stdout=stream,
                stderr=subprocess.PIPE,
                text=True,
                check=True,
            )
        assert main(["validate", *example("delivery"), str(plan)]) == 0
        assert run.stderr.startswith("status        solved") is not bool(words)
        assert (run.stderr == "") is bool(words)

    def test_without_standard_error_the_plan_is_alone_still(self, tmp_path: Path) -> None:
        command = f"{sys.executable} -m beeline solve {' '.join(example('blocks'))} 2>&-"
        run = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
        (tmp_path / "plan").write_text(run.stdout)
        assert main(["validate", *example("blocks"), str(tmp_path / "plan")]) == 0

    def test_quiet_without_a_plan_is_silence(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["solve", *example("blocks"), "--max-expansions", "1", "--quiet"]) == 12
        assert capsys.readouterr() == ("", "")

    @pytest.mark.parametrize(
        ("name", "words"), [("plan", []), ("plan.1", ["--anytime"]), ("plan.2", ["--anytime"])]
    )
    def test_a_file_that_is_no_plan_is_kept_unless_forced(
        self, name: str, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "plan.1").write_text("(left by an earlier run)\n")
        (tmp_path / name).write_text("what to buy\n")
        call = ["solve", *example("delivery"), *words, "-o", str(tmp_path / "plan")]
        assert main(call) == 31
        message = f"{tmp_path / name}: exists and is no plan (hint: another -o FILE, or --force)"
        assert capsys.readouterr() == ("", f"beeline: error: {message}\n")
        assert (tmp_path / name).read_text() == "what to buy\n"
        assert main([*call, "--force"]) == 0
        assert not (tmp_path / name).exists() or read_plan(tmp_path / name)

    @pytest.mark.parametrize("content", ["", "(drive somewhere)\n", "; cost = 0 (unit cost)\n"])
    def test_an_earlier_plan_is_replaced(self, content: str, tmp_path: Path) -> None:
        plan = tmp_path / "plan"
        plan.write_text(content)
        assert main(["solve", *example("delivery"), "-o", str(plan)]) == 0
        assert main(["validate", *example("delivery"), str(plan)]) == 0

    def test_json_has_the_promised_keys(self, capsys: pytest.CaptureFixture[str]) -> None:
        exit_code, fields = solve_json(
            capsys, *example("delivery"), "--heuristic=ff,add", "--preferred", "ff", "--seed=5"
        )
        assert exit_code == 0
        assert fields.keys() >= KEYS
        assert (fields["status"], fields["seed"]) == ("solved", 5)
        assert len(fields["plan"]) == fields["length"]
        assert fields["config"]["heuristics"] == ["ff", "add"]
        assert fields["config"]["boost"] == 1000
        assert 0 <= fields["search_time"] <= fields["total_time"]

    def test_unit_costs(self, capsys: pytest.CaptureFixture[str]) -> None:
        words = [*example("delivery"), "--search", "astar"]
        assert solve_json(capsys, *words)[1]["cost"] == 14
        assert solve_json(capsys, *words, "--unit-costs")[1]["cost"] == 7

    def test_anytime_writes_numbered_plans(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for number in range(1, 5):
            (tmp_path / f"plan.{number}").write_text("(left by an earlier run)\n")
        words = [*example("delivery"), "--anytime", "-o", str(tmp_path / "plan")]
        exit_code, fields = solve_json(capsys, *words)
        assert (exit_code, fields["cost"], fields["optimal"]) == (0, 14, True)
        names = sorted(os.listdir(tmp_path))
        assert names == [f"plan.{number}" for number in range(1, len(names) + 1)]
        costs = [read_plan(tmp_path / name).cost for name in names]
        assert costs == fields["plan_costs"]
        assert costs == sorted(costs, reverse=True)
        for name in names:
            assert main(["validate", *example("delivery"), str(tmp_path / name)]) == 0


class TestOtherOutcomes:
    @pytest.mark.parametrize(
        ("words", "status", "exit_code"),
        [
            (["--max-evaluations", "5"], "evaluation_limit", 12),
            (["--max-expansions", "5"], "expansion_limit", 12),
            (["--search", "astar", "--bound", "3"], "incomplete", 12),
            (["--memory-limit", "1K"], "memory_limit", 22),
            (["--time-limit", "0.000001"], "time_limit", 23),
        ],
    )
    def test_limits(
        self,
        words: list[str],
        status: str,
        exit_code: int,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        plan = tmp_path / "plan"
        code, fields = solve_json(capsys, *example("delivery"), *words, "-o", str(plan))
        assert (code, fields["status"], fields["plan"]) == (exit_code, status, None)
        assert fields.keys() >= KEYS
        assert not plan.exists()

    def test_an_unsolvable_task(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        domain = "(define (domain d) (:predicates (a) (b)) (:action x :parameters () :effect (a)))"
        task = "(define (problem p) (:domain d) (:init) (:goal (and (a) (b))))"
        files = write_task(tmp_path, domain, task)
        assert solve_json(capsys, *files)[0] == 11
        assert main(["solve", *files]) == 11
        plan, words = capsys.readouterr()
        assert plan == ""
        assert "unsolvable: " in words

    def test_dead_ends_all_around(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        domain = (
            "(define (domain d) (:predicates (a) (b) (c)) (:action x :parameters ()"
            " :precondition (c) :effect (and (a) (not (c)))) (:action y :parameters ()"
            " :precondition (c) :effect (and (b) (not (c)))))"
        )
        task = "(define (problem p) (:domain d) (:init (c)) (:goal (and (a) (b))))"
        files = write_task(tmp_path, domain, task)
        exit_code, fields = solve_json(capsys, *files)
        assert (exit_code, fields["status"]) == (11, "unsolvable")

    def test_random_ties_depend_on_the_seed_alone(self, capsys: pytest.CaptureFixture[str]) -> None:
        words = [*example("delivery"), "--tie-breaking", "random", "--heuristic", "goalcount"]
        runs = [solve_json(capsys, *words, "--seed", seed)[1] for seed in ("1", "1", "2", "3")]
        plans = [run["plan"] for run in runs]
        assert plans[0] == plans[1]
        assert any(plan != plans[0] for plan in plans[2:])


class TestErrors:
    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["--heuristic", "fff"], "unknown heuristic 'fff': there are add, blind, cea"),
            (["--search", "dfs"], "unknown search 'dfs': there are lama-first, lama, gbfs, astar"),
            (["--weight", "heavy"], "--weight 'heavy' is not a number"),
            (["--weight", "2"], "search 'lama-first' has no weight"),
            (["--seed", "1.5"], "--seed '1.5' is not a whole number"),
            (["--memory-limit", "2X"], "--memory-limit '2X' is not a size"),
            (["--batch", "0"], "batch 0 is not a number from 1 up"),
            (["--reopen", "--no-reopen"], "--reopen and --no-reopen exclude each other"),
            (["--time-limit", "nan"], "the time limit nan"),
            (["-o", "no/such/folder/plan"], "no/such/folder: there is no such folder"),
            (["-o", "."], ".: is a folder"),
        ],
    )
    def test_senseless_values_are_one_line(
        self, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["solve", *example("blocks"), *words]) == 31
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith(f"beeline: error: {message}")
        assert captured.err.count("\n") == 1

    def test_errors_of_files_are_the_usual_ones(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["solve", "missing.pddl", "missing.pddl"]) == 31
        assert "missing.pddl: no such file" in capsys.readouterr().err

    def test_a_task_too_large_for_the_perfect_heuristic_is_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def refuse(name: str, *_: object) -> None:
            raise ValueError("more than 20000000 states")

        monkeypatch.setattr("beeline._native.make_heuristic", refuse)
        assert main(["solve", *example("blocks"), "--heuristic", "perfect"]) == 31
        assert "'perfect' cannot handle this task" in capsys.readouterr().err


def test_nothing_needless_is_imported() -> None:
    script = (
        "import sys; from beeline.cli.main import main\n"
        f"main(['solve', *{example('blocks')!r}, '--search', 'astar', '--json']);"
        "print(*sys.modules, file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    heavy = {"typer", "click", "rich", "scipy", "pyarrow", "torch", "hashlib", "tempfile"}
    assert heavy.isdisjoint(run.stderr.split())


def test_help_names_every_search_and_heuristic(capsys: pytest.CaptureFixture[str]) -> None:
    from beeline.planning.heuristics import HEURISTICS
    from beeline.planning.searches import SEARCHES

    assert main(["solve", "--help"]) == 0
    text = capsys.readouterr().out
    for entry in (*HEURISTICS.values(), *SEARCHES.values()):
        assert f"  {entry.name}" in text
        assert entry.summary in text
    assert text.partition("Example:")[2].count("beeline solve") >= 2
