"""The neural logic machine as a torch module; the engine computes values and gradients.

Source: Dong et al., "Neural Logic Machines" (ICLR 2019); breadth 3, depth 5, 8 predicates of each
arity, sigmoids and no hidden layer as in Núñez-Molina et al., "On using admissible bounds for
learning forward search heuristics" (IJCAI 2024), appendix C.1. All weights lie in one flat
parameter, in the order that the engine reads; see `native/networks/nlm.h`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import torch
from torch import nn

from beeline import _native
from beeline.models.network import Network, uniform

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from beeline.models.nlm.encoding import RelationalBatch, RelationalVocabulary


class NeuralLogicMachine(Network):
    """Relational tensors to raw outputs.

    `distinct` looks only at tuples of different objects, as the authors of the architecture do;
    without it, quantifiers range over all objects, as in the work on truncated Gaussians.

    >>> from beeline.models.nlm.encoding import RelationalVocabulary
    >>> words = RelationalVocabulary((("arm-empty",), ("clear",), ("on", "goal on"), ()))
    >>> network = NeuralLogicMachine(words, 2, generator=torch.Generator().manual_seed(0))
    >>> network.weights.shape
    torch.Size([3506])
    """

    def __init__(
        self,
        vocabulary: RelationalVocabulary,
        heads: int,
        *,
        generator: torch.Generator,
        width: int = 8,
        breadth: int = 3,
        depth: int = 5,
        distinct: bool = False,
    ) -> None:
        super().__init__()
        sizes = {"width": width, "breadth": breadth, "depth": depth}
        self._options = {**sizes, "distinct": distinct}
        self.engine = _native.NeuralLogicMachine(
            vocabulary.sizes, width, breadth, depth, heads, distinct
        )
        self.threads = 1
        self.weights = nn.Parameter(torch.empty(self.engine.parameters))
        for _, _, place, rows, columns in self.engine.matrices:
            uniform(self.weights[place : place + (rows + 1) * columns], rows, generator)

    def forward(self, batch: RelationalBatch) -> Tensor:
        """States to float32[n, heads]."""
        return cast("Callable[..., Tensor]", _Evaluation.apply)(self.weights, self, batch)


class _Evaluation(torch.autograd.Function):
    """The engine's values and gradients as one operation of torch."""

    @staticmethod
    def forward(
        context: Any, weights: Tensor, network: NeuralLogicMachine, batch: RelationalBatch
    ) -> Tensor:
        context.save_for_backward(weights)
        context.network, context.batch = network, batch
        values = network.engine.forward(weights.detach().numpy(), *batch, network.threads)
        return torch.from_numpy(values)

    @staticmethod
    def backward(context: Any, *slopes: Tensor) -> tuple[Tensor, None, None]:
        weights, network = context.saved_tensors[0].detach().numpy(), context.network
        by_output = slopes[0].contiguous().numpy()
        gradient = network.engine.backward(weights, *context.batch, by_output, network.threads)
        return torch.from_numpy(gradient), None, None


NETWORK = NeuralLogicMachine
