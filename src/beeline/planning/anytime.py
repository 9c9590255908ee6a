"""After the first plan of `plan`: shorter ones by beams, and better ones until none is left.

A sprint takes the first way that it sees, and a learned search that had to look around the way that
it came. Beam searches find shorter plans, as all states of a layer are equally many steps away: a
narrow one soon finds some plan, and each wider one looks for a cheaper one. After a sprint they go
by `pairs`, nearly the same distances, after a learned search by its score.

Anytime searches go on until no plan can be cheaper or time is up. The plan's improvement and these
searches take turns, half and half by work; turns grow as those of `contestants`. There is weighted
A* with falling weights on h_FF, and there are wider and wider beams on the learned score. A model
with a truncated Gaussian has a third of the turns: a better plan costs less than the best one so
far, which bounds every state from above, u = best cost - g. States whose lower bound reaches u are
pruned, h of others is the mean of the Gaussian between the two bounds, and those come first whose h
is the smallest share of u.

Each looks only for what is cheaper than the best plan so far, and goes on from it when another one
has found it. A search that saw all that lies below its bound proves the best plan optimal (see
`engine`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from beeline import _native
from beeline.core.limits import TimeIsUp
from beeline.planning import contestants
from beeline.planning.contestants import OPINION, WIDTH_WORK, Contestant, search_config
from beeline.planning.engine import WEIGHTS, bounded_key
from beeline.planning.result import GENERATED, LONGEST, evaluation_work, left

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from beeline._native import Evaluator, SearchCounters, SearchProgress, SearchResult, States
    from beeline.core.limits import Clock
    from beeline.planning.engine import Watch
    from beeline.planning.model import Model, Score
    from beeline.planning.plan import PlanSpec, Race
    from beeline.planning.result import Improvement
    from beeline.planning.solve import OnPlan
    from beeline.task.ground_task import GroundTask
    from beeline.task.plan_file import Plan

    MakeSearch = Callable[[float], Contestant]  # of a weight, or a width


LAYERS = 4.0  # times the share of other opinions, after a sprint
WIDTHS = (30, 100, 300, 1000, 3000, 10_000)  # states of a layer
LEARNED_WIDTHS = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
LEARNED = 0.2e6  # work that beams on the learned score may always do


def shorter_by_beams(
    race: Race, first: Contestant, known: Improvement, share: float, works: float
) -> bool:
    """Whether beams find another plan for a share of the work that the first one took.

    After a learned search it is cheaper than what is `known`, the first one without useless steps.
    """
    states = _native.States(race.task.native)
    if first.name == contestants.SPRINT:
        pairs = _native.make_heuristic("pairs", race.task.native)

        def near_beam(task: GroundTask, spec: PlanSpec, width: int) -> Contestant:
            return beam_search(f"beam-{width}", spec, states, pairs, WIDTH_WORK, width)

        allowed = max(OPINION, share * min(LAYERS * works, LONGEST)) - pairs.work  # of its tables
        return _widening_beams(race, near_beam, WIDTHS, allowed)
    if contestants.is_crowded(first, race.task):
        return False
    beam_of = partial(learned_beam, states=states, score=race.model.score(race.task, states))
    allowed = max(LEARNED, share * min(works, LONGEST))
    return _widening_beams(race, beam_of, LEARNED_WIDTHS, allowed, known.cost)


def _widening_beams(
    race: Race,
    beam_of: Callable[..., Contestant],
    widths: Sequence[int],
    work: float,
    bound: int | None = None,
) -> bool:
    """Whether they find plans before so much work is done; each is cheaper than the last one."""
    best: Contestant | None = None
    for width in widths:
        beam = race.join(partial(beam_of, width=width))
        if bound is not None:
            beam.tighten(bound)
        if not race.solves(beam, work):
            beam.leave()
            break
        if best is not None:
            best.leave()
        best, work = beam, work - beam.spent
        bound = sum(int(race.task.costs[number]) for number in best.result.plan)
    return best is not None


def learned_beam(
    task: GroundTask, spec: PlanSpec, *, states: States, score: Score, width: int
) -> Contestant:
    """Layers of the `width` states with the best learned score."""
    name = f"learned-beam-{width}"
    return beam_search(name, spec, states, score.evaluator, score.work, width)


def beam_search(
    name: str, spec: PlanSpec, states: States, evaluator: Evaluator, work: float, width: int
) -> Contestant:
    """Layers of the `width` best states."""
    config = search_config([evaluator], spec)
    config.beam = config.goal_at_generation = True
    config.batch = width
    config.tie_order = _native.TieOrder.RANDOM
    return Contestant(name, states, config, work)


def weighted_search(task: GroundTask, spec: PlanSpec, weight: float) -> Contestant:
    """Weighted A* on h_FF: g + weight * h, ties by h."""
    config = search_config([_native.make_heuristic("ff", task.native)], spec)
    config.queues = [_native.QueueSpec([_native.KeySpec(1, weight), _native.KeySpec()])]
    config.reopen = True
    work = evaluation_work(task, colours=False, relaxation=True)
    return Contestant(f"weighted-{weight:g}", _native.States(task.native), config, work)


class Anytime:
    """All of them, with the best plan in `improvement`."""

    def __init__(
        self,
        model: Model,
        task: GroundTask,
        spec: PlanSpec,
        improvement: Improvement,
        limits: tuple[int | None, int | None],
        clock: Clock,
        watch: Watch,
        on_plan: OnPlan | None,
    ) -> None:
        self._model = model
        self._task = task
        self._spec = spec
        self._improvement = improvement
        self._limits = limits  # evaluations and expansions left to weighted A*
        self._clock = clock
        self._watch = watch
        self._report = on_plan
        self._series: list[_Series] = []  # as long as they go on
        self._ended: list[SearchResult] = []  # searches that have
        self.costs: list[int] = []
        self.optimal = False
        self.interrupted = False

    @property
    def searches(self) -> list[SearchResult]:
        """How the searches of all series stand."""
        current = [each.search for each in self._series if each.search is not None]
        return [*self._ended, *(search.result for search in current if search.started)]

    def run(self) -> None:
        """Until no plan can be cheaper, all have given up, or something ends it."""
        turn = contestants.FIRST_TURN
        try:
            with self._clock.alarm():
                self._series = self._join()
            while not self._over():
                self._improve(turn)
                for series in list(self._series):
                    if not self._over():
                        self._take_turn(series, turn / len(self._series))
                if not self._series and (self._improvement.finished or self._improvement.stopped):
                    break
                turn *= contestants.GROWTH
        except (TimeIsUp, MemoryError):
            pass

    def _join(self) -> list[_Series]:
        """Weighted A* on h_FF and beams, and weighted A* on a Gaussian if there is one to bound."""
        task, spec = self._task, self._spec

        def beam(width: float) -> Contestant:
            states = _native.States(task.native)
            score = self._model.score(task, states)
            return learned_beam(task, spec, states=states, score=score, width=int(width))

        found = [
            _Series(lambda weight: weighted_search(task, spec, weight)),
            _Series(beam, LEARNED_WIDTHS, proves=False),
        ]
        if task.unwritten:
            found = []
        if spec.unbounded or not self._model.has_distribution:
            return found
        states = _native.States(task.native)
        score = self._model.score(task, states)
        if score.gaussian is None:
            return found
        gaussian, work = score.gaussian, score.work

        def bounded_search(_: float) -> Contestant:
            """By the mean's share of what is left; the model is asked once for each state."""
            config = _native.SearchConfig()
            config.evaluators = gaussian.evaluators
            keys = [bounded_key(gaussian, share=True), bounded_key(gaussian)]
            config.queues = [_native.QueueSpec(keys)]
            config.reopen = config.bound_with_h = True
            config.seed = spec.seed
            if isinstance(spec.memory_limit, int):
                config.max_bytes = spec.memory_limit
            return Contestant("bounded", states, config, work)

        return [*found, _Series(bounded_search, WEIGHTS[-1:])]

    def _improve(self, turn: float) -> None:
        self._improvement.advance(
            int(turn / GENERATED),
            seconds=self._clock.left(),
            memory_limit=self._spec.memory_limit,
            watch=self._watch_closely,
            on_plan=self._found,
        )
        self.optimal = self._improvement.optimal

    def _take_turn(self, series: _Series, turn: float) -> None:
        with self._clock.alarm():
            search = series.current()
        search.tighten(self._improvement.cost)
        counters: list[SearchCounters] = [result.counters for result in self.searches]
        limits = (
            left(self._limits[0], [each.evaluated for each in counters]),
            left(self._limits[1], [each.expanded for each in counters]),
        )
        if 0 in limits:
            self._leave(series)
            return
        result = search.advance(
            evaluations=contestants.evaluations_for(turn, search.work),
            limits=limits,
            seconds=self._clock.left(),
            watch=self._watch_closely,
        )
        if result.status.name == "PAUSED" or result.interrupted:
            return
        if result.status.name == "SOLVED":
            self._ended.append(result)
            series.go_on()
            if self._improvement.offer(result.plan):
                self._found(self._improvement.plan, self._improvement.cost)
        else:
            self._leave(series)
            exhausted = result.status.name in ("UNSOLVABLE", "INCOMPLETE")
            self.optimal = series.proves and exhausted and not result.unproven_dead_ends

    def _leave(self, series: _Series) -> None:
        if series.search is not None and series.search.started:
            self._ended.append(series.search.result)
        self._series.remove(series)

    def _found(self, plan: Plan, cost: int) -> None:
        self.costs.append(cost)
        if self._report is not None:
            self._report(plan, cost)

    def _watch_closely(self, progress: SearchProgress) -> bool:
        goes_on = self._watch(progress)
        if not goes_on and not self._clock.has_worked_enough:
            self.interrupted = True
        return goes_on

    def _over(self) -> bool:
        return self.optimal or self.interrupted or self._clock.is_up


class _Series:
    """Searches with falling weights or growing widths, one after another.

    One that `proves` has seen all that is cheaper than its bound when it ends; a beam, which looks
    at each state once, may have come to it by a dearer way.
    """

    def __init__(
        self, make: MakeSearch, weights: Sequence[float] = WEIGHTS, *, proves: bool = True
    ) -> None:
        self._make = make
        self._weights = weights
        self.proves = proves
        self.search: Contestant | None = None

    def current(self) -> Contestant:
        """The search whose turn it is."""
        if self.search is None:
            self.search = self._make(self._weights[0])
        return self.search

    def go_on(self) -> None:
        """The last one has found a plan: the next weight, the last one again and again."""
        self.search = None
        self._weights = self._weights[1:] or self._weights
