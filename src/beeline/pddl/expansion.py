"""Replacing universal quantifiers by conjunctions over objects.

Literals of static predicates are evaluated against the initial state on the way, so that what
remains speaks of changing facts only and stays small. Existential quantifiers inside universal
ones become disjunctions; others are left to the translator, which makes them parameters.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from fast_downward.translate import pddl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from beeline.pddl.model import Problem

MAX_INSTANCES = 500_000
MAX_DISJUNCTS = 20_000
MAX_LITERALS = 1_000_000

_NO_VALUES: dict[str, str] = {}
_TRUE = pddl.Truth()
_FALSE = pddl.Falsity()


class TooLargeError(Exception):
    """A condition has too many instances or disjuncts."""


class Expander:
    """Expands the conditions of one problem; looks at the initial state only if it must."""

    __slots__ = ("_changed", "_facts", "_instances", "_members", "problem")

    def __init__(self, problem: Problem, changed: frozenset[str]) -> None:
        self.problem = problem
        self._changed = changed
        self._facts: set[tuple[str, ...]] | None = None
        self._members: dict[str, set[str]] = {}
        self._instances = 0

    def expand(self, condition: Any, values: Mapping[str, str] = _NO_VALUES) -> Any:
        """The condition without universal quantifiers; inside them, `values` replace variables."""
        if not condition.has_universal_part():
            return condition
        if isinstance(condition, pddl.UniversalCondition):
            return self._instance(condition, values)
        parts = [self.expand(part, values) for part in condition.parts]
        return condition.change_parts(parts).simplified()

    def _instance(self, condition: Any, values: Mapping[str, str]) -> Any:
        """The condition with variables replaced by `values`, quantifiers expanded."""
        if isinstance(condition, pddl.Literal):
            return self._literal(condition, values)
        if isinstance(condition, pddl.Conjunction):
            return _conjunction(self._instance(part, values) for part in condition.parts)
        if isinstance(condition, pddl.Disjunction):
            return _disjunction(self._instance(part, values) for part in condition.parts)
        if isinstance(condition, (pddl.Truth, pddl.Falsity)):
            return condition
        instances = self._instances_of(condition, values)
        if isinstance(condition, pddl.UniversalCondition):
            return _conjunction(instances)
        return _disjunction(instances)

    def _instances_of(self, condition: Any, values: Mapping[str, str]) -> Iterable[Any]:
        names = [parameter.name for parameter in condition.parameters]
        objects = [self.problem.objects_of_type(p.type_name) for p in condition.parameters]
        part = condition.parts[0]
        for choice in product(*objects):
            self._instances += 1
            if self._instances > MAX_INSTANCES:
                raise TooLargeError(f"a quantifier has more than {MAX_INSTANCES} instances")
            yield self._instance(part, {**values, **dict(zip(names, choice, strict=True))})

    def _literal(self, literal: Any, values: Mapping[str, str]) -> Any:
        args = tuple([values.get(arg, arg) for arg in literal.args])
        truth = self._static_truth(literal.predicate, args)
        if truth is None:
            return type(literal)(literal.predicate, args)
        return _TRUE if truth != literal.negated else _FALSE

    def _static_truth(self, predicate: str, args: tuple[str, ...]) -> bool | None:
        """Whether a static atom is true; None if it can change or has variables left."""
        if predicate == "=" and args[0] == args[1]:
            return True
        if predicate in self._changed or any(arg[0] == "?" for arg in args):
            return None
        if predicate == "=":
            return False
        if predicate.startswith("type@"):
            return args[0] in self._members_of(predicate[5:])
        if self._facts is None:
            self._facts = set(self.problem.init)
        return (predicate, *args) in self._facts

    def _members_of(self, name: str) -> set[str]:
        members = self._members.get(name)
        if members is None:
            members = self._members[name] = set(self.problem.objects_of_type(name))
        return members


def normal_form_size(condition: Any) -> tuple[int, int]:
    """The numbers of disjuncts and of literals in the disjunctive normal form of a condition.

    >>> both = pddl.Disjunction([pddl.Atom("p", []), pddl.Atom("q", [])])
    >>> normal_form_size(pddl.Conjunction([both, both, both]))
    (8, 24)
    """
    if isinstance(condition, pddl.Literal):
        return 1, 1
    sizes = [normal_form_size(part) for part in condition.parts]
    if isinstance(condition, pddl.Disjunction):
        return sum(count for count, _ in sizes), sum(length for _, length in sizes)
    disjuncts, literals = 1, 0
    for count, length in sizes:
        disjuncts, literals = disjuncts * count, literals * count + length * disjuncts
    return disjuncts, literals


def free_in_universal_parts(condition: Any) -> set[str]:
    """The variables that are free in some universally quantified part of a condition."""
    if isinstance(condition, pddl.UniversalCondition):
        variables: set[str] = condition.free_variables()
        return variables
    return set().union(*map(free_in_universal_parts, condition.parts))


def _conjunction(parts: Iterable[Any]) -> Any:
    kept: dict[Any, None] = {}
    for part in parts:
        if isinstance(part, pddl.Falsity):
            return _FALSE
        if isinstance(part, pddl.Conjunction):
            kept.update(dict.fromkeys(part.parts))
        elif not isinstance(part, pddl.Truth):
            kept[part] = None
    return _joined(pddl.Conjunction, kept, _TRUE)


def _disjunction(parts: Iterable[Any]) -> Any:
    kept: dict[Any, None] = {}
    for part in parts:
        if isinstance(part, pddl.Truth):
            return _TRUE
        if isinstance(part, pddl.Disjunction):
            kept.update(dict.fromkeys(part.parts))
        elif not isinstance(part, pddl.Falsity):
            kept[part] = None
    return _joined(pddl.Disjunction, kept, _FALSE)


def _joined(junctor: Any, parts: dict[Any, None], empty: Any) -> Any:
    if not parts:
        return empty
    return next(iter(parts)) if len(parts) == 1 else junctor(list(parts))
