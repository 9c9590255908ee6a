"""What the networks of one state space are trained for: the cost-to-go, and preferred operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, mse_loss

from beeline.training.objectives import epochs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from torch import Tensor

BATCH_SIZE = 64


class RegressionObjective:
    """The squared error of relu(raw) as an estimate of the cost-to-go.

    `targets` are the costs, [states].
    """

    heads = 1
    metric_names = ("mse",)

    def __init__(self, targets: NDArray[Any], *, batch_size: int = BATCH_SIZE) -> None:
        self._targets = torch.from_numpy(np.asarray(targets, dtype=np.float32).copy())
        self._batch_size = batch_size

    def minibatches(self, seed: int, first: int = 0) -> Iterator[NDArray[np.int64]]:
        """Minibatches that go through all states, epoch by epoch."""
        return epochs(len(self._targets), self._batch_size, seed, first)

    def loss(self, raw: Tensor, rows: NDArray[np.int64]) -> Tensor:
        """The mean squared error of these rows."""
        targets = self._targets.index_select(0, torch.from_numpy(rows))
        return mse_loss(raw.squeeze(1).relu(), targets)

    @torch.no_grad()
    def metrics(self, raw: Tensor) -> dict[str, float]:
        """`mse` over all states."""
        return {"mse": mse_loss(raw.squeeze(1).relu(), self._targets).item()}

    def describe(self) -> dict[str, Any]:
        """The size of a batch, and a digest of the targets."""
        return {
            "objective": "regression",
            "batch_size": self._batch_size,
            "states": len(self._targets),
            "labels": _digest(self._targets.numpy()),
        }


class OperatorsObjective:
    """The binary cross-entropy of sigmoid(raw), mean over states and operators.

    The operators that are preferred in state i are `items[starts[i]:starts[i + 1]]`.
    """

    metric_names = ("bce",)

    def __init__(
        self,
        starts: NDArray[np.int64],
        items: NDArray[np.int32],
        operators: int,
        *,
        batch_size: int = BATCH_SIZE,
    ) -> None:
        self._starts = np.asarray(starts, dtype=np.int64)
        self._items = np.asarray(items, dtype=np.int64)
        self._operators = operators
        self._batch_size = batch_size

    @property
    def heads(self) -> int:
        """One for each operator."""
        return self._operators

    def minibatches(self, seed: int, first: int = 0) -> Iterator[NDArray[np.int64]]:
        """Minibatches that go through all states, epoch by epoch."""
        return epochs(len(self._starts) - 1, self._batch_size, seed, first)

    def targets(self, rows: NDArray[np.int64]) -> Tensor:
        """1 for preferred operators, 0 for others: float32[n, operators].

        >>> objective = OperatorsObjective(np.array([0, 2, 2, 3]), np.array([0, 2, 1]), 3)
        >>> objective.targets(np.array([2, 1, 0])).tolist()
        [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 1.0]]
        """
        counts = self._starts[rows + 1] - self._starts[rows]
        ends = np.cumsum(counts)
        places = np.arange(ends[-1] if len(ends) else 0)
        places += np.repeat(self._starts[rows] - ends + counts, counts)
        dense = np.zeros((len(rows), self._operators), dtype=np.float32)
        dense[np.repeat(np.arange(len(rows)), counts), self._items[places]] = 1.0
        return torch.from_numpy(dense)

    def loss(self, raw: Tensor, rows: NDArray[np.int64]) -> Tensor:
        """The mean cross-entropy of these rows."""
        return binary_cross_entropy_with_logits(raw, self.targets(rows))

    @torch.no_grad()
    def metrics(self, raw: Tensor) -> dict[str, float]:
        """`bce` over all states."""
        chunk = 4096  # bounds the memory
        total = 0.0
        for first in range(0, len(raw), chunk):
            part = raw[first : first + chunk]
            rows = np.arange(first, first + len(part))
            total += self.loss(part, rows).item() * len(part)
        return {"bce": total / len(raw)}

    def describe(self) -> dict[str, Any]:
        """All sizes, and a digest of the targets."""
        return {
            "objective": "operators",
            "operators": self._operators,
            "batch_size": self._batch_size,
            "states": len(self._starts) - 1,
            "labels": _digest(self._starts, self._items),
        }


def _digest(*arrays: NDArray[Any]) -> str:
    from hashlib import sha256

    digest = sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
