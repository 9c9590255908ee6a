"""Making a dataset directory, or going on with one that was begun."""

from __future__ import annotations

import fcntl
import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.core.files import TEMPORARY, remove_leftovers, write_atomically, write_error
from beeline.data.manifest import FILE_NAME, read_manifest
from beeline.data.shards import (
    INSTANCES_FOLDER,
    STATES_FOLDER,
    Shard,
    check_shard,
    shard_name,
    shard_path,
    write_shard,
)

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from beeline.data.manifest import Manifest

DOMAIN_FILE = "domain.pddl"


class DatasetWriter:
    """A dataset directory that one process at a time fills with shards.

    A directory with the same manifest is completed; with another one it is refused.
    """

    def __init__(self, folder: str | os.PathLike[str], manifest: Manifest) -> None:
        self.folder = Path(folder)
        self.manifest = manifest
        self._lock: int | None = None
        try:
            self._enter()
            self._begin()
        except BlockingIOError:
            self.close()
            raise BeelineError(
                "another process is writing to this dataset", str(folder), hint="wait for it"
            ) from None
        except OSError as error:
            self.close()
            raise write_error(error, str(error.filename or folder)) from None
        except BaseException:
            self.close()
            raise

    def _enter(self) -> None:
        """Make the directory if need be, and keep others out of it."""
        if self.folder.is_dir() and not (self.folder / FILE_NAME).exists():
            strangers = sorted(each.name for each in self.folder.iterdir())
            if any(not name.endswith(TEMPORARY) for name in strangers):
                raise BeelineError(
                    f"the directory is not a dataset: it has '{strangers[0]}'",
                    str(self.folder),
                    hint="name a new or an empty directory",
                )
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(self.folder, os.O_RDONLY)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _begin(self) -> None:
        """Write the manifest, or compare it with the one that is there, and tidy up."""
        if (self.folder / FILE_NAME).exists():
            there = read_manifest(self.folder)
            difference = there.difference(self.manifest)
            if difference is not None:
                raise BeelineError(
                    f"the dataset that is there is another one: {difference}",
                    str(self.folder),
                    hint="take another directory, or the settings in its manifest.json",
                )
            self.manifest = there
        else:
            self.manifest.write(self.folder)
        folders = [self.folder, self.folder / INSTANCES_FOLDER, self.folder / STATES_FOLDER]
        for folder in folders:
            folder.mkdir(exist_ok=True)
        remove_leftovers(self.folder)
        write_atomically(self.folder / DOMAIN_FILE, self.manifest.domain_text)

    def missing(self) -> list[int]:
        """The numbers of the shards that are still to be made; those there are checked."""
        missing = []
        for number in range(self.manifest.shards):
            if not shard_path(self.folder, INSTANCES_FOLDER, number).exists():
                missing.append(number)
                continue
            for table in (INSTANCES_FOLDER, STATES_FOLDER):
                path = shard_path(self.folder, table, number)
                if table == STATES_FOLDER and not path.exists():
                    missing.append(number)  # somebody took a broken one away, as told
                else:
                    check_shard(path, self.manifest)
        return missing

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
            for table in (INSTANCES_FOLDER, STATES_FOLDER)
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
