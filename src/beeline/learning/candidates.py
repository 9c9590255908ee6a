"""Models of many candidates at once: one job for each kind of neighbourhood and set of plans.

Candidates that share their examples get their scorers from one table of colours. Examples are what
a loss looks at in a planned task: pairs of states, whole plans, or states with costs-to-go. Ground
tasks are kept by their texts for the next job of the same worker.
"""

from __future__ import annotations

import atexit
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline import _native
from beeline._version import __version__
from beeline.core.errors import BeelineError
from beeline.data.plan_walk import path_rows, sibling_rows, walk_plan
from beeline.fitting import plan_linear
from beeline.fitting.examples import (
    Encoder,
    Examples,
    pair_examples,
    stacked_pairs,
    stacked_targets,
    state_examples,
)
from beeline.fitting.linear import LinearFit, RankingProblem, fit_cost_to_go
from beeline.fitting.losses import LossEntry, loss_entry
from beeline.fitting.pairs import (
    Family,
    enumerate_states,
    open_list_pairs,
    plan_families,
    sibling_pairs,
    trajectory_pairs,
)
from beeline.fitting.plan_graph import task_plan_graph
from beeline.fitting.replay import Replay
from beeline.learning.settings import COUNTED, NO_RELATIONS, THIN, Relations
from beeline.models.colours.model import ColourModel
from beeline.models.colours.scorer import (
    DISTANCE,
    FF,
    STATUSES,
    BaseColours,
    WLLinear,
    WLPolicy,
    colour_graph,
    origins_of_colours,
)
from beeline.pddl import parse_domain, parse_problem
from beeline.planning.heuristics import make_evaluator
from beeline.planning.model import SearchStyle
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline._native import ColourTable, States
    from beeline.learning.settings import Candidate
    from beeline.learning.task_set import PlannedTask
    from beeline.learning.workshop import Experience
    from beeline.task.ground_task import GroundTask

    Tasks = Sequence[PlannedTask]


ALL, OPTIMAL = "all", "optimal"


@lru_cache(maxsize=32)
def ground_text(domain_text: str, name: str, text: str, unit_costs: bool) -> GroundTask:
    """The ground task of two texts; `name` stands for the task in messages."""
    domain = parse_domain(domain_text, "<domain>")
    return ground(parse_problem(domain, text, name), unit_costs=unit_costs)


atexit.register(ground_text.cache_clear)  # tasks must go before the engine does


OPEN_BOUND = 0.1  # how far below an integer bound a Gaussian is cut off
MAX_PAIRS = 20_000  # of one task


class Sampling(NamedTuple):
    """How many states are looked at beside the plans."""

    states: int = 150  # drawn at random from each task whose states are known
    replayed_steps: int = 50_000  # while looking for exchangeable steps of a plan
    seed: int = 0


def task_examples(
    table: ColourTable,
    task: GroundTask,
    planned: PlannedTask,
    loss: LossEntry,
    sampling: Sampling,
    ignored: Sequence[int] = (),
    *,
    chains: bool = False,
    extra: str = FF,
) -> Examples | plan_linear.PlanExamples:
    """What one task with its plan gives to a loss; new colours join the table.

    For `ignored` and `chains` see `colour_graph`. `extra` is the heuristic beside the colours.
    """
    if planned.plan is None:
        raise ValueError(f"the task {planned.name} has no plan")
    graph = colour_graph(task, None, ignored, chains=chains)
    encoder = Encoder(table, graph, make_evaluator(extra, task))
    states = _native.States(task.native)
    if loss.ranking and loss.siblings and not loss.open_lists:
        states, families = task_families(task, planned, sampling)
        pairs = sibling_pairs(families, max_pairs=MAX_PAIRS, seed=sampling.seed)
        return pair_examples(encoder, states, pairs)
    walk = walk_plan(task, states, planned.plan)
    if loss.families:
        return plan_linear.plan_examples(encoder, states, task_plan_graph(task, states, walk))
    if not loss.ranking:
        to_go = dict(zip(walk.states, walk.costs_to_go(task), strict=True))  # from the last visit
        ids = np.array(list(to_go), dtype=np.uint32)
        costs = np.array(list(to_go.values()), dtype=np.float64)
        lower = np.zeros(len(ids))
        if loss.lower_bound:
            lower = np.minimum(make_evaluator("lmcut", task).evaluate(states, ids), costs)
        return state_examples(encoder, states, ids, costs, lower - OPEN_BOUND)
    if not loss.open_lists:
        return pair_examples(encoder, states, trajectory_pairs(walk.states))
    rows = [row._asdict() for row in (*path_rows(task, walk), *sibling_rows(task, states, walk))]
    pairs = open_list_pairs(rows, alpha=loss.alpha, max_pairs=MAX_PAIRS, seed=sampling.seed)
    return pair_examples(encoder, states, pairs)


def task_families(
    task: GroundTask, planned: PlannedTask, sampling: Sampling
) -> tuple[States, list[Family]]:
    """Families along a plan and, in small tasks, of states drawn at random.

    In small tasks the best children are known, all of them; in large ones they are the plan's
    own child and those that are known to be as good.
    """
    states = _native.States(task.native)
    known = planned.states
    space = None if known is None else enumerate_states(task, states, known)
    walk = walk_plan(task, states, planned.plan or ())
    if space is None:
        as_good = Replay(task).exchangeable(walk.operators, max_steps=sampling.replayed_steps)
        for place, operators in enumerate(planned.as_good):
            as_good[place].update(operators)
        return states, plan_families(states, walk, as_good)
    alive = np.flatnonzero((space.distance > 0) & np.isfinite(space.distance))
    drawn = np.random.default_rng(sampling.seed).permutation(alive)[: sampling.states]
    parents = dict.fromkeys([*walk.states[:-1], *np.sort(drawn).tolist()])
    dead = np.flatnonzero(np.isinf(space.distance))
    strayed = np.random.default_rng(sampling.seed).permutation(dead)[: sampling.states]
    return states, space.families(parents) + space.dead_families(np.sort(strayed).tolist())


@dataclass(frozen=True)
class FitJob:
    """All that a worker needs to fit candidates with the same neighbourhoods and plans."""

    domain_text: str
    tasks: tuple[PlannedTask, ...]  # with plans, from small to large
    candidates: tuple[Candidate, ...]
    loss: str
    unit_costs: bool
    seed: int
    relations: Relations = NO_RELATIONS


class Fitted(NamedTuple):
    """A candidate with its scorer, and the size and the loss of its training."""

    candidate: Candidate
    scorer: WLLinear
    examples: int
    loss: float
    policy: WLPolicy | None = None


def data_choices(tasks: Tasks) -> list[str]:
    """Which sets of plans are worth a candidate of their own.

    Optimal plans alone are too few if they come from less than a tenth of the tasks.
    """
    optimal = sum(task.optimal for task in tasks)
    return [OPTIMAL, ALL] if 0.1 * len(tasks) <= optimal < len(tasks) and optimal > 1 else [ALL]


def fit_candidates(job: FitJob) -> list[Fitted]:
    """Fit them all; tasks are encoded once."""
    loss = loss_entry(job.loss)
    rounds = max(candidate.rounds for candidate in job.candidates)
    sampling = Sampling(seed=job.seed)
    table: ColourTable | None = None
    base = BaseColours.of(parse_domain(job.domain_text, "<domain>"))
    ignored = _numbers(base, job.relations.dense if job.candidates[0].statics == THIN else ())
    chains = job.candidates[0].chains
    extra = DISTANCE if job.candidates[0].distance else FF
    parts: list[Any] = []
    for planned in job.tasks:
        task = ground_text(job.domain_text, planned.name, planned.text, job.unit_costs)
        if table is None:
            table = _native.ColourTable(base.count, rounds, job.candidates[0].multiset)
        parts.append(
            task_examples(table, task, planned, loss, sampling, ignored, chains=chains, extra=extra)
        )
    if table is None:
        raise ValueError("there are no tasks to learn from")
    # Candidates that differ in their penalty only share a matrix, the largest penalty first.
    groups: dict[Candidate, list[Candidate]] = {}
    for candidate in sorted(job.candidates, key=lambda each: -each.l2):
        groups.setdefault(candidate._replace(l2=0.0), []).append(candidate)
    uncounted = _colours_of(table, base, _numbers(base, job.relations.alike))
    fitted = {}
    for each, group in groups.items():
        columns = table.rounds_of() <= each.rounds
        if each.statics != COUNTED:
            columns &= ~uncounted
        for fit in _fit_group(table, parts, group, loss, np.flatnonzero(columns)):
            policy = fit.policy and replace(
                fit.policy, logits=fit.policy.logits.seeing(ignored, chains=chains, extra=extra)
            )
            scorer = fit.scorer.seeing(ignored, chains=chains, extra=extra)
            fitted[fit.candidate] = fit._replace(scorer=scorer, policy=policy)
    return [fitted[candidate] for candidate in job.candidates]


def _numbers(base: BaseColours, names: Sequence[str]) -> tuple[int, ...]:
    return tuple(base.predicates.index(name) for name in names)


def _colours_of(
    table: ColourTable, base: BaseColours, predicates: Sequence[int]
) -> NDArray[np.bool_]:
    """Which colours are colours of atoms of these predicates: bool[colours]."""
    origins = origins_of_colours(table.base_colours, *map(np.asarray, table.rows()))
    return np.isin((origins - len(base.kinds)) // len(STATUSES), predicates) & (
        origins >= len(base.kinds)
    )


def _fit_group(
    table: ColourTable,
    parts: Sequence[Any],
    group: list[Candidate],
    loss: LossEntry,
    columns: NDArray[np.int64],
) -> list[Fitted]:
    """Fits of losses that look at whole plans, compare pairs, or estimate costs one by one.

    `columns` are the colours that may have weights.
    """
    rounds, with_extra = group[0].rounds, group[0].h_ff or group[0].distance
    fits: list[plan_linear.PlanFit | LinearFit] = []
    if loss.families:
        features, graph = plan_linear.stacked_plans(parts, columns, with_extra=with_extra)
        examples, scales = graph.count, _scales(features, with_extra)
        fit_plans = partial(plan_linear.fit_plan_loss, loss.name, features, graph, scales=scales)
        fits += [fit_plans(l2=each.l2) for each in group]
    elif loss.ranking:
        pairs = stacked_pairs(parts, columns, with_extra=with_extra)
        examples, scales = len(pairs.weights), _scales(pairs.differences, with_extra)
        problem = RankingProblem(pairs, scales)
        for each in group:
            start = fits[-1].weights if fits else None
            fits.append(problem.fit(l2=each.l2, start=start))
    else:
        targets = stacked_targets(parts, columns, with_extra=with_extra)
        examples, scales = len(targets.weights), _scales(targets.features, with_extra)
        cut = loss.lower_bound
        for each in group:
            fits.append(fit_cost_to_go(targets, truncated=cut, l2=each.l2, scales=scales))
    fitted = []
    for candidate, fit in zip(group, fits, strict=True):
        policy = None
        if isinstance(fit, plan_linear.PlanFit) and fit.logits is not None:
            policy = WLPolicy(_scorer(table, columns, fit.logits, rounds), fit.intercept)
        scorer = _scorer(table, columns, fit.weights, rounds)
        fitted.append(Fitted(candidate, scorer, examples, fit.loss, policy))
    return fitted


def _scales(matrix: Any, with_extra: bool) -> NDArray[np.float64] | None:
    """1 for colour counts; the root mean square of the other heuristic, whose unit may be cost."""
    if not with_extra:
        return None
    extra = matrix[:, [-1]].toarray()
    scales = np.ones(matrix.shape[1])
    scales[-1] = max(float(np.sqrt(np.mean(extra * extra))) if len(extra) else 0.0, 1e-6)
    return scales


def _scorer(
    table: ColourTable, columns: NDArray[np.int64], weights: NDArray[np.float64], rounds: int
) -> WLLinear:
    """The fitted weights as a scorer with the rows that it needs."""
    all_weights = np.zeros(table.size)
    all_weights[columns] = weights[: len(columns)]
    extra_weight = float(weights[len(columns)]) if len(weights) > len(columns) else 0.0
    pruned = WLLinear.from_floats(table, all_weights, extra_weight).pruned()
    return replace(pruned, rounds=rounds)


class Contender(NamedTuple):
    """A model and the choices that made it."""

    candidate: Candidate
    model: ColourModel

    def with_style(self, style: SearchStyle) -> Contender:
        """The same with another style of search."""
        return self._replace(model=replace(self.model, style=style))


def fit_models(
    experience: Experience, candidates: Sequence[Candidate], tasks: Tasks, phase: str
) -> list[Contender]:
    """A model for each candidate, in their order, fitted on these tasks."""
    kinds = dict.fromkeys(map(_kind, candidates))
    domain, settings = experience.training.domain_text, experience.settings
    jobs = []
    for kind in kinds:
        chosen = tuple(task for task in tasks if task.optimal or kind[1] == ALL)
        alike = tuple(each for each in candidates if _kind(each) == kind)
        rest = settings.loss, settings.unit_costs, settings.seed, experience.training.relations
        jobs.append(FitJob(domain, chosen, alike, *rest))
    values = experience.workshop.run(phase, fit_candidates, jobs)
    fitted = {each.candidate: each for found in values for each in found or ()}
    if not fitted:
        message = "all workers died while fitting"
        raise BeelineError(message, hint="give them more memory, or take fewer --jobs")
    known = [each for each in candidates if each in fitted]
    return [Contender(each, _model(experience, fitted[each])) for each in known]


def _kind(candidate: Candidate) -> tuple[bool, str, bool, bool, bool]:
    """Candidates of the same kind share their examples."""
    seen = candidate.statics == THIN, candidate.chains, candidate.distance
    return candidate.multiset, candidate.data, *seen


def _model(experience: Experience, fitted: Fitted) -> ColourModel:
    summary = {
        "candidate": fitted.candidate.to_json(),
        "examples": fitted.examples,
        "training_loss": round(fitted.loss, 6),
    }
    signature, seed = experience.training.signature, experience.settings.seed
    return ColourModel(
        signature, fitted.scorer, SearchStyle(), summary, seed, __version__, fitted.policy
    )
