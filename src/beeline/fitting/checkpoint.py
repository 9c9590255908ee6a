"""Where a training run stands, on disk: one file of plain tensors, replaced whole.

The file is in the safetensors format: nothing in it is ever executed. Its header carries the
run's identity, so that a run of other settings is refused instead of mixed in.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from beeline.core.errors import BeelineError
from beeline.core.files import read_bytes, write_bytes_atomically

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor

FILE_NAME = "checkpoint.safetensors"
FORMAT_VERSION = 1
_STATE = "state"  # the only entry of the header: several would come in any order
_GROUPS = ("weights", "moments", "best_weights")  # of tensors by name
_TENSORS = ("history", "loss_sum")  # float64[validations, columns] and float64[]
_NUMBERS = ("columns", "best_step", "best_value", "loss_count", "step", "seconds")


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
