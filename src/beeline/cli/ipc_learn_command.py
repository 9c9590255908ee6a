"""`beeline ipc learn`: the learner of the planning competition's learning track."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from beeline.cli.messages import print_json, print_warnings
from beeline.cli.model_output import SavedModel
from beeline.cli.progress_line import ProgressLine
from beeline.cli.values import memory_size, number, whole_number
from beeline.core.errors import BeelineError
from beeline.core.process import elapsed_time

if TYPE_CHECKING:
    from beeline.cli.ipc_parameters import NewKnowledge
    from beeline.cli.parameters import (
        DomainFile,
        Json,
        LearnSeed,
        LearnTasks,
        LearnTimeLimit,
        MemoryLimit,
        Quiet,
    )
    from beeline.learning.workshop import Phase

MEMORY_VARIABLE = "BEELINE_MEMORY_LIMIT"


def run(
    knowledge: NewKnowledge,
    domain: DomainFile,
    tasks: LearnTasks = None,
    *,
    seed: LearnSeed = "0",
    time_limit: LearnTimeLimit = None,
    memory_limit: MemoryLimit = None,
    json: Json = False,
    quiet: Quiet = False,
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
    memory = memory_option(memory_limit)
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
            seed=whole_number("--seed", seed) or 0,
            time_limit=number("--time-limit", time_limit),
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


def memory_option(word: str | None) -> int | None:
    """Bytes by the option or by the environment; None if neither says anything."""
    from os import environ

    if word is not None:
        return memory_size("--memory-limit", word)
    return memory_size(MEMORY_VARIABLE, environ.get(MEMORY_VARIABLE))
