"""Actions that can never apply, and actions without effect, in plans and in searches."""

from __future__ import annotations

import pytest

from beeline.pddl import format_domain, parse_domain, parse_problem
from beeline.planning.solve import solve
from beeline.task.grounding import ground
from beeline.task.validator import FailureKind, validate

THINGS = "(:types key thing) (:constants c1 c2 - thing)"
NEVER = """(define (domain d) (:requirements :adl) {types}
 (:predicates (broken ?x) (fits ?k - key ?x) (g))
 (:action never :parameters (?x - thing) :precondition (and (broken ?x) {never})
  :effect (not (broken ?x)))
 (:action finish :parameters () :effect (g)))"""
BROKEN = "(define (problem p) (:domain d) (:objects a - thing) (:init (broken a)) (:goal (g)))"


@pytest.mark.parametrize(
    "never",
    [
        "(or)",
        "(not (forall (?k - key) (fits ?k ?x)))",
        "(exists (?k - key) (not (= ?x c1)))",
        "(forall (?y - thing) (not (= ?y ?y)))",
    ],
)
def test_a_predicate_that_only_an_impossible_action_changes(never: str) -> None:
    problem = parse_problem(parse_domain(NEVER.format(types=THINGS, never=never)), BROKEN)
    assert solve(ground(problem)).plan == ("(finish)",)
    failure = validate(problem, [("never", "a")]).failure
    assert failure is not None
    assert failure.kind is FailureKind.PRECONDITION


def test_an_effect_that_never_takes_place_leaves_its_predicate_alone() -> None:
    domain = parse_domain("""(define (domain d) (:requirements :adl) (:types key)
     (:predicates (p ?x) (g)) (:action finish :parameters (?x)
      :effect (and (g) (when (exists (?k - key) (= ?k ?k)) (not (p ?x))))))""")
    task = "(define (problem t) (:domain d) (:objects a) (:init (p a)) (:goal (and (g) (p a))))"
    problem = parse_problem(domain, task)
    assert solve(ground(problem)).plan == ("(finish a)",)


WAITING = """(define (domain d) (:requirements :strips :action-costs) (:predicates (g) (h))
 (:functions (total-cost) - number)
 (:action wait :parameters () {wait})
 (:action finish :parameters () :effect (and (g) (increase (total-cost) 1))))"""
WAITING_TASK = """(define (problem p) (:domain d) (:init (= (total-cost) 0)) (:goal (g))
 (:metric minimize (total-cost)))"""


@pytest.mark.parametrize(
    ("wait", "cost"),
    [
        (":effect (and (increase (total-cost) 5))", 6),
        (":effect (and)", 1),
        ("", 1),
    ],
)
def test_a_plan_may_have_steps_without_effect(wait: str, cost: int) -> None:
    domain = parse_domain(WAITING.format(wait=wait))
    for each in (domain, parse_domain(format_domain(domain))):
        problem = parse_problem(each, WAITING_TASK)
        verdict = validate(problem, [("wait",), ("finish",)])
        assert (verdict.valid, verdict.cost) == (True, cost)
        assert solve(ground(problem)).plan == ("(finish)",)


def test_a_step_without_effect_needs_its_precondition() -> None:
    problem = parse_problem(
        parse_domain(WAITING.format(wait=":precondition (h) :effect (and)")), WAITING_TASK
    )
    failure = validate(problem, [("wait",), ("finish",)]).failure
    assert failure is not None
    assert (failure.step, failure.unsatisfied) == (1, ("(h)",))
