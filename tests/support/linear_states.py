"""Small things to learn, and a training run in a process of its own.

Called as a program with a folder, it trains there, slowly, and prints every step that it has
validated: somebody may kill it.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from beeline.fitting.labels import LabelledStates
from beeline.fitting.neural import Trained, train
from beeline.fitting.neural_settings import NeuralSettings
from beeline.fitting.objectives import DistributionObjective
from beeline.models.families import make_network

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from beeline.fitting.neural import Progress
    from beeline.models.network import Network

WEIGHTS = np.array([0.5, 1.0, -0.25, 2.0])
SETTINGS: dict[str, Any] = {"steps": 60, "validate_every": 10, "seed": 3, "checkpoint_seconds": 0.0}


@dataclass
class ArrayInputs:
    """Features of states that exist only here."""

    features: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.features)

    def batch(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        return self.features[rows]


def linear_states(count: int, seed: int) -> tuple[ArrayInputs, LabelledStates]:
    """States whose cost is a linear function of four features, rounded, with h_FF below it."""
    generator = np.random.default_rng(seed)
    features = generator.integers(0, 6, size=(count, 4)).astype(np.float32)
    target = np.maximum(np.round(features @ WEIGHTS + 2.0), 0.0)
    lower = np.floor(target * generator.uniform(0.3, 1.0, count))
    labelled = LabelledStates(
        instances=[],
        target=target,
        lower=lower,
        upper=np.full(count, np.inf),
        residual=lower,
        ff=lower + 1.0,
        lmcut=lower,
        choices={"lower": "lmcut", "residual": "lmcut"},
        dropped={},
    )
    return ArrayInputs(features), labelled


def train_linear(
    folder: Path,
    distribution: str = "truncated-gaussian",
    *,
    progress: Progress | None = None,
    network: Network | None = None,
    **settings: Any,
) -> Trained:
    """Train a linear network in a folder."""
    train_inputs, train_states = linear_states(100, seed=1)
    val_inputs, val_states = linear_states(40, seed=2)
    objective = DistributionObjective(train_states, distribution, batch_size=32)
    chosen = NeuralSettings(**{**SETTINGS, "tensorboard": False, **settings})
    return train(
        network or make_network("linear", None, objective.heads, seed=chosen.seed),
        train_inputs,
        objective,
        val_inputs,
        DistributionObjective(val_states, distribution),
        chosen,
        folder,
        progress,
    )


def _slowly(step: int, steps: int, losses: dict[str, float]) -> None:
    sys.stdout.write(f"{step}\n")
    sys.stdout.flush()
    time.sleep(0.05)


if __name__ == "__main__":
    from pathlib import Path

    train_linear(Path(sys.argv[1]), progress=_slowly)
