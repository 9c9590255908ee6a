"""Models whose colour tables are written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from beeline.generators import domain_text
from beeline.models.colours.graph import STATUSES, BaseColours
from beeline.models.colours.model import ColourModel
from beeline.models.colours.scorer import WLLinear
from beeline.pddl import parse_domain
from beeline.pddl.model import domain_signature
from beeline.planning.model import SearchStyle

if TYPE_CHECKING:
    from beeline.pddl.model import Domain

TRUE, REACHED, OPEN, UNWANTED, ABSENT = range(len(STATUSES))


class HandTable:
    """A colour table in the making; colours are numbers, as everywhere."""

    def __init__(self, domain: Domain, *, multiset: bool = False) -> None:
        self.domain = domain
        self.multiset = multiset
        self.base = BaseColours.of(domain)
        self.rows: list[list[int]] = []
        self.rounds = 0
        self._round_of = dict.fromkeys(range(self.base.count), 0)
        self.weights: dict[int, int] = {}

    def kind(self, name: str) -> int:
        return self.base.kinds.index(name)

    def atom(self, predicate: str, status: int) -> int:
        place = self.base.predicates.index(predicate)
        return len(self.base.kinds) + len(STATUSES) * place + status

    def row(self, own: int, *neighbours: tuple[int, int] | tuple[int, int, int]) -> int:
        """A colour for a node with these neighbours: (colour, position[, count])."""
        items = [own]
        for colour, position, *count in neighbours:
            items += [16 * colour + position, *(count or [1])]
        self.rows.append(items)
        number = self.base.count + len(self.rows) - 1
        self._round_of[number] = self._round_of[own] + 1
        self.rounds = max(self.rounds, self._round_of[number])
        return number

    def model(self, *, ff_weight: int = 0, shift: int = 4) -> ColourModel:
        lengths = [len(row) for row in self.rows]
        weights = np.zeros(self.base.count + len(self.rows), dtype=np.int64)
        for colour, weight in self.weights.items():
            weights[colour] = weight
        scorer = WLLinear(
            base_colours=self.base.count,
            rounds=max(self.rounds, 1),
            multiset=self.multiset,
            table_starts=np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
            table_items=np.array([item for row in self.rows for item in row], dtype=np.int32),
            weights=weights,
            extra_weight=ff_weight,
            shift=shift,
        )
        summary = {"tasks": 3, "loss": "rank-siblings"}
        return ColourModel(
            domain_signature(self.domain), scorer, SearchStyle(), summary, 7, "0.1.0"
        )


def built_in(name: str) -> Domain:
    return parse_domain(domain_text(name), f"<{name} domain>")


def small_blocksworld(*, multiset: bool = False) -> HandTable:
    """A few colours of each of three rounds, with weights on some."""
    table = HandTable(built_in("blocksworld"), multiset=multiset)
    block = table.kind("object")
    clear, on_table = table.atom("clear", TRUE), table.atom("on-table", TRUE)
    on_goal = table.atom("on", OPEN)
    upper = table.row(block, (clear, 0), (on_table, 0), (on_goal, 0))
    lower = table.row(block, (clear, 0), (on_table, 0), (on_goal, 1))
    goal_1 = table.row(on_goal, (block, 0), (block, 1))
    clear_1 = table.row(clear, (block, 0))
    table_1 = table.row(on_table, (block, 0))
    goal_2 = table.row(goal_1, (upper, 0), (lower, 1))
    upper_2 = table.row(upper, (clear_1, 0), (table_1, 0), (goal_1, 0))
    lower_2 = table.row(lower, (clear_1, 0), (table_1, 0), (goal_1, 1))
    goal_3 = table.row(goal_2, (upper_2, 0), (lower_2, 1))
    table.weights = {goal_2: 12, upper: -5, on_goal: 30, goal_3: 3}
    return table
