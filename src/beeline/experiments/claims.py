"""Claims of a paper as comparisons of figures, counted in the same way here and there.

A claim is a table of `grid.toml`:

    of = "coverage"            which tables it is about
    sentence = "..."           the claim
    measure = "coverage"       figures to compare; of several, later ones decide where all are equal
    relation = "no worse"      or "better" (as usual), "no better", or "as good"
    tolerance = 0.01           by how large a part the first may be worse, or, as good, differ
    pairs = [["A", "C"], ["A or B", "C"]]    columns; of several, the best counts
    match, worse               instead of pairs: a pattern of columns, and what each is compared to
    domains = ["ferry"]        instead of all; with mean = "geometric" they are taken together
    across = true              pairs are of domains, within each column

Below a paper's scale, comparisons that cannot tell anything are left out: of equal figures, and of
solved tasks where blind search solves them all.
"""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.evaluate.tables import AT_THIS_SCALE, MISSING, Claim, format_number
from beeline.experiments.figures import GEOMETRIC_MEAN, Figures, Row, geometric_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from beeline.experiments.figures import Figure

    # The figures of a measure; those of searches may depend on which columns are compared.
    Lookup = Callable[[str, Sequence[str]], Figures]

HIGHER_IS_BETTER = ("coverage",)
# Of something to compare by, the smaller the better.
RELATIONS = {"better": operator.lt, "no worse": operator.le, "no better": operator.ge}
AS_GOOD = "as good"
UNTOLD = f"not tested {AT_THIS_SCALE}, as figures are equal or blind search would do as well"
RULE = (
    "Each claim is a number of comparisons of means over seeds. It holds if they all do, or as"
    " large a share as in the paper's own tables, but not if half of them or fewer do; what lies"
    " between is mixed."
)


class Comparison(NamedTuple):
    """Two figures, and whether the first is better, as claimed."""

    label: str
    claimed: str  # the figure that is claimed to be better
    other: str
    holds: bool
    tells: bool = True  # also in a smaller experiment than the paper's


class Verdict(NamedTuple):
    """How a claim fares: here and, by the same comparisons, in the paper."""

    sentence: str
    here: list[Comparison]
    paper: list[Comparison]

    @property
    def word(self) -> str:
        """`holds`, `mixed` or `does not hold`; `–` if nothing can be compared.

        In half of the comparisons or fewer: does not hold. In all, or in a share at least as
        large as the paper's: holds.
        """
        if not self.here:
            return MISSING
        here, paper = (
            sum(each.holds for each in side) / len(side) if side else None
            for side in (self.here, self.paper)
        )
        assert here is not None
        if here <= 0.5:
            neither = paper is not None and paper <= 0.5
            return "does not hold" + (", nor in the paper" if neither else "")
        return "holds" if here == 1 or (paper is not None and here >= paper) else "mixed"

    @property
    def counts(self) -> str:
        """How many comparisons hold, here and in the paper."""
        if not self.here:
            return "nothing to compare"
        here, paper = (
            f"{sum(each.holds for each in side)} of {len(side)}" for side in (self.here, self.paper)
        )
        return f"{here} comparisons" + (f" (paper: {paper})" if self.paper else "")

    @property
    def below(self) -> str:
        """The word below the paper's scale, by the comparisons that can tell; empty for the same.

        >>> equal = Comparison("ferry, A against B", "100", "100", holds=True, tells=False)
        >>> Verdict("A is no worse", [equal], []).below
        'not tested at this scale, as figures are equal or blind search would do as well'
        """
        telling = [each for each in self.here if each.tells]
        if self.here and not telling:
            return UNTOLD
        labels = {each.label for each in telling}
        same = [each for each in self.paper if each.label in labels]
        word = self._replace(here=telling, paper=same).word
        return "" if word == self.word else word

    def claim(self, source: str) -> Claim:
        """The verdict as reports show it; the sentence is from the `source`."""
        if not self.here:
            return Claim(self.sentence, source, None, self.counts)
        figures = "; ".join(
            f"{one.label}: {one.claimed} against {one.other}{'' if one.holds else ' (no)'}"
            for one in self.here
        )
        holds = self.word == "holds"
        detail = f"{self.counts}: {figures}"
        return Claim(self.sentence, source, holds, detail, self.word, self.below)


def check(
    claims: Sequence[Mapping[str, Any]],
    of: str | None,
    domains: Sequence[str],
    ours: Lookup,
    paper: Lookup | None = None,
    title: Callable[[str], str] = str,
    easy: Collection[str] = (),
) -> list[Verdict]:
    """The claims `of` something, or all; `title` gives words for columns.

    Of the paper's comparisons only those count that can be made here, over the same domains. In
    `easy` domains blind search solves all tasks, so that numbers of solved ones tell nothing.
    """

    def same(measure: str, columns: Sequence[str]) -> Figures:
        here, there = ours(measure, columns), paper(measure, columns) if paper else {}
        return {
            column: {name: row[name] for name in row if name in here.get(column, {})}
            for column, row in there.items()
        }

    found = []
    for claim in (each for each in claims if of in (None, each["of"])):
        here, there = (
            list(_comparisons(claim, domains, side, title, easy)) for side in (ours, same)
        )
        labels = {each.label for each in here}
        known = [each for each in there if each.label in labels]
        found.append(Verdict(claim["sentence"], here, known))
    return found


def within(
    claims: Sequence[Mapping[str, Any]], columns: Collection[str]
) -> list[Mapping[str, Any]]:
    """The claims that compare at least one pair of these columns."""
    return [
        claim
        for claim in claims
        if any({*better.split(" or "), worse} <= {*columns} for better, worse in claim["pairs"])
    ]


def compared(claims: Sequence[Mapping[str, Any]], of: str) -> set[str]:
    """The columns that the claims of something are about."""
    sides = [
        words for each in claims if each["of"] == of for pair in each["pairs"] for words in pair
    ]
    return {column for words in sides for column in words.split(" or ")}


def _comparisons(
    claim: Mapping[str, Any],
    domains: Sequence[str],
    figures: Lookup,
    title: Callable[[str], str],
    easy: Collection[str],
) -> Iterator[Comparison]:
    measures = claim["measure"] if isinstance(claim["measure"], tuple) else (claim["measure"],)
    relation, tolerance = claim.get("relation", "better"), claim.get("tolerance", 0.0)
    for better, worse in _pairs(claim, figures(measures[0], ())):
        columns = (*better, worse)
        found = [figures(measure, columns) for measure in measures]
        if "across" in claim:
            found, domains = [_transposed(each) for each in found], [*found[0]]
        common = [
            domain
            for domain in claim.get("domains", domains)
            if all(domain in each.get(column, {}) for column in columns for each in found)
        ]
        groups = [[domain] for domain in common]
        if "mean" in claim:
            groups = [common] if common else []
        for group in groups:
            means = {column: [_mean(each[column], group) for each in found] for column in columns}
            order = {column: _order(measures, values) for column, values in means.items()}
            first = min(better, key=lambda column: order[column])
            place = GEOMETRIC_MEAN if "mean" in claim else group[0]
            label = f"{place}, {' or '.join(map(title, better))} against {title(worse)}"
            tasks = found[0][first][group[0]].tasks
            label += "" if tasks is None else f", {tasks} tasks"
            if relation == AS_GOOD or tolerance:
                ratio = means[first][0] / means[worse][0]
                holds = ratio <= 1 + tolerance and (relation != AS_GOOD or ratio >= 1 - tolerance)
            else:
                holds = RELATIONS[relation](order[first], order[worse])
            solved = measures[0] in HIGHER_IS_BETTER
            tells = relation == AS_GOOD or order[first] != order[worse]
            tells = tells and not (solved and all(domain in easy for domain in group))
            yield Comparison(label, _text(means[first]), _text(means[worse]), holds, tells)


def _transposed(figures: Figures) -> Figures:
    found: dict[str, dict[str, Figure]] = {}
    for column, row in figures.items():
        for domain, each in row.items():
            found.setdefault(domain, {})[column] = each
    return found


def _pairs(claim: Mapping[str, Any], figures: Figures) -> Iterator[tuple[tuple[str, ...], str]]:
    for better, worse in claim.get("pairs", ()):
        yield tuple(better.split(" or ")), worse
    if "match" in claim:
        for column in figures:
            match = re.fullmatch(claim["match"], column)
            if match is not None:
                yield (column,), match.expand(claim["worse"])


def _mean(row: Row, domains: Sequence[str]) -> float:
    found = row[domains[0]].mean if len(domains) == 1 else geometric_mean(row, domains)
    assert found is not None
    return found


def _order(measures: Sequence[str], values: Sequence[float]) -> tuple[float, ...]:
    """Something to compare by, the smaller the better; shares of tasks are equal if nearly so."""
    return tuple(
        -round(value, 6) if measure in HIGHER_IS_BETTER else value
        for measure, value in zip(measures, values, strict=True)
    )


def _text(values: Sequence[float]) -> str:
    first, *others = map(format_number, values)
    return f"{first} ({', '.join(others)})" if others else first
