"""The searches by name: settings of one best-first search with merit `alpha * g + beta * h`."""

from __future__ import annotations

from typing import NamedTuple

DEFAULT_WEIGHT = 3.0
A_POLICY = "a model with a policy"  # a default that has to be replaced


class SearchEntry(NamedTuple):
    """A search by name: merit, default settings, and whether plans are promised to be optimal.

    The promise holds for admissible heuristics; settings that would break it are refused.
    `policy` is how a policy orders the open states, instead of a merit: "levin" or "phs". `costs`
    are what heuristics take for the cost of an operator. With `novel`, states come first that show
    something new among those with the same values. With `beam`, only the best states of a layer are
    expanded. With `ordered`, goals that must come first are conditions (`GroundTask.ordered`).
    """

    name: str
    summary: str
    alpha: float
    beta: float
    tie_breaking: str
    heuristic: str | None
    reopen: bool
    optimal: bool = False
    policy: str | None = None
    preferred: str | tuple[str, ...] = ()
    deferred: bool = False
    costs: str = "plain"
    anytime: bool = False
    novel: bool = False
    beam: bool = False
    ordered: bool = False


_LAMA_FIRST = SearchEntry(
    "lama-first",
    "LAMA's first: greedy, deferred, h_FF and landmarks take turns",
    0,
    1,
    "h,fifo",
    "ff,landmarks",
    False,
    preferred="ff",
    deferred=True,
    costs="one",
    ordered=True,
)


SEARCHES = {
    entry.name: entry
    for entry in (
        _LAMA_FIRST,
        _LAMA_FIRST._replace(
            name="lama", summary="lama-first, then cheaper and cheaper plans", anytime=True
        ),
        SearchEntry("gbfs", "greedy: lowest h first", 0, 1, "h,fifo", "ff", False),
        SearchEntry("astar", "A*: lowest g + h first", 1, 1, "f,h,fifo", "lmcut", True, True),
        SearchEntry(
            "wastar", "weighted A*: g + weight * h", 1, DEFAULT_WEIGHT, "f,h,fifo", "ff", True
        ),
        SearchEntry("bfs", "breadth-first, without a heuristic", 0, 0, "fifo", None, False),
        SearchEntry("best-first", "alpha * g + beta * h, as you say", 1, 1, "f,h,fifo", "ff", True),
        SearchEntry(
            "width",
            "best-first width search: what is new first, then goals that are near",
            0,
            1,
            "h,fifo",
            "distance",
            False,
            novel=True,
        ),
        SearchEntry(
            "beam",
            "layers of the best states, as many as batch says, twice as many when that fails",
            0,
            1,
            "h,random",
            "pairs",
            False,
            beam=True,
        ),
        SearchEntry(
            "phs",
            "PHS*, guided by a learned policy and h",
            0,
            1,
            "fifo",
            A_POLICY,
            False,
            policy="phs",
        ),
        SearchEntry(
            "levints",
            "LevinTS, guided by a learned policy",
            0,
            1,
            "fifo",
            A_POLICY,
            False,
            policy="levin",
        ),
    )
}
