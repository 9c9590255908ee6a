"""Whether a heuristic ranks the states of a task perfectly, so that a search goes straight ahead.

A best-first search with the merit alpha g + beta h expands no state beside an optimal plan if and
only if, for some such plan, each state s_i comes strictly before all others in the Open list O_i
(Chrestien et al., "Optimize planning heuristics to rank, not to estimate cost-to-goal", definition
1 and theorem 1). At most one plan can do that: the one which the search itself follows as long as
its best state is a single one and a child of the one before. Hence no plans are enumerated.

The plan that a best-first search follows without hesitation, if there is one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.core.errors import BeelineError, Status
from beeline.core.settings import keywords
from beeline.data.plan_walk import Walk, walk_plan
from beeline.evaluate.settings import CertificateSettings
from beeline.fitting.plan_graph import task_plan_graph
from beeline.fitting.ranking import violated
from beeline.planning.heuristics import make_evaluator
from beeline.planning.python_heuristics import ModelHeuristic, PythonHeuristic, TaskHeuristics
from beeline.planning.solve import solve
from beeline.planning.specification import make_spec
from beeline.task.ground_task import ARTIFICIAL, GroundTask
from beeline.task.plan_file import Plan

if TYPE_CHECKING:
    from beeline._native import Evaluator, States
    from beeline.planning.python_heuristics import Heuristic, HeuristicFunction

    AnyHeuristic = str | HeuristicFunction | Heuristic | TaskHeuristics | ModelHeuristic


class RankedState(NamedTuple):
    """A state as its true facts, with its cost so far, its heuristic value and its merit."""

    facts: tuple[str, ...]
    g: float
    h: float
    merit: float  # alpha g + beta h


class Violation(NamedTuple):
    """A state in the Open list after `step` expansions that does not come after the plan's own."""

    step: int
    state: RankedState
    other: RankedState


@dataclass(frozen=True)
class Certificate:
    """How a heuristic ranks along a plan.

    `perfect`: a search with this merit expands the plan's `length` states before the goal and
    nothing else, however it breaks ties. Counters that include the goal, as those of `solve` do,
    are then at `length` + 1. `pairs` are the comparisons of all Open lists, `violated` those that
    are not in order, `ties` those of them whose merits are equal; `violations` lists the first
    ones. `optimal` is None if nobody knows.
    """

    perfect: bool
    optimal: bool | None
    plan: Plan
    length: int
    cost: int
    alpha: float
    beta: float
    pairs: int
    violated: int
    ties: int
    dead_ends: int  # states of the plan that the heuristic takes for dead ends
    violations: tuple[Violation, ...]

    def to_json(self) -> dict[str, Any]:
        """The certificate as plain values; infinite numbers are None."""
        violations = [
            {"step": each.step, "state": _plain(each.state), "other": _plain(each.other)}
            for each in self.violations
        ]
        return {**vars(self), "violations": violations}


@dataclass(frozen=True, eq=False, repr=False)
class CertificateCall(CertificateSettings):
    """Settings, and how many violations are described."""

    listed: int = field(default=20, kw_only=True)


@keywords(CertificateCall)
def certify_ranking(task: GroundTask, call: CertificateCall) -> Certificate:
    """Whether a heuristic is a perfect ranking for the merit alpha g + beta h.

    Keyword arguments are the fields of `CertificateSettings`, and `listed`; `heuristic` and `plan`
    may go without their names. A* has alpha = beta = 1, greedy best-first search alpha = 0; what
    is given comes before what the `search` says. `heuristic` is what `solve` takes. Without a
    `plan`, all optimal plans count: the certificate is that of the one that the heuristic follows,
    or of one that A* finds within `time_limit` seconds. A `plan` that is given may be any; then
    the question is whether the search follows that one. At most `listed` violations are described.

    >>> from beeline.generators import generate
    >>> from beeline.task.grounding import ground
    >>> task = ground(generate("ferry", seed=1, cars=1, locations=2))
    >>> certificate = certify_ranking(task, "perfect", alpha=0.0)
    >>> certificate.perfect, certificate.violated
    (True, 0)
    """
    from beeline import _native

    plan, alpha, beta = call.plan, call.alpha, call.beta
    if alpha is None or beta is None:
        merit = make_spec(call.search, weight=call.weight)
        alpha = merit.alpha if alpha is None else alpha
        beta = merit.beta if beta is None else beta
    if not (0 <= alpha < np.inf and 0 < beta < np.inf):
        raise BeelineError(
            f"alpha {alpha:g} and beta {beta:g}", hint="alpha is from 0 up, and beta above 0"
        )
    states = _native.States(task.native)
    evaluator = _evaluator(call.heuristic, task, states)
    if plan is None:
        walk = walk_plan(task, states, _optimal_plan(task, call.time_limit))
        followed = followed_walk(task, states, evaluator, alpha, beta, _cost(task, walk))
        walk = walk if followed is None else followed
    else:
        walk = walk_plan(task, states, Plan(plan))
    graph, ids = task_plan_graph(task, states, walk)
    h = evaluator.evaluate(states, ids)
    wrong = violated(h, graph, alpha=alpha, beta=beta)
    only_ties = wrong & ~violated(h, graph, alpha=alpha, beta=beta, strict=False)
    dead_ends = int(np.isinf(h[graph.path]).sum())
    steps = {state: step for step, state in reversed(list(enumerate(walk.states)))}
    g_of = dict(zip(graph.path.tolist(), graph.g.tolist(), strict=True))

    def ranked(row: int, g: float) -> RankedState:
        _, facts = states.true_facts(ids[[row]])
        names = tuple(task.fact_names[fact] for fact in facts.tolist())
        return RankedState(names, g, float(h[row]), alpha * g + beta * float(h[row]))

    def described(pair: int) -> Violation:
        better, worse = int(graph.better[pair]), int(graph.worse[pair])
        g = g_of[better]
        other = ranked(worse, g - float(graph.g_differences[pair]))
        return Violation(steps[int(ids[better])], ranked(better, g), other)

    operators = map(task.operator_name, walk.operators)
    # A plan that comes back to a state, or stands still, is none that a search returns.
    straight = len(set(walk.states)) == len(walk.states)
    return Certificate(
        perfect=straight and not wrong.any() and not dead_ends,
        optimal=True if plan is None else None,
        plan=Plan(step for step in operators if step[1] != ARTIFICIAL),
        length=len(walk.operators),
        cost=_cost(task, walk),
        alpha=alpha,
        beta=beta,
        pairs=len(wrong),
        violated=int(wrong.sum()),
        ties=int(only_ties.sum()),
        dead_ends=dead_ends,
        violations=tuple(map(described, np.flatnonzero(wrong)[: call.listed].tolist())),
    )


def _evaluator(heuristic: AnyHeuristic, task: GroundTask, states: States) -> Evaluator:
    if isinstance(heuristic, str):
        return make_evaluator(heuristic, task)
    if isinstance(heuristic, ModelHeuristic):
        return heuristic.evaluator(task, states)
    if isinstance(heuristic, TaskHeuristics):
        return ModelHeuristic(heuristic).evaluator(task, states)
    return PythonHeuristic(heuristic).evaluator(task, states)


def _optimal_plan(task: GroundTask, time_limit: float | None) -> Plan:
    result = solve(task, "astar", "lmcut", time_limit=time_limit)
    if result.plan is None:
        solvable = result.status is not Status.UNSOLVABLE
        raise BeelineError(
            f"no optimal plan was found: {result.status.value.replace('_', ' ')}",
            hint="give a plan, or more time" if solvable else "only plans can be ranked",
        )
    return result.plan


def _cost(task: GroundTask, walk: Walk) -> int:
    return sum(task.operator_cost(operator) for operator in walk.operators)


def _plain(state: RankedState) -> dict[str, Any]:
    finite = {
        name: value if np.isfinite(value) else None
        for name, value in zip(("g", "h", "merit"), state[1:], strict=True)
    }
    return {"facts": list(state.facts), **finite}


def followed_walk(
    task: GroundTask, states: States, evaluator: Evaluator, alpha: float, beta: float, max_cost: int
) -> Walk | None:
    """The walk from the initial state to a goal along the single best states of the Open list.

    None as soon as two states share the lowest merit, the best one is no child of the state
    expanded last, or the walk costs more than `max_cost`: then no plan of that cost is followed.
    """
    costs = task.costs
    walk = Walk([states.initial], [])
    g = {states.initial: 0}
    merit: dict[int, float] = {}  # of the states in Open
    while True:
        here = walk.states[-1]
        if np.isin(task.goal, states.values(np.array([here], dtype=np.uint32))).all():
            return walk
        operators, successors = (array.tolist() for array in states.successors(here))
        cheapest: dict[int, int] = {}  # the operator to each child
        closed = set(walk.states)
        for operator, child in zip(operators, successors, strict=True):
            reached = g[here] + int(costs[operator])
            if child not in closed and reached < g.get(child, reached + 1):
                g[child], cheapest[child] = reached, operator
        children = np.array(list(cheapest), dtype=np.uint32)
        if len(children):
            values = evaluator.evaluate(states, children).tolist()
            merit.update(
                (child, alpha * g[child] + beta * h)
                for child, h in zip(cheapest, values, strict=True)
                if np.isfinite(h)
            )
        best = min(merit, key=merit.__getitem__, default=None)
        if best not in cheapest or best not in merit or g[best] > max_cost:
            return None
        lowest = merit.pop(best)
        if lowest in merit.values():
            return None
        walk.states.append(best)
        walk.operators.append(cheapest[best])
