"""Models of many candidates at once: one job for each kind of neighbourhood and set of plans.

Candidates that share their examples get their scorers from one table of colours.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline import _native
from beeline._version import __version__
from beeline.core.errors import BeelineError
from beeline.fitting import plan_linear
from beeline.fitting.examples import stacked_pairs, stacked_targets
from beeline.fitting.linear import LinearFit, RankingProblem, fit_cost_to_go
from beeline.fitting.losses import LossEntry, loss_entry
from beeline.fitting.operator_pairs import OperatorProblem
from beeline.learning.settings import COUNTED, NO_RELATIONS, THIN, Relations
from beeline.learning.task_examples import (
    Sampling,
    ground_text,
    task_examples,
    task_families,
    task_operators,
)
from beeline.models.colours.graph import STATUSES, BaseColours
from beeline.models.colours.model import ColourModel, WLPolicy
from beeline.models.colours.operators import OperatorScores, action_slots
from beeline.models.colours.scorer import CONTEXT, DISTANCE, FF, WLLinear, origins_of_colours
from beeline.pddl import parse_domain
from beeline.planning.model import SearchStyle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline._native import ColourTable
    from beeline.fitting.operator_pairs import OperatorExamples
    from beeline.learning.settings import Candidate
    from beeline.learning.task_set import PlannedTask
    from beeline.learning.workshop import Experience

    Tasks = Sequence[PlannedTask]


ALL, OPTIMAL = "all", "optimal"


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


def goals_are_ordered(experience: Experience, tasks: Tasks) -> bool:
    """Whether goals of the largest of these tasks depend on no circles: h_cea is cheap then."""
    domain, costs = experience.training.domain_text, experience.settings.unit_costs
    task = ground_text(domain, tasks[-1].name, tasks[-1].text, costs)
    return _native.goals_are_ordered(task.native)


def fit_candidates(job: FitJob) -> list[Fitted]:
    """Fit them all; tasks are encoded once."""
    loss = loss_entry(job.loss)
    rounds = max(candidate.rounds for candidate in job.candidates)
    sampling = Sampling(seed=job.seed)
    table: ColourTable | None = None
    base = BaseColours.of(parse_domain(job.domain_text, "<domain>"))
    ignored = _numbers(base, job.relations.dense if job.candidates[0].statics == THIN else ())
    chains = job.candidates[0].chains
    first = job.candidates[0]
    extra = CONTEXT if first.context else DISTANCE if first.distance else FF
    parts: list[Any] = []
    operators: list[OperatorExamples] = []
    ranked = any(each.operators for each in job.candidates)
    for planned in job.tasks:
        task = ground_text(job.domain_text, planned.name, planned.text, job.unit_costs)
        if table is None:
            table = _native.ColourTable(base.count, rounds, job.candidates[0].multiset)
        families = task_families(task, planned, sampling) if ranked else None
        sees: dict[str, Any] = {"ignored": ignored, "chains": chains}
        part = task_examples(
            table, task, planned, loss, sampling, families=families, extra=extra, **sees
        )
        parts.append(part)
        if families is not None:
            operators.append(task_operators(table, task, families, sampling, **sees))
    if table is None:
        raise ValueError("there are no tasks to learn from")
    # Candidates that differ in their penalty only share a matrix, the largest penalty first.
    plain = dict.fromkeys(each.without_operators for each in job.candidates)
    groups: dict[Candidate, list[Candidate]] = {}
    for candidate in sorted(plain, key=lambda each: -each.l2):
        groups.setdefault(candidate._replace(l2=0.0), []).append(candidate)
    uncounted = _colours_of(table, base, _numbers(base, job.relations.alike))
    fitted = {}
    for each, group in groups.items():
        columns = table.rounds_of() <= each.rounds
        if each.statics != COUNTED:
            columns &= ~uncounted
        for fit in _fit_group(parts, group, loss, np.flatnonzero(columns)):
            fitted[fit.candidate] = fit
    scores = _fit_operators(job, operators, table)
    found = []
    for each in job.candidates:
        its = scores.get((each.rounds, each.operators))
        done = fitted[each.without_operators].finished(table, each, its)
        policy = done.policy and replace(
            done.policy, logits=done.policy.logits.seeing(ignored, chains=chains, extra=extra)
        )
        scorer = done.scorer.seeing(ignored, chains=chains, extra=extra)
        found.append(done._replace(scorer=scorer, policy=policy))
    return found


def _fit_operators(
    job: FitJob, examples: Sequence[OperatorExamples], table: ColourTable
) -> dict[tuple[int, float], OperatorScores]:
    """The scores of operators that candidates want, by their rounds and penalty."""
    slots = action_slots(parse_domain(job.domain_text, "<domain>"))
    scores = {}
    for rounds in sorted({each.rounds for each in job.candidates if each.operators}):
        problem = OperatorProblem(examples, slots, table.rounds_of(), rounds)
        penalties = {each.operators for each in job.candidates if each.rounds == rounds}
        for l2 in sorted(penalties - {0.0}):
            scores[rounds, l2] = problem.fit(l2=l2)
    return scores


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
    parts: Sequence[Any], group: list[Candidate], loss: LossEntry, columns: NDArray[np.int64]
) -> list[_Fit]:
    """Fits of losses that look at whole plans, compare pairs, or estimate costs one by one.

    `columns` are the colours that may have weights.
    """
    with_extra = group[0].h_ff or group[0].distance or group[0].context
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
    return [_Fit(*pair, examples, columns) for pair in zip(group, fits, strict=True)]


def _scales(matrix: Any, with_extra: bool) -> NDArray[np.float64] | None:
    """1 for colour counts; the root mean square of the other heuristic, whose unit may be cost."""
    if not with_extra:
        return None
    extra = matrix[:, [-1]].toarray()
    scales = np.ones(matrix.shape[1])
    scales[-1] = max(float(np.sqrt(np.mean(extra * extra))) if len(extra) else 0.0, 1e-6)
    return scales


class _Fit(NamedTuple):
    """Weights of a candidate for some of the colours of a table."""

    candidate: Candidate
    fit: plan_linear.PlanFit | LinearFit
    examples: int
    columns: NDArray[np.int64]

    def finished(
        self,
        table: ColourTable,
        candidate: Candidate,
        operators: OperatorScores | None,
    ) -> Fitted:
        """The scorers of a candidate, which may also want to rank operators."""
        fit, policy = self.fit, None

        def scorer(weights: NDArray[np.float64], ranked: OperatorScores | None) -> WLLinear:
            made = replace(_scorer(table, self.columns, weights), operators=ranked).pruned()
            return replace(made, rounds=candidate.rounds)

        if isinstance(fit, plan_linear.PlanFit) and fit.logits is not None:
            policy = WLPolicy(scorer(fit.logits, None), fit.intercept)
        return Fitted(candidate, scorer(fit.weights, operators), self.examples, fit.loss, policy)


def _scorer(
    table: ColourTable, columns: NDArray[np.int64], weights: NDArray[np.float64]
) -> WLLinear:
    """The fitted weights as a scorer with all rows of the table."""
    all_weights = np.zeros(table.size)
    all_weights[columns] = weights[: len(columns)]
    extra_weight = float(weights[len(columns)]) if len(weights) > len(columns) else 0.0
    return WLLinear.from_floats(table, all_weights, extra_weight)


class Contender(NamedTuple):
    """A model and the choices that made it."""

    candidate: Candidate
    model: ColourModel

    def with_style(self, style: SearchStyle) -> Contender:
        """The same with another style of search."""
        return self._replace(model=replace(self.model, style=style))


def fit_models(
    experience: Experience,
    candidates: Sequence[Candidate],
    tasks: Tasks,
    phase: str,
    *,
    optional: bool = False,
) -> list[Contender]:
    """A model for each candidate, in their order, fitted on these tasks.

    Those whose worker died are missing; unless they are `optional`, one must be there.
    """
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
    if not fitted and not optional:
        message = "all workers died while fitting"
        raise BeelineError(message, hint="give them more memory, or take fewer --jobs")
    known = [each for each in candidates if each in fitted]
    return [Contender(each, _model(experience, fitted[each])) for each in known]


def _kind(candidate: Candidate) -> tuple[bool, str, bool, bool, bool, bool]:
    """Candidates of the same kind share their examples."""
    seen = candidate.statics == THIN, candidate.chains
    return candidate.multiset, candidate.data, *seen, candidate.distance, candidate.context


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
