"""The paper's claims as comparisons of figures, counted in the same way here and there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from beeline.experiments.admissible_bounds.figures import ALONE, Figures, Key
from beeline.experiments.admissible_bounds.grid import (
    ALL_DOMAINS,
    CONFIGURATIONS,
    METHODS,
    RESIDUALS,
    SIGMAS,
)
from beeline.experiments.verdicts import Comparison, Verdict, verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from beeline.experiments.admissible_bounds.figures import Figure

BEST = "learn/ff"  # what the paper proposes


class Claim(NamedTuple):
    """A sentence, and what to compare for it."""

    what: str  # errors or planning
    sentence: str
    comparisons: Callable[[Figures, str], Iterator[Comparison]]


def check(ours: Figures, paper: Figures, model: str, what: str | None = None) -> list[Verdict]:
    """All claims for one network, or those on `errors` or `planning`."""
    found = []
    for claim in CLAIMS:
        if what not in (None, claim.what):
            continue
        here, there = (list(claim.comparisons(figures, model)) for figures in (ours, paper))
        found.append(verdict(claim.sentence, here, there))
    return found


def _errors(
    table: Mapping[Key, Figure], pairs: Iterator[tuple[str, Key, Key]], *, better: bool = True
) -> Iterator[Comparison]:
    """Comparisons of means, smaller ones being better; `better=False` claims the opposite."""
    for label, one, other in pairs:
        if one in table and other in table:
            first, second = table[one].mean, table[other].mean
            holds = first < second if better else first >= second
            yield Comparison(label, f"{first:.4g}", f"{second:.4g}", holds)


def _truncated_is_best(figures: Figures, model: str) -> Iterator[Comparison]:
    pairs = (
        (f"{domain}, {other}", Key(model, domain, BEST, "TN"), Key(model, domain, BEST, other))
        for domain in ALL_DOMAINS
        for other in ("N", "N+clip")
    )
    return _errors(figures.mse, pairs)


def _residual_helps(figures: Figures, model: str) -> Iterator[Comparison]:
    pairs = (
        (
            f"{domain}, {method}, {sigma}",
            *_two(model, domain, method, f"{sigma}/ff", f"{sigma}/none"),
        )
        for method in ("N", "TN")
        for sigma in SIGMAS
        for domain in ALL_DOMAINS
    )
    return _errors(figures.mse, pairs)


def _sigma_helps(method: str, *, better: bool) -> Callable[[Figures, str], Iterator[Comparison]]:
    def comparisons(figures: Figures, model: str) -> Iterator[Comparison]:
        pairs = (
            (f"{domain}, {base}", *_two(model, domain, method, f"learn/{base}", f"fixed/{base}"))
            for base in RESIDUALS
            for domain in ALL_DOMAINS
        )
        return _errors(figures.mse, pairs, better=better)

    return comparisons


def _beats_ff(figures: Figures, model: str) -> Iterator[Comparison]:
    pairs = (
        (
            f"{domain}, {method}, {configuration}",
            Key(model, domain, configuration, method),
            Key(model, domain, ALONE, "ff"),
        )
        for configuration in CONFIGURATIONS
        if configuration.endswith("/ff")
        for method in ("N", "TN")
        for domain in ALL_DOMAINS
    )
    return _errors(figures.mse, pairs)


def _two(model: str, domain: str, method: str, one: str, other: str) -> tuple[Key, Key]:
    return Key(model, domain, one, method), Key(model, domain, other, method)


def _searches(figures: Figures, pairs: Iterator[tuple[str, Key, Key]]) -> Iterator[Comparison]:
    """Comparisons of coverage, and of evaluations where that is the same."""
    for label, one, other in pairs:
        if one in figures.coverage and other in figures.coverage:
            shown, rank = [], []
            for key in (one, other):
                coverage, evaluations = figures.coverage[key].mean, figures.evaluations[key].mean
                rank.append((-round(coverage, 6), evaluations))
                shown.append(f"{coverage:.2f} ({evaluations:.0f})")
            yield Comparison(label, shown[0], shown[1], rank[0] < rank[1])


def _plans_better_than_ff(figures: Figures, model: str) -> Iterator[Comparison]:
    pairs = (
        (f"{domain}, {method}", Key(model, domain, BEST, method), Key(model, domain, ALONE, "ff"))
        for domain in ALL_DOMAINS
        for method in METHODS
    )
    return _searches(figures, pairs)


def _truncated_plans_best(figures: Figures, model: str) -> Iterator[Comparison]:
    pairs = (
        (f"{domain}, {other}", Key(model, domain, BEST, "TN"), Key(model, domain, BEST, other))
        for domain in ALL_DOMAINS
        for other in ("N", "N+clip")
    )
    return _searches(figures, pairs)


CLAIMS = (
    Claim("errors", "TN has a smaller error than N and N+clip with learn/ff", _truncated_is_best),
    Claim(
        "errors",
        "the residual h_FF lowers the error (of N and TN, learn and fixed)",
        _residual_helps,
    ),
    Claim("errors", "learning sigma lowers the error of TN", _sigma_helps("TN", better=True)),
    Claim(
        "errors", "learning sigma does not lower the error of N", _sigma_helps("N", better=False)
    ),
    Claim(
        "errors", "with the residual h_FF, models have smaller errors than h_FF alone", _beats_ff
    ),
    Claim("planning", "GBFS with learn/ff solves more than with h_FF alone", _plans_better_than_ff),
    Claim(
        "planning",
        "GBFS with TN solves more than with N and N+clip, with learn/ff",
        _truncated_plans_best,
    ),
)
