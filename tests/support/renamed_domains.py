"""Problems in other words: names, the order of arguments, and types as predicates."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from beeline.pddl import parse_domain, parse_problem
from beeline.pddl.model import (
    EQUALITY,
    TYPE,
    ActionSchema,
    Atom,
    Domain,
    Effect,
    Junction,
    LiftedLiteral,
    Not,
    Predicate,
    Problem,
    type_names,
    type_word,
)
from beeline.pddl.writer import format_domain, format_problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from beeline.pddl.model import Formula


class OtherWords:
    """New names for all predicates, actions and types of a domain.

    Grounding orders facts and operators by name. Names that are not `shuffled` have the order that
    they had, so that the task is the same to the last number; shuffled ones have any order, and so
    have arguments and parameters: `places[name][i]` is the old place of what stands at `i`.
    """

    def __init__(self, domain: Domain, seed: int, *, shuffled: bool) -> None:
        random = Random(seed)
        self._domain = domain
        arities = {name: each.arity for name, each in domain.predicates.items()}
        self.predicates = _new_names(domain.predicates, "p", random, shuffled)
        names = [action.name for action in domain.actions]
        self.actions = _new_names(names, "a", random, shuffled)
        self.types = {**_new_names(domain.types, "t", random, shuffled), "object": "object"}
        self.places = {name: list(range(arity)) for name, arity in arities.items()}
        self.parameters = {each.name: list(range(len(each.parameters))) for each in domain.actions}
        if shuffled:
            for order in (*self.places.values(), *self.parameters.values()):
                random.shuffle(order)

    def problem(self, problem: Problem) -> Problem:
        """The same problem, written and read again."""
        renamed = Problem(
            self.domain(),
            problem.name,
            {name: self._names(types) for name, types in problem.objects.items()},
            [self._fact(*fact) for fact in problem.init],
            problem.function_values,
            self._formula(problem.goal),
            problem.minimize_cost,
            problem.file,
        )
        domain = parse_domain(format_domain(renamed.domain))
        return parse_problem(domain, format_problem(renamed))

    def domain(self) -> Domain:
        old = self._domain
        types = {
            self.types[name]: tuple(self.types[it] for it in above)
            for name, above in old.types.items()
        }
        constants = {name: self._names(declared) for name, declared in old.constants.items()}
        predicates = {}
        for name, predicate in old.predicates.items():
            moved = [self._names(predicate.parameter_types[it]) for it in self.places[name]]
            predicates[self.predicates[name]] = Predicate(self.predicates[name], tuple(moved))
        actions = tuple(map(self._action, old.actions))
        functions, requirements = old.functions, old.requirements
        return Domain(
            "in-other-words", requirements, types, constants, predicates, functions, actions, "d"
        )

    def step(self, name: str, *arguments: str) -> str:
        """A step of a plan in the new words."""
        moved = [arguments[it] for it in self.parameters[name]]
        return f"({' '.join([self.actions[name], *moved])})"

    def _action(self, action: ActionSchema) -> ActionSchema:
        parameters = [action.parameters[it] for it in self.parameters[action.name]]
        return action._replace(
            name=self.actions[action.name],
            parameters=tuple((name, self._type(word)) for name, word in parameters),
            precondition=self._formula(action.precondition),
            effects=tuple(
                Effect((), self._formula(each.condition), self._literal(each.literal))
                for each in action.effects
            ),
        )

    def _names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.types[name] for name in types)

    def _type(self, word: str) -> str:
        return type_word(self._names(type_names(word)))

    def _fact(self, name: str, *arguments: str) -> tuple[str, ...]:
        if name == EQUALITY or name.startswith(TYPE):
            return name, *arguments
        return self.predicates[name], *(arguments[it] for it in self.places[name])

    def _literal(self, literal: LiftedLiteral) -> LiftedLiteral:
        name, *arguments = self._fact(literal.predicate, *literal.args)
        return LiftedLiteral(name, tuple(arguments), literal.negated)

    def _formula(self, formula: Formula) -> Formula:
        if isinstance(formula, Atom):
            name, *arguments = self._fact(*[formula.predicate, *formula.args])
            return Atom(name, tuple(arguments))
        if isinstance(formula, Not):
            return Not(self._formula(formula.part))
        assert isinstance(formula, Junction)
        return Junction(formula.word, tuple(map(self._formula, formula.parts)))


def _new_names(names: Iterable[str], letter: str, random: Random, shuffled: bool) -> dict[str, str]:
    listed = sorted(names)
    numbers = random.sample(range(100, 999), len(listed))
    chosen = numbers if shuffled else sorted(numbers)
    return {name: f"{letter}{number}" for name, number in zip(listed, chosen, strict=True)}


def untyped(problem: Problem) -> Problem:
    """The same problem with a static predicate for each type but `object`."""
    old = problem.domain
    types = [name for name in old.types if name != "object"]
    predicates = {
        name: Predicate(name, (("object",),) * each.arity) for name, each in old.predicates.items()
    }
    predicates.update({f"is-{name}": Predicate(f"is-{name}", (("object",),)) for name in types})
    actions = []
    for action in old.actions:
        asked = [Atom(f"is-{word}", (name,)) for name, word in action.parameters if word in types]
        condition = Junction("and", (*asked, action.precondition))
        parameters = tuple((name, "object") for name, _ in action.parameters)
        actions.append(action._replace(parameters=parameters, precondition=condition))
    constants = dict.fromkeys(old.constants, ("object",))
    domain = Domain(
        *("untyped", old.requirements, {"object": ("object",)}, constants),
        *(predicates, old.functions, tuple(actions), "d"),
    )
    labels = [
        (f"is-{above}", name)
        for name, declared in problem.objects.items()
        for above in old.types[declared[0]]
        if above != "object"
    ]
    changed = Problem(
        *(domain, problem.name, dict.fromkeys(problem.objects, ("object",))),
        *([*problem.init, *labels], problem.function_values, problem.goal),
        *(problem.minimize_cost, "p"),
    )
    return parse_problem(parse_domain(format_domain(domain)), format_problem(changed))


def typed(problem: Problem, subtypes: Mapping[str, str]) -> Problem:
    """The same problem of an untyped domain with a type for each static unary predicate.

    `subtypes` maps predicates to others that hold where they hold.
    """
    old, changing = problem.domain, problem.domain.changed_predicates()
    labels = [name for name, it in old.predicates.items() if it.arity == 1 and name not in changing]
    types = {"object": ("object",)}
    for name in labels:
        above = (subtypes[name],) if name in subtypes else ()
        types[f"some-{name}"] = (f"some-{name}", *(f"some-{it}" for it in above), "object")
    actions = []
    for action in old.actions:
        assert isinstance(action.precondition, Junction)
        atoms = [it for it in action.precondition.parts if isinstance(it, Atom)]
        asked = {it.args[0]: f"some-{it.predicate}" for it in atoms if it.predicate in labels}
        rest = [it for it in action.precondition.parts if it[0] not in labels]
        actions.append(
            action._replace(
                parameters=tuple((name, asked.get(name, word)) for name, word in action.parameters),
                precondition=Junction("and", tuple(rest)),
            )
        )
    found: dict[str, set[str]] = {name: set() for name in problem.objects}
    for name, *arguments in problem.init:
        if name in labels:
            found[arguments[0]].add(name)
    objects = {}
    for name, its in found.items():
        (lowest,) = its - {subtypes[it] for it in its if it in subtypes} or {"object"}
        objects[name] = (f"some-{lowest}" if its else "object",)
    predicates = {name: each for name, each in old.predicates.items() if name not in labels}
    domain = Domain(
        *(
            "typed",
            (":strips", ":typing"),
            types,
            {},
            predicates,
            old.functions,
            tuple(actions),
            "d",
        )
    )
    changed = Problem(
        *(domain, problem.name, objects, [it for it in problem.init if it[0] not in labels]),
        *(problem.function_values, problem.goal, problem.minimize_cost, "p"),
    )
    return parse_problem(parse_domain(format_domain(domain)), format_problem(changed))
