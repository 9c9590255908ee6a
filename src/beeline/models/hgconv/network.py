"""Hypergraph convolutions between facts and delete-relaxed operators, as learned to rank.

The network for PDDL domains of Chrestien et al., "Optimize planning heuristics to rank, not to
estimate cost-to-goal" (2023): a few convolutions of small width over the hypergraph of STRIPS-HGN,
residual connections between vertices if wanted, mean and maximum over all vertices, and two layers
on top. In one convolution, with x_v >= 0 for vertices,

    m_e  = relu(b_a + c_a log(1 + cost) + sum over v in e of W_slot(v, e) x_v)      a: e's action
    x'_v = relu(b + W [x_v, mean and max of m_e over operators e that v is an effect of,
                       mean and max of m_e over operators e that v is a precondition of]) (+ x_v)

where a slot is a place of an action schema, and x_v starts as a row for v's kind: predicate,
negated or not, true in the state or not, goal or not. The last layer is linear. Equal maxima share
their gradient.

What makes it fast: equal neighbourhoods are computed once (`beeline.models.hgconv.slots`), as in
Sourek et al., "Lifted relational neural networks: efficient learning of latent relational
structures" (2018). Values and gradients are the engine's, see
`native/networks/hyperclass_network.h`: vectors are so short that the bookkeeping of automatic
differentiation, with a pass over memory for each operation, would cost several times as much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, nn

from beeline import _native
from beeline.models.hgconv.slots import SEEN, weight_shapes
from beeline.models.network import Network, linear_layer, uniform

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline._native import Hyperclasses
    from beeline.models.hgconv.encoding import HyperclassBatch
    from beeline.models.hgconv.slots import SlotWords


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
            Convolution(vocabulary, width, generator) for _ in range(layers)
        )
        self.hidden = linear_layer(2 * width, width, generator=generator)
        self.output = linear_layer(width, heads, generator=generator)
        counts = (vocabulary.kinds, vocabulary.num_slots, len(vocabulary.actions) + 1)
        self.engine = _native.HyperclassNetwork(layers, width, heads, *counts, residual)

    def forward(self, batch: Any) -> Tensor:
        """Raw outputs for the n states of a `HyperclassBatch`: float32[n, heads]."""
        inputs: HyperclassBatch = batch
        classes = inputs.layers(len(self.convolutions), shared=self.shared)
        evaluate = cast("Callable[..., Tensor]", _Evaluation.apply)
        raw = evaluate(self.engine, classes, *self.parameters())
        return raw if inputs.order is None else raw[torch.from_numpy(inputs.order)]


class _Evaluation(torch.autograd.Function):
    """The engine's values and gradients as one operation of torch."""

    @staticmethod
    def forward(
        context: Any, engine: _native.HyperclassNetwork, classes: Hyperclasses, *weights: Tensor
    ) -> Tensor:
        flat = torch.cat([each.reshape(-1) for each in weights]).numpy()
        raw = torch.from_numpy(engine.forward(flat, classes))
        context.engine, context.classes, context.flat = engine, classes, flat
        context.shapes, context.run = [each.shape for each in weights], engine.runs
        return raw

    @staticmethod
    def backward(context: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        engine, classes, flat = context.engine, context.classes, context.flat
        if engine.runs != context.run:  # another batch came between
            engine.forward(flat, classes)
            context.run = engine.runs
        gradient = torch.from_numpy(engine.gradient(flat, classes, slopes[0].contiguous().numpy()))
        parts = torch.split(gradient, [shape.numel() for shape in context.shapes])
        shaped = [part.view(shape) for part, shape in zip(parts, context.shapes, strict=True)]
        return None, None, *shaped


class Convolution(nn.Module):
    """The weights from vertices to hyperedges and back."""

    def __init__(self, words: SlotWords, width: int, generator: torch.Generator) -> None:
        super().__init__()
        actions = len(words.actions) + 1
        self.slots = nn.Parameter(torch.empty(words.num_slots, width, width))
        self.actions = nn.Parameter(torch.empty(2, actions, width))  # b and c
        inputs = width * max(1, (words.num_slots - 2 * words.sorts) // max(actions - 1, 1))
        for parameter in (self.slots, self.actions):
            uniform(parameter, inputs, generator)
        self.vertices = linear_layer(SEEN * width, width, generator=generator)


NETWORK = HypergraphConvolution
