"""Models tried out by planning: how many expansions they need in tasks they have not seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from beeline.learning.ground_cache import ground_text
from beeline.learning.plans import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.learned.model import Model
    from beeline.task.ground_task import GroundTask

STRAIGHT = 1.1  # expansions for each step of a plan
UNSOLVED = 10.0  # times the expansions that were made in vain
# What relaxed plans cost in large tasks, in expansions: one for each expansion with preferred
# operators, one for each evaluation if h_FF is a feature.
PREFERRED_HANDICAP = 1.15
FF_HANDICAP = 2.0
MIN_EVALUATIONS = 10_000
EFFORT = 20_000_000  # evaluations times operators, where that allows more
SECONDS = 60.0  # safety net for one search


@dataclass(frozen=True)
class TrialJob:
    """One task and the models that try to solve it."""

    domain_text: str
    name: str
    text: str
    unit_costs: bool
    models: tuple[Model, ...]
    max_expansions: int
    max_evaluations: int
    memory_limit: int | None


class Outcome(NamedTuple):
    """How one search ended; the plan has been validated and stripped of useless steps."""

    expanded: int
    evaluated: int
    length: int | None = None  # of the plan as it was found
    plan: tuple[str, ...] | None = None
    cost: int | None = None


def try_out(job: TrialJob) -> list[Outcome]:
    """The outcome of every model."""
    from beeline.learned.planner import plan

    task = ground_text(job.domain_text, job.name, job.text, job.unit_costs)
    outcomes = []
    for model in job.models:
        result = plan(
            model,
            task,
            fallback=False,
            max_expansions=job.max_expansions,
            max_evaluations=_max_evaluations(job, model, task),
            time_limit=SECONDS,
            memory_limit=job.memory_limit,
        )
        outcome = Outcome(result.expanded, result.evaluated)
        if result.plan is not None:
            steps, cost = shortened(task, result.plan)
            outcome = outcome._replace(length=len(result.plan), plan=steps, cost=cost)
        outcomes.append(outcome)
    return outcomes


def _max_evaluations(job: TrialJob, model: Model, task: GroundTask) -> int:
    """The limit, lowered where every evaluation takes a relaxed plan in a large task."""
    if not model.scorer.ff_weight:
        return job.max_evaluations
    affordable = max(MIN_EVALUATIONS, EFFORT // max(task.num_operators, 1))
    return min(job.max_evaluations, affordable)


class Score(NamedTuple):
    """A model's outcomes in brief."""

    solved: int
    tasks: int
    effort: float  # mean logarithm, over all tasks, of expansions, detours counting twice
    expansions: float  # geometric mean over the tasks that it solved
    length: float  # the same for the lengths of its plans

    @staticmethod
    def of(outcomes: Sequence[Outcome], handicap: float = 1.0) -> Score:
        """The score of some outcomes; the handicap multiplies expansions in the effort.

        >>> score = Score.of([Outcome(9, 40, 8, ("(a)",) * 8, 8), Outcome(100, 400)])
        >>> score.solved, round(score.expansions), round(score.length)
        (1, 9, 8)
        """
        solved = [each for each in outcomes if each.length is not None]
        efforts = [
            each.expanded * (UNSOLVED if each.length is None else each.expanded / each.length)
            for each in outcomes
        ]
        return Score(
            len(solved),
            len(outcomes),
            _mean_log(efforts) + math.log(handicap),
            math.exp(_mean_log([each.expanded for each in solved])),
            math.exp(_mean_log([each.length or 1 for each in solved])),
        )

    @property
    def is_straight(self) -> bool:
        """Whether every task was solved, almost without detours."""
        return self.solved == self.tasks and self.expansions <= STRAIGHT * self.length

    def is_better_than(self, other: Score, margin: float = 0.0) -> bool:
        """Solved tasks first, then effort, by more than a margin such as 0.1 for 10 %."""
        if self.solved != other.solved:
            return self.solved > other.solved
        return self.effort < other.effort - margin


def score_of(model: Model, outcomes: Sequence[Outcome]) -> Score:
    """The score of a model, with the handicap that it deserves."""
    handicap = FF_HANDICAP if model.scorer.ff_weight else 1.0
    if model.style.preferred:
        handicap *= PREFERRED_HANDICAP
    return Score.of(outcomes, handicap)


def _mean_log(numbers: Sequence[float]) -> float:
    return sum(math.log(max(number, 1)) for number in numbers) / max(len(numbers), 1)
