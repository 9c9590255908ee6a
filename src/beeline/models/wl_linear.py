"""A linear score of Weisfeiler-Leman colour counts, with weights in fixed point.

Integers make the order of summation irrelevant: scores that are updated from a parent's and
scores that are computed anew are equal to the last bit, on every machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from beeline import _native
    from beeline.task.ground_task import GroundTask

PRECISION = 24  # bits of the largest weight


@dataclass(frozen=True, eq=False)
class WLLinear:
    """Value of a state: (sum of weight * count over its colours + ff_weight * h_FF) / 2**shift.

    Row `i` of the colour table, `table_items[table_starts[i]:table_starts[i + 1]]`, defines the
    colour `base_colours + i`. Colours that are in no row count for nothing.
    """

    base_colours: int  # object kinds + 5 * predicates, the artificial one included
    rounds: int  # of refinement, from 1 up
    multiset: bool  # whether objects count equal neighbours, or only see that there are some
    table_starts: NDArray[np.int64]  # [rows + 1]
    table_items: NDArray[np.int32]
    weights: NDArray[np.int64]  # [base_colours + rows], fixed point
    ff_weight: int  # fixed point; 0: h_FF is not computed
    shift: int

    @property
    def num_rows(self) -> int:
        """Colours beyond the base colours."""
        return len(self.table_starts) - 1

    @property
    def num_features(self) -> int:
        """Colours that have a weight."""
        return int((self.weights != 0).sum())

    def table(self) -> _native.ColourTable:
        """The colour table for the engine; ValueError, with a reason, if rows contradict."""
        from beeline import _native

        return _native.ColourTable.from_rows(
            self.base_colours, self.rounds, self.multiset, self.table_starts, self.table_items
        )

    def evaluator(self, task: GroundTask, *, incremental: bool = True) -> _native.ColourScore:
        """The score as an evaluator of a task's states.

        With `incremental` a state's score is updated from its parent's; without, computed anew:
        slower, and equal.
        """
        from beeline import _native
        from beeline.encode.colours import colour_graph

        ff = _native.make_heuristic("ff", task.native) if self.ff_weight else None
        return _native.ColourScore(
            colour_graph(task),
            self.table(),
            self.weights,
            self.shift,
            extra_weight=self.ff_weight,
            extra=ff,
            incremental=incremental,
        )

    def pruned(self) -> WLLinear:
        """The same score without the rows that carry no weight and that no other row needs."""
        import numpy as np

        from beeline.models.colour_rows import POSITIONS, rounds_of_colours, row_items

        base, starts, items = self.base_colours, self.table_starts, self.table_items
        parts = row_items(starts, items)
        rounds = rounds_of_colours(base, starts, items)
        kept = self.weights != 0
        kept[:base] = True
        round_of_item = rounds[base + parts.row]
        for number in range(int(rounds.max(initial=0)), 0, -1):
            used = (round_of_item == number) & kept[base + parts.row] & (parts.colour >= 0)
            kept[parts.colour[used]] = True
        new_number = np.cumsum(kept) - 1
        renamed = new_number[parts.colour]
        keys = POSITIONS * renamed + items % POSITIONS
        renamed = np.where(parts.is_key, keys, np.where(parts.colour < 0, items, renamed))
        lengths = np.diff(starts)[kept[base:]]
        return WLLinear(
            base_colours=base,
            rounds=self.rounds,
            multiset=self.multiset,
            table_starts=np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
            table_items=renamed[kept[base + parts.row]].astype(np.int32),
            weights=self.weights[kept],
            ff_weight=self.ff_weight,
            shift=self.shift,
        )

    def without_weights_below(self, share: float) -> WLLinear:
        """A smaller score without weights below this share of the largest weight of a colour."""
        import numpy as np

        size = np.abs(self.weights)
        weights = np.where(size >= share * size.max(initial=0), self.weights, 0)
        return replace(self, weights=weights).pruned()

    @staticmethod
    def from_floats(
        table: _native.ColourTable, float_weights: NDArray[np.float64], ff_weight: float
    ) -> WLLinear:
        """A score with these weights, rounded to PRECISION bits of the largest of them."""
        import numpy as np

        weights = np.asarray(float_weights, dtype=np.float64)
        if weights.shape != (table.size,):
            raise ValueError(f"{weights.shape} weights for {table.size} colours")
        largest = max(float(np.abs(weights).max(initial=0.0)), abs(ff_weight))
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
            ff_weight=round(math.ldexp(ff_weight, shift)),
            shift=shift,
        )


@dataclass(frozen=True, eq=False)
class WLPolicy:
    """What makes a score a policy: logits of children, and the constant that the score lacks.

    The probability of a child is the softmax of `logits` over all children of its parent. The
    score plus `intercept` is an estimate of the cost-to-go.
    """

    logits: WLLinear
    intercept: float


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
