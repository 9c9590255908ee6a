"""The corpus of malformed inputs: each ends in one clear line and the right exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from beeline.cli.main import main

FOLDER = Path(__file__).parent / "malformed"
BASE = {"domain": "base_domain.pddl", "task": "base_task.pddl", "plan": "base.plan"}
FILES = {"domain": "domain.pddl", "task": "task.pddl", "plan": "plan"}


class Case(NamedTuple):
    name: str
    words: list[str]
    exit_code: int
    says: str
    texts: dict[str, str]


def read_case(lines: list[str], command: str) -> Case:
    texts = {kind: (FOLDER / file).read_text() for kind, file in BASE.items()}
    exit_code, says, kind = 0, "", ""
    for line in lines[1:]:
        word, _, rest = line.partition(" ")
        if line.startswith("|"):
            texts[kind] += line[2:] + "\n"
        elif word == "exit":
            exit_code = int(rest)
        elif word == "says":
            says = rest
        elif line:
            kind = word.removesuffix(":")
            old, arrow, new = rest.replace("\\n", "\n").partition(" =>")
            assert not arrow or texts[kind].count(old) == 1, lines[0]
            texts[kind] = texts[kind].replace(old, new[1:]) if arrow else ""
    files = [file for kind, file in FILES.items() if kind != "plan" or command == "validate"]
    return Case(lines[0], [command, *files], exit_code, says, texts)


def read_corpus() -> list[Case]:
    cases = []
    for path in sorted(FOLDER.glob("*.txt")):
        command = "validate" if path.stem == "plans" else "inspect"
        for block in path.read_text().split("== ")[1:]:
            cases.append(read_case(block.rstrip().split("\n"), command))
    return cases


CORPUS = read_corpus()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, case: Case) -> None:
    for kind, file in FILES.items():
        (folder / file).write_text(case.texts[kind])


def test_the_corpus_is_large_and_its_names_differ() -> None:
    assert len(CORPUS) >= 60
    assert len({case.name for case in CORPUS}) == len(CORPUS)
    assert all(case.exit_code and case.says for case in CORPUS)


@pytest.mark.parametrize("command", ["inspect", "validate"])
def test_the_files_that_the_cases_change_are_fine(
    command: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, read_case(["base"], command))
    assert main(read_case(["base"], command).words) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("case", CORPUS, ids=[case.name.replace(" ", "_") for case in CORPUS])
def test_malformed_input(case: Case, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, case)
    assert main(case.words) == case.exit_code
    plain = capsys.readouterr()
    assert main([*case.words, "--json"]) == case.exit_code
    as_json = capsys.readouterr()
    fields = json.loads(as_json.out)
    assert plain.err == as_json.err
    assert "Traceback" not in plain.err + plain.out
    errors = [line for line in plain.err.split("\n") if not line.startswith("beeline: warning: ")]
    if case.exit_code in (1, 11):  # a result, not an error
        assert case.says in plain.out
        assert errors == [""]
        assert fields["status"] == {1: "invalid", 11: "unsolvable"}[case.exit_code]
    else:
        assert errors[0].startswith(f"beeline: error: {case.says}")
        assert errors[1:] == [""]
        assert plain.out == ""
        error = fields["error"]
        place = error["file"] + (f":{error['line']}" if error["line"] else "")
        assert f"{place}: {error['message']}".startswith(case.says)
        assert (fields["status"], fields["exit_code"]) == ("error", case.exit_code)
