"""Models of many candidates at once: one job for each kind of neighbourhood and set of plans."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from beeline.core.errors import BeelineError
from beeline.learned.model import Model, SearchStyle
from beeline.learning.candidates import ALL, FitJob, fit_candidates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.learning.candidates import Fitted
    from beeline.learning.experience import Experience
    from beeline.learning.plans import PlannedTask
    from beeline.learning.settings import Candidate


class Contender(NamedTuple):
    """A model and the choices that made it."""

    candidate: Candidate
    model: Model

    def with_style(self, style: SearchStyle) -> Contender:
        """The same with another style of search."""
        return self._replace(model=replace(self.model, style=style))


def fit_models(
    experience: Experience,
    candidates: Sequence[Candidate],
    tasks: Sequence[PlannedTask],
    phase: str,
) -> list[Contender]:
    """A model for each candidate, in their order, fitted on these tasks."""
    kinds = dict.fromkeys((each.multiset, each.data) for each in candidates)
    jobs = [
        FitJob(
            experience.training.domain_text,
            tuple(task for task in tasks if task.optimal or data == ALL),
            tuple(each for each in candidates if (each.multiset, each.data) == (multiset, data)),
            experience.settings.loss,
            experience.settings.unit_costs,
            experience.settings.seed,
        )
        for multiset, data in kinds
    ]
    fitted: dict[Candidate, Fitted] = {}
    for values in experience.workshop.run(phase, fit_candidates, jobs):
        for each in values or ():
            fitted[each.candidate] = each
    if not fitted:
        raise BeelineError(
            "all workers died while fitting", hint="give them more memory, or take fewer --jobs"
        )
    return [
        Contender(each, _model(experience, fitted[each])) for each in candidates if each in fitted
    ]


def _model(experience: Experience, fitted: Fitted) -> Model:
    from beeline._version import __version__

    return Model(
        experience.training.signature,
        fitted.scorer,
        SearchStyle(),
        {
            "candidate": fitted.candidate.to_json(),
            "examples": fitted.examples,
            "training_loss": round(fitted.loss, 6),
        },
        experience.settings.seed,
        __version__,
        fitted.policy,
    )
