"""From formulas to the translator's conditions, with fewer universal quantifiers.

Negations move down to the atoms, and universal quantifiers become conjunctions over the objects if
that gives nothing but atoms. Inside them, literals of static predicates are evaluated against the
initial state. What would bring disjunctions, or facts that must be false, which finite-domain
variables may have to multiply out, stays universal. Existential quantifiers are left to the
translator, which makes them parameters.

What is always true or false disappears on the way. A quantifier over a type without objects whose
body is constant is decided here: the translator would take the body for the whole.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from fast_downward.translate import pddl

from beeline.pddl import model

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


MAX_INSTANCES = 500_000
MAX_DISJUNCTS = 20_000
MAX_LITERALS = 1_000_000


class TooLargeError(Exception):
    """A condition has too many instances or disjuncts."""


class Expander:
    """Expands the conditions of one problem; looks at the initial state only if it must.

    With `universals`, universal quantifiers stay, as the translator has it.
    """

    def __init__(
        self, problem: model.Problem, changed: frozenset[str], *, universals: bool = False
    ) -> None:
        self.problem = problem
        self._changed = changed
        self._universals = universals
        self._expandable: type[Any] = pddl.Atom
        self._facts: set[tuple[str, ...]] | None = None
        self._instances = 0
        self._disjuncts = 0
        self._literals = 0

    def expand(self, formula: model.Formula, *, literals: type[Any] = pddl.Atom) -> Any:
        """The translator's condition.

        Universal quantifiers are expanded if that gives a conjunction of such `literals`. It is
        refused if the normal forms of all conditions together would be too large.
        """
        self._expandable = literals
        condition = self._convert(formula, {}, negated=False, instance=False)
        self.count(condition)
        return condition

    def count(self, condition: Any) -> None:
        """Refuse a condition if the normal forms of all would be too large."""
        if condition.has_disjunction():
            disjuncts, literals = normal_form_size(condition)
            disjuncts += self._disjuncts
            literals += self._literals
            if disjuncts > MAX_DISJUNCTS or literals > MAX_LITERALS:
                raise TooLargeError(
                    f"the disjunctive normal forms have more than {MAX_DISJUNCTS} disjuncts"
                    f" or {MAX_LITERALS} literals"
                )
            self._disjuncts, self._literals = disjuncts, literals

    def _convert(
        self, formula: model.Formula, values: Mapping[str, str], *, negated: bool, instance: bool
    ) -> Any:
        """The condition for a formula, or for its negation.

        In an `instance`, which is inside a universal quantifier, `values` replace variables.
        """
        if isinstance(formula, model.Atom):
            return self._literal(formula, values if instance else None, negated)
        if isinstance(formula, model.Not):
            return self._convert(formula.part, values, negated=not negated, instance=instance)
        if isinstance(formula, model.Junction):
            parts = [
                self._convert(part, values, negated=sign, instance=instance)
                for part, sign in model.signed_parts(formula, negated)
            ]
            return _joined(parts, (formula.word == "and") != negated, unique=instance)
        universal = (formula.word == "forall") != negated
        if instance:
            return _joined(self._instances_of(formula, values, negated), universal, unique=True)
        if universal and not self._universals:
            conjunction = self._conjunction(formula, negated)
            if conjunction is not None:
                return conjunction
        body = self._convert(formula.part, values, negated=negated, instance=False)
        if isinstance(body, pddl.conditions.ConstantCondition):
            if all(self.problem.objects_of_type(word) for _, word in formula.parameters):
                return body
            return pddl.Truth() if universal else pddl.Falsity()
        parameters = [pddl.TypedObject(*pair) for pair in formula.parameters]
        quantifier = pddl.UniversalCondition if universal else pddl.ExistentialCondition
        return quantifier(parameters, [body])

    def _conjunction(self, formula: model.Quantified, negated: bool) -> Any:
        """The instances of a universal condition, None if one is no conjunction of literals."""
        allowed = (self._expandable, pddl.conditions.ConstantCondition)
        kept = []
        for instance in self._instances_of(formula, {}, negated):
            parts = instance.parts if isinstance(instance, pddl.Conjunction) else [instance]
            if not all(isinstance(part, allowed) for part in parts):
                return None
            kept.append(instance)
        return _joined(kept, True, unique=True)

    def _instances_of(
        self, formula: model.Quantified, values: Mapping[str, str], negated: bool
    ) -> Iterable[Any]:
        names = [name for name, _ in formula.parameters]
        objects = [self.problem.objects_of_type(word) for _, word in formula.parameters]
        for choice in product(*objects):
            self._instances += 1
            if self._instances > MAX_INSTANCES:
                raise TooLargeError(f"a quantifier has more than {MAX_INSTANCES} instances")
            bound = {**values, **dict(zip(names, choice, strict=True))}
            yield self._convert(formula.part, bound, negated=negated, instance=True)

    def _literal(self, atom: model.Atom, values: Mapping[str, str] | None, negated: bool) -> Any:
        args = atom.args
        if values is not None:
            args = tuple([values.get(arg, arg) for arg in args])
            truth = self._static_truth(atom.predicate, args)
            if truth is not None:
                return pddl.Truth() if truth != negated else pddl.Falsity()
        return (pddl.NegatedAtom if negated else pddl.Atom)(atom.predicate, args)

    def _static_truth(self, predicate: str, args: tuple[str, ...]) -> bool | None:
        """Whether a static atom is true; None if it can change or has variables left."""
        if predicate == model.EQUALITY and args[0] == args[1]:
            return True
        if predicate in self._changed or any(arg[0] == "?" for arg in args):
            return None
        if predicate == model.EQUALITY:
            return False
        if predicate.startswith(model.TYPE):
            return args[0] in self.problem.members(predicate.removeprefix(model.TYPE))
        if self._facts is None:
            self._facts = set(self.problem.init)
        return (predicate, *args) in self._facts


def normal_form_size(condition: Any) -> tuple[int, int]:
    """The numbers of disjuncts and of literals in the disjunctive normal form of a condition.

    >>> both = pddl.Disjunction([pddl.Atom("p", []), pddl.Atom("q", [])])
    >>> normal_form_size(pddl.Conjunction([both, both, both]))
    (8, 24)
    """
    if isinstance(condition, pddl.Literal | pddl.UniversalCondition):
        return 1, 1  # what stays universal becomes a literal
    sizes = [normal_form_size(part) for part in condition.parts]
    if isinstance(condition, pddl.Disjunction):
        return sum(count for count, _ in sizes), sum(length for _, length in sizes)
    disjuncts, literals = 1, 0
    for count, length in sizes:
        disjuncts, literals = disjuncts * count, literals * count + length * disjuncts
    return disjuncts, literals


def _joined(parts: Iterable[Any], all_needed: bool, *, unique: bool) -> Any:
    """The conjunction or disjunction of all parts, flat; of equal ones the first if `unique`."""
    junctor, neutral, decisive = pddl.Disjunction, pddl.Falsity, pddl.Truth
    if all_needed:
        junctor, neutral, decisive = pddl.Conjunction, pddl.Truth, pddl.Falsity
    kept: list[Any] = []
    for part in parts:
        if isinstance(part, decisive):
            return part
        if isinstance(part, junctor):
            kept += part.parts
        elif not isinstance(part, neutral):
            kept.append(part)
    if unique:
        kept = list(dict.fromkeys(kept))
    if not kept:
        return neutral()
    return kept[0] if len(kept) == 1 else junctor(kept)
