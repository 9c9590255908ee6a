"""The tasks of each domain, and which are trained with, chosen by, and tested with."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from beeline.core.errors import BeelineError
from beeline.experiments import records
from beeline.experiments.records import TEST, TRAINING, VALIDATION, Place
from beeline.experiments.registry import grid

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from beeline.experiments.chrestien2023.trainings import Choice

SHARES = ((TRAINING, 0.5), (VALIDATION, 0.25), (TEST, 0.25))
SPLIT_SEED = 0
SPANNER, ELEVATORS = "spanner", "elevators"
GENERATORS = {"blocks": "blocksworld", "elevators": "miconic"}  # where the names differ
SIZES = grid("chrestien2023")["task_sizes"]
FIRST = {ELEVATORS: 80}  # as many as in the paper: those of up to 16 passengers


class DomainTasks(NamedTuple):
    """The files of a domain."""

    domain: Path
    tasks: list[Path]  # small ones first, as far as names tell

    def part(self, split: str, count: int = 0) -> list[Path]:
        """The tasks of a split; at most `count` of them, spread evenly, or all."""
        from beeline.data.task_sets import assign_splits

        splits = assign_splits([task.stem for task in self.tasks], SHARES, SPLIT_SEED)
        found = [task for task, own in zip(self.tasks, splits, strict=True) if own == split]
        few = 0 < count < len(found)
        return [found[at] for at in records.spread(len(found), count)] if few else found

    def digest(self, tasks: Sequence[Path]) -> str:
        """A short name for what is in the files of some tasks."""
        digests = (sha256(file.read_bytes()).digest() for file in (self.domain, *tasks))
        return sha256(b"".join(digests)).hexdigest()[:16]


def all_tasks(choice: Choice, place: Place) -> dict[str, DomainTasks]:
    """The tasks of all domains that were chosen, where they are given or can be made."""
    made = SIZES[choice.task_sizes]
    return {
        domain: domain_tasks(place.data, place.results, domain, choice.tasks, choice.task_sizes)
        for domain in choice.domains
        if place.data is not None or domain in made
    }


def domain_tasks(
    data: Path | None, results: Path, domain: str, count: int, sizes: str = "paper"
) -> DomainTasks:
    """All tasks of a domain; so many are made if there are no data, or none of spanner."""
    given = data is not None and (domain != SPANNER or (data / domain).is_dir())
    folder = data / domain if data is not None and given else results / "tasks" / domain
    if not given:
        _write_tasks(folder, domain, count, sizes)
    place = folder / "domain.pddl"
    if not place.is_file():
        raise records.no_such_file(place)
    tasks = sorted((file for file in folder.glob("*.pddl") if file != place), key=_by_numbers)
    tasks = tasks[: FIRST.get(domain) if given else count]
    if len(tasks) < 3:
        raise BeelineError("there are too few tasks", str(folder), hint="each part needs one")
    return DomainTasks(place, tasks)


def _by_numbers(file: Path) -> tuple[list[int], str]:
    """Task 2 before task 10.

    >>> from pathlib import Path
    >>> sorted([Path("s10-1.pddl"), Path("s2-4.pddl")], key=_by_numbers)[0].stem
    's2-4'
    """
    return [int(word) for word in re.findall(r"\d+", file.stem)], file.stem


def _write_tasks(folder: Path, domain: str, count: int, sizes: str) -> None:
    """Tasks whose sizes are drawn at random; the same ones in every run."""
    import numpy as np

    from beeline.generators import domain_text
    from beeline.generators.recipe import Recipe

    if domain not in SIZES[sizes]:
        raise BeelineError(
            f"there is no generator of {domain}",
            hint=f"name a folder of tasks with --data, or choose of {', '.join(SIZES[sizes])}",
        )
    generator = GENERATORS.get(domain, domain)
    folder.mkdir(parents=True, exist_ok=True)
    records.write_if_new(folder / "domain.pddl", domain_text(generator))
    for number in range(count):
        draw = np.random.default_rng([SPLIT_SEED, number])
        drawn = {
            name: int(draw.integers(low, high + 1))
            for name, (low, high) in SIZES[sizes][domain].items()
        }
        if domain == SPANNER:
            drawn["spanners"] = drawn["nuts"] + drawn.pop("spare")
        elif domain == ELEVATORS:  # two floors for each passenger, as in the paper's tasks
            drawn["floors"] = 2 * drawn["passengers"]
        text = Recipe.make(generator, drawn, seed=number).text()
        records.write_if_new(folder / f"{domain}-{number:03d}.pddl", text)
