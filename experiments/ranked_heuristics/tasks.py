"""The tasks of each domain, and which are trained with, chosen by, and tested with."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from beeline.core.errors import BeelineError
from beeline.core.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TRAINING, VALIDATION, TEST = "train", "val", "test"
SHARES = ((TRAINING, 0.5), (VALIDATION, 0.25), (TEST, 0.25))
SPLIT_SEED = 0
SPANNER, SPANNER_TASKS = "spanner", 120
# The paper does not tell its sizes. Plans of these take 48 steps on average, in the paper 49, and
# breadth-first search solves as many as there.
SPANNER_SIZES = {"nuts": (1, 10), "spare": (0, 5), "locations": (10, 60)}
FIRST = {"elevators": 80}  # as many as in the paper: those of up to 16 passengers


class DomainTasks(NamedTuple):
    """The files of a domain."""

    domain: Path
    tasks: list[Path]  # small ones first, as far as names tell

    def part(self, split: str, count: int | None = None) -> list[Path]:
        """The tasks of a split; at most `count` of them, spread evenly."""
        from beeline.data.splits import assign_splits

        splits = assign_splits([task.stem for task in self.tasks], SHARES, SPLIT_SEED)
        found = [task for task, own in zip(self.tasks, splits, strict=True) if own == split]
        return [found[place] for place in spread(len(found), count)]

    def digest(self, tasks: Sequence[Path]) -> str:
        """A short name for what is in the files of some tasks."""
        content = sha256()
        for file in (self.domain, *tasks):
            content.update(sha256(file.read_bytes()).digest())
        return content.hexdigest()[:16]


def domain_tasks(data: Path, results: Path, domain: str, spanner_tasks: int) -> DomainTasks:
    """All tasks of a domain; those of spanner are made if `data` has none."""
    folder = data / domain
    if domain == SPANNER and not folder.is_dir():
        folder = results / "tasks" / domain
        _write_spanner_tasks(folder, spanner_tasks)
    place = folder / "domain.pddl"
    if not place.is_file():
        raise BeelineError(
            "there is no such file", str(place), hint="DATA has a folder for each domain"
        )
    tasks = sorted((file for file in folder.glob("*.pddl") if file != place), key=_by_numbers)
    if domain == SPANNER and folder != data / domain:
        tasks = tasks[:spanner_tasks]
    if len(tasks) < 3:
        raise BeelineError("there are too few tasks", str(folder), hint="each part needs one")
    return DomainTasks(place, tasks[: FIRST.get(domain)])


def spread(total: int, count: int | None) -> list[int]:
    """Places that are spread evenly; all of them if `count` is None or large.

    >>> spread(10, 3), spread(2, 3)
    ([1, 5, 8], [0, 1])
    """
    if count is None or count >= total:
        return list(range(total))
    return [(2 * place + 1) * total // (2 * count) for place in range(count)]


def _by_numbers(file: Path) -> tuple[list[int], str]:
    """Task 2 before task 10.

    >>> from pathlib import Path
    >>> sorted([Path("s10-1.pddl"), Path("s2-4.pddl")], key=_by_numbers)[0].stem
    's2-4'
    """
    return [int(word) for word in re.findall(r"\d+", file.stem)], file.stem


def _write_spanner_tasks(folder: Path, count: int) -> None:
    """Tasks whose sizes are drawn at random; the same ones in every run."""
    import numpy as np

    from beeline.generators import domain_text
    from beeline.generators.recipe import Recipe

    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "domain.pddl").is_file():
        write_atomically(folder / "domain.pddl", domain_text(SPANNER))
    for number in range(count):
        path = folder / f"spanner-{number:03d}.pddl"
        if path.is_file():
            continue
        draw = np.random.default_rng([SPLIT_SEED, number])
        nuts, spare, locations = (
            int(draw.integers(low, high + 1)) for low, high in SPANNER_SIZES.values()
        )
        settings = {"nuts": nuts, "spanners": nuts + spare, "locations": locations}
        write_atomically(path, Recipe.make(SPANNER, settings, seed=number).text())
