"""From a planned task to what a loss looks at: pairs of states, or states with costs-to-go.

Ground tasks by text, kept for the next job of the same worker.
"""

from __future__ import annotations

import atexit
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline.fitting.examples import Encoder, Examples, pair_examples, state_examples
from beeline.fitting.pairs import (
    enumerate_states,
    open_list_pairs,
    plan_families,
    sibling_pairs,
    trajectory_pairs,
)
from beeline.fitting.plan_graph import task_plan_graph
from beeline.fitting.plan_linear import PlanExamples, plan_examples
from beeline.fitting.replay import Replay

if TYPE_CHECKING:
    from beeline._native import ColourTable, States
    from beeline.data.plan_walk import Walk
    from beeline.fitting.losses import LossEntry
    from beeline.fitting.pairs import Family
    from beeline.learning.plans import PlannedTask
    from beeline.task.ground_task import GroundTask


@lru_cache(maxsize=32)
def ground_text(domain_text: str, name: str, text: str, unit_costs: bool) -> GroundTask:
    """The ground task of two texts; `name` stands for the task in messages."""
    from beeline.pddl import parse_domain, parse_problem
    from beeline.task.grounding import ground

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
    table: ColourTable, task: GroundTask, planned: PlannedTask, loss: LossEntry, sampling: Sampling
) -> Examples | PlanExamples:
    """What one task with its plan gives to a loss; new colours join the table."""
    from beeline import _native
    from beeline.data.plan_walk import walk_plan
    from beeline.models.colours.scorer import colour_graph
    from beeline.planning.heuristics import make_evaluator

    if planned.plan is None:
        raise ValueError(f"the task {planned.name} has no plan")
    encoder = Encoder(table, colour_graph(task), make_evaluator("ff", task))
    states = _native.States(task.native)
    if loss.families:
        walk = walk_plan(task, states, planned.plan)
        return plan_examples(encoder, states, task_plan_graph(task, states, walk))
    if not loss.ranking:
        return _regression(encoder, task, states, walk_plan(task, states, planned.plan), loss)
    if loss.open_lists:
        pairs = open_list_pairs(
            _plan_rows(task, states, walk_plan(task, states, planned.plan)),
            alpha=loss.alpha,
            max_pairs=MAX_PAIRS,
            seed=sampling.seed,
        )
    elif loss.siblings:
        states, families = task_families(task, planned, sampling)
        pairs = sibling_pairs(families, max_pairs=MAX_PAIRS, seed=sampling.seed)
    else:
        pairs = trajectory_pairs(walk_plan(task, states, planned.plan).states)
    return pair_examples(encoder, states, pairs)


def task_families(
    task: GroundTask, planned: PlannedTask, sampling: Sampling
) -> tuple[States, list[Family]]:
    """Families along a plan and, in small tasks, of states drawn at random.

    In small tasks the best children are known, all of them; in large ones they are the plan's
    own child and those that are known to be as good.
    """
    from beeline import _native
    from beeline.data.plan_walk import walk_plan

    states = _native.States(task.native)
    space = None
    if planned.states is not None:
        space = enumerate_states(task, states, planned.states)
    walk = walk_plan(task, states, planned.plan or ())
    if space is None:
        as_good = Replay(task).exchangeable(walk.operators, max_steps=sampling.replayed_steps)
        for place, operators in enumerate(planned.as_good):
            as_good[place].update(operators)
        return states, plan_families(states, walk, as_good)
    alive = np.flatnonzero((space.distance > 0) & np.isfinite(space.distance))
    drawn = np.random.default_rng(sampling.seed).permutation(alive)[: sampling.states]
    parents = dict.fromkeys([*walk.states[:-1], *np.sort(drawn).tolist()])
    return states, space.families(parents)


def _plan_rows(task: GroundTask, states: States, walk: Walk) -> list[dict[str, int]]:
    from beeline.data.plan_states import path_rows, sibling_rows

    rows = [*path_rows(task, walk), *sibling_rows(task, states, walk)]
    return [row._asdict() for row in rows]


def _regression(
    encoder: Encoder, task: GroundTask, states: States, walk: Walk, loss: LossEntry
) -> Examples:
    """The states of a plan; of several visits to a state the last one counts."""
    from beeline.planning.heuristics import make_evaluator

    to_go = dict(zip(walk.states, walk.costs_to_go(task), strict=True))
    ids = np.array(list(to_go), dtype=np.uint32)
    costs = np.array(list(to_go.values()), dtype=np.float64)
    lower = np.zeros(len(ids))
    if loss.lower_bound:
        lower = np.minimum(make_evaluator("lmcut", task).evaluate(states, ids), costs)
    return state_examples(encoder, states, ids, costs, lower - OPEN_BOUND)
