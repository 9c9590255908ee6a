"""Models that rank operators as well as states: made from a leader, and chosen by planning."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from beeline.fitting.losses import loss_entry
from beeline.learning.candidates import fit_models
from beeline.learning.selection import (
    LADDER,
    MARGIN,
    mean_log,
    outcomes,
    ranking,
    score_of,
    uses_relaxed_plans,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.learning.candidates import Contender
    from beeline.learning.selection import Score
    from beeline.learning.task_set import PlannedTask
    from beeline.learning.workshop import Experience
    from beeline.models.colours.scorer import WLLinear

OPERATOR_PENALTIES = (1e-3, 1e-5)
FEWER = math.log(2.0)  # how many times fewer evaluations make up for a more complex model


def with_operators(
    experience: Experience, leader: Contender, tasks: Sequence[PlannedTask]
) -> list[Contender]:
    """The same choices, fitted on these tasks, with operators that the model prefers itself."""
    if leader.candidate.operators or not loss_entry(experience.settings.loss).ranking:
        return []
    candidates = [leader.candidate._replace(operators=l2) for l2 in OPERATOR_PENALTIES]
    style = replace(leader.model.style, preferred=True)
    fitted = fit_models(experience, candidates, tasks, "fitting operators", optional=True)
    return [each.with_style(style) for each in fitted]


def choose_operators(
    experience: Experience, leader: Contender, score: Score
) -> tuple[Contender, Score]:
    """The model as it is, or one that ranks operators, too, and searches better or for less.

    Preferred operators save expansions where the score of states alone goes astray; where it does
    not, they save most evaluations, since the other successors are never made.
    """
    ranked = with_operators(experience, leader, experience.planned)
    if not ranked:
        return leader, score
    contenders, rung = [leader, *ranked], LADDER[-1]
    models, tasks = [each.model for each in contenders], rung.chosen(experience.held_out)
    found = outcomes(experience, models, tasks, rung, "ranking operators")
    best, best_score, fewest = leader, score, mean_log([each.evaluated for each in found[0]])
    scores = [score_of(model, row) for model, row in zip(models, found, strict=True)]
    for contender, row, new_score in zip(contenders, found, scores, strict=True):
        evaluated = mean_log([each.evaluated for each in row])
        cheaper = evaluated <= fewest - FEWER and not best_score.is_better_than(new_score)
        if new_score.is_better_than(best_score, MARGIN) or cheaper:
            best, best_score, fewest = contender, new_score, evaluated
    if uses_relaxed_plans(best.model):
        spare, _ = ranking(list(zip(ranked, scores[1:], strict=True)))[0]
        best = with_reserve(best, spare.model.scorer)
    return best, best_score


def with_reserve(leader: Contender, spare: WLLinear) -> Contender:
    """The same with operators for tasks that are too large for relaxed plans.

    They come with the colours of another fit, which must give states the same scores.
    """
    if spare.operators is None or not leader.model.scorer.scores_like(spare):
        return leader
    scorer = replace(spare, operators=replace(spare.operators, reserve=True))
    return leader._replace(model=replace(leader.model, scorer=scorer))
