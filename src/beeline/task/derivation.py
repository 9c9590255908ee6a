"""Derived predicates: which of their atoms are true in a state.

An axiom is read as rules: one for each case of a disjunction, its existential variables beside its
parameters, looked for in an order in which each is tied to those before it. Layer by layer, what
rules make true is added until nothing new follows. The one trick, known as semi-naive evaluation
(Bancilhon and Ramakrishnan, "An amateur's introduction to recursive query processing strategies",
SIGMOD 1986): after the first round a rule is asked only for what one of the newest atoms brings
about. So the work is that of a few look-ups for each atom and each way to derive it, however many
rounds a chain of them takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from beeline.pddl import model
from beeline.pddl.axioms import strata
from beeline.task.lifted_state import conjuncts, is_stored, predicates_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from beeline.task.lifted_state import Args, Semantics, Signed, State, Values


class _Join(NamedTuple):
    """What is left of a rule once the variables of an atom in its body are bound."""

    atom: model.Atom
    types: tuple[tuple[str, str], ...]  # of the atom's variables
    rest: model.Formula


class _Rule(NamedTuple):
    """An atom of `predicate` for all ways to make `body` true."""

    predicate: str
    words: tuple[str, ...]  # the variables of the atom
    body: model.Formula
    joins: tuple[_Join, ...]  # one for each atom of its own layer
    hidden: frozenset[str]  # predicates of its layer that are mentioned deeper inside


class _Layer(NamedTuple):
    derived: frozenset[str]
    mentioned: tuple[frozenset[str], ...]  # by each axiom; none: nothing can change
    rules: tuple[_Rule, ...]


class Derivation:
    """The axioms of a problem, applied by the meaning of its formulas."""

    def __init__(self, problem: model.Problem, semantics: Semantics) -> None:
        self._problem = problem
        self._semantics = semantics
        self._layers = [_layer(each) for each in strata(problem.domain.axioms)]

    def derive(self, state: State) -> None:
        """Make the atoms of derived predicates true or false as the others tell.

        A layer is looked at again only if something that it speaks of has changed.
        """
        for layer in self._layers:
            if all(each and state.changed.isdisjoint(each) for each in layer.mentioned):
                continue
            changed = {*state.changed}
            before = {predicate: state.clear(predicate) for predicate in layer.derived}
            newest = self._found(layer, state, None)
            while any(newest.values()):
                newest = self._found(layer, state, newest)
            news = {each for each, atoms in before.items() if atoms != state.facts[each]}
            state.changed = changed | news
        state.changed.clear()

    def _found(
        self, layer: _Layer, state: State, newest: dict[str, set[Args]] | None
    ) -> dict[str, set[Args]]:
        """New atoms of a layer, which are true from now on; after the first round from new ones."""
        all_found: dict[str, set[Args]] = {predicate: set() for predicate in layer.derived}
        for rule in layer.rules:
            if newest is None or any(newest[each] for each in rule.hidden):
                instances = self._instances(rule, rule.body, {}, state)
            else:
                instances = self._brought_about(rule, newest, state)
            found = set(instances) - state.facts[rule.predicate]
            state.change((), [(rule.predicate, args) for args in found])
            all_found[rule.predicate] |= found
        return all_found

    def _brought_about(
        self, rule: _Rule, newest: dict[str, set[Args]], state: State
    ) -> Iterator[Args]:
        """What the newest atoms make true."""
        for join in rule.joins:
            for args in newest[join.atom.predicate]:
                values = self._unified(join, args)
                if values is not None:
                    yield from self._instances(rule, join.rest, values, state)

    def _unified(self, join: _Join, args: Args) -> Values | None:
        """The values with which the atom of a join has these arguments, if there are any."""
        values: dict[str, str] = {}
        for word, name in zip(join.atom.args, args, strict=True):
            if (values.setdefault(word, name) if word[0] == "?" else word) != name:
                return None
        for variable, type_word in join.types:
            if values[variable] not in self._problem.members(type_word):
                return None
        return values

    def _instances(
        self, rule: _Rule, body: model.Formula, values: Values, state: State
    ) -> Iterator[Args]:
        if isinstance(body, model.Quantified):
            for found in self._semantics.bindings(body, values, state):
                yield tuple([found[word] for word in rule.words])
        elif self._semantics.holds(body, values, state):
            yield tuple([values[word] for word in rule.words])


def _layer(axioms: Sequence[model.Axiom]) -> _Layer:
    derived = frozenset(axiom.predicate for axiom in axioms)
    rules = [rule for axiom in axioms for rule in _rules(axiom, derived)]
    mentioned = [frozenset(predicates_of(axiom.condition)) for axiom in axioms]
    return _Layer(derived, tuple(mentioned), tuple(rules))


def _rules(axiom: model.Axiom, derived: frozenset[str]) -> Iterator[_Rule]:
    words = tuple([name for name, _ in axiom.parameters])
    for parameters, parts in _cases([*axiom.parameters], [(axiom.condition, True)]):
        types = dict(parameters)
        joins: list[_Join] = []
        hidden: set[str] = set()
        for place, (part, sign) in enumerate(parts):
            if sign and isinstance(part, model.Atom) and part.predicate in derived:
                bound = tuple([(name, types[name]) for name in model.free_variables(part)])
                rest = _existential(parameters, parts[:place] + parts[place + 1 :], dict(bound))
                joins.append(_Join(part, bound, rest))
            else:
                hidden |= predicates_of(part) & derived
        body = _existential(parameters, parts, ())
        yield _Rule(axiom.predicate, words, body, tuple(joins), frozenset(hidden))


def _cases(
    parameters: list[tuple[str, str]], parts: list[Signed]
) -> Iterator[tuple[list[tuple[str, str]], list[Signed]]]:
    """Variables and conjunctions, of which one must be true for some values of its variables.

    A disjunction inside a larger conjunction stays one part of it.
    """
    parts = [each for part, sign in parts for each in conjuncts(part, sign)]
    for place, (part, sign) in enumerate(parts):
        names = {name for name, _ in parameters}
        if (
            isinstance(part, model.Quantified)
            and (part.word == "exists") is sign
            and names.isdisjoint(name for name, _ in part.parameters)
        ):
            inside: list[Signed] = [(part.part, sign)]
            parts = parts[:place] + inside + parts[place + 1 :]
            yield from _cases([*parameters, *part.parameters], parts)
            return
    if len(parts) == 1 and isinstance(junction := parts[0][0], model.Junction):
        for case in model.signed_parts(junction, parts[0][1]):
            yield from _cases(parameters, [case])
    else:
        yield parameters, parts


def _existential(
    parameters: list[tuple[str, str]], parts: list[Signed], bound: Iterable[str]
) -> model.Formula:
    """The conjunction, for some values of the variables that are not bound, best order first."""
    known, types = {*bound}, dict(parameters)
    atoms = [
        {*part.args}
        for part, sign in parts
        if sign and isinstance(part, model.Atom) and is_stored(part)
    ]

    def ties(name: str) -> tuple[int, int]:
        """How many atoms tie a variable to what is known, or could."""
        of_it = [args for args in atoms if name in args]
        tied = [args for args in of_it if any(word[0] != "?" or word in known for word in args)]
        return len(tied), len(of_it)

    ordered: list[tuple[str, str]] = []
    left = [name for name, _ in parameters if name not in known]
    while left:
        best = max(left, key=ties)  # the first one of several
        left.remove(best)
        known.add(best)
        ordered.append((best, types[best]))
    body = model.Junction("and", tuple([part if sign else model.Not(part) for part, sign in parts]))
    return model.Quantified("exists", tuple(ordered), body) if ordered else body
