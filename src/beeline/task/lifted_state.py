"""A state as the set of its true atoms, and what lifted conditions mean in it.

Nothing is grounded. Quantified variables are bound one after another, and each part of the
condition is tested as soon as its variables are bound, so that few bindings are ever completed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fast_downward.translate import pddl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from beeline.pddl.model import Problem

    Atom = tuple[str, ...]
    Values = Mapping[str, str]
    # For each quantified variable: its name, its type word, what can be tested once it is bound.
    Stages = tuple[tuple[str, str, tuple[Any, ...]], ...]

EQUALITY = "="
TYPE = "type@"


class Semantics:
    """The meaning of the conditions of one problem in any of its states."""

    __slots__ = ("_counterexamples", "_members", "_problem", "_stages")

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._members: dict[str, frozenset[str]] = {}
        self._stages: dict[Any, tuple[tuple[Any, ...], Stages]] = {}
        self._counterexamples: dict[Any, Any] = {}

    def members(self, type_word: str) -> frozenset[str]:
        """The objects of a type word, as a set."""
        found = self._members.get(type_word)
        if found is None:
            found = frozenset(self._problem.objects_of_type(type_word))
            self._members[type_word] = found
        return found

    def holds(self, condition: Any, values: Values, state: set[Atom]) -> bool:
        """Whether a condition is true in `state` when `values` replace its free variables."""
        if isinstance(condition, pddl.Literal):
            return self._atom_holds(condition, values, state) is not condition.negated
        if isinstance(condition, pddl.Conjunction):
            return all(self.holds(part, values, state) for part in condition.parts)
        if isinstance(condition, pddl.Disjunction):
            return any(self.holds(part, values, state) for part in condition.parts)
        if isinstance(condition, pddl.ExistentialCondition):
            return next(self._witnesses(condition, values, state), None) is not None
        if isinstance(condition, pddl.UniversalCondition):
            return self._counterexample(condition, values, state) is None
        return isinstance(condition, pddl.Truth)

    def solutions(self, condition: Any, values: Values, state: set[Atom]) -> Iterator[Values]:
        """All ways to make a condition true: `values`, extended if it is existential.

        Each is good until the next one is asked for.
        """
        if isinstance(condition, pddl.ExistentialCondition):
            yield from self._witnesses(condition, values, state)
        elif self.holds(condition, values, state):
            yield values

    def _counterexample(self, condition: Any, values: Values, state: set[Atom]) -> Values | None:
        """The first way to extend `values` that makes a universal condition false."""
        negation = self._counterexamples.get(condition)
        if negation is None:
            negation = self._counterexamples[condition] = condition.negate()
        return next(self._witnesses(negation, values, state), None)

    def _witnesses(self, condition: Any, values: Values, state: set[Atom]) -> Iterator[Values]:
        staged = self._stages.get(condition)
        if staged is None:
            staged = self._stages[condition] = _stages(condition)
        before, stages = staged
        if all(self.holds(part, values, state) for part in before):
            yield from self._bind(stages, 0, values, state)

    def _bind(
        self, stages: Stages, depth: int, values: Values, state: set[Atom]
    ) -> Iterator[Values]:
        """Each way to bind the variables from `depth` on; a result is good until the next one."""
        variable, type_word, tests = stages[depth]
        extended = dict(values)
        for name in self._problem.objects_of_type(type_word):
            extended[variable] = name
            for test in tests:
                if not self.holds(test, extended, state):
                    break
            else:
                if depth + 1 == len(stages):
                    yield extended
                else:
                    yield from self._bind(stages, depth + 1, extended, state)

    def _atom_holds(self, literal: Any, values: Values, state: set[Atom]) -> bool:
        predicate = literal.predicate
        arguments = [values.get(argument, argument) for argument in literal.args]
        if predicate == EQUALITY:
            return bool(arguments[0] == arguments[1])
        if predicate.startswith(TYPE):
            return arguments[0] in self.members(predicate[len(TYPE) :])
        return (predicate, *arguments) in state

    def unsatisfied(self, condition: Any, values: Values, state: set[Atom]) -> list[str]:
        """The smallest parts that make a condition false, as PDDL text; empty if it is true.

        For a universal condition these are the parts for the first object that breaks it.
        """
        if self.holds(condition, values, state):
            return []
        if isinstance(condition, pddl.Conjunction):
            found = [self.unsatisfied(part, values, state) for part in condition.parts]
            return list(dict.fromkeys(text for texts in found for text in texts))
        if isinstance(condition, pddl.UniversalCondition):
            extended = self._counterexample(condition, values, state)
            return self.unsatisfied(condition.parts[0], extended or values, state)
        if isinstance(condition, pddl.Disjunction) and len(condition.parts) == 1:
            return self.unsatisfied(condition.parts[0], values, state)
        return [condition_text(condition, values)]


def _stages(condition: Any) -> tuple[tuple[Any, ...], Stages]:
    """The conjuncts that need no quantified variable, and the variables with what they allow."""
    body = condition.parts[0]
    waiting: Sequence[Any] = body.parts if isinstance(body, pddl.Conjunction) else (body,)
    unbound = {parameter.name for parameter in condition.parameters}
    before = tuple(part for part in waiting if unbound.isdisjoint(part.free_variables()))
    waiting = [part for part in waiting if part not in before]
    stages = []
    for parameter in condition.parameters:
        unbound.discard(parameter.name)
        ready = tuple(part for part in waiting if unbound.isdisjoint(part.free_variables()))
        waiting = [part for part in waiting if part not in ready]
        stages.append((parameter.name, parameter.type_name, ready))
    return before, tuple(stages)


def condition_text(condition: Any, values: Values) -> str:
    """A condition as PDDL, with `values` in place of its free variables.

    >>> either = pddl.Disjunction([pddl.Atom("p", ["?x"]), pddl.NegatedAtom("q", [])])
    >>> condition_text(either, {"?x": "a"})
    '(or (p a) (not (q)))'
    """
    from beeline.pddl.expressions import condition_to_list

    return _spell(condition_to_list(condition), values)


def _spell(tree: Any, values: Values) -> str:
    from beeline.pddl.model import type_names

    if isinstance(tree, str):
        types = type_names(tree)
        if len(types) > 1:
            return f"(either {' '.join(types)})"
        return values.get(tree, tree).removeprefix(TYPE)
    return f"({' '.join([_spell(part, values) for part in tree])})"
