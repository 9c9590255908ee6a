"""The networks of a state space as a heuristic and as preferred operators, batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from beeline.core.errors import BeelineError
from beeline.encode.propositional import correspondence
from beeline.models.resnet_inference import FrozenResNet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from beeline.learned.task_model import TaskModel
    from beeline.task.ground_task import GroundTask
    from beeline.task.states import StateBatch

CERTAIN = 0.9  # outputs above are preferred operators even where another one is higher
_CERTAIN_RAW = np.float32(np.log(CERTAIN / (1.0 - CERTAIN)))
LARGEST = 1e12  # the value of a state whose network overflows: to be looked at last


class TaskEvaluator:
    """The heuristic of a model for one task; `beeline.solve` takes it as it is."""

    def __init__(self, model: TaskModel, task: GroundTask) -> None:
        from beeline.learned.domain_match import check_fits

        check_fits(model, task.problem.domain)
        self.model = model
        self._fit = correspondence(model.vocabulary, task)
        self._heuristic: FrozenResNet | None = None
        if model.heuristic is not None:
            self._heuristic = FrozenResNet(model.heuristic, self._fit.facts, self._fit.constant)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.model!r}>"

    @property
    def work(self) -> float:
        """What a state costs on a usual machine, in microseconds."""
        return 10.0 + 2e-4 * self.model.num_weights

    def evaluate(self, batch: StateBatch) -> NDArray[np.float64]:
        """Estimates of the cost-to-go, relu(raw), not rounded: float64[n]."""
        if self._heuristic is None:
            raise BeelineError(
                "the model knows preferred operators, and no heuristic",
                hint="take it for preferred operators, with another heuristic",
            )
        raw = self._heuristic(batch.states.facts(batch.ids))[:, 0].astype(np.float64)
        values: NDArray[np.float64] = np.fmin(np.maximum(raw, 0.0), LARGEST)
        return values


class PreferringEvaluator(TaskEvaluator):
    """The same with preferred operators."""

    def __init__(self, model: TaskModel, task: GroundTask) -> None:
        super().__init__(model, task)
        assert model.operators is not None
        self._operators = FrozenResNet(model.operators, self._fit.facts, self._fit.constant)

    def preferred(self, batch: StateBatch) -> list[list[int]]:
        """For each state the applicable operator with the highest output, and all above 0.9.

        A network may give its highest output to an operator that is not applicable. To look at
        applicable ones only agrees with the expansions that the literature reports; to look at
        all, and to prefer nothing in such a state, does not.
        """
        rows = []
        outputs = self._operators(batch.states.facts(batch.ids))
        for state, raw in zip(batch.ids.tolist(), outputs, strict=True):
            operators = batch.states.applicable(state)
            values = raw[self._fit.operators[operators]]
            chosen = values > _CERTAIN_RAW
            if len(values):
                chosen[values.argmax()] = True
            rows.append(operators[chosen].tolist())
        return rows
