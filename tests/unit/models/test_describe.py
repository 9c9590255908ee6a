"""Colours in words."""

from __future__ import annotations

import numpy as np
import pytest
from hand_tables import (
    ABSENT,
    OPEN,
    REACHED,
    TRUE,
    UNWANTED,
    HandTable,
    built_in,
    small_blocksworld,
)

from beeline import _native, generators
from beeline.models.colours.graph import BaseColours, colour_graph
from beeline.models.colours.model import ColourModel
from beeline.models.colours.scorer import WLLinear
from beeline.models.colours.words import LONGEST, ColourWords, legend, strongest_features
from beeline.pddl import parse_domain
from beeline.pddl.model import domain_signature
from beeline.planning.model import SearchStyle
from beeline.task.grounding import ground


def words(table: HandTable, colour: int) -> str:
    return ColourWords(table.model()).describe(colour)


class TestBlocksworld:
    table = small_blocksworld()

    @pytest.mark.parametrize(
        ("predicate", "status", "expected"),
        [
            ("on", TRUE, "facts (on ?x ?y) that are no goals"),
            ("on", REACHED, "reached goals (on ?x ?y)"),
            ("on", OPEN, "open goals (on ?x ?y)"),
            ("clear", UNWANTED, "facts (clear ?x) that the goal forbids"),
            ("clear", ABSENT, "absent (clear ?x) that the goal forbids"),
            ("arm-empty", TRUE, "whether (arm-empty) is true, and no goal"),
            ("arm-empty", OPEN, "whether the goal (arm-empty) is open"),
        ],
    )
    def test_base_colours(self, predicate: str, status: int, expected: str) -> None:
        assert words(self.table, self.table.atom(predicate, status)) == expected

    def test_kinds_of_objects(self) -> None:
        assert words(self.table, self.table.kind("object")) == "objects"
        assert words(self.table, self.table.kind("(either ...)")) == "objects of several types"

    def test_the_strongest_come_first(self) -> None:
        features = strongest_features(self.table.model(), 10)
        assert [(feature.round, feature.weight) for feature in features] == [
            (0, 1.875),
            (2, 0.75),
            (1, -0.3125),
            (3, 0.1875),
        ]
        assert features[0].words == "open goals (on ?x ?y)"
        assert features[1].words == (
            "open goals (on ?x ?y), where ?x has (clear ?x), (on-table ?x);"
            " ?y has (clear ?y), (on-table ?y)"
        )
        assert features[2].words == (
            "objects ?x with (clear ?x), (on-table ?x), open goal (on ?x _)"
        )
        assert len(strongest_features(self.table.model(), 2)) == 2


class TestFerry:
    def test_lists_of_a_larger_neighbourhood(self) -> None:
        table = HandTable(built_in("ferry"))
        car, place = table.kind("car"), table.kind("location")
        at, goal, ferry = table.atom("at", TRUE), table.atom("at", OPEN), table.atom("at-ferry", 0)
        here = table.row(place, (at, 1), (ferry, 0))
        waiting = table.row(car, (at, 0), (goal, 0))
        at_1 = table.row(at, (car, 0), (place, 1))
        goal_1 = table.row(goal, (car, 0), (place, 1))
        there = table.row(place, (goal, 1))
        at_2 = table.row(at_1, (waiting, 0), (here, 1))
        goal_2 = table.row(goal_1, (waiting, 0), (there, 1))
        waiting_2 = table.row(waiting, (at_1, 0), (goal_1, 0))
        waiting_3 = table.row(waiting_2, (at_2, 0), (goal_2, 0))
        assert words(table, here) == "locations ?x with (at _ ?x), (at-ferry ?x)"
        assert words(table, at_2) == (
            "facts (at ?x ?y) that are no goals,"
            " where ?x has open goal (at ?x _); ?y has (at-ferry ?y)"
        )
        assert words(table, waiting_3) == (
            "cars ?x with (at ?x ?y) [?y has (at-ferry ?y)],"
            " open goal (at ?x ?z) [?z has no other kinds of atoms]"
        )

    def test_multisets_count(self) -> None:
        table = HandTable(built_in("ferry"), multiset=True)
        car, place = table.kind("car"), table.kind("location")
        at, goal = table.atom("at", TRUE), table.atom("at", OPEN)
        crowded = table.row(place, (at, 1, 3), (goal, 1, 2))
        alone = table.row(car, (at, 0))
        lonely = table.row(place, (at, 1))
        at_1 = table.row(at, (car, 0), (place, 1))
        at_2 = table.row(at_1, (alone, 0), (crowded, 1))
        last = table.row(at_1, (alone, 0), (lonely, 1))
        assert words(table, crowded) == "locations ?x with 3 x (at _ ?x), 2 x open goal (at _ ?x)"
        assert words(table, at_2) == (
            "facts (at ?x ?y) that are no goals, where ?x has nothing else;"
            " ?y has 2 x (at _ ?y), 2 x open goal (at _ ?y)"
        )
        assert words(table, last).endswith("?x has nothing else; ?y has nothing else")
        assert legend(table.model()) != legend(HandTable(built_in("ferry")).model())


TYPED = """(define (domain d) (:requirements :typing)
 (:types truck airplane - vehicle place)
 (:constants hub - place)
 (:predicates (at ?v - vehicle ?p - place) (open ?p - place)))"""


class TestTypesAndConstants:
    table = HandTable(parse_domain(TYPED))

    def test_kinds_are_named_where_the_predicate_does_not_say_them(self) -> None:
        truck, airplane, place = map(self.table.kind, ("truck", "airplane", "place"))
        at = self.table.atom("at", TRUE)
        by_truck = self.table.row(at, (truck, 0), (place, 1))
        by_air = self.table.row(at, (airplane, 0), (place, 1))
        stop = self.table.row(place, (at, 1))
        stop_2 = self.table.row(stop, (by_truck, 1), (by_air, 1))
        assert words(self.table, by_air) == (
            "facts (at ?x ?y) that are no goals, where ?x is an airplane"
        )
        assert words(self.table, stop_2) == (
            "places ?x with (at _ ?x) [is a truck], (at _ ?x) [is an airplane]"
        )

    def test_constants_stand_for_themselves(self) -> None:
        truck, hub = self.table.kind("truck"), self.table.kind("hub")
        at, opened = self.table.atom("at", TRUE), self.table.atom("open", REACHED)
        at_hub = self.table.row(at, (truck, 0), (hub, 1))
        hub_1 = self.table.row(hub, (at, 1), (opened, 0))
        assert words(self.table, at_hub) == (
            "facts (at ?x hub) that are no goals, where ?x is a truck"
        )
        assert words(self.table, hub_1) == (
            "whether hub stands in (at _ hub), reached goal (open hub)"
        )
        assert words(self.table, hub) == "whether hub is there"


@pytest.mark.parametrize("multiset", [False, True])
@pytest.mark.parametrize("domain", generators.names())
def test_every_colour_of_every_domain_has_words(domain: str, multiset: bool) -> None:
    problem = generators.generate(domain, seed=2)
    task = ground(problem)
    states = _native.States(task.native)
    table = _native.ColourTable(BaseColours.of(problem.domain).count, 4, multiset)
    table.embed(colour_graph(task), states, np.array([states.initial], dtype=np.uint32), True)
    scorer = WLLinear.from_floats(table, np.ones(table.size), 0.0)
    signature = domain_signature(problem.domain)
    words_of = ColourWords(ColourModel(signature, scorer, SearchStyle(), {}, 0, "0.1.0"))
    for colour in range(table.size):
        text = words_of.describe(colour)
        assert 0 < len(text) <= LONGEST
        assert text.endswith(" ...") or text.count("(") == text.count(")")
