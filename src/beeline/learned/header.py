"""Looking into the header of a model file, which may have been made by anybody."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from beeline.learned.container import refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME_LISTS = ("constants", "types")  # parts of a signature: name -> type names
TYPED_PARAMETERS = ("actions", "predicates")  # name -> type names of each parameter


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
        value = self._header.get(name)
        self.require(isinstance(value, dict), f"'{name}'")
        assert isinstance(value, dict)
        return value

    def word(self, part: str, name: str, choices: list[str] | None = None) -> str:
        """A word of a part, one of the choices if there are any."""
        value = self.part(part).get(name)
        self.require(isinstance(value, str), f"'{name}' of '{part}'")
        word = str(value)
        if choices is not None and word not in choices:
            refuse(f"unknown {part} '{word[:40]}': there is {', '.join(choices)}", self.file)
        return word

    def number(self, part: str, name: str, low: int, high: int) -> int:
        """A whole number of a part within a range."""
        value = self.part(part).get(name)
        self.require(type(value) is int and low <= value <= high, f"'{name}' of '{part}'")
        return int(str(value))

    def real(self, part: str, name: str, low: float, high: float) -> float:
        """A finite number of a part within a range."""
        value = self.part(part).get(name)
        fine = isinstance(value, int | float) and not isinstance(value, bool)
        self.require(fine, f"'{name}' of '{part}'")
        assert isinstance(value, int | float)
        self.require(math.isfinite(value) and low <= value <= high, f"'{name}' of '{part}'")
        return float(value)

    def signature(self) -> dict[str, Any]:
        """The domain signature."""
        signature = self.part("signature")
        self.word("signature", "name")
        for part in (*NAME_LISTS, *TYPED_PARAMETERS):
            entries = signature.get(part)
            fits = _are_names if part in NAME_LISTS else _are_lists_of_names
            fine = isinstance(entries, dict) and all(map(fits, entries.values()))
            self.require(fine, f"'{part}' of the signature")
        return signature

    def origin(self) -> tuple[dict[str, Any], int, str]:
        """Training summary, seed, and the version of the package that made the model."""
        summary = self.part("training")
        seed, version = self._header.get("seed"), self._header.get("package_version")
        self.require(type(seed) is int, "'seed'")
        self.require(isinstance(version, str), "'package_version'")
        return summary, int(str(seed)), str(version)


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _are_lists_of_names(value: object) -> bool:
    return isinstance(value, list) and all(map(_are_names, value))
