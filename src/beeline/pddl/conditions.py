"""Checking conditions, effects and actions; the results are as they are written, with few repairs.

Repairs of conditions: an empty part is true, a quantifier without variables is dropped, and a
quantified variable that hides another one is renamed. From effects, costs are taken out; the rest
becomes one `Effect` for each literal.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from beeline.core.errors import suggestion
from beeline.pddl import model
from beeline.pddl.vocabulary import RESERVED, Vocabulary, read_typed_list

if TYPE_CHECKING:
    from collections.abc import Mapping

    from beeline.pddl.source import Node

    Formulas = tuple[model.Formula, ...]
    Scope = Mapping[str, str]


class ConditionChecker:
    """Checks the conditions of one file."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.source = vocabulary.source

    def part(
        self, parent: Node, index: int, scope: Scope, *, negated: bool = False
    ) -> model.Formula:
        """Check the element `index` of `parent` as a condition."""
        node = self.vocabulary.checked_list(parent, index, "a condition in parentheses")
        return self.condition(node, scope, negated=negated)

    def condition(self, node: Node, scope: Scope, *, negated: bool = False) -> model.Formula:
        """Check a condition whose free variables are in `scope`; `negated` if under a `not`."""
        if not node:
            return model.TRUE
        head = node[0]
        if not isinstance(head, str):
            message = "expected a predicate or a connective, found a list"
            raise self.source.error(message, node, hint="is an 'and' missing?")
        if head in ("and", "or"):
            if (head == "or") != negated:
                self.vocabulary.features.add(":disjunctive-preconditions")
            parts = [self.part(node, i, scope, negated=negated) for i in range(1, len(node))]
            return model.Junction(head, tuple(parts))
        if head == "not":
            self._expect(node, 2, "'not' takes one condition")
            if isinstance(node[1], list) and node[1][:1] not in (["not"], ["="]):
                self.vocabulary.features.add(":negative-preconditions")
            return model.Not(self.part(node, 1, scope, negated=not negated))
        if head == "imply":
            self._expect(node, 3, "'imply' takes two conditions")
            self.vocabulary.features.add(":disjunctive-preconditions")
            premise = self.part(node, 1, scope, negated=not negated)
            return model.Junction(head, (premise, self.part(node, 2, scope, negated=negated)))
        if head in ("forall", "exists"):
            universal = (head == "forall") != negated
            kind = "universal" if universal else "existential"
            self.vocabulary.features.add(f":{kind}-preconditions")
            parameters, inner = self.quantifier(node, scope)
            part = self.part(node, 2, inner, negated=negated)
            return model.Quantified(head, parameters, part) if parameters else part
        return self.literal(node, scope)

    def literal(self, node: Node, scope: Scope) -> model.Atom:
        """Check an atom: predicate, number and names of its arguments."""
        predicate = node[0]
        if predicate == model.EQUALITY:
            self.vocabulary.features.add(":equality")
            if any(isinstance(word, list) or self._is_number(word) for word in node[1:]):
                raise self.source.unsupported("numeric conditions are unsupported", node)
            self.vocabulary.check_arity(node, 2)
        else:
            self.vocabulary.check_arity(node, self.vocabulary.predicate_arity(node))
            if predicate not in self.vocabulary.arities:
                predicate = model.TYPE + predicate
        self.vocabulary.check_terms(node, scope)
        return model.Atom(predicate, tuple([scope.get(word, word) for word in node[1:]]))

    def quantifier(self, node: Node, scope: Scope) -> tuple[model.Parameters, Scope]:
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
                fresh = [f"{name}@{number}" for number in range(1, len(taken) + 2)]
                inner[name] = next(each for each in fresh if each not in taken)
            parameters.append((inner[name], word))
        return tuple(parameters), inner

    def _expect(self, node: Node, length: int, message: str) -> None:
        if len(node) != length:
            raise self.source.error(f"{message}, not {len(node) - 1},", node)

    def _is_number(self, word: str) -> bool:
        return word not in self.vocabulary.terms and word.replace(".", "", 1).isdigit()


def read_parameters(
    vocabulary: Vocabulary, node: Node, first: int = 0
) -> tuple[tuple[str, str], ...]:
    """The (variable, type word) pairs of a list from `first` on, each variable declared once."""
    source = vocabulary.source
    seen: set[str] = set()
    result = []
    for name, types, index in read_typed_list(source, node, first, "variable", vocabulary.types):
        if name in seen:
            raise source.error(f"variable '{name}' is declared twice", node, index)
        seen.add(name)
        result.append((name, model.type_word(types)))
    if any(word == "-" for word in node):
        vocabulary.features.add(":typing")
    return tuple(result)


TOTAL_COST = "total-cost"
MAX_NUMBER = 2**53 - 1  # sums up to there are exact everywhere, also in the engine's queues


class EffectChecker(ConditionChecker):
    """Checks the effects of one action.

    After `effect`, `effects` holds each literal with its quantifiers and conditions around it
    and `cost` what the action adds to the total cost.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary)
        self.effects: list[model.Effect] = []
        self.cost: model.Cost = None

    def effect(
        self, node: Node, scope: Scope, variables: model.Parameters = (), conditions: Formulas = ()
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
                self.effect(self._list(node, index), scope, variables, conditions)
        elif head == "forall":
            self.vocabulary.features.add(":conditional-effects")
            own, inner = self.quantifier(node, scope)
            self.effect(self._list(node, 2), inner, (*variables, *own), conditions)
        elif head == "when":
            self.vocabulary.features.add(":conditional-effects")
            if len(node) != 3:
                raise self.source.error("'when' takes a condition and an effect", node)
            condition = self.part(node, 1, scope)
            self.effect(self._list(node, 2), scope, variables, (*conditions, condition))
        elif head == "increase" and len(node) == 3 and node[1] in ([TOTAL_COST], TOTAL_COST):
            self._add_cost(node, scope, bool(variables or conditions))
        elif head in ("increase", "decrease", "assign", "scale-up", "scale-down"):
            message = f"'{head}' is unsupported except as (increase (total-cost) ...)"
            raise self.source.unsupported(message, node)
        else:
            condition = conditions[0] if len(conditions) == 1 else model.Junction("and", conditions)
            self.effects.append(model.Effect(variables, condition, self._changed(node, scope)))

    def _list(self, parent: Node, index: int) -> Node:
        return self.vocabulary.checked_list(parent, index, "an effect in parentheses")

    def _changed(self, node: Node, scope: Scope) -> model.LiftedLiteral:
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
        if head in self.vocabulary.derived:
            hint = "change what its (:derived ...) depends on"
            raise self.source.error(f"derived predicate '{head}' cannot change", node, hint=hint)
        return model.LiftedLiteral(*self.literal(node, scope), negated)

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
            message = "a cost must be a number or one function; arithmetic is unsupported"
            raise self.source.unsupported(message, node)
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


_FIELDS = (":parameters", ":precondition", ":effect")
# Conditions with one of these may grow in normalisation.
COMPLEX = {":disjunctive-preconditions", ":existential-preconditions", ":universal-preconditions"}


def read_actions(vocabulary: Vocabulary, nodes: list[Node]) -> tuple[model.ActionSchema, ...]:
    """All actions; identical ones once."""
    source = vocabulary.source
    seen: dict[str, list[Node]] = {}
    actions: list[model.ActionSchema] = []
    for node in nodes:
        if len(node) < 2 or not isinstance(node[1], str) or node[1][0] in ":?":
            raise source.error("the action has no name", node)
        name: str = node[1]
        if "@" in name:
            raise source.error(f"'{name}' cannot be the name of an action", node, 1, "avoid '@'")
        namesakes = seen.setdefault(name, [])
        if node in namesakes:
            source.warn(f"action '{name}' is given more than once", node)
            continue
        if namesakes:
            source.warn(f"there are different actions named '{name}'", node)
        namesakes.append(node)
        actions.append(_read_action(vocabulary, name, node))
    return tuple(actions)


def _read_action(vocabulary: Vocabulary, name: str, node: Node) -> model.ActionSchema:
    source = vocabulary.source
    fields = _read_fields(vocabulary, name, node)
    if ":parameters" not in fields:
        source.warn(f"action '{name}' has no :parameters", node)
    parameters = read_parameters(vocabulary, fields.get(":parameters", []))
    scope = {variable: variable for variable, _ in parameters}
    features, vocabulary.features = vocabulary.features, set()
    condition = ConditionChecker(vocabulary).condition(fields.get(":precondition", []), scope)
    checker = EffectChecker(vocabulary)
    checker.effect(fields.get(":effect", []), scope)
    line = source.line(node) if COMPLEX & vocabulary.features else None
    vocabulary.features |= features
    if not checker.effects:
        source.warn(f"action '{name}' has no effect, no search will use it", node)
    effects = tuple(checker.effects)
    return model.ActionSchema(name, parameters, condition, effects, checker.cost, line)


def _read_fields(vocabulary: Vocabulary, name: str, node: Node) -> dict[str, Node]:
    source = vocabulary.source
    fields: dict[str, Node] = {}
    index = 2
    while index < len(node):
        word = node[index]
        if word in (":duration", ":condition"):
            raise source.unsupported("durative actions are unsupported", node, index)
        if not isinstance(word, str) or word not in _FIELDS:
            shown = f"'{word}'" if isinstance(word, str) else "a list"
            hint = suggestion(word, _FIELDS) if isinstance(word, str) else "is a keyword missing?"
            raise source.error(f"unexpected {shown} in action '{name}',", node, index, hint)
        if word in fields:
            raise source.error(f"action '{name}' has two {word},", node, index)
        if index + 1 == len(node) or not isinstance(node[index + 1], list):
            raise source.error(f"{word} of action '{name}' needs a list,", node, index)
        fields[word] = node[index + 1]
        index += 2
    return fields
