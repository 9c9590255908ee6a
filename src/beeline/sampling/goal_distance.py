"""The cost of a cheapest plan from any state, by A* with LM-cut."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from beeline.planning.heuristics import make_evaluator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from beeline.task.ground_task import GroundTask


class GoalDistance:
    """h* of a task's states, one search for each, under limits."""

    def __init__(
        self,
        task: GroundTask,
        *,
        max_evaluations: int,
        time_limit: float,
        memory_limit: int | None = None,
    ) -> None:
        from beeline import _native

        self._task = task
        config = _native.SearchConfig()
        self._lmcut = make_evaluator("lmcut", task)  # which the configuration only points to
        config.evaluators = [self._lmcut]
        config.queues = [
            _native.QueueSpec([_native.KeySpec(alpha=1, beta=1), _native.KeySpec(alpha=0, beta=1)])
        ]
        config.reopen = True
        config.max_evaluations = max_evaluations
        config.max_seconds = time_limit
        if memory_limit is not None:
            config.max_bytes = memory_limit
        self._config = config

    def __call__(self, values: NDArray[np.int32]) -> float:
        """h* of the state with these values, infinity for a dead end, NaN at a limit."""
        from beeline import _native

        states = _native.States(self._task.native)
        state = int(states.insert(values.reshape(1, -1))[0])
        found = _native.search(states, state, self._config)
        if found.status == _native.SearchStatus.SOLVED:
            return float(found.cost)
        return math.inf if found.status == _native.SearchStatus.UNSOLVABLE else math.nan
