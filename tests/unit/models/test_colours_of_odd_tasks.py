"""Colours where domains and goals are unusual, against colour refinement by the book."""

from __future__ import annotations

import pytest
from coloured_walks import Walk, sparse_counts
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_tasks import RandomTask
from reference_colours import ReferenceColours, literal_goal, true_atoms
from search_tasks import ground_texts

from beeline.models.colours.graph import BaseColours, colour_graph
from beeline.pddl.model import literals

ODD_DOMAIN = """(define (domain odd)
 (:requirements :typing :adl)
 (:types animal plant - thing bush - plant thing)
 (:constants sun - thing)
 (:predicates (next ?a ?b) (day) (warm ?a) (eats ?a - animal ?p - plant) (seen ?a ?b ?c))
 (:action move :parameters (?a ?b)
  :precondition (next ?a ?b)
  :effect (and (not (next ?a ?b)) (next ?b ?a) (warm ?b)))
 (:action wait :parameters (?a)
  :precondition (not (warm ?a))
  :effect (and (day) (warm ?a) (seen ?a sun ?a)))
 (:action night :parameters () :precondition (day)
  :effect (and (not (day)) (forall (?a) (not (warm ?a))))))
"""
OBJECTS = "cow - animal elm - bush reed ivy - plant moss - (either animal plant)"
INIT = "(next cow elm) (next elm elm) (next reed cow) (eats cow elm) (warm moss) (seen cow cow sun)"


def compare(walk: Walk, goal: dict[tuple[str, ...], bool]) -> int:
    """All states of the walk have the colours of the book, with sets and multisets; how many."""
    task = walk.task
    for multiset in (False, True):
        for rounds in (1, 4):
            reference = ReferenceColours(task.problem.domain, rounds, multiset=multiset)
            table = walk.table(rounds, multiset=multiset)
            meanings = reference.meanings(table)
            assert len(set(meanings)) == table.size
            counts = sparse_counts(table, walk, walk.ids)
            for state, ours in zip(walk.ids.tolist(), counts, strict=True):
                atoms = true_atoms(task, walk.states, state)
                by_round = reference.counts(task.problem, goal, atoms)
                expected = sum(by_round[1:], by_round[0])
                assert {meanings[colour]: count for colour, count in ours.items()} == expected
    return len(walk.ids)


def odd_walk(goal: str) -> Walk:
    task = ground_texts(
        ODD_DOMAIN,
        f"(define (problem p) (:domain odd) (:objects {OBJECTS}) (:init {INIT}) (:goal {goal}))",
    )
    return Walk(task, steps=12)


def wanted(*names: str) -> dict[tuple[str, ...], bool]:
    return {tuple(name.removeprefix("not ").split()): name[:4] != "not " for name in names}


@pytest.mark.parametrize(
    ("goal", "literals"),
    [
        pytest.param("(day)", wanted("day"), id="no arguments"),
        pytest.param(
            "(and (not (day)) (not (warm cow)) (warm sun))",
            wanted("not day", "not warm cow", "warm sun"),
            id="negative",
        ),
        pytest.param(
            "(and (next elm elm) (seen sun sun sun) (warm cow))",
            wanted("next elm elm", "seen sun sun sun", "warm cow"),
            id="repeated arguments, out of reach",
        ),
        pytest.param(
            "(and (eats cow elm) (not (eats cow ivy)) (warm ivy))",
            wanted("eats cow elm", "not eats cow ivy", "warm ivy"),
            id="static",
        ),
        pytest.param("(and (eats cow ivy) (day))", wanted("eats cow ivy", "day"), id="impossible"),
        pytest.param(
            "(and (seen elm sun elm) (not (seen cow cow sun)))",
            wanted("seen elm sun elm", "not seen cow cow sun"),
            id="unwanted for ever",
        ),
        pytest.param(
            "(forall (?p - plant) (warm ?p))",
            wanted("warm elm", "warm reed", "warm ivy", "warm moss"),
            id="universal",
        ),
        pytest.param(
            "(forall (?a - animal ?p - plant) (imply (eats ?a ?p) (warm ?p)))",
            wanted("warm elm"),
            id="universal with a static condition",
        ),
        pytest.param("(or (day) (warm elm))", wanted("@goal-reached"), id="disjunctive"),
        pytest.param(
            "(exists (?p - plant) (and (warm ?p) (next ?p cow)))",
            wanted("@goal-reached"),
            id="existential",
        ),
        pytest.param("(and)", {}, id="empty"),
    ],
)
def test_goals_of_all_kinds(goal: str, literals: dict[tuple[str, ...], bool]) -> None:
    assert compare(odd_walk(goal), literals) > 1


@settings(max_examples=60)
@given(st.integers(0, 10**6))
@example(4)
def test_random_tasks(seed: int) -> None:
    texts = RandomTask(seed)
    task = ground_texts(texts.domain, texts.task)
    found = [literal for literal, _ in literals(task.problem.goal)]
    goal = literal_goal(task.problem)
    if len(goal) < len(set(found)):
        assert task.unsolvable_reason is not None  # an atom shall be true and false
    else:
        compare(Walk(task, seed=seed, steps=8), goal)


def test_a_domain_without_predicates_colours_its_objects() -> None:
    task = ground_texts(
        "(define (domain d) (:action a :parameters () :effect (and)))",
        "(define (problem p) (:domain d) (:objects x y) (:init) (:goal (and)))",
    )
    walk = Walk(task, steps=1)
    assert (walk.graph.objects, walk.graph.atoms) == (2, 0)
    compare(walk, {})


def test_a_task_without_objects() -> None:
    task = ground_texts(
        "(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))",
        "(define (problem p) (:domain d) (:init) (:goal (p)))",
    )
    walk = Walk(task, steps=1)
    assert walk.graph.objects == 0
    compare(walk, {("p",): True})


def wide_task(arity: int) -> Walk:
    slots = " ".join(f"?x{place}" for place in range(arity))
    atom = " ".join("ab"[place % 2] for place in range(arity))
    condition = " ".join(("?a", "?b")[place % 2] for place in range(arity))
    task = ground_texts(
        f"""(define (domain wide) (:predicates (p {slots}) (q))
         (:action turn :parameters (?a ?b) :precondition (p {condition}) :effect (q)))""",
        f"(define (problem p) (:domain wide) (:objects a b) (:init (p {atom})) (:goal (q)))",
    )
    return Walk(task, steps=2)


def test_sixteen_arguments_are_told_apart() -> None:
    assert compare(wide_task(16), {("q",): True}) > 1


def test_more_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 16 arguments"):
        wide_task(17)


def test_constants_are_kinds_of_their_own() -> None:
    base = BaseColours.of(odd_walk("(day)").task.problem.domain)
    assert base.kinds == ("animal", "bush", "object", "plant", "thing", "(either ...)", "sun")
    assert base.predicates == ("day", "eats", "next", "seen", "warm", "@")
    assert base.count == len(base.kinds) + 5 * len(base.predicates)


def test_graphs_hold_the_task_alive() -> None:
    walk = odd_walk("(day)")
    graph = colour_graph(walk.task)
    del walk
    assert graph.atoms >= graph.objects
