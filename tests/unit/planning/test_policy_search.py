"""Searches that a policy guides, against a search in plain Python with the same formulas."""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

import beeline
from beeline import _native
from beeline.core.errors import BeelineError
from beeline.generators import generate
from beeline.planning.heuristics import make_evaluator
from beeline.task.grounding import ground
from beeline.task.states import StateBatch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from beeline.task.ground_task import GroundTask

    Floats = NDArray[np.float64]


class RandomPolicy:
    """Values and logits that depend on the true facts of a state, at random."""

    def __init__(self, task: GroundTask, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self._h = rng.normal(size=task.num_facts)
        self._logit = rng.normal(size=task.num_facts)
        self.calls = 0

    def evaluate_policy(self, batch: StateBatch) -> tuple[Floats, Floats]:
        self.calls += 1
        facts = batch.facts.astype(np.float64)
        return 3.0 + facts @ self._h, facts @ self._logit

    def evaluate(self, batch: StateBatch) -> Floats:
        return self.evaluate_policy(batch)[0]


def blocks(seed: int) -> GroundTask:
    return ground(generate("blocksworld", seed=seed, blocks=4))


def plain_search(task: GroundTask, policy: RandomPolicy, search: str) -> tuple[int, int]:
    """Expansions and the length of the plan: states stay where they were found first."""
    states = _native.States(task.native)
    goal_count = make_evaluator("goalcount", task)

    def values(state: int) -> tuple[float, float]:
        h, logits = policy.evaluate_policy(
            StateBatch(task, states, np.array([state], dtype=np.uint32))
        )
        return float(h[0]), float(logits[0])

    way = {states.initial: (0, 0.0)}  # steps, log of the probability
    queue = [(0.0, 0, states.initial)]
    expanded = pushed = 0
    while queue:
        _, _, state = heapq.heappop(queue)
        expanded += 1
        steps, log_probability = way[state]
        if goal_count.evaluate(states, np.array([state], dtype=np.uint32))[0] == 0:
            return expanded, steps
        children = [
            each for each in dict.fromkeys(states.successors(state)[1].tolist()) if each != state
        ]
        exponentials = {each: math.exp(values(each)[1]) for each in children}
        for child in children:
            if child in way:
                continue
            chance = log_probability + math.log(exponentials[child] / sum(exponentials.values()))
            d, h = steps + 1, max(values(child)[0], 0.0)
            way[child] = (d, chance)
            merit = math.log(d + 1) - chance
            if search == "phs":
                merit = math.log(d + h) - (1 + h / d) * chance
            pushed += 1
            heapq.heappush(queue, (merit, pushed, child))
    raise AssertionError("no plan")


@pytest.mark.parametrize("search", ["phs", "levints"])
def test_states_are_expanded_in_the_order_of_the_formula(search: str) -> None:
    for seed in range(6):
        task = blocks(seed)
        policy = RandomPolicy(task, seed)
        result = beeline.solve(task, search, policy)
        assert (result.expanded, len(result.plan or [])) == plain_search(task, policy, search)


def test_children_are_asked_about_once() -> None:
    task = blocks(1)
    policy = RandomPolicy(task, 1)
    result = beeline.solve(task, "phs", policy)
    assert policy.calls <= result.expanded


def test_a_policy_that_knows_the_way_expands_only_the_plan() -> None:
    task = blocks(3)

    class Perfect:
        """Goes to a child that is nearest to the goal, almost surely."""

        def evaluate(self, batch: StateBatch) -> Floats:
            return self.evaluate_policy(batch)[0]

        def evaluate_policy(self, batch: StateBatch) -> tuple[Floats, Floats]:
            h = make_evaluator("perfect", task).evaluate(batch.states, batch.ids)
            return h, -20.0 * h

    shortest = beeline.solve(task, "astar", "lmcut").cost
    for search in ("phs", "levints"):
        result = beeline.solve(task, search, Perfect())
        assert (result.cost, result.expanded) == (shortest, (shortest or 0) + 1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"preferred": "ff"}, "search 'phs' with preferred operators is not defined"),
        ({"batch": 4}, "search 'phs' with batches is not defined"),
        ({"reopen": True}, "search 'phs' with reopened states is not defined"),
        ({"anytime": True}, "search 'phs' with anytime mode is not defined"),
        ({"tie_breaking": "h,g,fifo"}, "search 'phs' has no tie-breaking"),
    ],
)
def test_what_is_no_part_of_the_search_is_refused(words: dict[str, object], message: str) -> None:
    task = blocks(0)
    with pytest.raises(BeelineError, match=message):
        beeline.solve(task, "phs", RandomPolicy(task, 0), **words)  # type: ignore[arg-type]


def test_a_heuristic_without_a_policy_is_refused() -> None:
    task = blocks(0)
    for heuristic in (None, "ff"):
        with pytest.raises(BeelineError, match="need of a heuristic with a policy"):
            beeline.solve(task, "levints", heuristic)
    with pytest.raises(BeelineError, match="has no policy"):
        beeline.solve(task, "levints", lambda batch: np.zeros(len(batch)))


def test_answers_of_the_wrong_shape_are_refused() -> None:
    class Wrong:
        def __init__(self, answer: object) -> None:
            self._answer = answer

        def evaluate(self, batch: StateBatch) -> Floats:
            return np.zeros(len(batch))

        def evaluate_policy(self, batch: StateBatch) -> object:
            return self._answer

    task = blocks(0)
    for answer in (None, (1.0,), (np.zeros(7), np.zeros(1)), ([math.nan], [0.0])):
        with pytest.raises(BeelineError, match="policy of"):
            beeline.solve(task, "phs", Wrong(answer))


def test_limits_and_bounds_hold() -> None:
    task = blocks(2)
    policy = RandomPolicy(task, 5)
    full = beeline.solve(task, "phs", policy)
    assert full.cost is not None
    assert beeline.solve(task, "phs", policy, max_expansions=1).status.value == "expansion_limit"
    few = beeline.solve(task, "phs", policy, max_evaluations=3)
    assert (few.status.value, few.evaluated <= 3) == ("evaluation_limit", True)
    shortest = beeline.solve(task, "astar", "lmcut").cost
    assert shortest is not None
    assert beeline.solve(task, "phs", policy, bound=shortest).status.value == "incomplete"
