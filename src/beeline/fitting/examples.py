"""The pairs or states of many tasks as rows of colour counts, in one growing table of colours.

Tasks are added one after another, always in the same order, because a colour's number is the
order in which it was first seen. One table of L rounds also serves fewer rounds: their colours
are the columns of the first rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from beeline.fitting.linear import Pairs, Targets
from beeline.models.rows import equal_rows, summed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline._native import ColourGraph, ColourTable, States
    from beeline.fitting.pairs import IndexPairs

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows of one task: differences of features, or features, with their numbers.

    `extra` is the column of another heuristic; it is NaN in pairs one of whose states is a proven
    dead end, which a search with it never has to rank. `values` are offsets of pairs or costs of
    states.
    """

    rows: Any  # sparse float64[rows, colours so far]
    extra: Floats
    values: Floats
    lower: Floats
    weights: Floats


class Encoder:
    """Colour counts, and another heuristic, of the states of one task."""

    def __init__(self, table: ColourTable, graph: ColourGraph, extra: Any) -> None:
        self._table = table
        self._graph = graph
        self._extra = extra

    def encode(self, states: States, ids: NDArray[np.uint32]) -> tuple[Any, Floats]:
        """Sparse float64[n, colours] and the heuristic float64[n]; new colours join the table."""
        from scipy.sparse import csr_matrix

        starts, colours, counts, _ = self._table.embed(self._graph, states, ids, True)
        shape = (len(ids), self._table.size)
        features = csr_matrix((counts.astype(np.float64), colours, starts), shape=shape)
        return features, self._extra.evaluate(states, ids)


def pair_examples(encoder: Encoder, states: States, pairs: IndexPairs) -> Examples:
    """The differences of pairs of registered states, equal ones merged."""
    ids, places = np.unique(np.concatenate([pairs.better, pairs.worse]), return_inverse=True)
    better, worse = places[: len(pairs.better)], places[len(pairs.better) :]
    features, extra = encoder.encode(states, ids.astype(np.uint32))
    with np.errstate(invalid="ignore"):
        extra_difference = extra[better] - extra[worse]
    extra_difference[~np.isfinite(extra_difference)] = np.nan
    differences = features[better] - features[worse]
    # What merging must tell apart beside the features; a NaN is not equal to itself.
    known = np.isfinite(extra_difference)
    marks = np.stack([np.where(known, extra_difference, 0.0), known, pairs.offsets], axis=1)
    groups = equal_rows(differences, marks)
    first = groups.first
    return Examples(
        differences[first],
        extra_difference[first],
        pairs.offsets[first],
        np.zeros(len(first)),
        summed(pairs.weights, groups),
    )


def state_examples(
    encoder: Encoder, states: States, ids: NDArray[np.uint32], costs: Floats, lower: Floats
) -> Examples:
    """The features of registered states with their costs-to-go and lower bounds of these."""
    features, extra = encoder.encode(states, ids)
    return Examples(features, extra, costs, lower, np.ones(len(ids)))


def stacked_pairs(
    parts: Sequence[Examples], columns: NDArray[np.int64], *, with_extra: bool
) -> Pairs:
    """The pairs of several tasks in some of the colours.

    The other heuristic, if wanted, is the last column.
    """
    rows, (values, _, weights) = _stacked(parts, columns, with_extra=with_extra)
    return Pairs(rows, values, weights)


def stacked_targets(
    parts: Sequence[Examples], columns: NDArray[np.int64], *, with_extra: bool
) -> Targets:
    """The same for states and their costs-to-go."""
    rows, numbers = _stacked(parts, columns, with_extra=with_extra)
    return Targets(rows, *numbers)


def _stacked(
    parts: Sequence[Examples], columns: NDArray[np.int64], *, with_extra: bool
) -> tuple[Any, tuple[Floats, Floats, Floats]]:
    """Rows, and their values, lower bounds and weights."""
    extra, values, lower, weights = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("extra", "values", "lower", "weights")
    )
    rows = stacked_rows([part.rows for part in parts], columns)
    if not with_extra:
        return rows, (values, lower, weights)
    keep = np.isfinite(extra)
    return with_column(rows[keep], extra[keep]), (values[keep], lower[keep], weights[keep])


def stacked_rows(parts: Sequence[Any], columns: NDArray[np.int64]) -> Any:
    """Sparse matrices one below the other, these columns only; early tasks have not seen all."""
    from scipy.sparse import csr_matrix, vstack

    width = int(columns.max(initial=-1)) + 1
    wide = [
        part[:, :width]
        if part.shape[1] > width
        else csr_matrix((part.data, part.indices, part.indptr), (part.shape[0], width))
        for part in parts
    ]
    return vstack(wide, format="csc")[:, columns].tocsr()


def with_column(rows: Any, values: Floats) -> Any:
    """A sparse matrix with one more column."""
    from scipy.sparse import csr_matrix, hstack

    return hstack([rows, csr_matrix(values.reshape(-1, 1))], format="csr")
