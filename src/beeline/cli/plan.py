"""`beeline plan`: search for a plan with a learned model."""

from __future__ import annotations

import signal
from time import perf_counter
from typing import TYPE_CHECKING

from beeline.cli.command import command
from beeline.cli.messages import OUTPUT, PlanFiles, ProgressLine, show_result
from beeline.core.errors import Status
from beeline.core.limits import TimeIsUp, alarm, limited_memory, peak_memory
from beeline.core.settings import About, values_of
from beeline.planning.plan import PlanSettings, PlanSpec
from beeline.planning.result import Result

if TYPE_CHECKING:
    from beeline.planning.model import Model
    from beeline.task.ground_task import GroundTask


def model_names() -> list[str]:
    """The packaged models, and the word for the one that fits."""
    from beeline.models.model_file import AUTO, packaged_names

    return [AUTO, *packaged_names()]


@command(
    settings=PlanSettings,
    model=About(
        "A model file, the name of a packaged model, or 'auto' for the one that fits.",
        "MODEL",
        names=model_names,
    ),
    output=OUTPUT,
)
def plan(
    model: str,
    domain: str,
    task: str,
    *,
    settings: PlanSettings,
    unit_costs: bool = False,
    output: str | None = None,
    json: bool = False,
    quiet: bool = False,
) -> int:
    """Search for a plan with a learned model, check it, and print it.

    Where the model leads nowhere, LAMA's first search (as in `solve`) takes turns with it, so that
    it is never much worse than without a model. The exit code is 0 with a plan, 11 if there
    is none, 23 and 22 at a limit of time or memory, 31 for a model that does not fit, 32 if the
    plan could only be printed, and 12 if the search ended otherwise. Ctrl-C and SIGTERM end a
    search in good order.

    Example:
      beeline plan model.beeline domain.pddl task.pddl -o plan
      beeline plan auto domain.pddl task.pddl --time-limit 60 --json
      beeline plan blocksworld domain.pddl task.pddl --anytime -o plan
    """
    started = perf_counter()
    plans = PlanFiles(output, numbered=settings.anytime)
    ground_task: GroundTask | None = None
    try:
        with alarm(settings.time_limit), limited_memory(settings.memory_limit):
            loaded, ground_task = _load(model, domain, task, unit_costs=unit_costs)
    except TimeIsUp:
        result = _early_end(Status.TIME_LIMIT, settings, started)
    except MemoryError:
        result = _early_end(Status.MEMORY_LIMIT, settings, started)
    else:
        result = _plan(loaded, ground_task, settings, plans, started, quiet=quiet)
    return show_result(
        result,
        ground_task,
        plans.written,
        plans.failure,
        search=_search_words(model, result),
        unit_costs=unit_costs,
        json=json,
        quiet=quiet,
        extra={"model": model},
    )


def _load(model: str, domain: str, task: str, *, unit_costs: bool) -> tuple[Model, GroundTask]:
    """Model and ground task; what is wrong with the model is told before the task is read."""
    from beeline.models.model_file import find_model, is_automatic, load_model
    from beeline.pddl import read_domain, read_problem
    from beeline.planning.model import check_fits
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
    model: Model,
    task: GroundTask,
    settings: PlanSettings,
    plans: PlanFiles,
    started: float,
    *,
    quiet: bool,
) -> Result:
    from beeline.planning.plan import plan as plan_with

    plans.forget_old()
    with ProgressLine(quiet=quiet) as line:
        return plan_with(
            model,
            task,
            **values_of(settings),
            progress=line.show,
            on_plan=lambda plan, _: plans.write(plan),
            stop_signals=(signal.SIGINT, signal.SIGTERM),
            time_spent=perf_counter() - started,
        )


def _early_end(status: Status, settings: PlanSettings, started: float) -> Result:
    spec = PlanSpec(**values_of(settings))
    return Result(status, spec, total_time=perf_counter() - started, peak_memory=peak_memory())


def _search_words(model: str, result: Result) -> str:
    """Which searches ran."""
    helpers = [f"{phase['search']}" for phase in result.phases[1:]]
    help_words = f", with the help of {' and '.join(helpers)} search" if helpers else ""
    return f"learned, by {model}{help_words}"
