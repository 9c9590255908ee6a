"""Small sets of generated tasks to learn from, as files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from beeline.generators import domain_text
from beeline.generators.registry import recipes

if TYPE_CHECKING:
    from pathlib import Path


def write_training_set(
    folder: Path, generator: str, sizes: list[dict[str, Any]], *, seed: int = 0, each: int = 1
) -> tuple[str, list[str]]:
    """A domain file and task files: for each choice of parameters so many tasks."""
    folder.mkdir(parents=True, exist_ok=True)
    domain = folder / "domain.pddl"
    domain.write_text(domain_text(generator))
    files = []
    for number, size in enumerate(sizes):
        made = recipes(generator, preset=None, count=each, seed=seed + number, parameters=size)
        for place, recipe in enumerate(made):
            path = folder / f"p{number:02d}-{place:02d}.pddl"
            path.write_text(recipe.text())
            files.append(str(path))
    return str(domain), files


def blocks(folder: Path, sizes: range, *, each: int = 1, seed: int = 0) -> tuple[str, list[str]]:
    """Blocksworld with so many blocks."""
    chosen = [{"blocks": size} for size in sizes]
    return write_training_set(folder, "blocksworld", chosen, each=each, seed=seed)


def ferry(folder: Path, sizes: range, *, each: int = 1, seed: int = 0) -> tuple[str, list[str]]:
    """Ferry with so many cars and one place more."""
    chosen = [{"cars": size, "locations": size + 1} for size in sizes]
    return write_training_set(folder, "ferry", chosen, each=each, seed=seed)
