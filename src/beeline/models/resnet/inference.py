"""Where the weights of a residual network lie, for training with torch and planning without.

Residual networks at planning time: numpy alone, with the facts of one task in its own order.

The one trick: the columns of the first matrix are put into the task's order of facts, and facts
that never change go into the first bias, so that the engine's own arrays are the input.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


HIDDEN = 250
LAYERS = ("first", "second", "block_first", "block_second", "output")


def shapes(inputs: int, heads: int, hidden: int = HIDDEN) -> dict[str, tuple[int, ...]]:
    """The matrices [outputs, inputs] and biases of all layers, in the order of the weights.

    >>> shapes(66, 1)["first.weight"], shapes(66, 1)["output.bias"]
    ((250, 66), (1,))
    """
    if min(inputs, heads, hidden) < 1:
        raise ValueError(f"{inputs} inputs, {hidden} hidden units, {heads} outputs")
    widths = (inputs, hidden, hidden, hidden, hidden, heads)
    found: dict[str, tuple[int, ...]] = {}
    for layer, before, after in zip(LAYERS, widths, widths[1:], strict=False):
        found[f"{layer}.weight"], found[f"{layer}.bias"] = (after, before), (after,)
    return found


def sizes(inputs: int, heads: int, hidden: int = HIDDEN) -> list[int]:
    """How many weights each of these has.

    >>> sum(sizes(66, 1))
    205251
    """
    return [prod(shape) for shape in shapes(inputs, heads, hidden).values()]


class FrozenResNet:
    """Facts of a task to raw outputs.

    `weights` are named as in `resnet_layout`; `facts` has the input of each fact of the task, and
    `constant` is 1 for inputs that are true in every state.
    """

    def __init__(
        self, weights: Mapping[str, Floats], facts: NDArray[np.int64], constant: Floats
    ) -> None:
        matrices = [weights[f"{layer}.weight"] for layer in LAYERS]
        biases = [weights[f"{layer}.bias"] for layer in LAYERS]
        biases[0] = (biases[0] + matrices[0] @ constant).astype(np.float32)
        matrices[0] = matrices[0][:, facts]
        transposed: list[Floats] = [np.ascontiguousarray(each.T) for each in matrices]
        self._layers = list(zip(transposed, biases, strict=True))

    def __call__(self, facts: NDArray[np.uint8]) -> Floats:
        """Raw outputs of states: uint8[n, facts] to float32[n, heads]."""
        (w1, b1), (w2, b2), (w3, b3), (w4, b4), (w5, b5) = self._layers
        first = _relu(np.dot(facts.astype(np.float32), w1), b1)
        second = _relu(np.dot(first, w2), b2)
        third = _relu(np.dot(second, w3), b3)
        second += np.dot(third, w4)
        raw: Floats = np.dot(_relu(second, b4), w5)
        raw += b5
        return raw


def _relu(products: Floats, bias: Floats) -> Floats:
    """The rectified sum, in place."""
    products += bias
    return np.maximum(products, 0.0, out=products)
