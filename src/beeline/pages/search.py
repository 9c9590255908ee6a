"""A search as a part of a page: its tree, its course, and what became of all successors.

The tree has the states that were expanded, from left to right by the steps that lead to them, each
above those that were expanded later. Large trees are cut down to the way to the plan and the first
states. Time is counted in states that were evaluated, so that equal searches give equal pages.
"""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.core.errors import counted
from beeline.pages.story import HEURISTICS, MOST_EVALUATIONS, SCORE, Curve, chart, number_text
from beeline.task.states import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.planning.result import SearchTrace

MOST_NODES = 300
SHOWN_SUCCESSORS = 8
MOST_POINTS = 600  # of a curve
SIZE, LETTER, GAP, DOWN, RIM = 18, 5.5, 12, 24, 14  # of nodes, and between them
WIDEST = 3000
SHADES = 5
ROOT = -1  # instead of an operator
GOAL = "★"  # instead of a number


class SearchPart(NamedTuple):
    """What a page shows of a search; `nodes` is for its script."""

    words: list[str]
    title: str  # of the scores
    tree: str
    chart: str
    nodes: list[dict[str, Any]]


def look_at(traces: Sequence[SearchTrace], steps: int | None) -> SearchPart | None:
    """The last of some searches; `steps` are those of the plan that the page is about, if any."""
    if not traces:
        return None
    *others, trace = traces
    log = _Log(trace)
    if not log.turn:
        return None
    title, states = _title(trace), log.chosen()
    depth: dict[int, int] = {}
    for state in _downwards(states, log):
        above = log.parent(state)
        depth[state] = 0 if above is None else depth[above] + 1
    return SearchPart(
        [*_words(trace, log, states, steps), *map(_aside, others)],
        title,
        _tree(states, depth, log, title),
        _course(log, title, greedy=not trace.alpha and bool(trace.heuristic)),
        _about(states, depth, log, trace),
    )


class _Log:
    """The log of a search by states; turns are counted from 1."""

    def __init__(self, trace: SearchTrace) -> None:
        log = trace.result.log
        self.path, self.clock, self.expanded = log.path, log.clock, log.expanded
        self.turn: dict[int, int] = {}  # in which a state was expanded first
        for turn, state in enumerate(self.expanded, 1):
            self.turn.setdefault(state, turn)
        self.way: dict[int, tuple[int, int]] = {}  # the last step to a state
        self.value: dict[int, float] = {}
        values = log.values or [0.0] * len(log.evaluated)
        alpha = trace.alpha if log.values else 1.0  # blind searches go by the cost so far
        rows = zip(log.evaluated, log.parents, log.operators, log.costs, values, strict=True)
        for state, parent, operator, cost, value in rows:
            self.value[state] = alpha * cost + (trace.beta * value if log.values else 0.0)
            if operator != ROOT:
                self.way[state] = (parent, operator)
        steps = zip(self.path, self.path[1:], trace.result.plan, strict=False)
        self.way.update((after, (before, operator)) for before, after, operator in steps)
        whole = len(self.path) <= MOST_NODES and all(each in self.turn for each in self.path[:-1])
        self.shown_path = self.path if whole else []

    def parent(self, state: int) -> int | None:
        """Where it was reached from; None for the first state."""
        return self.way[state][0] if state in self.way else None

    def chosen(self) -> list[int]:
        """The way to the plan, and the first states with all that is above them, in order."""
        kept: set[int] = {*self.shown_path}
        for first in self.turn:
            chain: list[int] = []
            state: int | None = first
            while state is not None and state not in kept:
                chain.append(state)
                state = self.parent(state)
            if len(kept) + len(chain) > MOST_NODES:
                break
            kept.update(chain)
        last = len(self.expanded) + 1  # the goal, if it is not expanded
        return sorted(kept, key=lambda each: self.turn.get(each, last))


def _downwards(states: list[int], log: _Log) -> list[int]:
    """The states, each after its parent and the way to the plan before all others."""
    children: dict[int | None, list[int]] = {}
    for state in sorted(states, key=lambda each: each not in log.shown_path):
        children.setdefault(log.parent(state), []).append(state)
    order, waiting = [], children.get(None, [])[::-1]
    while waiting:
        order.append(waiting.pop())
        waiting += children.get(order[-1], [])[::-1]
    return order


def _title(trace: SearchTrace) -> str:
    if not trace.heuristic:
        return "cost so far"
    titles = {"score": SCORE[0], **{name: words[0] for name, words in HEURISTICS.items()}}
    name = titles.get(trace.heuristic, trace.heuristic)
    alpha, beta = (f"{each:g} " if each != 1 else "" for each in (trace.alpha, trace.beta))
    return f"{alpha}g + {beta}{name}" if trace.alpha else name


def _words(trace: SearchTrace, log: _Log, shown: list[int], steps: int | None) -> list[str]:
    counters, plan = trace.result.counters, trace.result.plan
    ended = trace.result.status.name.lower().replace("_", " ")
    if log.path:
        ended = f"found {counted(len(plan), 'step')}"
    words = [
        f"Search '{trace.name}': {ended}, with {counted(counters.expanded, 'expansion')}"
        f" and {counted(counters.evaluated, 'evaluation')}."
    ]
    if log.path and steps not in (None, len(plan)):
        words.append("The plan above is what became of these steps.")
    if counters.expanded > len(log.expanded):
        words.append(f"Remembered are the first {len(log.expanded):,} expansions.")
    missing = len({*log.turn}.difference(shown))
    if missing:
        way = "on the way to the plan, and the first ones" if log.shown_path else "the first ones"
        words.append(f"The tree has {len(shown):,} of {len(shown) + missing:,} states: {way}.")
    return words


def _aside(trace: SearchTrace) -> str:
    counters = trace.result.counters
    return f"Beside it ran '{trace.name}', with {counted(counters.expanded, 'expansion')}."


def _tree(states: list[int], depth: dict[int, int], log: _Log, title: str) -> str:
    """The tree as SVG: nodes have the numbers of their turns, stronger where scores are lower."""
    order = _downwards(states, log)
    row: dict[int, int] = {}
    rows = -1
    taken: set[int] = set()  # states whose first child goes straight on
    for state in order:
        above = log.parent(state)
        if above is None or above in taken:
            rows += 1
        row[state] = rows
        if above is not None:
            taken.add(above)
    size = max(SIZE, 7 + LETTER * len(str(max(log.turn.get(each, 0) for each in states))))
    across = size + min(GAP, max(4, WIDEST / (max(depth.values()) + 1) - size))
    at = {
        each: (round(size / 2 + 4 + depth[each] * across, 1), RIM + row[each] * DOWN)
        for each in states
    }
    finite = [log.value[each] for each in states if math.isfinite(log.value.get(each, math.inf))]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    edges: dict[str, list[str]] = {"branch": [], "branch way": []}
    nodes = []
    for place, state in enumerate(states):
        (x, y), above = at[state], log.parent(state)
        way = " way" if state in log.shown_path else ""
        if above is not None:
            edges[f"branch{way}"].append(f"M{at[above][0]:g} {at[above][1]}V{y}H{x:g}")
        value = log.value.get(state, low)
        share = (high - value) / (high - low) if high > low and value <= high else 0.0
        nodes.append(
            f'<g class="node n{min(SHADES - 1, int(share * SHADES))}{way}" data-node="{place}"'
            f' transform="translate({x:g} {y})"><rect x="{-size / 2:g}" y="{-SIZE / 2:g}"'
            f' width="{size:g}" height="{SIZE}" rx="{SIZE / 2:g}"/>'
            f'<text y="3.5">{log.turn.get(state, GOAL)}</text></g>'
        )
    wide = round(max(x for x, _ in at.values()) + size / 2 + 4, 1)
    tall = rows * DOWN + 2 * RIM
    words = (
        f"Tree of {counted(len(states), 'state')}, up to {counted(max(depth.values()), 'step')}"
        f" from the beginning; {title} from {number_text(low)} to {number_text(high)}"
    )
    lines = "".join(f'<path class="{style}" d="{"".join(d)}"/>' for style, d in edges.items())
    return (
        f'<svg class="tree" viewBox="0 0 {wide:g} {tall}" style="width: {wide:g}px" role="img"'
        f' aria-label="{escape(words)}">{lines}{"".join(nodes)}</svg>'
    )


def _course(log: _Log, title: str, *, greedy: bool) -> str:
    """Expansions and scores over time."""
    points = np.unique(np.linspace(0, len(log.expanded) - 1, MOST_POINTS).astype(int)).tolist()
    scores = np.array([log.value.get(state, math.nan) for state in log.expanded])
    curves = [
        Curve("expansions", "", np.array(points, dtype=np.float64) + 1),
        Curve(f"{title} of the state", "", scores[points]),
    ]
    if greedy:  # other scores grow with the steps
        curves.append(Curve(f"lowest {title} so far", "", np.fmin.accumulate(scores)[points]))
    clock = [log.clock[point] for point in points]
    return chart(curves, clock, "Along the search", "course")


def _about(
    states: list[int], depth: dict[int, int], log: _Log, trace: SearchTrace
) -> list[dict[str, Any]]:
    """For each node its turn, step, depth and score, and the successors chosen and left."""
    task = trace.task
    found: list[dict[str, Any]] = []
    spent = 0
    for state in states:
        turn = log.turn.get(state, 0)
        about: dict[str, Any] = {
            "turn": turn,
            "step": task.operator_name(log.way[state][1]) if state in log.way else "",
            "depth": depth[state],
            "score": number_text(log.value[state]) if state in log.value else "",
            "time": log.clock[turn - 1],  # of the last one, where it is the goal
        }
        found.append(about)
        if not turn or spent > MOST_EVALUATIONS:
            continue
        rows = [
            _Successor(task.operator_name(operator), log.value.get(child.id), *fate)
            for operator, child in State(task, trace.states, state).successors()
            for fate in (_fate(state, operator, child.id, log),)
        ]
        rows.sort(key=lambda each: (math.inf if each.value is None else each.value, each.step))
        spent += len(rows)
        # Those that were chosen are never left out for others.
        best = sorted(rows, key=lambda each: not each.chosen)[:SHOWN_SUCCESSORS]
        about["successors"] = len(rows)
        about["chosen"] = sum(each.chosen for each in rows)
        about["shown"] = [
            ("–" if each.value is None else number_text(each.value), each.step, each.fate)
            for each in rows
            if each in best
        ]
    return found


class _Successor(NamedTuple):
    step: str
    value: float | None
    chosen: bool
    fate: str


def _fate(state: int, operator: int, child: int, log: _Log) -> tuple[bool, str]:
    """Whether a successor was expanded from here, and what became of it in words."""
    turn = log.turn.get(child)
    if log.way.get(child) != (state, operator):
        known = child in log.value or turn is not None or child in log.path
        return False, "reached another way" if known else "not looked at"
    if log.path[-1] == child if log.path else False:
        return True, "the goal"
    if turn is not None:
        return True, f"expanded, number {turn:,}"
    return False, "a dead end" if log.value.get(child) == math.inf else "left"
