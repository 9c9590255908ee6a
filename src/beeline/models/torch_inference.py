"""Trained networks in torch, for scoring states only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from beeline.models.registry import make_network

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray


def frozen_network(
    name: str,
    vocabulary: Any,
    heads: int,
    options: Mapping[str, Any],
    weights: Mapping[str, NDArray[np.float32]],
) -> Callable[[Any], NDArray[np.float32]]:
    """A network with these weights: batches of inputs to raw outputs float32[n, heads].

    >>> import numpy as np
    >>> ones = {"layer.weight": np.ones((1, 4), np.float32), "layer.bias": np.ones(1, np.float32)}
    >>> network = frozen_network("linear", None, 1, {}, ones)
    >>> network(np.ones((2, 4), np.float32)).tolist()
    [[5.0], [5.0]]
    """
    network = make_network(name, vocabulary, heads, seed=0, **options)
    network.load_state_dict({key: torch.from_numpy(array) for key, array in weights.items()})
    network.requires_grad_(requires_grad=False).eval()

    def score(batch: Any) -> NDArray[np.float32]:
        with torch.inference_mode():
            raw: NDArray[np.float32] = network(batch).numpy()
        return raw

    return score
