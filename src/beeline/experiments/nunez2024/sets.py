"""The sets of states: optimal plans of generated tasks, taken as they are where complete."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import BeelineError
from beeline.experiments.nunez2024.runs import EARLIER, GRID, Choice
from beeline.experiments.records import TEST, TRAINING, VALIDATION, complete_manifest, make_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from beeline.data.manifest import Manifest
    from beeline.data.task_sets import TaskSet
    from beeline.experiments.records import Place

SPLITS = (TRAINING, VALIDATION, TEST)
SEEDS = {TRAINING: 1, VALIDATION: 2, TEST: 3}


class SetSettings(NamedTuple):
    """How one of the three sets of a domain is made, by A* with LM-cut."""

    max_evaluations: int
    instances: int | None = None  # by default all of the preset
    attempts: int = 20  # with other instances of the same size, where one takes too long
    time_limit: float = 1800.0  # seconds of each search
    parameters: Mapping[str, int] = {}  # instead of those of the preset


def checked_manifest(folder: Path, domain: str, split: str) -> Manifest | None:
    """The manifest of a complete set, or None; a set of something else is refused."""
    manifest = complete_manifest(folder)
    if manifest is None:
        return None
    generator = manifest.config.get("generator")
    if generator != domain or split not in manifest.splits:
        raise BeelineError(
            f"the dataset is of generator '{generator}' with splits {', '.join(manifest.splits)}",
            str(folder),
            hint=f"a set of '{domain}' with a split '{split}' belongs there",
        )
    return manifest


def make_sets(folder: Path, choice: Choice, domains: Sequence[str], place: Place) -> None:
    """Make or complete the sets `folder/SPLIT/DOMAIN`."""
    from beeline.data.task_sets import PlanSettings

    for split in SPLITS:
        for domain in domains:
            if checked_manifest(folder / split / domain, domain, split) is None:
                size, words = _size(choice, domain, split), f"plans of {domain}, {split}"
                settings = PlanSettings(
                    seed=SEEDS[split],
                    splits=((split, 1.0),),
                    max_evaluations=size.max_evaluations,
                    time_limit=size.time_limit,
                    attempts=size.attempts,
                )
                tasks = _tasks(choice, domain, split)
                make_set(tasks, settings, folder / split / domain, words, place)


def _size(choice: Choice, domain: str, split: str) -> SetSettings:
    other = GRID["other_sizes"][choice.edition].get(f"{choice.sets} {domain} {split}", {})
    return SetSettings(**{**GRID["sets"][choice.sets][split], **other})


def _tasks(choice: Choice, domain: str, split: str) -> TaskSet:
    from beeline.data.task_sets import generated_tasks

    size = _size(choice, domain, split)
    # The test sizes of the later edition are too large for a quick look.
    smaller = VALIDATION if (choice.sets, split) == ("tiny", TEST) else split
    preset = choice.how["presets"][smaller]
    spread = choice.edition == EARLIER  # has hundreds of sizes, small ones first
    tasks = generated_tasks(
        domain,
        preset=preset,
        count=None if spread else size.instances,
        seed=SEEDS[split],
        parameters=size.parameters,
    )
    total, count = len(tasks.sources), size.instances
    if not spread or count is None or count >= total:
        return tasks
    chosen = tuple(tasks.sources[place] for place in spread_places(total, count))
    return replace(tasks, sources=chosen, description={**tasks.description, "spread": count})


def spread_places(total: int, count: int) -> list[int]:
    """One place of each of `count` equal parts, never in step with sizes that repeat in a rhythm.

    >>> spread_places(12, 4)
    [2, 3, 8, 11]
    """
    starts = [part * total // count for part in range(count + 1)]
    return [
        start + int.from_bytes(sha256(b"%d" % start).digest()[:4], "big") % (end - start)
        for start, end in pairwise(starts)
    ]


def set_sizes(folder: Path, domains: Sequence[str]) -> Iterator[list[Any]]:
    """Domain, split, preset, other parameters, tasks, solved ones, attempts, states and limit.

    Of all sets that are complete.
    """
    from beeline.data.reader import Dataset

    for domain, split in product(domains, SPLITS):
        manifest = checked_manifest(folder / split / domain, domain, split)
        if manifest is not None:
            config, counts = manifest.config, manifest.counts
            rows = Dataset(folder / split / domain).instances(columns=["attempts"])
            sizes = [f"{name} {value}" for name, value in (config.get("parameters") or {}).items()]
            yield [
                *(domain, split, str(config.get("preset")), ", ".join(sizes) or "none"),
                *(counts["instances"], counts["solved"], sum(row["attempts"] for row in rows)),
                *(counts["states"], config.get("max_evaluations")),
            ]
