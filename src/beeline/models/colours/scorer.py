"""A linear score of Weisfeiler-Leman colour counts.

Weights are in fixed point: integers make the order of summation irrelevant, so that scores that
are updated from a parent's and scores that are computed anew are equal to the last bit.

Colours `0 .. base - 1` are base colours, which depend on the domain alone: kinds of objects first,
then five for each predicate, for the part that an atom plays in the goal. Colour `base + i` is row
`i` of a table: a node's own colour of the round before, then its neighbours as pairs of a key,
`16 * colour + position`, and a count. Neighbours of an object are the atoms that it stands in,
those of an atom its arguments. Colours in a row are older than the row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from beeline.models.colours.graph import colour_graph

if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from beeline import _native
    from beeline.models.colours.operators import OperatorScores
    from beeline.models.colours.renamed import Reading
    from beeline.task.ground_task import GroundTask

    # Models that come from a file have arrays of the standard library: planning needs no numpy.
    Longs = NDArray[np.int64] | array[int]  # 64 bits
    Ints = NDArray[np.int32] | array[int]  # 32 bits


POSITIONS = 16  # arguments that an atom may have


class RowItems(NamedTuple):
    """What each item of the rows stands for; all arrays have one entry per item."""

    row: NDArray[np.int64]  # the row that the item stands in
    colour: NDArray[np.int64]  # the colour that it refers to, -1 for a count
    is_key: NDArray[np.bool_]


def row_items(starts: Longs, items: Ints) -> RowItems:
    """What the items of all rows stand for.

    >>> import numpy as np
    >>> starts, items = np.array([0, 3, 4]), np.array([0, 33, 2, 1], dtype=np.int32)
    >>> row_items(starts, items).colour.tolist()
    [0, 2, -1, 1]
    """
    import numpy as np

    numbers = np.asarray(items)
    row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    place = np.arange(len(items)) - np.asarray(starts)[row]
    is_key = place % 2 == 1
    colour = np.where(is_key, numbers // POSITIONS, numbers).astype(np.int64)
    colour[~is_key & (place > 0)] = -1
    return RowItems(row, colour, is_key)


def rounds_of_colours(base_colours: int, starts: Longs, items: Ints) -> NDArray[np.int32]:
    """The round that each colour belongs to, base colours to round 0: int32[colours].

    >>> import numpy as np
    >>> rounds_of_colours(2, np.array([0, 3, 4]), np.array([1, 0, 1, 2], dtype=np.int32)).tolist()
    [0, 0, 1, 2]
    """
    import numpy as np

    own = np.asarray(items)[np.asarray(starts)[:-1]]
    rounds = np.zeros(base_colours + len(own), dtype=np.int32)
    pending = np.arange(len(own))
    while len(pending):  # once per round: a row is done when its own colour was done before
        found = rounds[own[pending]] + 1
        changed = found != rounds[base_colours + pending]
        rounds[base_colours + pending] = found
        pending = pending[changed]
    return rounds


def origins_of_colours(base_colours: int, starts: Longs, items: Ints) -> NDArray[np.int64]:
    """The base colour that each colour was made from: int64[colours].

    >>> import numpy as np
    >>> origins_of_colours(2, np.array([0, 3, 4]), np.array([1, 0, 1, 2], dtype=np.int32)).tolist()
    [0, 1, 1, 1]
    """
    import numpy as np

    own = np.asarray(items)[np.asarray(starts)[:-1]]
    first = np.arange(base_colours + len(own))
    while (first[base_colours:] >= base_colours).any():
        first[base_colours:] = first[own]
    return first


def check_rows(
    kinds: int, arities: Sequence[int], statuses: int, starts: Longs, items: Ints
) -> None:
    """Raise a ValueError unless rows of objects list atoms, and rows of atoms all arguments.

    There are so many kinds of objects and statuses of atoms; `arities` are those of the
    predicates, the last of which stands for several, with any numbers of arguments. Colours in
    rows must be older than the rows.
    """
    last = len(arities) - 1
    arity = [*arities[:last], POSITIONS]
    origins = [*range(kinds + statuses * len(arities))]  # the base colour of each colour
    for first, end in pairwise(starts):
        origin = origins[items[first]]
        origins.append(origin)
        is_object = origin < kinds
        keys = items[first + 1 : end : 2]
        for place, key in enumerate(keys):
            neighbour, position = origins[key // POSITIONS], key % POSITIONS
            if (neighbour < kinds) == is_object:
                raise ValueError("a row of the colour table has a neighbour of its own kind")
            atom = neighbour if is_object else origin
            if position >= arity[(atom - kinds) // statuses]:
                raise ValueError("an atom of the colour table has too many arguments")
            if not is_object and position != place:
                raise ValueError(_OTHER_ARGUMENTS)
        if not is_object:
            predicate = (origin - kinds) // statuses
            if predicate != last and len(keys) != arity[predicate]:
                raise ValueError(_OTHER_ARGUMENTS)


_OTHER_ARGUMENTS = "an atom of the colour table has other arguments than its predicate"

PRECISION = 24  # bits of the largest weight
FF, DISTANCE, CONTEXT = EXTRAS = ("ff", "distance", "cea")  # heuristics that may be a feature


@dataclass(frozen=True, eq=False)
class WLLinear:
    """Value of a state: (sum of weight * count of its colours + extra_weight * extra) / 2**shift.

    Row `i` of the colour table, `table_items[table_starts[i]:table_starts[i + 1]]`, defines the
    colour `base_colours + i`. Colours that are in no row count for nothing.
    """

    base_colours: int  # object kinds + 5 * predicates, the artificial one included
    rounds: int  # of refinement, from 1 up
    multiset: bool  # whether objects count equal neighbours, or only see that there are some
    table_starts: Longs  # [rows + 1]
    table_items: Ints
    weights: Longs  # [base_colours + rows], fixed point
    extra_weight: int  # fixed point; 0: no other heuristic is computed
    shift: int
    ignored: tuple[int, ...] = ()  # numbers of predicates whose atoms are left out of the graph
    chains: bool = False  # whether goals have nodes for what relates their objects
    extra: str = FF  # the other heuristic: one of EXTRAS
    operators: OperatorScores | None = None  # in the same colours

    @property
    def num_rows(self) -> int:
        """Colours beyond the base colours."""
        return len(self.table_starts) - 1

    @property
    def num_features(self) -> int:
        """Colours that have a weight."""
        return sum(1 for weight in self.weights if weight)

    def table(self) -> _native.ColourTable:
        """The colour table for the engine; ValueError, with a reason, if rows contradict."""
        from beeline import _native

        rows: Any = (self.table_starts, self.table_items)  # the engine takes buffers of any kind
        return _native.ColourTable.from_rows(self.base_colours, self.rounds, self.multiset, *rows)

    def evaluator(
        self, task: GroundTask, *, incremental: bool = True, reading: Reading | None = None
    ) -> _native.ColourScore:
        """The score as an evaluator of a task's states; for `reading` see `colour_graph`.

        With `incremental` a state's score is updated from its parent's; without, computed anew:
        slower, and equal.
        """
        from beeline import _native
        from beeline.planning.heuristics import make_evaluator

        weight, weights = self.extra_weight, cast("Any", self.weights)
        score = _native.ColourScore(
            colour_graph(task, reading, self.ignored, chains=self.chains),
            self.table(),
            weights,
            self.shift,
            extra_weight=weight,
            extra=make_evaluator(self.extra, task) if weight else None,
            incremental=incremental,
        )
        if self.operators is not None:
            self.operators.add_to(score, task, reading)
        return score

    @property
    def relaxes(self) -> bool:
        """Whether every evaluation takes a relaxed plan."""
        return self.extra == FF and self.extra_weight != 0

    @property
    def in_context(self) -> bool:
        """Whether it looks at costs of goals in context, whose operators it prefers."""
        return self.extra == CONTEXT and self.extra_weight != 0

    def seeing(self, ignored: tuple[int, ...], *, chains: bool, extra: str = FF) -> WLLinear:
        """The same score of graphs without or with some nodes, and of another heuristic."""
        return replace(self, ignored=ignored, chains=chains, extra=extra)

    def pruned(self) -> WLLinear:
        """The same score without the rows that carry no weight and that no other row needs."""
        import numpy as np

        from beeline.models.rows import starts_of

        base, starts, items = self.base_colours, self.table_starts, np.asarray(self.table_items)
        parts = row_items(starts, items)
        rounds = rounds_of_colours(base, starts, items)
        weights = np.asarray(self.weights)
        kept = weights != 0
        kept[:base] = True
        if self.operators is not None:
            kept[self.operators.used_colours] = True
        round_of_item = rounds[base + parts.row]
        for number in range(int(rounds.max(initial=0)), 0, -1):
            used = (round_of_item == number) & kept[base + parts.row] & (parts.colour >= 0)
            kept[parts.colour[used]] = True
        new_number = np.cumsum(kept) - 1
        renamed = new_number[parts.colour]
        keys = POSITIONS * renamed + items % POSITIONS
        renamed = np.where(parts.is_key, keys, np.where(parts.colour < 0, items, renamed))
        lengths = np.diff(starts)[kept[base:]]
        return replace(
            self,
            table_starts=starts_of(lengths),
            table_items=renamed[kept[base + parts.row]].astype(np.int32),
            weights=weights[kept],
            operators=self.operators and self.operators.with_colours(new_number),
        )

    def scores_like(self, other: WLLinear) -> bool:
        """Whether another score gives states the same values, but for rows that weigh nothing."""
        import numpy as np

        one, two = (replace(each, operators=None).pruned() for each in (self, other))
        numbers = ("rounds", "multiset", "extra_weight", "shift", "ignored", "chains", "extra")
        arrays = ("weights", "table_starts", "table_items")
        return all(getattr(one, name) == getattr(two, name) for name in numbers) and all(
            np.array_equal(getattr(one, name), getattr(two, name)) for name in arrays
        )

    def without_weights_below(self, share: float) -> WLLinear:
        """A smaller score without weights below this share of the largest weight of a colour."""
        import numpy as np

        size = np.abs(self.weights)
        weights = np.where(size >= share * size.max(initial=0), self.weights, 0)
        operators = self.operators and self.operators.without_weights_below(share)
        return replace(self, weights=weights, operators=operators).pruned()

    @staticmethod
    def from_floats(
        table: _native.ColourTable, float_weights: NDArray[np.float64], extra_weight: float
    ) -> WLLinear:
        """A score with these weights, rounded to PRECISION bits of the largest of them."""
        import numpy as np

        weights = np.asarray(float_weights, dtype=np.float64)
        if weights.shape != (table.size,):
            raise ValueError(f"{weights.shape} weights for {table.size} colours")
        largest = max(float(np.abs(weights).max(initial=0.0)), abs(extra_weight))
        if not math.isfinite(largest):
            raise ValueError("weights must be finite")
        shift = fixed_point_shift(largest)
        starts, items = table.rows()
        return WLLinear(
            base_colours=table.base_colours,
            rounds=table.rounds,
            multiset=table.multiset,
            table_starts=np.array(starts, dtype=np.int64),
            table_items=np.array(items, dtype=np.int32),
            weights=np.rint(np.ldexp(weights, shift)).astype(np.int64),
            extra_weight=round(math.ldexp(extra_weight, shift)),
            shift=shift,
        )


def fixed_point_shift(largest: float) -> int:
    """How many bits follow the point so that the largest weight has PRECISION bits in all.

    >>> [fixed_point_shift(largest) for largest in (1.0, 0.75, 100.0, 0.0)]
    [23, 24, 17, 0]
    """
    if largest == 0.0:
        return 0
    shift = PRECISION - math.frexp(largest)[1]
    if shift < 0:
        raise ValueError(f"a weight of {largest:g} is too large")
    return min(shift, 2 * PRECISION)  # weights that are all tiny may keep fewer bits
