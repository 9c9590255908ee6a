from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from beeline import pddl
from beeline.pddl.model import type_names, type_word

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline.pddl.model import Problem

DOMAIN = """
(define (domain d) (:requirements :adl)
  (:types a b c - object ab - (either a b) a2 - a)
  (:constants k - (either b c))
  (:predicates (p ?x - (either a b) ?y))
  (:action act :parameters (?x - (either b a b) ?y - c)
    :precondition (and (exists (?z - (either c b)) (p ?z ?x))
                       (forall (?z - (either a)) (not (p ?z ?z))))
    :effect (forall (?z - (either a b)) (p ?x ?z))))
"""
PROBLEM = """
(define (problem t) (:domain d)
  (:objects xa - a xab - ab xa2 - a2 xbc - (either b c) xc - c plain)
  (:init) (:goal (exists (?g - (either a c)) (p ?g ?g))))
"""


@pytest.fixture
def problem(parse: Callable[[str, str], Problem]) -> Problem:
    return parse(DOMAIN, PROBLEM)


def test_supertypes_are_closed_over_all_parents(problem: Problem) -> None:
    types = problem.domain.types
    assert set(types["ab"]) == {"ab", "a", "b", "object"}
    assert set(types["a2"]) == {"a2", "a", "object"}
    assert all(closure[0] == name for name, closure in types.items())
    assert all(closure[-1] == "object" for closure in types.values())


def test_objects_of_a_type_come_in_order_of_declaration(problem: Problem) -> None:
    assert problem.objects_of_type("a") == ["xa", "xab", "xa2"]
    assert problem.objects_of_type("b") == ["k", "xab", "xbc"]
    assert problem.objects_of_type("either@b@c") == ["k", "xab", "xbc", "xc"]
    assert problem.objects_of_type("object") == list(problem.objects)
    assert problem.objects_of_type("a") is problem.objects_of_type("a")


def test_either_works_in_every_place(problem: Problem) -> None:
    domain = problem.domain
    assert domain.predicates["p"].parameter_types == (("a", "b"), ("object",))
    assert domain.constants["k"] == ("b", "c")
    task = pddl.normalize(problem)
    action = task.actions[0]
    assert action.parameters == (("?x", "either@a@b"), ("?y", "c"), ("?z", "either@b@c"))
    assert action.external == 2
    assert action.effects[0].parameters[0][1] == "either@a@b"
    (denied,) = [literal for literal in action.precondition if literal.negated]
    (axiom,) = task.axioms
    assert (axiom.name, axiom.external) == (denied.predicate, 0)
    assert [word for _, word in axiom.parameters] == ["a"]
    assert [literal.predicate for literal in axiom.precondition] == ["p"]


def test_type_words_are_sorted_and_reversible() -> None:
    assert type_word(("b", "a", "b")) == "either@a@b"
    assert type_word(("a", "a")) == "a"
    assert type_names(type_word(("b", "a"))) == ("a", "b")
