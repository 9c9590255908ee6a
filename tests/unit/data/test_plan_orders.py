"""Other orders of plans: they are plans, they differ, and they are the same every time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from search_tasks import PlainTask, ground_texts, random_search_task

from beeline import _native
from beeline.core.errors import BeelineError
from beeline.data.plan_walk import Walk, plan_orders, walk_plan
from beeline.data.task_sets import PlanSettings
from beeline.generators import generate
from beeline.planning.solve import solve
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask

SIZES: dict[str, dict[str, int]] = {
    "blocksworld": {"blocks": 6},
    "ferry": {"cars": 3, "locations": 3},
    "gripper": {"balls": 4},
    "logistics": {},
}
LAMPS = """(define (domain lamps) (:requirements :negative-preconditions)
 (:predicates (lit ?l) (warm) (dry))
 (:action light :parameters (?l) :precondition (not (lit ?l)) :effect (lit ?l))
 (:action heat :parameters () :precondition () :effect (warm))
 (:action air :parameters () :precondition () :effect (and (dry) (not (warm)))))"""
THREE_LAMPS = """(define (problem p) (:domain lamps) (:objects a b c) (:init)
 (:goal (and (lit a) (lit b) (lit c))))"""
WARM_LAMP = """(define (problem p) (:domain lamps) (:objects a) (:init)
 (:goal (and (lit a) (warm) (dry))))"""


def orders_of(
    task: GroundTask, plan: list[str] | None = None, count: int = 6, seed: int = 0
) -> list[Walk]:
    plan = plan or solve(task, "astar", "lmcut").plan
    assert plan
    states = _native.States(task.native)
    walk = walk_plan(task, states, plan)
    orders = plan_orders(task, states, walk, count, (seed, 0))
    assert orders[0] == walk
    check(task, states, orders, count)
    return orders


def check(task: GroundTask, states: _native.States, orders: list[Walk], count: int) -> None:
    """All are plans of the same steps, with different states, by the book."""
    plain = PlainTask(task)
    assert 1 <= len(orders) <= count
    assert len({tuple(order.states) for order in orders}) == len(orders)
    for order in orders:
        assert Counter(order.operators) == Counter(orders[0].operators)
        assert order.states[-1] == orders[0].states[-1]
        assert len(set(order.states)) >= len(set(orders[0].states))
        values = states.values(np.array(order.states, np.uint32)).tolist()
        state = plain.initial
        for operator, after in zip(order.operators, values[1:], strict=True):
            assert not plain.goal <= set(state)
            state = dict(plain.successors(state))[operator]
            assert list(state) == after
        assert plain.goal <= set(state)


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("seed", range(3))
def test_orders_of_generated_tasks_are_plans(name: str, seed: int) -> None:
    task = ground(generate(name, seed=seed, **SIZES[name]))
    assert task.goal_holds_initially or orders_of(task)


@pytest.mark.parametrize("first", range(1, 61, 20))
def test_orders_of_random_tasks_are_plans(first: int) -> None:
    """Conditional effects, negative conditions, zero costs."""
    found = 0
    for seed in range(first, first + 20):
        task = random_search_task(seed)
        plan = solve(task, "astar", "lmcut").plan
        if plan:
            found += len(orders_of(task, plan)) - 1
    assert found


def test_all_orders_of_independent_steps_are_found() -> None:
    task = ground_texts(LAMPS, THREE_LAMPS)
    orders = orders_of(task, count=10)
    assert len({tuple(order.operators) for order in orders}) == len(orders) == 6


def test_steps_that_always_apply_may_still_undo_the_goal() -> None:
    task = ground_texts(LAMPS, WARM_LAMP)
    orders = orders_of(task, count=8)
    assert len(orders) == 3  # the lamp may be lit at any time
    for order in orders:
        names = [task.operator_name(operator) for operator in order.operators]
        assert names.index("(air)") < names.index("(heat)")


def test_plans_that_go_in_circles() -> None:
    task = ground(generate("gripper", seed=2, balls=5))
    plan = solve(task, "astar", "lmcut").plan
    assert plan is not None
    states = _native.States(task.native)
    room, other = plan[next(i for i, step in enumerate(plan) if "move" in step)][1:-1].split()[1:]
    circle = [f"(move {room} {other})", f"(move {other} {room})", *plan]
    walk = walk_plan(task, states, circle)
    orders = plan_orders(task, states, walk, 5, (0,))
    assert len(orders) == 5
    assert all(len(set(order.states)) >= len(set(walk.states)) for order in orders)


def test_a_plan_with_one_order() -> None:
    task = ground(generate("ferry", seed=2, cars=1, locations=3))
    (order,) = orders_of(task, count=8)
    assert len(order.operators) > 1


def test_orders_depend_on_nothing_but_the_seed() -> None:
    task = ground(generate("gripper", seed=2, balls=5))
    same, again, other = (orders_of(task, seed=seed) for seed in (3, 3, 4))
    operators = [[order.operators for order in orders] for orders in (same, again, other)]
    assert operators[0] == operators[1] != operators[2]
    fewer = orders_of(task, count=3, seed=3)
    assert [order.operators for order in fewer] == operators[0][:3]


def test_settings() -> None:
    assert PlanSettings(siblings=True, orders=3).to_json()["orders"] == 3
    assert PlanSettings(orders=1).to_json() == PlanSettings().to_json()
    with pytest.raises(BeelineError, match=r"3 orders of plans without siblings.*--siblings"):
        PlanSettings(orders=3)
    with pytest.raises(BeelineError, match="orders 0 is not a number from 1 up"):
        PlanSettings(siblings=True, orders=0)
