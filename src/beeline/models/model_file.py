"""Model files (`.beeline`): a model to bytes and back, with every check that loading needs.

Models that come with the package, and the way from a word to a model.

How a model lies on disk: a first line, a JSON header on one line, then arrays of numbers.

The first line names the format version, the program that wrote the file, the number of bytes
that follow, and the SHA-256 of all else in the file. It will look the same in all versions, so
that every program can say what is needed to read a file. Arrays follow the header without gaps,
in the order of their names, little-endian: integers in a list, in the smallest type that holds
them, or 32-bit floats of any shape. Equal content gives equal bytes; nothing in a file is ever
executed.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from beeline.core.errors import BeelineError, suggestion
from beeline.core.files import read_bytes, write_bytes_atomically
from beeline.models.families import model_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from beeline.pddl.model import Domain
    from beeline.planning.model import Model

    Integers = NDArray[np.integer[Any]] | array[int]
    Numbers = Integers | NDArray[np.float32]


MAGIC = b"beeline-model"
FORMAT_VERSION = 1
ARRAYS = "arrays"  # the header's list of them
TYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "int64")  # smallest first
FLOAT = "float32"
LETTERS = dict(zip((*TYPES, FLOAT), "BbHhIiqf", strict=True))  # of the standard library's arrays
MOST_AXES = 8  # of an array of floats

_ORIGIN = re.compile(rb"beeline-model ([0-9]{1,9}) by ([!-~]{1,40}), ")
_FIRST_LINE = re.compile(
    rb"(?P<origin>" + _ORIGIN.pattern + rb"(?P<bytes>[0-9]{1,12}) bytes, )"
    rb"sha256 (?P<digest>[0-9a-f]{64})\n"
)
_LONGEST_FIRST_LINE = 200


def pack(header: Mapping[str, Any], arrays: Mapping[str, Numbers], program_version: str) -> bytes:
    """The bytes of a file; arrays are lists of integers, or of type float32.

    >>> import numpy as np
    >>> data = pack({"seed": 7}, {"weights": np.array([1, -300])}, "0.1.0")
    >>> data.splitlines()[1]
    b'{"arrays":{"weights":["int16",2]},"seed":7}'
    """
    from hashlib import sha256

    stored = {name: _smallest(arrays[name]) for name in sorted(arrays)}
    described = {
        name: [array.dtype.name, list(array.shape) if array.dtype.name == FLOAT else len(array)]
        for name, array in stored.items()
    }
    content = {**header, ARRAYS: described}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    plain = [array.astype(array.dtype.newbyteorder("<")).tobytes() for array in stored.values()]
    body = b"".join([text.encode() + b"\n", *plain])
    origin = f"{MAGIC.decode()} {FORMAT_VERSION} by {program_version}, {len(body)} bytes, "
    digest = sha256(origin.encode() + body).hexdigest()
    return f"{origin}sha256 {digest}\n".encode() + body


def unpack(data: bytes, file: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and arrays (`array("q")`, or float32 of numpy); `file` is named in error messages.

    >>> import numpy as np
    >>> header, arrays = unpack(pack({}, {"weights": np.array([1, -300])}, "0.1.0"), "m.beeline")
    >>> arrays["weights"].tolist()
    [1, -300]
    """
    body = _checked_body(data, file)
    text, end_of_line, rest = body.partition(b"\n")
    try:
        header = json.loads(text)
        json.dumps(header, allow_nan=False)  # what is no number could not be written again
        described = dict(sorted(header.pop(ARRAYS).items()))
        kinds = {name: (str(word), _shape(word, size)) for name, (word, size) in described.items()}
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError, RecursionError):
        refuse("the header is not what a model's header looks like", file)
    if not end_of_line or any(word not in LETTERS for word, _ in kinds.values()):
        refuse("the header describes arrays of an unknown type", file)
    return header, _read_arrays(rest, kinds, file)


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
    if origin is not None and (version := int(origin[1])) != FORMAT_VERSION:
        message = f"the model has format version {version}, and this program reads version"
        newer = f"Beeline {origin[2].decode()} wrote it: use that version or a later one"
        hint = newer if version > FORMAT_VERSION else "learn it again"
        raise BeelineError(f"{message} {FORMAT_VERSION}", file, hint=hint)
    first_line = _FIRST_LINE.match(data)
    if first_line is None:
        if b"\n" not in data[:_LONGEST_FIRST_LINE] and len(data) < _LONGEST_FIRST_LINE:
            refuse(f"it is cut short after {len(data)} bytes", file)
        refuse("its first line is broken", file)
    body = data[first_line.end() :]
    expected = int(first_line["bytes"])
    if len(body) != expected:
        short = f"it is cut short: {expected - len(body):,} of {expected:,} bytes are missing"
        long = f"there are {len(body) - expected:,} bytes too many"
        refuse(short if len(body) < expected else long, file)
    if sha256(first_line["origin"] + body).hexdigest().encode() != first_line["digest"]:
        refuse("it was changed after it had been written, its digest is another one", file)
    return body


def _shape(word: object, size: Any) -> tuple[int, ...]:
    """The shape that a header describes; an error of any kind if it is none."""
    shape = tuple(size) if word == FLOAT else (size,)
    if len(shape) > MOST_AXES or any(type(axis) is not int or axis < 0 for axis in shape):
        raise ValueError(shape)
    return shape


def _read_arrays(
    data: bytes, described: Mapping[str, tuple[str, tuple[int, ...]]], file: str
) -> dict[str, Any]:
    sizes = {word: array(letter).itemsize for word, letter in LETTERS.items()}
    total = sum(sizes[word] * math.prod(shape) for word, shape in described.values())
    if total != len(data):
        refuse(f"its arrays have {len(data):,} bytes instead of {total:,}", file)
    arrays: dict[str, Any] = {}
    offset = 0
    for name, (word, shape) in described.items():
        if max(shape, default=0) > len(data):  # an empty array with an axis that numpy cannot have
            refuse(f"its array '{name[:40]}' has an axis of {max(shape):,}", file)
        end = offset + sizes[word] * math.prod(shape)
        stored: array[Any] = array(LETTERS[word], data[offset:end])
        offset = end
        if sys.byteorder == "big":
            stored.byteswap()
        if word == FLOAT:
            import numpy as np

            arrays[name] = np.array(stored).reshape(shape)
        else:
            arrays[name] = array("q", stored)
    return arrays


def _smallest(numbers: Numbers) -> NDArray[Any]:
    import numpy as np

    values = np.asarray(numbers)
    if values.dtype == np.float32:
        return values
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    limits = {word: np.iinfo(word) for word in TYPES}
    return values.astype(
        next(word for word, its in limits.items() if its.min <= low and high <= its.max)
    )


# Parts of a signature: name -> type names (1), or type names of each parameter (2).
SIGNATURE = {"constants": 1, "types": 1, "actions": 2, "predicates": 2}


def is_object(value: object) -> bool:
    """Whether a value of a header is an object of JSON."""
    return isinstance(value, dict)


class Header:
    """The parts of a header, each checked when it is asked for."""

    def __init__(self, header: Mapping[str, Any], file: str) -> None:
        self._header = header
        self.file = file

    def require(self, fine: bool, what: str) -> None:
        """Refuse the file unless this part of it is fine."""
        if not fine:
            refuse(f"{what} in the header is not as it should be", self.file)

    def has(self, name: str) -> bool:
        """Whether there is such a part."""
        return name in self._header

    def part(self, name: str) -> dict[str, Any]:
        """An object within the header."""
        value: dict[str, Any] = self._header.get(name, {})
        self.require(name in self._header and is_object(value), f"'{name}'")
        return value

    def entry(self, part: str, name: str, fine: Callable[[Any], bool] = is_object) -> Any:
        """An entry of a part; by default an object."""
        value = self.part(part).get(name)
        self.require(fine(value), f"'{name}' of '{part}'")
        return value

    def word(self, part: str, name: str, choices: list[str] | None = None) -> str:
        """A word of a part, one of the choices if there are any."""
        word: str = self.entry(part, name, lambda value: isinstance(value, str))
        if choices is not None and word not in choices:
            refuse(f"unknown {part} '{word[:40]}': there is {', '.join(choices)}", self.file)
        return word

    def number(self, part: str, name: str, low: int, high: int) -> int:
        """A whole number of a part within a range."""
        number: int = self.entry(part, name, lambda it: type(it) is int and low <= it <= high)
        return number

    def real(self, part: str, name: str, low: float, high: float) -> float:
        """A number of a part within a range."""
        return float(
            self.entry(part, name, lambda it: type(it) in (int, float) and low <= it <= high)
        )

    def signature(self) -> dict[str, Any]:
        """The domain signature."""
        signature = self.part("signature")
        self.word("signature", "name")
        for part, depth in SIGNATURE.items():
            entries: Any = signature.get(part)
            fine = is_object(entries) and all(_are_names(each, depth) for each in entries.values())
            self.require(fine, f"'{part}' of the signature")
        return signature

    def origin(self) -> tuple[dict[str, Any], int, str]:
        """Training summary, seed, and the version of the package that made the model."""
        summary = self.part("training")
        seed, version = self._header.get("seed"), self._header.get("package_version")
        self.require(type(seed) is int, "'seed'")
        self.require(isinstance(version, str), "'package_version'")
        return summary, int(str(seed)), str(version)


def _are_names(value: object, depth: int) -> bool:
    """Whether a value is a list of names, or of such lists, of this depth."""
    if depth == 0:
        return isinstance(value, str)
    return isinstance(value, list) and all(_are_names(each, depth - 1) for each in value)


SUFFIX = ".beeline"
LARGEST_FILE = 2**28  # bytes; models have tens of kilobytes


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, whole or not at all. Equal models give equal bytes."""
    write_bytes_atomically(path, to_bytes(model))


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model and check that everything in it fits together."""
    data = read_bytes(path, "model", LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise BeelineError("too large for a model", str(path), hint="is this another file?")
    return from_bytes(data, str(path))


def to_bytes(model: Model) -> bytes:
    """What a model's file holds."""
    return pack(*model.parts(), model.package_version)


def from_bytes(data: bytes, file: str) -> Model:
    """The model in the bytes of a file called `file`."""
    header, arrays = unpack(data, file)
    return model_of(Header(header, file), arrays)


FOLDER = Path(__file__).resolve().parents[1] / "pretrained"
AUTO = "auto"  # the word for whichever packaged model fits


def packaged_names() -> list[str]:
    """The models that come with the package, sorted."""
    if not FOLDER.is_dir():
        return []
    return sorted(path.stem for path in FOLDER.iterdir() if path.suffix == SUFFIX)


def packaged_path(name: str) -> Path:
    """The file of a packaged model."""
    return FOLDER / f"{name}{SUFFIX}"


def model_path(name_or_path: str | os.PathLike[str]) -> Path:
    """The file that a user means: an existing path comes first, then a packaged model's name."""
    word, names = os.fspath(name_or_path), packaged_names()
    if os.path.exists(word):
        return Path(word)
    if word in names:
        return packaged_path(word)
    if os.path.basename(word) == word and "." not in word:
        listed = f"packaged are {', '.join(names)}" if names else "no models are packaged"
        near = suggestion(word, [*names, AUTO])
        raise BeelineError(
            f"no model file and no packaged model is called '{word[:60]}'",
            hint=listed if near is None else f"{near} {listed}",
        )
    return Path(word)


def load_model(name_or_path: str | os.PathLike[str]) -> Model:
    """Read a model file, or a packaged model by its name, and check it.

    >>> load_model("nonesuch")
    Traceback (most recent call last):
    ...
    beeline.core.errors.BeelineError: no model file and no packaged model is called 'nonesuch' ...
    """
    return load(model_path(name_or_path))


def is_automatic(name_or_path: str | os.PathLike[str]) -> bool:
    """Whether a user leaves the choice to the domain."""
    return os.fspath(name_or_path) == AUTO and not os.path.exists(AUTO)


class Fit(NamedTuple):
    """A model that fits a domain, perhaps after renaming; `words` say how."""

    model: Model
    name: str
    words: str


def find_model(name_or_path: str | os.PathLike[str], domain: Domain) -> Model:
    """The model that a user means, made to fit the domain as `find_fit` does it."""
    return find_fit(name_or_path, domain).model


def find_fit(
    name_or_path: str | os.PathLike[str], domain: Domain, loaded: Model | None = None
) -> Fit:
    """The model that a user means, which may be `loaded` already, checked to fit the domain.

    The word `auto` stands for the packaged model that fits. Packaged models also fit domains that
    say the same as theirs in other words.
    """
    from beeline.planning.model import NoFitError, check_fits, fits

    word = os.fspath(name_or_path)
    if not is_automatic(word):
        path = model_path(word)
        model = load(path) if loaded is None else loaded
        if not fits(model, domain) and path.resolve().parent == FOLDER.resolve():
            from beeline.models.renaming import fit_by_renaming

            if (fit := fit_by_renaming([path.stem], domain)) is not None:
                return fit
        check_fits(model, domain, word)
        return Fit(model, word, f"{word} fits")
    names = packaged_names()
    for name in names:
        model = load(packaged_path(name))
        if fits(model, domain):
            return Fit(model, name, f"{name} fits")
    from beeline.models.renaming import fit_by_renaming, nearest_words

    if (fit := fit_by_renaming(names, domain)) is None:
        raise NoFitError(
            f"no packaged model fits the domain '{domain.name}'{nearest_words(names, domain)}",
            hint="'beeline solve' plans without one, 'beeline learn' makes one, 'beeline models"
            " list' shows what there is",
        )
    return fit
