"""Presets: lists of parameter values, one entry for each instance in turn.

Instance `i` of a preset with `n` entries takes entry `i` modulo `n`. It does not depend on how
many instances are asked for, and the first instances of a set already show all its sizes. Those of
the built-in domains are in `domains.toml`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Settings = Mapping[str, float]

# Names of presets before: they still work, and tasks are drawn by them, so that they stay the same.
EARLIER_NAMES = {
    **{f"nunez2024-{part}": f"seed003-{part}" for part in ("train", "val", "test")},
    **{f"nunez2022-{part}": f"seed000-{part}" for part in ("small", "large")},
}
IPC_SIZE = 30  # instances in each part of a domain of the IPC 2023 learning track


def current_name(preset: str) -> str:
    """What a preset is called today.

    >>> current_name("seed003-train"), current_name("easy")
    ('nunez2024-train', 'easy')
    """
    return next((name for name, old in EARLIER_NAMES.items() if old == preset), preset)


@dataclass(frozen=True)
class Preset:
    """A summary, the settings to go through, and how often.

    >>> preset = Preset("two sizes", every(blocks=(5, 6)), rounds=3)
    >>> preset.size, preset.settings(4)
    (6, {'blocks': 5})
    """

    summary: str
    entries: tuple[Settings, ...]
    rounds: int = 1

    @property
    def size(self) -> int:
        """How many instances the preset means if nobody says a number."""
        return len(self.entries) * self.rounds

    def settings(self, index: int) -> Settings:
        """The parameters of the instance with this index, which may exceed the size."""
        return self.entries[index % len(self.entries)]


def every(**values: Iterable[float]) -> tuple[Settings, ...]:
    """All combinations of the values.

    >>> every(cars=(1, 2), locations=(5,))
    ({'cars': 1, 'locations': 5}, {'cars': 2, 'locations': 5})
    """
    combinations = product(*values.values())
    return tuple(dict(zip(values, chosen, strict=True)) for chosen in combinations)


def ramp(**ends: tuple[float, float]) -> tuple[Settings, ...]:
    """Sizes that grow evenly from the first to the last of `IPC_SIZE` instances.

    >>> [settings["blocks"] for settings in ramp(blocks=(5, 30))][:4]
    [5, 6, 7, 8]
    """
    return tuple(
        {name: even_step(first, last, index, IPC_SIZE) for name, (first, last) in ends.items()}
        for index in range(IPC_SIZE)
    )


def even_step(first: float, last: float, index: int, count: int) -> float:
    """The value at one of `count` places that grow evenly from the first value to the last.

    >>> [even_step(3, 10, index, 4) for index in range(4)]
    [3, 5, 8, 10]
    """
    steps = max(count - 1, 1)
    if isinstance(first, int) and isinstance(last, int):
        # Integers only: rounding of floats is not a thing to build reproducible sets on.
        return first + (2 * (last - first) * index + steps) // (2 * steps)
    return round(first + (last - first) * index / steps, 3)


def competition_like(**levels: tuple[Settings, ...]) -> dict[str, Preset]:
    """The three presets that every domain has: easy, medium and hard."""
    summaries = {
        "easy": "sizes of the easy tasks of the IPC 2023 learning track",
        "medium": "sizes of its medium tasks",
        "hard": "sizes beyond them",
    }
    return {level: Preset(summary, levels[level]) for level, summary in summaries.items()}


@cache
def domain_table() -> dict[str, dict[str, Any]]:
    """All built-in domains with a summary and their presets, as `domains.toml` has them."""
    return tomllib.loads(Path(__file__).with_name("domains.toml").read_text(encoding="utf-8"))


def presets_of(domain: str) -> dict[str, Preset]:
    """The presets of a built-in domain."""
    table = {name: rows for name, rows in domain_table()[domain].items() if name != "summary"}
    others = {name: rows for name, rows in table.items() if "ramp" not in rows}
    levels = {name: ramp(**rows["ramp"]) for name, rows in table.items() if name not in others}
    return {
        **competition_like(**levels),
        **{
            name: Preset(rows["summary"], tuple(_entries(rows)), rows.get("rounds", 1))
            for name, rows in others.items()
        },
    }


def _entries(rows: Mapping[str, Any]) -> list[Settings]:
    listed = rows["each"] if "each" in rows else every(**rows["every"])
    without = rows.get("without", {None: None}).items()
    return [settings for settings in listed if not without <= settings.items()]
