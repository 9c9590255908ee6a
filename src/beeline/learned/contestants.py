"""The two searches of `plan`, each ready to take turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.learned.schedule import evaluation_work

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline._native import Evaluator, SearchConfig, SearchProgress, SearchResult, States
    from beeline.learned.model_file import AnyModel
    from beeline.learned.plan_spec import PlanSpec
    from beeline.task.ground_task import GroundTask

ROLLOUT = 50  # expansions that follow the best child after each new best score
BOOST = 1000  # for preferred operators, at each new best value


class Contestant:
    """A search with its states and what one of its evaluations costs."""

    def __init__(self, name: str, states: States, config: SearchConfig, work: float) -> None:
        from beeline import _native

        self.name = name
        self.work = work  # per evaluation
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

    def leave(self) -> None:
        """Give the memory back."""
        self._search = None

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


def learned_search(model: AnyModel, task: GroundTask, spec: PlanSpec) -> Contestant:
    """Greedy search on the learned score."""
    from beeline import _native

    style = spec.style
    states = _native.States(task.native)
    score, work, preferring = _learned_score(model, task, states)
    config = _config([score], spec)
    config.goal_at_generation = True
    config.put_off_lookalikes = style.symmetry
    config.rollout = ROLLOUT if style.rollout else 0
    if style.preferred and preferring is not None:
        _prefer(config, preferring)
    elif style.preferred:
        _prefer(config, _native.make_heuristic("ff", task.native))
        config.put_off_unpreferred = True
    return Contestant("learned", states, config, work)


def _learned_score(
    model: AnyModel, task: GroundTask, states: States
) -> tuple[Evaluator, float, Evaluator | None]:
    """The score of a model's states, the work of one evaluation, and who prefers operators."""
    from beeline import _native
    from beeline.learned.model import Model
    from beeline.learned.task_model import TaskModel

    if isinstance(model, Model):
        uses_ff = model.scorer.ff_weight != 0
        work = evaluation_work(task, colours=True, relaxation=uses_ff)
        return model.scorer.evaluator(task), work, None
    from beeline.planning.batch import PythonHeuristic

    heuristic = model.heuristic_for(task)
    evaluator = PythonHeuristic(heuristic).evaluator(task, states)
    if not isinstance(model, TaskModel):
        return evaluator, heuristic.work, None
    if not model.has_heuristic:
        work = heuristic.work + evaluation_work(task, colours=False, relaxation=True)
        return _native.make_heuristic("ff", task.native), work, evaluator
    return evaluator, heuristic.work, evaluator if model.has_preferred else None


def classical_search(task: GroundTask, spec: PlanSpec) -> Contestant:
    """Greedy search with deferred evaluation on h_FF, with its preferred operators."""
    from beeline import _native

    ff = _native.make_heuristic("ff", task.native)
    config = _config([ff], spec)
    config.deferred = True
    _prefer(config, ff)
    states = _native.States(task.native)
    work = evaluation_work(task, colours=False, relaxation=True)
    return Contestant("classical", states, config, work)


def _config(evaluators: list[Evaluator], spec: PlanSpec) -> SearchConfig:
    from beeline import _native

    config = _native.SearchConfig()
    config.evaluators = evaluators
    config.queues = [_native.QueueSpec([_native.KeySpec()])]
    config.seed = spec.seed
    if spec.memory_limit is not None:
        config.max_bytes = spec.memory_limit
    return config


def _prefer(config: SearchConfig, evaluator: Evaluator) -> None:
    """A second queue for the successors that preferred operators lead to."""
    from beeline import _native

    config.preferred = [evaluator]
    config.queues = [*config.queues, _native.QueueSpec([_native.KeySpec()], preferred_only=True)]
    config.boost = BOOST
