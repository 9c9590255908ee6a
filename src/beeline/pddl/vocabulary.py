"""The names that a condition or an effect may use, and errors that say what a wrong name is.

Typed lists (`a b - truck c - (either x y)`) and the hierarchy of types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError, suggestion

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from beeline.pddl.model import Predicate
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


def _is_type(rest: Node, types: Collection[str] | None) -> bool:
    return bool(rest and types) and (isinstance(rest[0], list) or rest[0] in (types or ()))


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
            if word[-1] == "-" and kind == "variable" and _is_type(node[index + 1 :], types):
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
                    message = "'object' cannot have a supertype"
                    raise source.error(message, section, index, "it is the root")
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


_CONNECTIVES = ("and", "or", "not", "imply", "forall", "exists", "when", "preference", "either")
_NUMERIC = ("=", "<", ">", "<=", ">=", "assign", "increase", "decrease", "scale-up", "scale-down")
RESERVED = frozenset((*_CONNECTIVES, *_NUMERIC, "define"))


class Vocabulary:
    """What is declared, and which features were used (`features` grows during the checks).

    `functions` maps names to arities. It is None when a domain has no `:functions` section; then
    any function is accepted and remembered in `found_functions`.
    """

    def __init__(
        self,
        source: Source,
        types: Mapping[str, tuple[str, ...]],
        predicates: Mapping[str, Predicate],
        functions: Mapping[str, int] | None,
        terms: Collection[str],
    ) -> None:
        self.source = source
        self.types = types
        self.arities = {name: predicate.arity for name, predicate in predicates.items()}
        self.functions = functions
        self.terms = terms
        self.derived: frozenset[str] = frozenset()  # predicates that axioms define
        self.features: set[str] = set()
        self.found_functions: dict[str, int] = {}

    def checked_list(self, parent: Node, index: int, what: str) -> Node:
        """The element `index` of `parent`, refused if it is a word."""
        node = parent[index]
        if not isinstance(node, list):
            hint = f"did you mean '({node})'?" if node in self.arities else None
            raise self.source.error(f"expected {what}, found '{node}'", parent, index, hint)
        return node

    def predicate_arity(self, node: Node) -> int:
        """The arity of the predicate, or type used as a predicate, at the head of `node`."""
        name = node[0]
        arity = self.arities.get(name)
        if arity is not None:
            return arity
        if name in self.types:
            self.features.add(":typing")
            return 1
        raise self._unknown_predicate(node)

    def check_arity(
        self, node: Node, arity: int, what: str = "predicate", shown: Node | None = None
    ) -> None:
        """Refuse a wrong number of arguments."""
        found = len(node) - 1
        if found != arity:
            plural = "" if arity == 1 else "s"
            message = f"{what} '{node[0]}' takes {arity} argument{plural}, not {found},"
            raise self.source.error(message, shown or node)

    def check_terms(self, node: Node, scope: Mapping[str, str]) -> None:
        """Refuse arguments that are neither variables in `scope` nor known objects."""
        terms = self.terms
        for index in range(1, len(node)):
            word = node[index]
            if isinstance(word, str):
                if word in scope or word in terms:
                    continue
                raise self._unknown_term(node, index, word, scope)
            if word and word[0] == "either":
                raise self.source.error("a type cannot stand here", node, index)
            if self.functions and word and isinstance(word[0], str) and word[0] in self.functions:
                raise self.source.unsupported("numeric and object fluents are unsupported", node)
            hint = "arguments are variables or objects; is an 'and' or a ')' missing?"
            raise self.source.error("a list stands where an argument should be", node, index, hint)

    def function_arity(self, node: Node, shown: Node) -> int:
        """The arity of the function at the head of `node`; errors show the list `shown`."""
        name = node[0] if node else None
        if not isinstance(name, str):
            raise self.source.error("expected a function", shown)
        if self.functions is None:
            return self.found_functions.setdefault(name, len(node) - 1)
        arity = self.functions.get(name)
        if arity is None:
            hint = suggestion(name, self.functions) or "declare it in (:functions ...)"
            raise self.source.error(f"unknown function '{name}'", shown, None, hint)
        return arity

    def _unknown_predicate(self, node: Node) -> BeelineError:
        name, source = node[0], self.source
        if name in ("<", ">", "<=", ">="):
            return source.unsupported("numeric conditions are unsupported", node)
        if name in ("preference", "always", "sometime", "within", "at-most-once", "hold-after"):
            return source.unsupported(f"'{name}' is unsupported", node)
        if name in ("assign", "increase", "decrease", "scale-up", "scale-down", "when"):
            return source.error(f"'{name}' is not allowed in a condition", node)
        if self.functions and name in self.functions:
            return source.error(f"'{name}' is a function, not a predicate,", node)
        if name in ("at", "over") and node[1:2] in (["start"], ["end"], ["all"]):
            return source.unsupported("durative actions are unsupported", node)
        hint = suggestion(name, (*self.arities, *self.types))
        if hint is None and name in self.terms:
            hint = f"'{name}' is an object"
        return source.error(f"unknown predicate '{name}'", node, 0, hint)

    def _unknown_term(
        self, node: Node, index: int, word: str, scope: Mapping[str, str]
    ) -> BeelineError:
        hint: str | None
        if word[0] == "?":
            hint = suggestion(word, scope) or "declare it in the :parameters or a quantifier"
            return self.source.error(f"undeclared variable '{word}'", node, index, hint)
        if word[0] == ":":
            return self.source.error(f"'{word}' is misplaced", node, index, "is a ')' missing?")
        if f"?{word}" in scope:
            hint = f"did you mean '?{word}'?"
        elif word in self.arities or word in self.types:
            hint = f"'{word}' is a {'predicate' if word in self.arities else 'type'}"
        else:
            hint = suggestion(word, self.terms)
        return self.source.error(f"unknown object '{word}'", node, index, hint)
