"""Models without the features that make no difference.

A fit gives most colours a small weight. Without these a model is smaller, quicker to load and to
read, and no worse; how many can go is tried out by planning, like everything else.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from beeline.learning.finish import scores_of

if TYPE_CHECKING:
    from beeline.learning.experience import Experience
    from beeline.learning.fitting import Contender
    from beeline.learning.trials import Score

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
