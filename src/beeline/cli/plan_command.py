"""`beeline plan`: search for a plan with a learned model."""

from __future__ import annotations

import signal
from time import perf_counter
from typing import TYPE_CHECKING

from beeline.cli.plan_output import PlanFiles, show_result
from beeline.cli.progress_line import ProgressLine
from beeline.cli.values import memory_size, number, whole_number
from beeline.core.alarm import TimeIsUp, alarm
from beeline.core.memory_limit import limited_memory
from beeline.core.statuses import Status

if TYPE_CHECKING:
    from beeline.cli.parameters import (
        Anytime,
        DomainFile,
        Json,
        MaxEvaluations,
        MaxExpansions,
        MemoryLimit,
        ModelName,
        NoFallback,
        Output,
        Quiet,
        Seed,
        TaskFile,
        TimeLimit,
        UnitCosts,
    )
    from beeline.learned.model_file import AnyModel
    from beeline.learned.plan_spec import PlanSpec
    from beeline.planning.result import Result
    from beeline.task.ground_task import GroundTask


def run(
    model: ModelName,
    domain: DomainFile,
    task: TaskFile,
    *,
    anytime: Anytime = False,
    no_fallback: NoFallback = False,
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
    """Search for a plan with a learned model, check it, and print it.

    Where the model leads nowhere, search turns to h_FF and its preferred operators for help, so
    that it is never much worse than without a model. The exit code is 0 with a plan, 11 if there
    is none, 23 and 22 at a limit of time or memory, 31 for a model that does not fit, 32 if the
    plan could only be printed, and 12 if the search ended otherwise. Ctrl-C and SIGTERM end a
    search in good order.

    Example:
      beeline plan model.beeline domain.pddl task.pddl -o plan
      beeline plan auto domain.pddl task.pddl --time-limit 60 --json
      beeline plan blocksworld domain.pddl task.pddl --anytime -o plan
    """
    from beeline.learned.model import SearchStyle
    from beeline.learned.plan_spec import PlanSpec

    started = perf_counter()
    spec = PlanSpec(  # made first, because it checks all values before anything is read
        domain="",
        style=SearchStyle(),
        fallback=not no_fallback,
        anytime=anytime,
        seed=whole_number("--seed", seed or "0") or 0,
        max_evaluations=whole_number("--max-evaluations", max_evaluations),
        max_expansions=whole_number("--max-expansions", max_expansions),
        time_limit=number("--time-limit", time_limit),
        memory_limit=memory_size("--memory-limit", memory_limit),
    )
    plans = PlanFiles(output, numbered=anytime)
    ground_task: GroundTask | None = None
    try:
        with alarm(spec.time_limit), limited_memory(spec.memory_limit):
            loaded, ground_task = _load(model, domain, task, unit_costs=unit_costs)
    except TimeIsUp:
        result = _early_end(Status.TIME_LIMIT, spec, perf_counter() - started)
    except MemoryError:
        result = _early_end(Status.MEMORY_LIMIT, spec, perf_counter() - started)
    else:
        result = _plan(loaded, ground_task, spec, plans, started, quiet=quiet)
    return show_result(
        result,
        ground_task,
        plans.written,
        search=_search_words(model, result),
        unit_costs=unit_costs,
        json=json,
        quiet=quiet,
        extra={"model": model},
        failure=plans.failure,
    )


def _load(model: str, domain: str, task: str, *, unit_costs: bool) -> tuple[AnyModel, GroundTask]:
    """Model and ground task; what is wrong with the model is told before the task is read."""
    from beeline.learned.domain_match import check_fits
    from beeline.learned.packaged import find_model, is_automatic, load_model
    from beeline.pddl import read_domain, read_problem
    from beeline.task.grounding import ground

    loaded = None if is_automatic(model) else load_model(model)
    started = perf_counter()
    lifted_domain = read_domain(domain)
    if loaded is None:
        loaded = find_model(model, lifted_domain)
    else:
        check_fits(loaded, lifted_domain, model)
    problem = read_problem(lifted_domain, task)
    parse_time = perf_counter() - started
    ground_task = ground(problem, unit_costs=unit_costs)
    ground_task.parse_time = parse_time
    return loaded, ground_task


def _plan(
    model: AnyModel,
    task: GroundTask,
    spec: PlanSpec,
    plans: PlanFiles,
    started: float,
    *,
    quiet: bool,
) -> Result:
    from beeline.learned.planner import plan

    plans.forget_old()
    line = ProgressLine(quiet=quiet)
    result = plan(
        model,
        task,
        time_limit=spec.time_limit,
        memory_limit=spec.memory_limit,
        max_evaluations=spec.max_evaluations,
        max_expansions=spec.max_expansions,
        anytime=spec.anytime,
        seed=spec.seed,
        progress=line.show,
        on_plan=lambda steps, cost: plans.write(task, steps, cost),
        fallback=spec.fallback,
        stop_signals=(signal.SIGINT, signal.SIGTERM),
        time_spent=perf_counter() - started,
    )
    line.clear()
    return result


def _early_end(status: Status, spec: PlanSpec, seconds: float) -> Result:
    from beeline.core.process import peak_memory
    from beeline.planning.result import Result

    return Result(status, spec, total_time=seconds, peak_memory=peak_memory())


def _search_words(model: str, result: Result) -> str:
    """Which searches ran."""
    helpers = [f"{phase['search']}" for phase in result.phases[1:]]
    help_words = f", with the help of {' and '.join(helpers)} search" if helpers else ""
    return f"learned, by {model}{help_words}"
