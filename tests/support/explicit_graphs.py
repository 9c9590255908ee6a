"""Search problems as explicit graphs: plan graphs of them, and forward search by the book."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline.fitting.plan_graph import PlanGraph, plan_graph

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

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

    @property
    def nodes(self) -> list[Node]:
        """All nodes, in the order in which the edges name them."""
        return list(dict.fromkeys([self.start, *itertools.chain(*self.edges)]))

    def children(self, node: Node) -> dict[Node, float]:
        return {end: cost for (begin, end), cost in self.edges.items() if begin == node}

    def costs_to_go(self) -> dict[Node, float]:
        """h*, by as many rounds of relaxation as it takes."""
        best = {node: 0.0 if node in self.goals else np.inf for node in self.nodes}
        for _ in self.nodes:
            for (begin, end), cost in self.edges.items():
                best[begin] = min(best[begin], cost + best[end])
        return best

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
