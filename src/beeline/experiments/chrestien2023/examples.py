"""Worked examples: search problems as explicit graphs, with forward search by the book.

Values that a ranking loss gives their states, and whether there are any that rank perfectly.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from dataclasses import dataclass, replace
from math import isqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.evaluate.tables import Cell, Table, number_cell, plain_table
from beeline.experiments.claims import check
from beeline.experiments.figures import Figure
from beeline.experiments.registry import grid, read_paper, table_words, text
from beeline.fitting.plan_graph import PlanGraph, plan_graph
from beeline.fitting.ranking import open_list, violations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from beeline.experiments.records import Place, Work

    Values = Mapping[Hashable, float]

Node = Hashable
FOLDER = "chrestien2023/examples"
GRID, PAPER = grid(FOLDER), read_paper(FOLDER)
CHOICES, DEFINITION, PRINTED = "choices", "definition", "printed"
READINGS = {CHOICES: "without steps that have no alternative", DEFINITION: "Definition 1"}
STEP = 62.5  # times the slope: where the paper's minimiser stopped
NEAR = {"step": 0.005 + 1e-9, "minimum": 0.02}  # what prints the same; what minimisers leave
PLACE = "the example"  # of claims, in place of a domain


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

    count, pairs = graph.count, len(graph.better)
    below = [(goal, other) for goal in lowest for other in range(count) if other != goal]
    goals, others = np.array(below, dtype=np.int64).reshape(-1, 2).T
    rows, places = np.zeros((pairs + len(below), count + 1)), np.arange(pairs + len(below))
    rows[places, np.append(graph.better, goals)] = 1.0
    rows[places, np.append(graph.worse, others)] = -1.0
    rows[:pairs, count] = 1.0
    limits = np.append(-alpha * graph.g_differences, np.zeros(len(below)))
    bounds = [(-1e6, 1e6)] * count + [(0.0, 1.0)]
    found = linprog(np.append(np.zeros(count), -1.0), rows, limits, bounds=bounds)
    return float(found.x[-1]) if found.success else 0.0


class Choice(NamedTuple):
    """There is nothing to choose."""

    domains: Sequence[str] = (PLACE,)


CHOICE = Choice()


def stages(choice: Choice, table: str, place: Place) -> Iterator[list[Work]]:
    """Nothing takes long enough to be kept."""
    return iter(())


def tasks_text(choice: Choice, *, given: bool) -> str:
    """Which tasks these are."""
    return text(FOLDER, "tasks")


def tables(choice: Choice, table: str, place: Place) -> list[Table]:
    """The paper's table with our figures, or what is asked of a graph."""
    words = table_words(FOLDER, table)
    graph = ExplicitGraph.read(GRID["graphs"][words["graph"]])
    if "how" not in words:
        return [_facts_table(table, words, graph_facts(graph))]
    h = {reading: values_of(graph, words, reading) for reading in READINGS}
    shown = {
        key: _relative(graph, each) if words["how"] == "minimum" else each
        for key, each in [*h.items(), (PRINTED, printed_values(table))]
    }
    h[PRINTED] = printed_values(table)
    differ = {
        reading: sum(
            abs(shown[reading][node] - shown[PRINTED][node]) > NEAR[words["how"]]
            for node in graph.nodes
        )
        for reading in READINGS
    }
    expanded = {key: _expanded(graph, each) for key, each in h.items()}
    shortest = len(next(graph.plans())) - 1
    measures = {
        "different cells": _figures({**differ, "none": 0}),
        "expansions": _figures({**expanded, "plan": shortest}),
    }
    claims = _claims(table, measures)
    note = f"{text(FOLDER, words['how'])} {text(FOLDER, 'readings')}"
    below = [(note, claims), ("", ())]
    found = [
        _grid_table(
            str(number),
            f"{table}: {words['about']}, {title}",
            said,
            shown[reading],
            shown[PRINTED],
            claimed,
        )
        for number, ((reading, title), (said, claimed)) in enumerate(
            zip(READINGS.items(), below, strict=True), 1
        )
    ]
    rows = [
        [words, differ.get(key), expanded[key], shortest]
        for key, words in {**READINGS, PRINTED: "as printed"}.items()
    ]
    header = ["values", "cells that differ from the paper's", "expanded", "states of a plan"]
    title = "What becomes of them"
    return [*found, plain_table("3", title, text(FOLDER, "becomes"), header, rows)]


def _expanded(graph: ExplicitGraph, values: Values) -> int:
    """How many states A* expands before the goal, whichever way ties are broken."""
    searches = [graph.forward_search(values, alpha=1.0, last_first=last) for last in (False, True)]
    return max(len(each.expanded) for each in searches)


def values_of(graph: ExplicitGraph, words: Mapping[str, Any], reading: str) -> dict[Node, float]:
    """The values of all states by L*, of the plans that are named or of all."""
    plans = [_grid_plan(graph, moves) for moves in words.get("plans", ())] or [*graph.plans()]
    make = graph.choices if reading == CHOICES else graph.plan_graph
    listed, count = [make(plan) for plan in plans], len(graph.nodes)
    if words["how"] == "step":
        values = -STEP * loss_and_slopes(listed, np.zeros(count), alpha=1.0)[1]
    else:
        values = fitted(listed, count, alpha=1.0)
    return dict(zip(graph.nodes, values.tolist(), strict=True))


def printed_values(table: str) -> dict[Node, float]:
    """The values that the paper prints, by cell; its rows go down from the highest y."""
    rows = PAPER["values"][table]
    return {
        (x, len(rows) - 1 - place): value
        for place, row in enumerate(rows)
        for x, value in enumerate(row)
    }


def graph_facts(graph: ExplicitGraph) -> dict[str, float]:
    """What the paper says of its figures, of this graph: see `grid.toml` for the words."""
    h, names = graph.costs_to_go(), graph.nodes
    plan = next(graph.plans())
    pairs, goals = graph.plan_graph(plan), [names.index(goal) for goal in graph.goals]
    greedy, astar = (graph.forward_search(h, alpha=alpha) for alpha in (0.0, 1.0))
    named = {
        f"{names[i]} {names[j]}"
        for i, j in zip(pairs.better.tolist(), pairs.worse.tolist(), strict=True)
        if i not in goals
    }
    array = np.array([h[node] for node in names])
    short = graph.plan_graph(greedy.path)
    return {
        "pairs": len(named),
        "unlisted": len(named ^ set(PAPER["listed"])),
        "goal_pairs": len(pairs.better) - len(named),
        "optimal": h[graph.start],
        "astar": astar.cost,
        "greedy": greedy.cost,
        "violated": violations(array, pairs, alpha=0.0),
        "ranking": int(margin(pairs, alpha=0.0) > 0),
        "ranking_goal": int(margin(pairs, alpha=0.0, lowest=goals) > 0),
        "ranking_short": int(margin(short, alpha=0.0, lowest=goals) > 0),
    }


def _facts_table(table: str, words: Mapping[str, Any], facts: Mapping[str, float]) -> Table:
    there = PAPER["figures"][table]
    rows = [
        [title, number_cell(facts[key], beside=number_cell(there.get(key)))]
        for key, title in words["rows"]
    ]
    claims = _claims(table, {"value": _figures({**facts, "none": 0})})
    return plain_table(
        "1", f"{table}: {words['about']}", "", ["", "here (paper)"], rows, claims=claims
    )


def _claims(table: str, ours: Mapping[str, Any]) -> tuple[Any, ...]:
    names = {**READINGS, PRINTED: "as printed", "plan": "an optimal plan"}
    verdicts = check(
        GRID["claims"],
        table,
        [PLACE],
        lambda measure, _: ours[measure],
        title=lambda key: names.get(key, key.replace("_", " ")),
    )
    return tuple(each.claim(table) for each in verdicts)


def _figures(values: Mapping[str, float]) -> dict[str, dict[str, Figure]]:
    return {key: {PLACE: Figure(value)} for key, value in values.items()}


def _grid_plan(graph: ExplicitGraph, moves: str) -> list[Node]:
    """The cells that left (l) and down (d) lead through."""
    assert isinstance(graph.start, tuple)
    x, y = graph.start
    cells: list[Node] = [(x, y)]
    for move in moves:
        x, y = (x - 1, y) if move == "l" else (x, y - 1)
        cells.append((x, y))
    return cells


def _relative(graph: ExplicitGraph, values: Values) -> dict[Node, float]:
    """Less the value of the first state that is as far from the goal; ends stay as they are."""
    h, first = graph.costs_to_go(), dict[float, float]()
    for node in sorted(values, key=str):
        first.setdefault(h[node], values[node])
    return {node: value - first[h[node]] for node, value in values.items()}


def _grid_table(
    name: str, title: str, note: str, ours: Values, paper: Values, claims: Sequence[Any]
) -> Table:
    """Cells from the highest y down, as the paper has them."""
    size = isqrt(len(paper))
    rows: list[list[Cell | str]] = []
    for y in reversed(range(size)):
        cells = [(ours[x, y] + 0.0, paper[x, y] + 0.0) for x in range(size)]
        rows.append([f"y = {y}", *(_two(here, beside=_two(there)) for here, there in cells)])
    header = ["", *(f"x = {x}" for x in range(size))]
    return plain_table(name, title, note, header, rows, claims=tuple(claims))


def _two(value: float, beside: Cell | None = None) -> Cell:
    return number_cell(round(value, 2) + 0.0, decimals=2, beside=beside)
