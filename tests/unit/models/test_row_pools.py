"""Pools over lists of rows against loops, with gradients."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from beeline.models.hgconv.layers import shares
from beeline.models.hgconv.network import maxima, weighted_sums


@pytest.mark.parametrize("count", [0, 3, 40, 900])
def test_pools_and_their_gradients_equal_those_of_loops(count: int) -> None:
    rng = np.random.default_rng(count)
    owners, items = rng.integers(1, 12, count), rng.integers(0, 60, count)
    lists = shares(owners, items, (13, 60))
    values = torch.from_numpy(rng.random((60, 5), dtype=np.float32)).requires_grad_()
    slopes = torch.from_numpy(rng.random((2, 13, 5), dtype=np.float32))
    found = torch.stack([weighted_sums(values, lists), maxima(values, lists)])
    means, largest = [], []
    for owner in range(13):
        rows = values[torch.from_numpy(items[owners == owner])]
        empty = torch.zeros(5)
        means.append(rows.mean(dim=0) if len(rows) else empty)
        # Each row once, as its copies would share the gradient.
        rows = values[torch.from_numpy(np.unique(items[owners == owner]))]
        largest.append(rows.amax(dim=0) if len(rows) else empty)
    expected = torch.stack([torch.stack(means), torch.stack(largest)])
    torch.testing.assert_close(found, expected)
    (gradient,) = torch.autograd.grad((found * slopes).sum(), values)
    (wanted,) = torch.autograd.grad((expected * slopes).sum() + 0 * values.sum(), values)
    torch.testing.assert_close(gradient, wanted)


def test_equal_maxima_share_their_gradient() -> None:
    lists = shares(np.zeros(6, dtype=np.int64), np.arange(6), (1, 6))
    values = torch.tensor([[2.0], [1.0], [2.0], [2.0], [0.0], [2.0]], requires_grad=True)
    maxima(values, lists).sum().backward()
    assert values.grad is not None
    assert float(values.grad.sum()) == pytest.approx(1.0)
    assert (values.grad[[0, 2, 3, 5]] > 0).all()
