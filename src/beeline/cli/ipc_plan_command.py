"""`beeline ipc plan`: the planner of the planning competition's learning track."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.cli.ipc_learn_command import memory_option
from beeline.cli.plan_output import show_result
from beeline.cli.progress_line import ProgressLine
from beeline.cli.values import whole_number

if TYPE_CHECKING:
    from beeline.cli.ipc_parameters import Knowledge, PlanPrefix
    from beeline.cli.parameters import DomainFile, Json, MemoryLimit, Quiet, Seed, TaskFile


def run(
    knowledge: Knowledge,
    domain: DomainFile,
    task: TaskFile,
    plan: PlanPrefix,
    *,
    seed: Seed = None,
    memory_limit: MemoryLimit = None,
    json: Json = False,
    quiet: Quiet = False,
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

    memory = memory_option(memory_limit)
    ipc.use_one_core()
    line = ProgressLine(quiet=quiet)
    try:
        planned = ipc.plan(
            knowledge,
            domain,
            task,
            plan,
            seed=whole_number("--seed", seed or "0") or 0,
            memory=memory,
            progress=line.show,
        )
    finally:
        line.clear()
    return show_result(
        planned.result,
        planned.task,
        planned.files,
        search=f"by {knowledge}",
        unit_costs=False,
        json=json,
        quiet=quiet,
        extra={"knowledge": knowledge},
        failure=planned.failure,
    )
