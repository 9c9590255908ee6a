"""Where tasks come from: a generator, or the user's files with or without plans.

Settings of a dataset of plans are part of its identity, down to the last limit. Splits are by
instance, never by state: states of one plan resemble each other too much.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.core.limits import memory_size
from beeline.core.settings import setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from beeline.data.manifest import Manifest
    from beeline.generators.registry import Recipe
    from beeline.pddl.model import Problem
    from beeline.task.plan_file import Plan

    Shares = tuple[tuple[str, float], ...]


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
    satisficing: bool = setting(
        False,
        "Take the first plans that a greedy search finds: their costs are upper bounds of h*, which"
        " '--loss interval' learns from.",
    )
    symmetry: bool = setting(
        False,
        "Look at one of all states that differ only in the names of objects: more tasks are solved,"
        " with other plans of the same cost.",
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
        if not self.siblings and (self.sibling_h_star or self.orders > 1):
            what, option = "h* of siblings", "--sibling-h-star"
            if not self.sibling_h_star:
                what, option = f"{self.orders} orders of plans", "--orders"
            raise BeelineError(f"{what} without siblings", hint=f"add --siblings to {option}")

    def to_json(self) -> dict[str, Any]:
        """The settings as plain values; one order, optimal plans, all states go without saying.

        >>> {"orders", "satisficing", "symmetry"} & {*PlanSettings().to_json()}
        set()
        """
        settings = {each.name: getattr(self, each.name) for each in fields(self)}
        if self.orders == 1:
            del settings["orders"]
        for name in ("satisficing", "symmetry"):
            if not settings[name]:
                del settings[name]
        return {**settings, "splits": dict(self.splits)}


def parse_splits(words: str | Shares) -> Shares:
    """Names and shares from text; the shares are made to sum up to 1. Shares stay as they are.

    >>> parse_splits("train=3,val=1")
    (('train', 0.75), ('val', 0.25))
    >>> parse_splits("train=much")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: the split 'train=much' is not understood
    (hint: such as train=0.8,val=0.1,test=0.1)
    """
    if not isinstance(words, str):
        return words
    shares: dict[str, float] = {}
    for word in words.split(","):
        match = re.fullmatch(r"\s*([a-z][a-z0-9_-]*)\s*=\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*", word)
        if match is None or match[1] in shares:
            message = f"the split '{words[:60]}' is not understood"
            raise BeelineError(message, hint="such as train=0.8,val=0.1,test=0.1")
        shares[match[1]] = float(match[2])
    total = sum(shares.values())
    if total <= 0:
        raise BeelineError(f"the split '{words[:60]}' is empty", hint="such as train=1")
    return tuple((name, share / total) for name, share in shares.items())


def assign_splits(names: Sequence[str], shares: Shares, seed: int) -> list[str]:
    """The split of each instance, at random, but always the same for a seed and these names.

    Every split gets its share of the instances, rounded; what is left over goes to the splits
    that rounding hurts most.

    >>> assign_splits(["p1", "p2", "p3", "p4"], (("train", 0.75), ("val", 0.25)), seed=0)
    ['val', 'train', 'train', 'train']
    """
    exact = [share * len(names) for _, share in shares]
    sizes = [int(size) for size in exact]
    neediest = sorted(range(len(shares)), key=lambda i: (sizes[i] - exact[i], i))
    for index in neediest[: len(names) - sum(sizes)]:
        sizes[index] += 1
    order = sorted(range(len(names)), key=lambda i: sha256(f"{seed}:{names[i]}".encode()).digest())
    chosen = [name for (name, _), size in zip(shares, sizes, strict=True) for _ in range(size)]
    splits = [""] * len(names)
    for place, split in zip(order, chosen, strict=True):
        splits[place] = split
    return splits


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
        return replace(self.recipe, attempt=attempt).text() if self.recipe else self.text


@dataclass(frozen=True)
class TaskSet:
    """Tasks of one domain, and a description that identifies them."""

    domain_text: str
    signature: dict[str, Any]
    sources: tuple[Source, ...]
    description: dict[str, Any]

    def manifest(
        self, kind: str, config: dict[str, Any], *, seed: int, shards: int, splits: list[str]
    ) -> Manifest:
        """The manifest of a dataset that is made of these tasks with this configuration."""
        from beeline._version import __version__
        from beeline.data.manifest import Manifest

        all_config = {"sampler": kind, **self.description, **config}
        domain, text = self.signature, self.domain_text
        return Manifest(__version__, all_config, seed, domain, text, shards, splits)


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
    >>> [source.name for source in generated_tasks("gripper", parameters={"balls": "1..2"}).sources]
    ['gripper-balls001-0-0000', 'gripper-balls002-0-0000']
    """
    from beeline.generators import domain_text
    from beeline.generators.registry import recipes
    from beeline.pddl import parse_domain
    from beeline.pddl.model import domain_signature

    chosen = dict(parameters or {})
    made = list(recipes(generator, preset=preset, count=count, seed=seed, parameters=chosen))
    text = domain_text(generator)
    signature = domain_signature(parse_domain(text, f"<{generator} domain>"))
    sources = tuple(Source(recipe.task_name, recipe) for recipe in made)
    sizes = {"preset": made[0].preset, "count": len(made), "parameters": chosen}
    return TaskSet(text, signature, sources, {"generator": generator, **sizes})


def given_tasks(
    domain: str, tasks: Sequence[str], *, plans: str | None = None, unit_costs: bool = False
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
        plan = None
        if plans is not None:
            found = plan_file(Path(plans), Path(file))
            if found is None:
                message = f"there is no plan for the task {file}"
                hint = f"name it {Path(file).stem}.plan, or leave the task out"
                raise BeelineError(message, str(Path(plans)), hint=hint)
            plan = replayed_plan(problem, found, unit_costs=unit_costs)
        sources.append(Source(name, text=text, plan=plan))
    digests = {
        source.name: sha256(repr((source.text, source.plan)).encode()).hexdigest()
        for source in sources
    }
    description = {"tasks": digests, "plans": plans is not None}
    return TaskSet(domain_text, domain_signature(lifted), tuple(sources), description)


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
