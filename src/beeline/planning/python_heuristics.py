"""Heuristics written in Python: functions from batches of states to values.

The engine collects all new successors of an expansion (or of several, with `batch=`) and calls
the function once for all of them.

Heuristics with a policy, as policy-guided searches want them: values and logits.

The engine asks for the values of some states and then for the logits of the same states; one
call of `evaluate_policy` answers both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from beeline.core.errors import BeelineError
from beeline.task.states import StateBatch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from beeline._native import Evaluator, States
    from beeline.planning.model import Gaussian
    from beeline.task.ground_task import GroundTask

    HeuristicFunction = Callable[["StateBatch"], Any]
    Floats = NDArray[np.float64]


PYTHON = "python:"  # how names of heuristics that are not in the registry begin
MODEL = "model:"  # the same for learned models
LARGEST_VALUE = 2.0**53  # of a heuristic; from here on sums with costs are no longer exact


@runtime_checkable
class Heuristic(Protocol):
    """An object that can be given where a heuristic is wanted, like a plain function.

    `evaluate` returns one float per state of the batch, infinity for a dead end. A second method,
    `preferred(batch)`, may return for each state the numbers of its preferred operators. An
    attribute `proves_dead_ends = True` vouches that infinity is never wrong; without it a search
    that finds nothing else to do ends as incomplete, not as unsolvable. `gaussian(states)` may
    give what `planning.model.Gaussian` describes, for anytime search.
    """

    def evaluate(self, batch: StateBatch) -> Any:
        """One float per state."""


@runtime_checkable
class TaskHeuristics(Protocol):
    """An object, such as a learned model, that has a heuristic for every task of a domain."""

    def heuristic_for(self, task: GroundTask) -> Heuristic | Evaluator:
        """The heuristic for this task; an error if the task is of another domain."""


class PythonHeuristic:
    """A user's function or object, with the checks between it and the engine."""

    def __init__(self, source: HeuristicFunction | Heuristic) -> None:
        self.source = source
        function = getattr(source, "evaluate", source)
        if not callable(function):
            raise BeelineError(
                f"{source!r} is not a heuristic",
                hint="give a name, a function of a batch, or an object with evaluate(batch)",
            )
        self._function: HeuristicFunction = function
        preferred = getattr(source, "preferred", None)
        self._preferred = preferred if callable(preferred) else None
        self.proves_dead_ends = getattr(source, "proves_dead_ends", False) is True
        label = getattr(source, "__name__", None) or type(source).__name__
        self.name = f"{PYTHON}{label}"

    @property
    def has_preferred(self) -> bool:
        """Whether the object has preferred operators."""
        return self._preferred is not None

    def evaluator(self, task: GroundTask, states: States) -> Evaluator:
        """The heuristic as the engine wants it."""
        from beeline import _native

        evaluate, preferred = self.bind(task, states)
        return _native.PythonEvaluator(evaluate, preferred, self.proves_dead_ends)

    def gaussian(self, task: GroundTask, states: States) -> Gaussian | None:
        """The distribution behind its values, if there is one."""
        return _gaussian_of(self.source, states)

    def bind(
        self, task: GroundTask, states: States
    ) -> tuple[Callable[..., Any], Callable[[int], Sequence[int]] | None]:
        """Functions over state numbers, as the engine wants them."""
        import numpy as np

        function, name = self._function, self.name

        def evaluate(ids: NDArray[np.uint32]) -> NDArray[np.float64]:
            returned = function(StateBatch(task, states, ids))
            try:
                values = np.asarray(returned, np.float64, "C")
            except (TypeError, ValueError) as error:
                raise BeelineError(
                    f"heuristic '{name}' returned no list of numbers: {error}",
                    hint="return one float per state",
                ) from error
            if values.shape != ids.shape:
                raise BeelineError(
                    f"heuristic '{name}' returned an array of shape {values.shape}"
                    f" for {len(ids)} states",
                    hint="return one float per state",
                )
            # Quick where all is well; NaN is not below anything.
            if len(values) and not np.abs(values).max() < LARGEST_VALUE:
                check_values(values, f"heuristic '{name}'")
            return values

        return evaluate, self._bind_preferred(task, states)

    def _bind_preferred(
        self, task: GroundTask, states: States
    ) -> Callable[[int], Sequence[int]] | None:
        if self._preferred is None:
            return None
        import numpy as np

        function, name, count = self._preferred, self.name, task.num_operators

        def preferred(state: int) -> list[int]:
            rows = list(function(StateBatch(task, states, np.array([state], dtype=np.uint32))))
            if len(rows) != 1:
                raise BeelineError(
                    f"heuristic '{name}' returned {len(rows)} lists of preferred operators"
                    " for 1 state",
                    hint="return one list of operator numbers per state",
                )
            operators = [int(number) for number in rows[0]]
            if any(not 0 <= number < count for number in operators):
                raise BeelineError(
                    f"heuristic '{name}' prefers an operator that does not exist",
                    hint=f"operators have the numbers 0 to {count - 1}",
                )
            return operators

        return preferred


def check_values(values: NDArray[np.float64], whose: str) -> None:
    """Refuse values that are no estimates: NaN, minus infinity, and what is absurdly large.

    >>> import numpy as np
    >>> check_values(np.array([3.0, np.inf]), "heuristic 'h'")
    >>> check_values(np.array([3.0, 2.0**64 - 5]), "heuristic 'h'")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: heuristic 'h' returned 1.8446744073709552e+19, which is
    beyond 2**53 (hint: return infinity for dead ends; unsigned integers wrap round below zero)
    """
    import numpy as np

    if np.isnan(values).any():
        raise BeelineError(
            f"{whose} returned a value that is not a number (NaN)",
            hint="return infinity for dead ends",
        )
    absurd = values[(np.abs(values) > LARGEST_VALUE) & (values != np.inf)]
    if len(absurd):
        raise BeelineError(
            f"{whose} returned {absurd[0]}, which is beyond 2**53",
            hint="return infinity for dead ends; unsigned integers wrap round below zero",
        )


class ModelHeuristic:
    """A learned model under a name; it becomes a heuristic when the task is known."""

    def __init__(self, source: TaskHeuristics, name: str | None = None) -> None:
        self.source = source
        self.name = f"{MODEL}{name or getattr(source, 'domain_name', type(source).__name__)}"
        self.has_preferred = bool(getattr(source, "has_preferred", False))

    def evaluator(self, task: GroundTask, states: States) -> Evaluator:
        """The heuristic as the engine wants it, new for every search: it may remember states."""
        from beeline import _native

        heuristic = self.source.heuristic_for(task)
        if isinstance(heuristic, _native.Evaluator):
            return heuristic
        bound = PythonHeuristic(heuristic)
        bound.name = self.name
        return bound.evaluator(task, states)

    def gaussian(self, task: GroundTask, states: States) -> Gaussian | None:
        """The distribution behind its values, if there is one."""
        return _gaussian_of(self.source.heuristic_for(task), states)


def _gaussian_of(heuristic: object, states: States) -> Gaussian | None:
    function = getattr(heuristic, "gaussian", None)
    found: Gaussian | None = function(states) if callable(function) else None
    return found


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
