"""The optimiser takes the very steps of torch's own, faster."""

from __future__ import annotations

from copy import deepcopy

import pytest
import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

from beeline.fitting.optimisers import FlatAdamW
from beeline.models.network import linear_layer


def small_network() -> nn.Sequential:
    generator = torch.Generator().manual_seed(0)
    return nn.Sequential(
        linear_layer(3, 5, generator=generator), nn.Tanh(), linear_layer(5, 2, generator=generator)
    )


@pytest.mark.parametrize("clip", [0.1, 1e9, None])
def test_steps_equal_those_of_torch(clip: float | None) -> None:
    network, twin = small_network(), small_network()
    ours = FlatAdamW(
        network.parameters(), learning_rate=1e-2, weight_decay=1e-1, gradient_clip=clip
    )
    theirs = torch.optim.AdamW(twin.parameters(), lr=1e-2, weight_decay=1e-1)
    inputs = torch.randn(20, 3, generator=torch.Generator().manual_seed(1))
    for number in range(1, 31):
        (network(inputs) ** 2).sum().backward()
        ours.step(number)
        theirs.zero_grad()
        (twin(inputs) ** 2).sum().backward()
        if clip is not None:
            clip_grad_norm_(list(twin.parameters()), clip)
        theirs.step()
    for mine, other in zip(network.parameters(), twin.parameters(), strict=True):
        assert torch.allclose(mine, other, rtol=1e-5, atol=1e-6)


def test_restored_moments_go_on_exactly() -> None:
    inputs = torch.ones(1, 3)

    def steps(network: nn.Module, optimiser: FlatAdamW, numbers: range) -> None:
        for number in numbers:
            network(inputs).sum().backward()
            optimiser.step(number)

    def begin(network: nn.Module) -> FlatAdamW:
        return FlatAdamW(
            network.parameters(), learning_rate=1e-2, weight_decay=0.0, gradient_clip=0.1
        )

    whole = small_network()
    steps(whole, begin(whole), range(1, 9))
    first = small_network()
    optimiser = begin(first)
    steps(first, optimiser, range(1, 5))
    optimiser.release()
    second = deepcopy(first)
    later = begin(second)
    later.restore(optimiser.moments())
    steps(second, later, range(5, 9))
    for mine, other in zip(whole.parameters(), second.parameters(), strict=True):
        assert torch.equal(mine, other)


def test_released_parameters_have_memory_of_their_own() -> None:
    network = small_network()
    before = [each.detach().clone() for each in network.parameters()]
    optimiser = FlatAdamW(
        network.parameters(), learning_rate=1e-2, weight_decay=0.0, gradient_clip=0.1
    )
    assert len({each.untyped_storage().data_ptr() for each in network.parameters()}) == 1
    optimiser.release()
    assert len({each.untyped_storage().data_ptr() for each in network.parameters()}) == 4
    for parameter, old in zip(network.parameters(), before, strict=True):
        assert torch.equal(parameter, old)
        assert parameter.grad is None


@pytest.mark.parametrize("before", [False, True])
def test_moments_of_dead_units_with_threads_that_are_there_already(before: bool) -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        torch.rand(2**20).exp()  # starts the threads
        test_moments_of_dead_units_become_zero_and_nothing_else_changes(before)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)


@pytest.mark.parametrize("before", [False, True])
def test_moments_of_dead_units_become_zero_and_nothing_else_changes(before: bool) -> None:
    network = small_network()
    optimiser = FlatAdamW(
        network.parameters(), learning_rate=1e-2, weight_decay=0.0, gradient_clip=None
    )
    (network(torch.ones(1, 3)) ** 2).sum().backward()
    torch.set_flush_denormal(before)
    try:
        for number in range(1, 1201):  # all gradients but the first are zero
            optimiser.step(number)
        halved = torch.tensor([1e-40]) * 0.5
    finally:
        torch.set_flush_denormal(False)
    assert not optimiser.moments()["first"].any()
    assert bool(halved == 0.0) is before  # the setting is as it was
