"""Heuristics with a policy, as policy-guided searches want them: values and logits.

The engine asks for the values of some states and then for the logits of the same states; one
call of `evaluate_policy` answers both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.planning.batch import ModelHeuristic, PythonHeuristic, check_values
from beeline.task.states import StateBatch

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from beeline._native import Evaluator, States
    from beeline.task.ground_task import GroundTask

    Floats = NDArray[np.float64]


def policy_evaluators(
    heuristic: PythonHeuristic | ModelHeuristic, task: GroundTask, states: States
) -> tuple[Evaluator, Evaluator]:
    """Evaluators of the values and of the logits; an error if there is no policy."""
    from beeline import _native

    source: Any = heuristic.source
    if isinstance(heuristic, ModelHeuristic):
        source = source.heuristic_for(task)
    function = getattr(source, "evaluate_policy", None)
    if not callable(function):
        raise BeelineError(
            f"heuristic '{heuristic.name}' has no policy",
            hint="take a model of 'beeline train --loss policy', or an object with"
            " evaluate_policy(batch)",
        )
    asked = _AskedOnce(function, heuristic.name, task, states)
    return (
        _native.PythonEvaluator(asked.values, None, PythonHeuristic(source).proves_dead_ends),
        _native.PythonEvaluator(asked.logits, None),
    )


class _AskedOnce:
    """The last answer of a function, to be given twice."""

    def __init__(
        self,
        function: Callable[[StateBatch], Any],
        name: str,
        task: GroundTask,
        states: States,
    ) -> None:
        self._function = function
        self._name = name
        self._task = task
        self._states = states
        self._ids: bytes | None = None
        self._logits: Floats | None = None

    def values(self, ids: NDArray[np.uint32]) -> Floats:
        """Values of the states; their logits are kept."""
        values, self._logits = self._ask(ids)
        self._ids = ids.tobytes()
        return values

    def logits(self, ids: NDArray[np.uint32]) -> Floats:
        """Logits of the states."""
        if self._logits is None or self._ids != ids.tobytes():
            self.values(ids)
        assert self._logits is not None
        return self._logits

    def _ask(self, ids: NDArray[np.uint32]) -> tuple[Floats, Floats]:
        import numpy as np

        returned = self._function(StateBatch(self._task, self._states, ids))
        try:
            values, logits = (np.asarray(each, np.float64, "C") for each in returned)
        except (TypeError, ValueError) as error:
            raise BeelineError(
                f"policy of '{self._name}' returned no two lists of numbers: {error}",
                hint="return one value and one logit per state",
            ) from error
        if values.shape != ids.shape or logits.shape != ids.shape:
            raise BeelineError(
                f"policy of '{self._name}' returned arrays of shapes {values.shape} and"
                f" {logits.shape} for {len(ids)} states",
                hint="return one value and one logit per state",
            )
        check_values(values, f"policy of '{self._name}'")
        if np.isnan(logits).any() or (logits == np.inf).any():
            raise BeelineError(
                f"policy of '{self._name}' returned a logit that is not a number",
                hint="return infinity for dead ends, and finite logits for other states",
            )
        return values, logits
