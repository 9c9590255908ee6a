"""Domains and problems as PDDL text that reads back to the same objects.

Formulas and effects as nested lists: PDDL with type words, for writing files.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from beeline.pddl import model
from beeline.pddl.conditions import TOTAL_COST

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def condition_to_list(formula: model.Formula) -> list[Any]:
    """A formula as nested lists.

    >>> p, q = model.Atom("p", ("a",)), model.Atom("q", ())
    >>> condition_to_list(model.Junction("or", (p, model.Not(q))))
    ['or', ['p', 'a'], ['not', ['q']]]
    """
    if isinstance(formula, model.Atom):
        return [formula.predicate, *formula.args]
    if isinstance(formula, model.Not):
        return ["not", condition_to_list(formula.part)]
    if isinstance(formula, model.Junction):
        return [formula.word, *[condition_to_list(part) for part in formula.parts]]
    return [formula.word, _typed_list(formula.parameters), condition_to_list(formula.part)]


def effect_to_list(effect: model.Effect) -> list[Any]:
    """An effect as nested lists.

    >>> literal = model.LiftedLiteral("p", ("?x",), False)
    >>> effect_to_list(model.Effect((("?x", "t"),), model.TRUE, literal))
    ['forall', ['?x', '-', 't'], ['when', ['and'], ['p', '?x']]]
    """
    atom = [effect.literal.predicate, *effect.literal.args]
    literal = ["not", atom] if effect.literal.negated else atom
    when = ["when", condition_to_list(effect.condition), literal]
    return ["forall", _typed_list(effect.parameters), when]


def _typed_list(parameters: model.Parameters) -> list[str]:
    return [word for name, type_word in parameters for word in (name, "-", type_word)]


def format_domain(domain: model.Domain) -> str:
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
        f"{name} - {model.type_text(tuple(_direct_supertypes(domain.types, name)))}"
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
        *map(_axiom, domain.axioms),
        *map(_action, domain.actions),
    ]
    return _definition("domain", domain.name, parts)


def format_problem(problem: model.Problem) -> str:
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
    lines = [(types, [*names]) for types, names in groupby(objects, objects.__getitem__)]
    if len(lines) == 1 and lines[0][0] == ("object",):
        return [" ".join(lines[0][1])]
    return [f"{' '.join(names)} - {model.type_text(types)}" for types, names in lines]


def _predicate(predicate: model.Predicate) -> str:
    words = [predicate.name]
    for number, types in enumerate(predicate.parameter_types, start=1):
        words.append(
            f"?x{number}" + ("" if types == ("object",) else f" - {model.type_text(types)}")
        )
    return f"({' '.join(words)})"


def _function(name: str, arity: int) -> str:
    return f"({' '.join((name, *(f'?x{number}' for number in range(1, arity + 1))))}) - number"


def _action(action: model.ActionSchema) -> str:
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


def _axiom(axiom: model.Axiom) -> str:
    parameters = _spell(_typed_list(axiom.parameters))[1:-1]
    head = f"({axiom.predicate}{' ' if parameters else ''}{parameters})"
    return f"(:derived {head}\n  {_spell(condition_to_list(axiom.condition))})"


def _effect(effect: model.Effect) -> str:
    _, parameters, when = effect_to_list(effect)
    inner = when[2] if when[1] == ["and"] else when
    return _spell(["forall", parameters, inner] if parameters else inner)


def _spell(tree: Any) -> str:
    """Text of a nested list; type words become PDDL again."""
    if isinstance(tree, str):
        if tree.startswith(model.EITHER):
            return model.type_text(model.type_names(tree))
        return tree.removeprefix(model.TYPE)
    words = tree
    if len(tree) > 2 and all(word == "object" for word in tree[2::3]) and tree[1] == "-":
        words = tree[::3]  # an untyped list of variables
    return f"({' '.join(map(_spell, words))})"
