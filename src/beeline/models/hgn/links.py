"""The hypergraph of one task as lists, and colours of its vertices and edges in given states.

A colour is a number made of all that a vector of STRIPS-HGN depends on: those of vertices on the
vertex itself and the edges that it receives from, those of edges on themselves and on the vertices
at their places. Equal colours, equal vectors, in all states and tasks, whatever the weights: colour
refinement as Weisfeiler and Leman do it.

The one trick: arrays have a row for each vertex or edge and a column for each state, so that
gathers copy whole rows and sums run along columns. A colour has two words of 64 bits, in two blocks
of columns that differ in the words they began with; the second tells when the first deceives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline.models.rows import Rows, column_sums, scramble, starts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from beeline.models.hgn.hypergraph import Hypergraph

    Ints = NDArray[np.int64]
    Numbers = NDArray[np.int32]
    Words = NDArray[np.uint64]

VERTEX_KINDS = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0))  # (in the state, in the goal)
OWN = np.uint64(0x9E3779B97F4A7C15)
EDGE, VERTEX, PLACE = (np.uint64(number) << np.uint64(32) for number in (1, 2, 3))


class Colours(NamedTuple):
    """Two words for each edge and vertex in n states: uint64[edges, 2n] and [vertices, 2n]."""

    edges: Words
    vertices: Words


class TaskLinks:
    """What sends to what in the hypergraph of a task.

    `arguments` has a row for each edge, its receivers and senders, at the places `places`;
    `incoming` a row for each vertex, the edges that it receives from. Places of senders follow
    those of receivers.
    """

    def __init__(self, graph: Hypergraph, receivers: int) -> None:
        self.facts, self.vertices, self.edges = graph.facts, graph.vertices, graph.edges
        self.negated, self.in_goal = graph.negated, graph.in_goal
        ends = np.concatenate([graph.receivers, graph.senders])
        ends[len(graph.receivers) :, 2] += receivers
        edge, vertex, place = ends[np.argsort(ends[:, 0], kind="stable")].T
        self.arguments, self.places = _lists(edge, vertex, graph.edges), place
        order = np.argsort(graph.receivers[:, 1], kind="stable")
        edge, vertex, _ = graph.receivers[order].T
        self.incoming = _lists(vertex, edge, graph.vertices)
        counts = [
            np.bincount(triples[:, 0], minlength=graph.edges)
            for triples in (graph.senders, graph.receivers)
        ]
        self.edge_features = np.column_stack([graph.costs, *counts]).astype(np.float32)

    def vertex_kinds(self, facts: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """1 where a vertex holds, plus 2 if it is a goal: uint8[n, facts] to [vertices, n]."""
        holding = np.concatenate([facts.T, 1 - facts.T[self.negated]])
        return holding + (2 * self.in_goal.astype(np.uint8))[:, None]

    def first(self, edge_kinds: Ints, vertices: Ints) -> Colours:
        """The colours of numbers: those of edges [edges], those of vertices [vertices, n]."""
        kinds = np.repeat(edge_kinds[:, None], vertices.shape[1], axis=1)
        return Colours(_two_words(kinds, EDGE), _two_words(vertices, VERTEX))

    def refined(self, before: Colours) -> Colours:
        """The colours after one more step."""
        multipliers = scramble(self.places.astype(np.uint64) + PLACE) | np.uint64(1)
        gathered = before.vertices[self.arguments.items]
        gathered *= multipliers[:, None]
        edges = scramble(before.edges * OWN + column_sums(self.arguments, gathered))
        received = column_sums(self.incoming, edges[self.incoming.items])
        return Colours(edges, scramble(before.vertices * OWN + received))


def _lists(rows: Ints, items: Ints, count: int) -> Rows:
    """The items of each row; rows ascend."""
    return Rows(starts_of(np.bincount(rows, minlength=count)), items)


def _two_words(numbers: NDArray[np.integer], salt: np.uint64) -> Words:
    first = scramble(numbers.astype(np.uint64) + salt)
    return np.concatenate([first, scramble(first + OWN)], axis=1)
