"""The best of many models, found by planning: successive halving on more and more tasks.

Training loss does not predict how a search fares, so models are compared by what counts in tasks
that they have not seen: how many they solve, then effort. Most meet a few tasks only; the best of
them meet more, with higher limits. The very best one may come to rank operators as well as states,
where that searches better or for less.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from beeline.core.errors import UnsupportedError
from beeline.fitting.losses import loss_entry
from beeline.learning.candidates import fit_models
from beeline.learning.settings import Candidate
from beeline.learning.task_examples import ground_text
from beeline.learning.task_set import PlannedTask, improved
from beeline.planning.plan import plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.learning.candidates import Contender
    from beeline.learning.workshop import Experience
    from beeline.models.colours.model import ColourModel
    from beeline.models.colours.scorer import WLLinear

    Ranked = list[tuple[Contender, "Score"]]
    Rungs = Sequence["Rung"]
    Tasks = Sequence[PlannedTask]


STRAIGHT = 1.1  # expansions for each step of a plan
ASTRAY = 1.5  # times as many steps as in the shortest plan that is known
UNSOLVED = 10.0  # times the expansions that were allowed in vain
# What relaxed plans cost in large tasks, in expansions: one for each expansion with preferred
# operators, one for each evaluation if h_FF is a feature.
PREFERRED_HANDICAP = 1.15
FF_HANDICAP = 2.0
MIN_EVALUATIONS = 10_000
EFFORT = 50_000_000  # evaluations times operators, where that allows more
MOST_EVALUATIONS = 1_000_000
SUCCESSORS = 4  # evaluations for each operator, at least: who goes straight looks around, too
SECONDS = 60.0  # safety net for one search


@dataclass(frozen=True)
class TrialJob:
    """One task and the models that try to solve it."""

    domain_text: str
    task: PlannedTask
    unit_costs: bool
    models: tuple[ColourModel, ...]
    rung: Rung
    memory_limit: int | None
    improve: bool  # whether plans are wanted, and good ones


class Outcome(NamedTuple):
    """How one search ended; the plan has been validated, and improved if it is there."""

    expanded: int  # as many as it might have if it found no plan
    evaluated: int
    length: int | None = None  # of the plan as it was found
    plan: tuple[str, ...] | None = None
    cost: int | None = None
    shortest: int | None = None  # steps of the shortest plan that anyone has found so far


def try_out(job: TrialJob) -> list[Outcome]:
    """The outcome of every model."""
    task = ground_text(job.domain_text, job.task.name, job.task.text, job.unit_costs)
    most = max(job.rung.max_evaluations, min(SUCCESSORS * task.num_operators, MOST_EVALUATIONS))
    outcomes = []
    for model in job.models:
        # The limit is lower where every evaluation takes a relaxed plan in a large task.
        affordable = max(MIN_EVALUATIONS, EFFORT // max(task.bulk, 1))
        try:
            result = plan(
                model,
                task,
                fallback=False,
                as_found=True,
                max_expansions=job.rung.max_expansions,
                max_evaluations=min(most, affordable) if model.scorer.relaxes else most,
                time_limit=SECONDS,
                memory_limit=job.memory_limit,
            )
        except UnsupportedError:  # it looks at all operators, which are too many
            outcomes.append(Outcome(job.rung.max_expansions, most))
            continue
        # A search that fails is none the cheaper for looking at too many successors of few states.
        outcome = Outcome(job.rung.max_expansions, result.evaluated)
        if result.plan is not None:
            outcome = Outcome(result.expanded, result.evaluated, len(result.plan))
            if job.improve:
                steps, cost = improved(task, result.plan)
                outcome = outcome._replace(plan=steps, cost=cost)
        outcomes.append(outcome)
    return outcomes


class Score(NamedTuple):
    """A model's outcomes in brief."""

    solved: int
    tasks: int
    effort: float  # mean logarithm, over all tasks, of expansions, detours counting twice
    expansions: float  # geometric mean over the tasks that it solved
    length: float  # the same for the lengths of its plans
    shortest: float  # and of the shortest plans that are known for these tasks

    @staticmethod
    def of(outcomes: Sequence[Outcome], handicap: float = 1.0) -> Score:
        """The score of some outcomes; the handicap multiplies expansions in the effort.

        >>> score = Score.of([Outcome(9, 40, 8, ("(a)",) * 8, 8), Outcome(100, 400)])
        >>> score.solved, round(score.expansions), round(score.length)
        (1, 9, 8)
        """
        solved = [each for each in outcomes if each.length is not None]
        # Who walks in circles expands no more states than its plan has steps, and goes astray.
        efforts = [
            each.expanded
            * (UNSOLVED if each.length is None else each.expanded / (each.shortest or each.length))
            for each in outcomes
        ]
        return Score(
            len(solved),
            len(outcomes),
            mean_log(efforts) + math.log(handicap),
            math.exp(mean_log([each.expanded for each in solved])),
            math.exp(mean_log([each.length or 1 for each in solved])),
            math.exp(mean_log([each.shortest or each.length or 1 for each in solved])),
        )

    @property
    def is_straight(self) -> bool:
        """Whether every task was solved, almost without detours in the search or the plans."""
        direct = self.expansions <= STRAIGHT * self.length <= STRAIGHT * ASTRAY * self.shortest
        return self.solved == self.tasks and direct

    @property
    def enough(self) -> int:
        """How many tasks another one must solve to be as good, but for its effort.

        In many tasks one more or less is chance, and effort has a word in it as well.

        >>> [Score(12, tasks, *[0.0] * 4).enough for tasks in (12, 20)]
        [11, 10]
        """
        return self.solved - self.tasks // 10

    def is_better_than(self, other: Score, margin: float = 0.0) -> bool:
        """Solved tasks first, then effort, by more than a margin such as 0.1 for 10 %."""
        if other.solved < self.enough or self.solved < other.enough:
            return self.solved > other.solved
        return self.effort < other.effort - margin


def uses_relaxed_plans(model: ColourModel) -> bool:
    """Whether its style wants preferred operators, and it has none of its own, or in reserve."""
    operators = model.scorer.operators
    own = model.scorer.in_context or (operators is not None and not operators.reserve)
    return model.style.preferred and not own


def score_of(model: ColourModel, outcomes: Sequence[Outcome]) -> Score:
    """The score of a model, with the handicap that it deserves."""
    handicap = FF_HANDICAP if model.scorer.relaxes else 1.0
    if uses_relaxed_plans(model):
        handicap *= PREFERRED_HANDICAP
    return Score.of(outcomes, handicap)


class Trial(NamedTuple):
    """How a model fared in a round: the choices that made it in words, and its score."""

    words: str
    style: str
    features: int
    score: Score


class Round(NamedTuple):
    """Models that were tried out on the same tasks, with the same limits."""

    phase: str
    trials: tuple[Trial, ...]


@dataclass
class Diary:
    """How learning went: whoever hands one to `learn` finds it filled, also if it was stopped."""

    rounds: list[Round] = field(default_factory=list)
    tasks: tuple[PlannedTask, ...] = ()

    def add(
        self, phase: str, models: Sequence[ColourModel], found: Sequence[Sequence[Outcome]]
    ) -> None:
        """Write down a round."""
        trials = []
        for model, row in zip(models, found, strict=True):
            chosen = model.summary["candidate"]
            words = str(Candidate.from_json(chosen))
            style = ", ".join(name for name, on in asdict(model.style).items() if on) or "plain"
            trials.append(Trial(words, style, model.scorer.num_features, score_of(model, row)))
        self.rounds.append(Round(phase, tuple(trials)))


def mean_log(numbers: Sequence[float]) -> float:
    """The mean of logarithms; what is below 1 counts as 1."""
    return sum(math.log(max(number, 1)) for number in numbers) / max(len(numbers), 1)


Item = TypeVar("Item")

MARGIN = 0.05  # efforts that differ by less are equal, and the simpler model wins


class Rung(NamedTuple):
    """A step of the ladder: how many tasks, their limits, and how many models go on.

    `share` is the part of the held-out tasks that they come from, the smaller ones: where even
    these are hard, larger ones would tell nothing. The smallest ones, a part as large as `above`,
    are left out.
    """

    share: float
    tasks: int
    max_expansions: int
    max_evaluations: int
    keep: int
    above: float = 0.0

    def chosen(self, held_out: Tasks) -> list[PlannedTask]:
        """The tasks of this rung."""
        first = math.floor(self.above * len(held_out))
        return spread(held_out[first : math.ceil(self.share * len(held_out))], self.tasks)


LADDER = (
    Rung(0.35, 3, 400, 10_000, 16),
    Rung(0.7, 8, 1000, 30_000, 5),
    Rung(1.0, 16, 3000, 60_000, 3, above=0.3),
)


def climb(
    experience: Experience, contenders: Sequence[Contender], phase: str, ladder: Rungs = LADDER
) -> Ranked:
    """Those that reach the top of the ladder, best first; earlier ones win ties."""
    alive = list(contenders)
    ranked: Ranked = []
    for number, rung in enumerate(ladder):
        if len(alive) <= rung.keep and number < len(ladder) - 1:
            continue
        tasks = rung.chosen(experience.held_out)
        models = [contender.model for contender in alive]
        found = outcomes(experience, models, tasks, rung, f"{phase} ({len(alive)} models)")
        scores = [score_of(model, row) for model, row in zip(models, found, strict=True)]
        ranked = ranking(_without_twins(list(zip(alive, scores, strict=True))))[: rung.keep]
        survivors = {id(contender) for contender, _ in ranked}
        alive = [contender for contender in alive if id(contender) in survivors]
    return ranked


def outcomes(
    experience: Experience,
    models: Sequence[ColourModel],
    tasks: Tasks,
    rung: Rung,
    phase: str,
    *,
    improve: bool = False,
) -> list[list[Outcome]]:
    """For each model its outcomes in these tasks; a worker that died has solved nothing."""
    domain, unit_costs = experience.training.domain_text, experience.settings.unit_costs
    jobs = [
        TrialJob(domain, task, unit_costs, tuple(models), rung, experience.memory_limit, improve)
        for task in reversed(tasks)  # large ones first, so that no worker waits at the end
    ]
    nothing = [Outcome(rung.max_expansions, rung.max_evaluations)] * len(models)
    rows = experience.workshop.run(phase, try_out, jobs)
    by_task = [list(row or nothing) for row in reversed(rows)]
    for task, row in zip(tasks, by_task, strict=True):
        shortest = experience.shortest_plan(task, [each.length for each in row])
        row[:] = [each._replace(shortest=shortest) for each in row]
    found = [list(column) for column in zip(*by_task, strict=True)]
    if experience.diary is not None:
        experience.diary.add(phase, models, found)
    return found


def ranking(scored: Ranked) -> Ranked:
    """Best first; of models within a margin of the best one, the first comes first."""
    left = list(scored)
    ranked = []
    while left:
        most = max((score for _, score in left), key=lambda each: each.solved).enough
        good = [score for _, score in left if score.solved >= most]
        top = min(good, key=lambda each: (each.effort, -each.solved))
        first = next(pair for pair in left if not top.is_better_than(pair[1], MARGIN))
        ranked.append(first)
        left.remove(first)
    return ranked


def _without_twins(scored: Ranked) -> Ranked:
    """Without contenders whose style made no difference to an earlier one of the same candidate."""
    first: dict[object, tuple[Contender, Score]] = {}
    for contender, score in scored:
        first.setdefault((contender.candidate, score), (contender, score))
    return list(first.values())


def spread(items: Sequence[Item], count: int) -> list[Item]:
    """So many items at even distances, the last one among them.

    >>> spread(range(10), 4), spread(range(3), 4)
    ([0, 3, 6, 9], [0, 1, 2])
    """
    if count >= len(items):
        return list(items)
    if count == 1:
        return [items[-1]]
    return [items[place * (len(items) - 1) // (count - 1)] for place in range(count)]


OPERATOR_PENALTIES = (1e-3, 1e-5)
FEWER = math.log(2.0)  # how many times fewer evaluations make up for a more complex model


def with_operators(
    experience: Experience, leader: Contender, tasks: Sequence[PlannedTask]
) -> list[Contender]:
    """The same choices, fitted on these tasks, with operators that the model prefers itself."""
    chosen = leader.candidate
    if chosen.operators or chosen.context or not loss_entry(experience.settings.loss).ranking:
        return []
    # Colours of one round hardly tell the arguments of operators apart.
    more = chosen.rounds if experience.settings.rounds else max(chosen.rounds, 2)
    candidates = [
        chosen._replace(operators=l2, rounds=rounds)
        for rounds in dict.fromkeys((chosen.rounds, more))
        for l2 in OPERATOR_PENALTIES
    ]
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
        cheaper = evaluated <= fewest - FEWER and not best_score.is_better_than(new_score, MARGIN)
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
