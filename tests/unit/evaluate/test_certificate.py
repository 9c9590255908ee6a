"""Certificates of rankings agree with running the search."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.optimize import minimize
from search_tasks import PUZZLE, ground_texts, puzzle_task, random_search_task

import beeline
from beeline import _native
from beeline.core.errors import BeelineError
from beeline.data.plan_walk import walk_plan
from beeline.fitting.plan_graph import task_plan_graph
from beeline.fitting.ranking import open_list

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline.evaluate.certificate import Certificate
    from beeline.task.ground_task import GroundTask
    from beeline.task.states import StateBatch

    Function = Callable[[StateBatch], np.ndarray]

SEARCHES = {"gbfs": 0.0, "astar": 1.0}


def no_ties(batch: StateBatch, seed: int) -> np.ndarray:
    """Numbers between 0 and 1 that differ from state to state."""
    weights = np.random.default_rng(seed).random(batch.values.max(initial=0) + 200)
    return (weights[batch.values] * np.arange(1, batch.values.shape[1] + 1)).sum(axis=1) % 1.0


def random_values(task: GroundTask, seed: int, scale: float) -> Function:
    perfect = _native.make_heuristic("perfect", task.native)

    def heuristic(batch: StateBatch) -> np.ndarray:
        return perfect.evaluate(batch.states, batch.ids) + scale * no_ties(batch, seed)

    return heuristic


def fitted_values(task: GroundTask, seed: int, alpha: float) -> Function | None:
    """Values fitted to a plan, with a little noise: mostly perfect."""
    plan = beeline.solve(task, "astar", "lmcut").plan
    if not plan:
        return None
    states = _native.States(task.native)
    graph, ids = task_plan_graph(task, states, walk_plan(task, states, plan))
    found = minimize(lambda h: open_list(h, graph, alpha=alpha), np.zeros(graph.count), jac=True)
    rows = map(tuple, states.values(ids).tolist())
    table = dict(zip(rows, found.x.tolist(), strict=True))

    def heuristic(batch: StateBatch) -> np.ndarray:
        values = np.array([table.get(tuple(row), 1e3) for row in batch.values.tolist()])
        return values + 1e-3 * no_ties(batch, seed)

    return heuristic


def check_agreement(task: GroundTask, heuristic: Function, search: str) -> Certificate | None:
    if beeline.solve(task, "astar", "lmcut").plan is None:
        with pytest.raises(BeelineError, match="no optimal plan"):
            beeline.certify_ranking(task, heuristic)
        return None
    certificate = beeline.certify_ranking(task, heuristic, alpha=SEARCHES[search])
    result = beeline.solve(task, search, heuristic)
    cheapest = beeline.solve(task, "astar", "lmcut").cost
    assert certificate.cost == cheapest
    assert certificate.perfect == (certificate.violated == 0 and certificate.dead_ends == 0)
    assert len(certificate.violations) == min(certificate.violated, 20)
    walk = walk_plan(task, _native.States(task.native), result.plan or [])
    straight = result.expanded == len(walk.operators) + 1 and result.cost == cheapest
    assert certificate.perfect == straight
    if certificate.perfect:
        assert certificate.plan == result.plan
        assert result.expanded == certificate.length + 1
        again = beeline.certify_ranking(task, heuristic, certificate.plan, alpha=SEARCHES[search])
        assert again.perfect
        assert again.optimal is None
    return certificate


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("scale", [0.1, 10.0])
def test_noisy_costs_on_random_tasks(search: str, scale: float) -> None:
    verdicts = []
    for seed in range(1, 30):
        task = random_search_task(seed)
        certificate = check_agreement(task, random_values(task, seed, scale), search)
        verdicts.append(certificate is not None and certificate.perfect)
    assert 0 < sum(verdicts) < len(verdicts)


@pytest.mark.parametrize("search", SEARCHES)
def test_fitted_values_on_random_tasks(search: str) -> None:
    perfect = 0
    for seed in range(1, 25):
        task = random_search_task(seed, unit_costs=True)
        heuristic = fitted_values(task, seed, SEARCHES[search])
        if heuristic is not None:
            certificate = check_agreement(task, heuristic, search)
            perfect += certificate is not None and certificate.perfect
    assert perfect >= 10


def test_fitted_values_of_a_puzzle_are_perfect() -> None:
    task = ground_texts(PUZZLE, puzzle_task(3, 2, 3))
    heuristic = fitted_values(task, 1, 1.0)
    assert heuristic is not None
    for search in SEARCHES:  # constant costs: perfect for A* means perfect for GBFS
        certificate = check_agreement(task, heuristic, search)
        assert certificate is not None
        assert certificate.perfect


def test_ties_are_violations_and_are_described() -> None:
    task = ground_texts(PUZZLE, puzzle_task(3, 2, 3))
    certificate = beeline.certify_ranking(task, lambda batch: np.zeros(len(batch)), alpha=0.0)
    assert not certificate.perfect
    assert certificate.optimal
    assert certificate.violated == certificate.ties == certificate.pairs > 0
    first = certificate.violations[0]
    assert first.step == 1
    assert first.state.merit == first.other.merit == 0.0
    assert first.state.g == first.other.g == 1.0
    assert any(fact.startswith("(at t1") for fact in first.state.facts)
    assert set(first.state.facts) != set(first.other.facts)
    plain = certificate.to_json()
    assert plain["violations"][0]["state"]["merit"] == 0.0


def test_merits_of_violations_are_those_of_the_search() -> None:
    task = ground_texts(PUZZLE, puzzle_task(3, 2, 3))
    certificate = beeline.certify_ranking(task, random_values(task, 3, 20.0))
    assert certificate.violations
    for each in certificate.violations:
        assert each.state.merit >= each.other.merit
        assert each.state.merit == pytest.approx(each.state.g + each.state.h)


def test_a_plan_state_that_is_taken_for_a_dead_end_is_no_perfect_ranking() -> None:
    task = ground_texts(PUZZLE, puzzle_task(3, 2, 3))
    certificate = beeline.certify_ranking(task, lambda batch: np.full(len(batch), math.inf))
    assert not certificate.perfect
    assert certificate.dead_ends == certificate.length + 1
    assert certificate.to_json()["violations"][0]["state"]["h"] is None


def test_nonsense_is_refused() -> None:
    task = ground_texts(PUZZLE, puzzle_task(3, 2, 3))
    with pytest.raises(BeelineError, match="alpha"):
        beeline.certify_ranking(task, "ff", alpha=-1.0)
    with pytest.raises(BeelineError, match="does not reach the goal"):
        beeline.certify_ranking(task, "ff", [])
    with pytest.raises(BeelineError, match="unknown heuristic"):
        beeline.certify_ranking(task, "fff")
