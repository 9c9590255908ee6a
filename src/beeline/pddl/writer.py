"""Domains and problems as PDDL text that reads back to the same objects.

Formulas and effects as nested lists: PDDL with type words, for writing files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from beeline.pddl.conditions import TOTAL_COST
from beeline.pddl.model import EITHER, TYPE, Atom, Junction, Not, type_names, type_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from beeline.pddl.model import (
        ActionSchema,
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
    >>> from beeline.pddl.model import LiftedLiteral
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
    types = [
        f"{name} - {type_text(tuple(_direct_supertypes(domain.types, name)))}"
        for name in domain.types
        if name != "object"
    ]
    functions = [_function(name, arity) for name, arity in domain.functions.items()]
    parts = [
        f"(:requirements {' '.join(domain.requirements)})",
        *_section(":types", types),
        *_section(":constants", _objects(domain.constants)),
        *_section(":predicates", map(_predicate, domain.predicates.values())),
        *_section(":functions", functions),
        *map(_action, domain.actions),
    ]
    return _definition("domain", domain.name, parts)


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
    facts = [f"({' '.join(fact)})" for fact in problem.init]
    facts += [f"(= ({' '.join(term)}) {value})" for term, value in problem.function_values.items()]
    costs = [f"(= ({TOTAL_COST}) 0)"] if problem.minimize_cost else []
    parts = [
        f"(:domain {problem.domain.name})",
        *_section(":objects", _objects(own)),
        *(_section(":init", [*facts, *costs]) or ["(:init)"]),
        f"(:goal {_spell(condition_to_list(problem.goal))})",
        *([f"(:metric minimize ({TOTAL_COST}))"] if problem.minimize_cost else []),
    ]
    return _definition("problem", problem.name, parts)


def _definition(kind: str, name: str, parts: list[str]) -> str:
    body = "".join(f"\n {part}" for part in parts)
    return f"(define ({kind} {name}){body})\n"


def _section(keyword: str, lines: Iterable[str]) -> list[str]:
    """A section with these lines; none if there are none."""
    body = "".join(f"\n  {line}" for line in lines)
    return [f"({keyword}{body})"] if body else []


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
    return [f"{' '.join(names)} - {type_text(types)}" for types, names in lines]


def _predicate(predicate: Predicate) -> str:
    words = [predicate.name]
    for number, types in enumerate(predicate.parameter_types, start=1):
        words.append(f"?x{number}" + ("" if types == ("object",) else f" - {type_text(types)}"))
    return f"({' '.join(words)})"


def _function(name: str, arity: int) -> str:
    return f"({' '.join((name, *(f'?x{number}' for number in range(1, arity + 1))))}) - number"


def _action(action: ActionSchema) -> str:
    effects = [_effect(effect) for effect in action.effects]
    if action.cost is not None:
        amount = f"({' '.join(action.cost)})" if isinstance(action.cost, tuple) else action.cost
        effects.append(f"(increase ({TOTAL_COST}) {amount})")
    effect = effects[0] if len(effects) == 1 else f"({' '.join(['and', *effects])})"
    return (
        f"(:action {action.name}\n"
        f"  :parameters {_spell(_typed_list(action.parameters))}\n"
        f"  :precondition {_spell(condition_to_list(action.precondition))}\n"
        f"  :effect {effect})"
    )


def _effect(effect: Effect) -> str:
    _, parameters, when = effect_to_list(effect)
    inner = when[2] if when[1] == ["and"] else when
    return _spell(["forall", parameters, inner] if parameters else inner)


def _spell(tree: Any) -> str:
    """Text of a nested list; type words become PDDL again."""
    if isinstance(tree, str):
        if tree.startswith(EITHER):
            return type_text(type_names(tree))
        return tree.removeprefix(TYPE)
    words = tree
    if len(tree) > 2 and all(word == "object" for word in tree[2::3]) and tree[1] == "-":
        words = tree[::3]  # an untyped list of variables
    return f"({' '.join(map(_spell, words))})"
