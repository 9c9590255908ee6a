"""How a neural network is trained."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from beeline.core.errors import BeelineError

OPTIMISERS = {
    "adamw": "Adam whose weights decay",
    "adam": "Adam, without decay",
    "adabelief": "AdaBelief: long steps where gradients are as foretold, without decay",
}
_POSITIVE = ("steps", "learning_rate", "gradient_clip", "validate_every", "patience", "threads")
_NOT_NEGATIVE = ("weight_decay", "checkpoint_seconds", "seed", "time_limit")
# These change how long a run takes, never what it does in a given step.
_WITHOUT_INFLUENCE = ("steps", "patience", "time_limit", "checkpoint_seconds", "tensorboard")


@dataclass(frozen=True)
class NeuralSettings:
    """The optimiser and the schedule; a run with more steps goes on with a shorter one.

    `weight_decay` belongs to AdamW alone. Gradients are scaled down to the norm `gradient_clip`,
    None for any norm. Every `validate_every` steps the validation metric
    `select` is taken, and the weights with the smallest value are kept. Training ends early after
    `patience` validations without a smaller one, None for never. `time_limit` is in seconds over
    all attempts, None for no limit.

    >>> NeuralSettings(seed=1).identity == NeuralSettings(seed=1, steps=10).identity
    True
    >>> NeuralSettings(learning_rate=-1.0)
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: learning_rate is -1.0 (hint: it must be a positive number)
    """

    steps: int = 40_000
    optimiser: str = "adamw"
    learning_rate: float = 1e-2
    weight_decay: float = 1e-2
    gradient_clip: float | None = 0.1
    validate_every: int = 100
    patience: int | None = None
    select: str = "mse"
    seed: int = 0
    threads: int = 1
    time_limit: float | None = None
    checkpoint_seconds: float = 30.0
    tensorboard: bool = True

    def __post_init__(self) -> None:
        if self.optimiser not in OPTIMISERS:
            raise BeelineError(
                f"unknown optimiser '{self.optimiser[:60]}': there are {', '.join(OPTIMISERS)}"
            )
        for name in _POSITIVE:
            value = getattr(self, name)
            optional = name in ("gradient_clip", "patience")
            if not ((optional and value is None) or (value > 0 and math.isfinite(value))):
                raise BeelineError(f"{name} is {value}", hint="it must be a positive number")
        for name in _NOT_NEGATIVE:
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise BeelineError(f"{name} is {value}", hint="it must not be negative")

    def to_json(self) -> dict[str, Any]:
        """All settings as plain values."""
        return asdict(self)

    def influence(self) -> dict[str, Any]:
        """The settings that change what happens in a given step."""
        settings = asdict(self).items()
        return {name: value for name, value in settings if name not in _WITHOUT_INFLUENCE}

    @property
    def identity(self) -> str:
        """A digest of those, the same in every process."""
        return sha256(json.dumps(self.influence(), sort_keys=True).encode()).hexdigest()
