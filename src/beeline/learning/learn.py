"""`learn`: a domain and tasks in, a model out.

1. Plans for all tasks, and tasks made from them where they are few. 2. Candidates, fitted on the
smaller tasks. 3. A choice among them, by planning in the larger ones. 4. Improvement: the best
model solves the tasks again, better plans join the data, and the best candidates are fitted anew.
5. A last fit on all tasks. 6. The style of search, and which features can go. From the second phase
on there is a model, and whatever ends the work early, the best one so far is returned.

What a model says about its training: plain values and no times, so that equal runs agree.
"""

from __future__ import annotations

import signal
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline.backends import Workers
from beeline.core.errors import BeelineError, ExitCode, Status
from beeline.core.files import write_atomically
from beeline.core.limits import memory_size
from beeline.core.settings import keywords, values_of
from beeline.learning.candidates import Contender, data_choices, fit_models, goals_are_ordered
from beeline.learning.selection import (
    LADDER,
    Rung,
    choose_operators,
    climb,
    outcomes,
    ranking,
    score_of,
    uses_relaxed_plans,
    with_operators,
)
from beeline.learning.settings import LearnSettings, python_warning
from beeline.learning.task_set import read_training_set, warnings_about_plans
from beeline.learning.workshop import Experience, Stopped, Workshop, find_plans, stopping_by
from beeline.planning.model import SearchStyle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from beeline.learning.selection import Diary, Ranked, Score
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
    called with every model that takes the lead, as soon as it does. A `diary` is filled with what
    became of tasks and candidates.
    """

    progress: Progress | None = None
    warn: Warn | None = None
    on_model: OnModel | None = None
    stop_signals: Iterable[int] = ()
    diary: Diary | None = None


@keywords(LearnCall)
def learn(domain: AnyPath, tasks: AnyPath | Sequence[AnyPath], call: LearnCall) -> ColourModel:
    """Learn how to search in a domain from tasks of it, which are files, or folders of them.

    Keyword arguments are the fields of `LearnSettings` and `LearnCall`. Equal calls give equal
    models unless a limit on time or memory is reached.

    >>> import pathlib, tempfile
    >>> from beeline.generators import domain_text, instances
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "domain.pddl").write_text(domain_text("ferry"))
    >>> for cars in (3, 4, 5):
    ...     for name, text in instances("ferry", count=4, cars=cars, locations=3):
    ...         _ = (folder / f"{cars}-{name}.pddl").write_text(text)
    >>> few = {"rounds": 1, "neighbours": "set", "h_ff": False, "jobs": 1}
    >>> learn(folder / "domain.pddl", folder, **few)
    <ColourModel ferry: ... features, 1 rounds>
    """
    settings = LearnSettings(**values_of(call))
    warn = call.warn or python_warning
    plans, unit_costs = settings.plans, settings.unit_costs
    training = read_training_set(domain, tasks, plans=plans, unit_costs=unit_costs)
    for warning in training.warnings:
        warn(warning)
    crew = Workers(settings.backend, settings.jobs)
    with Workshop(crew, time_limit=settings.time_limit, progress=call.progress) as workshop:
        memory = memory_size("memory limit", settings.memory_limit)
        share = None if memory is None else memory // workshop.workers.room()
        experience = Experience(training, settings, workshop, share, diary=call.diary)
        course = _Course(experience, warn, call.on_model)
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
        if call.diary is not None:
            call.diary.tasks = (*course.experience.tasks, *course.experience.exams)
        found = [task.plan for task in course.experience.given]
        lengths = [None if plan is None else len(plan) for plan in found]
        for warning in warnings_about_plans(lengths):
            warn(warning)
        return course.result()


def _goes_straight(leader: Contender, score: Score) -> bool:
    """Whether a model leads straight to the goal, and without relaxed plans."""
    return score.is_straight and not uses_relaxed_plans(leader.model)


class _Course:
    """The phases in order, and the best model so far."""

    def __init__(self, experience: Experience, warn: Warn, on_model: OnModel | None) -> None:
        self.experience = experience
        self._warn = warn
        self._on_model = on_model
        self._score: Score | None = None  # in tasks that the model has not learned from
        self.leader: Contender | None = None

    def run(self) -> None:
        """All phases."""
        self.experience = find_plans(self.experience, self._warn)
        self._keep_tasks()
        ranked = self._choose()
        self.experience, ranked = improve(self.experience, ranked, self._lead)
        leader, score = ranked[0]
        self._lead(leader, score if self.experience.unseen else None)
        leader, score = refit(self.experience, leader, score)
        self._lead(leader)
        leader, score = choose_operators(self.experience, leader, score)
        self._lead(leader)
        leader, score = choose_style(self.experience, leader)
        self._lead(leader)
        leader, _ = slim(self.experience, leader, score)
        self._lead(leader)

    def _keep_tasks(self) -> None:
        """Write what was made from the given tasks, if that is wanted."""
        folder = self.experience.settings.keep_tasks
        if folder is None:
            return
        Path(folder).mkdir(parents=True, exist_ok=True)
        for task in self.experience.made:
            write_atomically(Path(folder) / f"{task.name}.pddl", task.text)

    def _choose(self) -> Ranked:
        """The best candidates, fitted on the smaller tasks and tried out on the larger ones."""
        smaller = self.experience.smaller
        leaders: Ranked = []
        relations = self.experience.training.relations
        ordered = goals_are_ordered(self.experience, smaller)
        choices = data_choices(smaller)
        stages = self.experience.settings.stages(choices, relations, ordered=ordered)
        for number, stage in enumerate(stages):
            fitted = fit_models(self.experience, stage, smaller, "fitting")
            if not leaders:
                self._lead(fitted[0])
            contenders = [
                each.with_style(style)
                for style in STYLES
                for each in fitted
                if style.preferred or not each.candidate.context  # it has them anyway
            ]
            best = climb(self.experience, contenders, phase="choosing")
            leaders = ranking([*leaders, *best])[: len(best)]
            self._lead(leaders[0][0])
            if number == 0 and not _goes_straight(*leaders[0]):
                ranked = with_operators(self.experience, leaders[0][0], smaller)
                if ranked:
                    best = climb(self.experience, ranked, "ranking operators", LADDER[-1:])
                    leaders = ranking([*leaders, *best])[: len(leaders)]
                    self._lead(leaders[0][0])
            if _goes_straight(*leaders[0]):
                break
        return leaders

    def _lead(self, leader: Contender, score: Score | None = None) -> None:
        self.leader, self._score = leader, score or self._score
        if self._on_model is not None:
            self._on_model(self.result())

    def result(self) -> ColourModel:
        """The best model so far with its summary."""
        assert self.leader is not None
        summary = summary_of(self.experience, self.leader.model, self._score)
        return replace(self.leader.model, summary=summary)


def summary_of(experience: Experience, model: ColourModel, score: Score | None) -> dict[str, Any]:
    """The given tasks, their plans, the chosen candidate, and how it did on the larger tasks."""
    planned = [task for task in experience.given if task.plan is not None]
    return {
        **model.summary,
        "settings": experience.settings.to_json(),
        "kinds": experience.training.kinds,
        "tasks": {
            "given": len(experience.training.tasks),
            "made": len(experience.made),
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
            "straight": score.is_straight,
        },
        "features": model.scorer.num_features,
        "rows": model.scorer.num_rows,
    }


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
    style = leader.model.style
    contenders = [leader.with_style(replace(style, rollout=each)) for each in (True, False)]
    models = [contender.model for contender in contenders]
    scores = scores_of(experience, models, "choosing the style of search")
    best = 1 if scores[1].is_better_than(scores[0], STYLE_MARGIN) else 0
    return contenders[best], scores[best]


def scores_of(experience: Experience, models: Sequence[ColourModel], phase: str) -> list[Score]:
    """How models fare on the larger tasks, at the top of the ladder."""
    rung = LADDER[-1]
    tasks = rung.chosen(experience.held_out)
    found = outcomes(experience, models, tasks, rung, phase)
    return [score_of(model, row) for model, row in zip(models, found, strict=True)]


SHARES = (0.03, 0.01, 0.003)  # of the largest weight; smaller ones go
SLIM_MARGIN = 0.02  # effort that a slim model may add


def slim(experience: Experience, leader: Contender, score: Score) -> tuple[Contender, Score]:
    """The smallest version of a model that searches as well as the whole.

    A fit gives most colours a small weight. Without these a model is smaller, quicker to load and
    to read, and no worse; how many can go is tried out by planning, like everything else.
    """
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
        if not score.is_better_than(new_score, SLIM_MARGIN):
            return leader._replace(model=model), new_score
    return leader, score


IMPROVEMENTS = 5  # at most
LIMITS = Rung(1.0, 0, 10_000, 200_000, 0)  # of the searches for better plans


def improve(
    experience: Experience, leaders: Ranked, on_leader: Callable[[Contender], None]
) -> tuple[Experience, Ranked]:
    """The tasks with better plans, and the models at the top, perhaps fitted on these plans."""
    for _ in range(IMPROVEMENTS):
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
    known = [pair for pair in wanted if pair[0] in by_candidate]
    return [by_candidate[candidate].with_style(style) for candidate, style in known]


def better_plans(experience: Experience, model: ColourModel) -> Experience:
    """Let the model solve all tasks without optimal plans; the same object if nothing is better."""
    open_tasks = [task for task in experience.tasks if not task.optimal]
    if not open_tasks:
        return experience
    found = outcomes(experience, [model], open_tasks, LIMITS, "improving plans", improve=True)[0]
    by_model: dict[str, Any] = {"source": "model", "as_good": (), "status": Status.SOLVED.value}
    better = [
        replace(task, plan=outcome.plan, cost=outcome.cost, **by_model)
        for task, outcome in zip(open_tasks, found, strict=True)
        if outcome.cost is not None and (task.cost is None or outcome.cost < task.cost)
    ]
    return experience.with_plans(better) if better else experience
