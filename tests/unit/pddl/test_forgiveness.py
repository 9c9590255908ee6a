"""Sloppy files are repaired, with a warning that says what and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from beeline import pddl
from beeline.pddl.source import MAX_WARNINGS

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline.pddl.model import Domain, Problem


def domain(sections: str, *, requirements: str = "(:requirements :adl :action-costs)") -> Domain:
    return pddl.parse_domain(f"(define (domain d) {requirements}\n{sections})", "d.pddl")


def problem(
    sections: str, *, of: Domain | None = None, goal: str = "(:goal (p a))", objects: str = "a b"
) -> Problem:
    of = of or domain("(:predicates (p ?x) (q))")
    head = f"(define (problem t) (:domain d) (:objects {objects})"
    return pddl.parse_problem(of, f"{head}\n{sections}\n{goal})", "p.pddl")


def messages(loaded: Domain | Problem) -> list[str]:
    return [str(warning) for warning in loaded.warnings]


def test_a_clean_task_gives_no_warnings(
    parse: Callable[[str, str], Problem], delivery: tuple[str, str]
) -> None:
    assert parse(*delivery).warnings == ()


def test_missing_requirements_are_listed_in_one_warning() -> None:
    text = """(:types t) (:predicates (p ?x - t))
      (:action a :parameters (?x - t) :precondition (not (p ?x)) :effect (p ?x))"""
    assert messages(domain(text, requirements="(:requirements :strips)")) == [
        "d.pddl:1: ':negative-preconditions', ':typing' used without being declared in"
        " :requirements"
    ]


def test_object_as_a_type_needs_no_typing_but_gives_one_warning() -> None:
    of = domain("(:predicates (p ?x))", requirements="")
    loaded = problem("(:init)", of=of, objects="a - object b - object")
    assert len(loaded.warnings) == 1
    assert ":typing" in loaded.warnings[0].message
    assert list(loaded.objects) == ["a", "b"]


@pytest.mark.parametrize(
    ("label", "message"),
    [
        (":magic", "unknown requirement ':magic' is ignored"),
        ("typing", None),
        (":numeric-fluents", "requirement ':numeric-fluents' is declared but not supported"),
        (":negation", None),
    ],
)
def test_strange_requirements_are_ignored(label: str, message: str | None) -> None:
    loaded = domain("(:predicates (p ?x))", requirements=f"(:requirements :strips {label})")
    assert messages(loaded) == ([] if message is None else [f"d.pddl:1: {message}"])


def test_supertypes_need_not_be_declared_themselves() -> None:
    loaded = domain("(:types truck - vehicle)")
    assert loaded.types["truck"] == ("truck", "vehicle", "object")
    assert messages(loaded) == ["d.pddl:2: supertype 'vehicle' is not declared as a type itself"]


def test_object_may_be_declared_as_a_type() -> None:
    assert domain("(:types object a - object object - object)").types["a"] == ("a", "object")


def test_repeated_predicates_of_equal_arity_count_once() -> None:
    loaded = domain("(:predicates (p ?x)\n (p ?y))")
    assert list(loaded.predicates) == ["p"]
    assert messages(loaded) == ["d.pddl:3: predicate 'p' is declared more than once"]


def test_repeated_objects_get_all_their_types() -> None:
    of = domain("(:types s t) (:constants a - s) (:predicates (p ?x))")
    loaded = problem("(:init)", of=of, objects="a - t b b - s")
    assert loaded.objects == {"a": ("s", "t"), "b": ("s",)}
    assert loaded.objects_of_type("s") == ["a", "b"]
    assert loaded.objects_of_type("t") == ["a"]
    assert messages(loaded) == ["p.pddl:1: object 'a', 'b' is declared more than once"]


def test_repeated_facts_count_once_and_keep_their_order() -> None:
    loaded = problem("(:init (p b)\n(p a)\n(p b)\n(p b))")
    assert loaded.init == [("p", "b"), ("p", "a")]
    assert messages(loaded) == ["p.pddl:4: fact 'p b' is given more than once"]


def test_identical_actions_count_once_and_different_ones_stay() -> None:
    action = "(:action a :parameters () :effect (p))"
    other = "(:action a :parameters () :effect (not (p)))"
    loaded = domain(f"(:predicates (p))\n{action}\n{action}\n{other}")
    assert [schema.name for schema in loaded.actions] == ["a", "a"]
    assert messages(loaded) == [
        "d.pddl:4: action 'a' is given more than once",
        "d.pddl:5: there are different actions named 'a'",
    ]


def test_sections_may_come_twice_and_in_any_order() -> None:
    loaded = domain(
        "(:action a :parameters () :effect (p))(:predicates (p))(:types t)\n(:predicates (q))"
    )
    assert list(loaded.predicates) == ["p", "q"]
    assert messages(loaded) == ["d.pddl:3: section :predicates is given more than once"]


def test_goals_given_twice_are_both_meant() -> None:
    loaded = problem("(:init) (:goal (q))")
    normalized = pddl.normalize(loaded)
    assert {literal.predicate for literal in normalized.goal or ()} == {"p", "q"}


def test_sections_may_be_missing() -> None:
    of = domain("(:action a :effect (q))(:predicates (q))")
    assert messages(of) == ["d.pddl:2: action 'a' has no :parameters"]
    text = "(define (problem t)\n(:goal (q)))"
    loaded = pddl.parse_problem(of, text, "p.pddl")
    assert loaded.objects == {}
    assert loaded.init == []
    assert messages(loaded)[1:] == [
        "p.pddl:1: the problem does not name its domain",
        "p.pddl:1: the problem has no :init",
    ]


@pytest.mark.parametrize(
    "effect", ["", ":effect ()", ":effect (and)", ":effect (increase (total-cost) 2)"]
)
def test_actions_without_effect_are_kept_but_not_for_searches(effect: str) -> None:
    loaded = domain(f"(:functions (total-cost)) (:action a :parameters () {effect})")
    assert [(action.name, action.effects) for action in loaded.actions] == [("a", ())]
    assert messages(loaded) == ["d.pddl:2: action 'a' has no effect, no search will use it"]
    assert pddl.normalize(problem("(:init)", of=loaded, goal="(:goal (and))")).actions == ()


def test_empty_conditions_are_true() -> None:
    loaded = domain(
        """(:predicates (p)) (:action a :parameters () :precondition () :effect (p))
           (:action b :parameters () :precondition (and () (p) (and)) :effect (not (p)))"""
    )
    normalized = pddl.normalize(problem("(:init)", of=loaded, goal="(:goal (p))"))
    assert [len(action.precondition) for action in normalized.actions] == [0, 1]


def test_functions_need_no_declaration() -> None:
    of = domain(
        """(:predicates (p ?x)) (:action a :parameters (?x)
        :effect (and (p ?x) (increase (total-cost) (price ?x))))""",
        requirements="",
    )
    assert messages(of) == [
        "d.pddl:1: ':action-costs' used without being declared in :requirements",
        "d.pddl:1: function 'total-cost', 'price' used without a :functions section",
    ]
    loaded = problem("(:init (= (price a) 3.0)) (:metric minimize (total-cost))", of=of)
    assert loaded.function_values == {("price", "a"): 3}
    assert loaded.minimize_cost
    assert pddl.normalize(loaded).actions[0].cost == ("price", "?x")


def test_values_that_no_cost_uses_may_be_anything() -> None:
    of = domain("(:predicates (p ?x)) (:functions (total-cost) (fuel ?x))")
    loaded = problem("(:init (= (fuel a) 2.5)\n (= (fuel b) -1) (= (total-cost) 0))", of=of)
    assert loaded.function_values == {}
    assert "'fuel a', 'fuel b' is not a whole number" in loaded.warnings[0].message


def test_a_name_may_be_both_type_and_predicate() -> None:
    of = domain("""(:types block) (:predicates (block ?x) (p ?x))
      (:action a :parameters (?x - block) :precondition (block ?x) :effect (not (block ?x)))""")
    assert messages(of) == ["d.pddl:2: 'block' names both a type and a predicate"]
    loaded = problem("(:init (block a))", of=of, objects="a - block")
    assert pddl.normalize(loaded).fluent_predicates == {"block"}


def test_types_may_be_used_as_predicates() -> None:
    of = domain("""(:types block) (:predicates (p ?x))
      (:action a :parameters (?x) :precondition (not (block ?x)) :effect (p ?x))""")
    action = pddl.normalize(problem("(:init)", of=of)).actions[0]
    assert action.precondition == (("type@block", ("?x",), True),)


def test_objects_may_be_named_like_predicates_types_and_keywords() -> None:
    of = domain("(:types t) (:predicates (p ?x) (q))")
    loaded = problem("(:init (p p) (p t) (p and))", of=of, objects="p t and a")
    assert loaded.init == [("p", "p"), ("p", "t"), ("p", "and")]


def test_negative_facts_are_dropped() -> None:
    assert problem("(:init (p a) (not (p b)))").init == [("p", "a")]


@pytest.mark.parametrize("parameters", ["?x -block ?y", "?x- block ?y", "?x - block?y"])
def test_missing_spaces_are_supplied(parameters: str) -> None:
    loaded = domain(f"""(:types block) (:predicates (p ?x ?y))
      (:action a :parameters ({parameters}) :effect (p ?x ?y))""")
    assert loaded.actions[0].parameters == (("?x", "block"), ("?y", "object"))


def test_upper_and_lower_case_mix() -> None:
    of = pddl.parse_domain("(DEFINE (DOMAIN D) (:PREDICATES (P ?X)))")
    loaded = problem("(:INIT (p A))", of=of, goal="(:Goal (P B))")
    assert loaded.init == [("p", "a")]


def test_total_cost_may_lack_parentheses() -> None:
    of = domain("""(:predicates (p ?x)) (:functions total-cost)
      (:action a :parameters (?x) :effect (and (p ?x) (increase total-cost 2)))""")
    loaded = problem("(:init) (:metric minimize total-cost)", of=of)
    assert loaded.minimize_cost
    assert of.actions[0].cost == 2
    assert len(loaded.warnings) == 3


def test_a_type_without_names_is_ignored() -> None:
    of = domain("(:types t) (:predicates (p ?x))")
    loaded = problem("(:init)", of=of, objects="- t a b - object")
    assert list(loaded.objects) == ["a", "b"]
    assert "has no name before it" in loaded.warnings[0].message


def test_thousands_of_warnings_are_cut_short() -> None:
    text = "\n".join(f"(:action a{number} :effect ())" for number in range(5000))
    loaded = domain(text)
    assert len(loaded.warnings) == MAX_WARNINGS
    assert loaded.warnings[-1].message == "more warnings are left out"


def test_a_shadowed_variable_is_the_inner_one() -> None:
    of = domain("""(:predicates (p ?x) (q ?x))
      (:action a :parameters (?x) :precondition (and (p ?x) (exists (?x) (q ?x)))
       :effect (forall (?x) (when (q ?x) (forall (?x) (not (p ?x))))))""")
    action = pddl.normalize(problem("(:init)", of=of)).actions[0]
    (p, (outer,), _), (q, (inner,), _) = action.precondition
    assert (p, q) == ("p", "q")
    assert outer != inner
    effect = action.effects[0]
    assert effect.literal.args[0] != effect.condition[0].args[0]
    assert {name for name, _ in effect.parameters} == {
        effect.literal.args[0],
        effect.condition[0].args[0],
    }
