"""Where tasks come from: a generator, or the user's files with or without plans."""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from beeline.generators.recipe import Recipe
    from beeline.pddl.model import Problem

PLAN_ENDINGS = (".plan", ".soln", ".solution", "")


@dataclass(frozen=True)
class Source:
    """One task: a recipe for random ones, or a text, perhaps with the steps of its plan."""

    name: str
    recipe: Recipe | None = None
    text: str = ""
    plan: tuple[str, ...] | None = None

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
    from beeline.pddl.signature import domain_signature

    chosen = dict(parameters or {})
    made = list(recipes(generator, preset=preset, count=count, seed=seed, chosen=chosen))
    text = domain_text(generator)
    return TaskSet(
        text,
        domain_signature(parse_domain(text, f"<{generator} domain>")),
        tuple(Source(recipe.task_name, recipe) for recipe in made),
        {"generator": generator, "preset": preset, "count": len(made), "parameters": chosen},
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
    from beeline.pddl.signature import domain_signature

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


def _plan_of(problem: Problem, file: str, folder: Path, unit_costs: bool) -> tuple[str, ...]:
    """The steps of the plan of a task, which must have one."""
    path = plan_file(folder, Path(file))
    if path is None:
        raise BeelineError(
            f"there is no plan for the task {file}",
            str(folder),
            hint=f"name it {Path(file).stem}.plan, or leave the task out",
        )
    return replayed_plan(problem, path, unit_costs=unit_costs)


def replayed_plan(problem: Problem, path: Path, *, unit_costs: bool) -> tuple[str, ...]:
    """The steps of a plan file, replayed in the task."""
    from beeline.task.plan_file import read_plan
    from beeline.task.validator import validate

    plan = read_plan(path)
    verdict = validate(problem, plan.steps, unit_costs=unit_costs)
    if verdict.failure is not None:
        failure = verdict.failure
        line = None if failure.step is None else plan.lines[failure.step - 1]
        raise BeelineError(
            f"the plan does not fit the task {problem.file}: {failure.message}",
            str(path),
            line,
            hint="is it the plan of another task?",
        )
    return tuple(f"({' '.join(step)})" for step in plan.steps)


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
