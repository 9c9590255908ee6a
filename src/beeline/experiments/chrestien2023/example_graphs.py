"""Search problems as explicit graphs: plan graphs of them, and forward search by the book.

Values of states that a ranking loss asks for, and whether there are any that rank perfectly.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.fitting.plan_graph import PlanGraph, plan_graph
from beeline.fitting.ranking import open_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

Node = Hashable


class Found(NamedTuple):
    """What a forward search returns; `expanded` are the states expanded, without the goal."""

    path: list[Node]
    cost: float
    expanded: list[Node]


@dataclass(frozen=True)
class ExplicitGraph:
    """Directed edges with costs, an initial state and goals; rows are the nodes in order."""

    edges: Mapping[tuple[Node, Node], float]
    start: Node
    goals: frozenset[Node]

    @classmethod
    def read(cls, words: Mapping[str, Any]) -> ExplicitGraph:
        """The graph that a table of `grid.toml` means: edges such as `A B 8`, or a square grid.

        >>> ExplicitGraph.read({"edges": ["A B 8"], "start": "A", "goal": "B"}).costs_to_go()
        {'A': 8.0, 'B': 0.0}
        """
        edges: dict[tuple[Node, Node], float] = {}
        if "square" in words:
            last = words["square"] - 1
            for x, y in itertools.product(range(last + 1), repeat=2):
                for child in [(x - 1, y)] * (x > 0) + [(x, y - 1)] * (y > 0):
                    edges[(x, y), child] = 1.0
            return cls(edges, (last, last), frozenset({(0, 0)}))
        for begin, end, cost in map(str.split, words["edges"]):
            edges[begin, end] = float(cost)
            if words.get("both_ways"):
                edges[end, begin] = float(cost)
        return cls(edges, words["start"], frozenset({words["goal"]}))

    @property
    def nodes(self) -> list[Node]:
        """All nodes, in the order in which the edges name them."""
        return list(dict.fromkeys([self.start, *itertools.chain(*self.edges)]))

    def children(self, node: Node) -> dict[Node, float]:
        """Where edges lead from a node, with their costs."""
        return {end: cost for (begin, end), cost in self.edges.items() if begin == node}

    def costs_to_go(self) -> dict[Node, float]:
        """h*, by as many rounds of relaxation as it takes."""
        best = {node: 0.0 if node in self.goals else np.inf for node in self.nodes}
        for _ in self.nodes:
            for (begin, end), cost in self.edges.items():
                best[begin] = min(best[begin], cost + best[end])
        return best

    def plans(self) -> Iterator[list[Node]]:
        """All optimal plans, as the states that they go through."""
        h = self.costs_to_go()

        def rest(path: list[Node]) -> Iterator[list[Node]]:
            if path[-1] in self.goals:
                yield path
                return
            for child, cost in self.children(path[-1]).items():
                if h[path[-1]] == cost + h[child]:
                    yield from rest([*path, child])

        return rest([self.start])

    def choices(self, plan: Sequence[Node]) -> PlanGraph:
        """The graph of a plan without the pairs of steps that have no alternative."""
        graph, names = self.plan_graph(plan), self.nodes
        forced = {end for begin, end in itertools.pairwise(plan) if len(self.children(begin)) == 1}
        kept = np.array([names[row] not in forced for row in graph.better], dtype=bool)
        pairs = {name: getattr(graph, name)[kept] for name in ("better", "worse", "g_differences")}
        return replace(graph, **pairs)

    def plan_graph(self, plan: Sequence[Node]) -> PlanGraph:
        """The graph of a plan, given by its states, in which all nodes have rows."""
        names = self.nodes
        number = {node: place for place, node in enumerate(names)}
        steps = [self.edges[pair] for pair in itertools.pairwise(plan)]
        g = [0.0, *itertools.accumulate(steps)]
        rows = [
            {"state": number[node], "step": i, "on_path": True, "g": g[i], "h_star": g[-1] - g[i]}
            for i, node in enumerate(plan)
        ]
        for i, node in enumerate(plan[:-1]):
            rows += [
                {"state": number[child], "step": i + 1, "on_path": False, "g": g[i] + cost}
                for child, cost in self.children(node).items()
                if child != plan[i + 1]
            ]
        graph, first = plan_graph(rows)
        row_of = np.array([rows[place]["state"] for place in first], dtype=np.int64)
        return graph.renumbered(row_of, len(names))

    def forward_search(
        self, h: Mapping[Node, float], *, alpha: float, beta: float = 1.0, last_first: bool = False
    ) -> Found:
        """The algorithm of section 2.1 of Chrestien et al., with reopening.

        Of equal merits the state that was opened first, or last, is taken.
        """
        g = {self.start: 0.0}
        parent: dict[Node, Node] = {}
        opened = {self.start: 0}  # and when
        expanded: list[Node] = []
        clock = itertools.count(1)
        while opened:
            sign = -1 if last_first else 1
            best = min(opened, key=lambda s: (alpha * g[s] + beta * h[s], sign * opened[s]))
            del opened[best]
            if best in self.goals:
                path = [best]
                while path[-1] in parent:
                    path.append(parent[path[-1]])
                return Found(path[::-1], g[best], expanded)
            expanded.append(best)
            for child, cost in self.children(best).items():
                if g[best] + cost < g.get(child, np.inf):
                    g[child], parent[child] = g[best] + cost, best
                    opened[child] = next(clock)
        return Found([], np.inf, expanded)


def loss_and_slopes(
    graphs: Sequence[PlanGraph], h: NDArray[np.float64], *, alpha: float
) -> tuple[float, NDArray[np.float64]]:
    """The logistic ranking loss, mean over plans, and its slopes by the values of states."""
    parts = [open_list(h, graph, alpha=alpha) for graph in graphs]
    slopes: NDArray[np.float64] = np.mean([each for _, each in parts], axis=0)
    return float(np.mean([value for value, _ in parts])), slopes


def fitted(graphs: Sequence[PlanGraph], count: int, *, alpha: float) -> NDArray[np.float64]:
    """Values of `count` states that minimise the loss, by BFGS from zeros.

    Where plans do not contradict each other the loss falls for ever, and so the values are only
    what the method stops at.
    """
    from scipy.optimize import minimize

    found = minimize(
        lambda h: loss_and_slopes(graphs, h, alpha=alpha), np.zeros(count), jac=True, method="BFGS"
    )
    values: NDArray[np.float64] = found.x
    return values


def margin(graph: PlanGraph, *, alpha: float, lowest: Sequence[int] = ()) -> float:
    """By how much the best ranking puts a plan before its Open lists, at most 1; 0 is none.

    The values of states that rank a plan perfectly are those of a linear programme: h_i + alpha
    g_i + margin <= h_j + alpha g_j for all pairs. States of the rows `lowest` have values no
    higher than any, as those of goals if a heuristic knows them.
    """
    from scipy.optimize import linprog

    rows = []
    for better, worse in zip(graph.better.tolist(), graph.worse.tolist(), strict=True):
        rows.append(_difference(graph.count, better, worse, 1.0))
    limits = [*(-alpha * graph.g_differences).tolist()]
    for goal in lowest:
        for other in (row for row in range(graph.count) if row != goal):
            rows.append(_difference(graph.count, goal, other, 0.0))
            limits.append(0.0)
    weights = np.append(np.zeros(graph.count), -1.0)
    bounds = [(-1e6, 1e6)] * graph.count + [(0.0, 1.0)]
    found = linprog(weights, np.array(rows), np.array(limits), bounds=bounds)
    return float(found.x[-1]) if found.success else 0.0


def _difference(count: int, first: int, second: int, margin: float) -> NDArray[np.float64]:
    row = np.zeros(count + 1)
    row[first], row[second], row[count] = 1.0, -1.0, margin
    return row
