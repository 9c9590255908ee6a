"""What the losses of one plan compare: its states, their siblings, and its Open lists.

Let a forward search expand only the states s_0, s_1, ... of a plan. O_i is its Open list after i
expansions. A ranking loss wants s_i below every other state of O_i (Chrestien et al., "Optimize
planning heuristics to rank, not to estimate cost-to-goal", definition 1). Everything is held in
arrays, so that a loss is a few operations on all pairs at once; making them costs the sum of the
sizes of the Open lists.

Plan graphs put together: of several plans of one instance, or of several instances.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.core.errors import BeelineError
from beeline.data.plan_walk import path_rows, sibling_rows
from beeline.models.rows import by_first_appearance, starts_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from beeline._native import States
    from beeline.data.plan_walk import Walk
    from beeline.task.ground_task import GroundTask

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Row = Mapping[str, Any]


ROWS = ("path", "parents", "better", "worse", "children")  # of a graph: numbers of states


@dataclass(frozen=True, eq=False)
class PlanGraph:
    """The states of one instance by row, 0 to count - 1, and how a plan relates them.

    Of a plan of l steps, s_i has the row `path[i]`. The children of `parents[i]`, which is s_i,
    are the distinct rows `children[child_starts[i]:child_starts[i + 1]]`, without s_i itself;
    `chosen[i]` is the place in `children` of s_(i+1). `better` and `worse` are the pairs of the
    Open lists: s_i and another state of O_i; g is that of the tree which the search builds.
    """

    count: int
    path: Ints  # [l + 1]
    parents: Ints  # [l]
    better: Ints  # [pairs]
    worse: Ints  # [pairs]
    g_differences: Floats  # [pairs], g(better) - g(worse)
    child_starts: Ints  # [l + 1]
    children: Ints
    chosen: Ints  # [l]
    costs: Floats  # [l + 1], cost-to-go of the states in `path`
    g: Floats  # [l + 1], cost at which the search reaches them

    @property
    def successors(self) -> Ints:
        """The rows of s_1 ... s_l, one for each entry of `parents`."""
        return self.children[self.chosen]

    @cached_property
    def family_weights(self) -> Floats:
        """How often each family counts where states do, float64[l].

        That is once, but in a graph of merged plans a state with several successors on them has a
        family for each: they share its place in `path`.
        """
        families = np.bincount(self.parents, minlength=self.count)
        visits = np.bincount(self.path, minlength=self.count)
        weights: Floats = np.minimum(visits, families)[self.parents] / families[self.parents]
        return weights

    def renumbered(self, rows: Ints, count: int) -> PlanGraph:
        """The same with row r called `rows[r]`, one of 0 to count - 1."""
        return replace(self, count=count, **{name: rows[getattr(self, name)] for name in ROWS})

    def restricted(self, kept: NDArray[np.bool_]) -> PlanGraph:
        """The same without some states beside the plan, such as dead ends; kept is bool[count].

        Rows keep their numbers. States of the plan cannot go.
        """
        if not kept[self.path].all():
            raise ValueError("the states of the plan are needed")
        pairs, members = kept[self.worse], kept[self.children]
        new_place = starts_of(members)
        return replace(
            self,
            better=self.better[pairs],
            worse=self.worse[pairs],
            g_differences=self.g_differences[pairs],
            child_starts=new_place[self.child_starts],
            children=self.children[members],
            chosen=new_place[self.chosen],
        )


class PlanStates(NamedTuple):
    """A graph, and where its states are: row r is first met in `first[r]` of the dataset's rows."""

    graph: PlanGraph
    first: Ints


def plan_graph(rows: Sequence[Row]) -> PlanStates:
    """The graph of one instance, from its rows in a dataset of plans with siblings.

    Of each row `state`, `step`, `on_path` and `g` are used, and on the path `h_star` or else
    `upper`. States are numbered in the order of their first appearance.

    >>> rows = [
    ...     {"state": 7, "step": 0, "on_path": True, "g": 0, "h_star": 2.0},
    ...     {"state": 3, "step": 1, "on_path": True, "g": 1, "h_star": 1.0},
    ...     {"state": 9, "step": 2, "on_path": True, "g": 2, "h_star": 0.0},
    ...     {"state": 5, "step": 1, "on_path": False, "g": 1},
    ...     {"state": 7, "step": 2, "on_path": False, "g": 2},
    ... ]
    >>> graph, first = plan_graph(rows)
    >>> first.tolist(), graph.better.tolist(), graph.worse.tolist(), graph.g_differences.tolist()
    ([0, 1, 2, 3], [1, 2], [3, 3], [0.0, 1.0])
    >>> graph.children.tolist(), graph.child_starts.tolist(), graph.chosen.tolist()
    ([1, 3, 0, 2], [0, 2, 4], [0, 3])
    """
    names = ("state", "step", "on_path", "g")
    states, steps, on_path, g = ([row[name] for row in rows] for name in names)
    return graph_of_columns(states, steps, on_path, g, [_cost(row) for row in rows])


def graph_of_columns(
    states: ArrayLike, steps: ArrayLike, on_path: ArrayLike, g: ArrayLike, costs: ArrayLike
) -> PlanStates:
    """The same from columns with an entry for each row; `costs` count on the path only.

    In a plan that visits a state twice, the second visit expands nothing: it makes no pairs. A
    step from a state to itself is no step.
    """
    first, numbers = by_first_appearance(np.asarray(states))
    step, g_of = np.asarray(steps, dtype=np.int64), np.asarray(g, dtype=np.float64)
    places = np.flatnonzero(np.asarray(on_path, dtype=bool))
    places = places[np.argsort(step[places], kind="stable")]
    if not len(places) or (step[places] != np.arange(len(places))).any():
        raise BeelineError("the rows of a plan are not complete: a step has no state, or has two")
    walk = numbers[places]
    to_go = np.asarray(costs, dtype=np.float64)[places]
    if not np.isfinite(to_go).all():
        raise BeelineError("a state of the plan has no finite cost-to-go")
    moves = np.flatnonzero(walk[1:] != walk[:-1])  # by the step that they start from
    generated = np.argsort(step, kind="stable")
    bounds = np.searchsorted(step[generated], np.arange(len(walk) + 1))
    opened = _Search(len(first), int(walk[0]))
    families: list[Ints] = []
    chosen: list[int] = []
    for number in moves.tolist():
        parent, wanted = int(walk[number]), int(walk[number + 1])
        here = generated[bounds[number + 1] : bounds[number + 2]]
        here = here[numbers[here] != parent]
        opened.expand(parent, numbers[here], g_of[here] - g_of[places[number]])
        opened.compare(wanted)
        family = np.unique(numbers[here])
        chosen.append(sum(map(len, families)) + int(np.searchsorted(family, wanted)))
        families.append(family)
    pairs = np.concatenate([np.zeros((3, 0)), *opened.pairs], axis=1)
    better, worse = pairs[:2].astype(np.int64)
    kept = np.append(moves, len(walk) - 1)
    graph = PlanGraph(
        len(first),
        walk[kept],
        walk[moves],
        better,
        worse,
        pairs[2],
        starts_of([len(family) for family in families]),
        np.concatenate([np.zeros(0, dtype=np.int64), *families]),
        np.array(chosen, dtype=np.int64),
        to_go[kept],
        opened.g[walk[kept]],
    )
    return PlanStates(graph, first)


class _Search:
    """The search that expands the plan's states, and the pairs of its Open lists.

    A pair is a column of `pairs`, float64[3, n]: the better state, the worse one, g(better) -
    g(worse). Numbers of states are exact in it.
    """

    def __init__(self, count: int, start: int) -> None:
        self._open = np.full(count, np.inf)  # g of the states in Open
        self.g = np.full(count, np.inf)  # g of all states generated
        self.g[start] = 0.0
        self._closed = np.zeros(count, dtype=bool)
        self.pairs: list[Floats] = []

    def expand(self, state: int, children: Ints, costs: Floats) -> None:
        """Move a state to Closed, and its children to Open unless they are in Closed."""
        self._closed[state] = True
        self._open[state] = np.inf
        fresh = ~self._closed[children]
        children, g = children[fresh], self.g[state] + costs[fresh]
        np.minimum.at(self.g, children, g)
        self._open[children] = self.g[children]

    def compare(self, best: int) -> None:
        """A pair for every state in Open but the best one, if that is there."""
        if self._closed[best]:
            return
        others = np.flatnonzero(np.isfinite(self._open))
        others = others[others != best]
        differences = self._open[best] - self._open[others]
        self.pairs.append(np.stack([np.full(len(others), best), others, differences]))


def _cost(row: Row) -> float:
    for name in ("h_star", "upper"):
        value = row.get(name)
        if value is not None and not np.isnan(value):
            return float(value)
    return float("nan")


def joined_graph(graphs: Sequence[PlanGraph]) -> PlanGraph:
    """One graph of several instances, whose rows follow each other.

    Losses are sums over pairs, states and steps: that of the joined graph is the sum of theirs.
    """
    rows = starts_of([graph.count for graph in graphs])
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
    places = starts_of([len(graph.children) for graph in graphs])

    def joined(name: str, offsets: Ints) -> Ints:
        arrays = zip((getattr(graph, name) for graph in graphs), offsets, strict=False)
        parts = [array + start for array, start in arrays]
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts])

    numbers: dict[str, Any] = {
        name: np.concatenate([np.zeros(0), *(getattr(graph, name) for graph in graphs)])
        for name in ("g_differences", "costs", "g")
    }
    rows: dict[str, Any] = {name: joined(name, first_rows) for name in ROWS}
    sizes = [np.zeros(0), *(np.diff(each.child_starts) for each in graphs)]
    starts, chosen = starts_of(np.concatenate(sizes)), joined("chosen", places)
    return PlanGraph(count, child_starts=starts, chosen=chosen, **rows, **numbers)


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
    starts = starts_of([len(children) for children in families.values()])
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


class TaskGraph(NamedTuple):
    """A plan graph, and the number in the registry of the state in each row."""

    graph: PlanGraph
    ids: NDArray[np.uint32]


def task_plan_graph(task: GroundTask, states: States, walk: Walk) -> TaskGraph:
    """What the losses of a plan compare; all children of its states are registered.

    The cost-to-go of a state is the rest of the plan, from its last visit on.
    """
    rows = [*path_rows(task, walk), *sibling_rows(task, states, walk)]
    rest = dict(zip(walk.states, walk.costs_to_go(task), strict=True))
    registered = np.array([row.state for row in rows], dtype=np.uint32)
    graph, first = graph_of_columns(
        registered,
        [row.step for row in rows],
        [row.on_path for row in rows],
        [row.g for row in rows],
        [rest.get(row.state, np.nan) for row in rows],
    )
    return TaskGraph(graph, registered[first])
