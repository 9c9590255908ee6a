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
    sizes = {
        "first": (hidden, inputs),
        "second": (hidden, hidden),
        "block_first": (hidden, hidden),
        "block_second": (hidden, hidden),
        "output": (heads, hidden),
    }
    found: dict[str, tuple[int, ...]] = {}
    for layer in LAYERS:
        found[f"{layer}.weight"] = sizes[layer]
        found[f"{layer}.bias"] = sizes[layer][:1]
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
        matrices = {layer: weights[f"{layer}.weight"] for layer in LAYERS}
        biases = {layer: weights[f"{layer}.bias"] for layer in LAYERS}
        biases["first"] = (biases["first"] + matrices["first"] @ constant).astype(np.float32)
        matrices["first"] = matrices["first"][:, facts]
        transposed: dict[str, Floats] = {
            layer: np.ascontiguousarray(each.T) for layer, each in matrices.items()
        }
        self._layers: list[tuple[Floats, Floats]] = [
            (transposed[layer], biases[layer]) for layer in LAYERS
        ]

    def __call__(self, facts: NDArray[np.uint8]) -> Floats:
        """Raw outputs of states: uint8[n, facts] to float32[n, heads]."""
        (w1, b1), (w2, b2), (w3, b3), (w4, b4), (w5, b5) = self._layers
        first = np.dot(facts.astype(np.float32), w1)
        first += b1
        np.maximum(first, 0.0, out=first)
        second = np.dot(first, w2)
        second += b2
        np.maximum(second, 0.0, out=second)
        third = np.dot(second, w3)
        third += b3
        np.maximum(third, 0.0, out=third)
        second += np.dot(third, w4)
        second += b4
        np.maximum(second, 0.0, out=second)
        raw: Floats = np.dot(second, w5)
        raw += b5
        return raw
