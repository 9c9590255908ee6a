"""The two searches of `plan`, each ready to take turns.

When the learned search and the classical one take turns.

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

from beeline import _native
from beeline.planning.result import evaluation_work

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline._native import Evaluator, SearchConfig, SearchProgress, SearchResult, States
    from beeline.planning.model import Model
    from beeline.planning.plan import PlanSpec
    from beeline.task.ground_task import GroundTask


# In microseconds of a usual machine.
PATIENCE = 1.5e6
STALE = 0.25
FIRST_TURN = 0.5e6
GROWTH = 1.2


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


ROLLOUT = 50  # expansions that follow the best child after each new best score
BOOST = 1000  # for preferred operators, at each new best value


class Contestant:
    """A search with its states and what one of its evaluations costs."""

    def __init__(self, name: str, states: States, config: SearchConfig, work: float) -> None:
        self.name = name
        self.work = work  # per evaluation
        self.states: States | None = states
        self._config = config
        self._search: _native.Search | None = _native.Search(states, states.initial, config)
        self._result: SearchResult | None = None

    @property
    def started(self) -> bool:
        """Whether it has had a turn."""
        return self._result is not None

    @property
    def result(self) -> SearchResult:
        """Where it stood after its last turn."""
        if self._result is None:
            raise RuntimeError("the search has not begun")
        return self._result

    def advance(
        self,
        *,
        evaluations: int,
        limits: tuple[int | None, int | None],
        seconds: float | None,
        watch: Callable[[SearchProgress], bool],
    ) -> SearchResult:
        """Take a turn; `limits` are the evaluations and expansions left to all searches."""
        if self._search is None:
            raise RuntimeError("the search has left")
        before = self._result
        done = (0, 0) if before is None else (before.counters.evaluated, before.counters.expanded)
        if limits[0] is not None:
            self._config.max_evaluations = done[0] + limits[0]
        if limits[1] is not None:
            self._config.max_expansions = done[1] + limits[1]
        if seconds is not None:
            self._config.max_seconds = (0.0 if before is None else before.seconds) + seconds
        self._result = self._search.advance(evaluations, watch=watch)
        return self._result

    def tighten(self, bound: int) -> None:
        """Look for plans that cost less than this from the next turn on."""
        self._config.bound = bound

    def leave(self) -> None:
        """Give the memory back."""
        self._search = self.states = None

    def describe(self) -> dict[str, object]:
        """What it did, for records."""
        counters = self.result.counters
        return {
            "search": self.name,
            "status": self.result.status.name.lower(),
            "expanded": counters.expanded,
            "evaluated": counters.evaluated,
            "seconds": round(self.result.seconds, 6),
        }


def learned_search(model: Model, task: GroundTask, spec: PlanSpec) -> Contestant:
    """Greedy search on the learned score."""
    style = spec.style or model.style
    states = _native.States(task.native)
    score = model.score(task, states)
    config = _config([score.evaluator], spec)
    config.goal_at_generation = True
    config.put_off_lookalikes = style.symmetry
    config.rollout = ROLLOUT if style.rollout else 0
    if style.preferred and score.preferring is not None:
        _prefer(config, score.preferring)
    elif style.preferred:
        _prefer(config, _native.make_heuristic("ff", task.native))
        config.put_off_unpreferred = True
    return Contestant("learned", states, config, score.work)


def classical_search(task: GroundTask, spec: PlanSpec) -> Contestant:
    """LAMA's first search: greedy, deferred, h_FF and landmarks in turns, all costs 1."""
    one = _native.CostType.ONE
    ff = _native.make_heuristic("ff", task.native, one)
    config = _config([ff, _native.make_heuristic("landmarks", task.native, one)], spec)
    config.deferred = True
    _prefer(config, ff)
    states = _native.States(task.native)
    work = evaluation_work(task, colours=False, relaxation=True)
    return Contestant("classical", states, config, work)


def weighted_search(task: GroundTask, spec: PlanSpec, weight: float) -> Contestant:
    """Weighted A* on h_FF: g + weight * h, ties by h."""
    config = _config([_native.make_heuristic("ff", task.native)], spec)
    config.queues = [_native.QueueSpec([_native.KeySpec(1, weight), _native.KeySpec()])]
    config.reopen = True
    work = evaluation_work(task, colours=False, relaxation=True)
    return Contestant(f"weighted-{weight:g}", _native.States(task.native), config, work)


def _config(evaluators: list[Evaluator], spec: PlanSpec) -> SearchConfig:
    config = _native.SearchConfig()
    config.evaluators = evaluators
    config.queues = [
        _native.QueueSpec([_native.KeySpec(evaluator=number)]) for number in range(len(evaluators))
    ]
    config.seed = spec.seed
    if isinstance(spec.memory_limit, int):
        config.max_bytes = spec.memory_limit
    return config


def _prefer(config: SearchConfig, evaluator: Evaluator) -> None:
    """More queues, for the successors that preferred operators lead to."""
    config.preferred = [evaluator]
    config.queues = [
        _native.QueueSpec([_native.KeySpec(evaluator=number)], preferred_only=preferred)
        for number in range(len(config.evaluators))
        for preferred in (False, True)
    ]
    config.boost = BOOST
