"""Claims of a paper as comparisons of figures, counted in the same way here and there."""

from __future__ import annotations

from typing import NamedTuple

from beeline.experiments.result_tables import MISSING

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
        share = _share(self.here)
        if share <= 0.5:
            neither = self.paper and _share(self.paper) <= 0.5
            return "does not hold" + (", nor in the paper" if neither else "")
        if share == 1 or (self.paper and share >= _share(self.paper)):
            return "holds"
        return "mixed"

    @property
    def holds(self) -> bool | None:
        """Whether the word is `holds`; None if nothing can be compared."""
        return None if not self.here else self.word == "holds"

    @property
    def counts(self) -> str:
        """How many comparisons hold, here and in the paper."""
        if not self.here:
            return "nothing to compare"
        text = f"{sum(each.holds for each in self.here)} of {len(self.here)} comparisons"
        if not self.paper:
            return text
        return f"{text} (paper: {sum(each.holds for each in self.paper)} of {len(self.paper)})"

    @property
    def figures(self) -> str:
        """The figures of all comparisons."""
        return "; ".join(
            f"{one.label}: {one.claimed} against {one.other}{'' if one.holds else ' (no)'}"
            for one in self.here
        )


def verdict(sentence: str, here: list[Comparison], paper: list[Comparison]) -> Verdict:
    """A verdict; of the paper's comparisons only those count that can be made here."""
    labels = {each.label for each in here}
    return Verdict(sentence, here, [each for each in paper if each.label in labels])


def _share(comparisons: list[Comparison]) -> float:
    return sum(each.holds for each in comparisons) / len(comparisons)
