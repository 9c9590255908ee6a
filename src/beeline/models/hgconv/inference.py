"""Hypergraph convolutions at planning time, in the engine.

The formulas are those of `beeline.models.hgconv.network`. The engine keeps the vectors of
the state before, and computes only those again that depend on facts which are different now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from beeline import _native

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from beeline.models.hgconv.colours import ColouredTask, RowSums

    Ints = NDArray[np.int32]
    Floats = NDArray[np.float32]


class FrozenConvolution:
    """Facts of a task to raw outputs; `weights` are those of the torch module, by name."""

    def __init__(
        self, weights: Mapping[str, Floats], task: ColouredTask, *, layers: int, residual: bool
    ) -> None:
        self._network = _native.HypergraphConvolution(
            facts=task.facts,
            negated=_ints(task.negated),
            kinds=_ints(task.first_kinds),
            arguments=_lists(task.arguments),
            slots=_ints(task.argument_slots),
            received=_lists(task.received),
            sent=_lists(task.sent),
            kind_vectors=_floats(weights["kinds"]),
            layers=[_layer(weights, f"convolutions.{each}.", task) for each in range(layers)],
            head=(
                _floats(weights["hidden.weight"].T),
                _floats(weights["hidden.bias"]),
                _floats(weights["output.weight"].T),
                _floats(weights["output.bias"]),
            ),
            residual=residual,
        )

    def __call__(self, facts: NDArray[np.uint8]) -> Floats:
        """Raw outputs of states: uint8[n, facts] to float32[n, heads]."""
        return self._network.evaluate(np.ascontiguousarray(facts))


def _layer(
    weights: Mapping[str, Floats], prefix: str, task: ColouredTask
) -> tuple[Floats, Floats, Floats, Floats]:
    """Matrices of slots, biases of hyperedges, and what vertices are multiplied with."""
    return (
        _floats(weights[prefix + "slots"]),
        _edge_biases(weights[prefix + "actions"], task),
        _floats(weights[prefix + "vertices.weight"].T),
        _floats(weights[prefix + "vertices.bias"]),
    )


def _edge_biases(actions: Floats, task: ColouredTask) -> Floats:
    """b_a + c_a log(1 + cost) of each hyperedge: float32[edges, width]."""
    constant, slope = actions
    costs = np.log1p(task.costs.astype(np.float32))[:, None]
    return _floats(constant[task.actions] + slope[task.actions] * costs)


def _lists(lists: RowSums) -> tuple[Ints, Ints]:
    return _ints(lists.starts), _ints(lists.items)


def _ints(numbers: NDArray[np.int64]) -> Ints:
    return np.ascontiguousarray(numbers, dtype=np.int32)


def _floats(numbers: Floats) -> Floats:
    return np.ascontiguousarray(numbers, dtype=np.float32)
