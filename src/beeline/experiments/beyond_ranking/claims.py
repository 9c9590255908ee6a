"""What may help a ranking, as comparisons of two trainings in the same search.

Expansions are compared on the tasks that both solved with all seeds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from beeline.experiments.ranked_heuristics.claims import title
from beeline.experiments.ranked_heuristics.figures import (
    common_tasks,
    coverage_figures,
    mean_figures,
)
from beeline.experiments.ranked_heuristics.grid import DOMAINS, SEARCHES
from beeline.experiments.ranked_heuristics.variants import (
    GAUSSIAN,
    RANK_ASTAR,
    TRUNCATED,
    Variant,
)
from beeline.experiments.verdicts import Comparison, Verdict
from beeline.training.plan_losses import FIRST, MERGED, SEPARATE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from beeline.experiments.ranked_heuristics.figures import Column, Tests

SOLVES, EXPANDS = "solves no fewer tasks than", "expands fewer states than"
RULE = (
    "Each claim is a number of comparisons of means over seeds, of one domain and one search each."
    " It holds if they all do, not if half of them or fewer do; what lies between is mixed. Equal"
    " figures are no fewer solved tasks, and they are not fewer expanded states."
)


class Idea(NamedTuple):
    """What may be better than what; `worse` are the trainings to compare one with, if any."""

    better: str
    other: str
    worse: Callable[[Variant], list[Variant]]


def _without_residual(variant: Variant, residual: str) -> list[Variant]:
    if variant.loss != RANK_ASTAR or variant.residual != residual:
        return []
    return [variant._replace(residual=None)]


def _of_gaussians(variant: Variant, other: str) -> list[Variant]:
    return [Variant(other)] if variant.loss == TRUNCATED and variant.way == FIRST else []


def _of_orders(variant: Variant, way: str) -> list[Variant]:
    if variant.way != MERGED:
        return []
    return [variant.with_first_orders if way == FIRST else variant._replace(way=way)]


IDEAS = (
    Idea(
        "A lower bound under the ranking (L* with LM-cut as residual)",
        "L*",
        lambda variant: _without_residual(variant, "lmcut"),
    ),
    Idea(
        "A guess under the ranking (L* with FF as residual)",
        "L*",
        lambda variant: _without_residual(variant, "ff"),
    ),
    Idea(
        "Ranking E[x] of a truncated Gaussian",
        "the truncated Gaussian alone",
        lambda variant: _of_gaussians(variant, GAUSSIAN),
    ),
    Idea(
        "Ranking E[x] of a truncated Gaussian",
        "L*",
        lambda variant: _of_gaussians(variant, RANK_ASTAR),
    ),
    Idea(
        "Ranking by merged orders",
        "ranking by the first order alone",
        lambda variant: _of_orders(variant, FIRST),
    ),
    Idea(
        "Ranking by merged orders",
        "ranking by the same orders apart",
        lambda variant: _of_orders(variant, SEPARATE),
    ),
)


def check(tests: Tests, losses: Sequence[str], measure: str) -> list[Verdict]:
    """All claims on one measure, SOLVES or EXPANDS, for the trainings that were chosen.

    There is no paper to compare with.
    """
    verdicts = []
    for idea in IDEAS:
        here = [
            comparison
            for word in losses
            for worse in idea.worse(Variant.parse(word))
            if worse.word in losses
            for search in SEARCHES
            for comparison in _comparisons(tests, (search, word), (search, worse.word), measure)
        ]
        verdicts.append(Verdict(f"{idea.better} {measure} {idea.other}", here, []))
    return verdicts


def _comparisons(tests: Tests, better: Column, worse: Column, what: str) -> Iterator[Comparison]:
    if better not in tests or worse not in tests:
        return
    both = {column: tests[column] for column in (better, worse)}
    common = common_tasks(both, both)
    if what == SOLVES:
        figures = coverage_figures(both)
    else:
        figures = mean_figures(both, "expanded", within=common)
    for domain in DOMAINS:
        first, second = (figures[column].get(domain) for column in (better, worse))
        if first is None or second is None:
            continue
        label = f"{domain}, {title(better)} against {title(worse)}"
        if what == SOLVES:
            texts = f"{first.mean:.1f} %", f"{second.mean:.1f} %"
            yield Comparison(label, *texts, first.mean >= second.mean)
        else:
            texts = f"{first.mean:.1f}", f"{second.mean:.1f}"
            counted = f"{label}, {len(common[domain])} tasks"
            yield Comparison(counted, *texts, first.mean < second.mean)
