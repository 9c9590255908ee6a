"""Heuristic values of many states at once, from the very evaluators that searches use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.data.schema import HEURISTICS
from beeline.planning.heuristics import make_evaluator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.task.ground_task import GroundTask

    Labels = dict[str, NDArray[np.float64]]

_WITH_RELAXED_PLAN = ("goalcount", "ff")  # by-products of the features of the relaxed plan


class Labeller:
    """All heuristics of a task, and the features of Gomoluch et al. (2017).

    The features are the goal count, h_FF, and the delete effects of the relaxed plan that h_FF
    ignores, summed and per operator.
    """

    def __init__(self, task: GroundTask) -> None:
        from beeline import _native

        self._relaxed_plans = _native.FFHeuristic(task.native)
        self._evaluators = {
            name: make_evaluator(name, task)
            for name in HEURISTICS
            if name not in _WITH_RELAXED_PLAN
        }

    def label(self, states: States, ids: NDArray[np.uint32]) -> Labels:
        """The values of each state, by column; infinity for proven dead ends."""
        labels: Labels = {
            name: evaluator.evaluate(states, ids) for name, evaluator in self._evaluators.items()
        }
        features = self._relaxed_plans.features(states, ids)
        labels["goalcount"], labels["ff"] = features[:, 0], features[:, 1]
        labels["ignored_effects"], labels["mean_ignored_effects"] = features[:, 2], features[:, 3]
        return labels
