"""The Open lists along a plan: what ranking losses compare.

Let a forward search expand only the states s_0, s_1, ... of a plan. O_i is its Open list after
i expansions: every state generated so far, each once with its lowest g, but none that has been
expanded. A heuristic ranks perfectly if s_i comes before all others in O_i, for every i
(Chrestien et al., "Optimize planning heuristics to rank, not to estimate cost-to-goal",
definition 1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Row = Mapping[str, Any]


def open_lists(rows: Sequence[Row]) -> Iterator[tuple[int, list[int]]]:
    """For i = 1, 2, ...: the row of s_i, and the rows of the other states in O_i.

    `rows` are the rows of one instance with its siblings, of which `state`, `step`, `on_path`
    and `g` are used; the answer refers to them by index. The total cost is linear in the sum of
    the sizes of the Open lists. In a plan that visits a state twice, the second visit expands
    nothing, and that step is left out.

    >>> rows = [
    ...     {"state": 0, "step": 0, "on_path": True, "g": 0},
    ...     {"state": 1, "step": 1, "on_path": True, "g": 1},
    ...     {"state": 2, "step": 2, "on_path": True, "g": 2},
    ...     {"state": 3, "step": 1, "on_path": False, "g": 1},
    ...     {"state": 0, "step": 2, "on_path": False, "g": 2},
    ...     {"state": 4, "step": 2, "on_path": False, "g": 2},
    ... ]
    >>> list(open_lists(rows))
    [(1, [3]), (2, [3, 5])]
    """
    path = sorted((i for i, row in enumerate(rows) if row["on_path"]), key=lambda i: _step(rows, i))
    generated: dict[int, list[int]] = {}
    for index, row in enumerate(rows):
        if row["step"]:
            generated.setdefault(row["step"], []).append(index)
    closed = {rows[path[0]]["state"]}
    in_open: dict[int, int] = {}  # state to row
    for index in path[1:]:
        for other in generated[rows[index]["step"]]:
            state = rows[other]["state"]
            known = in_open.get(state)
            if state not in closed and (known is None or rows[other]["g"] < rows[known]["g"]):
                in_open[state] = other
        state = rows[index]["state"]
        if state in closed:
            continue
        yield index, [other for key, other in in_open.items() if key != state]
        closed.add(state)
        del in_open[state]


def _step(rows: Sequence[Row], index: int) -> int:
    step: int = rows[index]["step"]
    return step
