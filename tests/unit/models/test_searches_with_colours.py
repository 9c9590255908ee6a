"""Searches that are guided by colours, put off lookalikes, roll out, and take turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from coloured_walks import Walk, random_weights, small_task
from hypothesis import given, settings
from hypothesis import strategies as st
from operator_tables import random_operator_scores
from random_tasks import RandomTask
from reference_colours import ReferenceColours, literal_goal, true_atoms
from search_tasks import MAX_STATES, PlainTask, ground_texts, random_search_task

from beeline import _native, generators
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from beeline.task.ground_task import GroundTask

    Evaluators = Callable[[GroundTask], list[_native.Evaluator]]

COUNTERS = ("expanded", "evaluated", "generated", "reopened", "dead_ends")


def colours(task: GroundTask, **settings: Any) -> list[_native.Evaluator]:
    """A score with random weights for the colours of a few states."""
    walk = Walk(task, steps=6)
    table = walk.table(2, multiset=False)
    return [_native.ColourScore(walk.graph, table, random_weights(table, 1), **settings)]


def ff(task: GroundTask) -> list[_native.Evaluator]:
    return [_native.make_heuristic("ff", task.native)]


def colours_and_ff(task: GroundTask) -> list[_native.Evaluator]:
    return [*colours(task), *ff(task)]


def configured(evaluators: list[_native.Evaluator], **settings: Any) -> _native.SearchConfig:
    config = _native.SearchConfig()
    config.evaluators = evaluators
    config.queues = [
        _native.QueueSpec([_native.KeySpec(evaluator=place)]) for place in range(len(evaluators))
    ]
    for name, value in settings.items():
        setattr(config, name, value)
    return config


def outcome(result: _native.SearchResult) -> dict[str, Any]:
    counters = {name: getattr(result.counters, name) for name in COUNTERS}
    return {
        "status": result.status,
        "plan": result.plan,
        "cost": result.cost,
        "states": result.states,
        "initial_h": result.initial_h,
        "since_progress": result.since_progress,
        **counters,
    }


def search(task: GroundTask, config: _native.SearchConfig) -> dict[str, Any]:
    states = _native.States(task.native)
    return outcome(_native.search(states, states.initial, config))


@pytest.mark.parametrize("deferred", [False, True], ids=["eager", "deferred"])
@pytest.mark.parametrize("domain", generators.names())
def test_the_same_search_incremental_or_not(domain: str, deferred: bool) -> None:
    task = small_task(domain)
    outcomes = [
        search(
            task,
            configured(
                colours(task, incremental=incremental, new_colours=new_colours),
                deferred=deferred,
                max_evaluations=500,
            ),
        )
        for incremental, new_colours in ((False, 0), (True, 0), (True, 1 << 18))
    ]
    assert outcomes[0]["evaluated"] > 1
    assert outcomes[1] == outcomes[0]
    assert outcomes[2] == outcomes[0]


@pytest.mark.parametrize("weight", [1 << 23, -(1 << 23)])
@pytest.mark.parametrize("domain", ["rovers", "spanner", "transport"])
def test_the_same_search_with_another_heuristic(domain: str, weight: int) -> None:
    task = small_task(domain)
    outcomes = [
        search(
            task,
            configured(
                colours(task, extra_weight=weight, extra=ff(task)[0], incremental=incremental),
                max_evaluations=500,
            ),
        )
        for incremental in (False, True)
    ]
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("domain", generators.names())
def test_operators_look_alike_if_their_arguments_have_the_same_colours(domain: str) -> None:
    """Of each class of operators one is applied at first."""
    task = small_task(domain)
    walk = Walk(task, steps=8)
    goal = literal_goal(task.problem)
    for rounds, multiset in ((1, False), (2, True), (3, False)):
        table = walk.table(rounds, multiset=multiset, taught=walk.ids[:2])
        reference = ReferenceColours(task.problem.domain, rounds, multiset=multiset)
        for state in walk.ids.tolist():
            operators, _ = walk.states.successors(state)
            atoms = true_atoms(task, walk.states, state)
            if set(atoms) >= {atom for atom, wanted in goal.items() if wanted}:
                continue  # nothing is applied in a goal state
            objects, _ = reference.colours(task.problem, goal, atoms)[-1]
            names = [task.operator_name(number).strip("()").split() for number in operators]
            looks = {(action, *[objects[name] for name in words]) for action, *words in names}
            score = _native.ColourScore(walk.graph, table, random_weights(table, 1))
            config = configured([score], put_off_lookalikes=True, max_expansions=1)
            result = _native.search(walk.states, state, config)
            assert result.counters.generated == len(looks)


@pytest.mark.parametrize("ranked", [False, True], ids=["states", "operators"])
@pytest.mark.parametrize(
    ("domain", "sizes"),
    [
        ("gripper", {"balls": 90}),
        ("childsnack", {"children": 15, "sandwiches": 20, "trays": 2, "tables": 2}),
        ("ferry", {"cars": 60, "locations": 3}),
        ("miconic", {"passengers": 80, "floors": 3}),
        ("spanner", {"spanners": 50, "nuts": 40, "locations": 3}),
    ],
)
def test_folded_objects_change_no_search(domain: str, sizes: dict[str, int], ranked: bool) -> None:
    """One ball stands for all that are like it: the same states in the same order."""
    task = ground(generators.generate(domain, seed=5, **sizes))
    never = 10**9

    def outcome_of(fold_from: int) -> dict[str, Any]:
        evaluators = colours(task, fold_from=fold_from)
        if ranked:
            walk = Walk(task, steps=3)
            scores = random_operator_scores(walk.table(2, multiset=False), walk)
            scores.add_to(evaluators[0], task, None)
        return search(
            task,
            configured(
                evaluators,
                preferred=evaluators if ranked else [],
                put_off_lookalikes=True,
                put_off_unpreferred=ranked,
                rollout=50,
                max_evaluations=400,
            ),
        )

    assert outcome_of(1) == outcome_of(never)


GUIDED: dict[str, dict[str, Any]] = {
    "lookalikes wait": {"put_off_lookalikes": True},
    "rollouts": {"rollout": 20},
    "both": {"put_off_lookalikes": True, "rollout": 1000},
    "both, and batches": {"put_off_lookalikes": True, "rollout": 5, "batch": 3},
    "both, first parents": {"put_off_lookalikes": True, "rollout": 5, "keep_first_parent": True},
    "both, reopening": {"put_off_lookalikes": True, "rollout": 5, "reopen": True},
    "unpreferred wait": {"put_off_unpreferred": True},
    "all wait": {"put_off_unpreferred": True, "put_off_lookalikes": True, "rollout": 9},
}
SOLVED, UNSOLVABLE = _native.SearchStatus.SOLVED, _native.SearchStatus.UNSOLVABLE


def check_plan_iff_there_is_one(task: GroundTask) -> None:
    plain = PlainTask(task)
    solvable = plain.cheapest_plan_cost() is not None
    for settings_of_search in GUIDED.values():
        for evaluators in (colours, colours_and_ff):
            config = configured(evaluators(task), preferred=ff(task), **settings_of_search)
            found = search(task, config)
            assert found["status"] is (SOLVED if solvable else UNSOLVABLE)
            state = plain.initial
            for operator in found["plan"]:
                state = dict(plain.successors(state))[operator]
            assert not solvable or plain.goal <= set(state)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_a_plan_is_found_exactly_if_there_is_one(seed: int) -> None:
    check_plan_iff_there_is_one(random_search_task(seed))


@settings(max_examples=50)
@given(st.integers(0, 10**6))
def test_a_plan_is_found_exactly_if_there_is_one_among_objects(seed: int) -> None:
    texts = RandomTask(seed)
    task = ground_texts(texts.domain, texts.task)
    if np.prod(task.native.domain_sizes, dtype=float) <= MAX_STATES:
        check_plan_iff_there_is_one(task)


@pytest.mark.parametrize("style", GUIDED)
@pytest.mark.parametrize("domain", ["childsnack", "gripper", "miconic", "npuzzle", "spanner"])
def test_every_style_solves_small_tasks(domain: str, style: str) -> None:
    """Lookalikes abound here; none is lost, however bad the weights are."""
    task = small_task(domain)
    found = search(task, configured(colours(task), preferred=ff(task), **GUIDED[style]))
    assert found["status"] is SOLVED


def test_putting_off_lookalikes_saves_work() -> None:
    """Of many sandwiches that look alike one is enough."""
    task = small_task("childsnack")
    plain, patient = (
        search(task, configured(colours(task), put_off_lookalikes=patient))
        for patient in (False, True)
    )
    assert patient["status"] is plain["status"] is SOLVED
    assert patient["expanded"] < plain["expanded"]


def test_states_that_relaxed_plans_prove_dead_are_not_expanded_further() -> None:
    """In sokoban a box in a corner stays there; h_FF sees it when it is asked for operators."""
    task = small_task("sokoban")
    patient = configured(colours(task), preferred=ff(task), put_off_unpreferred=True)
    plain = configured(colours(task), preferred=ff(task))
    found, without = search(task, patient), search(task, plain)
    assert found["status"] is without["status"] is SOLVED
    assert found["dead_ends"] > without["dead_ends"] == 0


STYLES: dict[str, tuple[Evaluators, dict[str, Any]]] = {
    "eager": (ff, {}),
    "eager, colours": (colours, {}),
    "eager, two queues": (colours_and_ff, {"boost": 100}),
    "A*": (ff, {"reopen": True, "tie_order": _native.TieOrder.LIFO}),
    "random ties": (colours, {"tie_order": _native.TieOrder.RANDOM, "seed": 5}),
    "deferred": (ff, {"deferred": True}),
    "deferred, two queues": (colours_and_ff, {"deferred": True, "reopen": True}),
    "batches": (colours, {"batch": 4}),
    "lookalikes and rollouts": (colours, {"put_off_lookalikes": True, "rollout": 10}),
    "lookalikes, few evaluations": (
        colours,
        {"put_off_lookalikes": True, "put_off_unpreferred": True, "max_evaluations": 200},
    ),
    "goal at generation": (ff, {"goal_at_generation": True}),
    "few evaluations": (colours, {"max_evaluations": 33}),
    "few expansions": (colours, {"max_expansions": 12}),
    "few expansions in batches": (ff, {"max_expansions": 13, "batch": 5}),
    "few evaluations, deferred": (colours, {"deferred": True, "max_evaluations": 33}),
    "bounded": (ff, {"bound": 6}),
}


def in_turns(task: GroundTask, config: _native.SearchConfig, turn: int) -> dict[str, Any]:
    """The search in turns of some evaluations."""
    states = _native.States(task.native)
    running = _native.Search(states, states.initial, config)
    result = running.advance(turn)
    evaluated = result.counters.evaluated
    while result.status is _native.SearchStatus.PAUSED:
        assert result.plan == []
        result = running.advance(turn)
        # Either the turn was used or the search is over.
        assert (
            result.status is not _native.SearchStatus.PAUSED
            or result.counters.evaluated >= evaluated + turn
        )
        evaluated = result.counters.evaluated
    return outcome(result)


def check_turns(task: GroundTask, style: str, turns: tuple[int, ...]) -> None:
    evaluators, chosen = STYLES[style]
    chosen = {"max_evaluations": 3000, **chosen}
    expected = search(task, configured(evaluators(task), **chosen))
    for turn in turns:
        assert in_turns(task, configured(evaluators(task), **chosen), turn) == expected


@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=12)
@given(seed=st.integers(0, 10**6))
def test_turns_change_nothing(style: str, seed: int) -> None:
    check_turns(random_search_task(seed), style, (1, 7, 100))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("domain", ["blocksworld", "gripper", "spanner"])
def test_turns_change_nothing_in_known_domains(style: str, domain: str) -> None:
    check_turns(small_task(domain), style, (1, 40))


def test_a_turn_ends_with_its_time() -> None:
    task = small_task("sokoban")
    states = _native.States(task.native)
    running = _native.Search(states, states.initial, configured(colours(task)))
    result = running.advance(seconds=0.0)
    assert result.status is _native.SearchStatus.PAUSED
    assert result.counters.evaluated >= 1
    assert outcome(running.advance()) == search(task, configured(colours(task)))


def test_two_searches_take_turns_with_the_same_states() -> None:
    """Each finds what it finds alone, although the other one registers states, too."""
    task = small_task("blocksworld")
    alone = [search(task, configured(evaluators(task))) for evaluators in (ff, colours)]
    states = _native.States(task.native)
    running = [
        _native.Search(states, states.initial, configured(evaluators(task)))
        for evaluators in (ff, colours)
    ]
    results: list[Any] = [None, None]
    while any(result is None for result in results):
        for place, each in enumerate(running):
            if results[place] is None:
                result = each.advance(5)
                if result.status is not _native.SearchStatus.PAUSED:
                    results[place] = outcome(result)
    for shared, expected in zip(results, alone, strict=True):
        assert shared["states"] >= expected["states"]
        assert {**shared, "states": 0} == {**expected, "states": 0}


def test_states_that_are_registered_between_two_turns_do_no_harm() -> None:
    task = small_task("blocksworld")
    expected = search(task, configured(colours(task)))
    states = _native.States(task.native)
    running = _native.Search(states, states.initial, configured(colours(task)))
    result = running.advance(5)
    while result.status is _native.SearchStatus.PAUSED:
        states.successors(len(states) - 1)
        result = running.advance(5)
    assert {**outcome(result), "states": 0} == {**expected, "states": 0}


def test_python_functions_see_all_children_at_once() -> None:
    task = ground(generators.generate("childsnack", seed=1, children=10, sandwiches=20))
    states = _native.States(task.native)
    sizes = []

    def function(ids: NDArray[np.uint32]) -> NDArray[np.float64]:
        sizes.append(len(ids))
        return np.zeros(len(ids))

    config = configured([_native.PythonEvaluator(function)], max_evaluations=2000)
    _native.search(states, states.initial, config)
    assert max(sizes) > 16
