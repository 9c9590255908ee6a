"""Docstrings as Markdown: plain text with examples, which the reference must show as such."""

from __future__ import annotations

import re
from typing import Any

from griffe import Docstring, Extension, Object

PROMPT = ">>> "
SPECIAL = re.compile(r"`[^`]*`|\*\w+\*|([*\[<])")  # code and emphasis stay


class PlainDocstrings(Extension):
    """Rewrites every docstring that mkdocstrings is about to show."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of a module, class, function or attribute."""
        if isinstance(obj.docstring, Docstring):
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(text: str) -> str:
    r"""The text with its examples fenced, and without anything that Markdown would interpret.

    >>> as_markdown("a * b, float64[n]\n\n>>> [1][0]\n1").splitlines()
    ['a \\* b, float64\\[n]', '', '```pycon', '>>> [1][0]', '1', '```']
    """
    lines: list[str] = []
    in_example = False
    for line in text.splitlines():
        if not in_example and line.startswith(PROMPT):
            lines += ["", "```pycon"]
            in_example = True
        elif in_example and not line.strip():
            lines.append("```")
            in_example = False
        plain = not in_example and not line.startswith("    ")
        lines.append(SPECIAL.sub(_escaped, line) if plain else line)
    if in_example:
        lines.append("```")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def _escaped(found: re.Match[str]) -> str:
    return f"\\{found[1]}" if found[1] else found[0]
