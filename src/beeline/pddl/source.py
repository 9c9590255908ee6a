"""One PDDL text with its tree: lines for messages, and the warnings collected on the way.

The tree is made of nested lists of lower-case words. The loop that makes it runs once per closing
parenthesis, not once per word: `str.split` cuts the text at `)` and each piece at `(`, so that a
fact such as `(at truck depot)` costs three calls. Positions are not stored; `Source` finds them
again when a message needs one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError, UnsupportedError
from beeline.core.files import read_text, refuse_binary
from beeline.pddl.model import PddlWarning

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    Node = list[Any]


KIND = "PDDL file"
MAX_DEPTH = 100  # every checker and the translator recurse a few frames per level

# Patterns for messages only; `re` compiles and keeps them when one is needed.
WORD = r"[()]|\?[^\s()?]*|[^\s()?]+"
_SECTION = r"\(\s*:[a-zA-Z]"

_COMMENT = re.compile(";[^\n]*")


def without_comments(text: str, name: str) -> str:
    """The text with comments blanked and line ends unified, refused early if it cannot be PDDL.

    >>> without_comments("(define ; yes\\r\\n)", "d.pddl")
    '(define \\n)'
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if ";" in text:
        text = _COMMENT.sub("", text)
    start = text.lstrip()
    if not start:
        raise BeelineError("the file is empty", name, hint="it holds no text besides comments")
    inside = start[1:].lstrip()
    if start[0] != "(" or inside[:6].lower() != "define" or inside[6:7] not in _AFTER_WORD:
        message = f"expected '(define' but found '{shorten(start[:200])}'"
        line = _line(text, len(text) - len(start))
        raise BeelineError(message, name, line, "is this a PDDL file?")
    return text


_AFTER_WORD = ("", " ", "\t", "\n", "\v", "\f", "(", ")")


def read_tree(text: str, name: str) -> list[Any]:
    """The one list that `text`, free of comments, consists of.

    >>> read_tree("(define (domain D) (:predicates (on ?x?y)))", "d.pddl")
    ['define', ['domain', 'd'], [':predicates', ['on', '?x', '?y']]]
    """
    lowered = text.lower()
    if "?" in lowered:
        lowered = lowered.replace("?", " ?")
    pieces = lowered.split(")")
    rest = pieces.pop()
    root: list[Any] = []
    current = root
    outer: list[list[Any]] = []
    for piece in pieces:
        parts = piece.split("(")
        if len(parts) == 2:  # by far the most frequent case: a list without sublists
            before, words = parts
            current += before.split()
            current.append(words.split())
            continue
        current += parts[0].split()
        for words in parts[1:]:
            inner: list[Any] = words.split()
            current.append(inner)
            outer.append(current)
            current = inner
            if len(outer) > MAX_DEPTH:
                raise _nesting_error(text, name)
        if not outer:
            raise _bracket_error(text, name)
        current = outer.pop()
    if outer or len(root) != 1 or rest.strip():
        raise _bracket_error(text, name)
    tree: list[Any] = root[0]
    return tree


def shorten(text: str, limit: int = 60) -> str:
    """One line of at most `limit` characters.

    >>> shorten("(and\\n  (on a b))", 12)
    '(and (on ...'
    """
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _nesting_error(text: str, name: str) -> BeelineError:
    depth = 0
    for match in re.finditer(r"[()]", text):
        depth += 1 if match.group() == "(" else -1
        if depth > MAX_DEPTH:
            break
    message = f"parentheses are nested more than {MAX_DEPTH} deep"
    return BeelineError(message, name, _line(text, match.start()), "is a ')' missing?")


def _bracket_error(text: str, name: str) -> BeelineError:
    """Find the first place where the parentheses of `text` do not form one list."""
    open_at: list[int] = []
    culprit: int | None = None
    for match in re.finditer(WORD, text):
        word, offset = match.group(), match.start()
        if word == "(":
            # A section inside a section: the list around it was meant to end before.
            if culprit is None and len(open_at) > 1 and re.compile(_SECTION).match(text, offset):
                culprit = open_at[-1]
            open_at.append(offset)
            if len(open_at) > MAX_DEPTH:
                return _nesting_error(text, name)
            continue
        if word == ")" and open_at:
            open_at.pop()
            if not open_at and text[offset + 1 :].strip():
                return _after_end_error(text, name, offset + 1)
    start = open_at[-1] if culprit is None else culprit
    message = f"missing ')': the list '{shorten(text[start : start + 200], 40)}' is never closed"
    return BeelineError(message, name, _line(text, start), "every '(' needs a ')'")


def _after_end_error(text: str, name: str, end: int) -> BeelineError:
    rest = text[end:].lstrip()
    message, hint = "one ')' too many", "the definition ends before it"
    if rest[0] != ")":
        message = f"text after the end of the definition: '{shorten(rest[:200], 40)}'"
        hint = "is there one ')' too many before it?"
    return BeelineError(message, name, _line(text, len(text) - len(rest)), hint)


MAX_WARNINGS = 50


class Source:
    """A text and its tree; `line` finds a list of the tree again by its identity."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = without_comments(text, file)
        self.tree = read_tree(self.text, file)
        self.warnings: list[PddlWarning] = []

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Source:
        """Read a file."""
        return cls(str(path), read_text(path, KIND))

    @classmethod
    def from_text(cls, text: str, name: str) -> Source:
        """Take a text; `name` stands for the file in messages."""
        refuse_binary(text.encode("utf-8", "replace"), name, KIND)
        return cls(name, text)

    def line(self, node: Node, index: int | None = None) -> int:
        """The line, counted from 1, of a list of the tree or of its element number `index`.

        >>> source = Source("d", "(define (domain d)\\n (:predicates\\n (p)\\n q))")
        >>> predicates = source.tree[2]
        >>> source.line(predicates), source.line(predicates, 1), source.line(predicates, 2)
        (2, 3, 4)
        """
        offset = self._offset(node)
        if index is not None:
            offset = self._element_offset(offset, index)
        return _line(self.text, offset)

    def error(
        self,
        message: str,
        node: Node,
        index: int | None = None,
        hint: str | None = None,
        kind: type[BeelineError] = BeelineError,
    ) -> BeelineError:
        """An error about `node`, which the message shows."""
        shown = f"{shorten(message, 200)} in {shorten(_spell(node, 80))}"
        return kind(shown, self.file, self.line(node, index), hint)

    def unsupported(
        self, message: str, node: Node, index: int | None = None, hint: str | None = None
    ) -> BeelineError:
        """A refusal of a feature used in `node`, which the message shows."""
        return self.error(message, node, index, hint, UnsupportedError)

    def warn(self, message: str, node: Node, index: int | None = None) -> None:
        """Note that something about `node` was repaired."""
        if len(self.warnings) >= MAX_WARNINGS:
            return
        if len(self.warnings) == MAX_WARNINGS - 1:
            message = "more warnings are left out"
        self.warnings.append(PddlWarning(self.file, self.line(node, index), shorten(message, 300)))

    def warn_of_all(self, message: str, names: Iterable[str], node: Node) -> None:
        """One warning for all the `names`, if there are any; `{}` in the message takes them."""
        listed = list(dict.fromkeys(names))
        if listed:
            shown = ", ".join(f"'{name}'" for name in listed[:5])
            more = f" and {len(listed) - 5} more" if len(listed) > 5 else ""
            self.warn(message.format(shown + more), node)

    def _offset(self, node: Node) -> int:
        ordinal = 0
        pending: list[Any] = [self.tree]
        while pending:
            item = pending.pop()
            if item is node:
                break
            ordinal += 1
            pending.extend([part for part in reversed(item) if type(part) is list])
        else:
            return 0  # a list made during repair: the start of the file is all we can say
        offset = -1
        for _ in range(ordinal + 1):
            offset = self.text.find("(", offset + 1)
        return offset

    def _element_offset(self, start: int, index: int) -> int:
        depth = 0
        for match in re.compile(WORD).finditer(self.text, start + 1):
            word = match.group()
            if depth == 0 and word != ")":
                if index == 0:
                    return match.start()
                index -= 1
            depth += (word == "(") - (word == ")")
            if depth < 0:
                return match.start()
        return start


def _spell(node: Any, budget: int) -> str:
    """A node as text, of about `budget` characters.

    >>> _spell(["on", "?x", ["f", "a"]], 80)
    '(on ?x (f a))'
    """
    if isinstance(node, str):
        return node
    words: list[str] = []
    for part in node:
        if budget <= 0:
            words.append("...")
            break
        words.append(_spell(part, budget))
        budget -= len(words[-1]) + 1
    return "(" + " ".join(words) + ")"
