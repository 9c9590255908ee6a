"""The translator's condition and effect trees as nested lists, and back.

The lists are PDDL in negation normal form with type words, for pickling and for writing files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fast_downward.translate import pddl

if TYPE_CHECKING:
    from typing import Any


def condition_to_list(condition: Any) -> list[Any]:
    """A condition as nested lists.

    >>> condition_to_list(pddl.Disjunction([pddl.Atom("p", ["a"]), pddl.NegatedAtom("q", [])]))
    ['or', ['p', 'a'], ['not', ['q']]]
    """
    if isinstance(condition, pddl.Literal):
        atom = [condition.predicate, *condition.args]
        return ["not", atom] if condition.negated else atom
    if isinstance(condition, (pddl.Truth, pddl.Falsity)):
        return ["and"] if isinstance(condition, pddl.Truth) else ["or"]
    parts = [condition_to_list(part) for part in condition.parts]
    if isinstance(condition, (pddl.UniversalCondition, pddl.ExistentialCondition)):
        quantifier = "forall" if isinstance(condition, pddl.UniversalCondition) else "exists"
        return [quantifier, _to_typed_list(condition.parameters), *parts]
    return ["and" if isinstance(condition, pddl.Conjunction) else "or", *parts]


def condition_from_list(tree: list[Any]) -> Any:
    """The inverse of `condition_to_list`."""
    head, *rest = tree
    if head == "not":
        return condition_from_list(rest[0]).negate()
    if head in ("and", "or"):
        if not rest:
            return pddl.Truth() if head == "and" else pddl.Falsity()
        junctor = pddl.Conjunction if head == "and" else pddl.Disjunction
        return junctor([condition_from_list(part) for part in rest])
    if head in ("forall", "exists"):
        quantifier = pddl.UniversalCondition if head == "forall" else pddl.ExistentialCondition
        return quantifier(_from_typed_list(rest[0]), [condition_from_list(rest[1])])
    return pddl.Atom(head, rest)


def effect_to_list(effect: Any) -> list[Any]:
    """An effect as nested lists.

    >>> effect_to_list(pddl.Effect([pddl.TypedObject("?x", "t")], pddl.Truth(),
    ...                            pddl.Atom("p", ["?x"])))
    ['forall', ['?x', '-', 't'], ['when', ['and'], ['p', '?x']]]
    """
    condition = condition_to_list(effect.condition)
    literal = condition_to_list(effect.literal)
    return ["forall", _to_typed_list(effect.parameters), ["when", condition, literal]]


def effect_from_list(tree: list[Any]) -> Any:
    """The inverse of `effect_to_list`."""
    _, parameters, (_, condition, literal) = tree
    built = _from_typed_list(parameters)
    return pddl.Effect(built, condition_from_list(condition), condition_from_list(literal))


def _to_typed_list(parameters: Any) -> list[str]:
    return [word for each in parameters for word in (each.name, "-", each.type_name)]


def _from_typed_list(words: list[str]) -> list[Any]:
    return [pddl.TypedObject(*pair) for pair in zip(words[::3], words[2::3], strict=True)]
