"""Networks of one state space: a heuristic, preferred operators, or both.

Unlike the other models, which know a whole domain, this one knows a single task, with any initial
state. Source: Minini, "Discovering and learning preferred operators for classical planning with
neural networks" (2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    import os

    import numpy as np
    from numpy.typing import NDArray

    from beeline.encode.propositional import PropositionalVocabulary
    from beeline.learned.model import SearchStyle
    from beeline.learned.task_evaluator import TaskEvaluator
    from beeline.task.ground_task import GroundTask

    Weights = dict[str, NDArray[np.float32]]

NETWORK = "resnet"


@dataclass(frozen=True, eq=False)
class TaskModel:
    """A learned model of one state space.

    `signature` says which domains it fits, `vocabulary` which tasks. `heuristic` and `operators`
    are the weights of residual networks with `hidden` units in a layer, named as in
    `beeline.models.resnet_layout`; at least one of them is there.
    """

    signature: dict[str, Any]
    vocabulary: PropositionalVocabulary
    hidden: int
    heuristic: Weights | None
    operators: Weights | None
    summary: dict[str, Any]
    seed: int
    package_version: str

    def __post_init__(self) -> None:
        if self.heuristic is None and self.operators is None:
            raise BeelineError("a model without networks")

    @property
    def domain_name(self) -> str:
        """The name of the domain that the model was learned in."""
        return str(self.signature["name"])

    @property
    def network(self) -> str:
        """The kind of its networks."""
        return NETWORK

    @property
    def networks(self) -> dict[str, Weights]:
        """The networks that there are, by name."""
        named = {"heuristic": self.heuristic, "operators": self.operators}
        return {name: weights for name, weights in named.items() if weights is not None}

    @property
    def num_weights(self) -> int:
        """All weights of all networks."""
        return sum(array.size for each in self.networks.values() for array in each.values())

    @property
    def has_heuristic(self) -> bool:
        """Whether it can be asked for values."""
        return self.heuristic is not None

    @property
    def has_preferred(self) -> bool:
        """Whether it can be asked for preferred operators."""
        return self.operators is not None

    @property
    def style(self) -> SearchStyle:
        """How `plan` searches with it: with a second queue if it knows preferred operators."""
        from beeline.learned.model import SearchStyle

        return SearchStyle(rollout=False, preferred=self.has_preferred, symmetry=False)

    def __repr__(self) -> str:
        return (
            f"<TaskModel {self.domain_name}: {len(self.vocabulary.facts)} facts,"
            f" {' and '.join(self.networks)}>"
        )

    def heuristic_for(self, task: GroundTask) -> TaskEvaluator:
        """The model as a heuristic of one task, which must be of its state space."""
        from beeline.learned.task_evaluator import PreferringEvaluator, TaskEvaluator

        return (PreferringEvaluator if self.has_preferred else TaskEvaluator)(self, task)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all."""
        from beeline.learned.model_file import save

        save(self, path)
