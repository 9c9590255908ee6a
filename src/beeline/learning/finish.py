"""The last steps: a fit on all tasks, and the style of search that suits the model.

Models without the features that make no difference.

A fit gives most colours a small weight. Without these a model is smaller, quicker to load and to
read, and no worse; how many can go is tried out by planning, like everything else.

Better plans by the best model so far, models fitted on them, and so on while it helps.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from beeline.core.errors import Status
from beeline.learning.candidates import Contender, data_choices, fit_models
from beeline.learning.selection import LADDER, Rung, climb, outcomes, score_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from beeline.learning.selection import Ranked, Score
    from beeline.learning.workshop import Experience
    from beeline.models.colours.model import ColourModel


REFIT_MARGIN = 0.1  # effort that a fit on all tasks may add on the larger ones, at most
STYLE_MARGIN = 0.05  # effort that a style must save to be preferred to an earlier one


def refit(experience: Experience, leader: Contender, score: Score) -> tuple[Contender, Score]:
    """The same choices fitted on all tasks with plans, unless the searches get worse by it."""
    fitted = fit_models(experience, [leader.candidate], experience.planned, "last fit")
    contender = fitted[0].with_style(leader.model.style)
    new_score = scores_of(experience, [contender.model], "checking the last fit")[0]
    if score.is_better_than(new_score, REFIT_MARGIN):
        return leader, score
    return contender, new_score


def choose_style(experience: Experience, leader: Contender) -> tuple[Contender, Score]:
    """The style with the least effort; the first of nearly equal ones.

    The rest of the style was chosen together with the model.
    """
    styles = [replace(leader.model.style, rollout=rollout) for rollout in (True, False)]
    contenders = [leader.with_style(each) for each in styles]
    models = [contender.model for contender in contenders]
    scores = scores_of(experience, models, "choosing the style of search")
    best = 0
    for number, score in enumerate(scores):
        if score.is_better_than(scores[best], STYLE_MARGIN):
            best = number
    return contenders[best], scores[best]


def scores_of(experience: Experience, models: Sequence[ColourModel], phase: str) -> list[Score]:
    """How models fare on the larger tasks, at the top of the ladder."""
    rung = LADDER[-1]
    tasks = rung.chosen(experience.held_out)
    found = outcomes(experience, models, tasks, rung, phase)
    return [score_of(model, row) for model, row in zip(models, found, strict=True)]


SHARES = (0.03, 0.01, 0.003)  # of the largest weight; smaller ones go
MARGIN = 0.02  # effort that a slim model may add


def slim(experience: Experience, leader: Contender, score: Score) -> tuple[Contender, Score]:
    """The smallest version of a model that searches as well as the whole."""
    scorer = leader.model.scorer
    versions = []
    for share in SHARES:
        thin = scorer.without_weights_below(share)
        if thin.num_rows < scorer.num_rows and any(thin.weights):
            versions.append(replace(leader.model, scorer=thin))
    if not versions:
        return leader, score
    scores = scores_of(experience, versions, "leaving out features")
    for model, new_score in zip(versions, scores, strict=True):
        if not score.is_better_than(new_score, MARGIN):
            return leader._replace(model=model), new_score
    return leader, score


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


def better_plans(experience: Experience, model: ColourModel) -> Experience:
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
