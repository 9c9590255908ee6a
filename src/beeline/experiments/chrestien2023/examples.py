"""Worked examples: values that a ranking loss gives the states of small graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.evaluate.tables import Cell, Table, number_cell, plain_table
from beeline.experiments.chrestien2023 import example_graphs as graphs
from beeline.experiments.chrestien2023.example_graphs import ExplicitGraph
from beeline.experiments.claims import check
from beeline.experiments.figures import Figure
from beeline.experiments.registry import grid, read_paper, table_words, text
from beeline.fitting.ranking import violations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from beeline.experiments.chrestien2023.example_graphs import Node
    from beeline.experiments.records import Place, Work

    Values = Mapping[Node, float]

FOLDER = "chrestien2023/examples"
GRID, PAPER = grid(FOLDER), read_paper(FOLDER)
CHOICES, DEFINITION, PRINTED = "choices", "definition", "printed"
READINGS = {CHOICES: "without steps that have no alternative", DEFINITION: "Definition 1"}
STEP = 62.5  # times the slope: where the paper's minimiser stopped
NEAR = {"step": 0.005 + 1e-9, "minimum": 0.02}  # what prints the same; what minimisers leave
PLACE = "the example"  # of claims, in place of a domain


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
    found = []
    for number, (reading, title) in enumerate(READINGS.items(), 1):
        found.append(
            _grid_table(
                str(number),
                f"{table}: {words['about']}, {title}",
                note if number == 1 else "",
                shown[reading],
                shown[PRINTED],
                claims if number == 1 else (),
            )
        )
    rows = [
        [words, differ.get(key), expanded[key], shortest]
        for key, words in {**READINGS, PRINTED: "as printed"}.items()
    ]
    header = ["values", "cells that differ from the paper's", "expanded", "states of a plan"]
    return [
        *found,
        plain_table("3", "What becomes of them", text(FOLDER, "becomes"), header, rows),
    ]


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
        values = -STEP * graphs.loss_and_slopes(listed, np.zeros(count), alpha=1.0)[1]
    else:
        values = graphs.fitted(listed, count, alpha=1.0)
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
        "ranking": int(graphs.margin(pairs, alpha=0.0) > 0),
        "ranking_goal": int(graphs.margin(pairs, alpha=0.0, lowest=goals) > 0),
        "ranking_short": int(graphs.margin(short, alpha=0.0, lowest=goals) > 0),
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
    x = y = max(place for cell in graph.nodes for place in _cell(cell))
    cells: list[Node] = [(x, y)]
    for move in moves:
        x, y = (x - 1, y) if move == "l" else (x, y - 1)
        cells.append((x, y))
    return cells


def _cell(node: Node) -> tuple[int, int]:
    assert isinstance(node, tuple)
    return node


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
    size = 1 + max(_cell(node)[0] for node in paper)
    rows: list[list[Cell | str]] = []
    for y in reversed(range(size)):
        cells = [(ours[x, y] + 0.0, paper[x, y] + 0.0) for x in range(size)]
        rows.append([f"y = {y}", *(_two(here, beside=_two(there)) for here, there in cells)])
    header = ["", *(f"x = {x}" for x in range(size))]
    return plain_table(name, title, note, header, rows, claims=tuple(claims))


def _two(value: float, beside: Cell | None = None) -> Cell:
    return number_cell(round(value, 2) + 0.0, decimals=2, beside=beside)
