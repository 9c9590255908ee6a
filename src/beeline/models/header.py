"""Looking into the header of a model file, which may have been made by anybody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[Any]]

# Parts of a signature: name -> type names (1), or type names of each parameter (2).
SIGNATURE = {"constants": 1, "types": 1, "actions": 2, "predicates": 2}
LARGEST_FLOAT = 1e9  # of weights: sums of products stay within 32-bit floats
LARGEST_OPTION = 4096  # of a network's sizes


def refuse(reason: str, file: str) -> NoReturn:
    """Raise the error of a file that says it is a model, and is none that can be used."""
    raise BeelineError(
        f"the model cannot be used: {reason}", file, hint="get the file again, or learn it again"
    )


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

    def arrays(self, network: str, expected: Mapping[str, tuple[int, ...]], arrays: Arrays) -> None:
        """Refuse the file unless it has weights of these names and shapes, all of them usable."""
        import numpy as np

        missing, unknown = expected.keys() - arrays.keys(), arrays.keys() - expected
        if missing or unknown:
            what = f"no weights '{min(missing)}'" if missing else f"weights '{min(unknown)}'"
            refuse(f"its network {network} {f'has {what}'[:80]}", self.file)
        for name, shape in sorted(expected.items()):
            array = arrays[name]
            if array.dtype != np.float32:
                refuse(f"its weights '{name}' are whole numbers", self.file)
            if array.shape != shape:
                refuse(
                    f"its weights '{name}' have the shape {_shown(array.shape)}, and a network"
                    f" {network} of its domain has {_shown(shape)}",
                    self.file,
                )
            if not np.isfinite(array).all():
                refuse(f"its weights '{name}' are not all numbers", self.file)
            if np.abs(array).max(initial=0.0) > LARGEST_FLOAT:
                refuse(f"one of its weights '{name}' is too large", self.file)


def _shown(shape: tuple[int, ...]) -> str:
    return " x ".join(f"{axis:,}" for axis in shape) or "of a single number"


def _are_names(value: object, depth: int) -> bool:
    """Whether a value is a list of names, or of such lists, of this depth."""
    if depth == 0:
        return isinstance(value, str)
    return isinstance(value, list) and all(_are_names(each, depth - 1) for each in value)
