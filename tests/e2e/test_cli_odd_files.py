"""Files too large or too odd for the corpus, judged by the real program in its own process."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from beeline.cli.main import main
from beeline.pddl.source import MAX_DEPTH

MALFORMED = Path(__file__).parent / "malformed"
DOMAIN = MALFORMED / "base_domain.pddl"
TASK = MALFORMED / "base_task.pddl"
PLAN = MALFORMED / "base.plan"
MEMORY_IN_KB = 2 * 1024**2
SECONDS = 10


def beeline(*words: object) -> subprocess.CompletedProcess[str]:
    """Run the program with bounded memory (where the system can bound it) and time."""
    bounded = f'ulimit -v {MEMORY_IN_KB} 2>/dev/null; exec "$@"'
    return subprocess.run(
        ["sh", "-c", bounded, "sh", sys.executable, "-m", "beeline", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def check_error(run: subprocess.CompletedProcess[str], exit_code: int, message: str) -> None:
    assert run.returncode == exit_code, run.stderr
    assert run.stderr.startswith(f"beeline: error: {message}"), run.stderr
    assert run.stderr.count("\n") == 1
    assert len(run.stderr) < 500
    assert run.stdout == ""


def garbage(size: int, alphabet: bytes) -> bytes:
    letters = bytes(alphabet[number % len(alphabet)] for number in range(256))
    return random.Random(7).randbytes(size).translate(letters)


def test_a_missing_file(tmp_path: Path) -> None:
    missing = tmp_path / "missing.pddl"
    check_error(beeline("inspect", missing, TASK), 31, f"{missing}: no such file")
    check_error(beeline("inspect", DOMAIN, missing), 31, f"{missing}: no such file")
    check_error(beeline("validate", DOMAIN, TASK, missing), 31, f"{missing}: no such file")


def test_a_directory(tmp_path: Path) -> None:
    check_error(beeline("inspect", tmp_path, TASK), 31, f"{tmp_path}: is a directory")
    check_error(beeline("inspect", DOMAIN, tmp_path), 31, f"{tmp_path}: is a directory")
    check_error(beeline("validate", DOMAIN, TASK, tmp_path), 31, f"{tmp_path}: is a directory")


def test_a_path_through_a_file() -> None:
    inside = DOMAIN / "inside.pddl"
    check_error(beeline("inspect", inside, TASK), 31, f"{inside}: cannot read: Not a directory")


def test_a_name_that_is_too_long() -> None:
    check_error(beeline("inspect", "x" * 300, TASK), 31, "x" * 300 + ": cannot read: File name")


def test_a_binary_file(tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(bytes(range(256)) * 100)
    message = f"{binary}: not a text file"
    check_error(beeline("inspect", binary, TASK), 31, message)
    check_error(beeline("inspect", DOMAIN, binary), 31, message)
    check_error(beeline("validate", DOMAIN, TASK, binary), 31, message)
    check_error(beeline("inspect", sys.executable, TASK), 31, f"{sys.executable}: not a text file")


def test_an_empty_file(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    check_error(beeline("inspect", empty, TASK), 31, f"{empty}: the file is empty")
    check_error(beeline("inspect", os.devnull, TASK), 31, f"{os.devnull}: the file is empty")


def test_swapped_files() -> None:
    check_error(beeline("inspect", TASK, DOMAIN), 31, f"{TASK}:1: this is a problem file")
    check_error(beeline("validate", DOMAIN, PLAN, TASK), 31, f"{PLAN}:1: expected '(define'")


@pytest.mark.parametrize("file", ["domain.pddl", "task.pddl", "plan"])
def test_a_file_that_may_not_be_read(
    file: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # Permissions do not stop a superuser, so the refusal is put into `open` itself.
    for name, source in (("domain.pddl", DOMAIN), ("task.pddl", TASK), ("plan", PLAN)):
        (tmp_path / name).write_text(source.read_text())
    opened = open

    def guarded(path: object, *rest: object, **settings: object) -> object:
        if Path(str(path)).name == file:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *rest, **settings)  # type: ignore[call-overload]

    monkeypatch.setattr("builtins.open", guarded)
    words = ["validate", *[str(tmp_path / name) for name in ("domain.pddl", "task.pddl", "plan")]]
    assert main(words) == 31
    message = (
        f"beeline: error: {tmp_path / file}: permission denied (hint: may you read this file?)"
    )
    assert capsys.readouterr().err == message + "\n"


BRACKETS = b"()" + b" \n"
PRINTABLE = bytes(range(32, 127)) + b"\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(garbage(10_000_000, bytes(range(256))), "not a text file", id="bytes"),
        pytest.param(garbage(10_000_000, PRINTABLE), "expected '(define'", id="characters"),
        pytest.param(b"(define " + garbage(10_000_000, PRINTABLE), "", id="after_define"),
        pytest.param(b"(define " + garbage(10_000_000, BRACKETS), "", id="brackets"),
        pytest.param(b"a" * 10_000_000, "expected '(define'", id="one_word"),
        pytest.param(b"(define (domain " + b"a" * 10_000_000 + b"))", "", id="long_name"),
        pytest.param(b"; comment\n" * 1_000_000, "the file is empty", id="comments"),
        pytest.param(b"\n" * 10_000_000, "the file is empty", id="lines"),
        pytest.param(b"(" * 100_000, "expected '(define'", id="opening"),
        pytest.param(b")" * 100_000, "expected '(define'", id="closing"),
        pytest.param(b"(define" + b"(" * 100_000, "", id="opening_inside"),
        pytest.param(b"(define" + b")" * 100_000, "one ')' too many", id="closing_inside"),
        pytest.param(b"(define" + b"(" * 100_000 + b")" * 100_001, "", id="nested"),
        pytest.param(b"(define" + b"()" * 100_000 + b")", "expected a section", id="empty_lists"),
    ],
)
def test_large_nonsense_fails_soon(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "nonsense"
    path.write_bytes(content)
    for words in (("inspect", path, TASK), ("inspect", DOMAIN, path)):
        start = time.perf_counter()
        run = beeline(*words)
        assert time.perf_counter() - start < SECONDS
        if "(domain" in content[:20].decode("latin-1") and words[1] == path:
            assert run.returncode == 31  # a domain without a flaw, but of another name
            continue
        check_error(run, 31, str(path))
        assert message in run.stderr


@pytest.mark.parametrize(
    "content", [garbage(10_000_000, PRINTABLE), b"(" * 100_000, b"a " * 5_000_000]
)
def test_large_nonsense_is_no_plan(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "plan").write_bytes(content)
    check_error(
        beeline("validate", DOMAIN, TASK, tmp_path / "plan"), 31, f"{tmp_path / 'plan'}:1: "
    )


CONNECTIVES = ("(and ", "(or ", "(not ", "(imply (closed) ")
QUANTIFIERS = ("(forall (?x - place) ", "(exists (?x - place) ")


@pytest.mark.parametrize(
    ("opening", "depth"),
    [
        *[(opening, MAX_DEPTH - 3) for opening in CONNECTIVES],
        *[(opening, 12) for opening in QUANTIFIERS],  # each level doubles the work
        *[(opening, depth) for opening in CONNECTIVES + QUANTIFIERS for depth in (1000, 100_000)],
    ],
)
def test_deep_conditions_are_judged_or_refused(opening: str, depth: int, tmp_path: Path) -> None:
    goal = opening * depth + "(lies letter shop)" + ")" * depth
    path = tmp_path / "deep.pddl"
    path.write_text(TASK.read_text().replace("(lies letter shop)", goal))
    for words in (("inspect", DOMAIN, path), ("validate", DOMAIN, path, PLAN)):
        run = beeline(*words)
        if depth < MAX_DEPTH:
            assert run.returncode in (0, 1), run.stderr
            assert "error" not in run.stderr
        else:
            check_error(run, 31, f"{path}:9: parentheses are nested more than {MAX_DEPTH} deep")


def test_a_wide_condition_is_no_problem(tmp_path: Path) -> None:
    goal = "(and " + "(lies letter shop) " * 20_000 + ")"
    path = tmp_path / "wide.pddl"
    path.write_text(TASK.read_text().replace("(lies letter shop)", goal))
    assert beeline("validate", DOMAIN, path, PLAN).returncode == 0
    assert beeline("inspect", DOMAIN, path).returncode == 0


def test_line_ends_byte_order_marks_and_capitals_do_not_matter(tmp_path: Path) -> None:
    words = []
    for source in (DOMAIN, TASK, PLAN):
        text = source.read_text().upper().replace("\n", "\r\n")
        (tmp_path / source.name).write_bytes(b"\xef\xbb\xbf" + text.encode())
        words.append(tmp_path / source.name)
    run = beeline("validate", *words)
    assert (run.stdout, run.stderr, run.returncode) == ("valid: 3 steps, cost 5\n", "", 0)


def test_a_pipe_is_as_good_as_a_file() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "beeline", "validate", DOMAIN, TASK, "/dev/stdin"],
        input=PLAN.read_bytes(),
        capture_output=True,
        check=True,
    )
    assert run.stdout == b"valid: 3 steps, cost 5\n"
