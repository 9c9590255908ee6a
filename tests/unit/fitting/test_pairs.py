"""Pairs of states against what the definitions say, carried out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from search_tasks import PUZZLE, PlainTask, ground_texts, puzzle_task, random_strips

from beeline import _native
from beeline.data.plan_walk import Walk, path_rows, sibling_rows, walk_plan
from beeline.fitting.pairs import (
    Family,
    Replay,
    open_list_pairs,
    plan_families,
    sibling_pairs,
    trajectory_pairs,
)
from beeline.planning.solve import solve

if TYPE_CHECKING:
    from beeline._native import States
    from beeline.task.ground_task import GroundTask


def solved_task(seed: int) -> tuple[GroundTask, States, Walk]:
    if seed % 2:
        task = ground_texts(PUZZLE, puzzle_task(3, 2, seed))
    else:
        task = ground_texts(*random_strips(seed))
    plan = solve(task, "gbfs", "ff").plan
    assert plan
    states = _native.States(task.native)
    return task, states, walk_plan(task, states, plan)


SOLVABLE = [1, 3, 5, 14, 16, 18, 20]


def rows_of(task: GroundTask, states: States, walk: Walk) -> list[dict[str, Any]]:
    rows = [*path_rows(task, walk), *sibling_rows(task, states, walk)]
    return [row._asdict() for row in rows]


@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("seed", SOLVABLE)
def test_open_list_pairs_follow_definition_1(seed: int, alpha: float) -> None:
    task, states, walk = solved_task(seed)
    pairs = open_list_pairs(rows_of(task, states, walk), alpha=alpha)

    g = {walk.states[0]: 0}
    closed: set[int] = set()
    expected = []
    path_g = 0
    for place, operator in enumerate(walk.operators):
        state, following = walk.states[place], walk.states[place + 1]
        closed.add(state)
        operators, children = states.successors(state)
        for by, child in zip(operators.tolist(), children.tolist(), strict=True):
            cost = path_g + int(task.costs[by])
            g[child] = min(g.get(child, cost), cost)
        path_g += int(task.costs[operator])
        if following not in closed:
            expected += [
                (following, other, alpha * (path_g - g[other]))
                for other in g
                if other not in closed and other != following
            ]
    found = zip(pairs.better.tolist(), pairs.worse.tolist(), pairs.offsets.tolist(), strict=True)
    assert sorted(found) == sorted(expected)


def test_a_selection_of_pairs_keeps_the_total_weight() -> None:
    task, states, walk = solved_task(3)
    rows = rows_of(task, states, walk)
    everything = open_list_pairs(rows, alpha=1.0)
    some = open_list_pairs(rows, alpha=1.0, max_pairs=10, seed=5)
    assert len(some.better) == 10
    assert some.weights.sum() == pytest.approx(everything.weights.sum())
    assert {*zip(some.better.tolist(), some.worse.tolist(), strict=True)} <= {
        *zip(everything.better.tolist(), everything.worse.tolist(), strict=True)
    }


def test_a_selection_of_sibling_pairs_keeps_the_total_weight() -> None:
    families = [Family(0, (1, 2), (3, 4, 5)), Family(6, (7,), (8, 9))]
    everything, some = sibling_pairs(families), sibling_pairs(families, max_pairs=4)
    assert len(some.better) == 4
    assert some.weights.sum() == pytest.approx(everything.weights.sum())


@pytest.mark.parametrize("seed", SOLVABLE)
def test_sibling_pairs_are_children_beside_the_plan_and_the_parent(seed: int) -> None:
    _, states, walk = solved_task(seed)
    pairs = sibling_pairs(plan_families(states, walk))
    expected = set()
    for place, parent in enumerate(walk.states[:-1]):
        child, been_there = walk.states[place + 1], set(walk.states[: place + 1])
        if child in been_there:
            continue
        expected.add((child, parent))
        for other in set(states.successors(parent)[1].tolist()) - been_there - {child}:
            expected.add((child, other))
    assert {*zip(pairs.better.tolist(), pairs.worse.tolist(), strict=True)} == expected


@pytest.mark.parametrize("seed", SOLVABLE)
def test_children_as_good_as_the_plan_make_no_pair(seed: int) -> None:
    task, states, walk = solved_task(seed)
    exchangeable = Replay(task).exchangeable(walk.operators, max_steps=10**6)
    plain = PlainTask(task)
    for place, operators in enumerate(exchangeable):
        for operator in operators:  # carried out by the book, the goal is reached
            rest = list(walk.operators[place:])
            rest.remove(operator)
            state = plain.initial
            for step in [*walk.operators[:place], operator, *rest]:
                state = dict(plain.successors(state))[step]
            assert plain.goal <= set(state)
    all_families = plan_families(states, walk)
    families = plan_families(states, walk, exchangeable)
    assert [family.parent for family in families] == [family.parent for family in all_families]
    for family, full in zip(families, all_families, strict=True):
        assert set(family.bad) <= set(full.bad)


def test_weights_of_a_family_do_not_depend_on_how_many_children_are_good() -> None:
    one = sibling_pairs([Family(0, (1,), (8, 9))])
    three = sibling_pairs([Family(0, (1, 2, 3), (8, 9))])
    assert one.weights.sum() == pytest.approx(three.weights.sum())


def test_trajectory_of_a_plan_without_steps_has_no_pairs() -> None:
    assert len(trajectory_pairs([5]).better) == 0
    assert len(trajectory_pairs([]).better) == 0
