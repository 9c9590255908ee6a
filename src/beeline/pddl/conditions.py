"""Checking conditions; the result is the formula as it is written, with few repairs.

Repairs: an empty part is true, a quantifier without variables is dropped, and a quantified
variable that hides another one is renamed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.pddl.formula import EQUALITY, TRUE, TYPE, Atom, Junction, Not, Quantified
from beeline.pddl.model import type_word
from beeline.pddl.type_hierarchy import read_typed_list

if TYPE_CHECKING:
    from collections.abc import Mapping

    from beeline.pddl.formula import Formula, Parameters
    from beeline.pddl.source import Node
    from beeline.pddl.vocabulary import Vocabulary

    Scope = Mapping[str, str]


class ConditionChecker:
    """Checks the conditions of one file; `literals` collects the atoms met."""

    __slots__ = ("literals", "source", "vocabulary")

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.source = vocabulary.source
        self.literals: list[Node] = []

    def part(self, parent: Node, index: int, scope: Scope, *, negated: bool = False) -> Formula:
        """Check the element `index` of `parent` as a condition."""
        node = parent[index]
        if not isinstance(node, list):
            hint = f"did you mean '({node})'?" if node in self.vocabulary.arities else None
            raise self.source.error(
                f"expected a condition in parentheses, found '{node}'", parent, index, hint
            )
        return self.condition(node, scope, negated=negated)

    def condition(self, node: Node, scope: Scope, *, negated: bool = False) -> Formula:
        """Check a condition whose free variables are in `scope`; `negated` if under a `not`."""
        if not node:
            return TRUE
        head = node[0]
        if not isinstance(head, str):
            raise self.source.error(
                "expected a predicate or a connective, found a list",
                node,
                hint="is an 'and' missing?",
            )
        if head in ("and", "or"):
            if (head == "or") != negated:
                self.vocabulary.features.add(":disjunctive-preconditions")
            parts = [self.part(node, i, scope, negated=negated) for i in range(1, len(node))]
            return Junction(head, tuple(parts))
        if head == "not":
            self._expect(node, 2, "'not' takes one condition")
            if isinstance(node[1], list) and node[1][:1] not in (["not"], ["="]):
                self.vocabulary.features.add(":negative-preconditions")
            return Not(self.part(node, 1, scope, negated=not negated))
        if head == "imply":
            self._expect(node, 3, "'imply' takes two conditions")
            self.vocabulary.features.add(":disjunctive-preconditions")
            premise = self.part(node, 1, scope, negated=not negated)
            return Junction(head, (premise, self.part(node, 2, scope, negated=negated)))
        if head in ("forall", "exists"):
            return self._quantified(node, scope, negated)
        return self.literal(node, scope)

    def literal(self, node: Node, scope: Scope) -> Atom:
        """Check an atom: predicate, number and names of its arguments."""
        predicate = node[0]
        if predicate == EQUALITY:
            self.vocabulary.features.add(":equality")
            if any(isinstance(word, list) for word in node) or self._has_number(node):
                raise self.source.unsupported("numeric conditions are unsupported", node)
            self.vocabulary.check_arity(node, 2)
        else:
            self.vocabulary.check_arity(node, self.vocabulary.predicate_arity(node))
            if predicate not in self.vocabulary.arities:
                predicate = TYPE + predicate
        self.vocabulary.check_terms(node, scope)
        self.literals.append(node)
        return Atom(predicate, tuple([scope.get(word, word) for word in node[1:]]))

    def quantifier(self, node: Node, scope: Scope) -> tuple[Parameters, Scope]:
        """The repaired variables of a `forall` or `exists`, and the scope inside it."""
        self._expect(node, 3, f"'{node[0]}' takes a list of variables and one more part")
        if not isinstance(node[1], list):
            hint = "write (?x - type)"
            raise self.source.error(f"'{node[0]}' needs a list of variables", node, 1, hint)
        inner = dict(scope)
        parameters = []
        for name, word in read_parameters(self.vocabulary, node[1]):
            inner[name] = name
            if name in scope:
                taken = {*scope, *scope.values(), *inner.values()}
                inner[name] = next(
                    fresh
                    for fresh in (f"{name}@{number}" for number in range(1, len(taken) + 2))
                    if fresh not in taken
                )
            parameters.append((inner[name], word))
        return tuple(parameters), inner

    def _quantified(self, node: Node, scope: Scope, negated: bool) -> Formula:
        universal = (node[0] == "forall") != negated
        kind = "universal" if universal else "existential"
        self.vocabulary.features.add(f":{kind}-preconditions")
        parameters, inner = self.quantifier(node, scope)
        part = self.part(node, 2, inner, negated=negated)
        return Quantified(node[0], parameters, part) if parameters else part

    def _expect(self, node: Node, length: int, message: str) -> None:
        if len(node) != length:
            raise self.source.error(f"{message}, not {len(node) - 1},", node)

    def _has_number(self, node: Node) -> bool:
        return any(
            word not in self.vocabulary.terms and word.replace(".", "", 1).isdigit()
            for word in node[1:]
        )


def read_parameters(vocabulary: Vocabulary, node: Node) -> tuple[tuple[str, str], ...]:
    """The (variable, type word) pairs of a parameter list, each variable declared once."""
    source = vocabulary.source
    seen: set[str] = set()
    result = []
    for name, types, index in read_typed_list(source, node, 0, "variable", vocabulary.types):
        if name in seen:
            raise source.error(f"variable '{name}' is declared twice", node, index)
        seen.add(name)
        result.append((name, type_word(types)))
    if any(word == "-" for word in node):
        vocabulary.features.add(":typing")
    return tuple(result)
