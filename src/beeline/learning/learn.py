"""`learn`: a domain and tasks in, a model out.

1. Plans for all tasks. 2. Candidates, fitted on the smaller tasks. 3. A choice among them, by
planning in the larger ones. 4. Improvement: the best model solves the tasks again, better plans
join the data, and the best candidates are fitted anew. 5. A last fit on all tasks. 6. The style
of search, and which features can go. From the second phase on there is a model, and whatever
ends the work early, the best one so far is returned.

What a model says about its training: plain values and no times, so that equal runs agree.
"""

from __future__ import annotations

import signal
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from beeline.backends import Workers
from beeline.core.errors import BeelineError, ExitCode
from beeline.core.limits import memory_size
from beeline.core.settings import keywords, values_of
from beeline.learning.candidates import data_choices, fit_models
from beeline.learning.finish import choose_style, improve, refit, slim
from beeline.learning.selection import climb, ranking
from beeline.learning.settings import LearnSettings, python_warning
from beeline.learning.task_set import read_training_set, warnings_about_plans
from beeline.learning.workshop import Experience, Stopped, Workshop, find_plans, stopping_by
from beeline.planning.model import SearchStyle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from beeline.learning.candidates import Contender
    from beeline.learning.selection import Ranked, Score
    from beeline.learning.settings import AnyPath, Warn
    from beeline.learning.workshop import Progress
    from beeline.models.colours.model import ColourModel

    OnModel = Callable[[ColourModel], None]


# From plain to elaborate: of equally good ones the first is taken.
STYLES = tuple(
    SearchStyle(preferred=preferred, symmetry=symmetry)
    for preferred in (False, True)
    for symmetry in (True, False)
)


class NoModelError(BeelineError):
    """Learning was stopped too early to have learned anything."""

    def __init__(self, message: str, *, hint: str, interrupted: bool) -> None:
        super().__init__(message, hint=hint)
        self.exit_code = ExitCode.INTERRUPTED if interrupted else ExitCode.TIME_LIMIT


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LearnCall(LearnSettings):
    """Settings, and what only Python can say.

    `warn` is called with each warning; by default they become Python warnings. `on_model` is
    called with every model that takes the lead, as soon as it does.
    """

    progress: Progress | None = None
    warn: Warn | None = None
    on_model: OnModel | None = None
    stop_signals: Iterable[int] = ()


@keywords(LearnCall)
def learn(domain: AnyPath, tasks: AnyPath | Sequence[AnyPath], call: LearnCall) -> ColourModel:
    """Learn how to search in a domain from tasks of it, which are files, or folders of them.

    Keyword arguments are the fields of `LearnSettings` and `LearnCall`. Equal calls give equal
    models unless a limit on time or memory is reached.
    """
    settings = LearnSettings(**values_of(call))
    warn = call.warn or python_warning
    training = read_training_set(
        domain, tasks, plans=settings.plans, unit_costs=settings.unit_costs
    )
    for warning in training.warnings:
        warn(warning)
    crew = Workers(settings.backend, settings.jobs)
    with Workshop(crew, time_limit=settings.time_limit, progress=call.progress) as workshop:
        memory = memory_size("memory limit", settings.memory_limit)
        share = None if memory is None else memory // workshop.workers.room()
        course = _Course(Experience(training, settings, workshop, share), warn, call.on_model)
        try:
            with stopping_by(call.stop_signals):
                course.run()
        except Stopped as event:
            if course.leader is None:
                raise NoModelError(
                    f"{event.reason} before there was a model",
                    hint="give it more time, or smaller tasks",
                    interrupted=event.number == signal.SIGINT,
                ) from None
            warn(f"{event.reason}: the model is the best one so far")
        for warning in warnings_about_plans(course.plan_lengths()):
            warn(warning)
        return course.result()


class _Course:
    """The phases in order, and the best model so far."""

    def __init__(self, experience: Experience, warn: Warn, on_model: OnModel | None) -> None:
        self._experience = experience
        self._warn = warn
        self._on_model = on_model
        self._score: Score | None = None
        self.leader: Contender | None = None

    def run(self) -> None:
        """All phases."""
        self._experience = find_plans(self._experience, self._warn)
        ranked = self._choose()
        self._experience, ranked = improve(self._experience, ranked, self._lead)
        self._lead(*ranked[0])
        leader, score = refit(self._experience, *ranked[0])
        self._lead(leader, score)
        leader, score = choose_style(self._experience, leader)
        self._lead(leader, score)
        self._lead(*slim(self._experience, leader, score))

    def _choose(self) -> Ranked:
        """The best candidates, fitted on the smaller tasks and tried out on the larger ones."""
        smaller = self._experience.smaller
        leaders: Ranked = []
        for stage in self._experience.settings.stages(data_choices(smaller)):
            fitted = fit_models(self._experience, stage, smaller, "fitting")
            if not leaders:
                self._lead(fitted[0])
            contenders = [each.with_style(style) for style in STYLES for each in fitted]
            best = climb(self._experience, contenders, phase="choosing")
            leaders = ranking([*leaders, *best])[: len(best)]
            self._lead(*leaders[0])
            if leaders[0][1].is_straight:
                break
        return leaders

    def plan_lengths(self) -> list[int | None]:
        """The length of each task's plan, None where there is none."""
        return [None if task.plan is None else len(task.plan) for task in self._experience.tasks]

    def _lead(self, leader: Contender, score: Score | None = None) -> None:
        self.leader, self._score = leader, score
        if self._on_model is not None:
            self._on_model(self.result())

    def result(self) -> ColourModel:
        """The best model so far with its summary."""
        assert self.leader is not None
        summary = summary_of(self._experience, self.leader.model, self._score)
        return replace(self.leader.model, summary=summary)


def summary_of(experience: Experience, model: ColourModel, score: Score | None) -> dict[str, Any]:
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
