"""Where the parts of a picture go: things within places, places in rows or as nodes of a graph.

All lengths are pixels of a picture at its natural size. Everything is deterministic: a graph is
laid out by springs that start from a circle (Fruchterman and Reingold, 1991), then boxes that
overlap are pushed apart. Cost: O(n^2) for each of a few hundred rounds, n nodes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Size = tuple[float, float]

CHIP, GAP, LABEL, LETTER = 24.0, 6.0, 22.0, 7.3  # heights of things and of names of places
WIDEST = 760.0  # of a row of places
INNER = 180.0  # of a row of things in a thing
LONGEST_NAME = 16  # letters


class Box(NamedTuple):
    """Left, top, width and height."""

    x: float
    y: float
    w: float
    h: float

    @property
    def middle(self) -> Size:
        """Its centre."""
        return self.x + self.w / 2, self.y + self.h / 2

    def shrunk(self, by: float) -> Box:
        """The box without its rim."""
        return Box(self.x + by, self.y + by, self.w - 2 * by, self.h - 2 * by)


def shortened(name: str, longest: int = LONGEST_NAME) -> str:
    """A name that fits: its beginning and its end.

    >>> shortened("waypoint12", 6), shortened("a")
    ('way…12', 'a')
    """
    if len(name) <= longest:
        return name
    end = max(1, longest // 3)
    return f"{name[: max(1, longest - end - 1)]}…{name[-end:]}" if longest > 2 else name[-longest:]


def name_width(name: str) -> float:
    """How wide a thing must be for its name."""
    return max(30.0, LETTER * len(shortened(name)) + 14)


class Things:
    """What stands on and in what in one state: `on` are stacked, `within` are inside."""

    def __init__(self, on: Mapping[str, list[str]], within: Mapping[str, list[str]]) -> None:
        self.on = on
        self.within = within
        self._sizes: dict[str, tuple[Size, Size]] = {}

    def size(self, name: str) -> tuple[Size, Size]:
        """Width and height of a thing alone, and with all that is stacked on it."""
        if name not in self._sizes:
            wide, high = name_width(name), CHIP
            if self.within.get(name):
                (w, h), _ = self.flow(self.within[name], INNER)
                wide, high = max(wide, w + 2 * GAP), CHIP + h + GAP
            (w, h), _ = self.flow(self.on.get(name, ()), math.inf)
            self._sizes[name] = (wide, high), (max(wide, w), high + h)
        return self._sizes[name]

    def flow(
        self, names: Iterable[str], widest: float
    ) -> tuple[Size, dict[str, tuple[float, float, float]]]:
        """The size of things in rows, and the left, bottom and width of each."""
        rows: list[list[str]] = [[]]
        found: dict[str, tuple[float, float, float]] = {}
        left = top = wide = 0.0
        for name in names:
            w = self.size(name)[1][0]
            if rows[-1] and left + w > widest:
                rows.append([])
                left = 0.0
            rows[-1].append(name)
            left += w + GAP
        for row in filter(None, rows):
            top += max(self.size(name)[1][1] for name in row) + (GAP if top else 0.0)
            left = 0.0
            for name in row:
                found[name] = left, top, self.size(name)[1][0]
                left += found[name][2] + GAP
            wide = max(wide, left - GAP)
        return (wide, top), found

    def place(self, name: str, x: float, bottom: float, width: float, out: dict[str, Box]) -> None:
        """Put a thing, and all in and on it, above a line, in the middle of a width."""
        (w, h), _ = self.size(name)
        left, top = x + (width - w) / 2, bottom - h
        out[name] = Box(left, top, w, h)
        for each, (dx, dy, dw) in self.flow(self.within.get(name, ()), INNER)[1].items():
            self.place(each, left + GAP + dx, top + CHIP + dy, dw, out)
        towers = self.on.get(name, ())
        for each, (dx, _, dw) in self.flow(towers, math.inf)[1].items():
            self.place(each, x + dx, top, width if len(towers) == 1 else dw, out)


def rows_of(sizes: Mapping[str, Size]) -> dict[str, Box]:
    """Places side by side, in rows of at most `WIDEST`."""
    boxes: dict[str, Box] = {}
    x = y = high = 0.0
    for name, (w, h) in sizes.items():
        if x and x + w > WIDEST:
            x, y, high = 0.0, y + high + 2 * GAP, 0.0
        boxes[name] = Box(x, y, w, h)
        x, high = x + w + 2 * GAP, max(high, h)
    return boxes


def graph_of(sizes: Mapping[str, Size], edges: Sequence[tuple[str, str]]) -> dict[str, Box]:
    """Places as nodes of a graph: related ones near each other, none above another."""
    number = {name: place for place, name in enumerate(sizes)}
    size, n = np.array(list(sizes.values())), len(sizes)
    length = float(np.hypot(*size.mean(axis=0))) + 24
    angle = 2 * np.pi * np.arange(n) / n
    at = np.stack([np.cos(angle), np.sin(angle)], axis=1) * length * math.sqrt(n) / 2
    linked = np.zeros((n, n))
    for a, b in edges:
        linked[number[a], number[b]] = linked[number[b], number[a]] = 1
    for heat in np.linspace(length / 2, 1, 300):
        apart = at[:, None] - at[None]
        distance = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), 1e-3)
        force = (length / distance) ** 2 - linked * distance / length
        pull = (apart * force[..., None]).sum(axis=1) - 0.15 * at
        norm = np.maximum(np.hypot(pull[:, 0], pull[:, 1]), 1e-9)[:, None]
        at = at + pull / norm * np.minimum(norm, heat)
    # Pages are wide: the longest way goes from left to right.
    spread, axes = np.linalg.eigh(np.cov((at - at.mean(axis=0)).T))
    a, b = axes[:, int(np.argmax(spread))] * (1 if axes[0, int(np.argmax(spread))] >= 0 else -1)
    at = _separated(at @ np.array([[a, -b], [b, a]]) * [1.0, 0.75], size + 2.5 * GAP)
    corner = np.round(at - size / 2 - (at - size / 2).min(axis=0), 1)
    return {name: Box(*corner[i].tolist(), *size[i].tolist()) for name, i in number.items()}


def _separated(at: NDArray[Any], size: NDArray[Any]) -> NDArray[Any]:
    """Centres of boxes that do not overlap, near those given: float64[n, 2]."""
    for _ in range(400):
        moved = False
        for i in range(len(at)):
            for j in range(i):
                over = (size[i] + size[j]) / 2 - np.abs(at[i] - at[j])
                if (over > 0.5).all():
                    axis = int(np.argmin(over))
                    push = over[axis] / 2 * (1 if at[i][axis] >= at[j][axis] else -1)
                    at[i][axis] += push
                    at[j][axis] -= push
                    moved = True
        if not moved:
            break
    return at
