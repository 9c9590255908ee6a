"""The rows of a colour table: which earlier colours each of them is made of.

Colours `0 .. base - 1` are base colours: kinds of objects first, then atoms by predicate and
status. Colour `base + i` is row `i`: a node's own colour of the round before, then its neighbours
as pairs of a key and a count, where the key is `16 * colour + position`. Neighbours of an object
are the atoms that it stands in, those of an atom its arguments. Colours in a row are older than
the row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POSITIONS = 16  # arguments that an atom may have


class RowItems(NamedTuple):
    """What each item of the rows stands for; all arrays have one entry per item."""

    row: NDArray[np.int64]  # the row that the item stands in
    colour: NDArray[np.int64]  # the colour that it refers to, -1 for a count
    is_key: NDArray[np.bool_]


def row_items(starts: NDArray[np.int64], items: NDArray[np.int32]) -> RowItems:
    """What the items of all rows stand for.

    >>> import numpy as np
    >>> starts, items = np.array([0, 3, 4]), np.array([0, 33, 2, 1], dtype=np.int32)
    >>> row_items(starts, items).colour.tolist()
    [0, 2, -1, 1]
    """
    import numpy as np

    row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    place = np.arange(len(items)) - starts[row]
    is_key = place % 2 == 1
    colour = np.where(is_key, items // POSITIONS, items).astype(np.int64)
    colour[~is_key & (place > 0)] = -1
    return RowItems(row, colour, is_key)


def rounds_of_colours(
    base_colours: int, starts: NDArray[np.int64], items: NDArray[np.int32]
) -> NDArray[np.int32]:
    """The round that each colour belongs to, base colours to round 0: int32[colours].

    >>> import numpy as np
    >>> rounds_of_colours(2, np.array([0, 3, 4]), np.array([1, 0, 1, 2], dtype=np.int32)).tolist()
    [0, 0, 1, 2]
    """
    import numpy as np

    own = items[starts[:-1]]
    rounds = np.zeros(base_colours + len(own), dtype=np.int32)
    pending = np.arange(len(own))
    while len(pending):  # once per round: a row is done when its own colour was done before
        found = rounds[own[pending]] + 1
        changed = found != rounds[base_colours + pending]
        rounds[base_colours + pending] = found
        pending = pending[changed]
    return rounds
