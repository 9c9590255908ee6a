"""Plans replayed."""

from __future__ import annotations

import pytest
from adl_tasks import TOWERS
from search_tasks import ground_texts

import beeline
from beeline import _native
from beeline.data.plan_walk import plan_orders, walk_plan
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


def test_plans_that_need_derived_facts_are_left_as_they_are() -> None:
    task = ground_texts(
        TOWERS,
        """(define (problem p) (:domain towers) (:objects a b c - block)
         (:init (on a b) (on-table b) (on-table c)) (:goal (and (on b c) (on a b) (above a c))))""",
    )
    plan = beeline.solve(task).plan
    assert plan is not None
    states = _native.States(task.native)
    walk = walk_plan(task, states, plan)
    assert Replay(task).exchangeable(walk.operators, max_steps=1000) == [set() for _ in plan]
    assert plan_orders(task, states, walk, 5, seed=(0,)) == [walk]
