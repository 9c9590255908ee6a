"""Random PDDL tasks with everything that is legal and that `RandomTask` leaves out."""

from __future__ import annotations

import random
from itertools import product

# What stands between costs of every day and the largest that is allowed, 2**53 - 1.
LARGE_COSTS = (10**9, 2**31 - 1, 2**31, 2**32, 2**40, 2**52, 2**53 - 2, 2**53 - 1)
TOO_LARGE_COSTS = (2**53, 2**53 + 1, 2**63, 2**64, 10**30)
COST_STYLES = {
    "none": (),
    "zero": (0,),
    "unit": (1,),
    "small": (0, 1, 2, 3, 7),
    "billions": (0, 1, 10**9, 10**9 + 1),
    "limits": (0, 1, *LARGE_COSTS),
    "refused": (1, *TOO_LARGE_COSTS),
}
STYLE_WEIGHTS = (4, 1, 2, 6, 2, 4, 0.3)
ODD_TYPES = {
    "thing": "object",
    "place": "object",
    "vehicle": "thing",
    "hybrid": "(either thing place)",
    "ghost": "object",  # which never has objects
    "wraith": "ghost",
}


class OddTask:
    """Domain and task text from a seed, with everything that `RandomTask` leaves out.

    Nested quantifiers, also over types without objects, `either`, variables that hide others,
    atoms with the same object twice, effects that contradict each other, actions that never
    apply or have no effect, costs up to the largest one and now and then above it, costs by
    functions, some of which have no value, conditional effects and derived predicates.
    `refusable` tells whether a cost in the task is larger than what is supported.
    """

    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(f"odd task {seed}")
        self.refusable = False
        self.typed = rng.random() < 0.6
        self.odd = rng.choice((0.05, 0.15, 0.5))  # how often conditions are more than literals
        (style,) = rng.choices(list(COST_STYLES), STYLE_WEIGHTS)
        self.amounts = COST_STYLES[style]
        self.metric = bool(self.amounts) and rng.random() < 0.9
        self.functions: dict[str, int] = {}
        if self.amounts and rng.random() < 0.3:
            self.functions = {"fee": rng.choice((0, 1, 1, 2))}
        count = rng.choice((0, 1, 2, 2, 2, 3, 3, 3))
        self.objects = {f"o{i}": self._type(object_type=True) for i in range(count)}
        constants = rng.choice((0, 0, 0, 1, 1, 2))
        self.constants = {f"c{i}": self._type(object_type=True) for i in range(constants)}
        self._choose_predicates()
        self.derived: dict[str, int] = {}
        self.axioms = self._axioms() if rng.random() < 0.4 else []
        self.domain = self._domain()
        self.task = self._task()

    def _choose_predicates(self) -> None:
        rng, count = self.rng, len(self.objects) + len(self.constants)
        self.fluents = {"p0": rng.choice((0, 1))}
        atoms, wanted = count ** self.fluents["p0"], rng.randint(4, 11)
        while atoms < wanted:
            arity = rng.choice((0, 1, 1, 2) if count else (0, 0, 1))
            if atoms + count**arity <= wanted + 1 or arity == 0:
                self.fluents[f"p{len(self.fluents)}"] = arity
                atoms += max(1, count**arity)
        self.static = {f"s{i}": rng.choice((0, 1, 2, 2)) for i in range(rng.randint(0, 2))}
        self.unused = {"never": 1} if rng.random() < 0.2 else {}
        self.only_goal = {"wish": rng.choice((0, 1))} if rng.random() < 0.1 else {}

    def _type(self, *, object_type: bool = False) -> str:
        if not self.typed or self.rng.random() < (0.1 if object_type else 0.4):
            return "object"
        if self.rng.random() < 0.1:
            return f"(either {' '.join(self.rng.sample(['thing', 'place', 'vehicle'], 2))})"
        usable = ["vehicle", "hybrid", "thing", "place"] + ["thing"] * 2 * (not object_type)
        return self.rng.choice(usable if object_type else [*usable, "ghost", "wraith"])

    def _typed_list(self, names: dict[str, str]) -> str:
        plain = not self.typed or set(names.values()) == {"object"}
        return " ".join(name if plain else f"{name} - {kind}" for name, kind in names.items())

    def _domain(self) -> str:
        predicates = {**self.fluents, **self.static, **self.unused, **self.only_goal}
        predicates |= self.derived
        declared = [
            f"({' '.join([name, *(f'?x{i}' for i in range(arity))])})"
            for name, arity in predicates.items()
        ]
        parts = []
        if self.typed:
            types = " ".join(f"{name} - {parent}" for name, parent in ODD_TYPES.items())
            parts.append(f"(:types {types})")
        if self.constants:
            parts.append(f"(:constants {self._typed_list(self.constants)})")
        parts.append(f"(:predicates {' '.join(declared)})")
        if self.amounts:
            functions = [
                f"({' '.join([name, *(f'?x{i}' for i in range(arity))])})"
                for name, arity in self.functions.items()
            ]
            parts.append(f"(:functions (total-cost) {' '.join(functions)})")
        actions = [self._action(i) for i in range(self.rng.choice((0, 2, 4, 5, 6, 7, 8, 9)))]
        parts += [*self.axioms, *actions]
        lines = "\n ".join(parts)
        return f"(define (domain odd)\n {lines})\n"

    def _action(self, number: int) -> str:
        rng = self.rng
        parameters = {f"?v{i}": self._type() for i in range(rng.choice((0, 1, 1, 2, 2, 2, 3)))}
        if rng.random() < 0.95:  # mostly such that there are objects for them
            parameters = {
                name: "object" if kind in ("ghost", "wraith") else kind
                for name, kind in parameters.items()
            }
        terms = [*parameters, *parameters, *parameters, *self.constants]
        conditions = [self._condition(terms, 3) for _ in range(rng.choice((0, 1, 1, 1, 1, 2)))]
        if rng.random() < 0.03 and terms:  # never applicable
            term = rng.choice(terms)
            conditions.append(rng.choice((f"(not (= {term} {term}))", "(or)")))
        effects = [self._effect(terms) for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3)))]
        if effects and rng.random() < 0.15:  # add and delete the same atom
            atom = self._atom(self.fluents, terms)
            effects += rng.sample([atom, f"(not {atom})"], 2 if atom != "(and)" else 0)
        if self.amounts and rng.random() < 0.9:
            effects.append(f"(increase (total-cost) {self._amount(terms)})")
        name = f"a{number}" if number == 0 or rng.random() < 0.95 else "a0"
        body = f"(:action {name} :parameters ({self._typed_list(parameters)})"
        if conditions or rng.random() < 0.5:
            body += f"\n  :precondition {self._and(conditions)}"
        if effects or rng.random() < 0.5:
            body += f"\n  :effect {self._and(effects)}"
        return body + ")"

    def _and(self, parts: list[str]) -> str:
        if len(parts) == 1 and self.rng.random() < 0.5:
            return parts[0]
        return f"(and {' '.join(parts)})" if parts or self.rng.random() < 0.5 else "()"

    def _amount(self, terms: list[str]) -> str:
        for name, arity in self.functions.items():
            if (terms or not arity) and self.rng.random() < 0.6:
                return f"({' '.join([name, *self.rng.choices(terms or [''], k=arity)])})"
        return self._number()

    def _number(self) -> str:
        amount = self.rng.choice(self.amounts)
        self.refusable |= amount >= 2**53
        return str(amount)

    def _atom(self, predicates: dict[str, int], terms: list[str]) -> str:
        usable = [name for name, arity in predicates.items() if terms or not arity]
        if not usable:
            usable = [name for name, arity in self.fluents.items() if terms or not arity]
        if not usable:
            return "(and)"
        name = self.rng.choice(usable)
        arguments = self.rng.choices(terms, k=predicates.get(name, 0)) if terms else []
        return f"({' '.join([name, *arguments])})"

    def _axioms(self) -> list[str]:
        """Of predicates that depend on those before them, and now and then on themselves."""
        rng, axioms = self.rng, []
        for number in range(rng.choice((1, 1, 2, 3))):
            name, arity = f"d{number}", rng.choice((0, 1, 1, 2))
            for _ in range(rng.choice((1, 1, 2))):
                parameters = {f"?y{i}": self._type() for i in range(arity)}
                terms = [*parameters, *parameters, *self.constants]
                body = [self._condition(terms, 2) for _ in range(rng.choice((0, 1, 1, 2)))]
                if rng.random() < 0.35:
                    again = f"({' '.join([name, *rng.choices([*terms, '?z'], k=arity)])})"
                    link = self._condition([*terms, "?z"], 1)
                    body.append(f"(exists ({self._typed_list({'?z': self._type()})}) ")
                    body[-1] += f"({rng.choice(('and', 'or'))} {link} {again}))"
                head = " ".join([name, self._typed_list(parameters)])
                axioms.append(f"(:derived ({head}) {self._and(body)})")
            self.derived[name] = arity
        return axioms

    def _literal(self, terms: list[str], negative: float = 0.4) -> str:
        static = self.static if self.rng.random() < 0.2 else {}
        if self.derived and self.rng.random() < 0.35:
            static = self.derived
        atom = self._atom(static or self.fluents, terms)
        return f"(not {atom})" if self.rng.random() < negative else atom

    def _condition(self, terms: list[str], depth: int, *, static: bool = False) -> str:
        rng = self.rng
        if depth == 0 or rng.random() > self.odd:
            if rng.random() < 0.15 and terms:
                equal = f"(= {' '.join(rng.choices(terms, k=2))})"
                return equal if rng.random() < 0.4 else f"(not {equal})"
            if static:
                usable = any(terms or not arity for arity in self.static.values())
                atom = self._atom(self.static, terms) if usable else "(and)"
                return f"(not {atom})" if rng.random() < 0.3 else atom
            return self._literal(terms)
        kind = rng.choice(("and", "or", "or", "not", "imply", "exists", "forall"))
        if kind in ("exists", "forall"):
            names = rng.sample(["?e", "?f", "?v0"], rng.choice((1, 1, 1, 2)) if depth < 3 else 1)
            inner = self._condition([*terms, *names, *names], depth - 1, static=static)
            return f"({kind} ({self._typed_list({n: self._type() for n in names})}) {inner})"
        parts = {"not": 1, "imply": 2}.get(kind, rng.choice((0, 1, 2, 2, 3)))
        inner = " ".join(self._condition(terms, depth - 1, static=static) for _ in range(parts))
        return f"({kind} {inner})"

    def _effect(self, terms: list[str], depth: int = 2) -> str:
        rng = self.rng
        kind = rng.random()
        if depth and kind < 0.12:
            name = rng.choice(("?f", "?v0"))
            inner = self._effect([*terms, name, name], depth - 1)
            return f"(forall ({self._typed_list({name: self._type()})}) {inner})"
        if depth and kind < 0.22:
            condition = self._condition(terms, 2, static=rng.random() < 0.3)
            return f"(when {condition} {self._effect(terms, depth - 1)})"
        if depth and kind < 0.26:
            return f"(and {' '.join(self._effect(terms, depth - 1) for _ in range(2))})"
        atom = self._atom(self.fluents, terms)
        return f"(not {atom})" if rng.random() < 0.4 and atom != "(and)" else atom

    def _task(self) -> str:
        rng = self.rng
        names = [*self.objects, *self.constants]
        facts = [self._atom(self.fluents, names) for _ in range(rng.choice((0, 2, 4, 6)))]
        if self.static:
            facts += [self._atom(self.static, names) for _ in range(rng.choice((0, 2, 4, 8)))]
        init = sorted({fact for fact in facts if fact != "(and)"})
        if self.amounts:
            init.append("(= (total-cost) 0)")
        for function, arity in self.functions.items():
            for arguments in product(names, repeat=arity):
                if rng.random() < 0.85:
                    term = " ".join([function, *arguments])
                    init.append(f"(= ({term}) {self._number()})")
        goal = [self._goal_part(names, init) for _ in range(rng.choice((0, *(1, 1, 2, 3) * 4)))]
        metric = " (:metric minimize (total-cost))" if self.metric else ""
        return (
            f"(define (problem p) (:domain odd) (:objects {self._typed_list(self.objects)})\n"
            f" (:init {' '.join(init)})\n (:goal {self._and(goal)}){metric})\n"
        )

    def _goal_part(self, names: list[str], init: list[str]) -> str:
        kind = self.rng.random()
        if kind < 0.2:
            return self._condition(names, 3)
        if kind < 0.3 and self.only_goal:
            return self._atom(self.only_goal, names)
        if kind < 0.5 and self.derived:
            return self._literal(names)
        atom = self._atom(self.fluents, names)
        negated = atom in init if kind < 0.9 else atom not in init  # mostly what is not yet so
        return f"(not {atom})" if negated and atom != "(and)" else atom
