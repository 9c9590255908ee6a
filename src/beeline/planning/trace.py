"""A search that can be looked at: which states it has evaluated and expanded, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline._native import SearchResult, States

    OnSearch = Callable[["SearchTrace"], None]

LOGGED = 50_000  # evaluated states that are remembered


class SearchTrace(NamedTuple):
    """How a search ended, with its log; of searches in turns, the first with a plan comes last."""

    name: str
    result: SearchResult
    states: States  # whose numbers the log has
    heuristic: str = ""  # whose values the log has; "" if there is none
    alpha: float = 0.0  # of the merit alpha * g + beta * h
    beta: float = 1.0
