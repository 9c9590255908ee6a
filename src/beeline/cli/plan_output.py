"""What `solve` and `plan` leave behind: plan files, and a report as text or JSON."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from beeline.cli.messages import error_fields, print_error, print_json, print_warnings
from beeline.core.errors import ExitCode, WriteError
from beeline.core.files import check_output
from beeline.core.process import elapsed_time

if TYPE_CHECKING:
    from collections.abc import Mapping

    from beeline.planning.result import Result
    from beeline.task.ground_task import GroundTask


class PlanFiles:
    """Where plans go: to one file, or in anytime mode to numbered ones as they are found.

    A plan that cannot be written is no reason to end the search: `failure` says why.
    """

    def __init__(self, path: str | None, *, numbered: bool) -> None:
        self._path = path
        self._numbered = numbered
        self.written: list[str] = []
        self.failure: WriteError | None = None  # of the last plan
        if path is not None:
            check_output(path)

    def forget_old(self) -> None:
        """Remove numbered plans of an earlier run: they would be taken for better ones."""
        number = 1
        while self._numbered and self._path and os.path.isfile(f"{self._path}.{number}"):
            os.unlink(f"{self._path}.{number}")
            number += 1

    def write(self, task: GroundTask, steps: list[str], cost: int) -> None:
        """Write the next plan, whole or not at all."""
        from beeline.task.plan_file import write_plan

        if self._path is None:
            return
        path = f"{self._path}.{len(self.written) + 1}" if self._numbered else self._path
        try:
            write_plan(path, _words(steps), cost=cost, unit_cost=_has_unit_costs(task))
        except WriteError as error:
            self.failure = error
        else:
            self.failure = None
            self.written.append(path)


def show_result(
    result: Result,
    task: GroundTask | None,
    files: list[str],
    *,
    search: str,
    unit_costs: bool,
    json: bool,
    quiet: bool,
    extra: Mapping[str, object] | None = None,
    failure: WriteError | None = None,
) -> int:
    """Print how a search ended and return the exit code.

    `task` is None if there was no time to ground it. `search` says in words how it was searched,
    `extra` has further fields of the JSON object. `failure` is why the plan is in no file.
    """
    if failure is not None:
        failure.hint = "the plan is on standard output"
    warnings = [] if task is None else task.problem.warnings
    if not quiet:
        print_warnings(warnings)
    if json:
        print_json(
            {
                **result.to_json(),
                "total_time": round(elapsed_time(), 6),
                "states": result.states,
                "bytes_per_state": result.bytes_per_state,
                "optimal": result.optimal,
                "interrupted": result.interrupted,
                "explanation": result.explanation,
                "plan_costs": result.plan_costs,
                "plan_files": files,
                "unit_costs": unit_costs,
                "warnings": [str(warning) for warning in warnings],
                **(extra or {}),
                **({} if failure is None else {"error": error_fields(failure)}),
            }
        )
    else:
        print(_report(result, task, files, search))
    if failure is not None:
        print_error(str(failure))
        return failure.exit_code
    if result.interrupted and result.plan is None:
        return ExitCode.INTERRUPTED
    return result.status.exit_code


def _words(steps: list[str]) -> list[list[str]]:
    return [step[1:-1].split() for step in steps]


def _has_unit_costs(task: GroundTask) -> bool:
    return task.unit_costs or not task.problem.minimize_cost


def _report(result: Result, task: GroundTask | None, files: list[str], search: str) -> str:
    status = result.status.value.replace("_", " ")
    if result.optimal:
        status += ", and no plan is cheaper"
    if result.interrupted:
        status += ", interrupted"
    if task is not None and task.unsolvable_reason is not None:
        status += f": {task.unsolvable_reason}"
    elif result.explanation is not None and result.plan is None:
        status += f": {result.explanation}"
    speed = f" ({result.evaluated / result.search_time:,.0f}/s)" if result.search_time > 0 else ""
    rows = [
        ("status", status),
        ("search", search),
        ("expanded", f"{result.expanded:,}"),
        ("evaluated", f"{result.evaluated:,}{speed}"),
        ("generated", f"{result.generated:,}"),
        ("reopened", f"{result.reopened:,}"),
        ("dead ends", f"{result.dead_ends:,}"),
        ("initial h", "none" if result.initial_h is None else f"{result.initial_h:g}"),
        ("time", f"{result.search_time:.3f} s searching, {elapsed_time():.3f} s in all"),
    ]
    if result.peak_memory is not None:
        rows.append(("memory", f"{result.peak_memory / 1024:.0f} MB"))
    if result.plan is not None:
        steps = f"{result.length} step{'' if result.length == 1 else 's'}"
        rows.insert(1, ("plan", f"{steps}, cost {result.cost}"))
    if files:
        rows.append(("written to", ", ".join(files)))
    table = "\n".join(f"{name:<13} {value}" for name, value in rows)
    return table if result.plan is None or task is None else f"{_plan_text(result, task)}\n{table}"


def _plan_text(result: Result, task: GroundTask) -> str:
    from beeline.task.plan_file import format_plan

    unit_cost = _has_unit_costs(task)
    return format_plan(_words(result.plan or []), cost=result.cost, unit_cost=unit_cost)
