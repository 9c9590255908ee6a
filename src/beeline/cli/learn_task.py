"""`beeline learn --per-task`: one task in, a model of its state space out."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from beeline.cli.messages import print_json, print_warnings
from beeline.cli.model_output import SavedModel
from beeline.cli.progress_line import ProgressLine
from beeline.core.errors import BeelineError
from beeline.core.process import elapsed_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from beeline.learned.task_model import TaskModel
    from beeline.learning.per_task import TaskGlance

DEFAULT_LOSS = "rank-siblings"


class OnlyForDomains(NamedTuple):
    """Options that mean something only where a whole domain is learned."""

    plans: str | None
    loss: str
    rounds: str | None
    neighbours: str | None
    h_ff: bool
    no_h_ff: bool
    memory_limit: str | None
    jobs: str | None

    def check(self) -> None:
        """Refuse those that are given.

        >>> OnlyForDomains(None, DEFAULT_LOSS, None, None, False, False, None, "2").check()
        Traceback (most recent call last):
        beeline.core.errors.BeelineError: --jobs with --per-task (hint: leave one of them out)
        """
        for name, value in self._asdict().items():
            if value not in (None, False, DEFAULT_LOSS):
                raise BeelineError(
                    f"--{name.replace('_', '-')} with --per-task", hint="leave one of them out"
                )


def learn_one_task(
    domain: str,
    tasks: Sequence[str],
    output: str,
    *,
    count: int | None,
    percent: float | None,
    seed: int,
    time_limit: float | None,
    unit_costs: bool,
    json: bool,
    quiet: bool,
) -> int:
    """Learn, write the model, say how it went; the exit code."""
    from beeline.cli.termination import advice
    from beeline.learning.per_task import learn_task
    from beeline.models.registry import require_torch
    from beeline.task.grounding import load

    if len(tasks) != 1:
        raise BeelineError(
            f"{len(tasks)} tasks with --per-task", hint="a model of this kind knows a single task"
        )
    require_torch()
    line = ProgressLine(quiet=quiet)
    warnings: list[str] = []
    try:
        with advice("there was no model yet"):
            model = learn_task(
                load(domain, tasks[0], unit_costs=unit_costs),
                count=count,
                percent=percent,
                seed=seed,
                time_limit=time_limit,
                progress=_progress(line),
                warn=warnings.append,
            )
    finally:
        line.clear()
        if not quiet:
            print_warnings(warnings)
    saved = SavedModel(model, output)
    _show(model, saved, domain, warnings, json=json)
    return saved.exit_code()


def _progress(line: ProgressLine) -> Callable[[TaskGlance], None]:
    started = perf_counter()

    def show(glance: TaskGlance) -> None:
        seconds = perf_counter() - started
        losses = ", ".join(f"{name} {value:.4g}" for name, value in glance.losses.items())
        line.say(f"{seconds:.0f} s: {glance.network}, epoch {glance.epoch:,}, {losses}")

    return show


def _show(
    model: TaskModel, saved: SavedModel, domain: str, warnings: list[str], *, json: bool
) -> None:
    from beeline.cli.task_words import training_lines

    place = saved.fields()
    if json:
        print_json(
            {
                **place,
                "networks": list(model.networks),
                "weights": model.num_weights,
                "facts": len(model.vocabulary.facts),
                "operators": len(model.vocabulary.operators),
                "training": model.summary,
                "seed": model.seed,
                "warnings": warnings,
                "total_time": round(elapsed_time(), 6),
            }
        )
        return
    print("\n".join(training_lines(model.summary)))
    print(f"{saved.file}: {place['bytes']:,} bytes, {model.num_weights:,} weights")
    print(f"next: beeline plan {saved.file} {domain} TASK, with any initial state of this task")
