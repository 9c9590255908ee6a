"""Hypergraphs and their network, slow and plain: names instead of numbers, loops over edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch.nn.functional import leaky_relu

from beeline.pddl.model import literals

if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor

    from beeline.models.hgn.network import Perceptron, StripsHgn
    from beeline.pddl.model import ActionSchema
    from beeline.task.ground_task import GroundTask


class NamedEdge(NamedTuple):
    """An operator without deletes; None stands at places that no fact takes."""

    cost: int
    senders: list[str | None]
    receivers: list[str | None]


def named_edges(task: GroundTask) -> list[NamedEdge]:
    """The hyperedges of a task whose schemas are conjunctions of atoms."""
    schemas = {schema.name: schema for schema in task.problem.domain.actions}
    facts = set(task.fact_names)
    changing = task.problem.domain.changed_predicates()
    edges = []
    for name, cost in zip(task.operator_names, task.costs.tolist(), strict=True):
        action, *arguments = name.strip("()").split()
        schema = schemas[action]
        values = {variable: argument for (variable, _), argument in _bound(schema, arguments)}
        parts = [literal for literal, _ in literals(schema.precondition)]
        conditions = [each for each in parts if each.predicate in changing]
        needed = [_name(each, values) for each in conditions]
        added = [_name(e.literal, values) for e in schema.effects if not e.literal.negated]
        senders = [
            fact if fact in facts and not literal.negated and fact not in needed[:place] else None
            for place, (literal, fact) in enumerate(zip(conditions, needed, strict=True))
        ]
        receivers = [fact if fact in facts and fact not in senders else None for fact in added]
        edges.append(NamedEdge(cost, senders, receivers))
    return edges


def _bound(schema: ActionSchema, arguments: list[str]) -> zip[tuple[tuple[str, str], str]]:
    return zip(schema.parameters, arguments, strict=True)


def _name(literal: Any, values: dict[str, str]) -> str:
    return f"({' '.join([literal.predicate, *[values.get(a, a) for a in literal.args]])})"


def reference_output(
    network: StripsHgn,
    facts: list[str],
    goal: set[str],
    edges: list[NamedEdge],
    state: set[str],
    places: tuple[int, int],
) -> Tensor:
    """The network's outputs for one state: [heads]. Places are those of receivers, senders."""
    options = network.options()
    hidden, sizes = int(options["hidden"]), network.encode_sizes
    padding = torch.zeros(2 * hidden)

    def both(encoded: Tensor, latent: Tensor) -> Tensor:
        return torch.cat([encoded, latent])

    vertices = {
        fact: _apply(network.encode_vertices, torch.tensor([fact in state, fact in goal]).float())
        for fact in facts
    }
    latent_edges = [
        _apply(network.encode_edges, torch.tensor([edge.cost, _count(edge[1]), _count(edge[2])]))
        for edge in edges
    ]
    encoded_vertices, encoded_edges = dict(vertices), list(latent_edges)
    counts = torch.tensor([len(facts), len(edges)])
    encoded_sizes = None if sizes is None else _apply(sizes, counts)
    vector = encoded_sizes
    for _ in range(int(options["steps"])):
        updated = []
        for number, edge in enumerate(edges):
            inputs = [both(encoded_edges[number], latent_edges[number])]
            for listed, count in ((edge.receivers, places[0]), (edge.senders, places[1])):
                for place in range(count):
                    fact = listed[place] if place < len(listed) else None
                    known = fact is not None
                    inputs.append(
                        both(encoded_vertices[fact], vertices[fact]) if known else padding
                    )
            updated.append(_apply(network.update_edges, torch.cat(inputs)))
        latent_edges = updated
        renewed = {}
        for fact in facts:
            received = torch.zeros(hidden)
            for number, edge in enumerate(edges):
                if fact in edge.receivers:
                    received = received + latent_edges[number]
            inputs = [received, encoded_vertices[fact], vertices[fact]]
            renewed[fact] = _apply(network.update_vertices, torch.cat(inputs))
        vertices = renewed
        sums = [sum(latent_edges, torch.zeros(hidden)), sum(vertices.values(), torch.zeros(hidden))]
        context = [] if encoded_sizes is None else [encoded_sizes, vector]
        vector = _apply(network.update_state, torch.cat([*sums, *context]))
    decoded = _apply(network.decode, vector)
    return network.output.weight @ decoded + network.output.bias


def _count(facts: list[str | None]) -> int:
    return sum(fact is not None for fact in facts)


def _apply(perceptron: Perceptron, inputs: Tensor) -> Tensor:
    first, second = perceptron.first, perceptron.second
    middle = leaky_relu(first.weight @ inputs.float() + first.bias)
    return leaky_relu(second.weight @ middle + second.bias)
