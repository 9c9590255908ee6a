"""Two domains that say the same in other words, and some that do not."""

from __future__ import annotations

import pytest

from beeline.generators import domain_text
from beeline.pddl import parse_domain
from beeline.pddl.matching import Matching, match
from beeline.pddl.outline import Outline, differences

TEXT = """(define (domain d) (:requirements :typing :negative-preconditions :equality)
 (:types truck place - object)
 (:constants depot - place)
 (:predicates (at ?v - truck ?p - place) (road ?a ?b - place) (open ?p - place) (dry ?p - place)
  (full ?v - truck) (spare ?p - place))
 (:action go :parameters (?v - truck ?a ?b - place)
  :precondition (and (at ?v ?a) (road ?a ?b) (open ?b) (dry ?b) (not (= ?a ?b)))
  :effect (and (at ?v ?b) (not (at ?v ?a))))
 (:action fill :parameters (?v - truck)
  :precondition (and (at ?v depot) (not (full ?v)))
  :effect (full ?v))
 (:action close :parameters (?p - place) :precondition (open ?p) :effect (not (open ?p))))"""
KNOWN = Outline(parse_domain(TEXT))


def matched(*changes: tuple[str, str]) -> Matching | None:
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return match(KNOWN, Outline(parse_domain(text)))


def test_a_domain_matches_itself_word_by_word() -> None:
    matching = matched()
    assert matching is not None
    assert matching.actions == {
        "go": ("go", (0, 1, 2)),
        "fill": ("fill", (0,)),
        "close": ("close", (0,)),
    }
    assert all(name == there for name, (there, _) in matching.predicates.items())
    assert matching.labels == {it: it for it in ("type@truck", "type@place", "dry")}
    assert matching.constants == {"depot": "depot"}
    assert (matching.otherwise, matching.ignored, matching.unused) == (None, {}, ())


@pytest.mark.parametrize(
    "changes",
    [
        (("go", "drive"), ("truck", "car"), ("(at ", "(in ")),
        (("?v - truck ?a ?b - place", "?b ?a - place ?v - truck"),),
        (("(road ?a ?b)", "(road ?b ?a)"),),
        (("(not (= ?a ?b))", "(not (= ?b ?a))"),),
        ((" (not (= ?a ?b))", ""),),
        (("depot", "home"),),
        (("(at ?v ?a) (road ?a ?b)", "(and (road ?a ?b)) (at ?v ?a)"),),
        ((":effect (full ?v)", ":effect (and (full ?v) (not (full ?v)))"),),
        (("(open ?p) :effect (not (open ?p))", "(open ?p) :effect (and (not (open ?p)))"),),
        (("(at ?v depot) (not", "(at ?v depot) (at ?v depot) (not"),),
        ((":effect (full ?v)", ":effect (and (full ?v) (at ?v depot))"),),
    ],
)
def test_what_means_the_same(changes: tuple[tuple[str, str], ...]) -> None:
    assert matched(*changes) is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(not (full ?v))", "(full ?v)"),
        ("(not (= ?a ?b))", "(= ?a ?b)"),
        (" (at ?v depot)", " (at ?v depot) (not (= ?v depot))"),
        ("(not (at ?v ?a))", "(not (at ?v ?b))"),
        ("(at ?v ?b) (not", "(not"),
        ("(road ?a ?b) (open ?b)", "(road ?a ?b) (open ?a)"),
        ("(at ?v depot)", "(open depot)"),
        ("(dry ?b)", "(dry ?a)"),
        (" (dry ?b)", ""),
        ("fill :parameters (?v - truck)", "fill :parameters (?v - truck ?b - place)"),
        (":precondition (open ?p)", ":precondition (or (open ?p) (dry ?p))"),
        ("(not (open ?p))", "(when (dry ?p) (not (open ?p)))"),
        ("(?p - place) :precondition", "(?p - object) :precondition"),
    ],
)
def test_what_means_something_else(old: str, new: str) -> None:
    assert matched((old, new)) is None


def test_arguments_in_another_order_are_found() -> None:
    matching = matched(
        ("(at ?v - truck ?p - place)", "(in ?p - place ?v - truck)"),
        ("(at ?v ?a)", "(in ?a ?v)"),
        ("(at ?v ?b)", "(in ?b ?v)"),
        ("(at ?v depot)", "(in depot ?v)"),
        ("?v - truck ?a ?b - place", "?b - place ?v - truck ?a - place"),
    )
    assert matching is not None
    assert matching.predicates["in"] == ("at", (1, 0))
    assert matching.actions["go"] == ("go", (1, 2, 0))


def test_conditions_that_are_not_known_are_told_apart() -> None:
    matching = matched(
        ("(spare ?p - place)", "(able ?v - truck) (weight ?v - truck)"),
        ("(road ?a ?b)", "(able ?v) (road ?a ?b)"),
    )
    assert matching is not None
    assert matching.ignored == {"able": (frozenset({"type@truck"}),)}
    assert matching.unused == ("weight",)


def test_what_is_added_where_it_holds_never_changes() -> None:
    """As in rovers: (not (available ?r)) and (available ?r) in one effect."""
    matching = matched(
        ("(spare ?p - place)", "(able ?v - truck)"),
        ("(road ?a ?b)", "(able ?v) (road ?a ?b)"),
        ("(at ?v ?b) (not", "(not (able ?v)) (able ?v) (at ?v ?b) (not"),
    )
    assert matching is not None
    assert list(matching.ignored) == ["able"]


def test_an_addition_that_undoes_a_deletion_is_kept() -> None:
    """With two equal arguments (p ?x) would be deleted if it were not added."""
    known, other = (
        Outline(
            parse_domain(f"""(define (domain d) (:predicates (p ?x)) (:action a :parameters (?x ?y)
             :precondition (p ?x) :effect (and {added} (not (p ?y)))))""")
        )
        for added in ("(p ?x)", "")
    )
    assert match(known, known) is not None
    assert match(known, other) is None


MOVES = """(define (domain d) (:requirements :negative-preconditions :equality)
 (:predicates (at ?x) (been ?x) (other ?x ?y)) (:action go :parameters (?x ?y)
  :precondition (and (at ?x) {condition}) :effect (and (at ?y) (not (at ?x)) {more})))"""


def moves(condition: str, more: str = "") -> Outline:
    return Outline(parse_domain(MOVES.format(condition=condition, more=more)))


def test_a_step_to_where_one_is_makes_no_difference() -> None:
    known = moves("(not (at ?y))")
    for condition in ("", "(not (= ?x ?y))", "(not (at ?y))", "(other ?x ?y)", "(other ?y ?x)"):
        matching = match(known, moves(condition))
        assert matching is not None
        assert matching.single == (() if "(not (at" in condition else ("at",))
        assert dict(matching.apart) == ({"other": (frozenset(),)} if "other" in condition else {})
    assert match(known, moves("(not (been ?y))")) is None


def test_a_step_to_where_one_is_may_be_of_use() -> None:
    """Going to where one is makes (been ?y) true."""
    more = "(been ?y)"
    known = moves("(not (= ?x ?y))", more)
    assert match(known, moves("", more)) is None
    for condition in ("(not (at ?y))", "(other ?x ?y)", "(not (= ?y ?x))"):
        assert match(known, moves(condition, more)) is not None


def test_what_several_objects_may_have_tells_nothing_apart() -> None:
    grown = [moves(it, "(not (been ?x)) (at ?x)") for it in ("(not (at ?y))", "(not (= ?x ?y))")]
    assert match(grown[0], grown[1]) is None
    assert match(grown[0], grown[0]) is not None


SYMMETRIC = """(define (domain d) (:predicates (up ?a ?b) (down ?a ?b) (at ?a))
 (:action climb :parameters (?a ?b) :precondition (and (at ?a) (up ?a ?b))
  :effect (and (at ?b) (not (at ?a))))
 (:action fall :parameters (?a ?b) :precondition (and (at ?a) (down ?a ?b))
  :effect (and (at ?b) (not (at ?a)))))"""


def test_the_matching_with_the_most_equal_names_is_taken() -> None:
    known = Outline(parse_domain(SYMMETRIC))
    for old, new, name in [("climb", "rise", "down"), ("up", "above", "down"), ("at", "in", "up")]:
        changed = parse_domain(SYMMETRIC.replace(f"{old} ", f"{new} "))
        matching = match(known, Outline(changed))
        assert matching is not None
        assert matching.predicates[name] == (name, (0, 1))
    matching = match(known, Outline(parse_domain(SYMMETRIC.replace("fall", "f_all"))))
    assert matching is not None
    assert matching.actions["f_all"] == ("fall", (0, 1))


def test_one_label_may_be_what_all_other_objects_have() -> None:
    text = domain_text("ferry").replace(" - location", "").replace("car location - object", "car")
    known = Outline(parse_domain(domain_text("ferry")))
    matching = match(known, Outline(parse_domain(text)))
    assert matching is not None
    assert matching.labels == {"type@car": "type@car"}
    assert matching.otherwise == "type@location"
    bare = text.replace(" - car", "").replace("(:types car)", "")
    assert match(known, Outline(parse_domain(bare))) is None


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("(open ?p) :effect", "(or (open ?p)) :effect", "a condition is more than a conjunction"),
        ("(not (open ?p))", "(when (dry ?p) (not (open ?p)))", "effects depend on conditions here"),
        ("(not (open ?p))", "(forall (?q - place) (open ?q))", "effects depend on conditions here"),
    ],
)
def test_what_is_not_compared_is_told(old: str, new: str, words: str) -> None:
    domain = Outline(parse_domain(TEXT.replace(old, new)))
    assert old in TEXT
    assert domain.actions is None
    assert differences(KNOWN, domain)[0].startswith(words)


def test_domains_with_axioms_are_not_compared() -> None:
    axiom = "(:derived (wet ?p - place) (not (dry ?p))) (:action"
    text = TEXT.replace("(:predicates", "(:predicates (wet ?p - place)").replace("(:action", axiom)
    domain = Outline(parse_domain(text))
    assert domain.actions is None
    assert differences(KNOWN, domain)[0].startswith("some predicates are derived here")


def test_a_domain_without_end_is_given_up() -> None:
    """Predicates of twelve arguments have 479,001,600 orders, and no two are like each other."""
    variables = [f"?v{number}" for number in range(12)]
    known, other = (
        Outline(
            parse_domain(f"""(define (domain d) (:predicates (p {" ".join(variables)})
             (q {" ".join(variables)})) (:action a :parameters ({" ".join(variables)})
             :precondition (p {" ".join(order)}) :effect (q {" ".join(variables)})))""")
        )
        for order in (variables, [variables[0]] * 12)
    )
    assert match(known, known) is not None
    assert match(known, other) is None
    many = "".join(f"(:action a{it} :effect (p))" for it in range(300))
    assert (
        "more than 200"
        in Outline(parse_domain(f"(define (domain d) (:predicates (p)) {many})")).obstacle
    )


def test_no_built_in_domain_matches_another() -> None:
    names = ["blocksworld", "ferry", "gripper", "logistics", "rovers", "transport", "visitall"]
    outlines = {name: Outline(parse_domain(domain_text(name))) for name in names}
    for name, known in outlines.items():
        for other, domain in outlines.items():
            assert (match(known, domain) is not None) == (name == other)
