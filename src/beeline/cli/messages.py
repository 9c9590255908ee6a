"""What commands say: warnings and errors on one line each, results as text or JSON, progress.

What commands leave behind: plan files with a report, models where there is room for them.
"""

from __future__ import annotations

import math
import os
import signal
import sys
from itertools import count, takewhile
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError, ExitCode, Status, WriteError, counted, one_line
from beeline.core.files import check_output, check_replaceable
from beeline.core.limits import Clock, TimeIsUp, elapsed_time, limited_memory
from beeline.core.settings import About

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from beeline._native import SearchProgress
    from beeline.cli.command import Screen
    from beeline.core.records import Glance
    from beeline.planning.model import Model
    from beeline.planning.result import Result
    from beeline.task.ground_task import GroundTask
    from beeline.task.plan_file import Plan


SHOWN_WARNINGS = 5
OUTPUT = About("Write the plan to this file.", "PLAN", aliases=("-o",))
# What JSON objects have of a result besides what records have of it.
MORE_FIELDS = ("states", "bytes_per_state", "optimal", "interrupted", "explanation", "plan_costs")
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


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


def print_json(fields: Mapping[str, object]) -> None:
    """One JSON object on one line of standard output."""
    from json import dumps

    print(dumps(fields))


def current(kind: str, name: str, today: str) -> str:
    """The name that something has today, after a warning if it is not the one that was given."""
    if name != today:
        print_warnings([f"deprecated: the {kind} '{name}' is called '{today}' now"])
    return today


def needed(given: str | None, what: str, word: str) -> str:
    """The place that a result goes to, which must have been named."""
    if given is None:
        raise BeelineError(f"there is no {what}", hint=f"name one with -o {word}")
    return given


def table(rows: Iterable[tuple[str, object]]) -> str:
    """A line for each row, names before values."""
    return "\n".join(f"{name:<13} {value}" for name, value in rows)


def error_fields(error: BeelineError) -> dict[str, object]:
    """An error as plain values."""
    message = one_line(error.message)
    return {"file": error.file, "line": error.line, "message": message, "hint": error.hint}


class Progress:
    """How far long work is. This one keeps it to itself: nobody watches a file, or wants to.

    See `progress_of` and `beeline.cli.progress`.
    """

    def __init__(self) -> None:
        self.began = perf_counter()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def show(self, progress: SearchProgress) -> None:
        """Evaluations, their speed, the best value, queue sizes and states."""
        evaluated, seconds = progress.counters.evaluated, progress.seconds
        speed = f" ({evaluated / seconds:,.0f}/s)" if seconds > 0.05 else ""
        best = f", best h {progress.best_h:g}" if math.isfinite(progress.best_h) else ""
        queues = "+".join(f"{size:,}" for size in progress.queue_sizes)
        self.say(
            f"{seconds:.1f} s: {evaluated:,} evaluated{speed}{best}"
            f", {queues} queued, {progress.states:,} states"
        )

    def tell(self, text: str) -> None:
        """Show a text with the seconds so far, where nobody knows how many there will be."""
        self.say(f"{perf_counter() - self.began:.0f} s: {text}")

    def count(self, glance: Glance, things: str, note: str = "") -> None:
        """Show how many jobs are done, and how long the others may take."""
        failed = f"{glance.failed} failed" if glance.failed else ""
        latest = note or ("" if glance.latest.isdecimal() else glance.latest)
        words = ", ".join(filter(None, (failed, latest)))
        self.step(glance.done, glance.total, things, note=words, fresh=glance.made)

    def say(self, text: str) -> None:
        """Show any text."""

    def step(
        self,
        done: int,
        total: int,
        things: str = "",
        *,
        title: str = "",
        note: str = "",
        fresh: int = 0,
    ) -> None:
        """Show how many things are done of those of a stage, which has a title.

        A note says more. `fresh` are those that were done since the stage began; if they are not
        told, it begins with the first call.
        """

    def clear(self) -> None:
        """Take away what is shown."""


def progress_of(screen: Screen) -> Progress:
    """Progress that is shown if standard error is a terminal, and the user is not for quiet."""
    stream = sys.stderr
    if screen.quiet or stream is None or not stream.isatty():
        return Progress()
    from beeline.cli.progress import TerminalProgress

    return TerminalProgress(stream)


class PlanFiles:
    """Where plans go: to one file, or in anytime mode to numbered ones as they are found.

    A plan that cannot be written is no reason to end the search: `failure` says why.
    """

    def __init__(self, path: str | None, *, numbered: bool, force: bool) -> None:
        """Refuse places that cannot be written, or, without `force`, hold something else."""
        self._path = path
        self._numbered = numbered
        self.written: list[str] = []
        self.failure: WriteError | None = None  # of the last plan
        if path is not None:
            check_output(path)
            for file in [] if force else self._old() if numbered else [path]:
                from beeline.task.plan_file import begins_plan

                check_replaceable(file, "plan", begins_plan)

    def forget_old(self) -> None:
        """Remove numbered plans of an earlier run: they would be taken for better ones."""
        for file in self._old() if self._numbered else []:
            os.unlink(file)

    def _old(self) -> list[str]:
        """The numbered files that are there."""
        names = (f"{self._path}.{number}" for number in count(1))
        return [*takewhile(os.path.isfile, names)] if self._path else []

    def write(self, plan: Plan, _: object = None) -> None:
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
            if path not in self.written:
                self.written.append(path)


def within_limits(
    clock: Clock, memory: int | str | None, load: Callable[[], GroundTask]
) -> GroundTask | Status:
    """The task that is loaded, or the limit that ended it."""
    try:
        with clock.alarm(), limited_memory(memory):
            return load()
    except TimeIsUp:
        return Status.TIME_LIMIT
    except MemoryError:
        return Status.MEMORY_LIMIT


def search_and_show(
    screen: Screen,
    output: str | None,
    spec: Any,
    load: Callable[[], GroundTask],
    search: Callable[..., Result],
    words: Callable[[Result], str],
    *,
    unit_costs: bool,
    force: bool,
    started: Clock,
    **extra: object,
) -> int:
    """Load a task, search for plans, write and show them; the exit code.

    `spec` has the limits. `search` takes the task, and how to behave during the search; `words`
    say how it was searched. `extra` are further fields of the JSON object.
    """
    from beeline.core.limits import peak_memory
    from beeline.planning.result import Result

    plans = PlanFiles(output, numbered=spec.anytime, force=force)
    clock = Clock(spec.time_limit, spec.processor_time_limit, since=started)
    task = within_limits(clock, spec.memory_limit, load)
    if isinstance(task, Status):
        result = Result(task, spec, total_time=clock.elapsed(), peak_memory=peak_memory())
    else:
        plans.forget_old()
        with progress_of(screen) as line:
            result = search(
                task,
                progress=line.show,
                on_plan=plans.write,
                stop_signals=STOP_SIGNALS,
                since=started,
            )
    loaded = None if isinstance(task, Status) else task
    return show_result(
        screen, result, loaded, plans, search=words(result), unit_costs=unit_costs, **extra
    )


def show_result(
    screen: Screen,
    result: Result,
    task: GroundTask | None,
    plans: Any,
    *,
    search: str,
    unit_costs: bool = False,
    **extra: object,
) -> int:
    """Print a plan alone, how the search ended on standard error, and return the exit code.

    `task` is None if there was no time to ground it. `plans` has the files that were `written`, and
    the `failure` why the last plan is in none. `search` says in words how it was searched.
    """
    failure = plans.failure
    if failure is not None:
        failure.hint = "the plan is on standard output"
    warnings = [] if task is None else task.problem.warnings
    screen.warn(warnings)
    fields = {
        **result.to_json(),
        "total_time": round(elapsed_time(), 6),
        "processor_time": round(process_time(), 6),
        **{name: getattr(result, name) for name in MORE_FIELDS},
        "plan_files": plans.written,
        "unit_costs": unit_costs,
        "warnings": [str(warning) for warning in warnings],
        **extra,
        **({} if failure is None else {"error": error_fields(failure)}),
    }
    if screen.json:
        print_json(fields)
    elif result.plan is not None:
        from beeline.task.plan_file import format_plan

        print(format_plan(result.plan), end="", flush=True)
    screen.remark(lambda: _report(result, task, plans.written, search))
    if failure is not None:
        print_error(str(failure))
        return int(failure.exit_code)
    if result.interrupted and result.plan is None:
        return ExitCode.INTERRUPTED
    return result.status.exit_code


def _report(result: Result, task: GroundTask | None, files: list[str], search: str) -> str:
    """How the search ended, for people."""
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
    rows = [("status", status)]
    if result.plan is not None:
        rows.append(("plan", f"{counted(result.length or 0, 'step')}, cost {result.cost}"))
    rows += [
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
    if files:
        rows.append(("written to", ", ".join(files)))
    return table(rows)


PAGE = About("Write a page about how it went to this file; needs matplotlib and jinja2.", "FILE")


def check_page(file: str | None, *, force: bool) -> None:
    """Refuse, before the work, a page that could not be drawn or written."""
    if file is None:
        return
    from beeline.evaluate.drawing import require_libraries

    require_libraries()
    check_output(file)
    if not force:
        check_replaceable(file, "page", begins_page)


def begins_page(data: bytes) -> bool:
    """Whether these bytes, with which a file begins, are those of a page.

    >>> begins_page(b"<!DOCTYPE html>"), begins_page(b"(stack a b)")
    (True, False)
    """
    return data.lstrip()[:9].lower() == b"<!doctype"


class SavedModel:
    """A model on disk, perhaps not where it was wanted: `failure` says why, and is told."""

    @staticmethod
    def check(output: str, *, force: bool) -> None:
        """Refuse a place that cannot be written or, without `force`, holds something else."""
        check_output(output)
        if not force:
            from beeline.models.model_file import MAGIC

            check_replaceable(output, "model", lambda data: data.startswith(MAGIC))

    def __init__(self, model: Model, output: str) -> None:
        from beeline.core.files import write_somewhere
        from beeline.models.model_file import to_bytes

        self.failure: WriteError | None
        self.file, self.failure = write_somewhere(output, to_bytes(model))
        self.fields: dict[str, object] = {"model": self.file, "bytes": os.path.getsize(self.file)}
        if self.failure is not None:
            self.failure.hint = f"the model is in {self.file}"
            self.fields["error"] = error_fields(self.failure)

    def exit_code(self) -> int:
        """The exit code of the command; a failure is told before."""
        if self.failure is None:
            return 0
        print_error(str(self.failure))
        return self.failure.exit_code
