"""Which operators should rank above which, and what they look like: the data of operator scores.

In each state of a family the operators that lead to its good children should rank above all others
that are applicable there, those that lead back included. Operators that are known to be as good as
each other are not compared. Rows are pairs of operators, columns pairs of a slot and a colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.fitting.linear import Pairs, RankingProblem
from beeline.fitting.pairs import index_pairs, selected
from beeline.models.colours.operators import AROUND, NO_NODE, OperatorScores
from beeline.models.colours.scorer import POSITIONS
from beeline.models.rows import equal_rows, summed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from beeline._native import ColourGraph, ColourTable, States
    from beeline.fitting.pairs import Family, IndexPairs
    from beeline.models.colours.operators import NativeSlots, Slot

    Ints = NDArray[np.int64]

COLOURS = 2**32  # more than any table has


class OperatorChoices(NamedTuple):
    """The operators of some states, one after another, and pairs of their places.

    State `parents[i]` has `operators[first[i]:first[i + 1]]`.
    """

    parents: NDArray[np.uint32]
    first: Ints
    operators: NDArray[np.int32]
    pairs: IndexPairs


def operator_choices(
    states: States, families: Iterable[Family], *, max_pairs: int | None = None, seed: int = 0
) -> OperatorChoices:
    """Every operator to a good child above every other one.

    A pair weighs 1/n if n operators are good. Beyond `max_pairs` a random selection stands for all.
    Families of the same state count once.
    """
    parents, first, listed = [], [0], []
    better: list[int] = []
    worse: list[int] = []
    weights: list[float] = []
    for family in {family.parent: family for family in families}.values():
        operators, children = states.successors(family.parent)
        is_good = np.isin(children, family.good)
        good, bad = (first[-1] + np.flatnonzero(each) for each in (is_good, ~is_good))
        if not len(good) or not len(bad):
            continue
        better += np.repeat(good, len(bad)).tolist()
        worse += np.tile(bad, len(good)).tolist()
        weights += [1.0 / len(good)] * (len(good) * len(bad))
        parents.append(family.parent)
        listed.append(operators)
        first.append(first[-1] + len(operators))
    pairs = index_pairs(better, worse, np.zeros(len(weights)), weights)
    return OperatorChoices(
        np.array(parents, dtype=np.uint32),
        np.array(first, dtype=np.int64),
        np.concatenate(listed).astype(np.int32) if listed else np.zeros(0, dtype=np.int32),
        selected(pairs, max_pairs, seed),
    )


@dataclass(frozen=True, eq=False)
class OperatorExamples:
    """Pairs of one task: features of the worse operator less those of the better, equal ones once.

    `keys` has the slot and the colour of each column in one number.
    """

    keys: Ints
    differences: Any  # sparse float64[pairs, keys]
    weights: NDArray[np.float64]


def operator_examples(
    table: ColourTable,
    graph: ColourGraph,
    slots: NativeSlots,
    states: States,
    choices: OperatorChoices,
) -> OperatorExamples:
    """What the pairs of operators of one task look like; new colours join the table."""
    from scipy.sparse import csr_matrix

    where = choices.parents, choices.first, choices.operators
    starts, numbers, colours = table.embed_operators(graph, slots, states, *where, True)
    keys, columns = np.unique(
        numbers.astype(np.int64) * COLOURS + colours - NO_NODE, return_inverse=True
    )
    shape = len(choices.operators), len(keys)
    features = csr_matrix((np.ones(len(columns)), columns.ravel(), starts), shape=shape)
    differences = features[choices.pairs.worse] - features[choices.pairs.better]
    groups = equal_rows(differences)
    return OperatorExamples(keys, differences[groups.first], summed(choices.pairs.weights, groups))


class OperatorProblem:
    """The examples of several tasks in the colours of some rounds, ready for several fits."""

    def __init__(
        self,
        parts: Sequence[OperatorExamples],
        slots: tuple[Slot, ...],
        rounds_of: NDArray[np.int32],
        rounds: int,
    ) -> None:
        from scipy.sparse import csr_matrix, vstack

        keys = np.unique(np.concatenate([part.keys for part in parts]))
        numbers, colours = keys // COLOURS, keys % COLOURS + NO_NODE
        around = np.array([slot.predicate == AROUND for slot in slots], dtype=bool)[numbers]
        plain = np.where(around, colours // POSITIONS, np.maximum(colours, 0))
        its_rounds = np.where(colours == NO_NODE, 0, rounds_of[plain])
        seen = np.flatnonzero(its_rounds <= rounds)
        # Of equal columns the first one gets the weight: the one of the earliest round.
        order = seen[np.argsort(its_rounds[seen], kind="stable")]
        place_of = np.full(len(keys), -1)
        place_of[order] = np.arange(len(order))
        rows = []
        for part in parts:
            matrix = part.differences.tocoo()
            column = place_of[np.searchsorted(keys, part.keys)][matrix.col]
            kept = column >= 0
            entries = matrix.data[kept], (matrix.row[kept], column[kept])
            rows.append(csr_matrix(entries, shape=(matrix.shape[0], len(order))))
        weights = np.concatenate([part.weights for part in parts])
        self.examples = len(weights)
        pairs = Pairs(vstack(rows, format="csr"), np.zeros(len(weights)), weights)
        self._problem = RankingProblem(pairs)
        self._slots, self._numbers, self._colours = slots, numbers[order], colours[order]

    def fit(self, *, l2: float) -> OperatorScores:
        """Scores that rank the better operators higher."""
        fit = self._problem.fit(l2=l2)
        return OperatorScores.from_floats(self._slots, self._numbers, self._colours, fit.weights)
