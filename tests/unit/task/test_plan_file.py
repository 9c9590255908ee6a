"""Plan files: what is understood, what is refused, and with which words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beeline.core.errors import BeelineError
from beeline.task.plan_file import Plan, format_plan, parse_plan, read_plan, write_plan

if TYPE_CHECKING:
    from pathlib import Path

WORDS = st.text("abcxyz019-_", min_size=1)
STEPS = st.lists(st.lists(WORDS, min_size=1, max_size=4).map(tuple)).map(tuple)


@given(STEPS, st.none() | st.integers(0, 10**9), st.booleans())
def test_a_written_plan_reads_back_the_same(
    steps: tuple[tuple[str, ...], ...], cost: int | None, unit_cost: bool
) -> None:
    plan = parse_plan(format_plan(steps, cost=cost, unit_cost=unit_cost))
    assert tuple(step.words for step in plan) == steps
    assert plan.cost == cost
    assert plan.unit_cost == (unit_cost and cost is not None)
    assert plan.lines == tuple(range(1, len(steps) + 1))


@given(st.text())
def test_any_text_is_a_plan_or_an_error_with_one_line(text: str) -> None:
    try:
        message = (
            "plan"
            if all(step.words for step in parse_plan(text, "plan"))
            else "a step without words"
        )
    except BeelineError as error:
        message = str(error)
    assert message.startswith("plan")
    assert "\n" not in message


@pytest.mark.parametrize(
    "line",
    [
        "(move a b)",
        "(MOVE A b)",
        "  (  move\ta   b )  ",
        "(move a b) ; the first",
        "0: (move a b)",
        "0:(move a b)[1]",
        "0.001: (move a b) [1.000]",
        "12 : ( move a b ) [ 1 ]",
        "(move a b)\r",
    ],
)
def test_one_step_in_many_spellings(line: str) -> None:
    assert parse_plan(f"; a plan\n{line}\n") == ("(move a b)",)


def test_lines_count_comments_and_empty_lines() -> None:
    assert parse_plan("\n; first\r\n(a)\r\r(b)\n").lines == (3, 5)


def test_empty_text_is_the_empty_plan() -> None:
    assert parse_plan("") == Plan(())
    assert parse_plan("; cost = 0 (unit cost)\n") == Plan((), cost=0)


@pytest.mark.parametrize(
    ("comment", "cost", "unit"),
    [
        ("; cost = 14 (general cost)", 14, False),
        ("; Cost = 14 (Unit Cost)", 14, True),
        (";cost=14", 14, False),
        ("; cost = 14.0", 14, False),
        ("; cost = 14.5", None, False),
        ("; cost = cheap", None, False),
        ("; the cost = 14 of it all", None, False),
        ("(a) ; cost = 14", 14, False),
    ],
)
def test_the_closing_comment_declares_the_cost(comment: str, cost: int | None, unit: bool) -> None:
    plan = parse_plan(comment)
    assert (plan.cost, plan.unit_cost) == (cost, unit)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(a)\n(b", r"plan:2: missing '\)' in '\(b'"),
        ("(a\n b)", r"plan:1: missing '\)'"),
        ("(a))", r"plan:1: one '\)' too many in '\(a\)\)'"),
        ("a)", r"plan:1: one '\)' too many"),
        ("move a b", r"plan:1: not a step of a plan: 'move a b'"),
        ("(a) (b)", r"plan:1: more than one step in '\(a\) \(b\)'"),
        ("(a (b))", r"plan:1: more than one step"),
        ("()", r"plan:1: a step without an action"),
        ("\n\n  ( )", r"plan:3: a step without an action"),
        ("soon: (a)", r"plan:1: not a step"),
        ("(define (domain d))", r"plan:1: this is PDDL, not a plan"),
        ("x" * 10_000, r"plan:1: not a step of a plan: 'x{57}\.\.\.' \(hint"),
        ("(a)\0", r"plan: not a text file: it has control characters"),
    ],
)
def test_what_is_no_step_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(BeelineError) as caught:
        parse_plan(text, "plan")
    assert re.match(message, str(caught.value))
    assert "hint" in str(caught.value)


def test_artificial_steps_are_never_written(tmp_path: Path) -> None:
    write_plan(tmp_path / "plan", [("a", "x"), ("@reach-goal",)], cost=1)
    assert (tmp_path / "plan").read_text() == "(a x)\n; cost = 1 (unit cost)\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plan"]


def test_a_plan_replaces_an_older_one(tmp_path: Path) -> None:
    write_plan(tmp_path / "plan", [("a",), ("b",)])
    write_plan(tmp_path / "plan", [("c",)])
    assert read_plan(tmp_path / "plan") == ("(c)",)


def test_writing_into_a_missing_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(BeelineError, match="cannot write"):
        write_plan(tmp_path / "nowhere" / "plan", [])


def test_bytes_that_are_not_utf8_are_read_as_latin1(tmp_path: Path) -> None:
    (tmp_path / "plan").write_bytes("(öffne tür)".encode("latin-1"))
    assert read_plan(tmp_path / "plan") == ("(öffne tür)",)


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "plan").write_bytes(b"\xef\xbb\xbf(a b)")
    assert read_plan(tmp_path / "plan") == ("(a b)",)


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plan").write_text("(a)")
    for path, message in (
        (tmp_path / "none", "no such file"),
        (tmp_path, "is a directory, not a plan file"),
        (tmp_path / "plan" / "inside", "cannot read: Not a directory"),
        (tmp_path / "nul\0byte", "cannot read: embedded null byte"),
    ):
        with pytest.raises(BeelineError, match=message):
            read_plan(path)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(BeelineError, match="permission denied"):
        read_plan(tmp_path / "plan")
