"""Claims of a paper as comparisons of figures, counted in the same way here and there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from markdown_tables import MISSING, markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

RULE = (
    "Each claim is a number of comparisons of means over seeds. It holds if they all do, or as"
    " large a share as in the paper's own tables; it does not hold if half of them or fewer"
    " do; otherwise it is mixed."
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


def verdict(sentence: str, here: list[Comparison], paper: list[Comparison]) -> Verdict:
    """A verdict; of the paper's comparisons only those count that can be made here."""
    labels = {each.label for each in here}
    return Verdict(sentence, here, [each for each in paper if each.label in labels])


def summary_table(verdicts: Sequence[Verdict]) -> str:
    """How many comparisons of each claim hold."""
    rows = []
    for each in verdicts:
        counts = [
            f"{sum(one.holds for one in side)} of {len(side)}" if side else MISSING
            for side in (each.here, each.paper)
        ]
        rows.append([each.sentence, *counts, each.word])
    return markdown(["claim", "here", "paper, same comparisons", "verdict"], rows)


def comparison_list(verdicts: Sequence[Verdict]) -> str:
    """The figures of all comparisons."""
    lines = []
    for each in verdicts:
        if each.here:
            shown = [
                f"{one.label}: {one.claimed} against {one.other}{'' if one.holds else ' (no)'}"
                for one in each.here
            ]
            lines.append(f"- {each.sentence}. {'; '.join(shown)}.")
    return "\n".join(lines)


def _share(comparisons: list[Comparison]) -> float:
    return sum(each.holds for each in comparisons) / len(comparisons)
