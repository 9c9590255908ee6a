"""How good a network, or a heuristic, is on labelled states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

if TYPE_CHECKING:
    from torch import Tensor

    from beeline.encode.registry import Inputs
    from beeline.models.network import Network
    from beeline.training.labelled import LabelledStates
    from beeline.training.objectives import Objective

CHUNK = 1024  # states at once; bounds the memory, has no effect on the result


@torch.no_grad()
def raw_outputs(network: Network, inputs: Inputs, *, chunk: int = CHUNK) -> Tensor:
    """The raw outputs of all rows of the inputs: float32[n, heads]."""
    learning = network.training
    network.eval()
    parts = [
        network(inputs.batch(np.arange(first, min(first + chunk, len(inputs)))))
        for first in range(0, len(inputs), chunk)
    ]
    network.train(learning)
    return torch.cat(parts)


def network_metrics(network: Network, inputs: Inputs, objective: Objective) -> dict[str, float]:
    """The objective's metrics over all rows: MSE, MSE+clip, NLL, NLL+clip of distributions."""
    return objective.metrics(raw_outputs(network, inputs))


def heuristic_errors(labelled: LabelledStates) -> dict[str, float]:
    """The mean squared errors of h_FF and h_LM-cut as estimates of the targets, by name."""
    return {
        name: float(np.mean((values - labelled.target) ** 2))
        for name, values in (("ff", labelled.ff), ("lmcut", labelled.lmcut))
    }
