"""`beeline solve`: search for a plan."""

from __future__ import annotations

import signal
from time import perf_counter
from typing import TYPE_CHECKING

from beeline.cli.plan_output import PlanFiles, show_result
from beeline.cli.progress_line import ProgressLine
from beeline.cli.values import memory_size, number, whole_number
from beeline.core.alarm import TimeIsUp, alarm
from beeline.core.errors import BeelineError
from beeline.core.memory_limit import limited_memory
from beeline.core.statuses import Status

if TYPE_CHECKING:
    from beeline.cli.given_models import GivenModels
    from beeline.cli.parameters import (
        Alpha,
        Anytime,
        Batch,
        Beta,
        Boost,
        Bound,
        Deferred,
        DomainFile,
        Estimate,
        GoalAtGeneration,
        HeuristicNames,
        Json,
        MaxEvaluations,
        MaxExpansions,
        MemoryLimit,
        NoReopen,
        Output,
        Preferred,
        Quantile,
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
    estimate: Estimate = None,
    quantile: Quantile = None,
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
    32 if the plan could only be printed, and 12 if the search ended otherwise. Ctrl-C and SIGTERM
    end a search in good order.

    Example:
      beeline solve domain.pddl task.pddl -o plan
      beeline solve domain.pddl task.pddl --search astar --heuristic lmcut --time-limit 60
      beeline solve domain.pddl task.pddl --preferred ff --anytime -o plan --json
      beeline solve domain.pddl task.pddl --heuristic model.beeline --estimate mean
      beeline solve domain.pddl task.pddl --heuristic m.beeline --preferred m.beeline --boost 1000
    """
    from beeline.cli.given_models import GivenModels
    from beeline.planning.specification import make_spec

    started = perf_counter()
    if reopen and no_reopen:
        raise BeelineError("--reopen and --no-reopen exclude each other", hint="leave one out")
    models = GivenModels(heuristic, estimate, number("--quantile", quantile), preferred)
    spec = make_spec(
        search,
        models.names,
        weight=number("--weight", weight),
        alpha=number("--alpha", alpha),
        beta=number("--beta", beta),
        tie_breaking=tie_breaking,
        preferred=models.preferred,
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
    plans = PlanFiles(output, numbered=anytime)
    ground_task, result = _solve(
        domain, task, unit_costs, spec, models, plans, started, quiet=quiet
    )
    heuristics = f" with {', '.join(spec.heuristics)}" if spec.heuristics else ""
    return show_result(
        result,
        ground_task,
        plans.written,
        search=f"{spec.search}{heuristics}",
        unit_costs=unit_costs,
        json=json,
        quiet=quiet,
        failure=plans.failure,
    )


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
    lines.append("  MODEL.beeline  a learned model of the domain, from its file")
    return "\n".join(lines)


def _solve(
    domain: str,
    task: str,
    unit_costs: bool,
    spec: SearchSpec,
    models: GivenModels,
    plans: PlanFiles,
    started: float,
    *,
    quiet: bool,
) -> tuple[GroundTask | None, Result]:
    """The task, None if a limit kept it from being grounded, and the result."""
    from beeline.planning.solve import empty_result, run

    status = None
    try:
        with alarm(spec.time_limit), limited_memory(spec.memory_limit):
            ground_task = models.load_task(domain, task, unit_costs=unit_costs)
    except TimeIsUp:
        status = Status.TIME_LIMIT
    except MemoryError:
        status = Status.MEMORY_LIMIT
    if status is not None:
        return None, empty_result(status, spec, perf_counter() - started)
    plans.forget_old()
    line = ProgressLine(quiet=quiet)
    result = run(
        ground_task,
        spec,
        models.heuristics,
        progress=line.show,
        on_plan=lambda steps, cost: plans.write(ground_task, steps, cost),
        stop_signals=(signal.SIGINT, signal.SIGTERM),
        time_spent=perf_counter() - started,
    )
    line.clear()
    return ground_task, result
