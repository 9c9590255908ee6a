"""Childsnack: children wait at uniform tables; who is allergic is a uniform choice.

There is one portion of bread and of content for each child, and as many of each without gluten as
there are allergic children, a uniform choice too.

Solvable: make the sandwiches without gluten first, for the allergic children, then those for the
others; there are enough sandwiches, and one tray can carry them all. Nobody is served at first.
"""

from __future__ import annotations

from dataclasses import dataclass

from beeline.generators.draft import Dice, Draft, Fact, numbered
from beeline.generators.parameters import ParameterSet, insist, whole


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """Children, tables, and what is in the kitchen."""

    children: int = whole(4, "children to serve", 1, 10_000)
    allergic: int = whole(1, "children who must not eat gluten; not more than children", 0, 10_000)
    trays: int = whole(1, "trays", 1, 10_000)
    sandwiches: int = whole(5, "sandwiches that can be made; no fewer than children", 1, 10_000)
    tables: int = whole(3, "places where children wait", 1, 10_000)

    def check(self) -> None:
        """There must be a sandwich for each child."""
        insist(
            self.allergic <= self.children,
            f"{self.allergic} of {self.children} children are allergic",
            "allergic is not more than children",
        )
        insist(
            self.sandwiches >= self.children,
            f"{self.sandwiches} sandwiches for {self.children} children",
            "sandwiches are at least as many as children",
        )


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """Children at tables, ingredients and trays in the kitchen."""
    children = numbered("child", parameters.children)
    trays = numbered("tray", parameters.trays)
    sandwiches = numbered("sandw", parameters.sandwiches)
    breads = numbered("bread", parameters.children)
    contents = numbered("content", parameters.children)
    tables = numbered("table", parameters.tables)
    allergic = set(dice.sample(children, parameters.allergic))

    init: list[Fact] = [("at", tray, "kitchen") for tray in trays]
    init += [("at_kitchen_bread", bread) for bread in breads]
    init += [("at_kitchen_content", content) for content in contents]
    init += [("no_gluten_bread", bread) for bread in dice.sample(breads, len(allergic))]
    init += [("no_gluten_content", content) for content in dice.sample(contents, len(allergic))]
    for child in children:
        init.append(("allergic_gluten" if child in allergic else "not_allergic_gluten", child))
        init.append(("waiting", child, dice.choice(tables)))
    init += [("notexist", sandwich) for sandwich in sandwiches]
    objects = [
        ("child", children),
        ("tray", trays),
        ("sandwich", sandwiches),
        ("bread-portion", breads),
        ("content-portion", contents),
        ("place", tables),
    ]
    return Draft(objects, init, [("served", child) for child in children])
