"""Small random PDDL tasks: nonsense as stories, but legal, and rich in odd corners."""

from __future__ import annotations

import random

TYPES = ("thing", "place", "vehicle")
TYPE_TREE = "vehicle - thing thing place - object"


class RandomTask:
    """Domain and task text from a seed.

    Predicates of arity 0 to 2, up to four objects, positive and negative preconditions, equality,
    constants, disjunctions, existential conditions, universal effects and action costs. Two
    things are left out because Fast Downward's translator, with which these tasks are compared,
    reaches more than there is to reach with them: atoms with the same variable twice, and
    universal effects over a type.
    """

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        rng = self.rng
        self.typed = rng.random() < 0.5
        self.costs = rng.random() < 0.3
        arities = [0, *(rng.choice((0, 1, 1, 2, 2)) for _ in range(rng.randint(1, 3)))]
        self.predicates = {f"p{i}": arity for i, arity in enumerate(arities)}
        self.objects = {f"o{i}": self._type() for i in range(rng.randint(1, 4))}
        self.constants = {"c0": self._type()} if rng.random() < 0.4 else {}
        self.domain = self._domain()
        self.task = self._task()

    def _type(self) -> str:
        return self.rng.choice(TYPES) if self.typed else "object"

    def _typed_list(self, names: dict[str, str]) -> str:
        if not self.typed:
            return " ".join(names)
        return " ".join(f"{name} - {kind}" for name, kind in names.items())

    def _domain(self) -> str:
        declared = " ".join(
            f"({name} {' '.join(f'?x{i}' for i in range(arity))})"
            for name, arity in self.predicates.items()
        )
        types = f"(:types {TYPE_TREE})" if self.typed else ""
        constants = f"(:constants {self._typed_list(self.constants)})" if self.constants else ""
        actions = "\n".join(self._action(i) for i in range(self.rng.randint(1, 4)))
        return f"(define (domain random) {types} {constants} (:predicates {declared})\n{actions})\n"

    def _action(self, number: int) -> str:
        rng = self.rng
        parameters = {f"?v{i}": self._type() for i in range(rng.randint(0, 3))}
        terms = [*parameters, *self.constants]
        conditions = [self._condition(terms) for _ in range(rng.randint(0, 3))]
        effects = [self._effect(terms) for _ in range(rng.randint(1, 4))]
        if self.costs:
            effects.append(f"(increase (total-cost) {rng.randint(0, 5)})")
        return (
            f" (:action a{number} :parameters ({self._typed_list(parameters)})\n"
            f"  :precondition (and {' '.join(conditions)})\n  :effect (and {' '.join(effects)}))"
        )

    def _atom(self, terms: list[str]) -> str:
        usable = [name for name, arity in self.predicates.items() if arity <= len(terms)]
        name = self.rng.choice(usable)
        return f"({' '.join([name, *self.rng.sample(terms, self.predicates[name])])})"

    def _literal(self, terms: list[str], negative: float = 0.3) -> str:
        atom = self._atom(terms)
        return f"(not {atom})" if self.rng.random() < negative else atom

    def _condition(self, terms: list[str]) -> str:
        kind = self.rng.random()
        if kind < 0.1:
            return f"(or {self._literal(terms)} {self._literal(terms)})"
        if kind < 0.2:
            inner = self._literal([*terms, "?e"])
            return f"(exists (?e - {self._type()}) {inner})"
        if kind < 0.35 and len(terms) > 1:
            equal = f"(= {' '.join(self.rng.sample(terms, 2))})"
            return equal if self.rng.random() < 0.2 else f"(not {equal})"
        return self._literal(terms)

    def _effect(self, terms: list[str]) -> str:
        if self.rng.random() < 0.1:
            return f"(forall (?f) {self._literal([*terms, '?f'], 0.5)})"
        return self._literal(terms, 0.5)

    def _task(self) -> str:
        names = [*self.objects, *self.constants]
        init = sorted({self._atom(names) for _ in range(self.rng.randint(0, 6))})
        goal = [self._literal(names, 0.2) for _ in range(self.rng.randint(1, 3))]
        metric = "(:metric minimize (total-cost))" if self.costs else ""
        return (
            f"(define (problem p) (:domain random) (:objects {self._typed_list(self.objects)})\n"
            f" (:init {' '.join(init)})\n (:goal (and {' '.join(goal)})) {metric})\n"
        )
