"""States of random walks, and the same tasks under other names."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import numpy as np

from beeline import _native
from beeline.data.instances import InstanceStates
from beeline.generators import domain_text, instances
from beeline.pddl import parse_domain, parse_problem
from beeline.pddl.model import Problem
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from beeline.task.ground_task import GroundTask


def generated_problem(name: str, seed: int = 1, **size: int) -> Problem:
    """A small task of a built-in domain."""
    (_, text), *_ = instances(name, count=1, seed=seed, **size)
    return parse_problem(parse_domain(domain_text(name)), text)


def walk(task: GroundTask, count: int, seed: int = 0) -> tuple[_native.States, NDArray[np.uint32]]:
    """A registry and the states of a random walk that starts again in dead ends."""
    states = _native.States(task.native)
    rng = random.Random(seed)
    ids = [states.initial]
    while len(ids) < count:
        successors = states.successors(ids[-1])[1].tolist()
        ids.append(rng.choice(successors) if successors else states.initial)
    return states, np.array(ids, dtype=np.uint32)


def as_instance(
    task: GroundTask, states: _native.States, ids: NDArray[np.uint32]
) -> InstanceStates:
    """Registered states as a dataset would have them."""
    starts, items = states.true_facts(ids)
    facts = tuple(tuple(name.strip("()").split()) for name in task.fact_names)
    return InstanceStates(task.problem, facts, starts, items, {})


def walked_instance(problem: Problem, count: int, seed: int = 0) -> InstanceStates:
    """A random walk as a dataset would have it."""
    task = ground(problem)
    return as_instance(task, *walk(task, count, seed))


def disguised(instance: InstanceStates, seed: int) -> InstanceStates:
    """The same states with other names of objects, and objects, facts and atoms in other order."""
    from beeline.pddl import format_problem

    rng = random.Random(seed)
    problem = instance.problem
    objects = [name for name in problem.objects if name not in problem.domain.constants]
    names = [f"{rng.choice('abcxyz')}{number}" for number in range(len(objects))]
    rng.shuffle(names)
    new = dict(zip(objects, names, strict=True))
    text = re.sub(r"[^\s()]+", lambda found: new.get(found[0], found[0]), format_problem(problem))
    renamed = parse_problem(problem.domain, text)
    listed = list(renamed.objects.items())
    rng.shuffle(listed)
    init = list(renamed.init)
    rng.shuffle(init)
    shuffled = Problem(
        *(renamed.domain, renamed.name, dict(listed), init, renamed.function_values),
        *(renamed.goal, renamed.minimize_cost, renamed.file),
    )
    order = rng.sample(range(len(instance.facts)), len(instance.facts))
    place = np.argsort(np.array(order, dtype=np.int64))
    facts = [tuple(new.get(word, word) for word in instance.facts[number]) for number in order]
    items = place[instance.items].astype(np.int32)
    return InstanceStates(shuffled, tuple(facts), instance.starts, items, instance.features)
