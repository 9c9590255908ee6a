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

Sums, means and maxima of rows have gradients that are such sums as well: maxima go up trees of
whole blocks; see `beeline.models.hgconv.layers`. Equal maxima share their gradient.

What makes it fast: equal neighbourhoods are computed once (`beeline.models.hgconv.slots`), as in
Sourek et al., "Lifted relational neural networks: efficient learning of latent relational
structures" (2018).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from beeline.models.hgconv.layers import BRANCHES
from beeline.models.hgconv.slots import SEEN, weight_shapes
from beeline.models.network import Network, linear_layer, plain_sums, row_sums, uniform

if TYPE_CHECKING:
    from beeline.models.hgconv.encoding import HyperclassBatch
    from beeline.models.hgconv.layers import ClassLayer, ClassLayers, RowLists
    from beeline.models.hgconv.slots import SlotWords


def weighted_sums(values: Tensor, lists: RowLists) -> Tensor:
    """For each list the weighted sum of its rows: [rows, k] to [lists, k].

    >>> import numpy as np
    >>> from beeline.models.hgconv.layers import RowLists, Rows
    >>> halves = Rows(np.array([0, 0, 2]), np.array([0, 1]), np.float32([0.5, 0.5]))
    >>> weighted_sums(torch.tensor([[1.0], [5.0]]), RowLists(halves, 2)).tolist()
    [[0.0], [3.0]]
    """
    return row_sums(values, lists.lists, lambda: lists.transposed)


def maxima(values: Tensor, lists: RowLists) -> Tensor:
    """For each list the maximum of its rows, 0 if it has none: [rows, k] to [lists, k].

    >>> import numpy as np
    >>> from beeline.models.hgconv.layers import RowLists, Rows
    >>> lists = RowLists(Rows(np.array([0, 0, 2]), np.array([0, 1])), 2)
    >>> maxima(torch.tensor([[1.0], [5.0]]), lists).tolist()
    [[0.0], [5.0]]
    """
    result: Tensor = _Maxima.apply(values, lists)  # type: ignore[no-untyped-call]
    return result


class _Maxima(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, lists: RowLists) -> Tensor:
        tree, width = lists.max_tree, values.shape[1]
        end = len(values) + 1
        nodes = values.new_empty(len(tree.back.starts) - 1, width)
        nodes[: end - 1] = values
        nodes[end - 1] = 0.0
        blocks = []
        for level in tree.levels:
            rows = torch.from_numpy(level.children).view(-1)
            block = nodes.index_select(0, rows).view(BRANCHES, -1, width)
            blocks.append(block)
            torch.amax(block, 0, out=nodes[end : end + block.shape[1]])
            end += block.shape[1]
        ctx.lists, ctx.blocks, ctx.nodes = lists, blocks, nodes
        return nodes.index_select(0, torch.from_numpy(tree.result))

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor, None]:
        tree = ctx.lists.max_tree
        gradient = plain_sums(slopes[0].contiguous(), tree.back)
        end = len(gradient)
        for level, block in zip(reversed(tree.levels), reversed(ctx.blocks), strict=True):
            first = end - block.shape[1]
            largest = torch.eq(block, ctx.nodes[first:end]).to(block.dtype)
            share = gradient[first:end] / largest.sum(0)
            lower = plain_sums(largest.mul_(share).view(-1, block.shape[2]), level.back)
            gradient[:first] += lower
            end = first
        return gradient[: ctx.lists.rows], None


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
        sizes = weight_shapes(vocabulary, heads, layers, width)
        self._options = {"layers": layers, "width": width, "residual": residual}
        self.shared = True
        self.kinds = nn.Parameter(torch.empty(sizes["kinds"]))
        uniform(self.kinds, 1, generator)
        self.convolutions = nn.ModuleList(
            Convolution(vocabulary, width, generator, residual=residual) for _ in range(layers)
        )
        self.hidden = linear_layer(2 * width, width, generator=generator)
        self.output = linear_layer(width, heads, generator=generator)

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


NETWORK = HypergraphConvolution
