"""`beeline solve`: search for a plan."""

from __future__ import annotations

import os
import signal
from time import perf_counter
from typing import TYPE_CHECKING

from beeline.cli.messages import print_json, print_warnings
from beeline.cli.progress_line import ProgressLine
from beeline.cli.values import memory_size, number, whole_number
from beeline.core.alarm import TimeIsUp, alarm
from beeline.core.errors import BeelineError
from beeline.core.process import elapsed_time
from beeline.core.statuses import Status

if TYPE_CHECKING:
    from beeline.cli.parameters import (
        Alpha,
        Anytime,
        Batch,
        Beta,
        Boost,
        Bound,
        Deferred,
        DomainFile,
        GoalAtGeneration,
        HeuristicNames,
        Json,
        MaxEvaluations,
        MaxExpansions,
        MemoryLimit,
        NoReopen,
        Output,
        Preferred,
        Quiet,
        Reopen,
        Requeue,
        Search,
        Seed,
        TaskFile,
        TieBreaking,
        TimeLimit,
        UnitCosts,
        Weight,
    )
    from beeline.planning.result import Result
    from beeline.planning.specification import SearchSpec
    from beeline.task.ground_task import GroundTask


def run(
    domain: DomainFile,
    task: TaskFile,
    *,
    search: Search = "gbfs",
    heuristic: HeuristicNames = None,
    preferred: Preferred = None,
    boost: Boost = None,
    weight: Weight = None,
    alpha: Alpha = None,
    beta: Beta = None,
    tie_breaking: TieBreaking = None,
    deferred: Deferred = False,
    reopen: Reopen = False,
    no_reopen: NoReopen = False,
    requeue: Requeue = False,
    goal_at_generation: GoalAtGeneration = False,
    batch: Batch = None,
    anytime: Anytime = False,
    bound: Bound = None,
    seed: Seed = None,
    time_limit: TimeLimit = None,
    memory_limit: MemoryLimit = None,
    max_evaluations: MaxEvaluations = None,
    max_expansions: MaxExpansions = None,
    unit_costs: UnitCosts = False,
    output: Output = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Search for a plan, check it, and print it with the counters of the search.

    The exit code is 0 with a plan, 11 if there is none, 23 and 22 at a limit of time or memory,
    and 12 if the search ended otherwise. Ctrl-C and SIGTERM end a search in good order.

    Example:
      beeline solve domain.pddl task.pddl -o plan
      beeline solve domain.pddl task.pddl --search astar --heuristic lmcut --time-limit 60
      beeline solve domain.pddl task.pddl --preferred ff --anytime -o plan --json
    """
    from beeline.planning.specification import make_spec

    started = perf_counter()
    if reopen and no_reopen:
        raise BeelineError("--reopen and --no-reopen exclude each other", hint="leave one out")
    spec = make_spec(
        search,
        heuristic,
        weight=number("--weight", weight),
        alpha=number("--alpha", alpha),
        beta=number("--beta", beta),
        tie_breaking=tie_breaking,
        preferred=preferred or (),
        boost=whole_number("--boost", boost),
        deferred=deferred,
        reopen=True if reopen else False if no_reopen else None,
        requeue=requeue,
        goal_at_generation=goal_at_generation,
        batch=whole_number("--batch", batch or "1") or 0,
        anytime=anytime,
        bound=whole_number("--bound", bound),
        seed=whole_number("--seed", seed or "0") or 0,
        max_evaluations=whole_number("--max-evaluations", max_evaluations),
        max_expansions=whole_number("--max-expansions", max_expansions),
        time_limit=number("--time-limit", time_limit),
        memory_limit=memory_size("--memory-limit", memory_limit),
    )
    plans = _PlanFiles(output, numbered=anytime)
    ground_task, result = _solve(domain, task, unit_costs, spec, plans, started, quiet=quiet)
    warnings = [] if ground_task is None else ground_task.problem.warnings
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
                "plan_costs": result.plan_costs,
                "plan_files": plans.written,
                "unit_costs": unit_costs,
                "warnings": [str(warning) for warning in warnings],
            }
        )
    else:
        print(_report(result, ground_task, plans.written))
    return result.status.exit_code


def help_details() -> str:
    """The names that users choose from, for the help text."""
    from beeline.planning.heuristics import HEURISTICS
    from beeline.planning.specification import SEARCHES

    lines = ["\b", "Searches:"]
    lines += [f"  {entry.name:<11} {entry.summary}" for entry in SEARCHES.values()]
    lines += ["", "\b", "Heuristics (* never overestimates, + has preferred operators):"]
    for entry in HEURISTICS.values():
        marks = ("*" if entry.admissible else "") + ("+" if entry.preferred else "")
        lines.append(f"  {entry.name + marks:<11} {entry.summary}")
    return "\n".join(lines)


class _PlanFiles:
    """Where plans go: to one file, or in anytime mode to numbered ones as they are found."""

    def __init__(self, path: str | None, *, numbered: bool) -> None:
        self._path = path
        self._numbered = numbered
        self.written: list[str] = []
        if path is None:
            return
        folder = os.path.dirname(path) or "."
        if os.path.isdir(path) or not os.path.isdir(folder):
            raise BeelineError(
                "cannot write a plan here", path, hint="name a file in a folder that exists"
            )

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
        write_plan(path, _words(steps), cost=cost, unit_cost=_has_unit_costs(task))
        self.written.append(path)


def _solve(
    domain: str,
    task: str,
    unit_costs: bool,
    spec: SearchSpec,
    plans: _PlanFiles,
    started: float,
    *,
    quiet: bool,
) -> tuple[GroundTask | None, Result]:
    """The task, None if there was no time to ground it, and the result."""
    from beeline.planning.solve import empty_result, run
    from beeline.task.grounding import load

    try:
        with alarm(spec.time_limit):
            ground_task = load(domain, task, unit_costs=unit_costs)
    except TimeIsUp:
        return None, empty_result(Status.TIME_LIMIT, spec, perf_counter() - started)
    plans.forget_old()
    line = ProgressLine(quiet=quiet)
    result = run(
        ground_task,
        spec,
        progress=line.show,
        on_plan=lambda steps, cost: plans.write(ground_task, steps, cost),
        stop_signals=(signal.SIGINT, signal.SIGTERM),
        time_spent=perf_counter() - started,
    )
    line.clear()
    return ground_task, result


def _words(steps: list[str]) -> list[list[str]]:
    return [step[1:-1].split() for step in steps]


def _has_unit_costs(task: GroundTask) -> bool:
    return task.unit_costs or not task.problem.minimize_cost


def _report(result: Result, task: GroundTask | None, files: list[str]) -> str:
    status = result.status.value.replace("_", " ")
    if result.optimal:
        status += ", and no plan is cheaper"
    if result.interrupted:
        status += ", interrupted"
    if task is not None and task.unsolvable_reason is not None:
        status += f": {task.unsolvable_reason}"
    heuristics = f" with {', '.join(result.spec.heuristics)}" if result.spec.heuristics else ""
    speed = f" ({result.evaluated / result.search_time:,.0f}/s)" if result.search_time > 0 else ""
    rows = [
        ("status", status),
        ("search", f"{result.spec.search}{heuristics}"),
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
