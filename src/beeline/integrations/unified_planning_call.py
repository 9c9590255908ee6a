"""One call of an engine of the unified-planning library: its clock, its messages, its outcome."""

from __future__ import annotations

import math
from time import perf_counter
from typing import IO, TYPE_CHECKING

from unified_planning.engines import PlanGenerationResult, PlanGenerationResultStatus
from unified_planning.engines.results import LogLevel, LogMessage
from unified_planning.exceptions import (
    UPProblemDefinitionError,
    UPTypeError,
    UPUnsupportedProblemTypeError,
)

from beeline.core.errors import Status, UnsupportedError
from beeline.core.limits import TimeIsUp, alarm, limited_memory
from beeline.integrations.unified_planning_task import WrittenProblem, beyond
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unified_planning.model import Problem

    from beeline._native import SearchProgress
    from beeline.planning.result import Result
    from beeline.task.ground_task import GroundTask

OUTCOMES = {
    Status.SOLVED: PlanGenerationResultStatus.SOLVED_SATISFICING,
    Status.UNSOLVABLE: PlanGenerationResultStatus.UNSOLVABLE_PROVEN,
    Status.INCOMPLETE: PlanGenerationResultStatus.UNSOLVABLE_INCOMPLETELY,
    Status.TIME_LIMIT: PlanGenerationResultStatus.TIMEOUT,
    Status.MEMORY_LIMIT: PlanGenerationResultStatus.MEMOUT,
}
BETWEEN_GLANCES = 1.0  # seconds


class Ended(Exception):  # noqa: N818 (an event, not an error)
    """The call ends before its search."""

    def __init__(self, result: PlanGenerationResult) -> None:
        super().__init__(result)
        self.result = result


class Call:
    """From a problem to a result, within so many seconds."""

    def __init__(
        self, engine: str, problem: Problem, timeout: float | None, stream: IO[str] | None
    ) -> None:
        self._start = perf_counter()
        self._engine = engine
        self._problem = problem
        self._timeout = timeout
        self._stream = stream
        self._next_glance = 0.0
        self.written: WrittenProblem

    def ground(self, memory_limit: int | None) -> GroundTask:
        """The ground task of the problem; the limit is in bytes of the whole process."""
        unknown = beyond(self._problem)  # engines chosen by name may ignore the library's checks
        if unknown:
            message = f"this is beyond classical planning: {', '.join(unknown)}"
            raise self._ended(PlanGenerationResultStatus.UNSUPPORTED_PROBLEM, message)
        try:
            with alarm(self._timeout), limited_memory(memory_limit):
                self.written = WrittenProblem(self._problem)
                task = ground(self.written.lifted())
        except TimeIsUp:
            raise self._ended(PlanGenerationResultStatus.TIMEOUT) from None
        except MemoryError:
            raise self._ended(PlanGenerationResultStatus.MEMOUT) from None
        except (
            UnsupportedError,
            UPProblemDefinitionError,
            UPTypeError,
            UPUnsupportedProblemTypeError,
        ) as error:
            status = PlanGenerationResultStatus.UNSUPPORTED_PROBLEM
            raise self._ended(status, str(error)) from error
        self._say(
            f"{task.num_facts:,} facts, {task.num_operators:,} operators,"
            f" {task.num_variables:,} variables"
        )
        return task

    def seconds_left(self) -> float | None:
        """What is left of the time limit; the call ends where nothing is."""
        if self._timeout is None:
            return None
        left = self._timeout - (perf_counter() - self._start)
        if left <= 0:
            raise self._ended(PlanGenerationResultStatus.TIMEOUT)
        return left

    def show(self, progress: SearchProgress) -> bool:
        """Tell how the search is doing, now and then; it goes on."""
        if self._stream is not None and perf_counter() >= self._next_glance:
            self._next_glance = perf_counter() + BETWEEN_GLANCES
            best = f", best h {progress.best_h:g}" if math.isfinite(progress.best_h) else ""
            self._say(f"{progress.seconds:.1f} s, {progress.counters.evaluated:,} evaluated{best}")
        return True

    def intermediate(self, steps: Sequence[str]) -> PlanGenerationResult:
        """A plan that may not be the last one."""
        self._say(f"a plan of {len(steps)} steps")
        status = PlanGenerationResultStatus.INTERMEDIATE
        return PlanGenerationResult(status, self.written.plan(steps), self._engine)

    def outcome(self, result: Result, *, is_proof: bool = True) -> PlanGenerationResult:
        """The last word; unless `is_proof`, the heuristic's dead ends are only its opinion."""
        if result.interrupted:
            raise KeyboardInterrupt
        status = OUTCOMES[result.status]
        # A plan is optimal with respect to a metric only.
        if result.optimal and self._problem.quality_metrics:
            status = PlanGenerationResultStatus.SOLVED_OPTIMALLY
        elif result.status is Status.UNSOLVABLE and result.dead_ends and not is_proof:
            status = PlanGenerationResultStatus.UNSOLVABLE_INCOMPLETELY
        counters = {
            "expanded": result.expanded,
            "evaluated": result.evaluated,
            "generated": result.generated,
            "search_time": result.search_time,
        }
        text = ", ".join(f"{name} {value:g}" for name, value in counters.items())
        steps = "" if result.plan is None else f", {result.length} steps of cost {result.cost}"
        self._say(f"{status.name}{steps}, {text}")
        return PlanGenerationResult(
            status,
            None if result.plan is None else self.written.plan(result.plan),
            self._engine,
            metrics={
                "engine_internal_time": str(perf_counter() - self._start),
                **{name: str(value) for name, value in counters.items()},
            },
        )

    def _ended(self, status: PlanGenerationResultStatus, message: str | None = None) -> Ended:
        self._say(status.name if message is None else f"{status.name}: {message}")
        logs = [] if message is None else [LogMessage(LogLevel.ERROR, message)]
        return Ended(PlanGenerationResult(status, None, self._engine, log_messages=logs))

    def _say(self, line: str) -> None:
        if self._stream is not None:
            self._stream.write(f"{line}\n")
