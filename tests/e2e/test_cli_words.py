"""Options in every way that they can be written, and what a shell completes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from beeline.cli.command import COMMANDS, find, written
from beeline.cli.help_pages import SCRIPTS, offers
from beeline.cli.main import main
from beeline.core.settings import FLAG, NUMBER, PAIRS, SIZE, TEXT, TEXTS, WHOLE
from beeline.generators.registry import DOMAINS

if TYPE_CHECKING:
    from beeline.core.settings import Setting

MALFORMED = Path(__file__).parent / "malformed"
DOMAIN = str(MALFORMED / "base_domain.pddl")
TASK = str(MALFORMED / "base_task.pddl")


def word_for(option: Setting) -> str:
    """A word that an option takes."""
    words = {WHOLE: "3", NUMBER: "0.5", SIZE: "2G", TEXT: "a=b", TEXTS: "c=d", PAIRS: "e=5"}
    return words[option.kind]


def ways_to_choose(option: Setting) -> list[list[str]]:
    """The words for an option, written in each possible way."""
    hidden = [flag for flag in option.about.aliases if flag.startswith("--")]
    if option.kind == FLAG:
        return [[flag] for flag in [*written(option), *hidden]]
    word = word_for(option)
    long = [flag for flag in [*written(option), *hidden] if flag.startswith("--")]
    short = [flag for flag in written(option) if not flag.startswith("--")]
    return [
        *([flag, word] for flag in long + short),
        *([f"{flag}={word}"] for flag in long),
        *([f"{flag}{word}"] for flag in short),
    ]


class TestWords:
    """Every option of every command, in every place and way."""

    @pytest.mark.parametrize("name", sorted(COMMANDS))
    def test_options_may_be_written_anywhere_in_every_way(
        self, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        command = find(name)
        calls: list[dict[str, object]] = []
        monkeypatch.setattr(type(command), "__call__", lambda _, **words: calls.append(words) or 0)
        files = ["x.pddl", "y.pddl", "z", "w"][: len(command.arguments)]
        for option in command.options:
            for words in ways_to_choose(option):
                calls.clear()
                for line in (
                    [*files, *words],
                    [*words, *files],
                    [*files[:1], *words, *files[1:]],
                    [*words, "--", *files],
                ):
                    assert command.call(name, line) == 0
                assert all(each == calls[0] for each in calls)
                given = [calls[0].pop(each.name) for each in command.arguments]
                assert [word for word in files if word in str(given)] == files
                assert [*calls[0]] == [option.name]
                assert type(calls[0][option.name]) in (int, float, str, bool, list, dict)

    def test_contrary_flags_are_refused(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["solve", DOMAIN, TASK, "--reopen", "--no-reopen"]) == 31
        assert "--reopen and --no-reopen exclude each other" in capsys.readouterr().err

    @pytest.mark.parametrize("words", list(permutations([DOMAIN, "--json"])))
    def test_flags_may_stand_anywhere(
        self, words: tuple[str, str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["inspect", *words, TASK]) == 0
        assert json.loads(capsys.readouterr().out)["status"] == "ok"

    def test_words_behind_two_dashes_are_files(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["inspect", "--quiet", "--", DOMAIN, TASK]) == 0
        assert "courier" in capsys.readouterr().out
        assert main(["inspect", "--", DOMAIN, "--json"]) == 31
        assert "--json: no such file" in capsys.readouterr().err

    def test_a_negative_number_is_a_value(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["solve", DOMAIN, TASK, "--seed", "-1"]) == 31
        assert "seed -1 is not" in capsys.readouterr().err


class TestCompletion:
    def test_scripts_are_offered(self, capsys: pytest.CaptureFixture[str]) -> None:
        environment = {**os.environ, "_BEELINE_COMPLETE": "source_bash"}
        call = [sys.executable, "-m", "beeline"]
        run = subprocess.run(call, env=environment, capture_output=True, text=True, check=True)
        assert "_beeline_completion" in run.stdout
        for shell, script in SCRIPTS.items():
            assert main(["--show-completion", shell]) == 0
            assert capsys.readouterr().out == script

    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_scripts_are_installed_once(
        self,
        shell: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("SHELL", f"/bin/{shell}")
        assert main(["--install-completion"]) == 0
        assert main(["--install-completion", shell]) == 0
        file = Path(capsys.readouterr().out.partition(":")[0])
        assert file.is_relative_to(tmp_path)
        assert file.read_text() == SCRIPTS[shell]
        startup = tmp_path / f".{shell}rc"
        if shell != "fish":
            assert startup.read_text().count("beeline") == 1

    @pytest.mark.skipif(not Path("/bin/bash").exists(), reason="there is no bash")
    def test_bash_completes_words(self) -> None:
        script = SCRIPTS["bash"] + (
            'COMP_WORDS=(beeline solve d t --search "="  as); COMP_CWORD=6; _beeline_completion;'
            'echo "${COMPREPLY[@]}"'
        )
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        run = subprocess.run(
            ["/bin/bash", "-c", script],
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout == "astar\n"

    @pytest.mark.parametrize(
        ("words", "some"),
        [
            ([""], {"solve", "data", "--version"}),
            (["data", ""], {"plans", "summary"}),
            (["solve", "d", "t", "--heuristic", ""], {"ff", "lmcut"}),
            (["solve", "d", "t", "--h"], {"--heuristic", "--help"}),
            (["solve", "d", "t", "--estimate", "m"], {"mean", "mu"}),
            (["plan", ""], {"auto", "blocksworld"}),
            (["models", "info", "bl"], {"blocksworld"}),
            (["generate", ""], {*DOMAINS}),
            (["data", "plans", "--generator", "fe"], {"ferry"}),
            (["data", "plans", "--backend", ""], {"local", "ray"}),
            (["data", "regression", "d", "t", "--strategy", ""], {"xrs", "fsm"}),
            (["experiment", "mini"], {"minini2023-table4.5"}),
            (["experiment", "x", "--scale", ""], {"small", "paper"}),
            (["train", "set", "--loss", "rank-"], {"rank-astar", "rank-gbfs"}),
            (["train", "set", "--model", ""], {"nlm", "linear"}),
            (["train", "--optimiser=ada"], {"--optimiser=adamw", "--optimiser=adabelief"}),
            (["learn", "d", "--loss", "rank"], {"rank-siblings"}),
        ],
    )
    def test_names_are_offered(self, words: list[str], some: set[str]) -> None:
        assert some <= {*offers(words)}
        assert all(each.startswith(words[-1]) for each in offers(words))

    def test_files_are_left_to_the_shell(self) -> None:
        assert offers(["solve", ""]) == []
        assert offers(["solve", "d.pddl", "t.pddl", "--output", ""]) == []
