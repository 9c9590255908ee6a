"""The last steps: a fit on all tasks, and the style of search that suits the model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from beeline.learning.fitting import Contender, fit_models
from beeline.learning.selection import LADDER, outcomes
from beeline.learning.trials import score_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.learned.model import Model
    from beeline.learning.experience import Experience
    from beeline.learning.trials import Score

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


def scores_of(experience: Experience, models: Sequence[Model], phase: str) -> list[Score]:
    """How models fare on the larger tasks, at the top of the ladder."""
    rung = LADDER[-1]
    tasks = rung.chosen(experience.held_out)
    found = outcomes(experience, models, tasks, rung, phase)
    return [score_of(model, row) for model, row in zip(models, found, strict=True)]
