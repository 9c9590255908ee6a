"""Formulas and effects as nested lists: PDDL with type words, for writing files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.pddl.formula import Atom, Junction, Not

if TYPE_CHECKING:
    from typing import Any

    from beeline.pddl.formula import Effect, Formula, Parameters


def condition_to_list(formula: Formula) -> list[Any]:
    """A formula as nested lists.

    >>> condition_to_list(Junction("or", (Atom("p", ("a",)), Not(Atom("q", ())))))
    ['or', ['p', 'a'], ['not', ['q']]]
    """
    if isinstance(formula, Atom):
        return [formula.predicate, *formula.args]
    if isinstance(formula, Not):
        return ["not", condition_to_list(formula.part)]
    if isinstance(formula, Junction):
        return [formula.word, *[condition_to_list(part) for part in formula.parts]]
    return [formula.word, _typed_list(formula.parameters), condition_to_list(formula.part)]


def effect_to_list(effect: Effect) -> list[Any]:
    """An effect as nested lists.

    >>> from beeline.pddl.formula import TRUE, Effect
    >>> from beeline.pddl.lifted import LiftedLiteral
    >>> effect_to_list(Effect((("?x", "t"),), TRUE, LiftedLiteral("p", ("?x",), False)))
    ['forall', ['?x', '-', 't'], ['when', ['and'], ['p', '?x']]]
    """
    atom = [effect.literal.predicate, *effect.literal.args]
    literal = ["not", atom] if effect.literal.negated else atom
    when = ["when", condition_to_list(effect.condition), literal]
    return ["forall", _typed_list(effect.parameters), when]


def _typed_list(parameters: Parameters) -> list[str]:
    return [word for name, type_word in parameters for word in (name, "-", type_word)]
