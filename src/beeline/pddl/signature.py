"""The signature of a domain: what data and models of it have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from beeline.pddl.model import type_names

if TYPE_CHECKING:
    from beeline.pddl.model import Domain


def domain_signature(domain: Domain) -> dict[str, Any]:
    """Name, types, constants, predicates and the actions that have an effect, as plain values.

    >>> from beeline.pddl import parse_domain
    >>> domain_signature(parse_domain("(define (domain d) (:predicates (p ?x)))"))["predicates"]
    {'p': [['object']]}
    """
    return {
        "name": domain.name,
        "types": {name: list(domain.types[name]) for name in sorted(domain.types)},
        "constants": {name: list(domain.constants[name]) for name in sorted(domain.constants)},
        "predicates": {
            name: [list(types) for types in domain.predicates[name].parameter_types]
            for name in sorted(domain.predicates)
        },
        "actions": {
            action.name: [list(type_names(word)) for _, word in action.parameters]
            for action in sorted(domain.actions, key=lambda action: action.name)
            if action.effects
        },
    }
