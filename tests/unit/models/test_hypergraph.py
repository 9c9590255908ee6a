"""Hypergraphs of tasks against plain ones, and their batches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from encoded_walks import as_instance, disguised, generated_problem, walk, walked_instance
from reference_hypergraph import named_edges

from beeline.core.errors import BeelineError
from beeline.generators import names
from beeline.models.hgn import encoding as family
from beeline.models.hgn.hypergraph import Hypergraph, hypergraph
from beeline.pddl import parse_domain, parse_problem
from beeline.task.grounding import ground

LAMPS = """(define (domain lamps) (:predicates (on ?l) (lit))
  (:action switch-on :parameters (?l) :precondition (not (on ?l)) :effect (and (on ?l) (lit)))
  (:action switch-off :parameters (?l) :precondition (on ?l) :effect (not (on ?l))))"""

# Grounding splits `wave` into one operator for each place where the guest may be instead.
GUESTS = """(define (domain guests) (:requirements :typing :negative-preconditions)
  (:types guest place)
  (:predicates (at ?g - guest ?p - place) (way ?a ?b - place) (greeted ?g - guest ?p - place))
  (:action walk :parameters (?g - guest ?a ?b - place)
    :precondition (and (way ?a ?b) (at ?g ?a)) :effect (and (not (at ?g ?a)) (at ?g ?b)))
  (:action wave :parameters (?g - guest ?p - place)
    :precondition (not (at ?g ?p)) :effect (greeted ?g ?p)))"""
GUESTS_TASK = """(define (problem p) (:domain guests)
  (:objects ann bob - guest hall yard shed - place)
  (:init (at ann hall) (at bob yard) (way hall yard) (way yard shed) (way shed hall))
  (:goal (and (greeted ann hall) (greeted bob hall) (at bob yard))))"""

QUANTIFIED = """(define (domain crowd) (:requirements :adl)
  (:predicates (at ?g ?p) (way ?a ?b) (rung ?p))
  (:action walk :parameters (?g ?a ?b)
    :precondition (and (way ?a ?b) (at ?g ?a) (or (rung ?a) (forall (?o) (not (at ?o ?b)))))
    :effect (and (not (at ?g ?a)) (at ?g ?b)))
  (:action ring :parameters (?p) :precondition (exists (?g) (at ?g ?p)) :effect (rung ?p)))"""
QUANTIFIED_TASK = """(define (problem p) (:domain crowd) (:objects ann bob hall yard)
  (:init (at ann hall) (at bob hall) (way hall yard) (way yard hall))
  (:goal (or (at ann yard) (and (rung yard) (not (at bob hall))))))"""


def graph_of(domain: str, task: str) -> tuple[list[str], Hypergraph]:
    """The names of the vertices, and the hypergraph."""
    problem = parse_problem(parse_domain(domain), task)
    ground_task = ground(problem)
    graph = hypergraph(ground_task, family.vocabulary(problem.domain).schemas)
    facts = ground_task.fact_names
    return [*facts, *[f"not {facts[number]}" for number in graph.negated]], graph


def links(vertices: list[str], triples: np.ndarray) -> list[set[tuple[str, int]]]:
    """For each edge its (vertex, place) pairs."""
    found: dict[int, set[tuple[str, int]]] = {}
    for edge, vertex, place in triples.tolist():
        found.setdefault(edge, set()).add((vertices[vertex], place))
    return [found.get(edge, set()) for edge in range(max(found, default=-1) + 1)]


@pytest.mark.parametrize("name", names())
def test_edges_are_the_operators_without_deletes(name: str) -> None:
    task = ground(generated_problem(name))
    graph = hypergraph(task, family.vocabulary(task.problem.domain).schemas)
    edges = named_edges(task)
    assert graph.costs.tolist() == [edge.cost for edge in edges]
    for triples, listed in (
        (graph.senders, [edge.senders for edge in edges]),
        (graph.receivers, [edge.receivers for edge in edges]),
    ):
        expected = {
            (number, fact, place)
            for number, facts in enumerate(listed)
            for place, fact in enumerate(facts)
            if fact is not None
        }
        found = {(edge, task.fact_names[v], place) for edge, v, place in triples.tolist()}
        assert found == expected
    goal = {number for number, holds in enumerate(graph.in_goal) if holds}
    assert goal == {task.native.fact_of[value] for value in task.goal}


def test_negated_facts_are_vertices_where_something_asks_for_them() -> None:
    vertices, graph = graph_of(
        LAMPS,
        """(define (problem p) (:domain lamps) (:objects a b) (:init (on a))
           (:goal (and (lit) (not (on a)))))""",
    )
    assert sorted(vertices) == ["(lit)", "(on a)", "(on b)", "not (on a)", "not (on b)"]
    assert {vertices[v] for v in np.flatnonzero(graph.in_goal)} == {"(lit)", "not (on a)"}
    senders, receivers = links(vertices, graph.senders), links(vertices, graph.receivers)
    switched_on = senders.index({("not (on b)", 0)})
    assert receivers[switched_on] == {("(on b)", 0), ("(lit)", 1)}
    assert receivers[senders.index({("(on a)", 0)})] == {("not (on a)", 0)}


def test_operators_that_grounding_split_into_cases_are_one_edge() -> None:
    vertices, graph = graph_of(GUESTS, GUESTS_TASK)
    senders, receivers = links(vertices, graph.senders), links(vertices, graph.receivers)
    waving = [edge for edge, ends in enumerate(receivers) if any("greeted" in f for f, _ in ends)]
    assert [senders[edge] for edge in waving] == [
        {("not (at ann hall)", 0)},
        {("not (at bob hall)", 0)},
    ]
    leaving = senders.index({("(at ann hall)", 0)})
    assert receivers[leaving] == {("(at ann yard)", 0), ("not (at ann hall)", 1)}


def test_quantified_literals_share_a_place() -> None:
    vertices, graph = graph_of(QUANTIFIED, QUANTIFIED_TASK)
    senders = links(vertices, graph.senders)
    # Ann walks into the empty yard; that she is not there herself is implied.
    assert {("(at ann hall)", 0), ("not (at bob yard)", 2)} in senders
    # She may ring in the hall; the same place is taken by any other guest there.
    assert {("(at ann hall)", 0)} in senders
    assert {("(at bob hall)", 0)} in senders


def test_kinds_of_vertices_are_what_the_state_says() -> None:
    task = ground(parse_problem(parse_domain(GUESTS), GUESTS_TASK))
    states, ids = walk(task, 6)
    words = family.vocabulary(task.problem.domain)
    inputs = family.dataset_inputs(words, [as_instance(task, states, ids)])
    batch = inputs.batch(np.arange(6))
    assert len(inputs) == len(batch) == 6
    vertices, graph = graph_of(GUESTS, GUESTS_TASK)
    assert batch.sizes.tolist() == [[graph.vertices, graph.edges]] * 6
    kinds = words.links(graph).vertex_kinds(states.facts(ids))
    for state, true in enumerate(states.facts(ids)):
        facts = {task.fact_names[number] for number in np.flatnonzero(true)}
        expected = [
            ((name[4:] not in facts) if name.startswith("not ") else name in facts)
            + 2 * bool(graph.in_goal[number])
            for number, name in enumerate(vertices)
        ]
        assert kinds[:, state].tolist() == expected


def test_dataset_and_search_give_equal_batches() -> None:
    task = ground(parse_problem(parse_domain(GUESTS), GUESTS_TASK))
    states, ids = walk(task, 9)
    words = family.vocabulary(task.problem.domain)
    data = family.dataset_inputs(words, [as_instance(task, states, ids)])
    search = family.search_inputs(words, task, states)
    for rows in ([0], [3, 1, 1], list(range(9)), [8, 2]):
        left, right = data.batch(np.array(rows)), search.batch(ids[rows])
        assert np.array_equal(left.sizes, right.sizes)
        assert np.array_equal(left.kinds.edge_features, right.kinds.edge_features)
        for one, other in zip(left.steps(3), right.steps(3), strict=True):
            assert one.sorts == other.sorts
            # Colours have other numbers where other states were seen before.
            for lists, same in ((one.edges, other.edges), (one.incoming, other.incoming)):
                sizes = [np.sort(np.diff(each.rows.starts)) for each in (lists, same)]
                assert np.array_equal(*sizes)
            assert np.array_equal(one.vertex_totals.rows.starts, other.vertex_totals.rows.starts)


def test_transposed_lists_are_the_lists_transposed() -> None:
    problems = [generated_problem("blocksworld", seed) for seed in (1, 2)]
    walks = [walked_instance(problem, 3) for problem in problems]
    inputs = family.dataset_inputs(family.vocabulary(problems[0].domain), walks)
    for step in inputs.batch(np.array([4, 0, 5])).steps(3):
        lists = (step.edges, step.parents, step.incoming, step.edge_totals, step.vertex_totals)
        for each in lists:
            if each is None:
                continue
            forward, back = each.rows, each.transposed
            ones = np.ones(len(forward.items))
            weights = [ones if rows.weights is None else rows.weights for rows in (forward, back)]
            there = sorted(zip(forward.owners, forward.items, weights[0], strict=True))
            assert there == sorted(zip(back.items, back.owners, weights[1], strict=True))


def test_unit_costs_are_an_option() -> None:
    domain = parse_domain("""(define (domain d) (:predicates (p)) (:functions (total-cost))
        (:action a :parameters () :effect (and (p) (increase (total-cost) 7))))""")
    task = "(define (problem t) (:domain d) (:init) (:goal (p)) (:metric minimize (total-cost)))"
    instance = walked_instance(parse_problem(domain, task), 2)
    for unit_costs, cost in ((False, 7.0), (True, 1.0)):
        words = family.vocabulary(domain)
        inputs = family.dataset_inputs(words, [replace(instance, unit_costs=unit_costs)])
        assert inputs.batch(np.array([0])).kinds.edge_features.tolist() == [[cost, 0.0, 1.0]]


def test_dataset_that_lacks_a_fact_is_refused() -> None:
    instance = walked_instance(generated_problem("gripper"), 2)
    strange = replace(instance, facts=(("nothing",), *instance.facts[1:]))
    with pytest.raises(BeelineError, match="has no fact"):
        family.dataset_inputs(family.vocabulary(instance.problem.domain), [strange])


@pytest.mark.parametrize("text", [(GUESTS, GUESTS_TASK), (QUANTIFIED, QUANTIFIED_TASK)])
def test_structure_does_not_depend_on_names(text: tuple[str, str]) -> None:
    domain, task = text
    instance = walked_instance(parse_problem(parse_domain(domain), task), 2)
    words = family.vocabulary(instance.problem.domain)

    def shape(problem: object) -> tuple[object, ...]:
        graph = hypergraph(ground(problem), words.schemas)  # type: ignore[arg-type]
        sizes = (graph.vertices, graph.edges, len(graph.senders), len(graph.receivers))
        return *sizes, np.sort(graph.senders[:, 2]).tolist(), np.sort(graph.costs).tolist()

    shapes = {str(shape(disguised(instance, seed).problem)) for seed in range(5)}
    assert shapes == {str(shape(instance.problem))}
