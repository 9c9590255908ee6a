"""Checking effects; costs are taken out, the rest becomes one `Effect` for each literal."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from beeline.pddl.conditions import ConditionChecker
from beeline.pddl.formula import Effect, Junction
from beeline.pddl.lifted import LiftedLiteral
from beeline.pddl.vocabulary import RESERVED

if TYPE_CHECKING:
    from beeline.pddl.conditions import Scope
    from beeline.pddl.formula import Formula, Parameters
    from beeline.pddl.model import Cost
    from beeline.pddl.source import Node
    from beeline.pddl.vocabulary import Vocabulary

TOTAL_COST = "total-cost"
MAX_NUMBER = 2**53 - 1  # sums up to there are exact everywhere, also in the engine's queues


class EffectChecker:
    """Checks the effects of one action.

    After `effect`, `effects` holds each literal with its quantifiers and conditions around it,
    `cost` what the action adds to the total cost, and `when_literals` the atoms in conditions.
    """

    __slots__ = ("cost", "effects", "source", "vocabulary", "when_literals")

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.source = vocabulary.source
        self.effects: list[Effect] = []
        self.cost: Cost = None
        self.when_literals: list[Node] = []

    def effect(
        self,
        node: Node,
        scope: Scope,
        variables: Parameters = (),
        conditions: tuple[Formula, ...] = (),
    ) -> None:
        """Check an effect that stands inside `forall` over typed variables and `when`."""
        if not node:
            return
        head = node[0]
        if not isinstance(head, str):
            hint = "is an 'and' missing?"
            raise self.source.error("expected an effect, found a list of lists", node, hint=hint)
        if head == "and":
            for index in range(1, len(node)):
                self.effect(self._part(node, index), scope, variables, conditions)
        elif head == "forall":
            self.vocabulary.features.add(":conditional-effects")
            own, inner = ConditionChecker(self.vocabulary).quantifier(node, scope)
            self.effect(self._part(node, 2), inner, (*variables, *own), conditions)
        elif head == "when":
            condition = self._when(node, scope)
            self.effect(self._part(node, 2), scope, variables, (*conditions, condition))
        elif head == "increase" and len(node) == 3 and node[1] in ([TOTAL_COST], TOTAL_COST):
            self._add_cost(node, scope, bool(variables or conditions))
        elif head in ("increase", "decrease", "assign", "scale-up", "scale-down"):
            raise self.source.unsupported(
                f"'{head}' is unsupported except as (increase (total-cost) ...)", node
            )
        else:
            condition = conditions[0] if len(conditions) == 1 else Junction("and", conditions)
            self.effects.append(Effect(variables, condition, self._literal(node, scope)))

    def _part(self, parent: Node, index: int) -> Node:
        node = parent[index]
        if isinstance(node, list):
            return node
        hint = f"did you mean '({node})'?" if node in self.vocabulary.arities else None
        raise self.source.error(
            f"expected an effect in parentheses, found '{node}'", parent, index, hint
        )

    def _literal(self, node: Node, scope: Scope) -> LiftedLiteral:
        negated = node[0] == "not"
        if negated:
            if len(node) != 2 or not isinstance(node[1], list) or not node[1]:
                raise self.source.error("'not' takes one atom", node)
            node = node[1]
        head = node[0]
        if not isinstance(head, str):
            raise self.source.error("expected a predicate, found a list", node)
        if head in ("oneof", "probabilistic"):
            raise self.source.unsupported(f"'{head}' is unsupported", node)
        if head in RESERVED:
            raise self.source.error(f"'{head}' is not allowed here in an effect", node)
        if head in self.vocabulary.types and head not in self.vocabulary.arities:
            raise self.source.error(f"type '{head}' cannot change", node)
        return LiftedLiteral(*ConditionChecker(self.vocabulary).literal(node, scope), negated)

    def _when(self, node: Node, scope: Scope) -> Formula:
        self.vocabulary.features.add(":conditional-effects")
        if len(node) != 3:
            raise self.source.error("'when' takes a condition and an effect", node)
        checker = ConditionChecker(self.vocabulary)
        condition = checker.part(node, 1, scope)
        self.when_literals += checker.literals
        return condition

    def _add_cost(self, node: Node, scope: Scope, nested: bool) -> None:
        if nested:
            raise self.source.unsupported("a cost inside 'when' or 'forall' is unsupported", node)
        if self.cost is not None:
            raise self.source.unsupported("a second cost in one action is unsupported", node)
        self.vocabulary.features.add(":action-costs")
        amount = node[2]
        if node[1] == TOTAL_COST:
            self.source.warn(f"'{TOTAL_COST}' should stand in parentheses", node, 1)
        if isinstance(amount, str):
            number = whole_number(amount)
            if number is not None and number >= 0:
                self.cost = number
                return
            if looks_numeric(amount):
                kind = "fractional or huge" if number is None else "negative"
                raise self.source.unsupported(f"a {kind} action cost is unsupported", node)
            amount = [amount]
        name = amount[0] if amount else ""
        if name in ("+", "-", "*", "/", TOTAL_COST):
            raise self.source.unsupported(
                "a cost must be a number or one function; arithmetic is unsupported", node
            )
        arity = self.vocabulary.function_arity(amount, node)
        self.vocabulary.check_arity(amount, arity, "function", node)
        self.vocabulary.check_terms(amount, scope)
        self.cost = (name, *[scope.get(word, word) for word in amount[1:]])


def looks_numeric(word: str) -> bool:
    """Whether a word is meant as a number.

    >>> looks_numeric("-3.5"), looks_numeric("1e3"), looks_numeric("depot")
    (True, True, False)
    """
    try:
        float(word)
    except ValueError:
        return False
    return word.strip("+-")[0] in "0123456789."


def whole_number(word: str) -> int | None:
    """The value of a whole number such as `3` or `3.0`, otherwise None, also from 2**53 on.

    >>> whole_number("3.0"), whole_number("-2"), whole_number("2.5"), whole_number("inf")
    (3, -2, None, None)
    >>> whole_number("9007199254740991"), whole_number("9007199254740990.5")
    (9007199254740991, None)
    """
    if not looks_numeric(word) or not abs(float(word)) <= MAX_NUMBER:
        return None
    value = Fraction(word)  # exact, where a float is rounded
    return int(value) if value.denominator == 1 else None
