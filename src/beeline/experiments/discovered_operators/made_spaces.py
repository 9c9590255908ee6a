"""State spaces of our own, for those who have not got the paper's: files as the latter have them.

FOLDER/DOMAIN/{domain,task}.pddl and FOLDER/DOMAIN/init/*.pddl, the same task with initial states
that are drawn from all states that can be reached and from which the goal can be.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from beeline.core.files import write_atomically
from beeline.generators.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

GENERATORS = {"blocks": "blocksworld"}  # where the names differ
SEED = 1  # of the tasks
INITIAL_SEED = 0  # of the initial states

# States in brackets. Those of "paper" are as large as the paper's, or nearly.
SPACES: dict[str, dict[str, dict[str, Any]]] = {
    "tiny": {
        "blocks": {"blocks": 4},  # 125
    },
    "small": {
        "blocks": {"blocks": 6},  # 7,057
        "grid": {"width": 4, "height": 4, "shapes": 2, "keys": 2, "locks": 3},  # 28,026
        "npuzzle": {"rows": 2, "columns": 4},  # 20,160
        "rovers": {"rovers": 1, "waypoints": 6, "cameras": 1, "ratio": 0.6},  # 11,556
        "scanalyzer": {"belts": 3, "rotations": 8},  # 46,080
        "transport": {"packages": 2, "locations": 8},  # 6,336
        "visitall": {"ratio": 0.8},  # 18,723
    },
    "paper": {
        "blocks": {"blocks": 7},  # 65,990, as there
        "grid": {"width": 4, "height": 4, "shapes": 2, "keys": 3, "locks": 3},  # 258,604
        "npuzzle": {"rows": 3, "columns": 3},  # 181,440, as there
        "rovers": {"rovers": 1, "waypoints": 5, "cameras": 1, "ratio": 0.5},  # 232,470
        "scanalyzer": {"belts": 3, "rotations": 8},  # 46,080, as there
        "transport": {"packages": 3, "locations": 12},  # 394,848
        "visitall": {"ratio": 1.0},  # 68,773
    },
}


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

    from beeline.generators import domain_text
    from beeline.pddl import parse_domain, parse_problem
    from beeline.pddl.writer import format_problem
    from beeline.sampling.regression import true_facts
    from beeline.sampling.state_spaces import enumerate_states
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
