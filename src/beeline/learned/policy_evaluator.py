"""A linear policy as a heuristic: estimates of the cost-to-go, and logits of children."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from beeline.learned.model import Model
    from beeline.task.ground_task import GroundTask
    from beeline.task.states import StateBatch

    Floats = NDArray[np.float64]


class PolicyEvaluator:
    """The heuristic and the policy of a model for one task; `beeline.solve` takes it as it is."""

    has_policy = True

    def __init__(self, model: Model, task: GroundTask) -> None:
        if model.policy is None:
            raise BeelineError(
                f"the model of {model.domain_name} has no policy",
                hint="'beeline learn --loss policy' makes one that has",
            )
        # Batches come without the parents of their states: nothing to update scores from.
        self._score = model.scorer.evaluator(task, incremental=False)
        self._logits = model.policy.logits.evaluator(task, incremental=False)
        self._intercept = model.policy.intercept
        self.proves_dead_ends = self._score.proves_dead_ends

    def evaluate(self, batch: StateBatch) -> Floats:
        """Estimates of the cost-to-go, infinity for dead ends: float64[n]."""
        return self._score.evaluate(batch.states, batch.ids) + self._intercept

    def evaluate_policy(self, batch: StateBatch) -> tuple[Floats, Floats]:
        """The estimates, and the logits of the states among their siblings: two float64[n].

        The probability of a child is the softmax of the logits over all children of its parent;
        dead ends have the logit -infinity, thus no share in it.
        """
        h = self.evaluate(batch)
        logits = self._logits.evaluate(batch.states, batch.ids)
        return h, np.where(np.isfinite(h) & np.isfinite(logits), logits, -np.inf)
