"""What a model says about its training: plain values and no times, so that equal runs agree."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from beeline.learned.model import Model
    from beeline.learning.experience import Experience
    from beeline.learning.trials import Score


def summary_of(experience: Experience, model: Model, score: Score | None) -> dict[str, Any]:
    """Tasks, plans, the chosen candidate, and how it did on the larger tasks."""
    planned = experience.planned
    return {
        **model.summary,
        "settings": experience.settings.to_json(),
        "tasks": {
            "given": len(experience.training.tasks),
            "with_plans": len(planned),
            "optimal": sum(task.optimal for task in planned),
            "plans_by": dict(sorted(Counter(task.source or "" for task in planned).items())),
            "largest": max((task.facts for task in planned), default=0),
            "longest_plan": max((len(task.plan or ()) for task in planned), default=0),
        },
        "held_out": None
        if score is None
        else {
            "tasks": score.tasks,
            "solved": score.solved,
            "expansions": round(score.expansions, 3),
            "length": round(score.length, 3),
        },
        "features": model.scorer.num_features,
        "rows": model.scorer.num_rows,
    }
