"""States by name and number, and heuristics that look ahead with them."""

from __future__ import annotations

import numpy as np
import pytest
from search_tasks import PUZZLE, ground_texts, puzzle_task

from beeline import _native
from beeline.core.errors import BeelineError
from beeline.planning.heuristics import make_evaluator
from beeline.planning.solve import solve
from beeline.task.states import State, StateBatch

TASK = ground_texts(PUZZLE, puzzle_task(3, 2, 1))
UNSOLVABLE = ground_texts(
    PUZZLE, puzzle_task(2, 2, 1).replace("(:goal (and", "(:goal (and (at t1 p0-0) (at t2 p0-0)")
)


def walk(state: State, steps: int) -> list[State]:
    seen = [state]
    for number in range(steps):
        children = seen[-1].successors()
        seen.append(children[number % len(children)][1])
    return seen


def test_names_arrays_and_goals_of_a_state_agree() -> None:
    for state in walk(TASK.initial_state, 10):
        true = [TASK.fact_names[number] for number in np.flatnonzero(state.facts)]
        assert list(state.fact_names) == true
        assert len(true) == 6  # five tiles and the empty place
        goal = {TASK.value_names[value] for value in TASK.goal}
        assert state.is_goal == (goal <= set(true))


def test_successors_follow_the_applicable_operators() -> None:
    state = TASK.initial_state
    assert [operator for operator, _ in state.successors()] == state.operators
    assert [child.id for _, child in state.successors()] == state.successor_batch().ids.tolist()
    for operator, child in state.successors():
        _, tile, start, end = TASK.operator_name(operator)[1:-1].split()
        assert f"(at {tile} {start})" in state.fact_names
        assert f"(at {tile} {end})" in child.fact_names


def test_states_are_equal_where_they_are_the_same() -> None:
    state = TASK.initial_state
    back = [again for _, child in state.successors() for _, again in child.successors()]
    assert state in back
    assert len({state, *back}) < 1 + len(back)
    assert state != TASK.initial_state  # of another registry


def test_a_batch_gives_its_states_one_by_one() -> None:
    batch = TASK.initial_state.successor_batch()
    assert [state.id for state in batch] == batch.ids.tolist()
    assert batch[1] == list(batch)[1]
    assert batch.is_goal.tolist() == [state.is_goal for state in batch]


def goals_missing(batch: StateBatch) -> np.ndarray:
    return (batch.values_of(batch.task.goal_variables) != batch.task.goal).sum(axis=1)


def one_step_ahead(batch: StateBatch) -> list[float]:
    return [
        min([goals_missing(state.batch)[0], *goals_missing(state.successor_batch())])
        for state in batch
    ]


WAYS = [
    {"search": "gbfs"},
    {"search": "gbfs", "deferred": True},
    {"search": "gbfs", "goal_at_generation": True},
    {"search": "gbfs", "batch": 5},
    {"search": "astar"},
    {"search": "wastar", "weight": 3},
    {"search": "gbfs", "preferred": "ff"},
    {"search": "wastar", "anytime": True, "max_evaluations": 2000},
]


@pytest.mark.parametrize("way", WAYS)
def test_a_heuristic_may_look_ahead_in_every_search(way: dict[str, object]) -> None:
    ahead = solve(TASK, heuristic=one_step_ahead, **way)  # type: ignore[arg-type]

    class Copied:  # looks ahead in a registry of its own: the search sees nothing of it
        def evaluate(self, batch: StateBatch) -> list[float]:
            states = _native.States(batch.task.native)
            return one_step_ahead(StateBatch(batch.task, states, states.insert(batch.values)))

    apart = solve(TASK, heuristic=Copied(), **way)  # type: ignore[arg-type]
    assert ahead.solved
    assert (ahead.plan, ahead.expanded, ahead.evaluated, ahead.reopened) == (
        apart.plan,
        apart.expanded,
        apart.evaluated,
        apart.reopened,
    )


@pytest.mark.parametrize("way", WAYS)
def test_looking_ahead_proves_unsolvable_what_is(way: dict[str, object]) -> None:
    ahead = solve(UNSOLVABLE, heuristic=one_step_ahead, **way)  # type: ignore[arg-type]
    assert ahead.status == solve(UNSOLVABLE, heuristic=goals_missing, **way).status  # type: ignore[arg-type]


def test_preferred_operators_may_come_from_a_look_ahead() -> None:
    class Greedy:
        def evaluate(self, batch: StateBatch) -> np.ndarray:
            return goals_missing(batch)

        def preferred(self, batch: StateBatch) -> list[list[int]]:
            rows = []
            for state in batch:
                values = goals_missing(state.successor_batch())
                rows.append([state.operators[int(values.argmin())]])
            return rows

    greedy = Greedy()
    assert solve(TASK, heuristic=greedy, preferred=greedy).solved


def test_facts_are_numbers_to_calculate_with() -> None:
    batch = TASK.initial_state.successor_batch()
    assert (-batch.facts.sum(axis=1)).tolist() == [-6] * len(batch)
    assert (1 - batch.facts).min() == 0
    counted = solve(TASK, heuristic=lambda batch: -batch.facts.sum(axis=1), max_evaluations=50)
    assert counted.initial_h == -6


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (np.nan, "not a number"),
        (-np.inf, "-inf, which is beyond"),
        (1e300, "beyond 2\\*\\*53"),
        (2.0**64 - 6, "unsigned integers wrap round"),
    ],
)
def test_absurd_values_are_refused_by_name(value: float, complaint: str) -> None:
    with pytest.raises(BeelineError, match=complaint) as caught:
        solve(TASK, heuristic=lambda batch: np.full(len(batch), value))
    assert "heuristic 'python:<lambda>'" in str(caught.value)


def test_unsigned_integers_that_wrapped_round_are_noticed() -> None:
    def wrapped(batch: StateBatch) -> np.ndarray:
        return -batch.states.facts(batch.ids).sum(axis=1, dtype=np.uint64)

    with pytest.raises(BeelineError, match="unsigned integers wrap round"):
        solve(TASK, heuristic=wrapped)


@pytest.mark.parametrize("name", ["add", "blind", "ff", "goalcount", "lmcut", "max"])
def test_a_heuristic_refuses_states_of_another_task(name: str) -> None:
    other = ground_texts(PUZZLE, puzzle_task(3, 3, 1))
    states = _native.States(other.native)
    ids = np.array([states.initial], dtype=np.uint32)
    evaluator = make_evaluator(name, TASK)
    with pytest.raises(ValueError, match="different tasks"):
        evaluator.evaluate(states, ids)
    with pytest.raises(ValueError, match="different tasks"):
        evaluator.preferred(states, states.initial)
    config = _native.SearchConfig()
    config.evaluators = [evaluator]
    config.queues = [_native.QueueSpec([_native.KeySpec()])]
    with pytest.raises(ValueError, match="different tasks"):
        _native.search(states, states.initial, config)
