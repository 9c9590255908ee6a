"""The residual network: gradients, first weights, and the same outputs without torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, mse_loss

from beeline.models.resnet.encoding import FrozenResNet, shapes
from beeline.models.resnet.network import ResNet

if TYPE_CHECKING:
    from numpy.typing import NDArray


def network(inputs: int = 7, heads: int = 3, hidden: int = 20, seed: int = 0) -> ResNet:
    made = ResNet(inputs, heads, generator=torch.Generator().manual_seed(seed), hidden=hidden)
    with torch.no_grad():  # biases that matter
        made.weights.add_(0.1 * torch.randn(made.weights.shape, generator=torch.Generator()))
    return made


def some_facts(count: int, width: int) -> torch.Tensor:
    return torch.randint(0, 2, (count, width), generator=torch.Generator()).float()


@pytest.mark.parametrize("hidden", [20, 70])
@pytest.mark.parametrize("states", [1, 16, 64, 150])
@pytest.mark.parametrize("heads", [1, 5, 66])
def test_gradients_of_the_engine_equal_those_of_torch(heads: int, states: int, hidden: int) -> None:
    made, facts = network(heads=heads, hidden=hidden), some_facts(states, 7)
    targets = some_facts(states, heads)

    def loss(raw: torch.Tensor) -> torch.Tensor:
        if heads == 1:
            return mse_loss(raw, 5.0 * targets)
        return binary_cross_entropy_with_logits(raw, targets)

    value = loss(made(facts))
    (expected,) = torch.autograd.grad(value, made.weights)
    for _ in range(2):  # they are set, not added up
        assert torch.allclose(made.set_gradients(facts, loss), value.detach(), rtol=1e-5)
        assert made.weights.grad is not None
        assert torch.allclose(made.weights.grad, expected, rtol=1e-4, atol=1e-6)
    assert expected.abs().max() > 1e-4

    def slopes(raw: NDArray[np.float32]) -> tuple[float, NDArray[np.float32]]:
        outputs = torch.from_numpy(raw).requires_grad_()
        found = loss(outputs)
        return found.item(), torch.autograd.grad(found, outputs)[0].numpy()

    with_loss = made.weights.grad.clone()
    assert made.set_gradients(facts, loss, slopes) == pytest.approx(value.item(), rel=1e-5)
    assert torch.equal(made.weights.grad, with_loss)


def test_gradients_follow_weights_that_an_optimiser_moved() -> None:
    made, facts = network(), some_facts(4, 7)
    made.set_gradients(facts, torch.sum)
    with torch.no_grad():
        made.weights.data = made.weights.data * 2.0
    made.weights.grad = None
    made.set_gradients(facts, torch.sum)
    (expected,) = torch.autograd.grad(made(facts).sum(), made.weights)
    assert made.weights.grad is not None
    assert torch.allclose(made.weights.grad, expected, rtol=1e-4)


def test_first_weights_are_those_of_he() -> None:
    made = ResNet(66, 1, generator=torch.Generator().manual_seed(3))
    named = made.named_weights()
    assert {name: array.shape for name, array in named.items()} == shapes(66, 1)
    assert named["first.weight"].std() == pytest.approx((2 / 66) ** 0.5, rel=0.05)
    assert named["block_second.weight"].std() == pytest.approx((2 / 250) ** 0.5, rel=0.02)
    assert not any(array.any() for name, array in named.items() if name.endswith("bias"))
    assert made.options() == {"hidden": 250}


def test_equal_seeds_make_equal_weights_and_leave_randomness_alone() -> None:
    before = torch.random.get_rng_state()
    first, again, other = (
        ResNet(5, 2, generator=torch.Generator().manual_seed(seed)).weights for seed in (1, 1, 2)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_outputs_begin_above_zero_for_any_seed() -> None:
    facts = some_facts(50, 30)
    for seed in range(10):
        made = ResNet(30, 1, generator=torch.Generator().manual_seed(seed), hidden=50)
        size = made.named_weights()["output.weight"].std()
        made.turn_upwards(facts)
        assert made(facts).mean() > 0
        assert made.named_weights()["output.weight"].std() == size


def test_numpy_computes_the_same_for_facts_in_another_order() -> None:
    made, facts = network(), some_facts(9, 7).numpy().astype(np.uint8)
    facts[:, 2] = 1  # always true, and input 4 always false: the task has neither
    facts[:, 4] = 0
    order = np.array([6, 0, 1, 5, 3])
    constant = np.zeros(7, dtype=np.float32)
    constant[2] = 1.0
    frozen = FrozenResNet(made.named_weights(), order, constant)
    expected = made(facts.astype(np.float32)).detach().numpy()
    assert np.allclose(frozen(facts[:, order]), expected, rtol=1e-4, atol=1e-5)
    assert frozen(facts[:1, order]).dtype == np.float32


def test_impossible_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="0 outputs"):
        shapes(3, 0)
