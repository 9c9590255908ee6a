"""Witness tuples lead the translator's invariant finder to the result of the full list."""

from __future__ import annotations

import contextlib
import io
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from fast_downward.translate import instantiate, invariant_finder

from beeline import pddl
from beeline.pddl import normal_form

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline.pddl.model import Problem

GRID_DOMAIN = """
(define (domain grid) (:requirements :adl)
  (:types robot cell)
  (:predicates (at ?r - robot ?c - cell) (free ?c - cell) (next ?a ?b - cell) (seen ?c - cell))
  (:action move :parameters (?r - robot ?a ?b - cell)
    :precondition (and (at ?r ?a) (next ?a ?b) (free ?b))
    :effect (and (at ?r ?b) (not (at ?r ?a)) (free ?a) (not (free ?b))
                 (forall (?c - cell) (when (next ?b ?c) (seen ?c)))))
  (:action swap :parameters (?r ?s - robot ?a ?b - cell)
    :precondition (and (at ?r ?a) (at ?s ?b) (or (next ?a ?b) (next ?b ?a)))
    :effect (and (at ?r ?b) (at ?s ?a) (not (at ?r ?a)) (not (at ?s ?b)))))
"""
GRID_PROBLEM = """
(define (problem grid-4) (:domain grid)
  (:objects r s - robot a b c d - cell)
  (:init (at r a) (at s c) (free b) (free d) (next a b) (next b c) (next c d) (next d d))
  (:goal (at r d)))
"""


def translator_invariants(task: Any) -> tuple[Any, Any]:
    """The translator's invariants and the equal pairs of parameters of each of its actions."""
    with contextlib.redirect_stdout(io.StringIO()):
        reachable = instantiate.explore(task)[-1]
        found = list(invariant_finder.find_invariants(task, reachable))
    pairs = []
    for action in task.actions:
        positions = list(combinations(range(len(action.parameters)), 2))
        instances = reachable[action]
        equal = {(p, q) for p, q in positions for args in instances if args[p] == args[q]}
        pairs.append(equal if instances else None)
    parts = [tuple(sorted((part.predicate, part.args) for part in i.parts)) for i in found]
    return parts, pairs


@pytest.mark.parametrize("name", ["blocks", "grid"])
def test_invariants_are_those_of_the_translator(
    name: str,
    blocks: tuple[str, str],
    parse: Callable[[str, str], Problem],
    translate: Callable[[str, str], Any],
) -> None:
    texts = blocks if name == "blocks" else (GRID_DOMAIN, GRID_PROBLEM)
    expected, pairs = translator_invariants(translate(*texts))
    assert expected
    assert pddl.find_invariants(pddl.normalize(parse(*texts)), pairs) == expected


def test_equal_parameters_can_break_an_invariant(parse: Callable[[str, str], Problem]) -> None:
    domain = """(define (domain d) (:predicates (at ?r ?c))
      (:action go :parameters (?r ?s ?a ?b ?c ?d) :precondition (and (at ?r ?a) (at ?s ?b))
       :effect (and (not (at ?r ?a)) (at ?r ?c) (not (at ?s ?b)) (at ?s ?d))))"""
    problem = "(define (problem t) (:domain d) (:objects x) (:init) (:goal (at x x)))"
    task = pddl.normalize(parse(domain, problem))
    one_place_each = (("at", (0, -1)),)
    assert one_place_each in pddl.find_invariants(task, [[]])
    assert one_place_each in pddl.find_invariants(task, [None])
    assert one_place_each not in pddl.find_invariants(task, [[(0, 1)]])


def test_every_action_needs_an_entry(
    parse: Callable[[str, str], Problem], blocks: tuple[str, str]
) -> None:
    task = pddl.normalize(parse(*blocks))
    with pytest.raises(ValueError, match="shorter"):
        pddl.find_invariants(task, [[]])


def test_they_are_looked_for_once_for_the_same_actions(
    parse: Callable[[str, str], Problem],
    blocks: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searches: list[Any] = []

    class Counted(normal_form.InvariantSearch):
        def __init__(self, *given: Any) -> None:
            searches.append(given)
            super().__init__(*given)

    monkeypatch.setattr(normal_form, "InvariantSearch", Counted)
    monkeypatch.setattr(normal_form, "_kept", {})
    domain, problem = blocks
    without_table = domain.replace("(clear ?x) (table ?x) (empty) (not (h", "(clear ?x) (not (h")
    assert without_table != domain
    found = []
    for text in (domain, domain, without_table, domain):
        task = pddl.normalize(parse(text, problem))
        found.append(pddl.find_invariants(task, [[] for _ in task.actions]))
    assert len(searches) == 2
    assert found[0] == found[1] == found[3] != found[2]
    for number in range(normal_form.MAX_KEPT + 1):
        renamed = pddl.normalize(parse(domain.replace("pick", f"pick{number}"), problem))
        assert pddl.find_invariants(renamed, [[] for _ in renamed.actions]) == found[0]
    assert len(normal_form._kept) <= normal_form.MAX_KEPT
