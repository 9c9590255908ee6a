"""What commands say: warnings and errors on one line each, results as text or JSON, progress.

What commands leave behind: plan files with a report, models where there is room for them.
"""

from __future__ import annotations

import math
import os
import sys
from typing import TYPE_CHECKING

from beeline.core.errors import ExitCode, WriteError, one_line
from beeline.core.files import check_output
from beeline.core.limits import elapsed_time
from beeline.core.settings import About

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from beeline._native import SearchProgress
    from beeline.core.errors import BeelineError
    from beeline.planning.model import Model
    from beeline.planning.result import Result
    from beeline.task.ground_task import GroundTask
    from beeline.task.plan_file import Plan


SHOWN_WARNINGS = 5


def print_error(message: str) -> None:
    """One line on standard error."""
    print(f"beeline: error: {one_line(message)}", file=sys.stderr)


def print_warnings(warnings: Iterable[object]) -> None:
    """A line on standard error for each of the first few warnings."""
    listed = list(warnings)
    for warning in listed[:SHOWN_WARNINGS]:
        print(f"beeline: warning: {one_line(str(warning))}", file=sys.stderr)
    if len(listed) > SHOWN_WARNINGS:
        more = len(listed) - SHOWN_WARNINGS
        print(f"beeline: warning: and {more} more (all of them: --json)", file=sys.stderr)


def current(kind: str, name: str, today: str) -> str:
    """The name that something has today, after a warning if it is not the one that was given."""
    if name != today:
        print_warnings([f"deprecated: the {kind} '{name}' is called '{today}' now"])
    return today


def print_json(fields: Mapping[str, object]) -> None:
    """One JSON object on one line of standard output."""
    from json import dumps

    print(dumps(fields))


def table(rows: Iterable[tuple[str, object]]) -> str:
    """A line for each row, names before values."""
    return "\n".join(f"{name:<13} {value}" for name, value in rows)


def error_fields(error: BeelineError) -> dict[str, object]:
    """An error as plain values."""
    return {
        "file": error.file,
        "line": error.line,
        "message": one_line(error.message),
        "hint": error.hint,
    }


def print_failure(error: BeelineError, exit_code: int, *, json: bool) -> None:
    """An error on standard error, and as a JSON object if that is what the user reads."""
    print_error(str(error))
    if json:
        print_json({"status": "error", "error": error_fields(error), "exit_code": exit_code})


class ProgressLine:
    """Rewrites its line with every glance; silent unless standard error is a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        stream = sys.stderr
        self._stream = None if quiet or stream is None or not stream.isatty() else stream
        self._width = 0

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def show(self, progress: SearchProgress) -> None:
        """Show the latest counters."""
        self.say(progress_text(progress))

    def say(self, text: str) -> None:
        """Show any text."""
        self._write(text)

    def clear(self) -> None:
        """Take the line away."""
        if self._width:
            self._write("")
            self._width = 0

    def _write(self, text: str) -> None:
        if self._stream is not None:
            padding = " " * (self._width - len(text))
            end = "" if text else "\r"
            self._stream.write(f"\r{text}{padding}{end}")
            self._stream.flush()
            self._width = len(text)


def progress_text(progress: SearchProgress) -> str:
    """Evaluations, their speed, the best value, queue sizes and states on one line."""
    evaluated, seconds = progress.counters.evaluated, progress.seconds
    speed = f" ({evaluated / seconds:,.0f}/s)" if seconds > 0.05 else ""
    best = f", best h {progress.best_h:g}" if math.isfinite(progress.best_h) else ""
    queues = "+".join(f"{size:,}" for size in progress.queue_sizes)
    return (
        f"{seconds:.1f} s: {evaluated:,} evaluated{speed}{best}"
        f", {queues} queued, {progress.states:,} states"
    )


OUTPUT = About("Write the plan to this file.", "PLAN", aliases=("-o",))


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

    def write(self, plan: Plan) -> None:
        """Write the next plan, whole or not at all."""
        from beeline.task.plan_file import write_plan

        if self._path is None:
            return
        path = f"{self._path}.{len(self.written) + 1}" if self._numbered else self._path
        try:
            write_plan(path, plan)
        except WriteError as error:
            self.failure = error
        else:
            self.failure = None
            self.written.append(path)


def show_result(
    result: Result,
    task: GroundTask | None,
    files: list[str],
    failure: WriteError | None,
    *,
    search: str,
    unit_costs: bool,
    json: bool,
    quiet: bool,
    extra: Mapping[str, object] | None = None,
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


def _report(result: Result, task: GroundTask | None, files: list[str], search: str) -> str:
    from beeline.task.plan_file import format_plan

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
    report = table(rows)
    return report if result.plan is None else f"{format_plan(result.plan)}\n{report}"


class SavedModel:
    """A model on disk, perhaps not where it was wanted."""

    def __init__(self, model: Model, output: str) -> None:
        from beeline.core.files import write_somewhere
        from beeline.models.model_file import to_bytes

        self.failure: WriteError | None
        self.file, self.failure = write_somewhere(output, to_bytes(model))
        if self.failure is not None:
            self.failure.hint = f"the model is in {self.file}"

    def fields(self) -> dict[str, object]:
        """What the JSON object of a command says of it."""
        place: dict[str, object] = {"model": self.file, "bytes": os.path.getsize(self.file)}
        return place if self.failure is None else {**place, "error": error_fields(self.failure)}

    def exit_code(self) -> int:
        """The exit code of the command; a failure is told before."""
        if self.failure is None:
            return 0
        print_error(str(self.failure))
        return self.failure.exit_code
