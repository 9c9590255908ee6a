"""Heuristics written in Python: functions from batches of states to values.

The engine collects all new successors of an expansion (or of several, with `batch=`) and calls
the function once for all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from beeline._native import Evaluator, States
    from beeline.task.ground_task import GroundTask

    HeuristicFunction = Callable[["StateBatch"], Any]

PYTHON = "python:"  # how names of heuristics that are not in the registry begin
MODEL = "model:"  # the same for learned models


@runtime_checkable
class Heuristic(Protocol):
    """An object that can be given where a heuristic is wanted, like a plain function.

    `evaluate` returns one float per state of the batch, infinity for a proven dead end. A second
    method, `preferred(batch)`, may return for each state the numbers of its preferred operators.
    """

    def evaluate(self, batch: StateBatch) -> Any:
        """One float per state."""


@runtime_checkable
class TaskHeuristics(Protocol):
    """An object, such as a learned model, that has a heuristic for every task of a domain."""

    def heuristic_for(self, task: GroundTask) -> Heuristic | Evaluator:
        """The heuristic for this task; an error if the task is of another domain."""


class StateBatch:
    """Some states of a task, as arrays; computed when they are asked for, and kept."""

    # A search makes one batch per expansion: slots and plain properties are the fastest way.
    __slots__ = ("_facts", "_states", "_true_facts", "_values", "ids", "task")

    def __init__(self, task: GroundTask, states: States, ids: NDArray[np.uint32]) -> None:
        self.task = task
        self.ids = ids  # uint32[n], numbers of the states within this search
        self._states = states
        self._values: NDArray[np.int32] | None = None
        self._facts: NDArray[np.uint8] | None = None
        self._true_facts: tuple[NDArray[np.int64], NDArray[np.int32]] | None = None

    def __len__(self) -> int:
        return int(self.ids.shape[0])

    def __repr__(self) -> str:
        return f"<StateBatch of {len(self)} states>"

    @property
    def states(self) -> States:
        """The states of the whole search, by number."""
        return self._states

    @property
    def values(self) -> NDArray[np.int32]:
        """The value of each variable: int32[n, variables]."""
        if self._values is None:
            self._values = self._states.values(self.ids)
        return self._values

    def values_of(self, variables: NDArray[np.int32]) -> NDArray[np.int32]:
        """The value of some variables only, which is quicker: int32[n, len(variables)]."""
        return self._states.values(self.ids, variables)

    @property
    def facts(self) -> NDArray[np.uint8]:
        """Which facts are true, 0 or 1: uint8[n, facts]."""
        if self._facts is None:
            self._facts = self._states.facts(self.ids)
        return self._facts

    @property
    def true_facts(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The true facts of each state: those of state `i` are `items[starts[i]:starts[i+1]]`."""
        if self._true_facts is None:
            self._true_facts = self._states.true_facts(self.ids)
        return self._true_facts


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
        label = getattr(source, "__name__", None) or type(source).__name__
        self.name = f"{PYTHON}{label}"

    @property
    def has_preferred(self) -> bool:
        """Whether the object has preferred operators."""
        return self._preferred is not None

    def evaluator(self, task: GroundTask, states: States) -> Evaluator:
        """The heuristic as the engine wants it."""
        from beeline import _native

        return _native.PythonEvaluator(*self.bind(task, states))

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
            # A sum of squares is NaN only where a value is.
            if (check := values.dot(values)) != check:
                raise BeelineError(
                    f"heuristic '{name}' returned a value that is not a number (NaN)",
                    hint="return infinity for dead ends",
                )
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
