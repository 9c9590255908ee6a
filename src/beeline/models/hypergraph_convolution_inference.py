"""Hypergraph convolutions at planning time, in numpy alone.

Layers start by colour: vectors that another state has needed are looked up. The deeper a layer,
the more of the state a vector depends on. From the first layer on where too many vectors are new,
all are computed for all states instead, and no more colours are needed. Which layers these are
depends on the states alone, not on time. The formulas are those of
`beeline.models.hypergraph_convolution`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from beeline.models.coloured_convolution import ColouredLayer
from beeline.models.dense_convolution import DenseLayer, DenseTask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from beeline.encode.hypercolours import ColouredTask
    from beeline.encode.slot_words import SlotWords

    Floats = NDArray[np.float32]

LARGEST_BLOCK = 1 << 20  # arguments of hyperedges that are looked at together


class FrozenConvolution:
    """Facts of a task to raw outputs; `weights` are those of the torch module, by name.

    At most `coloured` layers go by colour.
    """

    def __init__(
        self,
        weights: Mapping[str, Floats],
        words: SlotWords,
        task: ColouredTask,
        *,
        layers: int,
        residual: bool,
        coloured: int | None = None,
    ) -> None:
        self._task = task
        self._kinds: Floats = np.maximum(weights["kinds"], np.float32(0))
        dense = DenseTask(task, words)
        self._order = dense.order
        prefixes = [f"convolutions.{number}." for number in range(layers)]
        self._coloured = [
            ColouredLayer(weights, prefix, task, residual=residual)
            for prefix in prefixes[:coloured]
        ]
        self._dense = [
            DenseLayer(weights, prefix, dense, task, residual=residual) for prefix in prefixes
        ]
        self._hidden = (weights["hidden.weight"].T.copy(), weights["hidden.bias"])
        self._output = (weights["output.weight"].T.copy(), weights["output.bias"])
        self._block = max(1, LARGEST_BLOCK // max(len(task.arguments.items), 1))

    @property
    def coloured(self) -> int:
        """How many layers go by colour."""
        return len(self._coloured)

    def __call__(self, facts: NDArray[np.uint8]) -> Floats:
        """Raw outputs of states: uint8[n, facts] to float32[n, heads]."""
        with np.errstate(over="ignore", invalid="ignore"):  # whoever asked sees what is not finite
            return self._raw(facts)

    def _raw(self, facts: NDArray[np.uint8]) -> Floats:
        blocks = range(0, len(facts), self._block)
        pools = [self._pools(facts[first : first + self._block]) for first in blocks]
        matrix, bias = self._hidden
        hidden: Floats = np.concatenate(pools) @ matrix
        hidden += bias
        np.maximum(hidden, 0, out=hidden)
        matrix, bias = self._output
        raw: Floats = hidden @ matrix
        raw += bias
        return raw

    def _pools(self, facts: NDArray[np.uint8]) -> Floats:
        """Mean and maximum of the vertices of each state: float32[n, 2 * width]."""
        vertices = self._known(facts)
        for layer in self._dense[len(self._coloured) :]:
            vertices = layer(vertices)
        width = vertices.shape[2]
        pools = np.zeros((len(facts), 2 * width), dtype=np.float32)
        if len(vertices):
            np.add.reduce(vertices, axis=0, out=pools[:, :width])
            pools[:, :width] /= len(vertices)
            np.maximum.reduce(vertices, axis=0, out=pools[:, width:])
        self._judge()
        return pools

    def _known(self, facts: NDArray[np.uint8]) -> Floats:
        """Vectors after the layers by colour, vertices by sort: float32[vertices, n, width]."""
        task = self._task
        rows, values = task.kinds(facts), self._kinds
        if not self._coloured:
            return values[rows[self._order]]
        colours = task.kind_colours[rows]
        for layer in self._coloured:
            refined = task.refined(colours)
            layer.forget()
            rows = layer.rows(refined, rows, values)
            colours, values = refined.vertices, layer.vertices.values
        return values[rows[self._order]]

    def _judge(self) -> None:
        for number, layer in enumerate(self._coloured):
            if not layer.pays:
                del self._coloured[number:]
                return
