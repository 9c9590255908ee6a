"""Walks through ground tasks: the validator, which never grounds, must agree with every step."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from random_tasks import RandomTask

from beeline.pddl import parse_domain, parse_problem
from beeline.task.grounding import ground
from beeline.task.plan_file import ARTIFICIAL
from beeline.task.validator import FailureKind, validate

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask

    Step = tuple[str, ...]


def walk(task: GroundTask, rng: random.Random, length: int) -> tuple[list[Step], int, bool]:
    """Random steps in the finite-domain view, their cost, and whether they reach the goal."""
    starts, conditions = (array.tolist() for array in task.conditions)
    variable_of = task.native.variable_of.tolist()
    state = task.initial.tolist()
    steps, cost = [], 0
    for _ in range(length):
        applicable = [
            operator
            for operator in range(task.num_operators)
            if all(
                state[variable_of[value]] == value
                for value in conditions[starts[operator] : starts[operator + 1]]
            )
        ]
        if not applicable:
            break
        chosen = rng.choice(applicable)
        steps.append(tuple(task.operator_names[chosen].strip("()").split()))
        cost += int(task.costs[chosen])
        before = list(state)
        for needed, value in task.operator_effects(chosen):
            if all(before[variable_of[each]] == each for each in needed):
                state[variable_of[value]] = value
    reached = all(state[variable_of[value]] == value for value in task.goal.tolist())
    return steps, cost, reached


@settings(max_examples=300)
@given(seed=st.integers(0, 2**32), length=st.integers(0, 12))
def test_walks_through_ground_tasks_are_judged_alike(seed: int, length: int) -> None:
    texts = RandomTask(seed)
    task = ground(parse_problem(parse_domain(texts.domain), texts.task))
    if task.unsolvable_reason is not None:
        return
    steps, cost, reached = walk(task, random.Random(seed), length)
    plan = [step for step in steps if not step[0].startswith(ARTIFICIAL)]
    verdict = validate(task.problem, plan)
    assert verdict.failure is None or verdict.failure.kind is FailureKind.GOAL
    if any(name.startswith(ARTIFICIAL) for name in task.operator_names):
        return  # the goal of the ground task is then a fact of its own
    assert verdict.valid == reached
    assert verdict.cost == (cost if reached else None)
