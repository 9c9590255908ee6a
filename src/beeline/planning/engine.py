"""Between specifications and the native engine: one search at a time, and better plans.

The searches of anytime mode: the one that was asked for, then weighted A* with falling weights.

Each search looks for a plan cheaper than the best so far. The last one has weight 1 and is
repeated until it finds nothing more: since all of them but the first reopen states, a search
that ends without a plan and without reaching a limit proves the best plan optimal
(Richter, Thayer and Ruml, "The joy of forgetting: faster anytime search via restarting",
ICAPS 2010). A model with a truncated Gaussian is told the best cost: a state whose lower bound
reaches what is left of it is pruned, and of others the mean of the Gaussian below that is h.

Improvement takes useless steps out of a plan and replaces parts of it, for as long as one likes
(`native/search/plan_improvement.h`); its work is counted in generated states, so that equal calls
give equal plans. Every plan that leaves this module has been replayed by the lifted meaning of its
actions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from beeline.planning.heuristics import (
    HEURISTICS,
    heuristic_work,
    make_evaluator,
    parse_tie_breaking,
)
from beeline.planning.python_heuristics import policy_evaluators
from beeline.planning.searches import SEARCHES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from beeline._native import (
        Evaluator,
        KeySpec,
        QueueSpec,
        SearchConfig,
        SearchProgress,
        SearchResult,
        States,
    )
    from beeline.planning.heuristics import QueueKey
    from beeline.planning.model import Gaussian
    from beeline.planning.python_heuristics import ModelHeuristic, PythonHeuristic
    from beeline.planning.specification import SearchSpec
    from beeline.task.ground_task import GroundTask

    Watch = Callable[[SearchProgress], bool]


class Engine:
    """A task with its evaluators, ready for one or more searches."""

    def __init__(
        self,
        task: GroundTask,
        spec: SearchSpec,
        python: Mapping[str, PythonHeuristic | ModelHeuristic],
    ) -> None:
        self._task = task
        self._python = python
        self._native: dict[tuple[str, str], Evaluator] = {}  # by name and kind of costs
        self._native_evaluators(spec)
        self.states: States | None = None  # of the last search
        self._known: tuple[States, Gaussian] | None = None  # what a model says of states
        # What the values of one state cost, in microseconds of a usual machine; nobody knows that
        # of heuristics in Python, which are never cheaper than those of the engine.
        names = dict.fromkeys([*spec.evaluators, *spec.preferred])
        self.work = max(
            [heuristic_work(name if name in HEURISTICS else "ff", task) for name in names] or [1.0]
        )

    def search(
        self,
        spec: SearchSpec,
        *,
        bound: int | None,
        max_evaluations: int | None,
        max_expansions: int | None,
        seconds: Callable[[], float | None],
        watch: Callable[[SearchProgress], bool],
        log: int = 0,
        between: Callable[[float], int | None] | None = None,
    ) -> SearchResult:
        """Run one search; limits are what is left of those in the specification.

        A log is kept of that many states that it evaluates. A search with something to do
        `between` its turns tells it how much work the last one was, in microseconds of a usual
        machine, and goes on with a new bound; with none it is left there, paused.
        """
        from beeline import _native

        known = None if bound is None else self._gaussian(spec)
        states = self.states = _native.States(self._task.native) if known is None else known[0]
        config = _native.SearchConfig()
        policy = SEARCHES[spec.search].policy
        evaluators: dict[str, Evaluator] = {}
        if known is not None:
            config.evaluators = known[1].evaluators
        elif policy is None:
            evaluators = {**self._native_evaluators(spec), **self._python_evaluators(states)}
            config.evaluators = [evaluators[name] for name in spec.evaluators]
            if SEARCHES[spec.search].novel:
                config.evaluators = [*config.evaluators, _native.Novelty(self._task.native)]
        else:
            heuristic = self._python[spec.heuristics[0]]
            config.evaluators = policy_evaluators(heuristic, self._task, states)
            config.policy = _native.PolicyMerit[policy.upper()]
        config.preferred = [evaluators[name] for name in spec.preferred]
        config.queues = _queues(spec, None if known is None else known[1])
        config.tie_order = _native.TieOrder[spec.tie_breaking.order.upper()]
        config.seed = spec.seed
        config.boost = spec.boost
        config.reopen = spec.reopen
        config.requeue = spec.requeue
        config.symmetry = spec.symmetry
        config.deferred = spec.deferred
        config.goal_at_generation = spec.goal_at_generation
        config.batch = spec.batch
        if SEARCHES[spec.search].beam:
            config.beam = True
        config.log = log
        config.keep_first_parent = spec.search == "bfs"
        if bound is not None:
            config.bound = bound
            # Without reopening, a state that was cut off would stay so when a cheaper path comes.
            admissible = known is not None or (bool(spec.heuristics) and spec.is_admissible)
            config.bound_with_h = spec.reopen and admissible
        if max_evaluations is not None:
            config.max_evaluations = max_evaluations
        if max_expansions is not None:
            config.max_expansions = max_expansions
        if spec.memory_limit is not None:
            config.max_bytes = spec.memory_limit
        try:
            if between is not None:
                return self._take_turns(config, states, seconds, watch, between)
            if (limit := seconds()) is not None:
                config.max_seconds = limit
            return _native.search(states, states.initial, config, watch)
        finally:
            # An exception of a Python heuristic holds this frame; if the heuristic holds the
            # exception, the garbage collector could not see the way round through the engine.
            evaluators.clear()

    def _take_turns(
        self,
        config: SearchConfig,
        states: States,
        seconds: Callable[[], float | None],
        watch: Watch,
        between: Callable[[float], int | None],
    ) -> SearchResult:
        from beeline.planning.contestants import EXPANDED, FIRST_TURN, GROWTH, LOOKED, Contestant

        counting = {id(each): each for each in [*config.evaluators, *config.preferred]}.values()
        before = sum(each.work for each in counting) + LOOKED * states.looked_at  # until now
        search = Contestant("", states, config, self.work)
        done, work, turn = 0.0, self.work, FIRST_TURN
        while True:
            result = search.advance(
                evaluations=max(1, int(turn / max(work, EXPANDED))),
                limits=(None, None),
                seconds=seconds(),
                watch=watch,
            )
            if result.status.name != "PAUSED":
                return result
            spent = search.spent - before
            bound = between(spent - done)
            if bound is None:
                return result
            search.tighten(bound)
            done, work, turn = spent, spent / result.counters.evaluated, turn * GROWTH

    def _gaussian(self, spec: SearchSpec) -> tuple[States, Gaussian] | None:
        """What the only heuristic knows, if it is a model with a Gaussian, and the states for it.

        All searches share these states, so that the model is asked once for each.
        """
        from beeline import _native

        plain = not (spec.preferred or spec.deferred or spec.unbounded or len(spec.evaluators) > 1)
        if not (spec.anytime and spec.reopen and plain and spec.evaluators[0] in self._python):
            return None
        if self._known is None:
            states = _native.States(self._task.native)
            gaussian = self._python[spec.evaluators[0]].gaussian(self._task, states)
            self._known = None if gaussian is None else (states, gaussian)
        return self._known

    def _native_evaluators(self, spec: SearchSpec) -> dict[str, Evaluator]:
        found = {}
        for name in [*spec.evaluators, *spec.preferred]:
            if name not in self._python:
                if (name, spec.costs) not in self._native:
                    like = next(
                        (made for key, made in self._native.items() if key[0] == name), None
                    )
                    evaluator = make_evaluator(name, self._task, spec.costs, like)
                    self._native[name, spec.costs] = evaluator
                found[name] = self._native[name, spec.costs]
        return found

    def _python_evaluators(self, states: States) -> dict[str, Evaluator]:
        return {
            name: heuristic.evaluator(self._task, states)
            for name, heuristic in self._python.items()
        }


def bounded_key(gaussian: Gaussian, *, share: bool = False, rounded: bool = False) -> KeySpec:
    """The mean h below u, which is what a better plan may still cost, or its share h / u.

    Weighted A* compares g + w h: the nearer u is, the more all h below it are alike, and states
    that hardly lead below u at all look as good as others. Shares put these last, need no weights,
    and go deep as long as there is room: this is the order of van den Berg, Shah, Huang and
    Goldberg, "Anytime Nonparametric A*" (AAAI 2011), with a learned h.
    """
    from beeline import _native

    return _native.KeySpec(0, 1, 1, rounded, sigma=2, margin=gaussian.margin, share=share)


def _queues(spec: SearchSpec, gaussian: Gaussian | None) -> list[QueueSpec]:
    """A queue for each heuristic, and where operators are preferred another one for these."""
    from beeline import _native

    queues = []
    for name in spec.heuristics or (None,):
        keys = [_key(spec, key, name, gaussian) for key in spec.tie_breaking.keys]
        keys = keys or [_native.KeySpec(alpha=0, beta=0)]  # all states are alike: breadth-first
        if SEARCHES[spec.search].novel:
            keys = [_native.KeySpec(evaluator=len(spec.evaluators)), *keys]
        queues.append(_native.QueueSpec(keys))
        if spec.preferred:
            queues.append(_native.QueueSpec(keys, preferred_only=True))
    return queues


def _key(
    spec: SearchSpec, key: QueueKey, heuristic: str | None, gaussian: Gaussian | None
) -> KeySpec:
    from beeline import _native

    alpha, beta = {"f": (spec.alpha, spec.beta), "g": (1.0, 0.0)}.get(key.word, (0.0, 1.0))
    if gaussian is not None and beta:
        return bounded_key(gaussian, share=alpha > 0, rounded=key.rounded)
    name = heuristic if key.word in ("f", "g", "h") else key.word
    evaluator = spec.evaluators.index(name) if name in spec.evaluators else 0
    return _native.KeySpec(alpha, beta, evaluator, key.rounded)


WEIGHTS = (5.0, 3.0, 2.0, 1.0)


def stages(spec: SearchSpec, *, unit_costs: bool = False) -> Iterator[SearchSpec]:
    """The searches in order, without end; LAMA's look at costs only after the first plan.

    >>> from itertools import islice
    >>> from beeline.planning.specification import make_spec
    >>> [(stage.search, stage.beta) for stage in islice(stages(make_spec("gbfs", anytime=True)), 7)]
    [('gbfs', 1.0), ('wastar', 5.0), ('wastar', 3.0), ('wastar', 2.0), ('astar', 1.0),
     ('astar', 1.0), ('astar', 1.0)]
    """
    yield spec
    if spec.costs == "one":
        spec = replace(spec, costs="plusone")
        if not unit_costs:
            yield spec
    first_weight = spec.beta / spec.alpha if spec.alpha else float("inf")
    for weight in WEIGHTS:
        if weight < first_weight:
            yield _weighted(spec, weight)
    while True:
        yield _weighted(spec, 1.0)


def _weighted(spec: SearchSpec, weight: float) -> SearchSpec:
    """The same heuristics and queues under weighted A*, or A* where it keeps its promise."""
    plain = not (spec.preferred or spec.deferred or spec.goal_at_generation or spec.batch > 1)
    is_astar = weight == 1 and plain and len(spec.heuristics) == 1 and spec.costs == "plain"
    entry = SEARCHES["astar" if is_astar else "wastar"]
    tie_breaking = parse_tie_breaking(entry.tie_breaking, "f")._replace(
        order=spec.tie_breaking.order
    )
    return replace(
        spec,
        search=entry.name,
        alpha=1.0,
        beta=weight,
        tie_breaking=tie_breaking,
        reopen=True,
    )
