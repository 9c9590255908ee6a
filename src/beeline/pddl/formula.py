"""Formulas and effects as the file has them: nothing is simplified, negated or normalised.

The tree is made of named tuples, so it can be compared, hashed and pickled as it is. No two kinds
of node are equal as tuples, because connectives cannot be names of predicates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from beeline.pddl.lifted import LiftedLiteral

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    Formula: TypeAlias = "Atom | Not | Junction | Quantified"
    Parameters = tuple[tuple[str, str], ...]  # (variable, type word)

EQUALITY = "="
TYPE = "type@"  # before the name of a type that is used as a predicate


class Atom(NamedTuple):
    """A predicate, equality or `type@NAME` with variables (`?x`) and names of objects."""

    predicate: str
    args: tuple[str, ...]


class Not(NamedTuple):
    """A negated formula."""

    part: Formula


class Junction(NamedTuple):
    """`and` or `or` of any number of parts, or `imply` of two."""

    word: str
    parts: tuple[Formula, ...]


class Quantified(NamedTuple):
    """`forall` or `exists` over at least one variable; no inner variable hides an outer one."""

    word: str
    parameters: Parameters
    part: Formula


class Effect(NamedTuple):
    """For all values of `parameters` where `condition` holds, make `literal` true."""

    parameters: Parameters
    condition: Formula
    literal: LiftedLiteral


TRUE = Junction("and", ())


def literals(
    formula: Formula, quantified: tuple[str, ...] = (), *, negated: bool = False
) -> Iterator[tuple[LiftedLiteral, tuple[str, ...]]]:
    """The literals of a formula in the order of the text, each with the quantified variables.

    An atom counts as negated if an odd number of negations stands around it.

    >>> atom = Atom("p", ("?x",))
    >>> list(literals(Junction("imply", (atom, TRUE))))
    [(LiftedLiteral(predicate='p', args=('?x',), negated=True), ())]
    """
    if isinstance(formula, Atom):
        yield LiftedLiteral(formula.predicate, formula.args, negated), quantified
    elif isinstance(formula, Not):
        yield from literals(formula.part, quantified, negated=not negated)
    elif isinstance(formula, Quantified):
        inner = (*quantified, *[name for name, _ in formula.parameters])
        yield from literals(formula.part, inner, negated=negated)
    else:
        for place, part in enumerate(formula.parts):
            premise = formula.word == "imply" and place == 0
            yield from literals(part, quantified, negated=negated != premise)


def free_variables(formula: Formula) -> set[str]:
    """The variables of a formula that none of its quantifiers binds."""
    return {
        word
        for literal, quantified in literals(formula)
        for word in literal.args
        if word[0] == "?" and word not in quantified
    }


def lasting(effects: Sequence[Effect]) -> list[Effect]:
    """The effects without deletions that an addition under the same condition always undoes."""
    added = {each for each in effects if not each.literal.negated}
    return [
        each
        for each in effects
        if not each.literal.negated
        or each._replace(literal=each.literal._replace(negated=False)) not in added
    ]
