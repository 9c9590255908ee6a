"""From formulas to the translator's conditions, without universal quantifiers.

Negations move down to the atoms, and universal quantifiers become conjunctions over the objects.
Inside them, literals of static predicates are evaluated against the initial state, so that what
remains speaks of changing facts only and stays small, and existential quantifiers become
disjunctions; others are left to the translator, which makes them parameters.

What is always true or false disappears on the way. A quantifier over a type without objects is
decided before its body is looked at: what the translator simplifies later has no such quantifier
left, whose body it would take for the whole.

The door to Fast Downward's translator; no other module runs its analyses.

The translator keeps options in a module global and prints as it goes. We call only functions
that do neither. Nothing that a user of the translator in the same process can see is touched, and
threads share no state.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from fast_downward.translate import invariant_finder as _invariants
from fast_downward.translate import normalize as _normalize
from fast_downward.translate import pddl

from beeline.core.errors import BeelineError
from beeline.pddl.model import EQUALITY, TYPE, Atom, Junction, Not, Quantified, free_variables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from beeline.pddl.model import Formula, Problem


def make_predicates(arities: Mapping[str, int]) -> list[Any]:
    """The translator's view of predicates, and equality."""
    return [
        pddl.Predicate(name, [pddl.TypedObject(f"?x{place}", "object") for place in range(arity)])
        for name, arity in {**arities, "=": 2}.items()
    ]


def normalize_task(task: Any, file: str) -> None:
    """Split disjunctions and turn existential quantifiers of a `pddl.Task` into parameters.

    The task must be free of universal quantifiers, and its goal a conjunction of literals.
    """
    try:
        _normalize.build_DNF(task)
        _normalize.split_disjunctions(task)
        _normalize.eliminate_existential_quantifiers(task)
    except (Exception, SystemExit) as error:  # our checks should leave nothing to complain about
        if isinstance(error, MemoryError):
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        raise BeelineError(f"cannot understand the task: {reason[:200]}", file) from error


def initial_invariants(task: Any) -> list[Any]:
    """The candidates that the translator's search for invariants begins with."""
    return list(_invariants.get_initial_invariants(task))


def make_invariant(parts: list[Any]) -> Any:
    """A candidate of the translator."""
    return _invariants.invariants.Invariant(parts)


def make_balance_checker(task: Any, reachable: dict[Any, list[tuple[int, ...]]]) -> Any:
    """What the translator asks about actions, given parameters with which each is reachable."""
    return _invariants.BalanceChecker(task, reachable)


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

    def expand(self, formula: Formula, values: Mapping[str, str] = _NO_VALUES) -> Any:
        """The translator's condition; inside universal quantifiers, `values` replace variables."""
        return self._convert(formula, values, negated=False, instance=False)

    def _convert(
        self, formula: Formula, values: Mapping[str, str], *, negated: bool, instance: bool
    ) -> Any:
        """The condition for a formula, or for its negation.

        In an `instance`, which is inside a universal quantifier, `values` replace variables.
        """
        if isinstance(formula, Atom):
            return self._literal(formula, values if instance else None, negated)
        if isinstance(formula, Not):
            return self._convert(formula.part, values, negated=not negated, instance=instance)
        if isinstance(formula, Junction):
            implication = formula.word == "imply"
            parts = [
                self._convert(
                    part,
                    values,
                    negated=negated != (implication and place == 0),
                    instance=instance,
                )
                for place, part in enumerate(formula.parts)
            ]
            all_needed = (formula.word == "and") != negated
            return (_conjunction if all_needed else _disjunction)(parts, unique=instance)
        universal = is_universal(formula, negated=negated)
        if not all(self.problem.objects_of_type(word) for _, word in formula.parameters):
            return _TRUE if universal else _FALSE
        if universal or instance:
            instances = self._instances_of(formula, values, negated)
            return (_conjunction if universal else _disjunction)(instances, unique=True)
        body = self._convert(formula.part, values, negated=negated, instance=False)
        if isinstance(body, pddl.conditions.ConstantCondition):
            return body
        parameters = [pddl.TypedObject(*pair) for pair in formula.parameters]
        return pddl.ExistentialCondition(parameters, [body])

    def _instances_of(
        self, formula: Quantified, values: Mapping[str, str], negated: bool
    ) -> Iterable[Any]:
        names = [name for name, _ in formula.parameters]
        objects = [self.problem.objects_of_type(word) for _, word in formula.parameters]
        for choice in product(*objects):
            self._instances += 1
            if self._instances > MAX_INSTANCES:
                raise TooLargeError(f"a quantifier has more than {MAX_INSTANCES} instances")
            bound = {**values, **dict(zip(names, choice, strict=True))}
            yield self._convert(formula.part, bound, negated=negated, instance=True)

    def _literal(self, atom: Atom, values: Mapping[str, str] | None, negated: bool) -> Any:
        args = atom.args
        if values is not None:
            args = tuple([values.get(arg, arg) for arg in args])
            truth = self._static_truth(atom.predicate, args)
            if truth is not None:
                return _TRUE if truth != negated else _FALSE
        return (pddl.NegatedAtom if negated else pddl.Atom)(atom.predicate, args)

    def _static_truth(self, predicate: str, args: tuple[str, ...]) -> bool | None:
        """Whether a static atom is true; None if it can change or has variables left."""
        if predicate == EQUALITY and args[0] == args[1]:
            return True
        if predicate in self._changed or any(arg[0] == "?" for arg in args):
            return None
        if predicate == EQUALITY:
            return False
        if predicate.startswith(TYPE):
            return args[0] in self._members_of(predicate.removeprefix(TYPE))
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


def is_universal(formula: Quantified, *, negated: bool) -> bool:
    """Whether a quantifier speaks of all objects, which `exists` does inside a negation."""
    return (formula.word == "forall") != negated


def free_in_universal_parts(formula: Formula, *, negated: bool = False) -> set[str]:
    """The variables that are free in some universally quantified part of a formula."""
    if isinstance(formula, Atom):
        return set()
    if isinstance(formula, Not):
        return free_in_universal_parts(formula.part, negated=not negated)
    if isinstance(formula, Quantified):
        if is_universal(formula, negated=negated):
            return free_variables(formula)
        return free_in_universal_parts(formula.part, negated=negated)
    implication = formula.word == "imply"
    return set().union(
        *(
            free_in_universal_parts(part, negated=negated != (implication and place == 0))
            for place, part in enumerate(formula.parts)
        )
    )


def _conjunction(parts: Iterable[Any], *, unique: bool) -> Any:
    """All parts together, flat; of equal ones only the first if they shall be `unique`."""
    kept: list[Any] = []
    for part in parts:
        if isinstance(part, pddl.Falsity):
            return _FALSE
        if isinstance(part, pddl.Conjunction):
            kept += part.parts
        elif not isinstance(part, pddl.Truth):
            kept.append(part)
    return _joined(pddl.Conjunction, kept, _TRUE, unique)


def _disjunction(parts: Iterable[Any], *, unique: bool) -> Any:
    kept: list[Any] = []
    for part in parts:
        if isinstance(part, pddl.Truth):
            return _TRUE
        if isinstance(part, pddl.Disjunction):
            kept += part.parts
        elif not isinstance(part, pddl.Falsity):
            kept.append(part)
    return _joined(pddl.Disjunction, kept, _FALSE, unique)


def _joined(junctor: Any, parts: list[Any], empty: Any, unique: bool) -> Any:
    if unique:
        parts = list(dict.fromkeys(parts))
    if not parts:
        return empty
    return parts[0] if len(parts) == 1 else junctor(parts)
