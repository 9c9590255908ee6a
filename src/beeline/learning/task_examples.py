"""What one task with its plan gives to a fit, in the colours of a growing table.

Examples are what a loss looks at in a planned task: pairs of states, whole plans, or states with
costs-to-go; and pairs of operators. Ground tasks are kept by their texts for the next job of the
same worker.
"""

from __future__ import annotations

import atexit
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline import _native
from beeline.data.plan_walk import path_rows, sibling_rows, walk_plan
from beeline.fitting import plan_linear
from beeline.fitting.examples import Encoder, pair_examples, state_examples
from beeline.fitting.operator_pairs import operator_choices, operator_examples
from beeline.fitting.pairs import (
    Replay,
    enumerate_states,
    open_list_pairs,
    plan_families,
    sibling_pairs,
    trajectory_pairs,
)
from beeline.fitting.plan_graph import task_plan_graph
from beeline.models.colours.graph import colour_graph
from beeline.models.colours.operators import action_slots, slots_in
from beeline.models.colours.scorer import FF
from beeline.pddl import parse_domain, parse_problem
from beeline.planning.heuristics import make_evaluator
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline._native import ColourTable, States
    from beeline.fitting.examples import Examples
    from beeline.fitting.losses import LossEntry
    from beeline.fitting.operator_pairs import OperatorExamples
    from beeline.fitting.pairs import Family
    from beeline.learning.task_set import PlannedTask
    from beeline.pddl.model import Domain
    from beeline.task.ground_task import GroundTask

    Families = tuple[States, list[Family]]


@lru_cache(maxsize=32)
def ground_text(domain_text: str, name: str, text: str, unit_costs: bool) -> GroundTask:
    """The ground task of two texts, its goals in order; `name` is the task's in messages."""
    problem = parse_problem(_domain(domain_text), text, name)
    return ground(problem, unit_costs=unit_costs).ordered


@lru_cache(maxsize=1)
def _domain(text: str) -> Domain:
    return parse_domain(text, "<domain>")


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
    families: Families | None = None,
) -> Examples | plan_linear.PlanExamples:
    """What one task with its plan gives to a loss; new colours join the table.

    For `ignored` and `chains` see `colour_graph`. `extra` is the heuristic beside the colours.
    `families` are those of `task_families`, if they are known.
    """
    if planned.plan is None:
        raise ValueError(f"the task {planned.name} has no plan")
    graph = colour_graph(task, None, ignored, chains=chains)
    encoder = Encoder(table, graph, make_evaluator(extra, task))
    states = _native.States(task.native)
    if loss.ranking and loss.siblings and not loss.open_lists:
        states, found = families or task_families(task, planned, sampling)
        pairs = sibling_pairs(found, max_pairs=MAX_PAIRS, seed=sampling.seed)
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


def task_operators(
    table: ColourTable,
    task: GroundTask,
    families: Families,
    sampling: Sampling,
    ignored: Sequence[int] = (),
    *,
    chains: bool = False,
) -> OperatorExamples:
    """What the families of one task say about operators; new colours join the table."""
    states, found = families
    choices = operator_choices(states, found, max_pairs=MAX_PAIRS, seed=sampling.seed)
    graph = colour_graph(task, None, ignored, chains=chains)
    slots = slots_in(task, action_slots(task.problem.domain))
    return operator_examples(table, graph, slots, states, choices)


def task_families(task: GroundTask, planned: PlannedTask, sampling: Sampling) -> Families:
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
