"""STRIPS-HGN: message passing between facts and delete-relaxed operators.

Shen, Trevizan and Thiébaux, "Learning Domain-Independent Planning Heuristics with Hypergraph
Networks" (2020): encode, process, decode. Edges and vertices are encoded by small networks. Each
step takes the encoded input together with the result of the step before: edges are updated from
themselves and their vertices by place, vertices from themselves and the sum of the edges that
they receive from. In the end a network of the sums of all edges and all vertices gives a vector
for the whole state, which is decoded into the outputs.

Without `sizes` the state's vector depends on the last step only, as in that paper. With `sizes`
it starts from the numbers of vertices and edges and is updated in every step. These numbers grow
with the tasks, far beyond those of training, so they are left out unless asked for. Outputs are
linear: no last rectifier, for a residual may be negative.

What makes it fast: an edge's arguments are never concatenated. The first layer of its network is
linear, so each vertex is multiplied once by the weights of all places, and each edge sums the
products of its arguments. Such sums, and those of their gradients along the reversed links, are
`embedding_bag`s. Before the first step vertices have only four kinds and edges only a few, so
their share of the first layers is computed per kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from beeline.core.errors import BeelineError
from beeline.models.hgn.encoding import EDGE_FEATURES, LEAK, VERTEX_KINDS
from beeline.models.network import Network, linear_layer, row_sums
from beeline.models.rows import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from beeline.models.hgn.encoding import HypergraphBatch, HypergraphVocabulary

    Ints = NDArray[np.int64]


def range_sums(values: Tensor, starts: Ints) -> Tensor:
    """The sums of the rows starts[i] .. starts[i + 1] - 1: [rows, k] to [n, k].

    >>> range_sums(torch.tensor([[1.0], [2.0], [3.0]]), np.array([0, 1, 3])).tolist()
    [[1.0], [5.0]]
    """
    rows = np.arange(len(values) + 1)
    ranges = Rows(starts, rows[:-1])
    return row_sums(values, ranges, lambda: Rows(rows, ranges.owners))


SIZES = 2  # numbers of vertices and edges


class StripsHgn(Network):
    """A heuristic network over hypergraphs of any domain with the vocabulary's places."""

    def __init__(
        self,
        vocabulary: HypergraphVocabulary,
        heads: int,
        *,
        generator: torch.Generator,
        hidden: int = 32,
        steps: int = 4,
        sizes: bool = False,
    ) -> None:
        super().__init__()
        if steps < 1 or hidden < 1:
            raise BeelineError(
                f"hgn with {steps} steps and {hidden} hidden units: both must be > 0"
            )
        self._options = {"hidden": hidden, "steps": steps, "sizes": sizes}
        self._hidden, self._steps, self._sizes = hidden, steps, sizes
        self._places = vocabulary.places

        def perceptron(inputs: int) -> Perceptron:
            return Perceptron(inputs, hidden, generator)

        self.encode_vertices = perceptron(len(VERTEX_KINDS[0]))
        self.encode_edges = perceptron(EDGE_FEATURES)
        self.encode_sizes = perceptron(SIZES) if sizes else None
        # Inputs of the core: (edge, receivers, senders), (sum of edges, vertex), (sum of edges,
        # sum of vertices, state); all but the sums as the pair (encoded input, last latent).
        self.update_edges = perceptron(2 * hidden * (1 + self._places))
        self.update_vertices = perceptron(3 * hidden)
        self.update_state = perceptron((4 if sizes else 2) * hidden)
        self.decode = perceptron(hidden)
        self.output = linear_layer(hidden, heads, generator=generator)

    def forward(self, batch: Any) -> Tensor:
        """Raw outputs for the n states of a `HypergraphBatch`: float32[n, heads]."""
        raw: Tensor = self.output(self.decode(self._process(batch)))
        return raw

    def _process(self, batch: HypergraphBatch) -> Tensor:
        """The states' latent vectors after the last step: [n, hidden]."""
        hidden = self._hidden
        links = batch.links
        edge_base, edge_extra = self._initial_edges(batch).chunk(2, dim=1)
        vertex_base, vertex_extra = self._initial_vertices(batch).chunk(2, dim=1)
        edge_input, vertex_input = edge_base + edge_extra, vertex_base + vertex_extra
        edge_weights = self._edge_weights()
        own_edge = edge_weights[:, 0, 1].t()
        by_place = edge_weights[:, 1:, 1].permute(2, 1, 0).reshape(hidden, -1)
        from_edges, _, own_vertex = self._vertex_weights().unbind(1)
        encoded = self._encoded_sizes(batch)
        context = [*encoded, *encoded]
        for remaining in reversed(range(self._steps)):
            edges = self.update_edges.finish(edge_input)
            sums = row_sums(edges, links.incoming, lambda: batch.reversed_links.incoming)
            received = torch.addmm(vertex_input, sums, from_edges.t())
            vertices = self.update_vertices.finish(received)
            if self._sizes or remaining == 0:
                totals = (
                    range_sums(edges, batch.edge_starts),
                    range_sums(vertices, batch.vertex_starts),
                )
                state = self.update_state(torch.cat([*totals, *context], dim=1))
                context = [*encoded, state]
            if remaining > 0:
                products = (vertices @ by_place).view(-1, hidden)  # [vertices * places, hidden]
                sums = row_sums(products, links.arguments, lambda: batch.reversed_links.arguments)
                edge_input = torch.addmm(edge_base, edges, own_edge) + sums
                vertex_input = torch.addmm(vertex_base, vertices, own_vertex.t())
        return context[-1]

    def _edge_weights(self) -> Tensor:
        """First layer of the edge update: [hidden, edge and places, input and latent, hidden]."""
        return self.update_edges.first.weight.view(self._hidden, 1 + self._places, 2, self._hidden)

    def _vertex_weights(self) -> Tensor:
        """First layer of the vertex update: [hidden, (sum of edges, input, latent), hidden]."""
        return self.update_vertices.first.weight.view(self._hidden, 3, self._hidden)

    def _initial_edges(self, batch: HypergraphBatch) -> Tensor:
        """Shares of the first layer of edges in step 1: [edges, 2 * hidden].

        The first half comes from the encoded input and is the same in all steps, the second from
        the latent vectors before the first step, which are the encoded input once more.
        """
        hidden, places = self._hidden, self._places
        weights = self._edge_weights()
        encoded = self.encode_edges(torch.from_numpy(batch.edge_features))
        own = torch.cat([encoded @ weights[:, 0, which].t() for which in (0, 1)], dim=1)
        bias = torch.cat([self.update_edges.first.bias, torch.zeros(hidden)])
        vertices = self.encode_vertices(torch.tensor(VERTEX_KINDS))
        by_place = torch.einsum("ki,opwi->kpwo", vertices, weights[:, 1:])
        table = by_place.reshape(len(VERTEX_KINDS) * places, 2 * hidden)
        counts = _count_kinds(batch, places)
        own_shares = (own + bias).index_select(0, torch.from_numpy(batch.edge_kinds))
        return torch.addmm(own_shares, counts, table)

    def _initial_vertices(self, batch: HypergraphBatch) -> Tensor:
        """The same for vertices: [vertices, 2 * hidden]."""
        weights = self._vertex_weights()
        encoded = self.encode_vertices(torch.tensor(VERTEX_KINDS))
        first = encoded @ weights[:, 1].t() + self.update_vertices.first.bias
        table = torch.cat([first, encoded @ weights[:, 2].t()], dim=1)
        # A product with indicators: its gradient is a product, too, and needs no scattering.
        kinds = torch.from_numpy(batch.vertex_kinds)
        return functional.one_hot(kinds, len(VERTEX_KINDS)).to(table.dtype) @ table

    def _encoded_sizes(self, batch: HypergraphBatch) -> list[Tensor]:
        if self.encode_sizes is None:
            return []
        sizes = np.stack([np.diff(batch.vertex_starts), np.diff(batch.edge_starts)], axis=1)
        return [self.encode_sizes(torch.from_numpy(sizes).float())]


class Perceptron(nn.Module):
    """Two linear layers, each followed by a leaky rectifier."""

    def __init__(self, inputs: int, hidden: int, generator: torch.Generator) -> None:
        super().__init__()
        self.first = linear_layer(inputs, hidden, generator=generator)
        self.second = linear_layer(hidden, hidden, generator=generator)

    def forward(self, inputs: Tensor) -> Tensor:
        """[n, inputs] to [n, hidden]."""
        return self.finish(self.first(inputs))

    def finish(self, first: Tensor) -> Tensor:
        """What follows the first linear layer, whose result is overwritten."""
        middle = functional.leaky_relu(first, LEAK, inplace=True)
        return functional.leaky_relu(self.second(middle), LEAK, inplace=True)


def _count_kinds(batch: HypergraphBatch, places: int) -> Tensor:
    """How many vertices of a kind each edge has at a place: float32[edges, kinds * places]."""
    arguments, cells = batch.links.arguments, len(VERTEX_KINDS) * places
    vertex = arguments.items // places
    kind = arguments.owners * len(VERTEX_KINDS) + batch.vertex_kinds[vertex]
    counts = np.bincount(
        (kind - vertex) * places + arguments.items, minlength=len(batch.edge_kinds) * cells
    )
    return torch.from_numpy(counts.reshape(-1, cells).astype(np.float32))


NETWORK = StripsHgn
