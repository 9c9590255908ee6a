"""A plan for each task: the cheapest one where A* finds it, otherwise a good one.

Limits are numbers of evaluations that shrink as tasks grow, so that each task gets a few seconds
and every run gives the same plans; limits on time are there for the worst case only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError, Status

if TYPE_CHECKING:
    from beeline.learning.task_set import TrainingTask
    from beeline.planning.result import Result
    from beeline.task.ground_task import GroundTask

# Evaluations times operators, for each kind of search: a second or two on a usual machine.
ASTAR_EFFORT = 5_000_000
GREEDY_EFFORT = 20_000_000
IMPROVEMENT_EFFORT = 10_000_000

MAX_STATES = 20_000  # of tasks all of whose states are looked at
TRIVIAL = "trivial"


@dataclass(frozen=True)
class PlanJob:
    """All that a worker needs to find a plan of one task."""

    domain_text: str
    task: TrainingTask
    unit_costs: bool
    seconds: float  # safety net for each search
    memory_limit: int | None  # bytes of a worker
    effort: float = 1.0  # times the usual limits


@dataclass(frozen=True)
class PlannedTask:
    """A task with its sizes, and a plan if one was found.

    `source` is astar, greedy, given or model. `status` is that of the last search, or trivial.
    """

    name: str
    text: str
    facts: int
    operators: int
    status: str
    states: int | None = None  # how many can be reached; None if they were too many to count
    plan: tuple[str, ...] | None = None
    cost: int | None = None
    optimal: bool = False
    source: str | None = None
    as_good: tuple[tuple[int, ...], ...] = ()  # other operators on optimal plans, for each step

    @property
    def size(self) -> tuple[int, int, str]:
        """What tasks are ordered by, from small to large."""
        return (self.facts + self.operators, self.facts, self.name)


def find_plan(job: PlanJob) -> PlannedTask:
    """Solve a task as well as the limits allow, or improve the plan that the user has given."""
    from beeline import _native
    from beeline.fitting.pairs import enumerate_states
    from beeline.pddl import parse_domain, parse_problem
    from beeline.task.grounding import ground

    domain = parse_domain(job.domain_text, "<domain>")
    task = ground(parse_problem(domain, job.task.text, job.task.name), unit_costs=job.unit_costs)
    described = PlannedTask(
        job.task.name, job.task.text, task.num_facts, task.num_operators, Status.INCOMPLETE.value
    )
    if task.goal_holds_initially:
        return _with(described, TRIVIAL)
    space = enumerate_states(task, _native.States(task.native), MAX_STATES)
    described = replace(described, states=None if space is None else len(space))
    if job.task.plan is not None:
        plan, cost = shortened(task, job.task.plan)
        return _with(described, Status.SOLVED.value, plan, cost, source="given")
    found = _search(task, job, ASTAR_EFFORT, 50_000, "astar")
    if found.plan is not None:
        planned = _with(
            described,
            Status.SOLVED.value,
            tuple(found.plan),
            found.cost,
            optimal=True,
            source="astar",
        )
        return planned if space is not None else _with_equal_steps(planned, task, job)
    if found.status is Status.UNSOLVABLE:
        return _with(described, found.status.value)
    found = _search(task, job, GREEDY_EFFORT, 500_000, "greedy")
    if found.plan is None:
        return _with(described, found.status.value)
    plan, cost = shortened(task, found.plan)
    better = _search(task, job, IMPROVEMENT_EFFORT, 100_000, "anytime")
    if better.plan is not None:
        other_plan, other_cost = shortened(task, better.plan)
        plan, cost = min((plan, cost), (other_plan, other_cost), key=lambda pair: pair[1])
    optimal = better.optimal and cost == better.cost
    return _with(described, Status.SOLVED.value, plan, cost, optimal=optimal, source="greedy")


def shortened(task: GroundTask, steps: tuple[str, ...] | list[str]) -> tuple[tuple[str, ...], int]:
    """A plan without its useless steps, and its cost."""
    from beeline import _native
    from beeline.data.plan_walk import walk_plan
    from beeline.fitting.replay import Replay
    from beeline.task.ground_task import ARTIFICIAL

    walk = walk_plan(task, _native.States(task.native), steps)
    replay = Replay(task)
    operators = replay.without_useless_steps(walk.operators)
    names = [task.operator_name(operator) for operator in operators]
    return tuple(name for name in names if name[1] != ARTIFICIAL), replay.cost(operators)


def evaluations(effort: float, task: GroundTask, most: int) -> int:
    """How many evaluations an effort allows in a task: between 1000 and `most`."""
    return int(min(max(effort / max(task.num_operators, 1), 1000), most))


def _with_equal_steps(planned: PlannedTask, task: GroundTask, job: PlanJob) -> PlannedTask:
    from beeline import _native
    from beeline.data.plan_walk import walk_plan
    from beeline.fitting.replay import equal_steps

    states = _native.States(task.native)
    walk = walk_plan(task, states, planned.plan or ())
    limit = evaluations(ASTAR_EFFORT * job.effort, task, int(50_000 * job.effort))
    found = equal_steps(task, states, walk, limit)
    return replace(planned, as_good=tuple(tuple(sorted(each)) for each in found))


def _search(task: GroundTask, job: PlanJob, effort: float, most: int, kind: str) -> Result:
    from beeline.planning.solve import solve

    limit = evaluations(effort * job.effort, task, int(most * job.effort))
    if kind == "astar":
        return solve(
            task,
            "astar",
            "lmcut",
            max_evaluations=limit,
            time_limit=job.seconds,
            memory_limit=job.memory_limit,
        )
    return solve(
        task,
        "gbfs",
        "ff",
        preferred="ff",
        deferred=True,
        anytime=kind == "anytime",
        max_evaluations=limit,
        time_limit=job.seconds,
        memory_limit=job.memory_limit,
    )


def _with(
    task: PlannedTask,
    status: str,
    plan: tuple[str, ...] | None = None,
    cost: int | None = None,
    *,
    optimal: bool = False,
    source: str | None = None,
) -> PlannedTask:
    if plan is not None and not plan:
        raise BeelineError("a plan without steps", task.name)
    return replace(task, status=status, plan=plan, cost=cost, optimal=optimal, source=source)
