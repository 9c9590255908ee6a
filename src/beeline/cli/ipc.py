"""`beeline ipc`: learner and planner of the planning competition's learning track."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.cli.command import Screen, command
from beeline.cli.messages import SavedModel, print_warnings, progress_of, show_result
from beeline.core.errors import BeelineError
from beeline.core.limits import elapsed_time
from beeline.core.settings import About
from beeline.integrations.ipc import LearnerSettings, PlannerSettings

if TYPE_CHECKING:
    from collections.abc import Sequence


@command(
    knowledge=About("Write domain knowledge to DK.1, DK.2, ..., ever better.", "DK"),
    tasks=About("PDDL problem files, or folders of them.", "TASK..."),
    settings=LearnerSettings,
)
def learn(
    knowledge: str,
    domain: str,
    tasks: Sequence[str] = (),
    *,
    settings: LearnerSettings,
    screen: Screen,
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
    ipc.use_one_core()
    warnings: list[str] = []
    with progress_of(screen) as line:

        def warn(message: str) -> None:
            warnings.append(message)
            if not screen.quiet:
                line.clear()
                print_warnings([message])  # now: the end may come without notice

        learned = ipc.learn(
            knowledge,
            domain,
            tasks,
            settings,
            progress=lambda phase: line.step(phase.done, phase.total, title=phase.name),
            warn=warn,
        )
    saved = None
    if learned.model is not None and learned.failure is not None:
        saved = SavedModel(learned.model, str(learned.failure.file))
    fields = {
        **({} if saved is None else saved.fields),
        "knowledge": learned.files,
        "learned": learned.model is not None,
        **({} if learned.model is None else learned.model.summary),
        "warnings": warnings,
        "total_time": round(elapsed_time(), 6),
    }
    what = "nothing learned" if learned.model is None else "a model"
    file = learned.files[-1] if saved is None else saved.file
    screen.show(fields, f"{file}: {what}, after {elapsed_time():.0f} s")
    return 0 if saved is None else saved.exit_code()


@command(
    knowledge=About("A file of 'ipc learn', or their prefix for the last one.", "DK"),
    plan=About("Write plans to PLAN.1, PLAN.2, ..., ever cheaper.", "PLAN"),
    settings=PlannerSettings,
)
def plan(
    knowledge: str, domain: str, task: str, plan: str, *, settings: PlannerSettings, screen: Screen
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

    ipc.use_one_core()
    with progress_of(screen) as line:
        planned = ipc.plan(knowledge, domain, task, plan, settings, progress=line.show)
    words = f"by {knowledge}"
    return show_result(
        screen, planned.result, planned.task, planned.files, search=words, knowledge=knowledge
    )
