from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beeline import pddl
from beeline.core.errors import BeelineError
from beeline.core.files import read_text
from beeline.pddl.source import KIND, MAX_DEPTH, Source, read_tree, without_comments

WORDS = st.text("abcxyz-_09:=", min_size=1, max_size=5)
TREES = st.recursive(WORDS, lambda part: st.lists(part, max_size=4), max_leaves=30)


def spell(tree: Any, spaces: list[str]) -> str:
    if isinstance(tree, str):
        return tree
    gap = spaces[len(tree) % len(spaces)]
    return "(" + gap + gap.join(spell(part, spaces) for part in tree) + gap + ")"


def tree_of(text: str) -> list[Any]:
    return read_tree(without_comments(text, "f.pddl"), "f.pddl")


@given(
    st.lists(TREES, max_size=4),
    st.lists(st.sampled_from([" ", "\n", "\t ", "\r\n", " ; (note) \n"]), min_size=1, max_size=4),
)
def test_what_was_written_is_read_back(parts: list[Any], spaces: list[str]) -> None:
    tree = ["define", *parts]
    assert tree_of(spell(tree, spaces)) == tree


@given(st.lists(TREES, max_size=4))
def test_every_list_is_found_at_the_line_it_starts_on(parts: list[Any]) -> None:
    text, starts = "", []

    def write(tree: Any) -> None:
        nonlocal text
        text += "\n"
        if isinstance(tree, str):
            text += tree
            return
        starts.append(text.count("\n") + 1)
        text += "("
        for part in tree:
            write(part)
        text += ")"

    write(["define", *parts])
    source = Source("f.pddl", text)
    found = []
    pending = [source.tree]
    while pending:
        node = pending.pop()
        found.append(source.line(node))
        pending += [part for part in reversed(node) if isinstance(part, list)]
    assert found == starts


def test_elements_are_found_too() -> None:
    source = Source("f", "(define\n (a\n ?x?y\n (b\n c) d)\n)")
    node = source.tree[1]
    assert [source.line(node, index) for index in range(5)] == [2, 3, 3, 4, 5]


def test_case_and_comments_do_not_matter() -> None:
    assert tree_of("; hello (\n(DEFINE (Domain D) ; )))\n)") == ["define", ["domain", "d"]]


def test_old_mac_line_ends_close_comments() -> None:
    assert tree_of("(define ; comment\r (domain d))") == ["define", ["domain", "d"]]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("(define (domain d)\n (a)", 1, "missing ')'"),
        ("(define (domain d)\n (:action a\n (p)\n\n (:action b))", 2, "(:action a (p)"),
        ("(define (domain d)\n (a)))", 2, "one ')' too many"),
        ("(define (domain d))\n\n(define)", 3, "text after the end"),
        ("(define (domain d))\n :init", 2, "text after the end"),
        ("\n\nhello world", 3, "expected '(define' but found 'hello world'"),
        ("(defined)", 1, "expected '(define'"),
        (")(", 1, "expected '(define'"),
        ("(define " + "\n(" * 1000 + ")" * 1000, MAX_DEPTH + 1, "nested more than"),
    ],
)
def test_syntax_errors_name_the_line(text: str, line: int, message: str) -> None:
    with pytest.raises(BeelineError) as caught:
        Source("f.pddl", text)
    assert message in caught.value.message
    assert caught.value.line == line
    assert caught.value.file == "f.pddl"
    assert "\n" not in str(caught.value)


def test_unreadable_files_give_one_clear_line(tmp_path: Any) -> None:
    empty, binary, comment = (tmp_path / name for name in ("empty", "binary", "comment"))
    empty.write_text("")
    comment.write_text(";; nothing else\n")
    binary.write_bytes(b"\x7fELF\x00\x01\x02" * 100)
    for path, message in [
        (tmp_path, "is a directory"),
        (tmp_path / "missing", "no such file"),
        (empty, "empty"),
        (comment, "empty"),
        (binary, "not a text file"),
        ("nul\0name", "cannot read"),
    ]:
        with pytest.raises(BeelineError, match=message) as caught:
            pddl.read_domain(path)
        assert caught.value.hint
        assert "\n" not in str(caught.value)


def test_permission_errors_give_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(BeelineError, match="permission denied"):
        pddl.read_domain("secret.pddl")


def test_other_encodings_are_accepted(tmp_path: Any) -> None:
    latin = tmp_path / "latin"
    latin.write_bytes("(define (domain d)) ; Größe".encode("latin-1"))
    marked = tmp_path / "marked"
    marked.write_bytes(b"\xef\xbb\xbf(define (domain d))")
    assert read_text(latin, KIND).endswith("Größe")
    assert pddl.read_domain(marked).name == "d"


@pytest.mark.parametrize(
    "text",
    [
        "garbage " * 1_250_000,
        "(" * 10_000_000,
        "(define " + "(" * 10_000_000,
        "(define (domain d) " + "a " * 2_000_000,
    ],
    ids=["words", "parentheses", "nesting", "section"],
)
def test_megabytes_of_garbage_fail_quickly(text: str) -> None:
    start = time.process_time()
    with pytest.raises(BeelineError):
        pddl.parse_domain(text)
    assert time.process_time() - start < 3
