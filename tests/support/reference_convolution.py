"""Hypergraph convolutions, slow and plain: names instead of numbers, loops over operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

if TYPE_CHECKING:
    from reference_hypergraph import NamedEdge
    from torch import Tensor

    from beeline.models.hgconv.network import HypergraphConvolution
    from beeline.models.hgconv.slots import SlotWords

NOT = "not "  # before the names of negated facts


def reference_convolution(
    network: HypergraphConvolution,
    words: SlotWords,
    facts: list[str],
    goal: set[str],
    edges: list[tuple[str, NamedEdge]],
    state: set[str],
) -> Tensor:
    """The network's outputs for one state: [heads]. Edges are (action, edge) pairs."""
    residual = bool(network.options()["residual"])

    def sort(fact: str) -> int:
        predicate = fact.removeprefix(NOT).strip("()").split()[0]
        return 2 * words.predicates.index(predicate) + fact.startswith(NOT)

    def slot(action: str, role: int, place: int, fact: str) -> int:
        numbers = (np.array([number]) for number in (words.actions[action], place, sort(fact)))
        action_number, place_number, sort_number = numbers
        return int(words.slots(action_number, role, place_number, sort_number)[0])

    vertices = {
        fact: network.kinds[4 * sort(fact) + 2 * (fact in goal) + (fact in state)].relu()
        for fact in facts
    }
    for convolution in network.convolutions:
        messages = []
        for action, edge in edges:
            constant, slope = convolution.actions[:, words.actions[action]]
            total = constant + slope * np.log(1 + edge.cost)
            for role, listed in enumerate((edge.receivers, edge.senders)):
                for place, fact in enumerate(listed):
                    if fact is not None:
                        weights = convolution.slots[slot(action, role, place, fact)]
                        total = total + vertices[fact] @ weights
            messages.append(total.relu())
        renewed = {}
        for fact, vector in vertices.items():
            means, maxima = [], []
            for side in ("receivers", "senders"):
                heard = [
                    message
                    for (_, edge), message in zip(edges, messages, strict=True)
                    if fact in getattr(edge, side)
                ]
                rows = torch.stack(heard or [torch.zeros_like(vector)])
                means.append(rows.mean(dim=0))
                maxima.append(rows.amax(dim=0))
            new = convolution.vertices(torch.cat([vector, *means, *maxima])).relu()
            renewed[fact] = new + vector if residual else new
        vertices = renewed
    rows = torch.stack(list(vertices.values()))
    pooled = torch.cat([rows.mean(dim=0), rows.amax(dim=0)])
    result: Tensor = network.output(network.hidden(pooled).relu())
    return result
