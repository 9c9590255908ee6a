"""Hypergraph convolutions between facts and delete-relaxed operators, as learned to rank.

The network for PDDL domains of Chrestien et al., "Optimize planning heuristics to rank, not to
estimate cost-to-goal" (2023): a few convolutions of small width over
the hypergraph of STRIPS-HGN, residual connections between vertices if wanted, mean and maximum
over all vertices, and two layers on top. In one convolution, with x_v >= 0 for vertices,

    m_e  = relu(b_a + c_a log(1 + cost) + sum over v in e of W_slot(v, e) x_v)      a: e's action
    x'_v = relu(b + W [x_v, mean and max of m_e over operators e that v is an effect of,
                       mean and max of m_e over operators e that v is a precondition of]) (+ x_v)

where a slot is a place of an action schema, and x_v starts as a row for v's kind: predicate,
negated or not, true in the state or not, goal or not. The last layer is linear.

What makes it fast: equal neighbourhoods are computed once (`beeline.encode.hypercolours`), as in
Sourek et al., "Lifted relational neural networks: efficient learning of latent relational
structures" (2018).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from beeline.models.hypergraph_convolution_layout import SEEN, shapes
from beeline.models.network import Network, Options, linear_layer, uniform
from beeline.models.row_pools import maxima, weighted_sums

if TYPE_CHECKING:
    from beeline.encode.hyperclass_layers import ClassLayer, ClassLayers
    from beeline.encode.hyperclasses import HyperclassBatch
    from beeline.encode.slot_words import SlotWords


class HypergraphConvolution(Network):
    """A heuristic network over the hypergraphs of one domain.

    `shared` says whether equal neighbourhoods are computed once; outputs are the same.
    """

    def __init__(
        self,
        vocabulary: SlotWords,
        heads: int,
        *,
        generator: torch.Generator,
        layers: int = 2,
        width: int = 8,
        residual: bool = True,
    ) -> None:
        super().__init__()
        sizes = shapes(vocabulary, heads, layers, width)
        self._options: Options = {"layers": layers, "width": width, "residual": residual}
        self.shared = True
        self.kinds = nn.Parameter(torch.empty(sizes["kinds"]))
        uniform(self.kinds, 1, generator)
        self.convolutions = nn.ModuleList(
            Convolution(vocabulary, width, generator, residual=residual) for _ in range(layers)
        )
        self.hidden = linear_layer(2 * width, width, generator=generator)
        self.output = linear_layer(width, heads, generator=generator)

    def options(self) -> Options:
        """Layers, width, and whether there are residual connections."""
        return dict(self._options)

    def forward(self, batch: Any) -> Tensor:
        """Raw outputs for the n states of a `HyperclassBatch`: float32[n, heads]."""
        inputs: HyperclassBatch = batch
        classes = inputs.layers(len(self.convolutions), shared=self.shared)
        vertices = self.kinds.index_select(0, torch.from_numpy(classes.kinds)).relu()
        for convolution, layer in zip(self.convolutions, classes.layers, strict=True):
            vertices = convolution(vertices, layer, classes)
        pools = [weighted_sums(vertices, classes.states), maxima(vertices, classes.states)]
        raw: Tensor = self.output(self.hidden(torch.cat(pools, dim=1)).relu())
        return raw if inputs.order is None else raw[torch.from_numpy(inputs.order)]


class Convolution(nn.Module):
    """From vertices to hyperedges and back."""

    def __init__(
        self, words: SlotWords, width: int, generator: torch.Generator, *, residual: bool
    ) -> None:
        super().__init__()
        actions = len(words.actions) + 1
        self.residual = residual
        self.slots = nn.Parameter(torch.empty(words.num_slots, width, width))
        self.actions = nn.Parameter(torch.empty(2, actions, width))  # b and c
        inputs = width * max(1, (words.num_slots - 2 * words.sorts) // max(actions - 1, 1))
        for parameter in (self.slots, self.actions):
            uniform(parameter, inputs, generator)
        self.vertices = linear_layer(SEEN * width, width, generator=generator)

    def forward(self, vertices: Tensor, layer: ClassLayer, classes: ClassLayers) -> Tensor:
        """Vertex classes [classes, width] to those after the convolution."""
        width = vertices.shape[1]
        rows = []
        for first, end, slots in layer.groups:
            weights = self.slots.index_select(0, torch.from_numpy(slots))
            by_slot = weights.permute(1, 0, 2).reshape(width, -1)
            rows.append((vertices[first:end] @ by_slot).view(-1, width))
        constant, slope = self.actions.index_select(1, torch.from_numpy(classes.edge_actions))
        costs = torch.from_numpy(classes.edge_costs).to(vertices.dtype)
        rows.append(torch.addcmul(constant, slope, costs.log1p()[:, None]))
        edges = weighted_sums(torch.cat(rows), layer.arguments).relu()
        own = weighted_sums(vertices, layer.previous)
        pools = (weighted_sums(edges, layer.incident), maxima(edges, layer.incident))
        seen = [own, *(each.view(-1, 2 * width) for each in pools)]
        result: Tensor = self.vertices(torch.cat(seen, dim=1)).relu()
        return result + own if self.residual else result
