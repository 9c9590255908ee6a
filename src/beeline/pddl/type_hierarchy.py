"""Typed lists (`a b - truck c - (either x y)`) and the hierarchy of types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.pddl.source import suggestion

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from beeline.pddl.source import Node, Source

    TypedNames = list[tuple[str, tuple[str, ...], int]]

OBJECT = ("object",)


def read_typed_list(
    source: Source, node: Node, start: int, kind: str, types: Collection[str] | None
) -> TypedNames:
    """The names in `node[start:]`, each with its type names and its index in `node`.

    `kind` ("variable", "object", "type") is for messages; with `types` None any type goes.
    """
    words = _with_spaces(source, node, start, kind, types)
    result: TypedNames = []
    pending: list[tuple[str, int]] = []
    position, end = 0, len(words)
    while position < end:
        word, index = words[position]
        position += 1
        if word != "-":
            pending.append((_checked_name(source, node, word, index, kind), index))
            continue
        if position == end:
            raise source.error("a type is missing after '-'", node, index)
        declared, index = words[position]
        position += 1
        names = _read_type(source, node, declared, index, types)
        if not pending:
            source.warn(f"'- {' '.join(names)}' has no name before it", node, index)
        result.extend([(name, names, place) for name, place in pending])
        pending.clear()
    result.extend([(name, OBJECT, place) for name, place in pending])
    return result


def _a(kind: str) -> str:
    return f"an {kind}" if kind == "object" else f"a {kind}"


def _checked_name(source: Source, node: Node, word: Any, index: int, kind: str) -> str:
    if not isinstance(word, str):
        hint = "is the '-' before it missing?" if word[:1] == ["either"] else None
        raise source.error(f"expected {_a(kind)}, found a list", node, index, hint)
    if (word[0] == "?") != (kind == "variable"):
        hint = "variables start with '?'" if kind == "variable" else "only variables start with '?'"
        raise source.error(f"'{word}' cannot be {_a(kind)}", node, index, hint)
    if word == "?":
        raise source.error("a '?' without a name", node, index, "is there a space after it?")
    if word[0] == ":":
        raise source.error(f"'{word}' cannot be {_a(kind)}", node, index, "is a ')' missing?")
    if kind == "type" and word[0] == "-":
        raise source.error(f"'{word}' cannot be a type", node, index)
    if "@" in word and (kind == "type" or word.startswith(("either@", "type@"))):
        raise source.error(f"'{word}' cannot be {_a(kind)}", node, index, "avoid '@' in names")
    return word


def _read_type(
    source: Source, node: Node, declared: Any, index: int, types: Collection[str] | None
) -> tuple[str, ...]:
    if isinstance(declared, str):
        names = (declared,)
        if types is not None and declared in types:
            return names
    else:
        if len(declared) < 2 or declared[0] != "either":
            raise source.error("expected a type or (either ...) after '-'", node, index)
        names = tuple(declared[1:])
    for name in names:
        if not isinstance(name, str):
            raise source.error("expected the name of a type", node, index)
        if name[0] in "?:-" or "@" in name:
            raise source.error(f"'{name}' cannot be a type", node, index)
        if types is not None and name not in types:
            hint = suggestion(name, types) or "declare it in (:types ...)"
            raise source.error(f"unknown type '{name}'", node, index, hint)
    return tuple(dict.fromkeys(names))


def _is_type(rest: Node, types: Collection[str]) -> bool:
    return bool(rest) and (isinstance(rest[0], list) or rest[0] in types)


def _with_spaces(
    source: Source, node: Node, start: int, kind: str, types: Collection[str] | None
) -> list[tuple[Any, int]]:
    """Words with their indices; `?x -truck` and `?x- truck` get their missing space."""
    words: list[tuple[Any, int]] = []
    for index in range(start, len(node)):
        word = node[index]
        if type(word) is str and word != "-":
            if word[0] == "-" and (types is None or word[1:] in types):
                source.warn(f"a space is missing after '-' in '{word}'", node, index)
                words += (("-", index), (word[1:], index))
                continue
            if (
                word[-1] == "-"
                and kind == "variable"
                and types
                and _is_type(node[index + 1 :], types)
            ):
                source.warn(f"a space is missing before '-' in '{word}'", node, index)
                words += ((word[:-1], index), ("-", index))
                continue
        words.append((word, index))
    return words


def read_types(source: Source, sections: list[Node]) -> dict[str, tuple[str, ...]]:
    """All types of a domain: each mapped to itself and all its supertypes, `object` last."""
    parents: dict[str, dict[str, Node]] = {"object": {}}
    declared = {"object"}
    for section in sections:
        for name, supertypes, index in read_typed_list(source, section, 1, "type", None):
            declared.add(name)
            entry = parents.setdefault(name, {})
            for supertype in supertypes:
                if name == "object":
                    if supertype == "object":
                        continue
                    raise source.error(
                        "'object' cannot have a supertype", section, index, "it is the root"
                    )
                entry[supertype] = section
    for section in sections:
        named = {s for entry in parents.values() for s, where in entry.items() if where is section}
        missing = sorted(named - declared)
        source.warn_of_all("supertype {} is not declared as a type itself", missing, section)
        for name in missing:
            parents.setdefault(name, {})
    return {name: _closure(source, name, parents) for name in parents}


def _closure(source: Source, name: str, parents: dict[str, dict[str, Node]]) -> tuple[str, ...]:
    found: dict[str, None] = {name: None}
    pending = [name]
    while pending:
        for supertype, section in parents[pending.pop()].items():
            if supertype == name:
                raise source.error(f"type '{name}' is its own supertype", section)
            if supertype not in found:
                found[supertype] = None
                pending.append(supertype)
    found.pop("object", None)
    return (*found, "object")
