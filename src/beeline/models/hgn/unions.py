"""Unions of hypergraphs: one for each state of a batch, side by side.

Nothing is padded, so no state's result depends on the others. A union is made of copies of ranges
of flat arrays, without a Python loop over states.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline.models.rows import Rows, starts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline.models.hgn.hypergraph import Hypergraph

    Ints = NDArray[np.int64]

EDGE_FEATURES = 3  # cost, senders, receivers


class Links(NamedTuple):
    """What sends to what in a union of hypergraphs.

    `arguments` has a row for each edge: vertex * places + place of its receivers and senders.
    `incoming` has a row for each vertex: the edges that it receives from.
    """

    arguments: Rows
    incoming: Rows


@dataclass(frozen=True, eq=False)
class HypergraphBatch:
    """The hypergraphs of n states, side by side; numbers run through all of them."""

    vertex_starts: Ints  # [n + 1]
    edge_starts: Ints  # [n + 1]
    vertex_kinds: Ints  # [vertices]: 1 if it holds, plus 2 if it is a goal
    edge_kinds: Ints  # [edges]: rows of `edge_features`
    edge_features: NDArray[np.float32]  # [kinds, 3]: cost, senders, receivers
    links: Links
    origin: tuple[HypergraphCollection, Ints]

    def __len__(self) -> int:
        return len(self.vertex_starts) - 1

    @cached_property
    def reversed_links(self) -> Links:
        """The transposed links, which gradients go along: edges by argument, vertices by edge."""
        collection, tasks = self.origin
        return Links(
            collection.union("arguments_back", tasks, "edges"),
            collection.union("incoming_back", tasks, "vertices"),
        )


class HypergraphCollection:
    """The hypergraphs of several tasks in flat arrays."""

    def __init__(self, places: int, receivers: int, graphs: Sequence[Hypergraph]) -> None:
        tables = [_tables(graph, places, receivers) for graph in graphs]
        self._flat = {name: _joined([each[name] for each in tables]) for name in tables[0]}
        features = np.concatenate([_edge_features(graph) for graph in graphs])
        self.edge_features, kinds = np.unique(features, axis=0, return_inverse=True)
        self.sizes = {
            "vertices": np.array([graph.vertices for graph in graphs], dtype=np.int64),
            "edges": np.array([graph.edges for graph in graphs], dtype=np.int64),
        }
        self.sizes["arguments"] = self.sizes["vertices"] * places
        self._flat["edge_kinds"] = Rows(starts_of(self.sizes["edges"]), kinds.reshape(-1))

    def take(self, name: str, tasks: Ints) -> Ints:
        """The entries of one table for these tasks, one after another."""
        return self._flat[name].at(tasks).items

    def offsets(self, name: str, tasks: Ints) -> Ints:
        """Where each task's vertices, edges or arguments begin in the union, and the end."""
        return starts_of(self.sizes[name][tasks])

    def union(self, name: str, tasks: Ints, target: str) -> Rows:
        """The rows of one table, with items that number the union's targets."""
        starts, items, _ = self._flat[name].at(tasks)
        items += np.repeat(self.offsets(target, tasks)[:-1], np.diff(starts))
        return Rows(starts_of(self.take(name + "_sizes", tasks)), items)

    def batch(self, tasks: Ints, starts: Ints, items: Ints) -> HypergraphBatch:
        """The union for states of these tasks, with their true facts as (starts, items)."""
        vertex_starts = self.offsets("vertices", tasks)
        links = Links(
            self.union("arguments", tasks, "arguments"), self.union("incoming", tasks, "edges")
        )
        return HypergraphBatch(
            vertex_starts,
            self.offsets("edges", tasks),
            self.vertex_kinds(tasks, vertex_starts, starts, items),
            self.take("edge_kinds", tasks),
            self.edge_features,
            links,
            (self, tasks),
        )

    def vertex_kinds(self, tasks: Ints, vertex_starts: Ints, starts: Ints, items: Ints) -> Ints:
        """What a state makes of the vertices: int64[vertices]."""
        kinds = self.take("kinds", tasks)
        state = np.repeat(np.arange(len(tasks)), np.diff(starts))
        kinds[vertex_starts[state] + items] += 1
        # Negations hold until their fact is seen.
        negations = self._flat["negations"]
        negation = negations.items[negations.starts[tasks[state]] + items]
        has = negation >= 0
        kinds[vertex_starts[state[has]] + negation[has]] -= 1
        return kinds


def _tables(graph: Hypergraph, places: int, receivers: int) -> dict[str, Ints]:
    """All index lists of one hypergraph, with the sizes of their rows."""
    negations = np.full(graph.vertices, -1, dtype=np.int64)
    negations[graph.negated] = graph.facts + np.arange(len(graph.negated))
    kinds = 2 * graph.in_goal.astype(np.int64)
    kinds[graph.facts :] += 1
    edge, vertex, place = np.concatenate([graph.receivers, graph.senders]).T
    place = place + receivers * (np.arange(len(place)) >= len(graph.receivers))
    argument = vertex * places + place
    tables = {"kinds": kinds, "negations": negations}
    received_by, received = graph.receivers[:, 0], graph.receivers[:, 1]
    for name, row, count, item in (
        ("arguments", edge, graph.edges, argument),
        ("arguments_back", argument, graph.vertices * places, edge),
        ("incoming", received, graph.vertices, received_by),
        ("incoming_back", received_by, graph.edges, received),
    ):
        tables[name] = item[np.argsort(row, kind="stable")]
        tables[name + "_sizes"] = np.bincount(row, minlength=count)
    return tables


def _edge_features(graph: Hypergraph) -> NDArray[np.float32]:
    ends = (graph.senders, graph.receivers)
    counts = [np.bincount(triples[:, 0], minlength=graph.edges) for triples in ends]
    return np.column_stack([graph.costs, *counts]).astype(np.float32)


def _joined(parts: list[Ints]) -> Rows:
    return Rows(starts_of([len(part) for part in parts]), np.concatenate(parts))
