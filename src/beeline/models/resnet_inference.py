"""Residual networks at planning time: numpy alone, with the facts of one task in its own order.

The one trick: the columns of the first matrix are put into the task's order of facts, and facts
that never change go into the first bias, so that the engine's own arrays are the input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from beeline.models.resnet_layout import LAYERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


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
