"""How a model lies on disk: a first line, a JSON header on one line, then arrays of integers.

The first line names the format version, the program that wrote the file, the number of bytes
that follow, and the SHA-256 of all else in the file. It will look the same in all versions, so
that every program can say what is needed to read a file. Arrays follow the header without gaps,
in the order of their names, little-endian, each in the smallest type that holds its values.
Equal content gives equal bytes; nothing in a file is ever executed.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NoReturn

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.integer[Any]]

MAGIC = b"beeline-model"
FORMAT_VERSION = 1
ARRAYS = "arrays"  # the header's list of them
TYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "int64")  # smallest first

_ORIGIN = re.compile(rb"beeline-model ([0-9]{1,9}) by ([!-~]{1,40}), ")
_FIRST_LINE = re.compile(
    rb"(?P<origin>" + _ORIGIN.pattern + rb"(?P<bytes>[0-9]{1,12}) bytes, )"
    rb"sha256 (?P<digest>[0-9a-f]{64})\n"
)
_LONGEST_FIRST_LINE = 200


def pack(header: Mapping[str, Any], arrays: Mapping[str, Integers], program_version: str) -> bytes:
    """The bytes of a file.

    >>> import numpy as np
    >>> data = pack({"seed": 7}, {"weights": np.array([1, -300])}, "0.1.0")
    >>> data.splitlines()[1]
    b'{"arrays":{"weights":["int16",2]},"seed":7}'
    """
    from hashlib import sha256

    stored = {name: _smallest(arrays[name]) for name in sorted(arrays)}
    described = {name: [array.dtype.name, len(array)] for name, array in stored.items()}
    content = {**header, ARRAYS: described}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    parts = [text.encode() + b"\n", *[_little_endian(array) for array in stored.values()]]
    body = b"".join(parts)
    origin = f"{MAGIC.decode()} {FORMAT_VERSION} by {program_version}, {len(body)} bytes, "
    digest = sha256(origin.encode() + body).hexdigest()
    return f"{origin}sha256 {digest}\n".encode() + body


def unpack(data: bytes, file: str) -> tuple[dict[str, Any], dict[str, NDArray[np.int64]]]:
    """Header and arrays of a file; `file` is its name in error messages.

    >>> import numpy as np
    >>> header, arrays = unpack(pack({}, {"weights": np.array([1, -300])}, "0.1.0"), "m.beeline")
    >>> arrays["weights"].tolist()
    [1, -300]
    """
    body = _checked_body(data, file)
    text, end_of_line, rest = body.partition(b"\n")
    try:
        header = json.loads(text)
        described = dict(sorted(header.pop(ARRAYS).items()))
        sizes = [(str(word), int(length)) for word, length in described.values()]
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError, RecursionError):
        refuse("the header is not what a model's header looks like", file)
    if not end_of_line or any(word not in TYPES or length < 0 for word, length in sizes):
        refuse("the header describes arrays of an unknown type", file)
    return header, _read_arrays(rest, dict(zip(described, sizes, strict=True)), file)


def refuse(reason: str, file: str) -> NoReturn:
    """Raise the error of a file that says it is a model, and is none that can be used."""
    raise BeelineError(
        f"the model cannot be used: {reason}", file, hint="get the file again, or learn it again"
    )


def _checked_body(data: bytes, file: str) -> bytes:
    """All that follows the first line, as it was written."""
    from hashlib import sha256

    if not data:
        raise BeelineError("the file is empty, not a model", file, hint="learn or copy it again")
    if not data.startswith(MAGIC):
        if MAGIC.startswith(data):
            refuse(f"it is cut short after {len(data)} bytes", file)
        looks_like_pddl = re.match(rb"\s*(;.*\s*)*\(\s*define", data[:2000], re.IGNORECASE)
        hint = "models come first: MODEL DOMAIN TASK" if looks_like_pddl else "check the path"
        kind = "PDDL, not a Beeline model" if looks_like_pddl else "not a Beeline model"
        raise BeelineError(kind, file, hint=hint)
    origin = _ORIGIN.match(data)
    if origin is not None and int(origin[1]) != FORMAT_VERSION:
        maker = origin[2].decode()
        raise BeelineError(
            f"the model has format version {int(origin[1])}, and this program reads"
            f" version {FORMAT_VERSION}",
            file,
            hint=f"Beeline {maker} wrote it: use that version or a later one"
            if int(origin[1]) > FORMAT_VERSION
            else "learn it again",
        )
    first_line = _FIRST_LINE.match(data)
    if first_line is None:
        if b"\n" not in data[:_LONGEST_FIRST_LINE] and len(data) < _LONGEST_FIRST_LINE:
            refuse(f"it is cut short after {len(data)} bytes", file)
        refuse("its first line is broken", file)
    body = data[first_line.end() :]
    expected = int(first_line["bytes"])
    if len(body) != expected:
        reason = (
            f"it is cut short: {expected - len(body):,} of {expected:,} bytes are missing"
            if len(body) < expected
            else f"there are {len(body) - expected:,} bytes too many"
        )
        refuse(reason, file)
    if sha256(first_line["origin"] + body).hexdigest().encode() != first_line["digest"]:
        refuse("it was changed after it had been written, its digest is another one", file)
    return body


def _read_arrays(
    data: bytes, described: Mapping[str, tuple[str, int]], file: str
) -> dict[str, NDArray[np.int64]]:
    import numpy as np

    types = {name: np.dtype(word).newbyteorder("<") for name, (word, _) in described.items()}
    total = sum(types[name].itemsize * length for name, (_, length) in described.items())
    if total != len(data):
        refuse(f"its arrays have {len(data):,} bytes instead of {total:,}", file)
    arrays = {}
    offset = 0
    for name, (_, length) in described.items():
        stored = np.frombuffer(data, dtype=types[name], count=length, offset=offset)
        arrays[name] = stored.astype(np.int64)
        offset += types[name].itemsize * length
    return arrays


def _smallest(array: Integers) -> Integers:
    import numpy as np

    low, high = int(array.min(initial=0)), int(array.max(initial=0))
    for word in TYPES:
        limits = np.iinfo(word)
        if limits.min <= low and high <= limits.max:
            break
    return array.astype(word)


def _little_endian(array: Integers) -> bytes:
    return array.astype(array.dtype.newbyteorder("<")).tobytes()
