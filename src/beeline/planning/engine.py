"""Between specifications and the native engine: one search at a time, and better plans.

The searches of anytime mode: the one that was asked for, then weighted A* with falling weights.

Each search looks for a plan cheaper than the best so far. The last one has weight 1 and is
repeated until it finds nothing more: since all of them but the first reopen states, a search
that ends without a plan and without reaching a limit proves the best plan optimal
(Richter, Thayer and Ruml, "The joy of forgetting: faster anytime search via restarting",
ICAPS 2010).

Improvement takes useless steps out of a plan and replaces parts of it, for as long as one likes
(`native/search/plan_improvement.h`); its work is counted in generated states, so that equal calls
give equal plans. Every plan that leaves this module has been replayed by the lifted meaning of its
actions.
"""

from __future__ import annotations

import math
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
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from beeline._native import (
        Evaluator,
        KeySpec,
        PlanImprover,
        QueueSpec,
        SearchProgress,
        SearchResult,
        States,
    )
    from beeline.planning.heuristics import QueueKey
    from beeline.planning.python_heuristics import ModelHeuristic, PythonHeuristic
    from beeline.planning.solve import OnPlan
    from beeline.planning.specification import SearchSpec
    from beeline.task.ground_task import GroundTask
    from beeline.task.plan_file import Plan

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
        seconds: float | None,
        watch: Callable[[SearchProgress], bool],
        log: int = 0,
    ) -> SearchResult:
        """Run one search; limits are what is left of those in the specification.

        A log is kept of that many states that it evaluates.
        """
        from beeline import _native

        states = self.states = _native.States(self._task.native)
        config = _native.SearchConfig()
        policy = SEARCHES[spec.search].policy
        evaluators: dict[str, Evaluator] = {}
        if policy is None:
            evaluators = {**self._native_evaluators(spec), **self._python_evaluators(states)}
            config.evaluators = [evaluators[name] for name in spec.evaluators]
            if SEARCHES[spec.search].novel:
                config.evaluators = [*config.evaluators, _native.Novelty(self._task.native)]
        else:
            heuristic = self._python[spec.heuristics[0]]
            config.evaluators = policy_evaluators(heuristic, self._task, states)
            config.policy = _native.PolicyMerit[policy.upper()]
        config.preferred = [evaluators[name] for name in spec.preferred]
        config.queues = _queues(spec)
        config.tie_order = _native.TieOrder[spec.tie_breaking.order.upper()]
        config.seed = spec.seed
        config.boost = spec.boost
        config.reopen = spec.reopen
        config.requeue = spec.requeue
        config.deferred = spec.deferred
        config.goal_at_generation = spec.goal_at_generation
        config.batch = spec.batch
        config.log = log
        config.keep_first_parent = spec.search == "bfs"
        if bound is not None:
            config.bound = bound
            # Without reopening, a state that was cut off would stay so when a cheaper path comes.
            config.bound_with_h = spec.reopen and bool(spec.heuristics) and spec.is_admissible
        if max_evaluations is not None:
            config.max_evaluations = max_evaluations
        if max_expansions is not None:
            config.max_expansions = max_expansions
        if seconds is not None:
            config.max_seconds = seconds
        if spec.memory_limit is not None:
            config.max_bytes = spec.memory_limit
        try:
            return _native.search(states, states.initial, config, watch)
        finally:
            # An exception of a Python heuristic holds this frame; if the heuristic holds the
            # exception, the garbage collector could not see the way round through the engine.
            evaluators.clear()

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


def _queues(spec: SearchSpec) -> list[QueueSpec]:
    """A queue for each heuristic, and where operators are preferred another one for these."""
    from beeline import _native

    queues = []
    for name in spec.heuristics or (None,):
        keys = [_key(spec, key, name) for key in spec.tie_breaking.keys]
        keys = keys or [_native.KeySpec(alpha=0, beta=0)]  # all states are alike: breadth-first
        if SEARCHES[spec.search].novel:
            keys = [_native.KeySpec(evaluator=len(spec.evaluators)), *keys]
        queues.append(_native.QueueSpec(keys))
        if spec.preferred:
            queues.append(_native.QueueSpec(keys, preferred_only=True))
    return queues


def _key(spec: SearchSpec, key: QueueKey, heuristic: str | None) -> KeySpec:
    from beeline import _native

    alpha, beta = {"f": (spec.alpha, spec.beta), "g": (1.0, 0.0)}.get(key.word, (0.0, 1.0))
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


def checked_plan(task: GroundTask, found: SearchResult | PlanImprover) -> tuple[Plan, int]:
    """A plan of the engine and its cost, replayed by the lifted meaning of its actions."""
    from beeline.task.ground_task import ARTIFICIAL
    from beeline.task.plan_file import Plan
    from beeline.task.validator import validate

    steps = [step for step in map(task.operator_name, found.plan) if step[1] != ARTIFICIAL]
    verdict = validate(task.problem, steps, unit_costs=task.unit_costs)
    if verdict.cost is None or verdict.cost > found.cost:
        reason = verdict.failure.message if verdict.failure else f"it costs {verdict.cost}"
        raise RuntimeError(f"the engine found a wrong plan: {reason}")
    unit_cost = task.unit_costs or not task.problem.minimize_cost
    return Plan(steps, cost=verdict.cost, unit_cost=unit_cost), verdict.cost


class Improvement:
    """A plan that gets better; steps that it can do without are gone from the beginning.

    `operators` are those of the plan, as searches return them. `states` may be those of the search
    that found it, which saves making them again.
    """

    def __init__(
        self, task: GroundTask, operators: Sequence[int], states: States | None = None
    ) -> None:
        from beeline import _native

        self._task = task
        self._native = _native.PlanImprover(
            _native.States(task.native) if states is None else states, list(operators)
        )
        self._native.eliminate()
        self.plan, self.cost = self._checked()

    @property
    def generated(self) -> int:
        """States generated so far."""
        return self._native.generated

    @property
    def finished(self) -> bool:
        """Whether nothing is left to try."""
        return self._native.finished

    @property
    def optimal(self) -> bool:
        """Whether no plan can be cheaper."""
        return self._native.optimal

    def offer(self, operators: Sequence[int]) -> bool:
        """Go on with another plan if it is cheaper."""
        return self._native.offer(list(operators)) and self._accept()

    def advance(
        self,
        generated: int,
        *,
        seconds: float | None = None,
        memory_limit: int | str | None = None,
        watch: Watch | None = None,
        on_plan: OnPlan | None = None,
    ) -> bool:
        """Work on until about that many more states are generated; whether the plan is better.

        It ends earlier when nothing is left to try, at a limit, or when `watch` returns False.
        `on_plan` is called with each better plan and its cost.
        """
        from time import perf_counter

        end = self._native.generated + generated
        deadline = None if seconds is None else perf_counter() + seconds
        better = False
        while not self._native.finished:
            left = end - self._native.generated
            if left <= 0:
                break
            self._native.advance(
                left,
                math.inf if deadline is None else deadline - perf_counter(),
                **({"bytes": memory_limit} if isinstance(memory_limit, int) else {}),
                until_better=on_plan is not None,
                watch=watch,
            )
            if self._accept():
                better = True
                if on_plan is not None:
                    on_plan(self.plan, self.cost)
            if self._native.stopped:
                break
        return better

    @property
    def stopped(self) -> bool:
        """Whether time, memory or `watch` has ended the last turn."""
        return self._native.stopped

    def _accept(self) -> bool:
        """Whether the engine's plan is better: steps that stand in no plan do not count."""
        plan, cost = self._checked()
        if (cost, len(plan)) >= (self.cost, len(self.plan)):
            return False
        self.plan, self.cost = plan, cost
        return True

    def _checked(self) -> tuple[Plan, int]:
        return checked_plan(self._task, self._native)


def improve(
    task: GroundTask,
    operators: Sequence[int],
    *,
    effort: int,
    seconds: float | None = None,
    on_plan: OnPlan | None = None,
) -> Plan:
    """The plan that becomes of these operators when about `effort` states are generated.

    An effort of 0 takes out useless steps and no more. `on_plan` is called with the plan that is
    left then, and with each better one, and their costs; after `seconds` the best one so far is
    the result.

    >>> from beeline.pddl import parse_domain, parse_problem
    >>> from beeline.task.grounding import ground
    >>> domain = parse_domain('''(define (domain lamps) (:predicates (on ?l))
    ...   (:action switch :parameters (?l) :precondition (not (on ?l)) :effect (on ?l))
    ...   (:action break :parameters (?l) :precondition (on ?l) :effect (not (on ?l))))''')
    >>> task = ground(parse_problem(domain, '''(define (problem one) (:domain lamps)
    ...   (:objects hall) (:init) (:goal (on hall)))'''))
    >>> switch, = task.operator_ids("(switch hall)")
    >>> unscrew, = task.operator_ids("(break hall)")
    >>> improve(task, [switch, unscrew, switch], effort=0)
    ('(switch hall)',)
    """
    improvement = Improvement(task, operators)
    if on_plan is not None:
        on_plan(improvement.plan, improvement.cost)
    improvement.advance(effort, seconds=seconds, on_plan=on_plan)
    return improvement.plan
