"""Small tasks for searches, and a slow, plain way to solve them."""

from __future__ import annotations

import heapq
import math
import random
from itertools import pairwise
from typing import TYPE_CHECKING

from beeline.pddl import parse_domain, parse_problem
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from beeline.task.ground_task import GroundTask

    State = tuple[int, ...]

MAX_STATES = 20_000

PUZZLE = """(define (domain puzzle) (:requirements :typing)
 (:types tile place)
 (:predicates (at ?t - tile ?p - place) (empty ?p - place) (beside ?a ?b - place))
 (:action slide :parameters (?t - tile ?a ?b - place)
  :precondition (and (at ?t ?a) (empty ?b) (beside ?a ?b))
  :effect (and (at ?t ?b) (not (at ?t ?a)) (empty ?a) (not (empty ?b)))))
"""


def puzzle_task(width: int, height: int, seed: int) -> str:
    """A sliding-tile puzzle, shuffled by legal moves."""
    rng = random.Random(seed)
    places = [(x, y) for y in range(height) for x in range(width)]
    tiles = {place: f"t{number}" for number, place in enumerate(places[1:], start=1)}
    goal = dict(tiles)
    empty = places[0]
    for _ in range(40 * width * height):
        x, y = rng.choice([p for p in places if abs(p[0] - empty[0]) + abs(p[1] - empty[1]) == 1])
        tiles[empty] = tiles.pop((x, y))
        empty = (x, y)
    beside = " ".join(
        f"(beside p{a[0]}-{a[1]} p{b[0]}-{b[1]})"
        for a in places
        for b in places
        if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1
    )

    def atoms(layout: dict[tuple[int, int], str]) -> str:
        return " ".join(f"(at {tile} p{p[0]}-{p[1]})" for p, tile in layout.items())

    return (
        f"(define (problem p) (:domain puzzle) (:objects {' '.join(goal.values())} - tile"
        f" {' '.join(f'p{x}-{y}' for x, y in places)} - place)"
        f" (:init {beside} {atoms(tiles)} (empty p{empty[0]}-{empty[1]}))"
        f" (:goal (and {atoms(goal)})))"
    )


def random_strips(seed: int) -> tuple[str, str]:
    """Propositions, actions of various costs, dead ends, several ways to the goal or none."""
    rng = random.Random(seed)
    facts = [f"(f{number})" for number in range(rng.randint(7, 11))]
    actions = []
    for number in range(rng.randint(18, 34)):
        needed = rng.sample(facts, rng.choice((1, 2, 2, 3)))
        added = rng.sample(facts, rng.choice((1, 1, 2)))
        deleted = [fact for fact in rng.sample(facts, rng.randint(0, 3)) if fact not in added]
        negated = [f"(not {fact})" for fact in deleted]
        if rng.random() < 0.3:
            needed.append(f"(not {rng.choice(added)})")
        actions.append(
            f"(:action a{number} :parameters () :precondition (and {' '.join(needed)}) :effect"
            f" (and {' '.join([*added, *negated])} (increase (total-cost) {rng.randint(0, 5)})))"
        )
    domain = (
        f"(define (domain random-strips) (:requirements :negative-preconditions :action-costs)"
        f" (:predicates {' '.join(facts)}) (:functions (total-cost)) {' '.join(actions)})"
    )
    task = (
        f"(define (problem p) (:domain random-strips) (:init (= (total-cost) 0)"
        f" {' '.join(rng.sample(facts, 2))}) (:goal (and {' '.join(rng.sample(facts, 4))}))"
        " (:metric minimize (total-cost)))"
    )
    return domain, task


def ground_texts(domain: str, task: str, *, unit_costs: bool = False) -> GroundTask:
    """Ground a task given as texts."""
    return ground(parse_problem(parse_domain(domain), task), unit_costs=unit_costs)


def random_search_task(seed: int, *, unit_costs: bool = False) -> GroundTask:
    """A random task, by the generator that suits searches or the one full of odd corners.

    Its state space is small enough to be looked at state by state.
    """
    from random_tasks import RandomTask

    if seed % 4 == 0:
        odd = RandomTask(seed)
        task = ground_texts(odd.domain, odd.task, unit_costs=unit_costs)
        if math.prod(task.native.domain_sizes) <= MAX_STATES:
            return task
    return ground_texts(*random_strips(seed), unit_costs=unit_costs)


def write_task(folder: Path, domain: str, task: str) -> tuple[str, str]:
    """Two files."""
    (folder / "domain.pddl").write_text(domain)
    (folder / "task.pddl").write_text(task)
    return str(folder / "domain.pddl"), str(folder / "task.pddl")


class PlainTask:
    """A ground task as Python lists: successors by the book, one operator at a time."""

    def __init__(self, task: GroundTask) -> None:
        starts, items = (array.tolist() for array in task.conditions)
        self.conditions = [set(items[a:b]) for a, b in pairwise(starts)]
        self.effects = [task.operator_effects(number) for number in range(task.num_operators)]
        self.costs = task.costs.tolist()
        self.goal = set(task.goal.tolist())
        self.initial: State = tuple(task.initial.tolist())
        self.variable_of = task.native.variable_of.tolist()

    def successors(self, state: State) -> Iterator[tuple[int, State]]:
        """Applicable operators and the states they lead to."""
        true = set(state)
        for number, conditions in enumerate(self.conditions):
            if conditions <= true:
                successor = list(state)
                for needed, value in self.effects[number]:
                    if true.issuperset(needed):
                        successor[self.variable_of[value]] = value
                yield number, tuple(successor)

    def cheapest_plan_cost(self) -> int | None:
        """Dijkstra's algorithm from the initial state."""
        best = {self.initial: 0}
        queue = [(0, self.initial)]
        while queue:
            cost, state = heapq.heappop(queue)
            if cost > best[state]:
                continue
            if self.goal <= set(state):
                return cost
            for number, successor in self.successors(state):
                reached = cost + self.costs[number]
                if reached < best.get(successor, reached + 1):
                    best[successor] = reached
                    heapq.heappush(queue, (reached, successor))
        return None
