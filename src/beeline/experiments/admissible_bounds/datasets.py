"""The sets of states: optimal plans of generated tasks, taken as they are where complete."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import BeelineError
from beeline.data.manifest import FILE_NAME, read_manifest
from beeline.experiments.admissible_bounds.grid import EARLIER, EDITIONS, LATER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from beeline.data.manifest import Manifest
    from beeline.experiments.admissible_bounds.grid import Choice
    from beeline.sampling.task_sets import TaskSet

SPLITS = ("train", "val", "test")
SEEDS = {"train": 1, "val": 2, "test": 3}


class SetSettings(NamedTuple):
    """How one of the three sets of a domain is made, by A* with LM-cut."""

    max_evaluations: int
    instances: int | None = None  # by default all of the preset
    attempts: int = 20  # with other instances of the same size, where one takes too long
    time_limit: float = 1800.0  # seconds of each search
    parameters: Mapping[str, int] = {}  # instead of those of the preset


SIZES = {
    "usual": {
        "train": SetSettings(20_000, 400),
        "val": SetSettings(20_000),
        "test": SetSettings(50_000, 50, 3, 30.0),
    },
    "tiny": {split: SetSettings(2000, 4, 3) for split in SPLITS},
    "small": {
        "train": SetSettings(1000, 96, 3),
        "val": SetSettings(1000, 24, 3),
        "test": SetSettings(2000, 24, 1),
    },
    "paper": {
        "train": SetSettings(1_000_000, 400, 20, 300.0),
        "val": SetSettings(1_000_000, None, 20, 300.0),
        "test": SetSettings(1_000_000, 100, 20, 300.0),
    },
}
# Instead of sizes that take too long. A* with LM-cut solves no gripper task of 40 balls, let alone
# 100, and few of 20; nor, with the few evaluations of the small scale, more than one of 24
# blocksworld tasks, or any ferry task of 10 cars. Logistics tasks have up to 33 objects, and neural
# logic machines look at all triples of them: with at most 16, a training takes seconds instead of
# minutes.
FEW_VEHICLES = {"airplanes": 1, "cities": 2, "trucks": 2}
LARGE = {
    LATER: {
        ("small", "blocksworld", "test"): SetSettings(2000, 24, 1, parameters={"blocks": 10}),
        ("small", "ferry", "test"): SetSettings(
            2000, 24, 1, parameters={"cars": 8, "locations": 5}
        ),
        ("usual", "gripper", "test"): SetSettings(1_000_000, 12, 3, parameters={"balls": 20}),
        ("paper", "gripper", "test"): SetSettings(1_000_000, 12, 3, parameters={"balls": 20}),
    },
    EARLIER: {
        ("small", "logistics", split): SIZES["small"][split]._replace(parameters=FEW_VEHICLES)
        for split in SPLITS
    },
}


def complete_manifest(folder: Path, domain: str, split: str) -> Manifest | None:
    """The manifest of a complete set, or None; a set of something else is refused."""
    if not (folder / FILE_NAME).is_file():
        return None
    manifest = read_manifest(folder)
    if not manifest.complete:
        return None
    generator = manifest.config.get("generator")
    if generator != domain or split not in manifest.splits:
        raise BeelineError(
            f"the dataset is of generator '{generator}' with splits {', '.join(manifest.splits)}",
            str(folder),
            hint=f"a set of '{domain}' with a split '{split}' belongs there",
        )
    return manifest


def make_sets(
    folder: Path, choice: Choice, domains: Sequence[str], jobs: int, say: Callable[[str], None]
) -> None:
    """Make or complete the sets `folder/SPLIT/DOMAIN`."""
    from beeline.backends.local import LocalExecutor
    from beeline.data.splits import parse_splits
    from beeline.sampling.optimal_plans import sample_plans
    from beeline.sampling.plan_settings import PlanSettings

    for split in SPLITS:
        for domain in domains:
            place = folder / split / domain
            if complete_manifest(place, domain, split) is None:
                say(f"plans of {domain}, {split}")
                size = _size(choice, domain, split)
                settings = PlanSettings(
                    seed=SEEDS[split],
                    splits=parse_splits(f"{split}=1"),
                    max_evaluations=size.max_evaluations,
                    time_limit=size.time_limit,
                    attempts=size.attempts,
                )
                with LocalExecutor(jobs) as executor:
                    sample_plans(_tasks(choice, domain, split), settings, place, executor)
            manifest = complete_manifest(place, domain, split)
            assert manifest is not None
            counts = manifest.counts
            say(f"plans of {domain}, {split}: {counts['solved']} of {counts['instances']} solved")


def _size(choice: Choice, domain: str, split: str) -> SetSettings:
    usual = SIZES[choice.sets][split]
    return LARGE[choice.edition].get((choice.sets, domain, split), usual)


def _tasks(choice: Choice, domain: str, split: str) -> TaskSet:
    from beeline.sampling.task_sets import generated_tasks

    size = _size(choice, domain, split)
    # The test sizes of the later edition are too large for a quick look.
    smaller = "val" if (choice.sets, split) == ("tiny", "test") else split
    preset = EDITIONS[choice.edition].presets[smaller]
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


def set_sizes(folder: Path, domains: Sequence[str]) -> list[dict[str, Any]]:
    """Instances, attempts and states of all sets that are complete."""
    from beeline.data.reader import Dataset

    rows = []
    for domain in domains:
        for split in SPLITS:
            place = folder / split / domain
            manifest = complete_manifest(place, domain, split)
            if manifest is None:
                continue
            attempts = sum(
                row["attempts"] for row in Dataset(place).instances(columns=["attempts"])
            )
            rows.append(
                {
                    "domain": domain,
                    "split": split,
                    "attempts": attempts,
                    "preset": manifest.config.get("preset"),
                    "parameters": manifest.config.get("parameters") or {},
                    "max_evaluations": manifest.config.get("max_evaluations"),
                    **manifest.counts,
                }
            )
    return rows


def identities(folder: Path, domain: str) -> dict[str, str]:
    """What tells the three sets of a domain from others; an error if one is not complete."""
    found = {}
    for split in SPLITS:
        place = folder / split / domain
        manifest = complete_manifest(place, domain, split)
        if manifest is None:
            raise BeelineError(
                "the dataset is not complete",
                str(place),
                hint="run the experiment, not only its report",
            )
        found[split] = manifest.identity[:16]
    return found
