"""What can go wrong inside and around a command, and what commands must not import."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from beeline.cli.command import find
from beeline.cli.main import main

MALFORMED = Path(__file__).parent / "malformed"
DOMAIN = str(MALFORMED / "base_domain.pddl")
TASK = str(MALFORMED / "base_task.pddl")
PLAN = str(MALFORMED / "base.plan")


class TestAccidents:
    """Whatever happens inside a command, the user sees one line."""

    def fail_with(self, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> list[str]:
        def run(*_: object, **__: object) -> int:
            raise error

        monkeypatch.setattr(find("inspect"), "run", run)
        return ["inspect", "domain.pddl", "task.pddl"]

    @pytest.mark.parametrize(
        ("error", "exit_code", "message"),
        [
            (MemoryError(), 22, "out of memory"),
            (RecursionError(), 31, "the input is nested too deeply"),
            (ZeroDivisionError("by\nzero"), 35, "internal error: ZeroDivisionError: by zero"),
            (KeyboardInterrupt(), 130, "interrupted"),
            (OSError(30, "Read-only file system", "set"), 32, "set: cannot write: Read-only file"),
            (OSError(28, "No space left on device"), 32, "cannot write the result: No space left"),
        ],
    )
    def test_one_line_and_an_exit_code(
        self,
        error: BaseException,
        exit_code: int,
        message: str,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        assert main(self.fail_with(monkeypatch, error)) == exit_code
        captured = capsys.readouterr()
        assert captured.err.startswith(f"beeline: error: {message}")
        assert captured.err.count("\n") == 1
        assert captured.out == ""

    def test_internal_errors_are_json_if_asked_for(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = self.fail_with(monkeypatch, ZeroDivisionError())
        assert main([*words, "--json"]) == 35
        fields = json.loads(capsys.readouterr().out)
        assert fields["exit_code"] == 35
        assert "BEELINE_DEBUG=1" in fields["error"]["hint"]

    def test_debugging_shows_the_traceback(self, monkeypatch: pytest.MonkeyPatch) -> None:
        words = self.fail_with(monkeypatch, ZeroDivisionError())
        monkeypatch.setenv("BEELINE_DEBUG", "1")
        with pytest.raises(ZeroDivisionError):
            main(words)

    def test_a_closed_pipe_is_silent(self) -> None:
        script = (
            f"{sys.executable} -m beeline inspect {DOMAIN} {TASK} | true; echo ${{PIPESTATUS[0]}}"
        )
        run = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
        assert run.stderr == ""
        assert run.stdout in ("0\n", "141\n")

    def test_a_full_disk_is_told(self, tmp_path: Path) -> None:
        words = [sys.executable, "-m", "beeline", "inspect", DOMAIN, TASK]
        with open(tmp_path / "output", "w") as output:
            run = subprocess.run(
                ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *words],
                stdout=output,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert run.returncode == 32
        assert run.stderr == "beeline: error: cannot write the result: File too large\n"

    def test_without_standard_output_the_exit_code_remains(self) -> None:
        script = f"{sys.executable} -m beeline validate {DOMAIN} {TASK} {PLAN} >&-"
        run = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
        assert (run.returncode, run.stderr) == (0, "")

    @pytest.mark.parametrize(
        ("number", "code", "word"),
        [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 23, "terminated")],
    )
    def test_a_signal_ends_a_long_run(
        self, number: int, code: int, word: str, tmp_path: Path
    ) -> None:
        names = " ".join(f"p{number}" for number in range(60))
        domain = tmp_path / "domain.pddl"
        variables = "?a ?b ?c ?d ?e ?f ?g ?h"
        domain.write_text(
            f"(define (domain slow) (:predicates (p {variables})) (:action go :parameters"
            f" ({variables}) :precondition () :effect (p {variables})))"
        )
        task = tmp_path / "task.pddl"
        task.write_text(
            f"(define (problem slow) (:domain slow) (:objects {names}) (:init)"
            " (:goal (p p0 p1 p2 p3 p4 p5 p6 p7)))"
        )
        with subprocess.Popen(
            [sys.executable, "-m", "beeline", "inspect", domain, task],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            time.sleep(1)
            process.send_signal(number)
            out, err = process.communicate(timeout=10)
        assert (process.returncode, out, err) == (code, "", f"beeline: error: {word}\n")

    def test_names_that_the_terminal_cannot_show_do_no_harm(self, tmp_path: Path) -> None:
        task = tmp_path / "task.pddl"
        task.write_text(Path(TASK).read_text().replace("errand", "besörgung"))
        run = subprocess.run(
            [sys.executable, "-m", "beeline", "inspect", DOMAIN, task],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        )
        assert run.returncode == 0
        assert "bes\\xf6rgung" in run.stdout


class TestLightness:
    HEAVY = ("typer", "click", "rich", "numpy", "scipy", "pyarrow", "torch", "dataclasses")

    @pytest.mark.parametrize(
        "words",
        [
            ["inspect", DOMAIN, TASK, "--json"],
            ["inspect", DOMAIN, TASK],
            ["validate", DOMAIN, TASK, PLAN],
            ["inspect", DOMAIN, "missing.pddl"],
        ],
    )
    def test_commands_import_nothing_heavy(self, words: list[str]) -> None:
        script = (
            "import sys; from beeline.cli.main import main\n"
            f"main({words!r}); print(*sys.modules, file=sys.stderr)"
        )
        run = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        )
        loaded = set(run.stderr.split())
        assert "beeline.pddl.source" in loaded
        assert loaded.isdisjoint(self.HEAVY)
