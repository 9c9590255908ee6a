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

What makes it fast: in each step edges and vertices of equal colour have equal vectors, in all
states and tasks of the batch, so that one row for each colour is enough; what colours are is said
in `beeline.models.hgn.colours`. An edge's arguments are never concatenated. The first layer of its
network is linear, so each vertex is multiplied once by the weights of the places that its sort
takes, and each edge sums the products of its arguments. Such sums, and those of their gradients
along the transposed lists, are `embedding_bag`s. Encoded inputs are those of four kinds of vertices
and a few of edges, so their shares of the first layers are rows of tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from beeline.core.errors import BeelineError
from beeline.models.hgn.batch import VERTEX_KINDS
from beeline.models.hgn.encoding import EDGE_FEATURES, LEAK
from beeline.models.network import Network, linear_layer, row_sums

if TYPE_CHECKING:
    from beeline.models.hgn.batch import HypergraphBatch, Lists
    from beeline.models.hgn.encoding import HypergraphVocabulary


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
        edges = self.encode_edges(torch.from_numpy(batch.kinds.edge_features))
        vertices = self.encode_vertices(torch.tensor(VERTEX_KINDS))
        # [hidden, edge and places, input and latent, hidden], [hidden, 3, hidden]
        of_edges = self.update_edges.first.weight.view(hidden, 1 + self._places, 2, hidden)
        of_vertices = self.update_vertices.first.weight.view(hidden, 3, hidden)
        from_edges, vertex_input, own_vertex = of_vertices.unbind(1)
        edge_shares = torch.addmm(self.update_edges.first.bias, edges, of_edges[:, 0, 0].t())
        own_edge = of_edges[:, 0, 1].t()
        # Below the shares of kinds the weights of latent vectors: one product for both.
        kind_places, own_places = of_edges[:, 1:].permute(2, 3, 1, 0).reshape(2, hidden, -1)
        by_place = torch.cat([vertices @ kind_places, own_places]).view(-1, self._places, hidden)
        by_sort = [
            by_place.index_select(1, torch.from_numpy(places)).flatten(1)
            for places in batch.kinds.places
        ]
        vertex_shares = torch.addmm(self.update_vertices.first.bias, vertices, vertex_input.t())
        by_parent = torch.cat([vertex_shares, own_vertex.t()])
        vertices = vertices.repeat(len(by_sort), 1)
        encoded = self._encoded_sizes(batch)
        context = [*encoded, *encoded]
        steps = batch.steps(self._steps)
        for number, step in enumerate(steps, 1):
            marked = torch.cat([torch.from_numpy(step.marks), vertices], dim=1)
            at_places = [
                (some @ weights).view(-1, hidden)  # [vertices * places, hidden]
                for some, weights in zip(torch.split(marked, step.sorts), by_sort, strict=True)
            ]
            table = torch.cat([edge_shares, edges @ own_edge, *at_places])
            edges = self.update_edges.finish(_sums(table, step.edges))
            own = marked @ by_parent
            if step.parents is not None:
                own = _sums(own, step.parents)
            received = torch.addmm(own, _sums(edges, step.incoming), from_edges.t())
            vertices = self.update_vertices.finish(received)
            if self._sizes or number == len(steps):
                totals = (_sums(edges, step.edge_totals), _sums(vertices, step.vertex_totals))
                state = self.update_state(torch.cat([*totals, *context], dim=1))
                context = [*encoded, state]
        return context[-1]

    def _encoded_sizes(self, batch: HypergraphBatch) -> list[Tensor]:
        if self.encode_sizes is None:
            return []
        return [self.encode_sizes(torch.from_numpy(batch.sizes).float())]


def _sums(table: Tensor, lists: Lists) -> Tensor:
    return row_sums(table, lists.rows, lambda: lists.transposed)


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


NETWORK = StripsHgn
