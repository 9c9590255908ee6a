"""Derived predicates: reading them, and the strata in which they are evaluated.

`(:derived (above ?x ?y) CONDITION)` makes an atom true wherever the condition holds; what several
of them say about a predicate is joined by "or", and what nothing makes true is false. That has a
meaning if no predicate depends on its own negation: then there is an order of predicates, the
strata, in which everything that is negated is known before (PDDL 2.2; Thiébaux, Hoffmann and
Nebel, "In defense of PDDL axioms", AIJ 2005).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.core.errors import suggestion
from beeline.pddl import model
from beeline.pddl.conditions import ConditionChecker, read_parameters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from beeline.pddl.source import Node, Source
    from beeline.pddl.vocabulary import Vocabulary


def derived_names(source: Source, nodes: list[Node]) -> frozenset[str]:
    """The predicates that `:derived` sections define."""
    names = []
    for node in nodes:
        if len(node) != 3 or not all(isinstance(part, list) for part in node[1:]):
            hint = "write (:derived (NAME ?parameter ...) CONDITION)"
            raise source.error("':derived' takes an atom and a condition", node, hint=hint)
        head = node[1]
        if not head or not isinstance(head[0], str):
            raise source.error("expected a predicate and its parameters", node, 1)
        names.append(head[0])
    return frozenset(names)


def read_axioms(
    vocabulary: Vocabulary, predicates: Mapping[str, model.Predicate], nodes: list[Node]
) -> tuple[model.Axiom, ...]:
    """All axioms, refused if a predicate depends on its own negation."""
    axioms = [_read_axiom(vocabulary, predicates, node) for node in nodes]
    below = _dependencies(axioms)
    for axiom, node in zip(axioms, nodes, strict=True):
        for literal, _ in model.literals(axiom.condition):
            if literal.negated and axiom.predicate in below.get(literal.predicate, ()):
                through = "" if literal.predicate == axiom.predicate else f", by '{literal[0]}'"
                raise vocabulary.source.error(
                    f"derived predicate '{axiom.predicate}' depends on its own negation{through},",
                    node,
                )
    return tuple(axioms)


def _read_axiom(
    vocabulary: Vocabulary, predicates: Mapping[str, model.Predicate], node: Node
) -> model.Axiom:
    source = vocabulary.source
    head, body = node[1], node[2]
    name = head[0]
    vocabulary.features.add(":derived-predicates")
    if name not in predicates:
        hint = suggestion(name, predicates) or "declare it in (:predicates ...)"
        raise source.error(f"unknown predicate '{name}'", head, 0, hint)
    for index, word in enumerate(head[1:], start=1):
        before = head[index - 1] if index > 1 else ""
        if isinstance(word, str) and word[0] != "?" and "-" not in (word, before):
            hint = "use a variable, and (= ?x OBJECT) in the condition"
            raise source.error(f"'{word}' is no parameter of '{name}'", head, index, hint)
    parameters = read_parameters(vocabulary, head, 1)
    vocabulary.check_arity([name, *parameters], predicates[name].arity, shown=head)
    for (variable, word), declared in zip(
        parameters, predicates[name].parameter_types, strict=True
    ):
        if not _may_share_objects(vocabulary.types, model.type_names(word), declared):
            source.warn(
                f"{variable} of derived predicate '{name}' is declared as"
                f" '{model.type_text(declared)}' elsewhere",
                head,
            )
    scope = {variable: variable for variable, _ in parameters}
    condition = ConditionChecker(vocabulary).condition(body, scope)
    return model.Axiom(name, parameters, condition, source.line(node))


def _may_share_objects(
    types: Mapping[str, tuple[str, ...]], some: tuple[str, ...], others: tuple[str, ...]
) -> bool:
    return any(one in types[other] or other in types[one] for one in some for other in others)


def _dependencies(axioms: Sequence[model.Axiom]) -> dict[str, set[str]]:
    """For each derived predicate, those that it depends on, directly or not."""
    derived = {axiom.predicate for axiom in axioms}
    below: dict[str, set[str]] = {name: set() for name in derived}
    for axiom in axioms:
        mentioned = {literal.predicate for literal, _ in model.literals(axiom.condition)}
        below[axiom.predicate] |= mentioned & derived
    for middle in derived:
        for names in below.values():
            if middle in names:
                names |= below[middle]
    for name in derived:
        below[name].add(name)
    return below


def strata(axioms: Sequence[model.Axiom]) -> list[list[model.Axiom]]:
    """The axioms in layers: what is negated in one of them is derived in a layer before it.

    >>> from beeline.pddl import parse_domain
    >>> domain = parse_domain('''(define (domain d) (:predicates (on ?x ?y) (clear ?x) (held ?x))
    ...   (:derived (clear ?x) (not (or (held ?x) (exists (?y) (on ?y ?x)))))
    ...   (:derived (held ?x) (not (exists (?y) (on ?x ?y)))))''')
    >>> [[axiom.predicate for axiom in layer] for layer in strata(domain.axioms)]
    [['held'], ['clear']]
    """
    levels = {axiom.predicate: 0 for axiom in axioms}
    changed = True
    while changed:
        changed = False
        for axiom in axioms:
            for literal, _ in model.literals(axiom.condition):
                level = levels.get(literal.predicate, 0) + literal.negated
                if literal.predicate in levels and level > levels[axiom.predicate]:
                    levels[axiom.predicate] = level
                    changed = True
    layers: dict[int, list[model.Axiom]] = {}
    for axiom in axioms:
        layers.setdefault(levels[axiom.predicate], []).append(axiom)
    return [layers[level] for level in sorted(layers)]
