"""Models tried out by planning: how many expansions they need in tasks they have not seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from beeline.learned.schedule import COLOURS, PER_OPERATOR, RELAXATION
from beeline.learning.ground_cache import ground_text
from beeline.learning.plans import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.learned.model import Model
    from beeline.task.ground_task import GroundTask

GROWTH = 10.0  # how many times more operators the tasks have that models are made for
STRAIGHT = 1.1  # expansions for each step of a plan
UNSOLVED = 10.0  # times the work that was spent in vain
DETOURS = 2.0  # a search that goes astray in small tasks is lost in large ones
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
    work: float = 0.0  # in larger tasks, in microseconds
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
            max_evaluations=job.max_evaluations,
            time_limit=SECONDS,
            memory_limit=job.memory_limit,
        )
        work = _work(model, task, result.expanded, result.evaluated)
        outcome = Outcome(result.expanded, result.evaluated, work)
        if result.plan is not None:
            steps, cost = shortened(task, result.plan)
            outcome = outcome._replace(length=len(result.plan), plan=steps, cost=cost)
        outcomes.append(outcome)
    return outcomes


def _work(model: Model, task: GroundTask, expanded: int, evaluated: int) -> float:
    """What such a search costs in the larger tasks that models are made for.

    Colours are updated in constant time, but relaxed plans take longer the more operators there
    are: they are charged as in a task with GROWTH times as many.
    """
    relaxation = RELAXATION + GROWTH * PER_OPERATOR * task.num_operators
    each = COLOURS + (relaxation if model.scorer.ff_weight else 0.0)
    return evaluated * each + (expanded * relaxation if model.style.preferred else 0.0)


class Score(NamedTuple):
    """A model's outcomes in brief."""

    solved: int
    tasks: int
    effort: float  # mean logarithm over all tasks, of work and detours
    expansions: float  # geometric mean over the tasks that it solved
    length: float  # the same for the lengths of its plans

    @staticmethod
    def of(outcomes: Sequence[Outcome]) -> Score:
        """The score of some outcomes.

        >>> score = Score.of([Outcome(9, 40, 120.0, 8, ("(a)",) * 8, 8), Outcome(100, 400, 1e3)])
        >>> score.solved, round(score.expansions), round(score.length)
        (1, 9, 8)
        """
        solved = [each for each in outcomes if each.length is not None]
        efforts = [
            max(each.work, 1.0)
            * (UNSOLVED if each.length is None else (each.expanded / each.length) ** DETOURS)
            for each in outcomes
        ]
        return Score(
            len(solved),
            len(outcomes),
            _mean_log(efforts),
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


def _mean_log(numbers: Sequence[float]) -> float:
    return sum(math.log(number) for number in numbers) / max(len(numbers), 1)
