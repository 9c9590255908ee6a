"""AdaBelief: the steps of its paper, and what was interrupted goes on exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from torch import nn

from beeline.fitting.neural_settings import NeuralSettings
from beeline.fitting.optimisers import FlatAdaBelief, FlatAdamW, make_optimiser

if TYPE_CHECKING:
    from numpy.typing import NDArray


def by_the_paper(
    weights: NDArray[np.float64],
    gradients: list[NDArray[np.float64]],
    *,
    rate: float,
    decay: float,
    clip: float | None,
) -> NDArray[np.float64]:
    """Algorithm 2 with its default constants, line by line."""
    m, s = np.zeros_like(weights), np.zeros_like(weights)
    for t, g in enumerate(gradients, start=1):
        if clip is not None:
            g = g * min(1.0, clip / (np.sqrt((g * g).sum()) + 1e-6))
        m = 0.9 * m + 0.1 * g
        s = 0.999 * s + 0.001 * (g - m) ** 2 + 1e-16
        m_hat, s_hat = m / (1.0 - 0.9**t), s / (1.0 - 0.999**t)
        weights = weights - rate * decay * weights
        weights = weights - rate * m_hat / (np.sqrt(s_hat) + 1e-16)
    return weights


@pytest.mark.parametrize("clip", [None, 0.5])
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_steps_are_those_of_the_paper(clip: float | None, decay: float) -> None:
    random = np.random.default_rng(0)
    start = random.normal(size=5)
    gradients = [random.normal(size=5) * 10.0 ** random.uniform(-3, 1) for _ in range(40)]
    parameters = [nn.Parameter(torch.from_numpy(part).float()) for part in (start[:2], start[2:])]
    optimiser = FlatAdaBelief(
        parameters, learning_rate=1e-2, weight_decay=decay, gradient_clip=clip
    )
    for number, gradient in enumerate(gradients, start=1):
        (torch.cat(parameters) * torch.from_numpy(gradient).float()).sum().backward()
        optimiser.step(number)
        assert all(each.grad is not None and not each.grad.any() for each in parameters)
    expected = by_the_paper(start, gradients, rate=1e-2, decay=decay, clip=clip)
    found = torch.cat([each.detach() for each in parameters]).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_gradients_as_foretold_make_long_steps() -> None:
    moved = {}
    for make in (FlatAdamW, FlatAdaBelief):
        parameter = nn.Parameter(torch.zeros(1))
        optimiser = make([parameter], learning_rate=1e-3, weight_decay=0.0, gradient_clip=None)
        for number in range(1, 61):
            parameter.sum().backward()
            optimiser.step(number)
        moved[make] = -parameter.item()
    assert moved[FlatAdaBelief] > 2.0 * moved[FlatAdamW] > 0.0


def test_restored_moments_go_on_exactly() -> None:
    def run(halves: list[range]) -> torch.Tensor:
        parameter, moments = nn.Parameter(torch.ones(3)), None
        for numbers in halves:
            optimiser = FlatAdaBelief(
                [parameter], learning_rate=1e-2, weight_decay=0.0, gradient_clip=0.1
            )
            if moments is not None:
                optimiser.restore(moments)
            for number in numbers:
                (parameter**3).sum().backward()
                optimiser.step(number)
            optimiser.release()
            moments = optimiser.moments()
        return parameter.detach()

    assert torch.equal(run([range(1, 11)]), run([range(1, 5), range(5, 11)]))


@pytest.mark.parametrize(
    ("name", "kind", "decays"),
    [
        ("adamw", FlatAdamW, True),
        ("adam", FlatAdamW, False),
        ("adabelief", FlatAdaBelief, False),
    ],
)
def test_optimisers_by_name(name: str, kind: type, decays: bool) -> None:
    settings = NeuralSettings(optimiser=name, weight_decay=0.5, learning_rate=0.1)
    parameter = nn.Parameter(torch.ones(1))
    optimiser = make_optimiser(settings, [parameter])
    assert type(optimiser) is kind
    optimiser.step(1)  # without any gradient: all that weights can do is decay
    assert parameter.item() == pytest.approx(0.95 if decays else 1.0)
