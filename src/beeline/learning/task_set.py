"""The tasks to learn from: read, checked, without duplicates, and what is wrong with them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.task.plan_file import Plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from beeline.learning.settings import AnyPath, Plans
    from beeline.pddl.model import Problem

ENOUGH_TASKS = 10
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
    warnings: tuple[str, ...]


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
    from beeline.core.files import read_text
    from beeline.data.task_sets import plan_file, replayed_plan, task_names
    from beeline.pddl import parse_domain, parse_problem
    from beeline.pddl.model import domain_signature

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
    warnings += _shortcomings(read)
    return TrainingSet(
        domain_text, str(domain), domain_signature(lifted), tuple(read), tuple(warnings)
    )


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
    from beeline.core.files import read_text

    listed = [paths] if isinstance(paths, str | os.PathLike) else paths
    for path in map(Path, listed):
        if not path.is_dir():
            yield str(path)
            continue
        found = sorted(each for each in path.glob("*.pddl") if each.is_file())
        found = [each for each in found if not _DOMAIN_FILE.search(read_text(each, "PDDL file"))]
        if not found:
            raise BeelineError(
                "there are no task files in this folder", str(path), hint="task files end in .pddl"
            )
        yield from map(str, found)


def _content(problem: Problem) -> str:
    """What makes a task: objects, initial state, costs and goal, but no names of files."""
    from hashlib import sha256

    from beeline.pddl.writer import condition_to_list

    content = (
        sorted(problem.objects.items()),
        sorted(problem.init),
        sorted(problem.function_values.items()),
        condition_to_list(problem.goal),
        problem.minimize_cost,
    )
    return sha256(repr(content).encode()).hexdigest()


def _shortcomings(tasks: Sequence[TrainingTask]) -> list[str]:
    warnings = []
    if len(tasks) < ENOUGH_TASKS:
        number = "one task" if len(tasks) == 1 else f"{len(tasks)} tasks"
        warnings.append(
            f"{number} to learn from: a model needs {ENOUGH_TASKS} or more, better 50, of growing"
            " size; 'beeline generate' makes tasks of well-known domains"
        )
    if len(tasks) > 1 and len({task.objects for task in tasks}) == 1:
        warnings.append(
            f"all tasks have {tasks[0].objects} objects: a model is chosen by how it does on tasks"
            " larger than those it has learned from; add some of other sizes"
        )
    return warnings
