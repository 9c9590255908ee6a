"""What learning gives: a scorer, how to search with it, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os

    from beeline._native import Evaluator
    from beeline.encode.colours import BaseColours
    from beeline.learned.policy_evaluator import PolicyEvaluator
    from beeline.models.wl_linear import WLLinear, WLPolicy
    from beeline.task.ground_task import GroundTask


@dataclass(frozen=True)
class SearchStyle:
    """How `plan` searches with a model; learning chooses what suits the domain.

    >>> SearchStyle(preferred=True)
    SearchStyle(rollout=True, preferred=True, symmetry=True)
    """

    rollout: bool = True  # hill-climbing first
    preferred: bool = False  # a second queue for what the preferred operators of h_FF lead to
    symmetry: bool = True  # put off children that look like a sibling in the queue


@dataclass(frozen=True, eq=False)
class Model:
    """A learned model of one domain.

    `signature` says which domains it fits, as `beeline.pddl.signature` gives it. `summary` of the
    training holds plain values, no times or dates: equal runs give equal models to the last byte.
    `policy` is there if the loss was one of policies.
    """

    signature: dict[str, Any]
    scorer: WLLinear
    style: SearchStyle
    summary: dict[str, Any]
    seed: int
    package_version: str
    policy: WLPolicy | None = None

    @property
    def domain_name(self) -> str:
        """The name of the domain that the model was learned in."""
        return str(self.signature["name"])

    @property
    def base_colours(self) -> BaseColours:
        """What the base colours of the scorer stand for."""
        from beeline.encode.colours import ARTIFICIAL_PREDICATE, SEVERAL_TYPES, BaseColours

        types, constants = self.signature["types"], self.signature["constants"]
        kinds = (*sorted(types), SEVERAL_TYPES, *sorted(constants))
        return BaseColours(kinds, (*sorted(self.signature["predicates"]), ARTIFICIAL_PREDICATE))

    def __repr__(self) -> str:
        return (
            f"<Model {self.domain_name}: {self.scorer.num_features} features, "
            f"{self.scorer.rounds} rounds>"
        )

    def heuristic_for(self, task: GroundTask) -> Evaluator | PolicyEvaluator:
        """The score, and the policy, as a heuristic of one task, which must be of the domain."""
        from beeline.learned.domain_match import check_fits

        check_fits(self, task.problem.domain)
        if self.policy is None:
            return self.scorer.evaluator(task)
        from beeline.learned.policy_evaluator import PolicyEvaluator

        return PolicyEvaluator(self, task)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all."""
        from beeline.learned.model_file import save

        save(self, path)
