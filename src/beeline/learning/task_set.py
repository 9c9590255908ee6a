"""The tasks to learn from: read, checked, without duplicates, and a plan for each of them.

The plan is the cheapest one where A* finds it, otherwise a good one. Limits are numbers of
evaluations that shrink as tasks grow, so that each task gets a few seconds and every run gives the
same plans; limits on time are there for the worst case only.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline import _native
from beeline.core.errors import BeelineError, Status
from beeline.core.files import read_text
from beeline.data.plan_walk import walk_plan
from beeline.data.task_sets import plan_file, replayed_plan, task_names
from beeline.fitting.pairs import enumerate_states, equal_steps
from beeline.learning.settings import NO_RELATIONS, Relations
from beeline.pddl import parse_domain, parse_problem
from beeline.pddl.model import Domain, Problem, domain_signature, literals
from beeline.pddl.writer import condition_to_list
from beeline.planning.model import kinds_in
from beeline.planning.result import Improvement
from beeline.planning.solve import solve
from beeline.task.grounding import ground
from beeline.task.plan_file import Plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from beeline.learning.settings import AnyPath, Plans
    from beeline.planning.result import Result
    from beeline.task.ground_task import GroundTask

    Names = tuple[str, ...]  # of steps
    Fact = tuple[str, ...]

ENOUGH_TASKS = 10
SEVERAL = 5  # objects that a relation is about
DENSE = 0.3  # of all combinations are related
SHORT_PLAN = 3  # steps; tasks that need no more teach next to nothing

_DOMAIN_FILE = re.compile(r"\(\s*define\s*\(\s*domain\b", re.IGNORECASE)


@dataclass(frozen=True)
class TrainingTask:
    """A task as text, with the steps of its plan if the user has given one."""

    name: str
    text: str
    objects: int
    plan: Plan | None = None


@dataclass(frozen=True)
class TrainingSet:
    """Different tasks of one domain, in the order of their names, and warnings about them."""

    domain_text: str
    domain_file: str
    signature: dict[str, Any]
    tasks: tuple[TrainingTask, ...]
    kinds: dict[str, list[str]]  # what they are about
    warnings: tuple[str, ...]
    relations: Relations = NO_RELATIONS


def read_training_set(
    domain: AnyPath,
    tasks: AnyPath | Sequence[AnyPath],
    *,
    plans: Plans | None = None,
    unit_costs: bool = False,
) -> TrainingSet:
    """Read a domain and tasks; a folder stands for all task files in it.

    `plans` is a folder with plan files named like the tasks, or a dictionary with the plans of
    task files; tasks without one are solved later.
    """
    domain_text = read_text(domain, "PDDL domain")
    lifted = parse_domain(domain_text, str(domain))
    if not any(action.effects for action in lifted.actions):
        message = f"the domain '{lifted.name}' has no actions"
        raise BeelineError(message, lifted.file, hint="nothing can be learned")
    # The same tasks give the same model, however and in whatever order they are named.
    files = list({os.path.abspath(file): file for file in _task_files(tasks)}.values())
    if not files:
        raise BeelineError("there are no tasks", hint="name task files, or a folder of them")
    folder, given_plans = _given_plans(plans, files)
    read: list[TrainingTask] = []
    problems: list[Problem] = []
    warnings: list[str] = []
    first_with: dict[str, str] = {}
    for name, file in sorted(zip(task_names(files), files, strict=True)):
        text = read_text(file, "PDDL problem")
        problem = parse_problem(lifted, text, file)
        twin = first_with.setdefault(_content(problem), name)
        if twin != name:
            warnings.append(f"{name} is the same task as {twin} and is left out")
            continue
        given = given_plans.get(os.path.abspath(file)) or (folder and plan_file(folder, Path(file)))
        plan = replayed_plan(problem, given, unit_costs=unit_costs) if given else None
        read.append(TrainingTask(name, text, len(problem.objects), plan))
        problems.append(problem)
    if len(read) < ENOUGH_TASKS:
        number = "one task" if len(read) == 1 else f"{len(read)} tasks"
        warnings.append(
            f"{number} to learn from, and variants of them; {ENOUGH_TASKS} or more, better 50, of"
            " growing size make a better model: 'beeline generate' has them of well-known domains"
        )
    if len(read) > 1 and len({task.objects for task in read}) == 1:
        warnings.append(
            f"all tasks have {read[0].objects} objects: a model is chosen by how it does on tasks"
            " larger than those it has learned from; add some of other sizes"
        )
    signature = domain_signature(lifted)
    rest = tuple(read), kinds_in(problems), tuple(warnings), static_relations(lifted, problems)
    return TrainingSet(domain_text, str(domain), signature, *rest)


def object_kinds(problem: Problem, static: Iterable[Fact]) -> dict[str, Any]:
    """The kind of each object: its types, and what static facts say about it alone."""
    said: dict[str, set[str]] = {name: set() for name in problem.objects}
    for fact in static:
        if len(fact) == 2:
            said[fact[1]].add(fact[0])
    return {name: (types, frozenset(said[name])) for name, types in problem.objects.items()}


def static_relations(domain: Domain, problems: Iterable[Problem]) -> Relations:
    """Static predicates that mostly relate objects of one kind, and which of them are dense.

    Whether they are dense is seen in the tasks where more than a few objects are related, nine of
    ten: an order is dense in all of them, roads in some, and those must not be overlooked.
    """
    changed = domain.changed_predicates()
    facts: Counter[str] = Counter()
    alike: Counter[str] = Counter()
    shares: dict[str, list[float]] = {}
    paired = False
    for problem in problems:
        goals = [goal for goal, _ in literals(problem.goal) if not goal.negated]
        paired = paired or any(len({*goal.args}) == len(goal.args) == 2 for goal in goals)
        static = [fact for fact in problem.init if fact[0] not in changed]
        kinds = object_kinds(problem, static)
        columns: dict[str, list[set[str]]] = {}
        numbers: Counter[str] = Counter()
        for name, *related in static:
            if len(related) < 2:
                continue
            numbers[name] += 1
            several = {*related}
            alike[name] += len({kinds[each] for each in several}) < len(several)
            for column, each in zip(
                columns.setdefault(name, [set() for _ in related]), related, strict=True
            ):
                column.add(each)
        facts += numbers
        for name, number in numbers.items():
            if len(set().union(*columns[name])) >= SEVERAL:
                possible = math.prod(len(column) for column in columns[name])
                shares.setdefault(name, []).append(number / possible)
    chosen = sorted(name for name, number in facts.items() if 2 * alike[name] > number)
    low = {name: sorted(found)[len(found) // 10] for name, found in shares.items()}
    dense = [name for name in chosen if low.get(name, 0) >= DENSE]
    return Relations(tuple(chosen), tuple(dense), paired)


def _given_plans(plans: Plans | None, files: Sequence[str]) -> tuple[Path | None, dict[str, Plan]]:
    """The folder of plan files, or else plans by the absolute paths of their tasks."""
    if plans is None or isinstance(plans, str | os.PathLike):
        return None if plans is None else Path(plans), {}
    known = set(map(os.path.abspath, files))
    for file in plans:
        if os.path.abspath(file) not in known:
            message = "there is a plan of this file, which is none of the tasks"
            raise BeelineError(message, os.fspath(file), hint="name it among the tasks")
    return None, {os.path.abspath(file): Plan(plan) for file, plan in plans.items()}


def warnings_about_plans(lengths: Sequence[int | None]) -> list[str]:
    """What to say about plans, given the length of each task's plan, None if it has none.

    >>> warnings_about_plans([2, 3, 1])
    ['every task has a plan of at most 3 steps: too easy to learn much from; add larger tasks']
    """
    known = [length for length in lengths if length is not None]
    warnings = []
    if len(known) < len(lengths) / 2:
        warnings.append(
            f"only {len(known)} of {len(lengths)} tasks have a plan; add smaller tasks,"
            " or give plans with --plans"
        )
    if known and max(known) <= SHORT_PLAN:
        warnings.append(
            f"every task has a plan of at most {SHORT_PLAN} steps: too easy to learn much from;"
            " add larger tasks"
        )
    return warnings


def _task_files(paths: AnyPath | Sequence[AnyPath]) -> Iterator[str]:
    """The files, and for each folder those in it that are tasks, in the order of their names."""
    listed = [paths] if isinstance(paths, str | os.PathLike) else paths
    for path in map(Path, listed):
        if not path.is_dir():
            yield str(path)
            continue
        found = sorted(each for each in path.glob("*.pddl") if each.is_file())
        found = [each for each in found if not _DOMAIN_FILE.search(read_text(each, "PDDL file"))]
        if not found:
            message = "there are no task files in this folder"
            raise BeelineError(message, str(path), hint="task files end in .pddl")
        yield from map(str, found)


def _content(problem: Problem) -> str:
    """What makes a task: objects, initial state, costs and goal, but no names of files."""
    content = (
        sorted(problem.objects.items()),
        sorted(problem.init),
        sorted(problem.function_values.items()),
        condition_to_list(problem.goal),
        problem.minimize_cost,
    )
    return sha256(repr(content).encode()).hexdigest()


# Evaluations times operators, for each kind of search: a second or two on a usual machine.
ASTAR_EFFORT = 5_000_000
GREEDY_EFFORT = 20_000_000
IMPROVEMENT = 2_000_000  # states: a fraction of a second

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

    `source` is astar, greedy, given, model or joined. `status` is that of the last search, or
    trivial.
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
    goals: int = 0
    as_good: tuple[tuple[int, ...], ...] = ()  # other operators on optimal plans, for each step

    @property
    def as_given(self) -> TrainingTask:
        """The task alone."""
        return TrainingTask(self.name, self.text, 0)

    @property
    def size(self) -> tuple[int, int, int, str]:
        """What tasks are ordered by, from small to large."""
        return (self.facts + self.operators, self.facts, self.goals, self.name)


def find_plan(job: PlanJob) -> PlannedTask:
    """Solve a task as well as the limits allow, or improve the plan that the user has given."""
    name, text = job.task.name, job.task.text
    domain = parse_domain(job.domain_text, "<domain>")
    task = ground(parse_problem(domain, text, name), unit_costs=job.unit_costs).ordered
    if task.goal_holds_initially:
        return PlannedTask(name, text, task.num_facts, task.num_operators, TRIVIAL)
    huge = bool(task.unwritten)  # only a model can plan it
    space = None if huge else enumerate_states(task, _native.States(task.native), MAX_STATES)
    solved = PlannedTask(
        *(name, text, task.num_facts, task.num_operators, Status.SOLVED.value),
        states=None if space is None else len(space),
        goals=len(task.goal),
    )
    if job.task.plan is not None:
        return _with(solved, *improved(task, job.task.plan), "given")
    if huge:
        return replace(solved, status=Status.MEMORY_LIMIT.value)
    if job.effort <= 1:  # otherwise it was in vain already
        found = search(task, job, optimal_evaluations(job, task), "astar", "lmcut")
        if found.plan is not None:
            planned = _with(solved, tuple(found.plan), found.cost, "astar", optimal=True)
            return planned if space is not None else _with_equal_steps(planned, task, job)
        if found.status is Status.UNSOLVABLE:
            return replace(solved, status=found.status.value)
    found = greedy_search(task, job, "lama-first")
    if found.plan is None and found.status is not Status.UNSOLVABLE:
        found = greedy_search(task, job, "width")
    if found.plan is None:
        return replace(solved, status=found.status.value)
    return _with(solved, *improved(task, found.plan), "greedy")


def improved(task: GroundTask, steps: Sequence[str]) -> tuple[Names, int]:
    """What becomes of a plan in a fraction of a second, and its cost."""
    states = _native.States(task.native)
    improvement = Improvement(task, walk_plan(task, states, steps).operators, states)
    improvement.advance(IMPROVEMENT)
    return tuple(improvement.plan), improvement.cost


def evaluations(effort: float, task: GroundTask, most: int) -> int:
    """How many evaluations an effort allows in a task: between 1000 and `most`."""
    return int(min(max(effort / max(task.bulk, 1), 1000), most))


def optimal_evaluations(job: PlanJob, task: GroundTask) -> int:
    """The same for LM-cut: fewer in huge tasks, where one can take 50 milliseconds."""
    effort = ASTAR_EFFORT * job.effort
    affordable = max(1, int(2 * effort / max(task.bulk, 1)))
    return min(evaluations(effort, task, int(50_000 * job.effort)), affordable)


def _with_equal_steps(planned: PlannedTask, task: GroundTask, job: PlanJob) -> PlannedTask:
    states = _native.States(task.native)
    walk = walk_plan(task, states, planned.plan or ())
    found = equal_steps(task, states, walk, optimal_evaluations(job, task))
    return replace(planned, as_good=tuple(tuple(sorted(each)) for each in found))


def greedy_search(task: GroundTask, job: PlanJob, *words: str) -> Result:
    """A search by these words, as long as the effort of a job allows."""
    most = evaluations(GREEDY_EFFORT * job.effort, task, int(500_000 * job.effort))
    return search(task, job, most, *words)


def search(task: GroundTask, job: PlanJob, max_evaluations: int, *words: str) -> Result:
    """A search by these words within the limits of a job."""
    return solve(
        task,
        *words,
        max_evaluations=max_evaluations,
        time_limit=job.seconds,
        memory_limit=job.memory_limit,
    )


def _with(
    task: PlannedTask, plan: Names, cost: int | None, source: str, *, optimal: bool = False
) -> PlannedTask:
    if not plan:
        raise BeelineError("a plan without steps", task.name)
    return replace(task, plan=plan, cost=cost, source=source, optimal=optimal)
