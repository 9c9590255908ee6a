"""What users and scripts rely on: output, JSON keys, help, warnings, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from itertools import combinations, permutations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from beeline import __version__
from beeline.cli.commands import MODULES, SHORT_OPTIONS, command, option_name, quick_call
from beeline.cli.main import main
from beeline.cli.typer_app import DESCRIBED, make_app

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(path.parent.name for path in ROOT.glob("examples/*/task.plan"))
GROUPS = sorted({name.split()[0] for name in MODULES})
PLAIN = sorted(
    name for name in MODULES if not command(name).__defaults__
)  # a fixed number of files
MALFORMED = Path(__file__).parent / "malformed"
DOMAIN = str(MALFORMED / "base_domain.pddl")
TASK = str(MALFORMED / "base_task.pddl")
PLAN = str(MALFORMED / "base.plan")

INSPECT_KEYS = {
    *("status", "domain", "task", "facts", "operators", "variables", "mutex_groups", "objects"),
    *("goals", "goal_holds", "parse_time", "ground_time", "total_time", "peak_memory", "warnings"),
}


def beeline(*words: str, **settings: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "beeline", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **settings,  # type: ignore[call-overload]
    )


def task_with(tmp_path: Path, old: str, new: str) -> str:
    text = Path(TASK).read_text()
    assert old in text
    path = tmp_path / "task.pddl"
    path.write_text(text.replace(old, new))
    return str(path)


class TestInspect:
    def test_json_has_the_promised_keys(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["inspect", DOMAIN, TASK, "--json"]) == 0
        captured = capsys.readouterr()
        fields = json.loads(captured.out)
        assert captured.out.count("\n") == 1
        assert captured.err == ""
        assert fields.keys() >= INSPECT_KEYS
        assert (fields["status"], fields["domain"], fields["task"]) == ("ok", "courier", "errand")
        assert (fields["facts"], fields["operators"], fields["objects"]) == (5, 6, 4)
        assert fields["goal_holds"] is False
        assert fields["warnings"] == []

    def test_times_add_up(self) -> None:
        start = time.perf_counter()
        fields = json.loads(beeline("inspect", DOMAIN, TASK, "--json").stdout)
        elapsed = time.perf_counter() - start
        assert 0 < fields["parse_time"] + fields["ground_time"] <= fields["total_time"]
        assert fields["total_time"] <= elapsed + 0.02  # the start is known to a hundredth
        assert 5_000 < fields["peak_memory"] < 500_000

    def test_the_table_shows_counts_and_goal(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["inspect", DOMAIN, TASK]) == 0
        table = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
        assert table["facts"].startswith("5 of ")
        assert table["operators"].startswith("6 of ")
        assert table["goal"] == "(lies letter shop)"

    def test_unit_costs_are_a_choice(self, capsys: pytest.CaptureFixture[str]) -> None:
        for words, unit in (([], False), (["--unit-costs"], True)):
            assert main(["inspect", DOMAIN, TASK, "--json", *words]) == 0
            assert json.loads(capsys.readouterr().out)["unit_costs"] is unit

    def test_a_goal_that_holds_is_said(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        task = task_with(tmp_path, "(:goal (lies letter shop))", "(:goal (lies letter depot))")
        assert main(["inspect", DOMAIN, task, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["goal_holds"] is True
        assert main(["inspect", DOMAIN, task]) == 0
        assert "the goal already holds" in capsys.readouterr().out

    def test_an_unsolvable_task_exits_with_11_and_a_reason(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        task = task_with(tmp_path, "(road depot shop)", "")
        assert main(["inspect", DOMAIN, task, "--json"]) == 11
        fields = json.loads(capsys.readouterr().out)
        assert fields["status"] == "unsolvable"
        assert "out of reach" in fields["reason"]
        assert fields.keys() >= INSPECT_KEYS


class TestValidate:
    def test_a_valid_plan(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["validate", DOMAIN, TASK, PLAN]) == 0
        assert capsys.readouterr() == ("valid: 3 steps, cost 5\n", "")
        assert main(["validate", DOMAIN, TASK, PLAN, "--json"]) == 0
        fields = json.loads(capsys.readouterr().out)
        assert (fields["status"], fields["valid"]) == ("valid", True)
        assert (fields["length"], fields["cost"]) == (3, 5)
        assert "failure" not in fields

    def test_an_invalid_plan(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "plan").write_text(
            "; comment\n(drive van depot shop)\n(load letter van shop)\n"
        )
        assert main(["validate", DOMAIN, TASK, str(tmp_path / "plan"), "--json"]) == 1
        fields = json.loads(capsys.readouterr().out)
        assert (fields["valid"], fields["cost"], fields["length"]) == (False, None, 2)
        assert fields["failure"] == {
            "kind": "precondition_not_satisfied",
            "message": "precondition not satisfied: (lies letter shop)",
            "step": 2,
            "action": "(load letter van shop)",
            "line": 3,
            "unsatisfied": ["(lies letter shop)"],
        }

    def test_a_wrong_cost_in_the_file_is_a_warning(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        plan = tmp_path / "plan"
        for comment, warned in (
            ("; cost = 5 (general cost)", False),
            ("; cost = 3 (unit cost)", False),
            ("; cost = 3 (general cost)", True),
            ("; cost = 5 (unit cost)", True),
        ):
            plan.write_text(Path(PLAN).read_text().split(";")[0] + comment)
            assert main(["validate", DOMAIN, TASK, str(plan)]) == 0
            assert ("the plan says that it costs" in capsys.readouterr().err) is warned
            assert main(["validate", DOMAIN, TASK, str(plan), "--quiet"]) == 0
            assert capsys.readouterr().err == ""

    def test_unit_costs_are_a_choice(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["validate", DOMAIN, TASK, PLAN, "--unit-costs", "--quiet"]) == 0
        assert capsys.readouterr().out == "valid: 3 steps, cost 3\n"


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_plans_are_valid(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = ROOT / "examples" / name
    files = [str(folder / file) for file in ("domain.pddl", "task.pddl", "task.plan")]
    assert main(["inspect", *files[:2]]) == 0
    assert main(["validate", *files]) == 0
    assert capsys.readouterr().err == ""


class TestWarnings:
    @pytest.fixture
    def sloppy_task(self, tmp_path: Path) -> str:
        repetitions = "(:init (at van depot)) " * 8
        return task_with(tmp_path, "(:goal", f"{repetitions}(:goal")

    def test_the_first_few_are_printed_and_json_has_all(
        self, sloppy_task: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["inspect", DOMAIN, sloppy_task, "--json"]) == 0
        captured = capsys.readouterr()
        lines = captured.err.splitlines()
        warnings = json.loads(captured.out)["warnings"]
        assert len(warnings) > 5
        assert lines[:5] == [f"beeline: warning: {text}" for text in warnings[:5]]
        assert lines[5:] == [
            f"beeline: warning: and {len(warnings) - 5} more (all of them: --json)"
        ]

    def test_quiet_prints_none(self, sloppy_task: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["inspect", DOMAIN, sloppy_task, "--quiet"]) == 0
        assert capsys.readouterr().err == ""


class TestUsage:
    def test_version(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["--version"]) == 0
        assert capsys.readouterr().out == f"beeline {__version__}\n"

    def test_help_teaches(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["--help"]) == 0
        text = capsys.readouterr().out
        for part in ("beeline inspect domain.pddl task.pddl", "Exit codes:", "34", *GROUPS):
            assert part in text

    def test_no_words_at_all_show_the_help(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([]) == 2
        assert "Usual calls:" in capsys.readouterr().out

    @pytest.mark.parametrize("name", sorted(MODULES))
    def test_every_command_has_help_with_an_example(
        self, name: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main([*name.split(), "--help"]) == 0
        text = capsys.readouterr().out
        assert f"beeline {name} " in text.partition("Example:")[2]
        assert "exit code" in text

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["inspect"], "Missing argument"),
            (["inspect", "domain.pddl"], "Missing argument 'TASK'"),
            (["validate", "domain.pddl", "task.pddl"], "Missing argument 'PLAN'"),
            (["inspect", "a", "b", "c"], "Got unexpected extra argument"),
            (["inspect", "a", "b", "--jsn"], "No such option: --jsn"),
            (["inspect", "a", "b", "--json=3"], "Option '--json' does not take a value"),
            (["inspct", "a", "b"], "No such command 'inspct'"),
            (["--wrong"], "No such option: --wrong"),
            (["solve", "a", "b", "--serch", "gbfs"], "No such option: --serch"),
            (["solve", "a", "b", "--search"], "Option '--search' requires an argument"),
        ],
    )
    def test_errors_of_usage_are_one_line_and_exit_code_2(
        self, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(words) == 2
        captured = capsys.readouterr()
        assert captured.err.startswith(f"beeline: error: {message}")
        assert captured.err.count("\n") == 1
        assert "--help'" in captured.err
        assert captured.out == ""

    def test_errors_of_usage_are_json_if_asked_for(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["inspect", "--json"]) == 2
        fields = json.loads(capsys.readouterr().out)
        assert (fields["status"], fields["exit_code"]) == ("error", 2)

    def test_completion_scripts_are_offered(self) -> None:
        environment = {**os.environ, "_BEELINE_COMPLETE": "source_bash"}
        assert "_beeline_completion" in beeline(env=environment).stdout
        # Which shell is above this process depends on who runs the tests: name it instead.
        environment = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
        assert "beeline" in beeline("--show-completion", "bash", env=environment).stdout


def ways_to_choose(run: Callable[..., int], parameter: str) -> list[list[str]]:
    """The words for an option: a flag, or a value written in each possible way."""
    option = option_name(parameter)
    if run.__kwdefaults__[parameter] is False:
        return [[option]]
    short = [[letter, "v"] for letter, name in SHORT_OPTIONS.items() if name == option]
    return [[option, "value"], [f"{option}=a=b"], *short]


class TestTheShortWay:
    """Plain words are understood without Typer; both ways must agree."""

    @pytest.mark.parametrize("name", PLAIN)
    def test_both_ways_understand_the_same(self, name: str) -> None:
        run = command(name)
        files = ["x.pddl", "y.pddl", "z", "w"][: run.__code__.co_argcount]
        choices = [words for each in run.__kwdefaults__ for words in ways_to_choose(run, each)]
        app = make_app()
        for chosen in [(), *((each,) for each in choices), *combinations(choices[:5], 2), choices]:
            options = [word for words in chosen for word in words]
            for words in (
                [*files, *options],
                [*options, *files],
                [*files[:1], *options, *files[1:]],
            ):
                quick = quick_call([*name.split(), *words])
                full = app([*name.split(), *words], prog_name="beeline", standalone_mode=False)
                assert quick is not None
                assert quick.func is full.func is run
                assert {**run.__kwdefaults__, **quick.keywords} == full.keywords

    @pytest.mark.parametrize("name", sorted(MODULES))
    def test_every_flag_is_described_under_its_own_name(self, name: str) -> None:
        run = command(name)
        for parameter in run.__kwdefaults__:
            described = DESCRIBED[run.__annotations__[parameter]]
            assert option_name(parameter) in str(vars(described.__metadata__[0]))

    @pytest.mark.parametrize(
        "words",
        [
            [],
            ["--version"],
            ["inspct", "a", "b"],
            ["inspect"],
            ["inspect", "a"],
            ["inspect", "a", "b", "c"],
            ["inspect", "a", "b", "--help"],
            ["inspect", "a", "b", "-h"],
            ["inspect", "a", "b", "--jso"],
            ["inspect", "--", "a", "b"],
            ["inspect", "a", "-"],
            ["inspect", "a", ""],
            ["inspect", "a", "b", "--json=1"],
            ["solve", "a", "b", "--search"],
            ["solve", "a", "b", "--search="],
            ["solve", "a", "b", "--seed", "-1"],
            ["solve", "a", "b", "-oplan"],
            ["solve", "a", "b", "-o=plan"],
        ],
    )
    def test_anything_unusual_is_left_to_typer(self, words: list[str]) -> None:
        assert quick_call(words) is None

    def test_typer_runs_what_the_short_way_leaves(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["inspect", "--quiet", "--", DOMAIN, TASK]) == 0
        assert "courier" in capsys.readouterr().out

    @pytest.mark.parametrize("words", list(permutations([DOMAIN, "--json"])))
    def test_flags_may_stand_anywhere(
        self, words: tuple[str, str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["inspect", *words, TASK]) == 0
        assert json.loads(capsys.readouterr().out)["status"] == "ok"
