"""The names that a condition or an effect may use, and errors that say what a wrong name is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.pddl.source import suggestion

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from beeline.core.errors import BeelineError
    from beeline.pddl.source import Node, Source

_CONNECTIVES = ("and", "or", "not", "imply", "forall", "exists", "when", "preference", "either")
_NUMERIC = ("=", "<", ">", "<=", ">=", "assign", "increase", "decrease", "scale-up", "scale-down")
RESERVED = frozenset((*_CONNECTIVES, *_NUMERIC, "define"))


class Vocabulary:
    """What is declared, and which features were used (`features` grows during the checks).

    `functions` maps names to arities. It is None when a domain has no `:functions` section; then
    any function is accepted and remembered in `found_functions`.
    """

    __slots__ = ("arities", "features", "found_functions", "functions", "source", "terms", "types")

    def __init__(
        self,
        source: Source,
        types: Mapping[str, tuple[str, ...]],
        arities: Mapping[str, int],
        functions: Mapping[str, int] | None,
        terms: Collection[str],
    ) -> None:
        self.source = source
        self.types = types
        self.arities = arities
        self.functions = functions
        self.terms = terms
        self.features: set[str] = set()
        self.found_functions: dict[str, int] = {}

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
            raise self.source.error(
                f"{what} '{node[0]}' takes {arity} argument{plural}, not {found},", shown or node
            )

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
