"""Vectors by 64-bit colour: a hash table that finds and adds whole arrays of colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float32]
    Colours = NDArray[np.uint64]

SLOTS_PER_ROW = 4  # most colours are found at the first look


class ColourTable:
    """Rows of vectors, found by colour; open addressing, the first place is the high bits.

    >>> table = ColourTable(2)
    >>> table.find(np.array([7], dtype=np.uint64)).tolist()
    [-1]
    >>> table.add(np.array([7, 0], dtype=np.uint64), np.float32([[1, 2], [3, 4]]))
    >>> table.values[table.find(np.array([0, 7], dtype=np.uint64))].tolist()
    [[3.0, 4.0], [1.0, 2.0]]
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self.clear()

    def __len__(self) -> int:
        return self._count

    def clear(self) -> None:
        """Forget all."""
        self._count = 0
        self.values: Floats = np.empty((256, self._width), dtype=np.float32)
        self._known: Colours = np.empty(256, dtype=np.uint64)
        self._make_slots()

    def find(self, colours: Colours) -> Ints:
        """The row of each colour, -1 if it is unknown: int64[n]."""
        places = (colours >> self._shift).astype(np.int64)
        rows = self._rows[places]
        other = np.flatnonzero((self._colours[places] != colours) & (rows >= 0))
        places = places[other]
        while len(other):
            places = (places + 1) & self._mask
            rows[other] = found = self._rows[places]
            still = (self._colours[places] != colours[other]) & (found >= 0)
            places, other = places[still], other[still]
        return rows

    def add(self, colours: Colours, values: Floats) -> None:
        """Add different colours that are unknown."""
        first, end = self._count, self._count + len(colours)
        if end > len(self.values):
            spare = max(end, 2 * len(self.values)) - len(self.values)
            self.values = np.concatenate(
                [self.values, np.empty((spare, self._width), dtype=np.float32)]
            )
            self._known = np.concatenate([self._known, np.empty(spare, dtype=np.uint64)])
        self.values[first:end], self._known[first:end] = values, colours
        self._count = end
        if end * SLOTS_PER_ROW > len(self._rows):
            self._make_slots()
        else:
            self._place(np.arange(first, end))

    def _make_slots(self) -> None:
        bits = max(10, (2 * SLOTS_PER_ROW * self._count).bit_length())
        self._shift = np.uint64(64 - bits)
        self._mask = (1 << bits) - 1
        self._rows = np.full(1 << bits, -1, dtype=np.int64)
        self._colours = np.zeros(1 << bits, dtype=np.uint64)
        self._place(np.arange(self._count))

    def _place(self, rows: Ints) -> None:
        places = (self._known[rows] >> self._shift).astype(np.int64)
        while len(rows):
            free = self._rows[places] < 0
            self._rows[places[free]] = rows[free]  # of several, the last one stays
            lost = self._rows[places] != rows
            self._colours[places[~lost]] = self._known[rows[~lost]]
            rows, places = rows[lost], (places[lost] + 1) & self._mask
