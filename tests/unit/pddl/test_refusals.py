"""Nonsense is refused with file, line, snippet and a hint; unsupported features by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from beeline import pddl
from beeline.core.errors import BeelineError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline.pddl.model import Problem

VOCABULARY = """
 (:types truck place)
 (:constants base - place)
 (:predicates (at ?t - truck ?p - place) (near ?a ?b - place) (free))
 (:functions (total-cost) (price ?t - truck))
"""
ACTION = "(:action go :parameters (?t - truck ?p - place) :precondition {} :effect {})"


def in_domain(section: str) -> str:
    return f"(define (domain d) (:requirements :adl :action-costs){VOCABULARY}{section})"


def refusal(domain: str, problem: str | None = None) -> BeelineError:
    def load() -> None:
        loaded = pddl.parse_domain(domain, "d.pddl")
        if problem is not None:
            pddl.normalize(pddl.parse_problem(loaded, problem, "p.pddl"))

    with pytest.raises(BeelineError) as caught:
        load()
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("(att ?t ?p)", "unknown predicate 'att' in (att ?t ?p) (hint: did you mean 'at'?)"),
        ("(at ?t)", "predicate 'at' takes 2 arguments, not 1, in (at ?t)"),
        ("(at ?t ?q)", "undeclared variable '?q' in (at ?t ?q)"),
        ("(at ?t bse)", "unknown object 'bse' in (at ?t bse) (hint: did you mean 'base'?)"),
        ("(at t ?p)", "unknown object 't' in (at t ?p) (hint: did you mean '?t'?)"),
        ("(at ?t free)", "(hint: 'free' is a predicate)"),
        ("(at ?t (free))", "a list stands where an argument should be in (at ?t (free))"),
        ("(and free)", "found 'free' in (and free) (hint: did you mean '(free)'?)"),
        ("((free) (free))", "(hint: is an 'and' missing?)"),
        ("(not)", "'not' takes one condition, not 0, in (not)"),
        ("(not (free) (free))", "'not' takes one condition, not 2,"),
        ("(imply (free))", "'imply' takes two conditions, not 1,"),
        ("(forall ?x (free))", "'forall' needs a list of variables"),
        ("(forall (?x - plac) (free))", "unknown type 'plac'"),
        ("(exists (?x ?x) (free))", "variable '?x' is declared twice in (?x ?x)"),
        ("(exists (?x))", "'exists' takes a list of variables and one more part"),
        ("(and (exists (?x) (near ?x base)) (near ?x base))", "undeclared variable '?x'"),
        ("(= ?t)", "predicate '=' takes 2 arguments, not 1"),
        ("(price ?t)", "'price' is a function, not a predicate"),
        ("(truck ?t ?p)", "predicate 'truck' takes 1 argument, not 2"),
        ("(increase (total-cost) 1)", "'increase' is not allowed in a condition"),
    ],
)
def test_bad_conditions(condition: str, message: str) -> None:
    error = refusal(in_domain("\n\n" + ACTION.format(condition, "(free)")))
    assert type(error) is BeelineError
    assert message in str(error)
    assert str(error).startswith("d.pddl:8: ")


@pytest.mark.parametrize(
    ("effect", "message"),
    [
        ("(att ?t ?p)", "unknown predicate 'att'"),
        ("(at ?t)", "takes 2 arguments, not 1"),
        ("(or (free) (free))", "'or' is not allowed here in an effect"),
        ("(not (not (free)))", "'not' is not allowed here in an effect"),
        ("(truck ?t)", "type 'truck' cannot change"),
        ("(= ?t ?t)", "'=' is not allowed here in an effect"),
        ("(and (free) free)", "expected an effect in parentheses, found 'free'"),
        ("((free))", "found a list of lists"),
        ("(when (free))", "'when' takes a condition and an effect"),
        ("(and (free) (increase (total-cost) (prize ?t)))", "unknown function 'prize'"),
        ("(and (free) (increase (total-cost) (price ?t ?p)))", "function 'price' takes 1"),
        ("(and (free) (increase (total-cost) (price ?x)))", "undeclared variable '?x'"),
        ("(and (free) (increase (total-cost) ()))", "expected a function"),
    ],
)
def test_bad_effects(effect: str, message: str) -> None:
    error = refusal(in_domain(ACTION.format("(free)", effect)))
    assert type(error) is BeelineError
    assert message in str(error)
    assert error.line == 6


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("(:action :parameters ())", "the action has no name"),
        ("(:action a :parameter () :effect (free))", "unexpected ':parameter'"),
        ("(:action a :parameters () :effect (free) :effect (free))", "two :effect"),
        ("(:action a :parameters () :effect)", ":effect of action 'a' needs a list"),
        ("(:action a :parameters (?x ?x) :effect (free))", "'?x' is declared twice"),
        ("(:action a :parameters (x) :effect (free))", "'x' cannot be a variable"),
        ("(:action a :parameters (?x - foo) :effect (free))", "unknown type 'foo'"),
        ("(:action a :parameters (?x -) :effect (free))", "a type is missing after '-'"),
        ("(:action a@b :parameters () :effect (free))", "cannot be the name of an action"),
        ("(:predicates (free ?x))", "declared with 0 and with 1 arguments"),
        ("(:predicates free)", "expected a predicate"),
        ("(:predicates (and ?x))", "'and' cannot be the name of a predicate"),
        ("(:predicates (p x))", "'x' cannot be a variable"),
        ("(:types a - b b - a)", "type 'a' is its own supertype"),
        ("(:types a - a)", "type 'a' is its own supertype"),
        ("(:types object - a)", "'object' cannot have a supertype"),
        ("(:types a - (either))", "expected a type or (either ...)"),
        ("(:constants c - plac)", "unknown type 'plac'"),
        ("(:constants ?c)", "'?c' cannot be an object"),
        ("(:prediactes (p))", "unknown section ':prediactes'"),
        ("(:objects a)", "objects of all problems of a domain are its :constants"),
        ("(:init (free))", "it belongs into the problem file"),
        (":predicates", "expected a section of the domain"),
        ("(domain e)", "a second (domain ...)"),
        ("(problem e)", "this is a problem file, but a domain file was expected"),
    ],
)
def test_bad_sections(section: str, message: str) -> None:
    error = refusal(in_domain(section))
    assert type(error) is BeelineError
    assert message in str(error)


def problem_with(section: str, *, goal: str = "(:goal (free))") -> str:
    head = "(define (problem t) (:domain d) (:objects t1 t2 - truck x - place)\n"
    return f"{head}{section}\n{goal})"


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("(:init (at t1))", "takes 2 arguments, not 1, in (at t1)"),
        ("(:init (at t1 z))", "unknown object 'z' in (at t1 z)"),
        ("(:init (att t1 x))", "unknown predicate 'att'"),
        ("(:init (at ?t x))", "variable '?t' is not allowed in :init"),
        ("(:init (truck t1))", "'truck' is a type, not a predicate"),
        ("(:init (and (free)))", "'and' is not allowed in :init"),
        ("(:init free)", "expected a fact, found 'free'"),
        ("(:init ((free)))", "found a list of lists"),
        ("(:init (free) (not (free)))", "both true and false"),
        ("(:init (= (price t1) 1) (= (price t1) 2))", "has a second value, besides 1"),
        ("(:init (= (prize t1) 1))", "unknown function 'prize'"),
        ("(:init (= (price t1)))", "expected (= (FUNCTION ...) NUMBER)"),
        ("(:init (= (price t1) dear))", "must be a number"),
        ("(:init (= t1 t1))", "an equality of objects cannot be declared"),
        ("(:metric minimise (total-cost))", "a metric that makes no sense"),
        ("(:goals (free))", "unknown section ':goals'"),
        ("(:goal (free) (free))", ":goal takes one condition"),
        ("(:goal (at t1 z))", "unknown object 'z' in (at t1 z)"),
        ("(:goal (at ?t x))", "undeclared variable '?t'"),
        ("(:goal free)", "did you mean '(free)'?"),
        ("(:domain e)", "belongs to domain 'e', but the domain file defines 'd'"),
        ("(:domain)", "the name of the domain must be one word"),
    ],
)
def test_bad_problems(section: str, message: str) -> None:
    error = refusal(in_domain(""), problem_with(section))
    assert type(error) is BeelineError
    assert message in str(error)
    assert str(error).startswith("p.pddl:2: ")


def test_a_problem_needs_a_goal() -> None:
    assert "the problem has no :goal" in str(refusal(in_domain(""), problem_with("", goal="")))


def test_swapped_files_are_recognised() -> None:
    assert "swapped" in str(refusal(problem_with("")))
    assert "swapped" in str(refusal(in_domain(""), in_domain("")))


def test_the_right_line_of_a_long_init_is_named() -> None:
    facts = "\n".join(["(at t1 x)"] * 50 + ["(at t1 zzz)"] + ["(at t2 x)"] * 50)
    error = refusal(in_domain(""), problem_with(f"(:init\n{facts})"))
    assert error.line == 53


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("(:durative-action a :parameters () :duration (= ?duration 1))", "durative actions"),
        ("(:action a :parameters () :duration (= ?d 1) :effect (free))", "durative actions"),
        ("(:axiom :vars () :context (and) :implies (free))", "axioms in this form"),
        ("(:constraints (and))", "constraints"),
        ("(:process p)", "processes"),
        ("(:event e)", "events"),
        ("(:functions (where ?t - truck) - place)", "object fluents"),
        (ACTION.format("(>= (price ?t) 3)", "(free)"), "numeric conditions"),
        (ACTION.format("(= (price ?t) 3)", "(free)"), "numeric conditions"),
        (ACTION.format("(preference p1 (free))", "(free)"), "'preference'"),
        (ACTION.format("()", "(and (free) (increase (price ?t) 1))"), "'increase'"),
        (ACTION.format("()", "(and (free) (decrease (total-cost) 1))"), "'decrease'"),
        (ACTION.format("()", "(and (free) (assign (total-cost) 1))"), "'assign'"),
        (ACTION.format("()", "(and (free) (increase (total-cost) -1))"), "negative"),
        (ACTION.format("()", "(and (free) (increase (total-cost) 1.5))"), "fractional"),
        (ACTION.format("()", "(and (free) (increase (total-cost) (+ 1 2)))"), "arithmetic"),
        (
            ACTION.format("()", "(and (free) (when (free) (increase (total-cost) 1)))"),
            "a cost inside 'when' or 'forall'",
        ),
        (
            ACTION.format("()", "(and (free) (increase (total-cost) 1) (increase (total-cost) 2))"),
            "a second cost",
        ),
    ],
)
def test_unsupported_domain_features_are_named(section: str, message: str) -> None:
    error = refusal(in_domain(section))
    assert isinstance(error, UnsupportedError)
    assert message in str(error)
    assert error.line == 6


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("(:init (at 5 (free)))", "timed initial literals"),
        ("(:metric maximize (total-cost))", "a metric other than"),
        ("(:metric minimize (+ (total-cost) 1))", "a metric other than"),
        ("(:metric minimize (total-time))", "a metric other than"),
        ("(:constraints (always (free)))", "constraints"),
        ("(:goal (preference p (free)))", "'preference'"),
        ("(:goal (>= (price t1) 3))", "numeric conditions"),
        ("(:init (= (price t1) x))", "object fluents"),
        ("(:init (= (price t1) -3))", "negative action cost"),
        ("(:init (= (price t1) 0.5))", "fractional or huge action cost"),
        ("(:init (= (price t1) 99999999999999999))", "fractional or huge action cost"),
    ],
)
def test_unsupported_problem_features_are_named(section: str, message: str) -> None:
    costly = ACTION.format("(free)", "(and (free) (increase (total-cost) (price ?t)))")
    error = refusal(in_domain(costly), problem_with(section))
    assert isinstance(error, UnsupportedError)
    assert message in str(error)
    assert error.line == 2


def test_normal_forms_that_explode_are_refused_before_they_are_built(
    parse: Callable[[str, str], Problem],
) -> None:
    clause = "(or (free) (at ?t ?p) (at ?t base))"
    action = ACTION.format("(and " + clause * 30 + ")", "(at ?t ?p)")
    error = refusal(in_domain("\n" + action), problem_with(""))
    assert isinstance(error, UnsupportedError)
    assert "action 'go' is too large" in str(error)
    assert (error.file, error.line) == ("d.pddl", 7)
    goal = "(or (free) (at t1 x) (at t2 x))"
    change = ACTION.format("()", "(and (free) (at ?t ?p))")
    error = refusal(in_domain(change), problem_with("", goal="(:goal (and " + goal * 30 + "))"))
    assert "the goal is too large" in str(error)
    assert (error.file, error.line) == ("p.pddl", 3)


def test_quantifiers_with_too_many_instances_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beeline.pddl.expansion.MAX_INSTANCES", 1000)
    variables = " ".join(f"?x{number}" for number in range(13))
    goal = f"(:goal (forall ({variables}) (imply (near ?x1 ?x2) (free))))"
    objects = "(:objects a b c d e)"
    error = refusal(in_domain(""), f"(define (problem t) (:domain d) {objects} {goal})")
    assert isinstance(error, UnsupportedError)
    assert "the goal is too large: a quantifier has more than" in str(error)
