"""The optimisers by name, for the settings of a training.

AdamW with clipped gradients (Loshchilov and Hutter, "Decoupled weight decay regularization").

    m = b1 m + (1 - b1) g,  v = b2 v + (1 - b2) g²
    w = (1 - lr decay) w - lr (m / (1 - b1^t)) / (√(v / (1 - b2^t)) + eps)

The one trick: all weights lie in one vector, and so do all gradients, of which the network's
parameters are views. A step is a dozen operations however many parameters there are, which
matters where the network itself takes less than a millisecond. Without clipping all of it is one
pass over memory in the engine, with denormal numbers as zeros: the first moment of a unit that has
died would decay into them, and processors are slow there.

AdaBelief (Zhuang et al., "AdaBelief optimizer: adapting stepsizes by the belief in observed
gradients", NeurIPS 2020, algorithm 2).

    m = b1 m + (1 - b1) g,  s = b2 s + (1 - b2) (g - m)² + eps
    w = (1 - lr decay) w - lr (m / (1 - b1^t)) / (√(s / (1 - b2^t)) + eps)

Steps are long where gradients are what the moving mean foretold, and short where they are not.
All else is as in `FlatAdamW`: the weights lie in one vector, and a step is a dozen operations
however many parameters there are.

Where a training run stands, on disk: one file of plain tensors, replaced whole, in the safetensors
format, so that nothing in it is ever executed. Its header carries the run's identity: a run of
other settings is refused instead of mixed in.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from beeline import _native
from beeline.core.errors import BeelineError
from beeline.core.files import read_bytes, write_bytes_atomically

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from torch import Tensor, nn

    from beeline.fitting.neural_settings import NeuralSettings

BETAS = (0.9, 0.999)
EPSILON = 1e-8
NORM_EPSILON = 1e-6
FILE_NAME = "checkpoint.safetensors"
FORMAT_VERSION = 1
_STATE = "state"  # the only entry of the header: several would come in any order
_GROUPS = ("weights", "moments", "best_weights")  # of tensors by name
_TENSORS = ("history", "loss_sum")  # float64[validations, columns] and float64[]
_NUMBERS = ("columns", "best_step", "best_value", "loss_count", "step", "seconds")


class FlatAdamW:
    """Moves the parameters of a network into one vector, and that vector downhill.

    `loss.backward()` adds to the gradients; `step` uses them and sets them to zero. A parameter
    that the loss does not depend on has the gradient zero: it only decays.
    """

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        *,
        learning_rate: float,
        weight_decay: float,
        gradient_clip: float | None,
    ) -> None:
        self._parameters = list(parameters)
        self._learning_rate = learning_rate
        self._weight_decay = weight_decay
        self._clip = gradient_clip
        self._weights = torch.cat([each.detach().reshape(-1) for each in self._parameters])
        self._gradients = torch.zeros_like(self._weights)
        self._first = torch.zeros_like(self._weights)
        self._second = torch.zeros_like(self._weights)
        sizes = [each.numel() for each in self._parameters]
        views = [torch.split(vector, sizes) for vector in (self._weights, self._gradients)]
        for parameter, weights, gradients in zip(self._parameters, *views, strict=True):
            parameter.data = weights.view_as(parameter)
            parameter.grad = gradients.view_as(parameter)

    @torch.no_grad()
    def step(self, number: int) -> None:
        """Take step number 1, 2, ... with the gradients there are, scaled down to the clip."""
        if self._clip is None:
            self._fused_step(number)
            return
        self._clip_gradients(self._clip)
        gradients, second = self._gradients, self._second
        self._first.lerp_(gradients, 1.0 - BETAS[0])
        second.mul_(BETAS[1]).addcmul_(gradients, gradients, value=1.0 - BETAS[1])
        self._descend(number, EPSILON)

    def _clip_gradients(self, clip: float) -> None:
        norm = torch.linalg.vector_norm(self._gradients)
        self._gradients.mul_((clip / (norm + NORM_EPSILON)).clamp_(max=1.0))

    def _descend(self, number: int, epsilon: float) -> None:
        """Move the weights by the moments, and set the gradients to zero."""
        bias_first, bias_second = 1.0 - BETAS[0] ** number, 1.0 - BETAS[1] ** number
        width = self._second.sqrt().div_(bias_second**0.5).add_(epsilon)
        self._weights.mul_(1.0 - self._learning_rate * self._weight_decay)
        self._weights.addcdiv_(self._first, width, value=-self._learning_rate / bias_first)
        self._gradients.zero_()

    def _fused_step(self, number: int) -> None:
        vectors = (self._weights, self._gradients, self._first, self._second)
        weights, gradients, first, second = (each.numpy() for each in vectors)
        rates = (self._learning_rate, self._weight_decay)
        _native.adamw_step(weights, gradients, first, second, number, *rates, *BETAS, EPSILON)

    def moments(self) -> dict[str, Tensor]:
        """What it takes to go on later: the moving means of gradients and of their squares."""
        return {"first": self._first, "second": self._second}

    def restore(self, moments: dict[str, Tensor]) -> None:
        """Go on with these moments."""
        self._first.copy_(moments["first"])
        self._second.copy_(moments["second"])

    def release(self) -> None:
        """Give every parameter memory of its own again, and no gradient."""
        for parameter in self._parameters:
            parameter.data = parameter.data.clone()
            parameter.grad = None


BELIEF_EPSILON = 1e-16


class FlatAdaBelief(FlatAdamW):
    """AdaBelief, to be used like `FlatAdamW`; its second moment is that of the surprise g - m."""

    @torch.no_grad()
    def step(self, number: int) -> None:
        """Take step number 1, 2, ... with the gradients there are, scaled down to the clip."""
        if self._clip is not None:
            self._clip_gradients(self._clip)
        surprise, second = self._gradients, self._second
        self._first.lerp_(surprise, 1.0 - BETAS[0])
        surprise.sub_(self._first)
        second.mul_(BETAS[1]).addcmul_(surprise, surprise, value=1.0 - BETAS[1])
        second.add_(BELIEF_EPSILON)
        self._descend(number, BELIEF_EPSILON)


def make_optimiser(settings: NeuralSettings, parameters: Iterable[nn.Parameter]) -> FlatAdamW:
    """The optimiser of a training: Adam is AdamW without decay of weights."""
    make = FlatAdaBelief if settings.optimiser == "adabelief" else FlatAdamW
    return make(
        parameters,
        learning_rate=settings.learning_rate,
        weight_decay=settings.weight_decay if settings.optimiser == "adamw" else 0.0,
        gradient_clip=settings.gradient_clip,
    )


@dataclass
class Checkpoint:
    """A run after `step` steps, and the best weights so far.

    `history` has a row per validation; `loss_sum` adds up the losses of the `loss_count` steps
    since the last one.
    """

    columns: list[str]
    best_weights: dict[str, Tensor]
    weights: dict[str, Tensor] = field(default_factory=dict)
    moments: dict[str, Tensor] = field(default_factory=dict)  # of the optimiser
    history: Tensor = field(default_factory=partial(torch.zeros, 0, dtype=torch.float64))
    loss_sum: Tensor = field(default_factory=partial(torch.zeros, (), dtype=torch.float64))
    best_step: int = 0
    best_value: float = math.inf
    loss_count: int = 0
    step: int = 0
    seconds: float = 0.0

    def write(self, folder: Path, identity: Mapping[str, Any]) -> None:
        """Replace the checkpoint in the folder."""
        from safetensors.torch import save

        tensors = {name: getattr(self, name) for name in _TENSORS}
        for kind in _GROUPS:
            parts: dict[str, Tensor] = getattr(self, kind)
            tensors.update({f"{kind}/{name}": tensor for name, tensor in parts.items()})
        state = {
            "format_version": FORMAT_VERSION,
            "identity": dict(identity),
            **{name: getattr(self, name) for name in _NUMBERS},
        }
        # Weights are views of one vector while they are trained; the format wants them apart.
        plain = {name: tensor.detach().clone() for name, tensor in tensors.items()}
        data = save(plain, metadata={_STATE: json.dumps(state)})
        write_bytes_atomically(folder / FILE_NAME, data)


def read_checkpoint(folder: Path, identity: Mapping[str, Any]) -> Checkpoint | None:
    """The checkpoint in a folder, None if there is none; one of another run is refused."""
    path = folder / FILE_NAME
    if not path.exists():
        return None
    state, tensors = _parsed(path)
    difference = _difference(state.get("identity", {}), identity)
    if difference is not None:
        raise BeelineError(
            f"the checkpoint is one of another run: {difference}",
            str(path),
            hint="take another folder, or the settings of that run",
        )
    content: dict[str, Any] = {kind: {} for kind in _GROUPS}
    for key, tensor in tensors.items():
        kind, _, name = key.partition("/")
        if kind in _GROUPS:
            content[kind][name] = tensor
    try:
        content.update({name: tensors[name] for name in _TENSORS})
        return Checkpoint(**content, **{name: state[name] for name in _NUMBERS})
    except KeyError as error:
        raise _broken(path, f"it lacks {error}") from None


def _parsed(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    from safetensors import SafetensorError
    from safetensors.torch import load

    data = read_bytes(path, "checkpoint")
    try:
        size = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + size])
        state = json.loads(header["__metadata__"][_STATE])
        tensors = load(data)
        version = state["format_version"]
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise _broken(path, str(error)) from None
    if version != FORMAT_VERSION:
        raise _broken(path, f"it has format version {version}, not {FORMAT_VERSION}")
    return state, tensors


def _difference(here: Mapping[str, Any], wanted: Mapping[str, Any]) -> str | None:
    """The first thing that differs, in words.

    >>> _difference({"seed": 1}, {"seed": 2})
    "its 'seed' is 1, not 2"
    """
    for name in sorted({*here, *wanted}):
        mine, other = here.get(name), wanted.get(name)
        if mine != other:
            if all(isinstance(value, str) and len(value) == 64 for value in (mine, other)):
                return f"its '{name}' are others"
            return f"its '{name}' is {mine}, not {other}"
    return None


def _broken(path: Path, reason: str) -> BeelineError:
    return BeelineError(
        f"the checkpoint cannot be read: {reason[:150]}",
        str(path),
        hint="delete it to begin training anew",
    )
