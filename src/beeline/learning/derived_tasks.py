"""Tasks made from those that were given: more of them to learn from, larger ones as an exam.

A variant starts somewhere else (after a random walk), or has fewer goals, or fewer objects where it
stays solvable: never harder than the task that it comes from, and mostly easier. A larger task is
several in one: their objects under new names, all initial facts, all goals; what has no objects,
such as an empty hand, they share. Or it is a crowded one: what its goals are about is there several
times, in the same world.
"""

from __future__ import annotations

import math
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from beeline.core.errors import BeelineError, Status
from beeline.learning.task_set import (
    PlanJob,
    PlannedTask,
    TrainingTask,
    find_plan,
    greedy_search,
    object_kinds,
)
from beeline.pddl import parse_domain, parse_problem
from beeline.pddl.model import Atom, Junction, Not, Problem, Quantified
from beeline.pddl.writer import format_problem
from beeline.task.grounding import ground
from beeline.task.plan_file import Step
from beeline.task.validator import validate

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from beeline.pddl.model import Formula

    Facts = list[tuple[str, ...]]

ATTEMPTS = 4  # to make a solvable task that is not yet solved
WALK = 60  # random steps before the start of a task, at most
KEPT = 0.5  # of the objects of a type that no goal names
EFFORT = 0.25  # times that of a given task
TWICE = 2
MOST_OPERATORS = 100_000  # of a larger task, and axioms, which are evaluated in every state
GUESS = 40  # times as many may be guessed before they are counted


@dataclass(frozen=True)
class VariantJob:
    """All that a worker needs to make the `number`-th of `count` variants of a task."""

    plan_job: PlanJob
    number: int
    count: int
    seed: int


def find_variant(job: VariantJob) -> PlannedTask | None:
    """A task made from another one, with its plan; None if all attempts failed."""
    given = job.plan_job.task
    domain = parse_domain(job.plan_job.domain_text, "<domain>")
    problem = parse_problem(domain, given.text, given.name)
    parts = goal_parts(problem.goal)
    random = np.random.default_rng([job.seed, job.number, *given.name.encode()])
    goals = max(1, round(len(parts) * (job.number + 1) / job.count))  # the last one has them all
    kept = KEPT if job.number % 2 else 1.0
    name = f"{given.name}-variant-{job.number + 1:02}"
    for _ in range(ATTEMPTS):
        chosen = sorted(random.permutation(len(parts))[:goals].tolist())
        goal = Junction("and", tuple(parts[place] for place in chosen))
        walk = int(random.integers(1, WALK)) if job.number % 3 or goals == len(parts) else 0
        made = _with(problem, name, init=_walked(problem, walk, random), goal=goal)
        made = without_objects(made, _superfluous(made, kept, random))
        task = TrainingTask(name, format_problem(made), len(made.objects))
        with suppress(BeelineError):  # a task that makes no sense is no harm
            found = find_plan(replace(job.plan_job, task=task, effort=EFFORT))
            if found.plan is not None:
                return found
        kept, goals = min(1.0, 1.5 * kept), max(1, goals // 2)
    return None


def goal_parts(goal: Formula) -> list[Formula]:
    """What must hold in the end, one by one; a goal that is no conjunction is one part.

    >>> p, q = Atom("p", ()), Not(Atom("q", ()))
    >>> len(goal_parts(Junction("and", (p, Junction("and", (q, p))))))
    3
    """
    if isinstance(goal, Junction) and goal.word == "and":
        return [part for each in goal.parts for part in goal_parts(each)]
    return [goal]


def _with(problem: Problem, name: str, *, init: Facts, goal: Formula) -> Problem:
    return Problem(
        problem.domain,
        name,
        problem.objects,
        init,
        problem.function_values,
        goal,
        problem.minimize_cost,
        problem.file,
    )


def _walked(problem: Problem, steps: int, random: np.random.Generator) -> Facts:
    """The facts after some random steps; those that no plan can need may be out of date."""
    if steps == 0:
        return problem.init
    derived = problem.domain.derived_predicates()
    task = ground(problem).ordered
    if task.unwritten:  # a state may have millions of successors
        return problem.init
    before = state = task.initial_state
    for _ in range(steps):
        children = [child for _, child in state.successors()]
        if not children:
            break
        state = children[int(random.integers(len(children)))]
    facts_before, facts_after = (
        {tuple(name[1:-1].split()) for name in each.fact_names if "@" not in name}
        for each in (before, state)
    )
    gone = facts_before - facts_after
    new = [fact for fact in facts_after - facts_before if fact[0] not in derived]
    return [fact for fact in problem.init if fact not in gone] + sorted(new)


def _superfluous(problem: Problem, kept: float, random: np.random.Generator) -> set[str]:
    """Objects that no goal names, drawn from each type so that a share of them is kept."""
    by_type: dict[tuple[str, ...], list[str]] = {}
    named = objects_in(problem.goal)
    for name, types in problem.objects.items():
        if name not in named and name not in problem.domain.constants:
            by_type.setdefault(types, []).append(name)
    dropped: set[str] = set()
    for names in by_type.values():
        order = random.permutation(len(names)).tolist()
        dropped.update(names[place] for place in order[int(np.ceil(kept * len(names))) :])
    return dropped


def objects_in(formula: Formula) -> set[str]:
    """The objects that a formula names."""
    if isinstance(formula, Atom):
        return {word for word in formula.args if not word.startswith("?")}
    if isinstance(formula, Junction):
        return {name for part in formula.parts for name in objects_in(part)}
    return objects_in(formula.part)


def without_objects(problem: Problem, dropped: Collection[str]) -> Problem:
    """The same without some objects and all that is said about them."""
    gone = set(dropped)
    return Problem(
        problem.domain,
        problem.name,
        {name: types for name, types in problem.objects.items() if name not in gone},
        [fact for fact in problem.init if not gone.intersection(fact[1:])],
        {
            term: value
            for term, value in problem.function_values.items()
            if not gone.intersection(term[1:])
        },
        problem.goal,
        problem.minimize_cost,
        problem.file,
    )


@dataclass(frozen=True)
class JoinJob:
    """All that a worker needs to make one task of several that have plans."""

    domain_text: str
    tasks: tuple[PlannedTask, ...]
    unit_costs: bool


def join(job: JoinJob) -> PlannedTask | None:
    """Several tasks in one, with a plan; None if their plans are none of it."""
    if sum(task.operators for task in job.tasks) * len(job.tasks) > MOST_OPERATORS:
        return None
    domain = parse_domain(job.domain_text, "<domain>")
    parts = [parse_problem(domain, task.text, task.name) for task in job.tasks]
    names = renamings(parts)
    problem = joined(parts, names, "-and-".join(task.name for task in job.tasks))
    plan: list[str] = []
    for task, renamed in zip(job.tasks, names, strict=True):
        for step in task.plan or ():
            action, *objects = Step.of(step).words
            plan.append(f"({' '.join([action, *(renamed[each] for each in objects)])})")
    verdict = validate(problem, plan, unit_costs=job.unit_costs)
    if verdict.cost is None:
        return None
    try:
        whole = ground(problem, unit_costs=job.unit_costs)
    except BeelineError:
        return None
    sizes = whole.num_facts, whole.num_operators
    found = PlannedTask(problem.name, format_problem(problem), *sizes, Status.SOLVED.value)
    return replace(
        found, plan=tuple(plan), cost=verdict.cost, source="joined", goals=len(whole.goal)
    )


@dataclass(frozen=True)
class CrowdJob:
    """All that a worker needs to make a task in which there is `times` as much to do.

    `operators` are those of the task as it is.
    """

    plan_job: PlanJob
    operators: int
    times: int


def crowd(job: CrowdJob) -> PlannedTask | None:
    """A crowded task; None if there is none, it is too large, or greedy search does not solve it.

    What can be done twice can be done more often: no plan is looked for, the exam needs none.
    """
    given = job.plan_job.task
    if job.operators * job.times**2 > GUESS * MOST_OPERATORS:
        return None
    domain = parse_domain(job.plan_job.domain_text, "<domain>")
    whole = parse_problem(domain, given.text, given.name)
    problem = crowded(whole, job.times, one_kind=job.times > TWICE)
    if problem is None or (job.times > TWICE and _grows_too_large(job, whole)):
        return None
    try:
        task = ground(problem, unit_costs=job.plan_job.unit_costs)
    except (BeelineError, MemoryError):
        return None
    if task.bulk + 9 * task.num_axioms > MOST_OPERATORS:
        return None
    sizes = task.num_facts, task.num_operators
    name = f"{given.name}-times-{job.times}"
    made = PlannedTask(name, format_problem(problem), *sizes, Status.EVALUATION_LIMIT.value)
    made = replace(made, goals=len(task.goal))
    if job.times > TWICE:
        return made
    found = greedy_search(task, job.plan_job, "lama-first")
    if not found.plan or found.cost is None:
        return None
    return replace(made, plan=tuple(found.plan), cost=found.cost, status=Status.SOLVED.value)


def _grows_too_large(job: CrowdJob, whole: Problem) -> bool:
    """Whether a task would have far too many operators, if it grows as it does when doubled.

    Actions with four objects of a kind have 65,536 times as many operators with 16 times as many.
    """
    doubled = crowded(whole, TWICE, one_kind=True)
    if doubled is None:
        return True
    try:
        task = ground(doubled, unit_costs=job.plan_job.unit_costs)
    except (BeelineError, MemoryError):
        return True
    growth = task.num_operators / max(1, job.operators)
    expected: float = job.operators * growth ** math.log2(job.times)
    return expected > 2 * MOST_OPERATORS


def crowded(problem: Problem, times: int, *, one_kind: bool = False) -> Problem | None:
    """Copies of what the goals are about, with all that is said about it; None if there is none.

    With `one_kind` only of those objects whose kind most goals are about: more parcels for the same
    trucks, even if trucks have goals as well.

    These are the objects in goals that no static fact relates to others of their kind, such as
    parcels and blocks but not places: facts that relate several of them are copied with all of
    them.
    """
    changed = problem.domain.changed_predicates()
    static = [fact for fact in problem.init if fact[0] not in changed]
    kinds = object_kinds(problem, static)
    fixed = {each for term in problem.function_values for each in term[1:]}
    fixed |= set(problem.domain.constants)
    for _, *related in static:
        several = Counter(kinds[name] for name in set(related))
        fixed |= {name for name in related if several[kinds[name]] > 1}
    parts = goal_parts(problem.goal)
    movable = {name for part in parts for name in objects_in(part)} - fixed
    if not movable or not all(isinstance(part, Atom) for part in parts):
        return None
    if one_kind:
        numbers = Counter(kinds[name] for name in sorted(movable))
        commonest = max(numbers, key=lambda kind: numbers[kind])
        movable = {name for name in movable if kinds[name] == commonest}
    copies = [{name: name for name in problem.objects}]
    taken = set(problem.objects)
    for number in range(2, times + 1):
        renamed = {name: _new_name(f"{name}-{number}", taken) for name in sorted(movable)}
        copies.append({**copies[0], **renamed})
    return joined([problem] * times, copies, problem.name)


def _new_name(wanted: str, taken: set[str]) -> str:
    while wanted in taken:
        wanted += "x"
    taken.add(wanted)
    return wanted


def renamings(parts: Sequence[Problem]) -> list[dict[str, str]]:
    """New names for the objects of each part, all different; constants keep theirs."""
    taken = set(parts[0].domain.constants)
    result = []
    for number, part in enumerate(parts, start=1):
        names = {name: name for name in part.domain.constants}
        for name in part.objects:
            if name not in names:
                names[name] = _new_name(f"{name}-{number}", taken)
        result.append(names)
    return result


def joined(parts: Sequence[Problem], names: Sequence[Mapping[str, str]], name: str) -> Problem:
    """One problem of several, whose objects get these names."""
    objects: dict[str, tuple[str, ...]] = {}
    facts: dict[tuple[str, ...], None] = {}
    values: dict[tuple[str, ...], int] = {}
    goals: list[Formula] = []
    for part, renamed in zip(parts, names, strict=True):
        objects |= {renamed[name]: types for name, types in part.objects.items()}
        facts |= {(fact[0], *(renamed[each] for each in fact[1:])): None for fact in part.init}
        for term, value in part.function_values.items():
            values.setdefault((term[0], *(renamed[each] for each in term[1:])), value)
        goals += [rename(each, renamed) for each in goal_parts(part.goal)]
    goals = list(dict.fromkeys(goals))
    first = parts[0]
    return Problem(
        first.domain,
        name,
        objects,
        list(facts),
        values,
        Junction("and", tuple(goals)),
        first.minimize_cost,
        first.file,
    )


def rename(formula: Formula, names: Mapping[str, str]) -> Formula:
    """The same about other objects."""
    if isinstance(formula, Atom):
        return Atom(formula.predicate, tuple(names.get(word, word) for word in formula.args))
    if isinstance(formula, Not):
        return Not(rename(formula.part, names))
    if isinstance(formula, Quantified):
        return Quantified(formula.word, formula.parameters, rename(formula.part, names))
    return Junction(formula.word, tuple(rename(part, names) for part in formula.parts))
