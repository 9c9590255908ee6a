"""When the learned search and the classical one take turns.

The learned search goes first and keeps the floor as long as it gets closer to the goal: until it
has found no new best score for PATIENCE units of work, and for STALE of all the work it has done.
From then on it shares the time with a classical search, turn by turn, half and half; turns grow by
GROWTH. So a task costs at most about twice what the classical search alone needs, plus the head
start.

Work is counted in evaluations, weighted by what one costs on a usual machine, and not by a clock:
the same task, model and seed lead to the same plan everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beeline._native import SearchResult
    from beeline.task.ground_task import GroundTask

# All work is in microseconds of a usual machine.
COLOURS = 3.0  # updating the colours of a state
RELAXATION = 5.0  # a relaxed plan, in a task without operators
PER_OPERATOR = 0.02
CUTS = 10.0  # landmark cuts, in relaxed plans
PATIENCE = 1.5e6
STALE = 0.25
FIRST_TURN = 0.5e6
GROWTH = 1.2


def evaluation_work(task: GroundTask, *, colours: bool, relaxation: bool) -> float:
    """What one evaluation costs."""
    work = COLOURS if colours else 0.0
    if relaxation:
        work += RELAXATION + PER_OPERATOR * task.num_operators
    return work


def heuristic_work(name: str, task: GroundTask) -> float:
    """What one value of a heuristic of the engine costs."""
    relaxation = evaluation_work(task, colours=False, relaxation=name != "blind")
    return CUTS * relaxation if name == "lmcut" else relaxation


def evaluations_for(work: float, per_evaluation: float) -> int:
    """How many evaluations make up some work; at least one.

    >>> evaluations_for(100, 3.0), evaluations_for(1, 3.0)
    (33, 1)
    """
    return max(1, int(work / per_evaluation))


def stagnates(search: SearchResult, per_evaluation: float) -> bool:
    """Whether a search has gone on for too long without a new best score."""
    work = search.counters.evaluated * per_evaluation
    share = search.since_progress / max(1, search.counters.expanded)
    return share >= STALE and share * work >= PATIENCE
