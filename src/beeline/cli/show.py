"""`beeline show`: a plan to look at."""

from __future__ import annotations

from beeline.cli.command import Screen, command
from beeline.cli.messages import begins_page, needed
from beeline.cli.tasks import INVALID_PLAN
from beeline.core.errors import counted
from beeline.core.settings import About, values_of
from beeline.pages.show import ShowSettings


@command(
    plan=About("Plan file; by default a plan is looked for.", "PLAN"),
    settings=ShowSettings,
    output=About("Write the page to this file.", "PAGE", aliases=("-o",)),
)
def show(
    domain: str,
    task: str,
    plan: str | None = None,
    *,
    settings: ShowSettings,
    unit_costs: bool = False,
    output: str | None = None,
    force: bool = False,
    screen: Screen,
) -> int:
    """Show a plan as a page: its states as pictures, what each step changes, and how good it seems.

    The page is one HTML file that needs no network. It has the heuristics along the plan and, with
    a model, its score and why each step changes it. Where a plan was looked for, it has the tree of
    the search, and successors chosen and left. A plan that is not valid is shown as far as
    its steps apply, with the exit code 1; where no plan is found, the page shows the task, and
    exit codes are those of 'beeline solve'.

    Example:
      beeline show domain.pddl task.pddl -o page.html
      beeline show domain.pddl task.pddl plan -o page.html
      beeline show domain.pddl task.pddl --model auto -o page.html
      beeline show domain.pddl task.pddl --search astar --heuristic lmcut -o page.html
    """
    from beeline.core.files import check_output, check_replaceable
    from beeline.pages.show import show as page_of
    from beeline.task.grounding import load
    from beeline.task.plan_file import read_plan

    file = needed(output, "place for the page", "PAGE.html")
    check_output(file)
    if not force:
        check_replaceable(file, "page", begins_page)
    steps = None if plan is None else read_plan(plan)
    ground_task = load(domain, task, unit_costs=unit_costs)
    screen.warn(ground_task.problem.warnings)
    page = page_of(ground_task, steps, **values_of(settings))
    page.save(file)
    if page.warning:
        screen.warn([page.warning])
    fields = {"status": page.status.value, "page": file, "steps": page.steps}
    screen.mention(fields, f"{file}: {counted(page.steps, 'step')}")
    return INVALID_PLAN if steps is not None and page.warning else page.status.exit_code
