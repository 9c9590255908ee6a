"""One PDDL text with its tree: lines for messages, and the warnings collected on the way."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError, UnsupportedError
from beeline.core.files import read_text, refuse_binary
from beeline.pddl.model import PddlWarning
from beeline.pddl.reader import (
    KIND,
    WORD,
    read_tree,
    shorten,
    without_comments,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from typing import Any

    Node = list[Any]

MAX_WARNINGS = 50


class Source:
    """A text and its tree; `line` finds a list of the tree again by its identity."""

    __slots__ = ("file", "text", "tree", "warnings")

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
        return self.text.count("\n", 0, offset) + 1

    def error(
        self, message: str, node: Node, index: int | None = None, hint: str | None = None
    ) -> BeelineError:
        """An error about `node`, which the message shows."""
        return BeelineError(_about(message, node), self.file, self.line(node, index), hint)

    def unsupported(
        self, message: str, node: Node, index: int | None = None, hint: str | None = None
    ) -> UnsupportedError:
        """A refusal of a feature used in `node`, which the message shows."""
        return UnsupportedError(_about(message, node), self.file, self.line(node, index), hint)

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


def snippet(node: Any) -> str:
    """A node as text, on one line and not too long.

    >>> snippet(["on", "?x", ["f", "a"]])
    '(on ?x (f a))'
    """
    return shorten(_spell(node, 80))


def suggestion(word: str, known: Iterable[str]) -> str | None:
    """A hint that names the most similar known word.

    >>> suggestion("onn", ["clear", "on"])
    "did you mean 'on'?"
    """
    from difflib import get_close_matches
    from itertools import islice

    if len(word) > 60:  # comparing very long or very many words takes long and helps nobody
        return None
    matches = get_close_matches(word, list(islice(known, 2000)), n=1)
    return f"did you mean '{matches[0]}'?" if matches else None


def _about(message: str, node: Any) -> str:
    return f"{shorten(message, 200)} in {snippet(node)}"


def _spell(node: Any, budget: int) -> str:
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
