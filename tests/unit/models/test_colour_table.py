"""Vectors are found by the colours that they were added with."""

from __future__ import annotations

import numpy as np

from beeline.models.colour_table import ColourTable


def test_finds_what_was_added_and_nothing_else() -> None:
    rng = np.random.default_rng(0)
    colours = rng.permutation(np.unique(rng.integers(0, 1 << 63, 5000, dtype=np.uint64) * 2))
    colours[:200] >>= np.uint64(40)  # these begin at the same place
    colours = np.unique(colours)
    values = rng.random((len(colours), 3), dtype=np.float32)
    table = ColourTable(3)
    for first in range(0, len(colours), 700):
        assert (table.find(colours[first:]) == -1).all()
        table.add(colours[first : first + 700], values[first : first + 700])
        known = colours[: first + 700]
        np.testing.assert_array_equal(table.values[table.find(known)], values[: len(known)])
        assert (table.find(known + np.uint64(1)) == -1).all()
    assert len(table) == len(colours)
    table.clear()
    assert len(table) == 0
    assert (table.find(colours) == -1).all()
