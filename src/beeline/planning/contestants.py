"""The searches of `plan`, and when they take turns.

The learned search goes first, for HEAD_START of work, more in large tasks. Then it shares the time
with others, in turns that grow by GROWTH, and whoever has done less for its share goes next: first
with a sprint, a best-first width search over the distances of goals, in stages where they can be
reached so, which sees a hundred states where others see one, and which has the floor if the learned
search is stuck; after SPRINT_WORK with a classical search. While the learned search gets closer to
the goal its share is LEAD times that of the other. It is no more than that of the other when the
search has expanded STRAY times as many states as a relaxed plan has steps: some scores fall for
ever. When it has found no new best score for PATIENCE units of work, and for STALE of all the work
it has done, or has gone LOST times as far, its share is half that of the other, which catches up.

Both sides get help where they take long. A learned search that is stuck in a pit of its score
shares its part with one that also looks for what is new, and with one, for most of it, that goes
goal by goal: among states with the fewest open goals it takes those first that show a new value,
and only then those with a better score. The sprint goes on with an eighth of the classical part,
and after LONG a width search over landmarks has another one. So the classical search alone would
need at least half the work where the model does not help, but for the head start, the sprint and a
turn, and 3 parts in 16 where the model leads on and is overtaken.

A plan of the learned search gets a second opinion: the classical search may do OPINION of work, or
a share of what the plan has cost, to find one of its own. So may beams (`anytime`).

Where actions are unwritten there are no relaxed plans and no landmarks: what is left are the
searches on the learned score and, unless nobody can look at all successors, the sprint, which has
no larger part than beside a classical search.

Work is counted by the evaluators, in microseconds of a usual machine, and not by a clock: the same
task, model and seed lead to the same plan everywhere. What is new is told by novelty: how much of a
state is in no state before that is as good (Lipovetzky and Geffner, "Best-first width search", AAAI
2017).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline import _native
from beeline.core.errors import Status
from beeline.planning.result import SearchTrace, evaluation_work

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline._native import Evaluator, SearchConfig, SearchProgress, SearchResult, States
    from beeline.planning.model import Model
    from beeline.planning.plan import PlanSpec
    from beeline.task.ground_task import GroundTask

# In microseconds of a usual machine.
PATIENCE = 0.15e6
STALE = 0.25
HEAD_START = 0.2e6
LARGE = 8.0  # more for each operator: a step takes longer, too
PREPARATION, LANDMARKS = 1.0, 0.02  # of the classical search, for each operator; and goal
LEAD, LAG = 3.0, 0.5  # shares of the learned side, while it makes progress and when it is stuck
FAVOUR = 8.0  # share of the search goal by goal beside each other learned one
STEADY = 6.0  # share of the classical search beside each width search, whose turns are as short
SPRINT_WORK = 0.3e6
STRAY, LOST = 5, 20  # expansions of the learned search for each step of a relaxed plan
SOME = 200  # expansions more, which small tasks may take
FIRST_TURN = 0.05e6
GROWTH = 1.1
OPINION = 0.08e6
LONG = 1e6
# Operators in such numbers, many at a time: nobody can look at all successors, only at their kinds.
CROWDED = 1_000_000
MILLIONS = 4_000_000  # of operators: a relaxed plan for each expansion takes too long, and too much
PROBE = 500  # evaluations of a first turn, at most, which tell what one costs in this task
EXPANDED = 0.5  # a state
REGISTERED, QUEUED = 0.2, 0.03  # a successor, in eager searches and in deferred ones
LOOKED = 0.008  # what was looked at for it
WIDTH_WORK = 5.0  # an evaluation, until it has been counted


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


def has_gone(runner: Contestant, classical: Contestant | None, times: int) -> bool:
    """Whether a search has expanded so many states for each step of the first relaxed plan."""
    if not runner.started or classical is None or not classical.started:
        return False
    return runner.result.counters.expanded > times * classical.result.initial_h[0] + SOME


def standing(learned: Contestant, classical: Contestant | None) -> tuple[bool, float]:
    """Whether the learned search has gone astray, and its share of the work beside the other."""
    if stagnates(learned) or has_gone(learned, classical, LOST):
        return True, LAG
    strays = has_gone(learned, classical, STRAY)
    return strays, 1.0 if strays else LEAD


def part(runner: Contestant, share: float, task: GroundTask) -> float:
    """The part of a search's side if that of the learned one is `share`; of a sprint alone less."""
    if runner.by_model:
        return share
    return 1 / STEADY if task.unwritten else 1.0


def whose_turn(runners: list[Contestant], share: float, task: GroundTask) -> Contestant:
    """Whoever has done less, of the side that has done less for its share."""

    def rank(runner: Contestant) -> tuple[float, float]:
        side = [each.spent for each in runners if each.by_model is runner.by_model]
        return sum(side) / part(runner, share, task), runner.spent / runner.steadiness

    return min((each for each in runners if not each.has_left), key=rank)


def is_crowded(runner: Contestant, task: GroundTask) -> bool:
    """Whether so much can be done in a state that looking at all of it takes too long."""
    products = runner.states is not None and runner.states.has_products
    return products or task.num_operators >= CROWDED


def head_start(task: GroundTask) -> float:
    """What the learned search may do before others join in."""
    return HEAD_START + (0.0 if task.unwritten else LARGE * task.bulk)


def preparation(task: GroundTask) -> float:
    """What the classical search does before it begins: relaxed tasks, and landmarks of goals."""
    return (PREPARATION + LANDMARKS * task.num_goals) * task.bulk


def can_sprint(learned: Contestant, task: GroundTask) -> bool:
    """Whether somebody can look at all successors of a state."""
    return not (task.unwritten and learned.states is not None and learned.states.has_products)


def help_may_come(runners: list[Contestant], task: GroundTask) -> bool:
    """Whether there are searches that have not begun and that come when others give up."""
    names = {each.name for each in runners}
    if not task.unwritten:
        return CLASSICAL not in names
    return SPRINT not in names and can_sprint(runners[0], task)


def gave_up(status: Status | None, runner: Contestant) -> bool:
    """Whether a search ended that says nothing about what another one can find."""
    unproven = status is Status.INCOMPLETE and runner.result.unproven_dead_ends
    return status is Status.MEMORY_LIMIT or (unproven and not runner.result.interrupted)


LEARNED, EXPLORING, CLASSICAL = "learned", "exploring", "classical"
GOALWISE = "goalwise"
SPRINT, WIDTH = "sprint", "width"
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
        self._before = sum(each.work for each in self._evaluators)  # of searches that shared them
        self._spent = 0.0  # before it left

    @property
    def evaluators(self) -> tuple[Evaluator, ...]:
        """What it looks at states with."""
        return tuple(self._config.evaluators)

    @property
    def spent(self) -> float:
        """What its evaluations, expansions and successors have cost."""
        if self._result is None or self.states is None:
            return self._spent
        counters = self._result.counters
        counted = [evaluator.work for evaluator in self._evaluators]
        uncounted = 0.0 if counted and all(counted) else self._work * counters.evaluated
        successor = QUEUED if self._config.deferred else REGISTERED
        rest = EXPANDED * counters.expanded + successor * counters.generated
        rest += LOOKED * self.states.looked_at
        return sum(counted) - self._before + uncounted + rest

    @property
    def work(self) -> float:
        """What an evaluation costs, as far as it is known."""
        evaluated = self._result.counters.evaluated if self._result else 0
        return self.spent / evaluated if evaluated else self._work

    @property
    def by_model(self) -> bool:
        """Whether it follows the learned score."""
        return self.name in (LEARNED, EXPLORING, GOALWISE)

    @property
    def steadiness(self) -> float:
        """Its share beside others of its side; below STEADY its turns are shorter, too."""
        if self.name in (SPRINT, WIDTH):
            return 1.0
        return FAVOUR * STEADY if self.name == GOALWISE else STEADY

    @property
    def has_left(self) -> bool:
        """Whether it has given up."""
        return self._search is None

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

    def keep_log(self, states: int) -> None:
        """Remember which states it looks at, up to that many; before its first turn."""
        self._config.log = states

    def trace(self, task: GroundTask) -> SearchTrace | None:
        """How it stands, with its log; None if it has not begun or has given up its states."""
        if self._result is None or self.states is None:
            return None
        heuristic = {CLASSICAL: "ff", WIDTH: "landmarks"}.get(self.name, "score")
        return SearchTrace(self.name, self._result, task, self.states, heuristic)

    def tighten(self, bound: int) -> None:
        """Look for plans that cost less than this from the next turn on."""
        self._config.bound = bound

    def leave(self) -> None:
        """Give the memory back; its counters stay."""
        self._spent, self._evaluators, self._search, self.states = self.spent, [], None, None

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


def learned_search(
    model: Model, task: GroundTask, spec: PlanSpec, *, exploring: bool = False
) -> Contestant:
    """Greedy search on the learned score.

    With `exploring`, a state comes late whose score another one had before, as it is likely to be
    the same but for names; a second queue is ordered by novelty among states of the same score.
    """
    style = spec.style or model.style
    states = _native.States(task.native)
    score = model.score(task, states)
    config = search_config([score.evaluator], spec)
    config.goal_at_generation = True
    config.put_off_lookalikes = style.symmetry or (
        states.has_products and task.num_operators >= CROWDED
    )
    config.rollout = ROLLOUT if style.rollout else 0
    relaxed = task.num_operators < MILLIONS and not task.unwritten
    if style.preferred and score.preferring is not None and not (score.reserve and relaxed):
        _prefer(config, score.preferring)
        config.put_off_unpreferred = score.others_wait
    elif style.preferred and relaxed:
        _prefer(config, _native.make_heuristic("ff", task.native))
        config.put_off_unpreferred = True
    if exploring:
        novelties = [_native.Novelty(task.native, width=width) for width in (0, 2)]
        config.evaluators = [score.evaluator, *novelties]
        config.queues = [
            _native.QueueSpec([_native.KeySpec(evaluator=each) for each in (number, 0)])
            for number in (1, 2)
        ]
    return Contestant(EXPLORING if exploring else LEARNED, states, config, score.work)


def goalwise_search(model: Model, task: GroundTask, spec: PlanSpec) -> Contestant:
    """Fewest open goals first, then what shows a value that is new among these, then the score.

    A pit of the score is left by way of states that are worse but new. There are no relaxed plans.
    """
    states = _native.States(task.native)
    score = model.score(task, states)
    goals = _native.make_heuristic("goalcount", task.native)
    config = search_config([goals, _native.Novelty(task.native, width=1), score.evaluator], spec)
    config.queues = [_native.QueueSpec([_native.KeySpec(evaluator=each) for each in range(3)])]
    config.goal_at_generation = True
    config.put_off_lookalikes = (spec.style or model.style).symmetry
    return Contestant(GOALWISE, states, config, score.work)


def classical_search(task: GroundTask, spec: PlanSpec) -> Contestant:
    """LAMA's first search: greedy, deferred, h_FF and landmarks in turns, all costs 1."""
    one = _native.CostType.ONE
    ff = _native.make_heuristic("ff", task.native, one)
    config = search_config([ff, _native.make_heuristic("landmarks", task.native, one)], spec)
    config.deferred = True
    _prefer(config, ff)
    states = _native.States(task.native)
    work = evaluation_work(task, colours=False, relaxation=True)
    return Contestant(CLASSICAL, states, config, work)


def sprint(task: GroundTask, spec: PlanSpec) -> Contestant:
    """Best-first width search: novelty among states whose goals are as near.

    Where goals can be reached in stages, those of the next stage; elsewhere all of them.
    """
    ahead = "distance" if task.unwritten else "stages"
    return _novel(SPRINT, [_native.make_heuristic(ahead, task.native)], task, spec)


def width_search(task: GroundTask, spec: PlanSpec, *, like: Contestant) -> Contestant:
    """Best-first width search: novelty among states with as many landmarks and goals ahead.

    `like` is the classical search, whose landmarks it takes over. There are no relaxed plans.
    """
    one = _native.CostType.ONE
    landmarks = _native.make_heuristic("landmarks", task.native, one, like.evaluators[1])
    return _novel(WIDTH, [landmarks, _native.make_heuristic("goalcount", task.native)], task, spec)


def _novel(name: str, ahead: list[Evaluator], task: GroundTask, spec: PlanSpec) -> Contestant:
    """Greedy search on what is new among states with the same values, then on these values."""
    config = search_config([*ahead, _native.Novelty(task.native)], spec)
    order = (len(ahead), *range(len(ahead)))
    config.queues = [_native.QueueSpec([_native.KeySpec(evaluator=number) for number in order])]
    config.goal_at_generation = True
    return Contestant(name, _native.States(task.native), config, WIDTH_WORK)


def search_config(evaluators: list[Evaluator], spec: PlanSpec) -> SearchConfig:
    """Greedy search, a queue for each evaluator."""
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
