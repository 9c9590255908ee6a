"""The sets of states: made with `beeline data plans`, taken as they are where they are complete."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import BeelineError
from beeline.data.manifest import FILE_NAME, read_manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from beeline.data.manifest import Manifest


class SetSettings(NamedTuple):
    """How one of the three sets of a domain is made."""

    preset: str
    seed: int
    max_evaluations: int
    instances: int | None = None  # by default all of the preset
    more: tuple[str, ...] = ()  # words for the command line


SETS = {
    "train": SetSettings("seed003-train", 1, 20_000, 400),
    "val": SetSettings("seed003-val", 2, 20_000),
    "test": SetSettings("seed003-test", 3, 50_000, 50, ("--attempts", "3", "--time-limit", "30")),
}
# A* with LM-cut solves no gripper task of 40 balls, let alone 100, and few of 20.
LARGE = {
    ("gripper", "test"): SetSettings(
        "seed003-test", 3, 1_000_000, 12, ("-p", "balls=20", "--attempts", "3")
    )
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


def make_sets(folder: Path, domains: Sequence[str], jobs: int, say: Callable[[str], None]) -> None:
    """Make or complete the sets `folder/SPLIT/DOMAIN`."""
    for split in SETS:
        for domain in domains:
            place = folder / split / domain
            settings = LARGE.get((domain, split), SETS[split])
            if complete_manifest(place, domain, split) is None:
                say(f"making {place}")
                words = ["--generator", domain, "--preset", settings.preset]
                words += ["--split", f"{split}=1", "--seed", str(settings.seed)]
                words += ["--max-evaluations", str(settings.max_evaluations), *settings.more]
                if settings.instances is not None:
                    words += ["--count", str(settings.instances)]
                words += ["--jobs", str(jobs), "-o", str(place), "--quiet"]
                subprocess.run(
                    [sys.executable, "-m", "beeline", "data", "plans", *words], check=True
                )
            manifest = complete_manifest(place, domain, split)
            assert manifest is not None
            counts = manifest.counts
            say(f"{place}: {counts['solved']} of {counts['instances']} solved")


def set_sizes(folder: Path, domains: Sequence[str]) -> list[dict[str, Any]]:
    """Instances, attempts and states of all sets that are complete."""
    from beeline.data.reader import Dataset

    rows = []
    for domain in domains:
        for split in SETS:
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
                    "max_evaluations": manifest.config.get("max_evaluations"),
                    **manifest.counts,
                }
            )
    return rows


def identities(folder: Path, domain: str) -> dict[str, str]:
    """What tells the three sets of a domain from others; an error if one is not complete."""
    found = {}
    for split in SETS:
        place = folder / split / domain
        manifest = complete_manifest(place, domain, split)
        if manifest is None:
            raise BeelineError(
                "the dataset is not complete", str(place), hint="run the stage 'data' first"
            )
        found[split] = manifest.identity[:16]
    return found
