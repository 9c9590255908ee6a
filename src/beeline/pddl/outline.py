"""The actions of a domain as sets of literals, for comparison with those of another domain.

Conditions on single objects that never change, be they types or static predicates such as `(truck
?x)`, are *labels*; types are written `type@NAME`. A label is known by its slots, the parameters of
actions that ask for it. Costs are left out.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from beeline.pddl.model import EQUALITY, TYPE, Atom, Junction, LiftedLiteral, Not, lasting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from beeline.pddl.model import ActionSchema, Domain, Formula

    Slot = tuple[str, int]  # an action and the number of a parameter
    Slots = frozenset[Slot]
    Term = int | str  # the number of a parameter, or a constant

MOST = 200
PRECONDITION, EXCLUSION, ADDITION, DELETION = "precondition", "exclusion", "addition", "deletion"


class PlainLiteral(NamedTuple):
    """An atom in a part of an action."""

    part: str
    predicate: str
    terms: tuple[Term, ...]


class PlainAction(NamedTuple):
    """An action without the labels of its parameters."""

    name: str
    parameters: int
    literals: tuple[PlainLiteral, ...]

    def shape(self) -> tuple[object, ...]:
        """What is equal in all actions that can be matched with it."""
        counts = Counter((each.part, len(each.terms)) for each in self.literals)
        return self.parameters, tuple(sorted(counts.items()))


class Outline:
    """The actions of a domain as sets of literals, with labels taken out.

    `actions` is None if conditions are more than conjunctions of literals, if effects depend on
    conditions, if there are axioms, or more than anyone writes by hand; `obstacle` says so.

    With `loose`, conditions that two parameters differ are left out where the action changes
    nothing if they are equal; `(p ?x)` and `(not (p ?y))` are such a condition if only one object
    can have p, and `(apart ?x ?y)` is one if a static predicate is given as `apart`. What that
    takes for granted about tasks is in `single` and `apart`.
    """

    def __init__(self, domain: Domain, *, loose: bool = False, apart: str | None = None) -> None:
        self.domain = domain
        self.slots: dict[str, Slots] = {}  # of each label that is asked for
        self.single: set[str] = set()  # predicates that at most one atom may have in the beginning
        self.apart: dict[str, Slots] = {}  # predicate -> slots whose objects it must tell apart
        self.actions: dict[str, PlainAction] | None
        self.obstacle = ""
        try:
            if domain.axioms:
                raise ValueError("some predicates are derived")
            plain = [_plain(action) for action in domain.actions if action.effects]
            if len(plain) > MOST or any(len(action.literals) > MOST for action in plain):
                raise ValueError(f"there are more than {MOST} actions, or literals in one")
        except ValueError as error:
            self.actions, self.obstacle = None, str(error)
            return
        self.actions = self._without_labels(self._loosened(plain, apart) if loose else plain)
        self.uses: dict[str, Counter[str]] = {}  # predicate -> parts of actions that it stands in
        for action in self.actions.values():
            for literal in action.literals:
                self.uses.setdefault(literal.predicate, Counter())[literal.part] += 1
        self.uses.pop(EQUALITY, None)
        known = {*self.uses, *self.slots, *self.apart}
        self.unused = [name for name in domain.predicates if name not in known]

    @cached_property
    def variants(self) -> list[Outline]:
        """Loose outlines of the same domain: without `apart`, then with whatever it may be."""
        if self.actions is None:
            return []
        relations = [
            name
            for name, parts in self.uses.items()
            if {*parts} == {PRECONDITION} and self.domain.predicates[name].arity == 2
        ]
        return [Outline(self.domain, loose=True, apart=name) for name in (None, *relations)]

    def _loosened(self, actions: list[PlainAction], apart: str | None) -> list[PlainAction]:
        loosened = []
        for action in actions:
            pairs, literals = [], []
            slots: set[Slot] = set()
            for literal in action.literals:
                twin = self._twin(literal, action, actions)
                if literal.predicate == apart:
                    pairs.append(literal.terms)
                    slots |= {(action.name, it) for it in literal.terms if isinstance(it, int)}
                elif literal.part == EXCLUSION and literal.predicate == EQUALITY:
                    pairs.append(literal.terms)
                elif twin is not None:
                    self.single.add(literal.predicate)
                    pairs.append((*twin.terms, *literal.terms))
                else:
                    literals.append(literal)
            if apart is not None and slots:
                self.apart[apart] = self.apart.get(apart, frozenset()) | slots
            kept = [
                PlainLiteral(EXCLUSION, EQUALITY, pair)
                for pair in dict.fromkeys(pairs)
                if _changes(literals, *pair)
            ]
            loosened.append(action._replace(literals=(*literals, *kept)))
        return loosened

    def _twin(
        self, literal: PlainLiteral, action: PlainAction, actions: list[PlainAction]
    ) -> PlainLiteral | None:
        """The `(p ?x)` beside `(not (p ?y))` if no action lets a second object have p."""
        name = literal.predicate
        if literal.part != EXCLUSION or len(literal.terms) != 1 or not _stays_single(name, actions):
            return None
        needed = (it for it in action.literals if it.part == PRECONDITION)
        return next((it for it in needed if it.predicate == name), None)

    def _without_labels(self, actions: list[PlainAction]) -> dict[str, PlainAction]:
        literals = [literal for action in actions for literal in action.literals]
        others = {it.predicate for it in literals if not _may_be_label(it)} | {EQUALITY}
        slots: dict[str, set[Slot]] = {}
        for schema in self.domain.actions:
            for number, (_, word) in enumerate(schema.parameters):
                if schema.effects and word != "object":
                    slots.setdefault(f"{TYPE}{word}", set()).add((schema.name, number))
        rest = {}
        for action in actions:
            for literal in action.literals:
                if literal.predicate not in others and isinstance(literal.terms[0], int):
                    slots.setdefault(literal.predicate, set()).add((action.name, literal.terms[0]))
            kept = tuple(it for it in action.literals if it.predicate in others)
            rest[action.name] = action._replace(literals=kept)
        self.slots = {label: frozenset(places) for label, places in slots.items()}
        return rest


def _stays_single(predicate: str, actions: list[PlainAction]) -> bool:
    """Whether each action that adds an atom of a predicate takes another one away."""
    for action in actions:
        terms = {
            part: {
                it.terms for it in action.literals if (it.part, it.predicate) == (part, predicate)
            }
            for part in (PRECONDITION, ADDITION, DELETION)
        }
        if terms[ADDITION] and (
            len(terms[ADDITION]) > 1 or not terms[PRECONDITION] & terms[DELETION]
        ):
            return False
    return True


def _changes(literals: list[PlainLiteral], one: Term, other: Term) -> bool:
    """Whether an action has any effect where these two terms are equal."""
    atoms: dict[str, set[tuple[str, tuple[Term, ...]]]] = {ADDITION: set(), DELETION: set()}
    for literal in literals:
        terms = tuple(one if term == other else term for term in literal.terms)
        atoms.setdefault(literal.part, set()).add((literal.predicate, terms))
    added, true = atoms[ADDITION], atoms.get(PRECONDITION, set())
    return not (added <= true and atoms[DELETION] <= added)


def _may_be_label(literal: PlainLiteral) -> bool:
    is_unary = len(literal.terms) == 1 and isinstance(literal.terms[0], int)
    return is_unary and literal.part == PRECONDITION


def _plain(action: ActionSchema) -> PlainAction:
    """The literals of an action without effects that change nothing; ValueError if it has more."""
    numbers = {name: number for number, (name, _) in enumerate(action.parameters)}

    def literal(part: str, predicate: str, args: Iterable[str]) -> PlainLiteral:
        return PlainLiteral(part, predicate, tuple(numbers.get(word, word) for word in args))

    condition = dict.fromkeys(_conjuncts(action.precondition))
    if any(each.parameters or [*_conjuncts(each.condition)] for each in action.effects):
        raise ValueError("effects depend on conditions")
    effects = lasting(action.effects)
    deleted = {each.literal.predicate for each in effects if each.literal.negated}
    found = [
        literal(EXCLUSION if negated else PRECONDITION, predicate, args)
        for predicate, args, negated in condition
    ]
    for each in dict.fromkeys(effect.literal for effect in effects):
        # What holds anyway is no addition, unless a deletion may be meant to be undone.
        if each.negated or each.predicate in deleted or each not in condition:
            part = DELETION if each.negated else ADDITION
            found.append(literal(part, each.predicate, each.args))
    return PlainAction(action.name, len(action.parameters), tuple(found))


def _conjuncts(formula: Formula) -> Iterator[LiftedLiteral]:
    if isinstance(formula, Junction) and formula.word == "and":
        for part in formula.parts:
            yield from _conjuncts(part)
    elif isinstance(formula, Atom):
        yield LiftedLiteral(*formula, negated=False)
    elif isinstance(formula, Not) and isinstance(formula.part, Atom):
        yield LiftedLiteral(*formula.part, negated=True)
    else:
        raise ValueError("a condition is more than a conjunction of literals")


def differences(known: Outline, domain: Outline) -> list[str]:
    """What can be seen at once that a domain has otherwise than the known one, in words."""
    if known.actions is None or domain.actions is None:
        which = "here" if domain.actions is None else "in the model"
        return [f"{domain.obstacle or known.obstacle} {which}"]
    found = []
    missing, extra = _left_over(known.actions, domain.actions)
    for name in [name for name in extra if name in missing]:
        found.append(f"action '{name}' has {_otherwise(missing.pop(name), extra.pop(name))}")
    found += [f"action '{name}' is unknown to the model" for name in extra]
    found += [f"the model has an action '{name}'" for name in missing]
    if not found:
        here, there = (
            Counter(
                (len(each.domain.predicates[name].parameter_types), *sorted(parts.items()))
                for name, parts in each.uses.items()
            )
            for each in (domain, known)
        )
        if here != there:
            found.append("predicates stand in other conditions and effects")
    if len(known.domain.constants) > len(domain.domain.constants):
        found.append("the model has more constants")
    return found


def _left_over(
    known: Mapping[str, PlainAction], domain: Mapping[str, PlainAction]
) -> tuple[dict[str, PlainAction], dict[str, PlainAction]]:
    """The actions on both sides that have no counterpart of the same shape."""
    missing, extra = dict(known), dict(domain)
    for by_name in (True, False):
        for action in list(extra.values()):
            for other in list(missing.values()):
                if other.shape() == action.shape() and (other.name == action.name or not by_name):
                    del missing[other.name], extra[action.name]
                    break
    return missing, extra


def _otherwise(known: PlainAction, action: PlainAction) -> str:
    """The first number that two actions of one name do not share."""
    if known.parameters != action.parameters:
        return f"{action.parameters} parameters, in the model {known.parameters}"
    here, there = (Counter(it.part for it in each.literals) for each in (action, known))
    for part in (PRECONDITION, EXCLUSION, ADDITION, DELETION):
        if here[part] != there[part]:
            return f"{here[part]} {part}s, in the model {there[part]}"
    return "predicates with other numbers of parameters than in the model"
