"""Plan graphs put together: of several plans of one instance, or of several instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from beeline.losses.plan_graph import PlanGraph

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


def joined_graph(graphs: Sequence[PlanGraph]) -> PlanGraph:
    """One graph of several instances, whose rows follow each other.

    Losses are sums over pairs, states and steps: that of the joined graph is the sum of theirs.
    """
    rows = _starts(graph.count for graph in graphs)
    return _side_by_side(graphs, rows[:-1], int(rows[-1]))


def summed_graph(graphs: Sequence[PlanGraph]) -> PlanGraph:
    """One graph of several plans of an instance, whose loss is the sum of theirs.

    All graphs number the same states in the same way. Where plans contradict each other, so do
    the pairs of the sum.
    """
    count = _common_count(graphs)
    return _side_by_side(graphs, np.zeros(len(graphs), dtype=np.int64), count)


def _side_by_side(graphs: Sequence[PlanGraph], first_rows: Ints, count: int) -> PlanGraph:
    """All arrays one after the other; the rows of each graph begin at `first_rows`."""
    places = _starts(len(graph.children) for graph in graphs)

    def joined(name: str, offsets: Ints) -> Ints:
        parts = [
            getattr(graph, name) + start for graph, start in zip(graphs, offsets, strict=False)
        ]
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts])

    def numbers(name: str) -> NDArray[np.float64]:
        return np.concatenate([np.zeros(0), *(getattr(graph, name) for graph in graphs)])

    ends = [graph.child_starts[1:] + start for graph, start in zip(graphs, places, strict=False)]
    return PlanGraph(
        count=count,
        path=joined("path", first_rows),
        parents=joined("parents", first_rows),
        better=joined("better", first_rows),
        worse=joined("worse", first_rows),
        g_differences=numbers("g_differences"),
        child_starts=np.concatenate([np.zeros(1, dtype=np.int64), *ends]),
        children=joined("children", first_rows),
        chosen=joined("chosen", places),
        costs=numbers("costs"),
        g=numbers("g"),
    )


def merged_graph(graphs: Sequence[PlanGraph], *, greedy: bool = False) -> PlanGraph:
    """One graph of several plans of an instance, without contradictions between them.

    All graphs number the same states in the same way. A pair whose worse state is on one of the
    plans, too, is left out unless that state has the larger g + cost-to-go, or the same and is
    farther from the goal, by cost and then by steps: whichever plan a search follows, it is to
    follow it to the end. (Left alone, two plans would each want its own first step before that of
    the other, and no heuristic satisfies both.) Where searches are `greedy`, and do not see g,
    only the distance from the goal counts; with equal costs and optimal plans the pairs are the
    same. What is left has a solution: the cost-to-go, ties broken by the distance, and more for
    all states beside the plans.

    Equal pairs, families and states count once. A state with several successors on the plans has a
    family for each of them.
    """
    count = _common_count(graphs)
    cost, steps, g = (np.full(count, np.inf) for _ in range(3))
    for graph in graphs:
        np.minimum.at(cost, graph.path, graph.costs)
        np.minimum.at(steps, graph.path, np.arange(len(graph.path))[::-1].astype(np.float64))
        np.minimum.at(g, graph.path, graph.g)
    triples = np.unique(
        np.concatenate(
            [np.stack([each.better, each.worse, each.g_differences], axis=1) for each in graphs]
        ),
        axis=0,
    )
    better, worse = triples[:, 0].astype(np.int64), triples[:, 1].astype(np.int64)
    nearer = (cost[better] < cost[worse]) | (
        (cost[better] == cost[worse]) & (steps[better] < steps[worse])
    )
    beside = ~np.isfinite(cost[worse])
    f_of_better, f_of_worse = triples[:, 2] + cost[better], cost[worse]  # both less g(worse)
    earlier = (f_of_better < f_of_worse) | ((f_of_better == f_of_worse) & nearer)
    kept = beside | (nearer if greedy else earlier)
    families: dict[tuple[int, int], Ints] = {}  # by parent and chosen child
    for graph in graphs:
        keys = zip(graph.parents.tolist(), graph.successors.tolist(), strict=True)
        for place, key in enumerate(keys):
            start, end = graph.child_starts[place : place + 2]
            families.setdefault(key, graph.children[start:end])
    starts = _starts(map(len, families.values()))
    wanted = [
        start + int(np.flatnonzero(children == chosen)[0])
        for start, ((_, chosen), children) in zip(starts.tolist(), families.items(), strict=False)
    ]
    path = np.flatnonzero(np.isfinite(cost))
    return PlanGraph(
        count=count,
        path=path,
        parents=np.array([parent for parent, _ in families], dtype=np.int64),
        better=better[kept],
        worse=worse[kept],
        g_differences=triples[kept, 2],
        child_starts=starts,
        children=np.concatenate([np.zeros(0, dtype=np.int64), *families.values()]),
        chosen=np.array(wanted, dtype=np.int64),
        costs=cost[path],
        g=g[path],
    )


def _common_count(graphs: Sequence[PlanGraph]) -> int:
    count = graphs[0].count
    if any(graph.count != count for graph in graphs):
        raise ValueError("the graphs do not have the same states")
    return count


def _starts(sizes: Iterable[int]) -> Ints:
    """Where parts of these sizes begin, and where the last one ends."""
    return np.cumsum([0, *sizes], dtype=np.int64)
