"""The rows of a colour table: which earlier colours each of them is made of.

Colours `0 .. base - 1` are base colours: kinds of objects first, then atoms by predicate and
status. Colour `base + i` is row `i`: a node's own colour of the round before, then its neighbours
as pairs of a key and a count, where the key is `16 * colour + position`. Neighbours of an object
are the atoms that it stands in, those of an atom its arguments. Colours in a row are older than
the row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    own = items[starts[:-1]]
    rounds = np.zeros(base_colours + len(own), dtype=np.int32)
    pending = np.arange(len(own))
    while len(pending):  # once per round: a row is done when its own colour was done before
        found = rounds[own[pending]] + 1
        changed = found != rounds[base_colours + pending]
        rounds[base_colours + pending] = found
        pending = pending[changed]
    return rounds


def origins_of_colours(
    base_colours: int, starts: NDArray[np.int64], items: NDArray[np.int32]
) -> NDArray[np.int64]:
    """The base colour that each colour was made from: int64[colours].

    >>> import numpy as np
    >>> origins_of_colours(2, np.array([0, 3, 4]), np.array([1, 0, 1, 2], dtype=np.int32)).tolist()
    [0, 1, 1, 1]
    """
    own = items[starts[:-1]]
    first = np.arange(base_colours + len(own))
    while (first[base_colours:] >= base_colours).any():
        first[base_colours:] = first[own]
    return first


def check_rows(
    kinds: int,
    arities: Sequence[int],
    statuses: int,
    starts: NDArray[np.int64],
    items: NDArray[np.int32],
) -> None:
    """Raise a ValueError unless rows of objects list atoms, and rows of atoms all arguments.

    There are so many kinds of objects and statuses of atoms; `arities` are those of the
    predicates, the last of which stands for several, with any numbers of arguments. Colours in
    rows must be older than the rows.
    """
    parts = row_items(starts, items)
    base_colours = kinds + statuses * len(arities)
    base = origins_of_colours(base_colours, starts, items)
    is_object = base < kinds
    parent, child = base_colours + parts.row[parts.is_key], parts.colour[parts.is_key]
    if (is_object[parent] == is_object[child]).any():
        raise ValueError("a row of the colour table has a neighbour of its own kind")
    last = len(arities) - 1
    arity = np.array([*arities[:last], POSITIONS])
    predicate = np.where(is_object, last, (base - kinds) // statuses)
    position = items[parts.is_key] % POSITIONS
    atom = np.where(is_object[parent], child, parent)
    if (position >= arity[predicate[atom]]).any():
        raise ValueError("an atom of the colour table has too many arguments")
    place = (np.arange(len(items)) - starts[parts.row])[parts.is_key] // 2
    numbers = np.diff(starts) // 2
    declared = predicate[base_colours:] != last
    if (position != place)[~is_object[parent]].any() or (
        numbers != arity[predicate[base_colours:]]
    )[declared].any():
        raise ValueError("an atom of the colour table has other arguments than its predicate")
