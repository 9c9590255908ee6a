"""`beeline plan`: search for a plan with a learned model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from beeline.cli.command import Screen, command
from beeline.cli.messages import OUTPUT, search_and_show
from beeline.core.limits import Clock
from beeline.core.settings import About, values_of
from beeline.planning.contestants import CLASSICAL, EXPLORING, LEARNED
from beeline.planning.plan import PlanSettings, PlanSpec

if TYPE_CHECKING:
    from beeline.planning.model import Model
    from beeline.planning.result import Result
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
    force: bool = False,
    screen: Screen,
) -> int:
    """Search for a plan with a learned model, check it, and print it.

    A packaged model also fits a domain that says the same as its own in other words, and which
    words those are is told; where 'auto' finds none, it plans like `solve`. Where the model leads
    nowhere, LAMA's first search (as in `solve`) takes turns with it, so that it is never much worse
    than without a model. The plan alone goes to standard output, counters of the search to standard
    error. The exit code is 0 with a plan, 11 if there is none, 23 and 22 at a limit of time or
    memory, 31 for a model that does not fit, 32 if the plan could only be printed, and 12 if the
    search ended otherwise. Ctrl-C and SIGTERM end a search in good order.

    Example:
      beeline plan model.beeline domain.pddl task.pddl -o plan
      beeline plan auto domain.pddl task.pddl --time-limit 60 --json
      beeline plan blocksworld domain.pddl task.pddl --anytime -o plan
    """
    from beeline.models.model_file import find_fit, is_automatic, load_model
    from beeline.pddl import read_domain, read_problem
    from beeline.planning.model import NoFitError, most_written, unlike_training
    from beeline.planning.plan import plan as plan_with
    from beeline.task.grounding import MOST_OPERATORS, ground

    found: list[Model] = []
    fit = {"model": model, "words": ""}

    def load() -> GroundTask:
        """What is wrong with the model is told before the task is read."""
        loaded = None if is_automatic(model) else load_model(model)
        lifted = read_domain(domain)
        try:
            fitting = find_fit(model, lifted, loaded)
        except NoFitError as error:
            fit.update(model="", words=error.message)
        else:
            fit.update(model=fitting.name, words=fitting.words)
            found.append(fitting.model)
        problem = read_problem(lifted, task)
        if found and (words := unlike_training(found[0], problem)):
            screen.warn([words])
        most = most_written(found[0]) if found else MOST_OPERATORS
        return ground(problem, unit_costs=unit_costs, most_operators=most)

    def search(task: GroundTask, **manners: Any) -> Result:
        if found:
            return plan_with(found[0], task, **values_of(settings), **manners)
        from beeline.planning.solve import run
        from beeline.planning.specification import make_spec

        screen.warn([f"{fit['words']}: planning without a model"])
        given = values_of(settings)
        del given["fallback"]
        return run(task, make_spec(**{**given, "as_found": bool(given["as_found"])}), {}, **manners)

    return search_and_show(
        screen,
        output,
        PlanSpec(**values_of(settings)),
        load,
        search,
        lambda result: _search_words(model, fit, result),
        unit_costs=unit_costs,
        force=force,
        started=Clock(),
        model=model,
        fit=fit,
    )


def _search_words(model: str, fit: dict[str, str], result: Result) -> str:
    """Which searches ran, and why with this model if that is not plain."""
    if not fit["model"]:
        return "LAMA's first search, without a model"
    solved = {phase["search"] for phase in result.phases if phase["status"] == "solved"}
    help_words = ", exploring where its score was stuck" if EXPLORING in solved else ""
    if any(phase["search"] == CLASSICAL for phase in result.phases):
        part = "a second opinion by" if solved & {LEARNED, EXPLORING} else "the help of"
        help_words += f", with {part} classical search"
    is_plain = fit["words"] in ("", f"{model} fits")
    reason = "" if is_plain else f" (model {fit['words']})"
    return f"learned, by {model}{reason}{help_words}"
