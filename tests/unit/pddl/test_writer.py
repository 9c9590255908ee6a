from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beeline import pddl

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline.pddl.model import Domain, Problem


def same_domain(first: Domain, second: Domain) -> bool:
    def contents(domain: Domain) -> tuple[object, ...]:
        types = {name: frozenset(closure) for name, closure in domain.types.items()}
        actions = [
            (a.name, a.parameters, a.precondition, a.effects, a.cost) for a in domain.actions
        ]
        names = domain.name, domain.requirements, domain.functions
        return names, types, domain.constants, domain.predicates, actions

    return contents(first) == contents(second)


def same_problem(first: Problem, second: Problem) -> bool:
    def contents(problem: Problem) -> tuple[object, ...]:
        costs = problem.function_values, problem.minimize_cost
        return problem.name, problem.objects, problem.init, problem.goal, costs

    return contents(first) == contents(second)


EITHER = """
(define (domain either) (:types a b c - object ab - (either a b) deep - ab)
  (:constants k - (either b c))
  (:predicates (p ?x - (either a b) ?y) (q))
  (:action act :parameters (?x - (either a b) ?y)
    :precondition (and (exists (?z - (either b c)) (p ?x ?z)) (or (deep ?x) (not (= ?x ?y))))
    :effect (and (q) (forall (?z ?w - a) (when (forall (?y) (= ?y ?z)) (not (q)))))))
"""
EITHER_PROBLEM = """
(define (problem t) (:domain either) (:objects x - deep y z - (either a c) k - a)
  (:init (p x y)) (:goal (imply (q) (exists (?x) (p ?x ?x)))))
"""


@pytest.mark.parametrize("name", ["blocks", "delivery", "either"])
def test_what_is_written_reads_back_the_same(
    name: str,
    blocks: tuple[str, str],
    delivery: tuple[str, str],
    parse: Callable[[str, str], Problem],
) -> None:
    texts = {"blocks": blocks, "delivery": delivery, "either": (EITHER, EITHER_PROBLEM)}[name]
    problem = parse(*texts)
    domain = pddl.parse_domain(pddl.format_domain(problem.domain))
    assert domain.warnings == ()
    assert same_domain(domain, problem.domain)
    written = pddl.parse_problem(domain, pddl.format_problem(problem))
    assert same_problem(written, problem)
    assert pddl.format_problem(written) == pddl.format_problem(problem)


@given(st.data())
def test_problems_of_any_size_read_back_the_same(data: st.DataObject) -> None:
    domain = pddl.parse_domain("""(define (domain d) (:types s t - object)
      (:predicates (p ?x ?y) (q)) (:functions (total-cost) (f ?x)))""")
    types = st.sampled_from([("object",), ("s",), ("t",), ("s", "t")])
    names = st.text("abc-_1", min_size=1, max_size=3).filter(lambda name: name.strip("-") == name)
    objects = data.draw(st.dictionaries(names, types, min_size=1, max_size=6))
    some = st.sampled_from(list(objects))
    facts = data.draw(st.lists(st.tuples(st.just("p"), some, some), unique=True, max_size=6))
    values = data.draw(st.dictionaries(st.tuples(st.just("f"), some), st.integers(0, 99)))
    model = pddl.parse_problem(domain, "(define (problem t) (:domain d) (:goal (q)))")
    model.objects, model.init, model.function_values = objects, facts, values
    model.minimize_cost = data.draw(st.booleans())
    assert same_problem(pddl.parse_problem(domain, pddl.format_problem(model)), model)
