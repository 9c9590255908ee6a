"""`beeline ipc`: learner and planner of the planning competition's learning track."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from beeline.cli.command import command
from beeline.cli.messages import ProgressLine, SavedModel, print_json, print_warnings, show_result
from beeline.core.errors import BeelineError
from beeline.core.limits import elapsed_time, memory_size
from beeline.core.settings import About

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.learning.workshop import Phase

MEMORY_VARIABLE = "BEELINE_MEMORY_LIMIT"


@command(
    knowledge=About("Write domain knowledge to DK.1, DK.2, ..., ever better.", "DK"),
    tasks=About("PDDL problem files, or folders of them.", "TASK..."),
    seed=About("Decides which states are drawn at random.", "N"),
    time_limit=About("Write the best model so far after this time.", "SECONDS"),
)
def learn(
    knowledge: str,
    domain: str,
    tasks: Sequence[str] = (),
    *,
    seed: int = 0,
    time_limit: float | None = None,
    memory_limit: int | str | None = None,
    json: bool = False,
    quiet: bool = False,
) -> int:
    """Learn from tasks as the planning competition asks for it: on one core, ready to be stopped.

    Better knowledge goes to a file with the next number, which appears when it is whole. DK.1 is
    there at once and makes planners search with h_FF until more is known. On SIGTERM and Ctrl-C
    the best model so far is written; the exit code is 0 then, too. It is 32 if the last model had
    to be kept elsewhere. The memory limit is that of the option, else that of the variable
    BEELINE_MEMORY_LIMIT, else what the track allows.

    Example:
      beeline ipc learn dk domain.pddl p01.pddl p02.pddl p03.pddl
      BEELINE_MEMORY_LIMIT=16G beeline ipc learn dk domain.pddl tasks
    """
    from beeline.integrations import ipc

    if not tasks:
        raise BeelineError("there are no tasks", hint="name task files, or a folder of them")
    memory = _memory(memory_limit)
    ipc.use_one_core()
    line = ProgressLine(quiet=quiet)
    started = perf_counter()
    warnings: list[str] = []

    def progress(phase: Phase) -> None:
        seconds = perf_counter() - started
        line.say(f"{seconds:.0f} s: {phase.name}, {phase.done} of {phase.total}")

    def warn(message: str) -> None:
        warnings.append(message)
        if not quiet:
            line.clear()
            print_warnings([message])  # now: the end may come without notice

    try:
        learned = ipc.learn(
            knowledge,
            domain,
            tasks,
            seed=seed,
            time_limit=time_limit,
            memory=memory,
            progress=progress,
            warn=warn,
        )
    finally:
        line.clear()
    saved = None
    if learned.model is not None and learned.failure is not None:
        saved = SavedModel(learned.model, str(learned.failure.file))
    if json:
        print_json(
            {
                **({} if saved is None else saved.fields()),
                "knowledge": learned.files,
                "learned": learned.model is not None,
                **({} if learned.model is None else learned.model.summary),
                "warnings": warnings,
                "total_time": round(elapsed_time(), 6),
            }
        )
    else:
        what = "nothing learned" if learned.model is None else "a model"
        file = learned.files[-1] if saved is None else saved.file
        print(f"{file}: {what}, after {elapsed_time():.0f} s")
    return 0 if saved is None else saved.exit_code()


@command(
    knowledge=About("A file of 'ipc learn', or their prefix for the last one.", "DK"),
    plan=About("Write plans to PLAN.1, PLAN.2, ..., ever cheaper.", "PLAN"),
    seed=About("Seed for random tie-breaking.", "N"),
)
def plan(
    knowledge: str,
    domain: str,
    task: str,
    plan: str,
    *,
    seed: int = 0,
    memory_limit: int | str | None = None,
    json: bool = False,
    quiet: bool = False,
) -> int:
    """Plan as the planning competition asks for it: on one core, ready to be stopped.

    Every plan goes to a file with the next number, which appears when it is whole; each is
    cheaper than the one before. The search ends when no plan can be cheaper, on SIGTERM and on
    Ctrl-C. The exit code is 0 with a plan and otherwise that of 'beeline plan'. The memory limit
    is that of the option, else that of the variable BEELINE_MEMORY_LIMIT, else what the track
    allows.

    Example:
      beeline ipc plan dk.7 domain.pddl task.pddl plan
      beeline ipc plan dk domain.pddl task.pddl plan --memory-limit 4G --json
    """
    from beeline.integrations import ipc

    memory = _memory(memory_limit)
    ipc.use_one_core()
    with ProgressLine(quiet=quiet) as line:
        planned = ipc.plan(
            knowledge, domain, task, plan, seed=seed, memory=memory, progress=line.show
        )
    return show_result(
        planned.result,
        planned.task,
        planned.files,
        planned.failure,
        search=f"by {knowledge}",
        unit_costs=False,
        json=json,
        quiet=quiet,
        extra={"knowledge": knowledge},
    )


def _memory(word: int | str | None) -> int | None:
    """Bytes by the option or by the environment; None if neither says anything."""
    from os import environ

    if word is not None:
        return memory_size("--memory-limit", word)
    return memory_size(MEMORY_VARIABLE, environ.get(MEMORY_VARIABLE))
