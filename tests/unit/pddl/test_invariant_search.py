"""The search for invariants: the translator's results, in work that grows slowly and is bounded."""

from __future__ import annotations

import contextlib
import io
import random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from fast_downward.translate import invariant_finder

from beeline import pddl
from beeline.pddl import normal_form as invariant_search
from beeline.pddl.normal_form import InvariantSearch

if TYPE_CHECKING:
    from collections.abc import Iterable

    Moves = list[list[tuple[int, int]]]  # per action: (predicate deleted, predicate added)


def chain(count: int) -> Moves:
    """Each action hands a token on to the next predicate."""
    return [[(number, number + 1)] for number in range(count)]


def ring(count: int) -> Moves:
    """The last predicate hands it to the first."""
    return [[(number, (number + 1) % count)] for number in range(count)]


def star(count: int) -> Moves:
    """Each predicate exchanges the token with one in the middle."""
    arms = range(1, count // 2 + 1)
    return [[(0, arm)] for arm in arms] + [[(arm, 0)] for arm in arms]


def tangle(count: int) -> Moves:
    """Each action makes two moves at random."""
    rng = random.Random(count)
    fours = [rng.sample(range(count), 4) for _ in range(count)]
    return [[(a, b), (c, d)] for a, b, c, d in fours]


def normalized(moves: Moves, variables: str = "?x") -> Any:
    """The task with these actions; tokens have names."""
    predicates = sorted({number for action in moves for move in action for number in move})
    declared = " ".join(f"(p{number} {variables})" for number in predicates)
    actions = ""
    for number, action in enumerate(moves):
        needed = " ".join(f"(p{old} {variables})" for old, _ in action)
        changes = " ".join(
            f"(not (p{old} {variables})) (p{new} {variables})" for old, new in action
        )
        actions += f"""(:action a{number} :parameters ({variables})
          :precondition (and {needed}) :effect (and {changes}))"""
    domain = pddl.parse_domain(f"(define (domain d) (:predicates {declared}) {actions})")
    task = "(define (problem t) (:domain d) (:objects a b) (:init) (:goal (and)))"
    return pddl.normalize(pddl.parse_problem(domain, task))


def search_of(task: Any) -> InvariantSearch:
    actions = task.translator_task.actions
    return InvariantSearch(
        task.translator_task, {action: [tuple(range(len(action.parameters)))] for action in actions}
    )


def found_by_translator(monkeypatch: pytest.MonkeyPatch, task: Any) -> set[frozenset[Any]]:
    limits = SimpleNamespace(
        invariant_generation_max_candidates=100_000, invariant_generation_max_time=300
    )
    monkeypatch.setattr(invariant_finder, "get_options", lambda: limits)
    actions = task.translator_task.actions
    reachable = {action: [tuple(range(len(action.parameters)))] for action in actions}
    with contextlib.redirect_stdout(io.StringIO()):
        found = list(invariant_finder.find_invariants(task.translator_task, reachable))
    return {each.parts for each in found}


def as_sets(found: Iterable[list[Any]]) -> set[frozenset[Any]]:
    return {frozenset(parts) for parts in found}


def minimal(found: set[frozenset[Any]]) -> set[frozenset[Any]]:
    return {each for each in found if not any(other < each for other in found)}


@pytest.mark.parametrize("shape", [chain, ring, star, tangle])
@pytest.mark.parametrize("variables", ["", "?x", "?x ?y"])
def test_invariants_of_many_actions_are_those_of_the_translator(
    shape: Any, variables: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = normalized(shape(12), variables)
    expected = found_by_translator(monkeypatch, task)
    found = as_sets(search_of(task).run())
    assert minimal(found) == minimal(expected)
    assert expected
    if shape is not tangle:  # which larger ones are met depends on the order of actions
        assert found == expected


@pytest.mark.parametrize("shape", [chain, ring, star])
def test_work_grows_with_the_square_of_the_actions_at_most(shape: Any) -> None:
    work = []
    for count in (20, 40, 80):
        search = search_of(normalized(shape(count)))
        assert list(search.run())
        work.append(search.work)
    assert work[1] < 4.5 * work[0]
    assert work[2] < 4.5 * work[1]


def test_a_large_domain_stays_within_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invariant_search, "MAX_WORK", 5000)
    task = normalized(tangle(60))
    first, second = search_of(task), search_of(task)
    assert list(first.run()) == list(second.run())
    assert first.work == second.work
    assert 5000 <= first.work < 6000


def test_the_number_of_candidates_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invariant_search, "MAX_CANDIDATES", 300)
    search = search_of(normalized(tangle(40)))
    list(search.run())
    assert len(search._seen) == 300
