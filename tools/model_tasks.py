"""What the packaged models learn from, and what they are tried on: recipes of generated tasks.

Each domain gives 30 small tasks, whose sizes grow from the smallest possible ones, and twice the
30 tasks of its preset `easy`. The tests are larger than all of these: every fourth task of the
preset `medium`, and every eighth of `hard`. Seeds are fixed, so that everybody gets the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.generators import domain_text
from beeline.generators.presets import IPC_SIZE, ramp
from beeline.generators.registry import Recipe, recipes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SMALL_SEED = 1
EASY_SEEDS = (1, 2)
TEST_SEED = 3
TESTS = {"medium": range(0, IPC_SIZE, 4), "hard": range(0, IPC_SIZE, 8)}

# Small tasks show every kind of situation with its best continuation: A* solves them all, and
# often all of their states can be looked at.
SMALL = {
    "blocksworld": ramp(blocks=(2, 10)),
    "childsnack": ramp(
        children=(1, 5), allergic=(0, 3), trays=(1, 2), sandwiches=(1, 7), tables=(1, 3)
    ),
    "ferry": ramp(cars=(1, 6), locations=(2, 8)),
    "floortile": ramp(rows=(1, 4), columns=(2, 4), robots=(1, 2)),
    "grid": ramp(
        width=(2, 4), height=(2, 4), shapes=(1, 2), keys=(1, 3), locks=(0, 3), goals=(1, 2)
    ),
    "gripper": ramp(balls=(1, 8)),
    "logistics": ramp(
        airplanes=(1, 1), cities=(1, 3), city_size=(2, 2), packages=(1, 5), trucks=(1, 3)
    ),
    "maze": ramp(size=(5, 11), teleports=(0, 3)),
    "miconic": ramp(passengers=(1, 5), floors=(2, 10)),
    "npuzzle": ramp(rows=(2, 3), columns=(2, 3)),
    "rovers": ramp(rovers=(1, 2), waypoints=(2, 6), cameras=(1, 2), objectives=(1, 4)),
    "satellite": ramp(
        satellites=(1, 3), instruments=(1, 2), modes=(1, 3), targets=(1, 4), observations=(1, 5)
    ),
    "scanalyzer": ramp(belts=(1, 3), rotations=(1, 5)),
    "sokoban": ramp(size=(5, 8), boxes=(1, 2), pulls=(3, 20)),
    "spanner": ramp(spanners=(1, 5), nuts=(1, 3), locations=(1, 6)),
    "transport": ramp(vehicles=(1, 3), packages=(1, 5), locations=(2, 8), max_capacity=(1, 5)),
    "visitall": ramp(width=(2, 5), height=(2, 5), ratio=(0.4, 1.0)),
    "warehouse": ramp(size=(6, 8), boxes=(1, 3)),
}


def training_recipes(domain: str) -> list[Recipe]:
    """The tasks to learn from.

    >>> [recipe.task_name for recipe in training_recipes("ferry")[29:31]]
    ['ferry-1-0029', 'ferry-easy-1-0000']
    """
    small = [
        Recipe.make(domain, settings, seed=SMALL_SEED, index=index)
        for index, settings in enumerate(SMALL[domain])
    ]
    easy = [recipe for seed in EASY_SEEDS for recipe in recipes(domain, preset="easy", seed=seed)]
    return small + easy


def trial_recipes(domain: str) -> list[Recipe]:
    """The tasks to be solved with a model, from small to large.

    >>> len(trial_recipes("ferry")), trial_recipes("ferry")[8].task_name
    (12, 'ferry-hard-3-0000')
    """
    return [
        recipe
        for preset, chosen in TESTS.items()
        for recipe in recipes(domain, preset=preset, seed=TEST_SEED)
        if recipe.index in chosen
    ]


def write_tasks(domain: str, wanted: Iterable[Recipe], folder: Path) -> list[Path]:
    """Write tasks, and their domain beside them; the paths of the tasks."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "domain.pddl").write_text(domain_text(domain), encoding="utf-8")
    files = []
    for recipe in wanted:
        files.append(folder / f"{recipe.task_name}.pddl")
        files[-1].write_text(recipe.text(), encoding="utf-8")
    return files
