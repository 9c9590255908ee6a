"""One row for each colour against one for each edge and vertex: equal outputs, equal gradients."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from encoded_walks import as_instance, generated_problem, walk, walked_instance
from reference_hypergraph import named_edges, reference_output

from beeline.models.hgn import encoding as family
from beeline.models.hgn.hypergraph import hypergraph
from beeline.models.hgn.network import StripsHgn
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from beeline.data.instances import InstanceStates
    from beeline.models.hgn.batch import HypergraphBatch

DOMAINS = ("blocksworld", "ferry", "floortile", "gripper", "rovers", "transport", "visitall")


def walks_of(name: str, states: int = 6, **size: int) -> list[InstanceStates]:
    problems = [generated_problem(name, seed, **size) for seed in (1, 2)]
    return [walked_instance(each, states, seed) for seed, each in enumerate(problems)]


def network_for(words: family.HypergraphVocabulary, **options: Any) -> StripsHgn:
    return StripsHgn(words, 2, generator=torch.Generator().manual_seed(1), **options)


def outputs_and_gradients(
    network: StripsHgn, batch: HypergraphBatch
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """For a loss that weighs the outputs of each state differently."""
    network.zero_grad()
    raw = network(batch)
    weights = torch.linspace(-1, 1, raw.numel()).view_as(raw)
    (raw.square() * weights).sum().backward()
    return raw.detach(), [each.grad.clone() for each in network.parameters()]


def assert_close(found: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4 * float(expected.abs().max()))


@pytest.mark.parametrize("sizes", [False, True])
@pytest.mark.parametrize("name", DOMAINS)
def test_equals_one_row_for_each_edge_and_vertex(name: str, sizes: bool) -> None:
    instances = walks_of(name)
    words = family.vocabulary(instances[0].problem.domain)
    folded = family.dataset_inputs(words, instances)
    plain = family.dataset_inputs(words, instances, shared=False)
    rows = np.array([7, 0, 11, 3, 3, 5, 8])
    for steps in (1, 2, 3, 4):
        network = network_for(words, hidden=8, steps=steps, sizes=sizes)
        found, slopes = outputs_and_gradients(network, folded.batch(rows))
        expected, expected_slopes = outputs_and_gradients(network, plain.batch(rows))
        assert_close(found, expected)
        for one, other in zip(slopes, expected_slopes, strict=True):
            assert_close(one, other)


@pytest.mark.parametrize("sizes", [False, True])
@pytest.mark.parametrize(("name", "size"), [("blocksworld", {"blocks": 3}), ("ferry", {"cars": 2})])
def test_gradients_equal_those_of_the_plain_implementation(
    name: str, size: dict[str, int], sizes: bool
) -> None:
    task = ground(generated_problem(name, **size))
    words = family.vocabulary(task.problem.domain)
    network = network_for(words, hidden=6, steps=3, sizes=sizes)
    states, ids = walk(task, 4)
    inputs = family.dataset_inputs(words, [as_instance(task, states, ids)])
    found, slopes = outputs_and_gradients(network, inputs.batch(np.arange(4)))
    facts, edges = task.fact_names, named_edges(task)
    goal = {task.value_names[value] for value in task.goal}
    network.zero_grad()
    raw = torch.stack(
        [
            reference_output(
                network,
                facts,
                goal,
                edges,
                {facts[number] for number in np.flatnonzero(true)},
                (words.receivers, words.senders),
            )
            for true in states.facts(ids)
        ]
    )
    (raw.square() * torch.linspace(-1, 1, raw.numel()).view_as(raw)).sum().backward()
    assert_close(found, raw.detach())
    for one, each in zip(slopes, network.parameters(), strict=True):
        assert_close(one, each.grad)


@pytest.mark.parametrize("name", ["blocksworld", "ferry", "floortile"])
def test_colours_are_those_of_plain_refinement(name: str) -> None:
    task = ground(generated_problem(name))
    words = family.vocabulary(task.problem.domain)
    states, ids = walk(task, 8)
    graph = hypergraph(task, words.schemas)
    ends = [(0, triple) for triple in graph.receivers.tolist()]
    ends += [(1, triple) for triple in graph.senders.tolist()]
    taken: list[set[Any]] = [set() for _ in range(graph.vertices)]
    for side, (_, vertex, place) in ends:
        taken[vertex].add((side, place))
    edge_colours: dict[Any, Any] = {}
    vertex_colours: dict[Any, Any] = {}
    for state, true in enumerate(states.facts(ids)):
        for edge in range(graph.edges):
            counts = [
                int((triples[:, 0] == edge).sum()) for triples in (graph.senders, graph.receivers)
            ]
            edge_colours[state, edge] = (int(graph.costs[edge]), *counts)
        for vertex in range(graph.vertices):
            kind = (bool(true[vertex]), bool(graph.in_goal[vertex]))
            vertex_colours[state, vertex] = (kind, frozenset(taken[vertex]))
    inputs = family.dataset_inputs(words, [as_instance(task, states, ids)])
    for level in inputs.colouring(4).levels:
        seen: dict[Any, Counter[Any]] = {key: Counter() for key in edge_colours}
        received: dict[Any, Counter[Any]] = {key: Counter() for key in vertex_colours}
        for state in range(8):
            for side, (edge, vertex, place) in ends:
                seen[state, edge][side, place, vertex_colours[state, vertex]] += 1
        edge_colours = numbered(edge_colours, seen)
        for state in range(8):
            for edge, vertex, _ in graph.receivers.tolist():
                received[state, vertex][edge_colours[state, edge]] += 1
        vertex_colours = numbered(vertex_colours, received)
        assert len(level.edge_parents) == len(set(edge_colours.values()))
        assert len(level.vertex_parents) == len(set(vertex_colours.values()))


def numbered(own: dict[Any, Any], seen: dict[Any, Counter[Any]]) -> dict[Any, int]:
    """A number for each pair of the colour before and what was seen."""
    numbers: dict[Any, int] = {}
    return {
        key: numbers.setdefault((own[key], frozenset(seen[key].items())), len(numbers))
        for key in own
    }


def test_symmetric_objects_and_states_share_rows() -> None:
    instances = [walked_instance(generated_problem("gripper", seed), 64, seed) for seed in range(4)]
    words = family.vocabulary(instances[0].problem.domain)
    batch = family.dataset_inputs(words, instances).batch(np.arange(256))
    edges = int(batch.sizes[:, 1].sum())
    rows = [len(step.edges.rows.starts) - 1 for step in batch.steps(4)]
    assert rows[0] < edges / 100
    assert max(rows) < edges / 3
    # Nothing gets lost: the last totals count every edge of every state.
    assert batch.steps(4)[-1].edge_totals.rows.weights.sum() == edges


def test_equal_inputs_make_equal_bytes() -> None:
    instances = walks_of("transport")
    words = family.vocabulary(instances[0].problem.domain)
    network = network_for(words)
    first, again = (
        outputs_and_gradients(network, family.dataset_inputs(words, instances).batch(np.arange(12)))
        for _ in range(2)
    )
    assert torch.equal(first[0], again[0])
    assert all(map(torch.equal, first[1], again[1]))


def test_a_batch_serves_networks_of_any_number_of_steps() -> None:
    instances = walks_of("visitall")
    words = family.vocabulary(instances[0].problem.domain)
    inputs = family.dataset_inputs(words, instances)
    batch = inputs.batch(np.arange(5))
    for steps in (3, 1, 2):
        network = network_for(words, steps=steps)
        again = family.dataset_inputs(words, instances).batch(np.arange(5))
        assert torch.equal(network(batch), network(again))


def test_no_states_have_no_values() -> None:
    instances = walks_of("ferry")
    words = family.vocabulary(instances[0].problem.domain)
    nothing = family.dataset_inputs(words, instances).batch(np.zeros(0, dtype=np.int64))
    assert network_for(words)(nothing).shape == (0, 2)


def test_a_second_word_that_differs_is_noticed() -> None:
    instances = walks_of("ferry")
    inputs = family.dataset_inputs(family.vocabulary(instances[0].problem.domain), instances)
    words = np.array([[1, 1, 5, 6]], dtype=np.uint64)  # two states, the second word of each
    with pytest.raises(ArithmeticError, match="same first word"):
        inputs._classes([words])
