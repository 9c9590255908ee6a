"""The two searches of `plan`, and when they take turns.

The learned search goes first, for HEAD_START of work, more in large tasks. Then it shares the time
with a classical search, in turns that grow by GROWTH, and whoever has done less for its share goes
next. While the learned search gets closer to the goal its share is LEAD times that of the other;
when it has found no new best score for PATIENCE units of work, and for STALE of all the work it has
done, both shares are equal, and the classical search catches up. So the classical search alone
would need at least a part of 1 / (1 + LEAD) of the work, after the head start and but for a turn,
and half of it where the model does not help.

A plan of the learned search gets a second opinion: the classical search may do OPINION of work, or
a share of what the plan has cost, to find one of its own, and the better of the two is kept.

Work is counted by the evaluators, in microseconds of a usual machine, and not by a clock: the same
task, model and seed lead to the same plan everywhere.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from beeline import _native
from beeline.core.errors import Status
from beeline.core.limits import TimeIsUp, alarm
from beeline.planning.result import LONGEST, Result, evaluation_work, explanation, left

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline._native import (
        Evaluator,
        SearchConfig,
        SearchCounters,
        SearchProgress,
        SearchResult,
        States,
    )
    from beeline.planning.model import Model
    from beeline.planning.plan import PlanSpec
    from beeline.task.ground_task import GroundTask


# In microseconds of a usual machine.
PATIENCE = 0.15e6
STALE = 0.25
HEAD_START = 0.2e6
PREPARATION = 8.0  # of the classical search, for each operator; the head start is longer by that
LEAD = 3
FIRST_TURN = 0.05e6
GROWTH = 1.2
OPINION = 0.25e6
EXPANDED = 0.5  # a state
REGISTERED, QUEUED = 0.2, 0.03  # a successor, in eager searches and in deferred ones
PROBE = 500  # evaluations of a first turn, which tell what one costs in this task


def evaluations_for(work: float, per_evaluation: float) -> int:
    """How many evaluations make up some work; at least one.

    >>> evaluations_for(100, 3.0), evaluations_for(1, 3.0)
    (33, 1)
    """
    return max(1, int(work / per_evaluation))


def stagnates(runner: Contestant) -> bool:
    """Whether a search has gone on for too long without a new best score."""
    if not runner.started:
        return False
    search = runner.result
    share = search.since_progress / max(1, search.counters.expanded)
    return share >= STALE and share * runner.spent >= PATIENCE


CLASSICAL = "classical"
ROLLOUT = 50  # expansions that follow the best child after each new best score
BOOST = 1000  # for preferred operators, at each new best value


class Contestant:
    """A search with its states; `work` is what one evaluation costs if nobody counts."""

    def __init__(self, name: str, states: States, config: SearchConfig, work: float) -> None:
        self.name = name
        self.states: States | None = states
        self._work = work
        self._config = config
        everyone = [*config.evaluators, *config.preferred]
        self._evaluators = list({id(each): each for each in everyone}.values())
        self._search: _native.Search | None = _native.Search(states, states.initial, config)
        self._result: SearchResult | None = None
        self._spent = 0.0  # before it left

    @property
    def spent(self) -> float:
        """What its evaluations, expansions and successors have cost."""
        if self._result is None or self._search is None:
            return self._spent
        counters = self._result.counters
        counted = [evaluator.work for evaluator in self._evaluators]
        uncounted = 0.0 if counted and all(counted) else self._work * counters.evaluated
        successor = QUEUED if self._config.deferred else REGISTERED
        rest = EXPANDED * counters.expanded + successor * counters.generated
        return sum(counted) + uncounted + rest

    @property
    def work(self) -> float:
        """What an evaluation costs, as far as it is known."""
        evaluated = 0 if self._result is None else self._result.counters.evaluated
        return self.spent / evaluated if evaluated else self._work

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
        """Give the memory back; its counters stay."""
        self._spent, self._evaluators = self.spent, []
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
    return Contestant(CLASSICAL, states, config, work)


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


class Race:
    """The searches of one call, in turns."""

    def __init__(
        self,
        model: Model,
        task: GroundTask,
        spec: PlanSpec,
        deadline: float | None,
        watch: Callable[[SearchProgress], bool],
    ) -> None:
        self._model = model
        self._task = task
        self._spec = spec
        self._deadline = deadline
        self._watch = watch
        self._runners: list[Contestant] = []

    def run(self) -> Result:
        """Until one search has an answer or a limit is reached."""
        try:
            with alarm(self._seconds_left()):
                learned = learned_search(self._model, self._task, self._spec)
            self._runners.append(learned)
            status = self._take_turns(learned)
        except TimeIsUp:
            status = Status.TIME_LIMIT
        except MemoryError:
            status = Status.MEMORY_LIMIT
        return self._summary(status)

    @property
    def found(self) -> tuple[list[int], States | None]:
        """The operators of the plan that was found last, and the states of its search."""
        for runner in reversed(self._runners):
            if runner.started and runner.result.status.name == "SOLVED":
                return runner.result.plan, runner.states
        raise RuntimeError("no search has found a plan")

    @property
    def phases(self) -> list[dict[str, object]]:
        """What each search did, for records."""
        return [runner.describe() for runner in self._runners if runner.started]

    @property
    def work(self) -> float:
        """What all evaluations have cost."""
        return sum(runner.spent for runner in self._runners)

    def second_opinion(self, share: float) -> bool:
        """Whether the classical search finds a plan, too, for a share of the work so far."""
        learned = self._runners[0]
        if not (self._spec.fallback and share and learned.result.status.name == "SOLVED"):
            return False
        allowed = max(OPINION, share * min(learned.spent, LONGEST))
        try:
            if len(self._runners) == 1:
                if PREPARATION * self._task.num_operators > allowed:
                    return False
                with alarm(self._seconds_left()):
                    self._runners.append(classical_search(self._task, self._spec))
            classical = self._runners[1]
            while classical.spent < allowed:
                if self._turn(classical, allowed - classical.spent) is not None:
                    break
        except (TimeIsUp, MemoryError):
            return False
        return classical.started and classical.result.status.name == "SOLVED"

    def _take_turns(self, learned: Contestant) -> Status:
        head_start = HEAD_START + PREPARATION * self._task.num_operators
        active, turn = [learned], FIRST_TURN
        while True:
            share = 1 if stagnates(learned) else LEAD
            due = share == 1 or learned.spent >= head_start or not active
            if self._spec.fallback and due and len(self._runners) == 1:
                with alarm(self._seconds_left()):
                    active.append(classical_search(self._task, self._spec))
                self._runners.append(active[-1])
            runner = min(active, key=lambda each: each.spent / (share if each is learned else 1))
            status = self._turn(runner, turn)
            someone_left = len(active) > 1 or len(self._runners) == 1
            if self._spec.fallback and someone_left and _gave_up(status, runner):
                active.remove(runner)
                runner.leave()
            elif status is not None:
                return status
            turn *= GROWTH if len(active) > 1 else 1

    def _turn(self, runner: Contestant, work: float) -> Status | None:
        """How the search ended, or None if only its turn has."""
        limits = (
            left(self._spec.max_evaluations, [each.evaluated for each in self._counters()]),
            left(self._spec.max_expansions, [each.expanded for each in self._counters()]),
        )
        if limits[0] == 0:
            return Status.EVALUATION_LIMIT
        if limits[1] == 0:
            return Status.EXPANSION_LIMIT
        seconds = self._seconds_left()
        if seconds is not None and seconds <= 0:
            return Status.TIME_LIMIT
        result = runner.advance(
            evaluations=evaluations_for(work, runner.work) if runner.started else PROBE,
            limits=limits,
            seconds=seconds,
            watch=self._watch,
        )
        return None if result.status.name == "PAUSED" else Status[result.status.name]

    def _counters(self) -> list[SearchCounters]:
        return [runner.result.counters for runner in self._runners if runner.started]

    def _seconds_left(self) -> float | None:
        return None if self._deadline is None else self._deadline - perf_counter()

    def _summary(self, status: Status) -> Result:
        from beeline.planning.engine import checked_plan

        plan, cost = None, None
        started = [runner for runner in self._runners if runner.started]
        for runner in started:
            if runner.result.status.name == "SOLVED":
                plan, cost = checked_plan(self._task, runner.result)
        counters = [runner.result.counters for runner in started]
        first = started[0].result if started else None
        return Result(
            status=status,
            spec=self._spec,
            plan=plan,
            cost=cost,
            expanded=sum(each.expanded for each in counters),
            evaluated=sum(each.evaluated for each in counters),
            generated=sum(each.generated for each in counters),
            reopened=sum(each.reopened for each in counters),
            dead_ends=sum(each.dead_ends for each in counters),
            initial_h=first.initial_h[0] if first is not None and first.initial_h else None,
            search_time=sum(runner.result.seconds for runner in started),
            states=sum(runner.result.states for runner in started),
            interrupted=any(runner.result.interrupted for runner in started),
            explanation=explanation(started[-1].result) if started else None,
            plan_costs=[] if cost is None else [cost],
            phases=self.phases,
        )


def _gave_up(status: Status | None, runner: Contestant) -> bool:
    """Whether a search ended that says nothing about what another one can find."""
    unproven = status is Status.INCOMPLETE and runner.result.unproven_dead_ends
    return status is Status.MEMORY_LIMIT or (unproven and not runner.result.interrupted)
