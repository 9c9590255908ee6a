"""Linear regression on the four features of `beeline.models.features.encoding`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from beeline.models.network import Network, linear_layer

if TYPE_CHECKING:
    from torch import Tensor

FEATURES = 4


class LinearFeatures(Network):
    """raw = W features + b, one row of W for each head."""

    def __init__(self, vocabulary: Any, heads: int, *, generator: torch.Generator) -> None:
        super().__init__()
        self._options = {}
        self.layer = linear_layer(FEATURES, heads, generator=generator)

    def forward(self, batch: Any) -> Tensor:
        """Features float32[n, 4], an array or a tensor, to float32[n, heads]."""
        raw: Tensor = self.layer(torch.as_tensor(batch))
        return raw


NETWORK = LinearFeatures
