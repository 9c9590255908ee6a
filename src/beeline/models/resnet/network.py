"""The residual network of one state space: facts to the cost-to-go, or to operators.

Two hidden layers, a residual block of two more, and an output layer, after Ferber, Geißer,
Trevizan, Helmert and Hoffmann, "Neural network heuristic functions for classical planning";
initial weights after He, Zhang, Ren and Sun, "Delving deep into rectifiers" (normal, fan-in, biases
0).

    a = relu(W1 x + b1)    b = relu(W2 a + b2)    c = relu(W3 b + b3)    d = relu(W4 c + b4 + b)
    raw = W5 d + b5

The one trick: with 64 states to a step, the bookkeeping of automatic differentiation would cost a
third of the time. Training takes raw outputs and gradients from the engine; all weights are one
vector, and so are their gradients.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn.functional import linear

from beeline import _native
from beeline.models.network import Network
from beeline.models.resnet.encoding import HIDDEN, shapes, sizes

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

    from beeline.models.network import Slopes

    Facts = NDArray[np.float32] | Tensor


class ResNet(Network):
    """Facts to raw outputs.

    >>> network = ResNet(66, 1, generator=torch.Generator().manual_seed(0))
    >>> network(torch.zeros(2, 66)).tolist()
    [[0.0], [0.0]]
    """

    def __init__(
        self, inputs: int, heads: int, *, generator: torch.Generator, hidden: int = HIDDEN
    ) -> None:
        super().__init__()
        self._options = {"hidden": hidden}
        self._shapes = shapes(inputs, heads, hidden)
        self._sizes = sizes(inputs, heads, hidden)
        self.weights = nn.Parameter(torch.zeros(sum(self._sizes)))
        self._engine = _native.ResNet(inputs, heads, hidden)
        self._bound: tuple[int, int] | None = None
        with torch.no_grad():
            for part in self._parts(self.weights.detach())[::2]:
                part.normal_(0.0, (2.0 / part.shape[1]) ** 0.5, generator=generator)

    def forward(self, batch: Facts) -> Tensor:
        """Facts float32[n, inputs], 0 or 1, an array or a tensor, to float32[n, heads]."""
        w1, b1, w2, b2, w3, b3, w4, b4, w5, b5 = self._parts(self.weights)
        a = linear(torch.as_tensor(batch), w1, b1).relu()
        b = linear(a, w2, b2).relu()
        c = linear(b, w3, b3).relu()
        d = (linear(c, w4, b4) + b).relu()
        return linear(d, w5, b5)

    def set_gradients(
        self, batch: Facts, loss: Callable[[Tensor], Tensor], slopes: Slopes | None = None
    ) -> Tensor | float:
        """Set the gradient of the loss of the raw outputs; the loss."""
        weights, gradients = self._arrays()
        facts = batch.numpy() if isinstance(batch, torch.Tensor) else batch
        outputs = self._engine.forward(weights, facts)
        if slopes is not None:
            known, by_raw = slopes(outputs)
            self._engine.gradient(weights, by_raw, gradients)
            return known
        raw = torch.from_numpy(outputs).requires_grad_()
        value = loss(raw)
        (by_outputs,) = torch.autograd.grad(value, raw)
        self._engine.gradient(weights, by_outputs.numpy(), gradients)
        return value.detach()

    def _arrays(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Weights and gradients as arrays; looked for again if an optimiser moved them."""
        weights = self.weights
        if weights.grad is None:
            weights.grad = torch.zeros_like(weights)
        places = (weights.data_ptr(), weights.grad.data_ptr())
        if places != self._bound:
            self._views = (weights.detach().numpy(), weights.grad.numpy())
            self._bound = places
        return self._views

    def named_weights(self) -> dict[str, NDArray[np.float32]]:
        """The weights by layer, such as `first.weight` and `first.bias`, as arrays."""
        parts = self._parts(self.weights.detach())
        return {name: part.numpy().copy() for name, part in zip(self._shapes, parts, strict=True)}

    @torch.no_grad()
    def turn_upwards(self, batch: Facts) -> None:
        """Negate the output weights if the mean raw output of a batch is negative.

        An output behind a ReLU that is 0 for all states has no gradient, and would stay 0. A
        normal distribution is symmetric: the weights are still as He et al. draw them.
        """
        if self(batch).mean() < 0:
            self._parts(self.weights.detach())[-2].neg_()

    def _parts(self, vector: Tensor) -> list[Tensor]:
        """Views of a vector as the matrices and biases of all layers."""
        parts = zip(torch.split(vector, self._sizes), self._shapes.values(), strict=True)
        return [part.view(shape) for part, shape in parts]
