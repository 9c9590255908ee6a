"""Four numbers per state: the features of Gomoluch, Alrajeh, Russo and Bucchiarone, "Towards
learning domain-independent planning heuristics" (2017).

They are the goal count, h_FF, and the delete effects that the relaxed plan of h_FF ignores,
summed and per operator. In a dataset they are columns; in a search the engine computes them from
the same relaxed plans.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from beeline.models.families import require_options, vocabulary_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.data.instances import InstanceStates
    from beeline.models.families import Scorer, Shapes
    from beeline.models.neural_model import NeuralModel
    from beeline.pddl.model import Domain
    from beeline.task.ground_task import GroundTask

FEATURES = ("goalcount", "ff", "ignored_effects", "mean_ignored_effects")


@dataclass(frozen=True)
class GomoluchVocabulary:
    """The features by name; they are the same in all domains."""

    features: tuple[str, ...] = FEATURES

    def to_json(self) -> dict[str, Any]:
        """The vocabulary as plain values.

        >>> GomoluchVocabulary.from_json(GomoluchVocabulary().to_json()) == GomoluchVocabulary()
        True
        """
        return {"features": list(self.features)}

    @staticmethod
    def from_json(content: dict[str, Any]) -> GomoluchVocabulary:
        """The vocabulary that `to_json` wrote."""
        return GomoluchVocabulary(tuple(content["features"]))


class GomoluchInputs:
    """The features of the labelled states of a dataset."""

    def __init__(self, _: GomoluchVocabulary, instances: Sequence[InstanceStates]) -> None:
        self._features = np.concatenate(
            [np.stack([each.features[name] for name in FEATURES], axis=1) for each in instances]
        ).astype(np.float32)

    def __len__(self) -> int:
        return len(self._features)

    def batch(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The features of these rows: float32[n, 4]."""
        return self._features[rows]


class GomoluchSearchInputs:
    """The features of registered states of one task."""

    def __init__(self, _: GomoluchVocabulary, task: GroundTask, states: States) -> None:
        from beeline import _native

        self._relaxed_plans = _native.FFHeuristic(task.native)
        self._states = states

    def batch(self, ids: NDArray[np.uint32]) -> NDArray[np.float32]:
        """The features of these states: float32[n, 4]; infinite for proven dead ends."""
        return self._relaxed_plans.features(self._states, ids).astype(np.float32)


def vocabulary(domain: Domain) -> GomoluchVocabulary:
    """The vocabulary, which does not depend on the domain."""
    return GomoluchVocabulary()


vocabulary_from_json = GomoluchVocabulary.from_json
dataset_inputs = GomoluchInputs
search_inputs = GomoluchSearchInputs


def shapes(model: NeuralModel) -> Shapes:
    """The shapes of the weights by name; an error of any kind if the sizes make no sense."""
    require_options(model)
    features = len(vocabulary_of(model).features)
    heads = model.distribution.heads
    return {"layer.weight": (heads, features), "layer.bias": (heads,)}


def bind(model: NeuralModel, task: GroundTask, states: States) -> Scorer:
    """The network, ready for the states of one search."""
    inputs = search_inputs(vocabulary_of(model), task, states)
    matrix = model.weights["layer.weight"].T.copy()
    bias = model.weights["layer.bias"]

    def score(ids: NDArray[np.uint32]) -> NDArray[np.float32]:
        with np.errstate(invalid="ignore"):  # infinite features of dead ends
            raw: NDArray[np.float32] = inputs.batch(ids) @ matrix + bias
        return raw

    return score


def work(task: GroundTask) -> float:
    """What a state costs on a usual machine, in microseconds."""
    return 10.0 + 0.02 * task.num_operators
