"""Pictures show what the facts say: who stands where, in every state of a plan."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import beeline
from beeline.pages.pictures import DONE, OPEN, Picture, draw
from beeline.pages.standing import SLOT, Rules, find_rules
from beeline.pages.story import Story, tell
from beeline.pddl import parse_domain, parse_problem
from beeline.task.plan_file import Plan

SIZES = {
    "blocksworld": {"blocks": 6},
    "gripper": {},
    "ferry": {},
    "rovers": {},
    "logistics": {},
    "sokoban": {},
    "npuzzle": {},
    "visitall": {},
    "grid": {},
    "spanner": {},
}
RULES = {
    "blocksworld": Rules({"on": 0}, {"on-table", "holding"}, set(), {"on"}),
    "gripper": Rules({"at": 0, "carry": 0}, set(), {"at-robby"}),
    "ferry": Rules({"at": 0}, {"on"}, {"at-ferry"}),
    "spanner": Rules({"at": 0, "carrying": 1}),
    "visitall": Rules({}, set(), {"at-robot"}),
}


def told(name: str, seed: int = 0) -> Story:
    task = beeline.ground(beeline.generators.generate(name, seed=seed, **SIZES[name]))
    return tell(task, beeline.solve(task).plan, None)


def drawn(story: Story) -> Picture:
    picture = draw(story.task, story.states)
    assert picture is not None
    return picture


@pytest.mark.parametrize("name", RULES)
def test_groups_of_facts_tell_what_stands_somewhere(name: str) -> None:
    task = beeline.ground(beeline.generators.generate(name, **SIZES[name]))
    cells = [each for each in task.objects if name == "visitall"]
    found, wanted = find_rules(task, cells), RULES[name]
    assert (found.children, found.slots) == (wanted.children, wanted.slots)
    assert (found.movers, found.stacks) == (wanted.movers, wanted.stacks)


def test_a_plane_is_somewhere_and_not_in_its_fuel() -> None:
    domain = parse_domain(
        """(define (domain fly) (:requirements :typing) (:types plane city level)
        (:predicates (at ?p - plane ?c - city) (fuel ?p - plane ?l - level) (next ?a ?b - level))
        (:action fly :parameters (?p - plane ?a ?b - city ?l ?m - level)
          :precondition (and (at ?p ?a) (fuel ?p ?l) (next ?m ?l))
          :effect (and (not (at ?p ?a)) (at ?p ?b) (not (fuel ?p ?l)) (fuel ?p ?m))))"""
    )
    problem = parse_problem(
        domain,
        """(define (problem p) (:domain fly) (:objects a b - plane x y - city l m n - level)
        (:init (at a x) (at b y) (fuel a n) (fuel b n) (next l m) (next m n))
        (:goal (and (at a y) (at b x))))""",
    )
    found = find_rules(beeline.ground(problem), ())
    assert len(found.children) == 1  # either, but never both
    assert found.parents(problem.init).keys() == {"a", "b"}


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("seed", [0, 1])
def test_things_are_drawn_in_or_on_what_they_stand_on(name: str, seed: int) -> None:
    story = told(name, seed)
    picture = drawn(story)
    rules = find_rules(story.task, picture.places if picture.centred else ())
    for facts, frame in zip(story.states, picture.frames, strict=True):
        standing = rules.parents(facts)
        assert {each for each in frame if SLOT not in each} == standing.keys()
        for child, (parent, predicate) in standing.items():
            box = frame[child][0]
            below = frame[parent][0] if parent in frame else picture.places[parent]
            if predicate in rules.stacks and parent in frame:
                assert box.y + box.h == pytest.approx(below.y)
                assert below.x < box.middle[0] < below.x + below.w
            elif not picture.centred or parent in picture.places:
                assert below.x <= box.x + 0.01 <= box.x + box.w <= below.x + below.w + 0.01
                assert below.y <= box.y + 0.01 <= box.y + box.h <= below.y + below.h + 0.01


@pytest.mark.parametrize("name", SIZES)
def test_things_beside_each_other_do_not_overlap(name: str) -> None:
    story = told(name)
    picture = drawn(story)
    rules = find_rules(story.task, picture.places if picture.centred else ())
    for facts, frame in zip(story.states, picture.frames, strict=True):
        standing = rules.parents(facts)
        for one, (parent, _) in standing.items():
            for other in (each for each in standing if each < one):
                if standing[other][0] == parent:
                    a, b = frame[one][0], frame[other][0]
                    beside = a.x + a.w <= b.x or b.x + b.w <= a.x
                    assert beside or a.y + a.h <= b.y or b.y + b.h <= a.y
    places = sorted(picture.places.values())
    for number, a in enumerate(places):
        for b in places[:number]:
            beside = b.x + b.w <= a.x + 0.2 or a.x + a.w <= b.x + 0.2
            assert beside or a.y + a.h <= b.y + 0.2 or b.y + b.h <= a.y + 0.2


def test_things_are_marked_as_done_where_they_shall_be() -> None:
    story = told("blocksworld")
    frames = drawn(story).frames
    assert any(status == OPEN for _, status in frames[0].values())
    assert all(status != OPEN for _, status in frames[-1].values())
    assert any(status == DONE for _, status in frames[-1].values())


def test_moves_add_up_to_frames() -> None:
    picture = drawn(told("rovers"))
    names, seen = list(picture.sprites), {}
    for moves, frame in zip(picture.moves(), picture.frames, strict=True):
        for number, *box in moves:
            seen[names[int(number)]] = box
        shown = {name: box for name, box in seen.items() if box}
        assert shown.keys() == frame.keys()
        for name, (*box, status) in shown.items():
            assert box == [pytest.approx(value, abs=0.06) for value in frame[name][0]]
            assert status == frame[name][1]


def test_visited_cells_are_marked_and_clear_ones_are_not() -> None:
    picture = drawn(told("visitall"))
    assert ("m1", "visited") in picture.legend
    marks = [sum(SLOT in name for name in frame) for frame in picture.frames]
    assert marks == sorted(marks)
    assert "clear" not in {words for _, words in drawn(told("sokoban")).legend}


@pytest.mark.parametrize("name", SIZES)
def test_pictures_are_xml_and_the_same_each_time(name: str) -> None:
    text = drawn(told(name)).svg()
    assert text == drawn(told(name)).svg()
    assert ElementTree.fromstring(text).get("aria-label")
    assert not re.search(r"nan|inf[^o]", text)


def test_a_task_without_a_shape_has_no_picture() -> None:
    domain = parse_domain(
        """(define (domain lamps) (:predicates (on ?l))
        (:action switch :parameters (?l) :precondition (not (on ?l)) :effect (on ?l)))"""
    )
    problem = parse_problem(
        domain, "(define (problem p) (:domain lamps) (:objects a b) (:init) (:goal (on a)))"
    )
    task = beeline.ground(problem)
    assert draw(task, tell(task, Plan(), None).states) is None
