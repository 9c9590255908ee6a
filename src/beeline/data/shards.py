"""Shards: the tables of a few instances as Parquet bytes, and the directory that is made of them.

A shard is a pair of files of the same name, `states/00012.parquet` and
`instances/00012.parquet`. The second one is written last: where it is, the shard is finished.
A directory is made, or one that was begun is completed, by one process at a time.
"""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from beeline.core import files
from beeline.core.errors import BeelineError
from beeline.core.records import code_version, other_versions
from beeline.data.manifest import FILE_NAME, PLANS, instance_schema, read_manifest, state_schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow
    import pyarrow.parquet
    from typing_extensions import Self

    from beeline.data.manifest import Manifest

TABLES = INSTANCES_FOLDER, STATES_FOLDER = "instances", "states"
_IDENTITY = b"beeline.dataset"
_SHARD = b"beeline.shard"
_CODE = b"beeline.code"
_ABOUT = b"beeline.about"


class CorruptShardError(BeelineError):
    """A shard that cannot be read, because it is damaged."""


class Shard(NamedTuple):
    """The two files of a shard as bytes, small enough to send between processes."""

    instances: bytes
    states: bytes


def encode_shard(
    number: int,
    identity: str,
    instances: Sequence[Mapping[str, Any]],
    states: Sequence[Mapping[str, Any]],
    kind: str = PLANS,
    *,
    orders: bool = False,
    about: Mapping[str, Any] | None = None,
) -> Shard:
    """Rows of instances, and columns of the states of each, as Parquet.

    With `orders`, states have the column `order`, too. A column is a list or an array; lists of
    numbers come as `(starts, items)`, and in columns of numbers NaN stands for nothing. Plain
    values in `about` go along. `identity` is the digest of the dataset's configuration: shards of
    two datasets never mix.
    """
    import pyarrow as pa

    metadata = {
        _IDENTITY: identity.encode(),
        _SHARD: str(number).encode(),
        _CODE: code_version().encode(),
        **({} if about is None else {_ABOUT: json.dumps(about).encode()}),
    }
    rows = pa.Table.from_pylist(list(instances), schema=instance_schema(kind))
    schema = state_schema(kind, orders=orders)
    tables = [schema.empty_table(), *(_state_table(columns, schema) for columns in states)]
    return Shard(_parquet(rows, metadata), _parquet(pa.concat_tables(tables), metadata))


def shard_path(folder: Path, table: str, number: int) -> Path:
    """The file of a shard.

    >>> from pathlib import Path
    >>> shard_path(Path("set"), STATES_FOLDER, 12).as_posix()
    'set/states/00012.parquet'
    """
    return folder / table / f"{number:05d}.parquet"


def check_shard(path: Path, manifest: Manifest) -> str | None:
    """Refuse a file that is missing, truncated, or not of this dataset, without reading it all.

    Returns the version of the code that made it, if it says so.
    """
    try:
        if path.exists() and not path.is_file():
            raise corrupt(path, "it is no file")
        with path.open("rb") as stream:
            opened = _open(stream, path, manifest)
            code = (opened.schema_arrow.metadata or {}).get(_CODE)
            opened.close()
            return None if code is None else code.decode("utf-8", "replace")
    except OSError as error:
        raise _unreadable(path, error) from None


def read_shard(path: Path, manifest: Manifest) -> pyarrow.parquet.ParquetFile:
    """A shard's file, ready to be read; any change since it was written is noticed.

    Its compressed bytes are held in memory: a shard is a small part of a dataset.
    """
    import io

    try:
        data = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None
    expected = manifest.digests.get("/".join(path.parts[-2:]))
    if expected is not None and sha256(data).hexdigest() != expected:
        raise corrupt(path, "it has been changed since it was written")
    return _open(io.BytesIO(data), path, manifest)


def read_about(data: bytes) -> dict[str, Any]:
    """The plain values that go along with the bytes of a shard's file, if any."""
    import io

    import pyarrow.parquet

    metadata = pyarrow.parquet.read_schema(io.BytesIO(data)).metadata or {}
    values: dict[str, Any] = json.loads(metadata.get(_ABOUT, b"{}"))
    return values


def _open(stream: BinaryIO, path: Path, manifest: Manifest) -> pyarrow.parquet.ParquetFile:
    import pyarrow.parquet

    try:
        opened = pyarrow.parquet.ParquetFile(stream, page_checksum_verification=True)
        schema = opened.schema_arrow
    except (OSError, pyarrow.ArrowException, UnicodeDecodeError) as error:
        raise corrupt(path, error) from None
    about = schema.metadata or {}
    number = str(int(path.stem)).encode()
    if about.get(_IDENTITY) != manifest.identity.encode() or about.get(_SHARD) != number:
        message = "this shard belongs to another dataset"
        hint = "move it away; running the same command again makes the right one"
        raise BeelineError(message, str(path), hint=hint)
    if path.parent.name == STATES_FOLDER:
        expected = state_schema(manifest.kind, orders=manifest.orders > 1)
    else:
        expected = instance_schema(manifest.kind)
    if not schema.equals(expected):
        raise corrupt(path, "its columns are not those of the format")
    return opened


def _unreadable(path: Path, error: OSError) -> BeelineError:
    if isinstance(error, FileNotFoundError):
        message = "a shard of the dataset is missing"
        return BeelineError(message, str(path), hint="run the same command again")
    return BeelineError(f"cannot read: {error.strerror}", str(path), hint="may you read this file?")


def corrupt(path: Path, error: Exception | str) -> CorruptShardError:
    """The error that names a shard which cannot be read."""
    reason = [*str(error).strip().splitlines(), type(error).__name__][0]
    message = f"the shard is corrupt: {reason[:150]}"
    hint = "run the command that made it again: only this shard is made anew"
    return CorruptShardError(message, str(path), hint=hint)


def _state_table(columns: Mapping[str, Any], schema: pyarrow.Schema) -> pyarrow.Table:
    import pyarrow as pa

    def array(field: pa.Field) -> pa.Array:
        column = columns[field.name]
        if not isinstance(column, tuple):
            return pa.array(column, field.type, from_pandas=True)
        starts, items = column
        return pa.ListArray.from_arrays(pa.array(starts, pa.int32()), pa.array(items))

    return pa.Table.from_arrays([array(field) for field in schema], schema=schema)


def _parquet(table: pyarrow.Table, about: dict[bytes, bytes]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet

    buffer = pa.BufferOutputStream()
    described = table.combine_chunks().replace_schema_metadata(about)
    pyarrow.parquet.write_table(described, buffer, compression="zstd", write_page_checksum=True)
    return bytes(buffer.getvalue())


DOMAIN_FILE = "domain.pddl"


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
                raise files.write_error(error, str(error.filename or folder)) from None
            raise

    def _enter(self) -> None:
        """Make the directory if need be, and keep others out of it."""
        if self.folder.is_dir() and not (self.folder / FILE_NAME).exists():
            strangers = sorted(each.name for each in self.folder.iterdir())
            if any(not name.endswith(files.TEMPORARY) for name in strangers):
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
        files.remove_leftovers(self.folder)
        files.write_atomically(self.folder / DOMAIN_FILE, self.manifest.domain_text)

    def missing(self) -> list[int]:
        """The numbers of the shards that are still to be made, or made again."""
        missing, versions = [], []
        for number in range(self.manifest.shards):
            paths = [shard_path(self.folder, table, number) for table in TABLES]
            codes = []
            for path in paths:
                try:
                    codes += [check_shard(path, self.manifest)] if path.exists() else []
                except CorruptShardError:
                    if not path.is_file():  # nor is it a shard that was damaged
                        raise
                if not codes:
                    break
            if len(codes) == len(paths):
                versions.append(codes[-1])
            else:
                missing.append(number)
        self.other_versions = other_versions(versions)
        return missing

    def add(self, number: int, shard: Shard) -> None:
        """Write a shard, whole or not at all; the instances, which make it count, come last."""
        if self.manifest.complete:  # it was, before somebody took a shard away
            self.manifest = replace(self.manifest, counts={}, digests={})
            self.manifest.write(self.folder)
        paths = [shard_path(self.folder, table, number) for table in TABLES]
        files.write_bytes_atomically(paths[1], shard.states)
        files.write_bytes_atomically(paths[0], shard.instances)

    def finish(self, counts: dict[str, Any]) -> None:
        """Note in the manifest that all shards are there, and what is in them."""
        shards = range(self.manifest.shards)
        paths = [shard_path(self.folder, table, number) for table in TABLES for number in shards]
        digests = {
            "/".join(path.parts[-2:]): sha256(path.read_bytes()).hexdigest() for path in paths
        }
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
