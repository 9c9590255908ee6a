"""The sets of states: optimal plans of generated tasks, taken as they are where complete."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.experiments.nunez2024.choices import EARLIER, GRID, Choice
from beeline.experiments.nunez2024.runs import entrants
from beeline.experiments.records import TEST, TRAINING, VALIDATION, complete_manifest, make_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from beeline.data.manifest import Manifest
    from beeline.data.task_sets import TaskSet
    from beeline.experiments.records import Place

SEEDS = {TRAINING: 1, VALIDATION: 2, TEST: 3, "large": 4}


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

    for name, domain in product(set_names(choice), domains):
        split, _, source = name.partition("-")
        if checked_manifest(folder / name / domain, domain, split) is None:
            tasks, limits = _tasks(choice, domain, split)
            kind = {source: True} if source else {}
            settings = PlanSettings(seed=SEEDS[split], splits=((split, 1.0),), **kind, **limits)
            words = f"plans of {domain}, {name}"
            make_set(tasks, settings, folder / name / domain, words, place)


def set_names(choice: Choice) -> list[str]:
    """The sets of each domain: splits, and others of the same tasks that some loss learns from.

    >>> set_names(Choice(configurations=("learn/ff", "L_GBFS")))
    ['train', 'val', 'test', 'train-siblings', 'val-siblings']
    """
    names = [TRAINING, VALIDATION, choice.tests]
    sources = dict.fromkeys(each.run.source for each in entrants(choice) if each.run.source)
    return [*names, *(f"{name}-{source}" for source in sources for name in names[:2])]


def _tasks(choice: Choice, domain: str, split: str) -> tuple[TaskSet, dict[str, Any]]:
    """The tasks of a set, and the limits of A* with LM-cut."""
    from beeline.data.task_sets import generated_tasks

    other = GRID["other_sizes"][choice.edition].get(f"{choice.sets} {domain} {split}", {})
    sizes = GRID["sets"][choice.sets]
    limits = {**GRID["set_defaults"], **sizes.get(split, sizes[TEST]), **other}
    count = limits.pop("instances")
    parameters = {**choice.parameters(domain), **limits.pop("parameters")}
    # Sizes of tests may be too large for a quick look.
    smaller = VALIDATION if choice.sets == "tiny" and split != TRAINING else split
    preset = choice.preset(domain, smaller)
    spread = choice.edition == EARLIER  # has hundreds of sizes, small ones first
    most = None if spread else count or None
    tasks = generated_tasks(
        domain, preset=preset, count=most, seed=SEEDS[split], parameters=parameters
    )
    total = len(tasks.sources)
    if spread and 0 < count < total:
        chosen = tuple(tasks.sources[place] for place in spread_places(total, count))
        description = {**tasks.description, "spread": count}
        tasks = replace(tasks, sources=chosen, description=description)
    return tasks, limits


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


def set_sizes(folder: Path, choice: Choice, domains: Sequence[str]) -> Iterator[list[Any]]:
    """Domain, split, preset, other parameters, tasks, solved ones, attempts, states and limit.

    Of all sets that are complete.
    """
    from beeline.data.reader import Dataset

    for domain, split in product(domains, set_names(choice)):
        manifest = checked_manifest(folder / split / domain, domain, split.partition("-")[0])
        if manifest is not None:
            config, counts = manifest.config, manifest.counts
            rows = Dataset(folder / split / domain).instances(columns=["attempts"])
            sizes = [f"{name} {value}" for name, value in (config.get("parameters") or {}).items()]
            yield [
                *(domain, split, str(config.get("preset")), ", ".join(sizes) or "none"),
                *(counts["instances"], counts["solved"], sum(row["attempts"] for row in rows)),
                *(counts["states"], config.get("max_evaluations")),
            ]
