"""The engine's pools over lists of rows against loops, with gradients; and classes that are odd."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from beeline import _native
from beeline.models.hgconv.layers import shares

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    from beeline.models.hgconv.layers import Shares

WIDTH = 5


def pooled(states: Shares, classes: int) -> _native.Hyperclasses:
    """Vertex classes of a kind each, without any hyperedge, pooled by states."""
    none = np.zeros(0, dtype=np.int64)
    starts = np.zeros(2 * classes + 1, dtype=np.int64)
    layer = ((), (starts[:1], none), np.arange(classes), (starts, none, none.astype(np.float32)))
    return _native.Hyperclasses(np.arange(classes), none, none, [layer], states)


def flat_weights(kinds: Tensor, hidden: Tensor, output: Tensor) -> NDArray[np.float32]:
    """The weights of a network whose convolution keeps vertices as they are."""
    width = kinds.shape[1]
    nothing = torch.zeros(width * 5 * width + width)
    parts = [kinds, nothing, hidden, torch.ones(width), output, torch.zeros(len(output))]
    return torch.cat([each.detach().reshape(-1) for each in parts]).numpy()


def engine_for(width: int, kinds: int) -> _native.HyperclassNetwork:
    return _native.HyperclassNetwork(1, width, 2, kinds, 0, 0, residual=True)


@pytest.mark.parametrize("count", [0, 3, 40, 900])
def test_pools_and_their_gradients_equal_those_of_loops(count: int) -> None:
    rng = np.random.default_rng(count)
    owners, items = rng.integers(1, 12, count), rng.integers(0, 60, count)
    lists = shares(owners, items, (13, 60))
    values = torch.from_numpy(rng.random((60, WIDTH))).requires_grad_()
    hidden = torch.from_numpy(rng.random((WIDTH, 2 * WIDTH)))
    output = torch.from_numpy(rng.standard_normal((2, WIDTH)))
    slopes = torch.from_numpy(rng.random((13, 2)))
    means, largest = [], []
    for owner in range(13):
        rows = values[torch.from_numpy(items[owners == owner])]
        empty = torch.zeros(WIDTH, dtype=values.dtype)
        means.append(rows.mean(dim=0) if len(rows) else empty)
        # Each row once, as its copies would share the gradient.
        rows = values[torch.from_numpy(np.unique(items[owners == owner]))]
        largest.append(rows.amax(dim=0) if len(rows) else empty)
    seen = torch.cat([torch.stack(means), torch.stack(largest)], dim=1)
    expected = (seen @ hidden.T + 1.0) @ output.T
    (wanted,) = torch.autograd.grad((expected * slopes).sum() + 0 * values.sum(), values)

    classes, engine = pooled(lists, 60), engine_for(WIDTH, 60)
    weights = flat_weights(values.float(), hidden.float(), output.float())
    raw = engine.forward(weights, classes)
    np.testing.assert_allclose(raw, expected.detach().numpy(), rtol=1e-5, atol=1e-5)
    gradient = engine.gradient(weights, classes, slopes.float().numpy())
    found = gradient[: 60 * WIDTH].reshape(60, WIDTH)
    np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-5, atol=1e-5)


def test_equal_maxima_share_their_gradient() -> None:
    classes = pooled(shares(np.zeros(6, dtype=np.int64), np.arange(6), (1, 6)), 6)
    values = torch.tensor([[2.0], [1.0], [2.0], [2.0], [0.0], [2.0]])
    weights = flat_weights(values, torch.tensor([[0.0, 1.0]]), torch.tensor([[1.0], [0.0]]))
    engine = engine_for(1, 6)
    assert engine.forward(weights, classes).tolist() == [[3.0, 0.0]]
    gradient = engine.gradient(weights, classes, np.ones((1, 2), dtype=np.float32))
    assert gradient[:6].tolist() == [0.25, 0.0, 0.25, 0.25, 0.0, 0.25]


def test_classes_that_do_not_fit_are_refused() -> None:
    lists = shares(np.array([0, 0]), np.array([0, 1]), (1, 2))
    with pytest.raises(ValueError, match="unknown member"):
        pooled(lists, 1)
    classes, engine = pooled(lists, 2), engine_for(1, 1)
    with pytest.raises(ValueError, match="another network"):
        engine.forward(np.zeros(engine.num_weights, dtype=np.float32), classes)
    with pytest.raises(ValueError, match="another number of weights"):
        engine.forward(np.zeros(1, dtype=np.float32), classes)
    with pytest.raises(ValueError, match="not possible"):
        _native.HyperclassNetwork(0, 1, 1, 1, 1, 1, residual=False)
    engine = engine_for(1, 2)
    weights = np.zeros(engine.num_weights, dtype=np.float32)
    engine.forward(weights, classes)
    with pytest.raises(ValueError, match="one slope for each raw output"):
        engine.gradient(weights, classes, np.zeros((2, 2), dtype=np.float32))
