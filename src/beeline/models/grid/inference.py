"""Convolution-attention networks at planning time, in the engine.

The formulas are those of `beeline.models.grid.network`. Channels that are 0 in all states of the
task are left out, with their weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from beeline import _native
from beeline.models.grid.channels import position_code

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from beeline.models.grid.channels import GridTask
    from beeline.models.grid.sizes import GridSizes

    Floats = NDArray[np.float32]
    Weights = Mapping[str, Floats]


class FrozenGridNetwork:
    """Facts of a task to raw outputs; `weights` are those of the torch module, by name."""

    def __init__(self, weights: Weights, task: GridTask, sizes: GridSizes) -> None:
        channels = task.words.channels
        live = np.any(task.base != 0, axis=0)
        live[task.entries % channels] = True
        kept = np.flatnonzero(live)
        new_channel = np.cumsum(live) - 1
        entries = task.entries // channels * len(kept) + new_channel[task.entries % channels]
        dead = channels - len(kept)

        def without_dead(matrix: Floats, before: int) -> Floats:
            """The columns [outputs, inputs, ...] of the layer before, and of the channels kept."""
            chosen = np.concatenate([np.arange(before), before + kept])
            assert matrix.shape[1] == before + len(kept) + dead
            return matrix[:, chosen]

        def convolution(name: str, before: int) -> tuple[Floats, Floats]:
            matrix = without_dead(weights[f"{name}.weight"], before)  # [outputs, inputs, 3, 3]
            return _floats(matrix.transpose(0, 2, 3, 1)), _floats(weights[f"{name}.bias"])

        width, layers, blocks = 0, [], []
        for number in range(sizes.convolutions):
            layers.append(convolution(f"convolutions.{number}", width))
            width = sizes.filters
        for number in range(sizes.blocks):
            prefix = f"blocks.{number}."
            blocks.append(
                (
                    convolution(f"{prefix}convolution", width),
                    _seen(weights, prefix, sizes),
                    _pair(weights, f"{prefix}mixed"),
                )
            )
            width = sizes.attention + sizes.block_filters
        hidden = without_dead(weights["hidden.weight"], width)
        self._network = _native.GridNetwork(
            sizes=(
                len(kept),
                sizes.filters,
                sizes.block_filters,
                sizes.attention,
                sizes.attention_heads,
                sizes.hidden,
                len(weights["output.bias"]),
            ),
            beside=_ints(task.beside.reshape(-1)),
            position=position_code(task.places, sizes.block_filters),
            base=_floats(task.base[:, kept]),
            facts=(_ints(task.starts), _ints(entries), _floats(task.values)),
            convolutions=layers,
            blocks=blocks,
            hidden=(_floats(hidden), _floats(weights["hidden.bias"])),
            output=_pair(weights, "output"),
        )

    def __call__(self, facts: NDArray[np.uint8]) -> Floats:
        """Raw outputs of states: uint8[n, facts] to float32[n, heads]."""
        return self._network.evaluate(np.ascontiguousarray(facts))


def _seen(weights: Weights, prefix: str, sizes: GridSizes) -> tuple[Floats, Floats]:
    """Queries, which are scaled here once and for all, keys and values as one layer."""
    scale = np.float32((sizes.attention // sizes.attention_heads) ** -0.5)
    factors = {"queries": scale, "keys": np.float32(1), "values": np.float32(1)}
    matrix, bias = (
        np.concatenate(
            [factor * weights[f"{prefix}{name}.{part}"] for name, factor in factors.items()]
        )
        for part in ("weight", "bias")
    )
    return _floats(matrix), _floats(bias)


def _pair(weights: Weights, name: str) -> tuple[Floats, Floats]:
    return _floats(weights[f"{name}.weight"]), _floats(weights[f"{name}.bias"])


def _ints(numbers: NDArray[np.int64]) -> NDArray[np.int32]:
    return np.ascontiguousarray(numbers, dtype=np.int32)


def _floats(numbers: NDArray[Any]) -> Floats:
    return np.ascontiguousarray(numbers, dtype=np.float32)
