"""Regression, sample graphs and state spaces by the book: slow, plain, for comparison."""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np
from adl_tasks import BRIEFCASE
from search_tasks import PlainTask, ground_texts, random_search_task

from beeline.generators import generate
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from beeline.task.ground_task import GroundTask

    State = tuple[int, ...]  # a value per variable, -1 if undefined

# Leaving a place that one may not be at: an effect that depends on the state.
GUARDED = """(define (domain guarded) (:requirements :action-costs)
 (:predicates (at ?p) (place ?p) (gone) (lit)) (:functions (total-cost))
 (:action move :parameters (?a ?b) :precondition (and (place ?a) (place ?b) (at ?a))
  :effect (and (at ?b) (not (at ?a)) (increase (total-cost) 2)))
 (:action leave :parameters (?p) :precondition (place ?p)
  :effect (and (not (at ?p)) (gone) (increase (total-cost) 3)))
 (:action light :parameters () :precondition (gone) :effect (and (lit) (not (gone)))))
"""
GUARDED_TASK = """(define (problem guarded) (:domain guarded) (:objects a b c)
 (:init (place a) (place b) (place c) (at a) (= (total-cost) 0))
 (:goal (and (lit) (at b) (gone))) (:metric minimize (total-cost)))
"""
SMALL_BRIEFCASE = """(define (problem two-items) (:domain briefcase)
 (:objects a b - item home office - place)
 (:init (at a home) (at b office) (case-at home)) (:goal (and (at a office) (at b home))))
"""
RANDOM_SEEDS = (1, 2, 3, 7)


def small_task(name: str) -> GroundTask:
    """A task whose states can be looked at one by one."""
    if name == "guarded":
        return ground_texts(GUARDED, GUARDED_TASK)
    if name == "conditional":
        return ground_texts(BRIEFCASE, SMALL_BRIEFCASE)
    if name.startswith("random"):
        return random_search_task(int(name[len("random") :]))
    sizes: dict[str, dict[str, int]] = {
        "blocksworld": {"blocks": 3},
        "ferry": {"cars": 2, "locations": 3},
        "visitall": {"width": 3, "height": 2},
    }
    return ground(generate(name, seed=1, **sizes[name]))


NAMES = (
    *("blocksworld", "ferry", "visitall", "guarded", "conditional"),
    *(f"random{n}" for n in RANDOM_SEEDS),
)


def matches(state: State, partial: State) -> bool:
    """Whether a state has every value that a partial one defines."""
    return all(wanted in (-1, value) for value, wanted in zip(state, partial, strict=True))


class PlainRegression(PlainTask):
    """A task seen backwards."""

    def __init__(self, task: GroundTask) -> None:
        super().__init__(task)
        self.domains = [list(range(a, b)) for a, b in pairwise(task.offsets.tolist())]
        starts, items = (array.tolist() for array in task.mutex_groups)
        self.mutexes = [set(items[a:b]) for a, b in pairwise(starts)]
        self.goal_state = self.partial(self.goal)

    def partial(self, values: set[int]) -> State:
        """The partial state with these values."""
        row = [-1] * len(self.domains)
        for value in values:
            row[self.variable_of[value]] = value
        return tuple(row)

    def has_mutex(self, state: State) -> bool:
        """Whether two values exclude each other."""
        return any(len(group & set(state)) > 1 for group in self.mutexes)

    def all_partial_states(self) -> Iterator[State]:
        """All choices of a value or none for each variable."""
        return product(*([-1, *domain] for domain in self.domains))

    def reachable(self) -> list[State]:
        """All states that are reachable from the initial one."""
        states = [self.initial]
        seen = set(states)
        for state in states:
            for _, successor in self.successors(state):
                if successor not in seen:
                    seen.add(successor)
                    states.append(successor)
        return states

    def distances(self, states: list[State]) -> dict[State, float]:
        """Cost of a cheapest plan from each state, by value iteration."""
        arcs = {state: list(self.successors(state)) for state in states}
        best = {state: 0.0 if matches(state, self.goal_state) else np.inf for state in states}
        changed = True
        while changed:
            changed = False
            for state in states:
                for number, successor in arcs[state]:
                    through = self.costs[number] + best[successor]
                    if through < best[state]:
                        best[state], changed = through, True
        return best

    def predecessors(self, state: State) -> set[tuple[int, State]]:
        """Backward applicable operators without guards, and where they come from."""
        found = set()
        for number, conditions in enumerate(self.conditions):
            effects = self.partial({value for _, value in self.effects[number]})
            needed = self.partial(conditions)
            both = [v for v, value in enumerate(effects) if value >= 0 and state[v] >= 0]
            untouched = [v for v, value in enumerate(effects) if value < 0]
            relevant = bool(both)
            consistent = all(effects[v] == state[v] for v in both) and all(
                -1 in (state[v], needed[v]) or state[v] == needed[v] for v in untouched
            )
            if relevant and consistent:
                kept = [value if v in untouched else -1 for v, value in enumerate(state)]
                merged = [new if new >= 0 else old for new, old in zip(needed, kept, strict=True)]
                if not self.has_mutex(tuple(merged)):
                    found.add((number, tuple(merged)))
        return found

    def partial_successors(self, state: State) -> Iterator[tuple[int, State]]:
        """Operators that are applicable whatever undefined variables are, with the results."""
        for number, conditions in enumerate(self.conditions):
            if not conditions <= set(state):
                continue
            successor = list(state)
            for needed, value in self.effects[number]:
                known = [state[self.variable_of[each]] for each in needed]
                if -1 in known:
                    break  # who knows
                if known == needed:
                    successor[self.variable_of[value]] = value
            else:
                yield number, tuple(successor)

    def sample_arcs(self, samples: list[State]) -> list[tuple[int, int, int]]:
        """(source, target, operator) of the sample-set graph, by comparing all pairs."""
        return [
            (source, target, number)
            for source, state in enumerate(samples)
            for number, successor in self.partial_successors(state)
            for target, other in enumerate(samples)
            if target != source and matches(successor, other)
        ]

    def improved(self, samples: list[State], estimates: NDArray[np.int32]) -> list[int]:
        """Estimates after successor improvement, by Floyd and Warshall."""
        ways = np.full((len(samples), len(samples)), np.inf)
        np.fill_diagonal(ways, 0)
        for source, target, number in self.sample_arcs(samples):
            ways[source, target] = min(ways[source, target], self.costs[number])
        for middle in range(len(samples)):
            np.minimum(ways, ways[:, middle, None] + ways[middle], out=ways)
        return (ways + estimates).min(axis=1).astype(int).tolist()  # type: ignore[no-any-return]
