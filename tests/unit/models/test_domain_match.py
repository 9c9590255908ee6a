"""Models are used in their own domain only, whatever it is called."""

from __future__ import annotations

import pytest
from hand_tables import HandTable

from beeline.core.errors import BeelineError
from beeline.models.colours.graph import BaseColours
from beeline.pddl import parse_domain
from beeline.planning.model import check_fits, fits

TEXT = """(define (domain d) (:requirements :typing)
 (:types truck boat - vehicle place)
 (:constants harbour - place)
 (:predicates (at ?v - vehicle ?p - place) (ready) (done))
 (:action go :parameters (?v - truck ?p - place) :precondition (done) :effect (done)))"""
MODEL = HandTable(parse_domain(TEXT)).model()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(domain d)", "(domain another-name)"),
        ("(at ?v - vehicle ?p - place) (ready)", "(ready) (at ?w - vehicle ?q - place)"),
        ("truck boat - vehicle place", "place truck boat - vehicle"),
        (":precondition (done)", ":precondition ()"),
    ],
)
def test_what_may_differ(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    if new.startswith("place truck"):
        text = text.replace(new, "place - object truck boat - vehicle")
    domain = parse_domain(text)
    check_fits(MODEL, domain)
    assert fits(MODEL, domain)


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        (" (ready)", "", "the model has a predicate 'ready'"),
        ("(ready)", "(ready) (late)", "predicate 'late' is unknown to the model"),
        ("(at ?v - vehicle ?p", "(at ?p", "predicate 'at' has 1 parameter, in the model 2"),
        (
            "(at ?v - vehicle",
            "(at ?v - truck",
            "parameter 1 of predicate 'at' is of type 'truck', in the model 'vehicle'",
        ),
        (
            "(at ?v - vehicle",
            "(at ?v - (either truck boat)",
            "is of type 'truck' or 'boat', in the model 'vehicle'",
        ),
        ("action go", "action drive", "action 'drive' is unknown to the model"),
        ("action go", "action drive", "the model has an action 'go'"),
        (
            "(?v - truck ?p - place)",
            "(?v - boat ?p - place)",
            "parameter 1 of action 'go' is of type 'boat', in the model 'truck'",
        ),
        ("boat - vehicle", "boat - vehicle bus", "type 'bus' is unknown to the model"),
        ("truck boat - vehicle", "truck - vehicle boat", "type 'boat' has other supertypes"),
        ("harbour - place", "harbour - truck", "constant 'harbour' is of type 'truck', in the"),
        ("(:constants harbour - place)", "", "the model has a constant 'harbour'"),
    ],
)
def test_what_may_not_differ(old: str, new: str, difference: str) -> None:
    assert old in TEXT
    domain = parse_domain(TEXT.replace(old, new))
    with pytest.raises(BeelineError) as caught:
        check_fits(MODEL, domain, "m.beeline")
    assert str(caught.value).startswith("m.beeline: the model, learned in 'd', does not fit")
    assert difference in caught.value.message
    assert "beeline learn" in str(caught.value.hint)
    assert not fits(MODEL, domain)


def test_a_wholly_other_domain_is_told_in_a_line() -> None:
    with pytest.raises(BeelineError) as caught:
        check_fits(MODEL, parse_domain("(define (domain e) (:predicates (p) (q) (r)))"))
    assert "; and " in caught.value.message
    assert len(str(caught.value)) < 400


def test_a_model_knows_its_base_colours() -> None:
    assert MODEL.base_colours == BaseColours.of(parse_domain(TEXT))


def test_names_of_any_length_are_told_in_few_words() -> None:
    error = BeelineError(f"a type is '{'(' * 100_000}'", "model.beeline", hint="learn it again")
    assert len(str(error)) < 1200
    assert str(error).endswith("((' (hint: learn it again)")
