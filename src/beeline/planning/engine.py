"""Between specifications and the native engine: evaluators, queues, one search at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.planning.heuristics import make_evaluator
from beeline.planning.policy import policy_evaluators
from beeline.planning.specification import SEARCHES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from beeline._native import Evaluator, KeySpec, QueueSpec, SearchProgress, SearchResult, States
    from beeline.planning.batch import ModelHeuristic, PythonHeuristic
    from beeline.planning.specification import SearchSpec
    from beeline.planning.tie_breaking import QueueKey
    from beeline.task.ground_task import GroundTask


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
        names = dict.fromkeys([*spec.evaluators, *spec.preferred])
        self._evaluators = {
            name: make_evaluator(name, task) for name in names if name not in python
        }

    def search(
        self,
        spec: SearchSpec,
        *,
        bound: int | None,
        max_evaluations: int | None,
        max_expansions: int | None,
        seconds: float | None,
        watch: Callable[[SearchProgress], bool],
    ) -> SearchResult:
        """Run one search; limits are what is left of those in the specification."""
        from beeline import _native

        states = _native.States(self._task.native)
        config = _native.SearchConfig()
        policy = SEARCHES[spec.search].policy
        evaluators: dict[str, Evaluator] = {}
        if policy is None:
            evaluators = {**self._evaluators, **self._python_evaluators(states)}
            config.evaluators = [evaluators[name] for name in spec.evaluators]
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
