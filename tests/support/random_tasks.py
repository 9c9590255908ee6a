"""Small random PDDL tasks: nonsense as stories, but legal, and rich in odd corners."""

from __future__ import annotations

import random

TYPES = ("thing", "place", "vehicle")
TYPE_TREE = "vehicle - thing thing place - object"


class RandomTask:
    """Domain and task text from a seed.

    Predicates of arity 0 to 2, up to four objects, positive and negative preconditions, equality,
    constants, disjunctions, existential conditions, universal effects and action costs; a share
    `conditional` of the effects has conditions; with `derived`, there are derived predicates and
    universal conditions; a share `nested` of all conditions, also of goals, has connectives and
    quantifiers of both kinds inside each other. Two things are left out because Fast Downward's
    translator, with which these tasks are compared, reaches more than there is to reach with them:
    atoms with the same variable twice, and universal effects over a type.
    """

    def __init__(
        self,
        seed: int,
        *,
        conditional: float = 0.0,
        derived: bool = False,
        nested: float = 0.0,
    ) -> None:
        self.rng = random.Random(seed)
        rng = self.rng
        self.conditional = conditional
        self.nested = nested
        self.typed = rng.random() < 0.5
        self.costs = rng.random() < 0.3
        arities = [0, *(rng.choice((0, 1, 1, 2, 2)) for _ in range(rng.randint(1, 3)))]
        self.predicates = {f"p{i}": arity for i, arity in enumerate(arities)}
        self.objects = {f"o{i}": self._type() for i in range(rng.randint(1, 4))}
        self.constants = {"c0": self._type()} if rng.random() < 0.4 else {}
        self.conditions = dict(self.predicates)  # predicates that conditions may have
        self.axioms = self._axioms() if derived else []
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
            for name, arity in self.conditions.items()
        )
        types = f"(:types {TYPE_TREE})" if self.typed else ""
        constants = f"(:constants {self._typed_list(self.constants)})" if self.constants else ""
        actions = "\n".join(
            [*self.axioms, *[self._action(i) for i in range(self.rng.randint(1, 4))]]
        )
        return f"(define (domain random) {types} {constants} (:predicates {declared})\n{actions})\n"

    def _axioms(self) -> list[str]:
        """Of predicates that depend on those before them, and now and then on themselves."""
        axioms = []
        for number in range(self.rng.randint(1, 3)):
            name, arity = f"d{number}", self.rng.choice((0, 1, 1, 2))
            parameters = {f"?y{i}": self._type() for i in range(arity)}
            terms = [*parameters, *self.constants]
            for _ in range(self.rng.choice((1, 1, 2))):
                body = [self._condition(terms) for _ in range(self.rng.choice((1, 1, 2)))]
                if arity and self.rng.random() < 0.3:
                    link = self._condition([*terms, "?z"])
                    again = f"({' '.join([name, '?z', *list(parameters)[1:]])})"
                    body.append(f"(exists (?z - {self._type()}) (and {link} {again}))")
                head = " ".join([name, self._typed_list(parameters)])
                axioms.append(f" (:derived ({head}) (and {' '.join(body)}))")
            self.conditions[name] = arity
        return axioms

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

    def _atom(self, terms: list[str], predicates: dict[str, int] | None = None) -> str:
        predicates = predicates or self.predicates
        usable = [name for name, arity in predicates.items() if arity <= len(terms)]
        name = self.rng.choice(usable)
        return f"({' '.join([name, *self.rng.sample(terms, predicates[name])])})"

    def _literal(self, terms: list[str], negative: float = 0.3) -> str:
        atom = self._atom(terms)
        return f"(not {atom})" if self.rng.random() < negative else atom

    def _tested(self, terms: list[str], negative: float = 0.3) -> str:
        atom = self._atom(terms, self.conditions)
        return f"(not {atom})" if self.rng.random() < negative else atom

    def _condition(self, terms: list[str]) -> str:
        if self.nested and self.rng.random() < self.nested:
            return self._nested(terms, 3)
        kind = self.rng.random()
        if len(self.conditions) > len(self.predicates) and self.rng.random() < 0.1:
            return f"(forall (?u) {self._tested([*terms, '?u'])})"  # over no type without objects
        if kind < 0.1:
            return f"(or {self._tested(terms)} {self._tested(terms)})"
        if kind < 0.2:
            inner = self._tested([*terms, "?e"])
            return f"(exists (?e - {self._type()}) {inner})"
        if kind < 0.35 and len(terms) > 1:
            equal = f"(= {' '.join(self.rng.sample(terms, 2))})"
            return equal if self.rng.random() < 0.2 else f"(not {equal})"
        return self._tested(terms)

    def _nested(self, terms: list[str], depth: int) -> str:
        rng = self.rng
        if depth == 0 or rng.random() < 0.2:
            if rng.random() < 0.1 and len(terms) > 1:
                return f"(= {' '.join(rng.sample(terms, 2))})"
            return self._tested(terms)
        kind = rng.choice(("and", "or", "not", "imply", "exists", "forall", "forall", "forall"))
        if kind in ("exists", "forall"):
            name = f"?n{depth}"
            inner = self._nested([*terms, name], depth - 1)
            return f"({kind} ({self._typed_list({name: self._type()})}) {inner})"
        parts = {"not": 1}.get(kind, 2)
        return f"({kind} {' '.join(self._nested(terms, depth - 1) for _ in range(parts))})"

    def _effect(self, terms: list[str]) -> str:
        if self.conditional and self.rng.random() < self.conditional:
            inner = [*terms, "?f"] if self.rng.random() < 0.3 else terms
            conditions = " ".join(self._condition(inner) for _ in range(self.rng.choice((1, 1, 2))))
            effect = f"(when (and {conditions}) {self._literal(inner, 0.5)})"
            return f"(forall (?f) {effect})" if inner is not terms else effect
        if self.rng.random() < 0.1:
            return f"(forall (?f) {self._literal([*terms, '?f'], 0.5)})"
        return self._literal(terms, 0.5)

    def _task(self) -> str:
        names = [*self.objects, *self.constants]
        init = sorted({self._atom(names) for _ in range(self.rng.randint(0, 6))})
        goal = [
            self._nested(names, 3)
            if self.nested and self.rng.random() < self.nested
            else self._tested(names, 0.2)
            for _ in range(self.rng.randint(1, 3))
        ]
        metric = "(:metric minimize (total-cost))" if self.costs else ""
        return (
            f"(define (problem p) (:domain random) (:objects {self._typed_list(self.objects)})\n"
            f" (:init {' '.join(init)})\n (:goal (and {' '.join(goal)})) {metric})\n"
        )
