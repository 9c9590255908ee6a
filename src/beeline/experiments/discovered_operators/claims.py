"""The paper's claims, as comparisons of mean expansions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from beeline.experiments.discovered_operators.figures import (
    Figures,
    expansions_text,
    geometric_mean,
)
from beeline.experiments.discovered_operators.grid import DOMAINS
from beeline.experiments.verdicts import Comparison, Verdict, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

BUT_TWO = tuple(domain for domain in DOMAINS if domain not in ("grid", "scanalyzer"))


class Claim(NamedTuple):
    """A sentence; pairs of configurations of which the first expands fewer states; and where.

    Without domains, geometric means are compared, over all domains that have both.
    """

    table: str  # the table of the paper that has the figures
    sentence: str
    pairs: tuple[tuple[str, str], ...]
    domains: tuple[str, ...] = ()


CLAIMS = (
    Claim(
        "Table 4.2",
        "po* expands fewer states than ĥ alone, in all domains",
        (("h+perfect", "h"),),
        DOMAINS,
    ),
    Claim(
        "Table 4.2",
        "learned po* expands fewer states than ĥ alone, in all domains",
        (("h+ideal100", "h"),),
        DOMAINS,
    ),
    Claim("Table 4.2", "po^G 1 % expands fewer states than ĥ alone", (("h+xrs1", "h"),)),
    Claim(
        "Table 4.2",
        "po^G 1 % expands fewer states than ĥ alone, in all domains but grid and scanalyzer",
        (("h+xrs1", "h"),),
        BUT_TWO,
    ),
    Claim("Table 4.3", "po^G 5 % expands fewer states than po^FF", (("h+xrs5", "h+ff"),)),
    Claim(
        "Table 4.3",
        "po^G 5 % expands fewer states than po^FF, in all domains but grid and scanalyzer",
        (("h+xrs5", "h+ff"),),
        BUT_TWO,
    ),
    Claim(
        "Table 4.3",
        "more samples are better, from 1 % to 5 % to 10 %",
        (("h+xrs5", "h+xrs1"), ("h+xrs10", "h+xrs5")),
    ),
    Claim(
        "Table 4.3",
        "in npuzzle po^FF is worse than ĥ alone, po^G 1 % better",
        (("h", "h+ff"), ("h+xrs1", "h")),
        ("npuzzle",),
    ),
    Claim("Table 4.4", "po^G expands fewer states than po^FSM, 1 %", (("h+xrs1", "h+fsm1"),)),
    Claim("Table 4.4", "po^G expands fewer states than po^FSM, 5 %", (("h+xrs5", "h+fsm5"),)),
    Claim(
        "Table 4.5",
        "with h_FF and h_add, po^G 1 % expands fewer states than po^FF",
        (("ff+xrs1", "ff+ff"), ("add+xrs1", "add+ff")),
    ),
    Claim(
        "Table 4.5",
        "with h_GC and h_blind, po^G 1 % expands fewer states than po^FF",
        (("goalcount+xrs1", "goalcount+ff"), ("blind+xrs1", "blind+ff")),
    ),
    Claim(
        "Table 4.5",
        "with h_blind, po^G 1 % expands fewer states than po^FF, in all domains",
        (("blind+xrs1", "blind+ff"),),
        DOMAINS,
    ),
    Claim(
        "Table 4.5",
        "h_GC with po^G 5 % expands fewer states than h_FF and h_add alone",
        (("goalcount+xrs5", "ff"), ("goalcount+xrs5", "add")),
    ),
    Claim(
        "Table C.1",
        "boosting is better than none, 1 %, 5 % and 10 %",
        tuple((f"h+xrs{percent}", f"h+xrs{percent}-unboosted") for percent in (1, 5, 10)),
    ),
)


def check(ours: Figures, paper: Figures, table: str | None = None) -> list[Verdict]:
    """All claims, or those of a table; the paper's means are of the domains that there are here."""
    same = {
        configuration: {domain: row[domain] for domain in row if domain in ours[configuration]}
        for configuration, row in paper.items()
        if configuration in ours
    }
    return [
        verdict(each.sentence, list(_comparisons(each, ours)), list(_comparisons(each, same)))
        for each in CLAIMS
        if table in (None, each.table)
    ]


def _comparisons(claim: Claim, figures: Figures) -> Iterator[Comparison]:
    for better, worse in claim.pairs:
        rows = figures.get(better, {}), figures.get(worse, {})
        common = [domain for domain in DOMAINS if all(domain in row for row in rows)]
        wanted = [[domain] for domain in claim.domains if domain in common]
        for domains in wanted if claim.domains else [common]:
            first, second = (geometric_mean(row, domains) for row in rows)
            if first is None or second is None:
                continue
            label = f"{better} against {worse}, "
            label += domains[0] if claim.domains else "geometric mean"
            texts = expansions_text(first), expansions_text(second)
            yield Comparison(label, *texts, first < second)


def compared(table: str) -> set[str]:
    """The configurations that the claims of a table are about."""
    pairs = [pair for each in CLAIMS if each.table == table for pair in each.pairs]
    return {configuration for pair in pairs for configuration in pair}
