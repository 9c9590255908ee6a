"""Heuristic `cea`: costs of goals whose conditions are reached in the context of their paths."""

from __future__ import annotations

import numpy as np
import pytest

from beeline import _native
from beeline.generators import domain_text, generate
from beeline.pddl import parse_domain, parse_problem
from beeline.planning.heuristics import make_evaluator
from beeline.planning.solve import solve
from beeline.task.grounding import ground
from beeline.task.validator import validate

# The truck stands where the package has to go.
ROUND_TRIP = """
(define (problem round-trip) (:domain logistics-strips)
  (:objects here there town van parcel)
  (:init (location here) (location there) (city town) (truck van) (obj parcel)
    (in-city here town) (in-city there town) (at van here) (at parcel there))
  (:goal (at parcel here)))
"""


def test_a_truck_has_to_come_back() -> None:
    domain = parse_domain(domain_text("logistics"), "<domain>")
    task = ground(parse_problem(domain, ROUND_TRIP, "<task>"))
    states = _native.States(task.native)
    initial = np.array([states.initial], dtype=np.uint32)
    values = {name: make_evaluator(name, task).evaluate(states, initial) for name in ("add", "cea")}
    # Without context, the truck is still here when the package is unloaded.
    assert (values["add"].item(), values["cea"].item()) == (3, 4)
    preferred = make_evaluator("cea", task).preferred(states, states.initial)
    assert [task.operator_names[op] for op in preferred] == ["(drive-truck van here there town)"]


@pytest.mark.parametrize("domain", ["logistics", "transport", "visitall", "gripper", "blocksworld"])
@pytest.mark.parametrize("deferred", [False, True])
def test_searches_with_preferred_operators_find_plans(domain: str, deferred: bool) -> None:
    task = ground(generate(domain, seed=3))
    result = solve(task, heuristic="cea", preferred="cea", deferred=deferred)
    assert validate(task.problem, result.plan).valid


@pytest.mark.parametrize("domain", ["logistics", "miconic", "visitall"])
def test_values_do_not_depend_on_the_states_before(domain: str) -> None:
    task = ground(generate(domain, seed=6))
    states, random = _native.States(task.native), np.random.default_rng(1)
    found = [states.initial]
    for _ in range(60):
        found.append(int(random.choice(states.successors(found[-1])[1])))
    walk = np.array(found, dtype=np.uint32)
    together = make_evaluator("cea", task).evaluate(states, walk)
    alone = [make_evaluator("cea", task).evaluate(states, walk[i : i + 1])[0] for i in range(61)]
    assert together.tolist() == alone


def test_goals_of_logistics_are_in_order_and_those_of_transport_are_not() -> None:
    tasks = [ground(generate(domain, seed=1)) for domain in ("logistics", "transport")]
    assert [_native.goals_are_ordered(task.native) for task in tasks] == [True, False]
