"""Shards: the tables of a few instances as Parquet bytes, written whole or not at all.

A shard is a pair of files of the same name, `states/00012.parquet` and
`instances/00012.parquet`. The second one is written last: where it is, the shard is finished.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from beeline.core.errors import BeelineError
from beeline.core.files import write_bytes_atomically
from beeline.core.records import code_version
from beeline.data.manifest import PLANS, instance_schema, state_schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pyarrow
    import pyarrow.parquet

    from beeline.data.manifest import Manifest

INSTANCES_FOLDER = "instances"
STATES_FOLDER = "states"
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

    With `orders`, states have the column `order`, too. Plain values in `about` go along.

    A column is a list or an array; lists of numbers come as `(starts, items)`, and in columns of
    numbers NaN stands for nothing.

    `identity` is the digest of the dataset's configuration: shards of two datasets never mix.
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


def write_shard(folder: Path, number: int, shard: Shard) -> None:
    """Write both files; the instances, which make the shard count, come last."""
    write_bytes_atomically(shard_path(folder, STATES_FOLDER, number), shard.states)
    write_bytes_atomically(shard_path(folder, INSTANCES_FOLDER, number), shard.instances)


def shard_path(folder: Path, table: str, number: int) -> Path:
    """The file of a shard.

    >>> from pathlib import Path
    >>> shard_path(Path("set"), STATES_FOLDER, 12).as_posix()
    'set/states/00012.parquet'
    """
    return folder / table / f"{number:05d}.parquet"


def shard_name(path: Path) -> str:
    """What the manifest calls a shard's file.

    >>> from pathlib import Path
    >>> shard_name(Path("set/states/00012.parquet"))
    'states/00012.parquet'
    """
    return f"{path.parent.name}/{path.name}"


def check_shard(path: Path, manifest: Manifest) -> str | None:
    """Refuse a file that is missing, truncated, or not of this dataset, without reading it all.

    Returns the version of the code that made it, if it says so.
    """
    try:
        if path.exists() and not path.is_file():
            raise corrupt(path, ValueError("it is no file"))
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
    from hashlib import sha256

    try:
        data = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None
    expected = manifest.digests.get(shard_name(path))
    if expected is not None and sha256(data).hexdigest() != expected:
        raise corrupt(path, ValueError("it has been changed since it was written"))
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
        raise BeelineError(
            "this shard belongs to another dataset",
            str(path),
            hint="move it away; running the same command again makes the right one",
        )
    if path.parent.name == STATES_FOLDER:
        expected = state_schema(manifest.kind, orders=manifest.orders > 1)
    else:
        expected = instance_schema(manifest.kind)
    if not schema.equals(expected):
        raise corrupt(path, ValueError("its columns are not those of the format"))
    return opened


def _unreadable(path: Path, error: OSError) -> BeelineError:
    if isinstance(error, FileNotFoundError):
        return BeelineError(
            "a shard of the dataset is missing", str(path), hint="run the same command again"
        )
    return BeelineError(f"cannot read: {error.strerror}", str(path), hint="may you read this file?")


def corrupt(path: Path, error: Exception) -> CorruptShardError:
    """The error that names a shard which cannot be read."""
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return CorruptShardError(
        f"the shard is corrupt: {reason[:150]}",
        str(path),
        hint="run the command that made it again: only this shard is made anew",
    )


def _state_table(columns: Mapping[str, Any], schema: pyarrow.Schema) -> pyarrow.Table:
    import pyarrow as pa

    arrays = []
    for field in schema:
        column = columns[field.name]
        if isinstance(column, tuple):
            starts, items = column
            array = pa.ListArray.from_arrays(pa.array(starts, pa.int32()), pa.array(items))
        else:
            array = pa.array(column, field.type, from_pandas=True)
        arrays.append(array)
    return pa.Table.from_arrays(arrays, schema=schema)


def _parquet(table: pyarrow.Table, about: dict[bytes, bytes]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet

    buffer = pa.BufferOutputStream()
    pyarrow.parquet.write_table(
        table.combine_chunks().replace_schema_metadata(about),
        buffer,
        compression="zstd",
        write_page_checksum=True,
    )
    return bytes(buffer.getvalue())
