"""Domains and problems as PDDL text that reads back to the same objects.

Formulas and effects as nested lists: PDDL with type words, for writing files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.pddl.conditions import TOTAL_COST
from beeline.pddl.model import EITHER, Atom, Junction, Not, type_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from beeline.pddl.model import (
        ActionSchema,
        Cost,
        Domain,
        Effect,
        Formula,
        Parameters,
        Predicate,
        Problem,
    )


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

    >>> from beeline.pddl.model import TRUE, Effect
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


def format_domain(domain: Domain) -> str:
    """A domain as PDDL text.

    >>> from beeline import pddl
    >>> print(format_domain(pddl.parse_domain('''(define (domain d) (:predicates (p ?x))
    ...   (:action a :parameters (?x) :precondition (p ?x) :effect (not (p ?x))))''')))
    (define (domain d)
     (:requirements :strips)
     (:predicates
      (p ?x1))
     (:action a
      :parameters (?x)
      :precondition (p ?x)
      :effect (not (p ?x))))
    <BLANKLINE>
    """
    parts = [f"(:requirements {' '.join(domain.requirements)})"]
    types = [
        f"{name} - {_type(tuple(_direct_supertypes(domain.types, name)))}"
        for name in domain.types
        if name != "object"
    ]
    if types:
        parts.append(_section(":types", types))
    if domain.constants:
        parts.append(_section(":constants", _objects(domain.constants)))
    if domain.predicates:
        parts.append(_section(":predicates", map(_predicate, domain.predicates.values())))
    if domain.functions:
        functions = [_function(name, arity) for name, arity in domain.functions.items()]
        parts.append(_section(":functions", functions))
    parts += map(_action, domain.actions)
    body = "".join(f"\n {part}" for part in parts)
    return f"(define (domain {domain.name}){body})\n"


def format_problem(problem: Problem) -> str:
    """A problem as PDDL text.

    >>> from beeline import pddl
    >>> domain = pddl.parse_domain("(define (domain d) (:predicates (p ?x)))")
    >>> print(format_problem(pddl.parse_problem(domain, '''(define (problem t) (:domain d)
    ...   (:objects a b) (:init (p a)) (:goal (p b)))''')))
    (define (problem t)
     (:domain d)
     (:objects
      a b)
     (:init
      (p a))
     (:goal (p b)))
    <BLANKLINE>
    """
    constants = problem.domain.constants
    own = {n: types for n, types in problem.objects.items() if types != constants.get(n)}
    parts = [f"(:domain {problem.domain.name})"]
    if own:
        parts.append(_section(":objects", _objects(own)))
    facts = [f"({' '.join(fact)})" for fact in problem.init]
    for term, value in problem.function_values.items():
        facts.append(f"(= ({' '.join(term)}) {value})")
    if problem.minimize_cost:
        facts.append(f"(= ({TOTAL_COST}) 0)")
    parts.append(_section(":init", facts))
    parts.append(f"(:goal {_spell(condition_to_list(problem.goal))})")
    if problem.minimize_cost:
        parts.append(f"(:metric minimize ({TOTAL_COST}))")
    body = "".join(f"\n {part}" for part in parts)
    return f"(define (problem {problem.name}){body})\n"


def _section(keyword: str, lines: Iterable[str]) -> str:
    return "(" + "\n  ".join((keyword, *lines)) + ")"


def _direct_supertypes(types: Mapping[str, tuple[str, ...]], name: str) -> list[str]:
    above = [supertype for supertype in types[name] if supertype != name]
    return [each for each in above if not any(each in types[o] for o in above if o != each)]


def _objects(objects: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Lines of neighbours that share a type."""
    lines: list[tuple[tuple[str, ...], list[str]]] = []
    for name, types in objects.items():
        if not lines or lines[-1][0] != types:
            lines.append((types, []))
        lines[-1][1].append(name)
    if len(lines) == 1 and lines[0][0] == ("object",):
        return [" ".join(lines[0][1])]
    return [f"{' '.join(names)} - {_type(types)}" for types, names in lines]


def _type(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"(either {' '.join(names)})"


def _predicate(predicate: Predicate) -> str:
    words = [predicate.name]
    for number, types in enumerate(predicate.parameter_types, start=1):
        words.append(f"?x{number}" + ("" if types == ("object",) else f" - {_type(types)}"))
    return f"({' '.join(words)})"


def _function(name: str, arity: int) -> str:
    return f"({' '.join((name, *(f'?x{number}' for number in range(1, arity + 1))))}) - number"


def _action(action: ActionSchema) -> str:
    parameters = [word for variable, word in action.parameters for word in (variable, "-", word)]
    effects = [_effect(effect_to_list(effect)) for effect in action.effects]
    if action.cost is not None:
        effects.append(_cost(action.cost))
    effect = effects[0] if len(effects) == 1 else f"({' '.join(['and', *effects])})"
    return (
        f"(:action {action.name}\n"
        f"  :parameters {_spell(parameters)}\n"
        f"  :precondition {_spell(condition_to_list(action.precondition))}\n"
        f"  :effect {effect})"
    )


def _effect(tree: list[Any]) -> str:
    _, parameters, (_, condition, literal) = tree
    effect = literal if condition == ["and"] else ["when", condition, literal]
    return _spell(["forall", parameters, effect] if parameters else effect)


def _cost(cost: Cost) -> str:
    amount = f"({' '.join(cost)})" if isinstance(cost, tuple) else cost
    return f"(increase ({TOTAL_COST}) {amount})"


def _spell(tree: Any) -> str:
    """Text of a nested list; type words become PDDL again."""
    if isinstance(tree, str):
        if tree.startswith(EITHER):
            return _type(type_names(tree))
        return tree.removeprefix("type@")
    words = tree
    if len(tree) > 2 and all(word == "object" for word in tree[2::3]) and tree[1] == "-":
        words = tree[::3]  # an untyped list of variables
    return f"({' '.join(map(_spell, words))})"
