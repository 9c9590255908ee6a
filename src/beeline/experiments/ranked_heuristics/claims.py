"""The paper's claims, as comparisons of coverage and of expansions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from beeline.experiments.ranked_heuristics.grid import ASTAR, DOMAINS, GBFS
from beeline.experiments.ranked_heuristics.variants import (
    BELLMAN,
    POLICY,
    RANK_ASTAR,
    RANK_GBFS,
    SQUARED,
    TRAJECTORY,
    Variant,
)
from beeline.experiments.verdicts import Comparison, Verdict, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from beeline.experiments.ranked_heuristics.figures import Cell, Column, Figures

COVERAGE, EXPANSIONS = "coverage", "expansions"
OTHERS = (TRAJECTORY, SQUARED, BELLMAN)


class Claim(NamedTuple):
    """A sentence, and pairs of columns of which the first is better in all domains.

    Coverage: no fewer tasks are solved, as many cells are full. Expansions: fewer states. Of
    several columns on the left, the best counts.
    """

    sentence: str
    what: str
    pairs: tuple[tuple[tuple[Column, ...], Column], ...]


def _all(
    better: tuple[Column, ...], *worse: Column
) -> tuple[tuple[tuple[Column, ...], Column], ...]:
    return tuple((better, each) for each in worse)


_RANKED = (
    *_all(((ASTAR, RANK_ASTAR),), (ASTAR, SQUARED)),
    *_all(((GBFS, RANK_ASTAR),), (GBFS, SQUARED)),
    *_all(((GBFS, RANK_GBFS),), (GBFS, SQUARED)),
)
CLAIMS = (
    Claim(
        "Ranking (L* in both searches, L_gbfs in GBFS) solves no fewer tasks than L_2",
        COVERAGE,
        _RANKED,
    ),
    Claim("Ranking expands fewer states than L_2", EXPANSIONS, _RANKED),
    Claim(
        "L* is best for A*: none solves more tasks",
        COVERAGE,
        _all(((ASTAR, RANK_ASTAR),), *((ASTAR, loss) for loss in (RANK_GBFS, *OTHERS))),
    ),
    Claim(
        "L_gbfs suffers under A*: L* solves no fewer tasks there",
        COVERAGE,
        _all(((ASTAR, RANK_ASTAR),), (ASTAR, RANK_GBFS)),
    ),
    Claim(
        "L_gbfs suffers under A*: L* expands fewer states there",
        EXPANSIONS,
        _all(((ASTAR, RANK_ASTAR),), (ASTAR, RANK_GBFS)),
    ),
    Claim(
        "L_gbfs suffers under A*: it expands fewer states in GBFS",
        EXPANSIONS,
        _all(((GBFS, RANK_GBFS),), (ASTAR, RANK_GBFS)),
    ),
    Claim(
        "L* or L_gbfs is best for GBFS: none of L_rt, L_2 and L_be solves more tasks",
        COVERAGE,
        _all(((GBFS, RANK_ASTAR), (GBFS, RANK_GBFS)), *((GBFS, loss) for loss in OTHERS)),
    ),
    Claim(
        "L_le solves no fewer tasks than L_2", COVERAGE, _all(((GBFS, POLICY),), (GBFS, SQUARED))
    ),
    Claim(
        "L_le is worse than ranking: L* and L_gbfs solve no fewer tasks",
        COVERAGE,
        tuple((((GBFS, loss),), (GBFS, POLICY)) for loss in (RANK_ASTAR, RANK_GBFS)),
    ),
    Claim(
        "L_le is worse than ranking: L* and L_gbfs expand fewer states",
        EXPANSIONS,
        tuple((((GBFS, loss),), (GBFS, POLICY)) for loss in (RANK_ASTAR, RANK_GBFS)),
    ),
)


def check(
    ours: dict[str, Figures], paper: dict[str, Figures], what: str | None = None
) -> list[Verdict]:
    """All claims, or those on `what`; figures by `coverage` and `expansions`."""
    return [
        verdict(
            each.sentence,
            list(_comparisons(each, ours[each.what])),
            list(_comparisons(each, paper[each.what])),
        )
        for each in CLAIMS
        if what in (None, each.what)
    ]


def title(column: Column) -> str:
    """A column in words.

    >>> title(("astar", "l2"))
    'L_2 in A*'
    """
    search, loss = column
    return f"{Variant.parse(loss).title} in {'A*' if search == ASTAR else 'GBFS'}"


def _comparisons(claim: Claim, figures: Figures) -> Iterator[Comparison]:
    for better, worse in claim.pairs:
        for domain in DOMAINS:
            cells = [figures.get(column, {}).get(domain) for column in (*better, worse)]
            known = [each for each in cells if each is not None]
            if len(known) < len(cells):
                continue
            first, second = _best(known[:-1], claim.what), known[-1]
            names = " or ".join(title(column) for column in better)
            label = f"{domain}, {names} against {title(worse)}"
            if claim.what == COVERAGE:
                texts = f"{first.mean:.0f} %", f"{second.mean:.0f} %"
                yield Comparison(label, *texts, first.mean >= second.mean)
            else:
                texts = f"{first.mean:.0f}", f"{second.mean:.0f}"
                yield Comparison(label, *texts, first.mean < second.mean)


def _best(cells: list[Cell], what: str) -> Cell:
    return (max if what == COVERAGE else min)(cells, key=lambda each: each.mean)
