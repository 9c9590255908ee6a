"""The optimisers by name, for the settings of a training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from beeline.training.flat_adabelief import FlatAdaBelief
from beeline.training.flat_adamw import FlatAdamW

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor, nn

    from beeline.training.neural_settings import NeuralSettings


class Optimiser(Protocol):
    """Takes steps, and can be stopped between any two of them."""

    def step(self, number: int) -> None:
        """Take step number 1, 2, ... with the gradients there are, and set these to zero."""

    def moments(self) -> dict[str, Tensor]:
        """What it takes to go on later."""

    def restore(self, moments: dict[str, Tensor]) -> None:
        """Go on with these moments."""

    def release(self) -> None:
        """Give every parameter memory of its own again, and no gradient."""


def make_optimiser(settings: NeuralSettings, parameters: Iterable[nn.Parameter]) -> Optimiser:
    """The optimiser of a training: Adam is AdamW without decay of weights."""
    make = FlatAdaBelief if settings.optimiser == "adabelief" else FlatAdamW
    return make(
        parameters,
        learning_rate=settings.learning_rate,
        weight_decay=settings.weight_decay if settings.optimiser == "adamw" else 0.0,
        gradient_clip=settings.gradient_clip,
    )
