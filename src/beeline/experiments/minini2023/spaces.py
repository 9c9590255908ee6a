"""State spaces of our own, for those who have not got the paper's: files as the latter have them.

FOLDER/DOMAIN/{domain,task}.pddl and FOLDER/DOMAIN/init/*.pddl, the same task with initial states
that are drawn from all states that can be reached and from which the goal can be.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from beeline.core.files import write_atomically
from beeline.experiments.registry import grid
from beeline.generators.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

GENERATORS = {"blocks": "blocksworld"}  # where the names differ
SEED = 1  # of the tasks
INITIAL_SEED = 0  # of the initial states
SPACES = grid("minini2023")["spaces"]


def make_spaces(
    folder: Path, domains: Sequence[str], sizes: str, count: int, say: Callable[[str], None]
) -> None:
    """Write the tasks of these domains with so many initial states, those that are missing."""
    for domain in domains:
        place = folder / domain
        recipe = Recipe.make(GENERATORS.get(domain, domain), SPACES[sizes][domain], seed=SEED)
        task, last = place / "task.pddl", place / "init" / f"{count - 1:02d}.pddl"
        if not last.is_file() or not task.is_file() or task.read_text() != recipe.text():
            place.joinpath("init").mkdir(parents=True, exist_ok=True)
            states = _write(place, recipe, count)
            say(f"made {domain}, {states:,} states")


def _write(place: Path, recipe: Recipe, count: int) -> int:
    """Write one state space, the task last; how many states it has."""
    import numpy as np

    from beeline.data.regression import true_facts
    from beeline.data.state_spaces import enumerate_states
    from beeline.generators import domain_text
    from beeline.pddl import parse_domain, parse_problem
    from beeline.pddl.writer import format_problem
    from beeline.task.grounding import ground

    lifted = parse_domain(domain_text(recipe.domain))
    problem = parse_problem(lifted, recipe.text(), recipe.task_name)
    task = ground(problem, unit_costs=True)
    space = enumerate_states(task)
    alive = np.flatnonzero(np.asarray(space.distances) > 0)
    # With more initial states, the first ones stay the same.
    chosen = np.random.default_rng(INITIAL_SEED).permutation(alive)[:count].astype(np.uint32)
    starts, items = true_facts(task, space.values(chosen))
    names = task.fact_names
    static = [fact for fact in problem.init if task.fact_id(f"({' '.join(fact)})") is None]
    for old in place.joinpath("init").glob("*.pddl"):
        old.unlink()
    write_atomically(place / "domain.pddl", domain_text(recipe.domain))
    for number, (first, last) in enumerate(pairwise(starts.tolist())):
        facts = [tuple(names[fact].strip("()").split()) for fact in items[first:last]]
        problem.init = [*static, *facts]
        problem.name = f"{recipe.task_name}-from-{number:02d}"
        write_atomically(place / "init" / f"{number:02d}.pddl", format_problem(problem))
    write_atomically(place / "task.pddl", recipe.text())
    return len(space)
