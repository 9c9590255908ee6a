"""Where tasks come from: a generator, or the user's files with or without plans.

The settings of a dataset of plans: part of its identity, down to the last limit.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.core.limits import memory_size
from beeline.core.settings import setting
from beeline.data.writer import parse_splits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from beeline.data.writer import Shares
    from beeline.generators.recipe import Recipe
    from beeline.pddl.model import Problem
    from beeline.task.plan_file import Plan


DEFAULT_EVALUATIONS = 50_000
DEFAULT_SECONDS = 1800.0


@dataclass(frozen=True)
class PlanSettings:
    """How plans are found and which states are kept.

    The limit on evaluations decides which instances are solved; it is the same on every
    machine. The limits on time and memory are only there for the worst case: an instance that
    reaches one of them may be solved on a faster machine.

    >>> PlanSettings(max_evaluations=0)
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: max evaluations 0 is not a number from 1 up
    """

    siblings: bool = setting(False, "Also keep the states generated beside the plan.")
    sibling_h_star: bool = setting(False, "Solve the task from each of these, too.")
    orders: int = setting(
        1, "Keep up to K orders of the steps of each plan, the plan's own first.", "K"
    )
    optimal_plans: bool = setting(False, "Plans that are given are cheapest ones; trust me.")
    splits: Shares = setting(
        "train=0.8,val=0.2", "Shares of instances, by name.", "SHARES", aliases=("--split",)
    )
    seed: int = setting(0, "Decides on random tasks and on splits.", "N")
    attempts: int = setting(20, "Random tasks to try in place of one too hard.", "N")
    min_length: int = setting(1, "Steps of the shortest plan worth keeping.", "N")
    max_evaluations: int = setting(DEFAULT_EVALUATIONS, "Limit on the search in each task.", "N")
    time_limit: float = setting(
        DEFAULT_SECONDS,
        "For each task: a safety net; unlike evaluations it is not the same on every machine.",
        "SECONDS",
    )
    memory_limit: int | str | None = setting(
        None, "Of a worker, such as 200M or 2G; a plain number means MB.", "SIZE"
    )
    unit_costs: bool = setting(False, "Let every action cost 1, whatever the files say.")

    def __post_init__(self) -> None:
        object.__setattr__(self, "splits", parse_splits(self.splits))
        object.__setattr__(self, "memory_limit", memory_size("memory limit", self.memory_limit))
        if not 0 <= self.seed < 2**63:
            raise BeelineError(f"the seed is {self.seed}", hint="seeds are numbers from 0 up")
        for name in ("max_evaluations", "memory_limit", "attempts", "min_length", "orders"):
            value = getattr(self, name)
            if value is not None and not 1 <= value < 2**62:
                raise BeelineError(f"{name.replace('_', ' ')} {value} is not a number from 1 up")
        if not 0 < self.time_limit < math.inf:
            raise BeelineError(f"the time limit {self.time_limit} is not a number above 0")
        if self.sibling_h_star and not self.siblings:
            raise BeelineError(
                "h* of siblings without siblings", hint="add --siblings to --sibling-h-star"
            )
        if self.orders > 1 and not self.siblings:
            raise BeelineError(
                f"{self.orders} orders of plans without siblings", hint="add --siblings to --orders"
            )

    def to_json(self) -> dict[str, Any]:
        """The settings as plain values; a single order goes without saying.

        >>> "orders" in PlanSettings().to_json()
        False
        """
        settings = {each.name: getattr(self, each.name) for each in fields(self)}
        if self.orders == 1:
            del settings["orders"]
        return {**settings, "splits": dict(self.splits)}


PLAN_ENDINGS = (".plan", ".soln", ".solution", "")


@dataclass(frozen=True)
class Source:
    """One task: a recipe for random ones, or a text, perhaps with the steps of its plan."""

    name: str
    recipe: Recipe | None = None
    text: str = ""
    plan: Plan | None = None

    def task_text(self, attempt: int) -> str:
        """The PDDL text; another attempt gives another instance if there is a recipe."""
        if self.recipe is None:
            return self.text
        from dataclasses import replace

        return replace(self.recipe, attempt=attempt).text()


@dataclass(frozen=True)
class TaskSet:
    """Tasks of one domain, and a description that identifies them."""

    domain_text: str
    signature: dict[str, Any]
    sources: tuple[Source, ...]
    description: dict[str, Any]


def generated_tasks(
    generator: str,
    *,
    preset: str | None = None,
    count: int | None = None,
    seed: int = 0,
    parameters: Mapping[str, object] | None = None,
) -> TaskSet:
    """Random tasks of a built-in domain.

    >>> tasks = generated_tasks("ferry", count=3, parameters={"cars": 2, "locations": 3})
    >>> [source.name for source in tasks.sources]
    ['ferry-0-0000', 'ferry-0-0001', 'ferry-0-0002']
    """
    from beeline.generators import domain_text
    from beeline.generators.recipe import recipes
    from beeline.pddl import parse_domain
    from beeline.pddl.model import domain_signature

    chosen = dict(parameters or {})
    made = list(recipes(generator, preset=preset, count=count, seed=seed, parameters=chosen))
    text = domain_text(generator)
    return TaskSet(
        text,
        domain_signature(parse_domain(text, f"<{generator} domain>")),
        tuple(Source(recipe.task_name, recipe) for recipe in made),
        {
            "generator": generator,
            "preset": made[0].preset,
            "count": len(made),
            "parameters": chosen,
        },
    )


def given_tasks(
    domain: str,
    tasks: Sequence[str],
    *,
    plans: str | None = None,
    unit_costs: bool = False,
) -> TaskSet:
    """Tasks in files, all of one domain, with plans from a folder if there is one.

    Every task is parsed and every plan replayed here, so that a bad one is named before work
    begins.
    """
    from beeline.core.files import read_text
    from beeline.pddl import parse_domain, parse_problem
    from beeline.pddl.model import domain_signature

    domain_text = read_text(domain, "PDDL domain")
    lifted = parse_domain(domain_text, domain)
    if not tasks:
        raise BeelineError("no task", hint="name task files after the domain file")
    sources = []
    for name, file in zip(task_names(tasks), tasks, strict=True):
        text = read_text(file, "PDDL problem")
        problem = parse_problem(lifted, text, file)
        plan = None if plans is None else _plan_of(problem, file, Path(plans), unit_costs)
        sources.append(Source(name, text=text, plan=plan))
    digests = {
        source.name: sha256(repr((source.text, source.plan)).encode()).hexdigest()
        for source in sources
    }
    return TaskSet(
        domain_text,
        domain_signature(lifted),
        tuple(sources),
        {"tasks": digests, "plans": plans is not None},
    )


def task_names(files: Sequence[str]) -> list[str]:
    """File names without endings, with as many folders as it takes to tell them apart.

    >>> task_names(["easy/p1.pddl", "hard/p1.pddl", "p2.pddl"])
    ['easy/p1', 'hard/p1', 'p2']
    """
    parts = [Path(os.path.abspath(file)).with_suffix("").parts for file in files]
    names = []
    for file, own in zip(files, parts, strict=True):
        for length in range(1, len(own) + 1):
            if sum(other[-length:] == own[-length:] for other in parts) == 1:
                names.append("/".join(own[-length:]))
                break
        else:
            raise BeelineError("the task is named twice", file, hint="once is enough")
    return names


def _plan_of(problem: Problem, file: str, folder: Path, unit_costs: bool) -> Plan:
    """The plan of a task, which must have one."""
    path = plan_file(folder, Path(file))
    if path is None:
        raise BeelineError(
            f"there is no plan for the task {file}",
            str(folder),
            hint=f"name it {Path(file).stem}.plan, or leave the task out",
        )
    return replayed_plan(problem, path, unit_costs=unit_costs)


def replayed_plan(problem: Problem, given: Path | Plan, *, unit_costs: bool) -> Plan:
    """A plan, or that in a file, replayed in the task."""
    from beeline.task.plan_file import Plan, read_plan
    from beeline.task.validator import validate

    plan = given if isinstance(given, Plan) else read_plan(given)
    failure = validate(problem, plan, unit_costs=unit_costs).failure
    if failure is not None:
        raise BeelineError(
            f"the plan does not fit the task {problem.file}: {failure.message}",
            None if isinstance(given, Plan) else str(given),
            plan.lines[failure.step - 1] if failure.step is not None and plan.lines else None,
            hint="is it the plan of another task?",
        )
    return plan


def plan_file(folder: Path, task: Path) -> Path | None:
    """The plan of a task: `p1.plan`, or the last of `p1.plan.1`, `p1.plan.2` ..., if any."""
    if not folder.is_dir():
        raise BeelineError("no such folder of plans", str(folder), hint="check the path")
    for stem in (task.stem, task.name):
        for ending in PLAN_ENDINGS:
            path = folder / f"{stem}{ending}"
            if path.is_file() and path.resolve() != task.resolve():
                return path
        numbered = [each for each in folder.glob(f"{stem}.plan.*") if each.suffix[1:].isdigit()]
        if numbered:
            return max(numbered, key=lambda each: int(each.suffix[1:]))
    return None
