"""Small problems of the unified-planning library."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from unified_planning.io import PDDLReader
from unified_planning.shortcuts import (
    BoolType,
    Fluent,
    InstantaneousAction,
    IntType,
    MinimizeActionCosts,
    Not,
    Object,
    Problem,
    UserType,
)

from beeline.generators import domain_text
from beeline.generators.registry import recipes

if TYPE_CHECKING:
    from unified_planning.model import Action


def road(*, length: int = 4, metric: bool = False, bridge: bool = True) -> Problem:
    """A walk from the first place to the last, by steps or by a tour that costs ten.

    Names are none that PDDL knows, and without a bridge there is no way.
    """
    place = UserType("Place of interest")
    problem = Problem("A road")
    at = Fluent("Is at", BoolType(), where=place)
    linked = Fluent("linked?", BoolType(), a=place, b=place)
    toll = Fluent("toll", IntType(), a=place, b=place)
    problem.add_fluent(at, default_initial_value=False)
    problem.add_fluent(linked, default_initial_value=False)
    places = [Object(f"{number} Main Street", place) for number in range(length)]
    problem.add_objects(places)
    step = InstantaneousAction("Step on", a=place, b=place)
    step.add_precondition(at(step.a))
    step.add_precondition(linked(step.a, step.b))
    step.add_effect(at(step.a), False)
    step.add_effect(at(step.b), True)
    tour = InstantaneousAction("tour", a=place, b=place)
    tour.add_precondition(at(tour.a))
    tour.add_precondition(linked(tour.b, tour.b))
    tour.add_effect(at(tour.a), False)
    tour.add_effect(at(tour.b), True)
    problem.add_actions([step, tour])
    problem.set_initial_value(at(places[0]), True)
    for a, b in pairwise(places):
        problem.set_initial_value(linked(a, b), bridge)
        problem.set_initial_value(linked(b, a), True)
    if bridge:
        problem.set_initial_value(linked(places[-1], places[-1]), True)
    problem.add_goal(at(places[-1]))
    if metric:
        problem.add_fluent(toll, default_initial_value=1)
        costs: dict[Action, object] = {step: toll(step.a, step.b), tour: 10}
        problem.add_quality_metric(MinimizeActionCosts(costs))
    return problem


def copied_switch(*, static: bool) -> Problem:
    """Lamps become what their switches are; only if that is `static`, no action turns switches."""
    lamp = UserType("lamp")
    problem = Problem("lamps")
    switched, lit = (Fluent(name, BoolType(), which=lamp) for name in ("switched", "lit"))
    problem.add_fluents([switched, lit])
    copy, turn = (InstantaneousAction(name, which=lamp) for name in ("copy", "turn"))
    copy.add_effect(lit(copy.which), switched(copy.which))
    turn.add_effect(lit(turn.which) if static else switched(turn.which), False)
    problem.add_actions([copy, turn])
    lamps = [Object("hall", lamp), Object("desk", lamp)]
    problem.add_objects(lamps)
    for each in lamps:
        problem.set_initial_value(switched(each), each is lamps[0])
        problem.set_initial_value(lit(each), each is lamps[1])
    problem.add_goal(lit(lamps[0]))
    problem.add_goal(Not(lit(lamps[1])))
    return problem


@cache
def generated(generator: str, seed: int = 0, **chosen: int) -> Problem:
    """A task of a built-in domain, read by the library."""
    (made,) = recipes(generator, preset=None, count=1, seed=seed, parameters=chosen)
    return PDDLReader().parse_problem_string(domain_text(generator), made.text())
