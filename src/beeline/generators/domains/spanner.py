"""Spanner: spanners lie at uniform places of a path; all nuts are at its end.

Solvable: whoever picks up every spanner on the way has at least one for each nut, because there
are at least as many spanners as nuts. All nuts are loose at first.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from beeline.generators.draft import Dice, Draft, Fact, numbered
from beeline.generators.parameters import ParameterSet, insist, whole


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """Spanners, nuts and the path between shed and gate."""

    spanners: int = whole(4, "spanners on the path; no fewer than nuts", 1, 100_000)
    nuts: int = whole(2, "nuts to tighten", 1, 100_000)
    locations: int = whole(5, "places between the shed and the gate", 1, 10_000)

    def check(self) -> None:
        """A spanner tightens one nut only."""
        words = f"{self.spanners} spanners cannot tighten {self.nuts} nuts"
        insist(self.spanners >= self.nuts, words, "spanners are at least as many as nuts")


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """A path with spanners on it."""
    spanners = numbered("spanner", parameters.spanners)
    nuts = numbered("nut", parameters.nuts)
    places = numbered("location", parameters.locations)
    path = ["shed", *places, "gate"]
    init: list[Fact] = [("at", "bob", "shed")]
    for spanner in spanners:
        init += [("at", spanner, dice.choice(places)), ("usable", spanner)]
    for nut in nuts:
        init += [("at", nut, "gate"), ("loose", nut)]
    init += [("link", here, there) for here, there in pairwise(path)]
    objects = [("man", ["bob"]), ("spanner", spanners), ("nut", nuts), ("location", path)]
    return Draft(objects, init, [("tightened", nut) for nut in nuts])
