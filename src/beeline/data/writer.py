"""Making a dataset directory, or going on with one that was begun.

Splits by instance, never by state: states of one plan resemble each other too much.
"""

from __future__ import annotations

import fcntl
import os
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.core.files import TEMPORARY, remove_leftovers, write_atomically, write_error
from beeline.core.records import other_versions
from beeline.data.manifest import FILE_NAME, read_manifest
from beeline.data.shards import (
    TABLES,
    CorruptShardError,
    Shard,
    check_shard,
    shard_name,
    shard_path,
    write_shard,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

    from beeline.data.manifest import Manifest

    Shares = tuple[tuple[str, float], ...]


def parse_splits(words: str | Shares) -> Shares:
    """Names and shares from text; the shares are made to sum up to 1. Shares stay as they are.

    >>> parse_splits("train=3,val=1")
    (('train', 0.75), ('val', 0.25))
    >>> parse_splits("train=much")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: the split 'train=much' is not understood
    (hint: such as train=0.8,val=0.1,test=0.1)
    """
    if not isinstance(words, str):
        return words
    shares: dict[str, float] = {}
    for word in words.split(","):
        match = re.fullmatch(r"\s*([a-z][a-z0-9_-]*)\s*=\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*", word)
        if match is None or match[1] in shares:
            raise BeelineError(
                f"the split '{words[:60]}' is not understood",
                hint="such as train=0.8,val=0.1,test=0.1",
            )
        shares[match[1]] = float(match[2])
    total = sum(shares.values())
    if total <= 0:
        raise BeelineError(f"the split '{words[:60]}' is empty", hint="such as train=1")
    return tuple((name, share / total) for name, share in shares.items())


def assign_splits(names: Sequence[str], shares: Shares, seed: int) -> list[str]:
    """The split of each instance, at random, but always the same for a seed and these names.

    Every split gets its share of the instances, rounded; what is left over goes to the splits
    that rounding hurts most.

    >>> assign_splits(["p1", "p2", "p3", "p4"], (("train", 0.75), ("val", 0.25)), seed=0)
    ['val', 'train', 'train', 'train']
    """
    exact = [share * len(names) for _, share in shares]
    sizes = [int(size) for size in exact]
    neediest = sorted(range(len(shares)), key=lambda i: (sizes[i] - exact[i], i))
    for index in neediest[: len(names) - sum(sizes)]:
        sizes[index] += 1
    order = sorted(range(len(names)), key=lambda i: sha256(f"{seed}:{names[i]}".encode()).digest())
    chosen = [name for (name, _), size in zip(shares, sizes, strict=True) for _ in range(size)]
    splits = [""] * len(names)
    for place, split in zip(order, chosen, strict=True):
        splits[place] = split
    return splits


DOMAIN_FILE = "domain.pddl"
MISSING = "missing"  # in the place of a version


class DatasetWriter:
    """A dataset directory that one process at a time fills with shards.

    A directory with the same manifest is completed; with another one it is refused.
    """

    def __init__(self, folder: str | os.PathLike[str], manifest: Manifest) -> None:
        self.folder = Path(folder)
        self.manifest = manifest
        self.other_versions = 0  # shards that were there, made by other code
        self._lock: int | None = None
        try:
            self._enter()
            self._begin()
        except BaseException as error:
            self.close()
            if isinstance(error, BlockingIOError):
                message = "another process is writing to this dataset"
                raise BeelineError(message, str(folder), hint="wait for it") from None
            if isinstance(error, OSError):
                raise write_error(error, str(error.filename or folder)) from None
            raise

    def _enter(self) -> None:
        """Make the directory if need be, and keep others out of it."""
        if self.folder.is_dir() and not (self.folder / FILE_NAME).exists():
            strangers = sorted(each.name for each in self.folder.iterdir())
            if any(not name.endswith(TEMPORARY) for name in strangers):
                message = f"the directory is not a dataset: it has '{strangers[0]}'"
                hint = "name a new or an empty directory"
                raise BeelineError(message, str(self.folder), hint=hint)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(self.folder, os.O_RDONLY)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _begin(self) -> None:
        """Write the manifest, or compare it with the one that is there, and tidy up."""
        if (self.folder / FILE_NAME).exists():
            there = read_manifest(self.folder)
            difference = there.difference(self.manifest)
            if difference is not None:
                message = f"the dataset that is there is another one: {difference}"
                hint = "take another directory, or the settings in its manifest.json"
                raise BeelineError(message, str(self.folder), hint=hint)
            self.manifest = there
        else:
            self.manifest.write(self.folder)
        for table in TABLES:
            (self.folder / table).mkdir(exist_ok=True)
        remove_leftovers(self.folder)
        write_atomically(self.folder / DOMAIN_FILE, self.manifest.domain_text)

    def missing(self) -> list[int]:
        """The numbers of the shards that are still to be made, or made again."""
        versions = [self._version(number) for number in range(self.manifest.shards)]
        known = [version for version in versions if version is not MISSING]
        self.other_versions = other_versions(known)
        return [number for number, version in enumerate(versions) if version is MISSING]

    def _version(self, number: int) -> str | None:
        """The code that made a shard, `MISSING` if there is none that can be read."""
        version = None
        for table in TABLES:
            path = shard_path(self.folder, table, number)
            if not path.exists():
                return MISSING
            try:
                version = check_shard(path, self.manifest)
            except CorruptShardError:
                if not path.is_file():  # nor is it a shard that was damaged
                    raise
                return MISSING
        return version

    def add(self, number: int, shard: Shard) -> None:
        """Write a shard, whole or not at all."""
        if self.manifest.complete:  # it was, before somebody took a shard away
            self.manifest = replace(self.manifest, counts={}, digests={})
            self.manifest.write(self.folder)
        write_shard(self.folder, number, shard)

    def finish(self, counts: dict[str, Any]) -> None:
        """Note in the manifest that all shards are there, and what is in them."""
        paths = [
            shard_path(self.folder, table, number)
            for table in TABLES
            for number in range(self.manifest.shards)
        ]
        digests = {shard_name(path): sha256(path.read_bytes()).hexdigest() for path in paths}
        self.manifest = replace(self.manifest, counts=counts, digests=digests)
        self.manifest.write(self.folder)

    def close(self) -> None:
        """Let others write to the directory."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
