"""PDDL texts that the tests of the front end share."""

from __future__ import annotations

import contextlib
import io
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from fast_downward.translate import normalize, options
from fast_downward.translate.pddl_parser import lisp_parser, parsing_functions

from beeline import pddl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from beeline.pddl.model import Problem

DELIVERY_DOMAIN = """
(define (domain delivery)
  (:requirements :adl :action-costs)
  (:types vehicle place - object
          truck boat - vehicle
          depot - place
          parcel)
  (:constants base - depot)
  (:predicates (at ?v - vehicle ?p - place) (lies ?p - parcel ?l - place)
               (in ?p - parcel ?v - vehicle) (road ?a ?b - place)
               (broken ?v - (either truck boat)) (done))
  (:functions (total-cost) - number (length ?a ?b - place) - number)
  (:action move
    :parameters (?v - vehicle ?a ?b - place)
    :precondition (and (at ?v ?a) (or (road ?a ?b) (road ?b ?a)) (not (= ?a ?b))
                       (not (broken ?v)))
    :effect (and (not (at ?v ?a)) (at ?v ?b) (increase (total-cost) (length ?a ?b))))
  (:action load
    :parameters (?p - parcel ?v - (either truck boat) ?l - place)
    :precondition (and (at ?v ?l) (lies ?p ?l)
                       (forall (?q - parcel) (imply (in ?q ?v) (= ?q ?p))))
    :effect (and (not (lies ?p ?l)) (in ?p ?v) (increase (total-cost) 1)))
  (:action unload
    :parameters (?p - parcel ?l - place)
    :precondition (exists (?v - vehicle) (and (at ?v ?l) (in ?p ?v)))
    :effect (and (lies ?p ?l) (forall (?v - vehicle) (not (in ?p ?v)))
                 (when (road base ?l) (done))))
)
"""

DELIVERY_PROBLEM = """
(define (problem delivery-1)
  (:domain delivery)
  (:objects t1 - truck b1 - boat x y - place p1 p2 - parcel)
  (:init (at t1 base) (at b1 x) (lies p1 base) (lies p2 x) (road base x) (road x y)
         (= (length base x) 3) (= (length x y) 2.0) (= (length x base) 3)
         (= (length y x) 2) (= (total-cost) 0))
  (:goal (and (forall (?p - parcel) (or (lies ?p y) (lies ?p x))) (not (lies p1 x))))
  (:metric minimize (total-cost)))
"""

BLOCKS_DOMAIN = """
(define (domain blocks)
  (:predicates (clear ?x) (table ?x) (on ?x ?y) (holding ?x) (empty))
  (:action pick :parameters (?x)
    :precondition (and (clear ?x) (table ?x) (empty))
    :effect (and (holding ?x) (not (clear ?x)) (not (table ?x)) (not (empty))))
  (:action drop :parameters (?x)
    :precondition (holding ?x)
    :effect (and (clear ?x) (table ?x) (empty) (not (holding ?x))))
  (:action stack :parameters (?x ?y)
    :precondition (and (holding ?x) (clear ?y))
    :effect (and (on ?x ?y) (clear ?x) (empty) (not (holding ?x)) (not (clear ?y))))
  (:action unstack :parameters (?x ?y)
    :precondition (and (on ?x ?y) (clear ?x) (empty))
    :effect (and (holding ?x) (clear ?y) (not (on ?x ?y)) (not (clear ?x)) (not (empty)))))
"""

BLOCKS_PROBLEM = """
(define (problem blocks-3)
  (:domain blocks)
  (:objects a b c)
  (:init (clear a) (on a b) (table b) (clear c) (table c) (empty))
  (:goal (and (on b c) (on c a))))
"""


class Texts(NamedTuple):
    """A domain text and a problem text."""

    domain: str
    problem: str


@pytest.fixture(scope="session")
def delivery() -> Texts:
    return Texts(DELIVERY_DOMAIN, DELIVERY_PROBLEM)


@pytest.fixture(scope="session")
def blocks() -> Texts:
    return Texts(BLOCKS_DOMAIN, BLOCKS_PROBLEM)


@pytest.fixture(scope="session")
def parse() -> Callable[[str, str], Problem]:
    """Parse a domain and a problem, given as texts."""

    def run(domain: str, problem: str) -> Problem:
        return pddl.parse_problem(pddl.parse_domain(domain, "d.pddl"), problem, "p.pddl")

    return run


@pytest.fixture(scope="session")
def translate() -> Iterator[Callable[[str, str], Any]]:
    """The translator's own way from two texts to a normalised task, for comparison."""
    before = options.options
    options.set_options(["domain.pddl", "problem.pddl"])

    def run(domain: str, problem: str) -> Any:
        trees = [lisp_parser.parse_nested_list(text.splitlines()) for text in (domain, problem)]
        silent = io.StringIO()
        with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
            task = parsing_functions.parse_task(*trees)
            normalize.normalize(task)
        return task

    yield run
    options.options = before
