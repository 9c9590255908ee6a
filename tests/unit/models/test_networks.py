"""Networks by name: equal seeds make equal weights, and nothing else is touched."""

from __future__ import annotations

import importlib.util

import pytest
import torch

from beeline.core.errors import BeelineError
from beeline.models.families import ENCODERS, NETWORKS, make_network, require_torch
from beeline.models.network import linear_layer


def test_every_network_names_an_encoder() -> None:
    assert {entry.encoder for entry in NETWORKS.values()} <= set(ENCODERS)


def test_weights_depend_on_the_seed_alone() -> None:
    randomness = torch.random.get_rng_state()
    weights = [
        torch.cat(
            [each.flatten() for each in make_network("linear", None, 2, seed=seed).parameters()]
        )
        for seed in (1, 1, 2)
    ]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])
    assert torch.equal(torch.random.get_rng_state(), randomness)


def test_layers_are_spread_as_those_of_torch() -> None:
    layer = linear_layer(100, 50, generator=torch.Generator().manual_seed(0))
    for parameter in (layer.weight, layer.bias):
        sizes = parameter.detach().abs()
        assert sizes.max().item() <= 0.1
        assert sizes.mean().item() == pytest.approx(0.05, rel=0.2)
        assert parameter.requires_grad
    assert linear_layer(2, 3, generator=torch.Generator(), bias=False).bias is None


def test_without_torch_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(BeelineError, match=r"pip install .torch>="):
        require_torch()
