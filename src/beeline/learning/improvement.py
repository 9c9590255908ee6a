"""Better plans by the best model so far, models fitted on them, and so on while it helps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from beeline.core.statuses import Status
from beeline.learning.candidates import data_choices
from beeline.learning.fitting import fit_models
from beeline.learning.selection import LADDER, Rung, climb, outcomes

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline.learned.model import Model
    from beeline.learning.experience import Experience
    from beeline.learning.fitting import Contender
    from beeline.learning.selection import Ranked

MAX_ROUNDS = 5
LIMITS = Rung(1.0, 0, 10_000, 200_000, 0)  # of the searches for better plans


def improve(
    experience: Experience,
    leaders: Ranked,
    on_leader: Callable[[Contender], None],
) -> tuple[Experience, Ranked]:
    """The tasks with better plans, and the models at the top, perhaps fitted on these plans."""
    for _ in range(MAX_ROUNDS):
        solved_before = len(experience.planned)
        better = better_plans(experience, leaders[0][0].model)
        if better is experience:
            break
        experience = better
        contest = [leaders[0][0], *_fitted_anew(experience, leaders)]
        ranked = climb(experience, contest, ladder=LADDER[-1:], phase="choosing anew")
        incumbent = ranked[0][0] is leaders[0][0]
        leaders = ranked
        on_leader(leaders[0][0])
        if incumbent and len(experience.planned) == solved_before:
            break
    return experience, leaders


def _fitted_anew(experience: Experience, leaders: Ranked) -> list[Contender]:
    """The leading candidates with their styles, fitted on the plans of today."""
    wanted = dict.fromkeys(
        (leader.candidate._replace(data=data), leader.model.style)
        for leader, _ in leaders
        for data in data_choices(experience.smaller)
    )
    candidates = list(dict.fromkeys(candidate for candidate, _ in wanted))
    fitted = fit_models(experience, candidates, experience.smaller, "fitting anew")
    by_candidate = {each.candidate: each for each in fitted}
    return [
        by_candidate[candidate].with_style(style)
        for candidate, style in wanted
        if candidate in by_candidate
    ]


def better_plans(experience: Experience, model: Model) -> Experience:
    """Let the model solve all tasks without optimal plans; the same object if nothing is better."""
    open_tasks = [task for task in experience.tasks if not task.optimal]
    if not open_tasks:
        return experience
    found = outcomes(experience, [model], open_tasks, LIMITS, "improving plans")[0]
    better = [
        replace(
            task,
            plan=outcome.plan,
            cost=outcome.cost,
            source="model",
            as_good=(),
            status=Status.SOLVED.value,
        )
        for task, outcome in zip(open_tasks, found, strict=True)
        if outcome.cost is not None and (task.cost is None or outcome.cost < task.cost)
    ]
    return experience.with_plans(better) if better else experience
