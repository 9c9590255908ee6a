"""The outer shape of a file: `(define (domain NAME) SECTION ...)`, or `problem` for `domain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.pddl.source import suggestion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.pddl.source import Node, Source

_UNSUPPORTED = {
    ":durative-action": "durative actions are unsupported",
    ":derived": "derived predicates (axioms) are unsupported",
    ":axiom": "derived predicates (axioms) are unsupported",
    ":constraints": "constraints are unsupported",
    ":process": "processes are unsupported",
    ":event": "events are unsupported",
    ":method": "hierarchical planning is unsupported",
    ":task": "hierarchical planning is unsupported",
    ":htn": "hierarchical planning is unsupported",
    ":timeless": "timeless facts are unsupported",
    ":situation": "named situations are unsupported",
}


def file_name_and_sections(
    source: Source, kind: str, allowed: Sequence[str]
) -> tuple[str, dict[str, list[Node]]]:
    """The name of the domain or problem, and all sections by keyword.

    `kind` is "domain" or "problem".
    """
    tree = source.tree
    name: str | None = None
    sections: dict[str, list[Node]] = {keyword: [] for keyword in allowed}
    for index, part in enumerate(tree[1:], start=1):
        if not isinstance(part, list) or not part or not isinstance(part[0], str):
            raise source.error(f"expected a section of the {kind}", tree, index)
        keyword = part[0]
        if keyword in sections:
            sections[keyword].append(part)
        elif keyword == kind and name is None:
            name = _read_name(source, part, kind)
        else:
            raise _strange_section(source, kind, part, allowed)
    if name is None:
        raise source.error(f"({kind} NAME) is missing", tree)
    return name, sections


def warn_of_repetition(source: Source, sections: dict[str, list[Node]]) -> None:
    """One warning for each section that is given more than once; the parts are merged."""
    for keyword, parts in sections.items():
        if len(parts) > 1 and keyword != ":action":
            source.warn(f"section {keyword} is given more than once", parts[1])


def _read_name(source: Source, part: Node, kind: str) -> str:
    if len(part) == 1 and kind == "problem":
        source.warn("the problem has no name", part)
        return "unnamed"
    if len(part) != 2 or not isinstance(part[1], str):
        raise source.error(f"the name of the {kind} must be one word", part)
    return part[1]


def _strange_section(source: Source, kind: str, part: Node, allowed: Sequence[str]) -> Exception:
    keyword = part[0]
    if keyword in ("domain", "problem"):
        if keyword == kind:
            return source.error(f"a second ({kind} ...)", part)
        return source.error(
            f"this is a {keyword} file, but a {kind} file was expected,",
            part,
            hint="are the domain and the problem file swapped?",
        )
    if keyword in _UNSUPPORTED:
        return source.unsupported(_UNSUPPORTED[keyword], part)
    hint = suggestion(keyword, allowed)
    if keyword == ":objects":
        hint = "objects of all problems of a domain are its :constants"
    elif keyword in (":action", ":predicates", ":types", ":constants", ":functions"):
        hint = "it belongs into the domain file"
    elif keyword in (":init", ":goal", ":domain", ":metric"):
        hint = "it belongs into the problem file"
    return source.error(f"unknown section '{keyword}'", part, 0, hint)
