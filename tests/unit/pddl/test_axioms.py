"""Derived predicates: reading, writing, strata, and what is refused with file and line."""

from __future__ import annotations

import pytest

from beeline import pddl
from beeline.core.errors import BeelineError
from beeline.pddl.axioms import strata
from beeline.pddl.model import Atom, Junction, Quantified, domain_signature
from beeline.task.validator import validate

HEAD = """(define (domain d) (:requirements :adl :derived-predicates) (:types place - object)
 (:constants home - place)
 (:predicates (p ?x) (q ?x) (r ?x ?y - place) (s))
"""


def domain_with(*lines: str) -> pddl.model.Domain:
    return pddl.parse_domain(HEAD + "\n".join(lines) + ")", "d.pddl")


def refusal(*lines: str) -> BeelineError:
    with pytest.raises(BeelineError) as caught:
        domain_with(*lines)
    return caught.value


def test_an_axiom_is_kept_as_written() -> None:
    (axiom,) = domain_with("(:derived (r ?x ?y - place) (and (p ?x) (p ?y)))").axioms
    assert axiom.predicate == "r"
    assert axiom.parameters == (("?x", "place"), ("?y", "place"))
    assert axiom.condition == Junction("and", (Atom("p", ("?x",)), Atom("p", ("?y",))))
    assert axiom.line == 4


def test_a_predicate_may_have_several_axioms() -> None:
    domain = domain_with("(:derived (p ?x) (q ?x))", "(:derived (p ?x) (= ?x home))")
    assert [axiom.predicate for axiom in domain.axioms] == ["p", "p"]
    assert domain.derived_predicates() == {"p"}
    assert domain.changed_predicates() == {"p"}
    assert domain.warnings == ()


def test_an_axiom_without_a_declared_requirement_gives_a_warning() -> None:
    domain = pddl.parse_domain("(define (domain d) (:predicates (p) (q)) (:derived (p) (q)))")
    (warning,) = domain.warnings
    assert "':derived-predicates' used without being declared" in warning.message
    old = "(define (domain d) (:requirements :domain-axioms) (:predicates (p)) (:derived (p) ()))"
    assert pddl.parse_domain(old).warnings == ()


def test_axioms_can_be_written_and_read_again() -> None:
    domain = domain_with(
        "(:derived (s) (forall (?x - place) (imply (p ?x) (q ?x))))",
        "(:derived (r ?x ?y - place) (exists (?z) (and (r ?x ?z) (r ?z ?y))))",
    )
    again = pddl.parse_domain(pddl.format_domain(domain))
    assert [axiom[:3] for axiom in again.axioms] == [axiom[:3] for axiom in domain.axioms]
    assert isinstance(again.axioms[0].condition, Quantified)


@pytest.mark.parametrize(
    ("lines", "message", "line"),
    [
        (["(:derived (t ?x) (q ?x))"], "unknown predicate 't'", 4),
        (["", "(:derived (p ?x ?y) (q ?x))"], "predicate 'p' takes 1 argument, not 2", 5),
        (["(:derived (p home) (q ?x))"], "'home' is no parameter of 'p'", 4),
        (["(:derived (r ?x ?x) (q ?x))"], "variable '?x' is declared twice", 4),
        (["(:derived (p ?x)", "(and (q ?x)", "(q ?y)))"], "undeclared variable '?y'", 6),
        (["(:derived (p ?x - town) (q ?x))"], "unknown type 'town'", 4),
        (["(:derived (p ?x) (u ?x))"], "unknown predicate 'u'", 4),
        (["(:derived p (q ?x))"], "takes an atom and a condition", 4),
        (["(:derived (s))"], "takes an atom and a condition", 4),
        (["(:derived () (s))"], "expected a predicate and its parameters", 4),
        (
            ["(:derived (p ?x) (q ?x))", "(:action a :parameters ()", ":effect (p home))"],
            "derived predicate 'p' cannot change",
            6,
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line(lines: list[str], message: str, line: int) -> None:
    error = refusal(*lines)
    assert message in str(error)
    assert (error.file, error.line) == ("d.pddl", line)


def test_recursion_through_negation_is_named_with_its_line() -> None:
    error = refusal("(:derived (p ?x) (q ?x))", "(:derived (q ?x) (not (exists (?y) (p ?y))))")
    assert "derived predicate 'q' depends on its own negation, by 'p'" in str(error)
    assert error.line == 5
    hidden = refusal("(:derived (p ?x) (imply (p ?x) (s)))")
    assert "derived predicate 'p' depends on its own negation" in str(hidden)


def test_positive_recursion_and_double_negation_are_no_negation() -> None:
    domain = domain_with("(:derived (p ?x) (not (not (p ?x))))", "(:derived (q ?x) (not (p ?x)))")
    assert [[axiom.predicate for axiom in layer] for layer in strata(domain.axioms)] == [
        ["p"],
        ["q"],
    ]


def test_a_type_that_no_object_of_the_predicate_has_gives_a_warning() -> None:
    text = """(define (domain d) (:requirements :typing :derived-predicates) (:types a b)
     (:predicates (p ?x - a)) (:derived (p ?x - b) ()))"""
    (warning,) = pddl.parse_domain(text).warnings
    assert "?x of derived predicate 'p' is declared as 'a' elsewhere" in warning.message


def test_a_derived_fact_in_the_initial_state_is_refused_with_its_line() -> None:
    domain = domain_with("(:derived (p ?x) (q ?x))")
    text = "(define (problem t) (:domain d)\n (:init (q home)\n (p home))\n (:goal (p home)))"
    with pytest.raises(BeelineError, match="'p' is not allowed in :init") as caught:
        pddl.parse_problem(domain, text)
    assert caught.value.line == 3


def test_models_know_derived_predicates_as_any_other() -> None:
    assert "p" in domain_signature(domain_with("(:derived (p ?x) (q ?x))"))["predicates"]


class TestMeaning:
    """By the validator, which looks at the formulas as they are written."""

    REACH = domain_with(
        "(:derived (p ?x) (or (= ?x home) (exists (?y - place) (and (p ?y) (r ?y ?x)))))",
        "(:derived (s) (forall (?x - place) (p ?x)))",
        "(:action link :parameters (?x ?y - place) :precondition (and (p ?x) (not (p ?y)))",
        " :effect (r ?x ?y))",
        "(:action cut :parameters (?x ?y - place) :precondition (r ?x ?y)",
        " :effect (and (not (r ?x ?y)) (when (not (s)) (q ?x))))",
    )

    def problem(self, goal: str) -> pddl.model.Problem:
        return pddl.parse_problem(
            self.REACH,
            f"""(define (problem t) (:domain d) (:objects a b c - place)
             (:init (r a b)) (:goal {goal}))""",
        )

    def test_what_follows_is_derived_again_after_each_step(self) -> None:
        problem = self.problem("(and (p b) (p c) (s))")
        assert validate(problem, ["(link home a)", "(link b c)"]).valid
        failure = validate(problem, ["(link home a)", "(link home b)"]).failure
        assert failure is not None
        assert failure.unsatisfied == ("(not (p b))",)

    def test_what_no_longer_follows_is_false(self) -> None:
        problem = self.problem("(and (not (p a)) (not (s)) (q home))")
        assert validate(problem, ["(link home a)", "(cut home a)"]).valid
        all_reached = ["(link home a)", "(link b c)", "(cut home a)"]
        failure = validate(problem, all_reached).failure
        assert failure is not None
        assert failure.unsatisfied == ("(q home)",)
