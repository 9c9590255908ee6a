"""Plans replayed."""

from __future__ import annotations

import pytest
from search_tasks import ground_texts

from beeline.fitting.pairs import Replay

LAMPS = """(define (domain lamps) (:predicates (on ?l) (off ?l))
 (:action light :parameters (?l) :precondition (off ?l) :effect (and (on ?l) (not (off ?l))))
 (:action dim :parameters (?l) :precondition (on ?l) :effect (and (off ?l) (not (on ?l)))))"""
TASK = """(define (problem p) (:domain lamps) (:objects a b c) (:init (off a) (off b) (on c))
 (:goal (and (on a) (on b) (on c))))"""


def test_steps_that_do_not_depend_on_each_other_are_exchangeable() -> None:
    task = ground_texts(LAMPS, TASK)
    light_a, light_b = (task.operator_ids(f"(light {lamp})")[0] for lamp in "ab")
    assert Replay(task).exchangeable([light_a, light_b], max_steps=100) == [{light_b}, set()]
    assert Replay(task).exchangeable([light_a, light_b], max_steps=1) == [set(), set()]


def test_operators_that_do_not_apply_are_an_error() -> None:
    task = ground_texts(LAMPS, TASK)
    light = task.operator_ids("(light a)")[0]
    with pytest.raises(ValueError, match="does not apply"):
        Replay(task).states([light, light])
