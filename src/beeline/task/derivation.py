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
from beeline.task.lifted_state import conjuncts, is_stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from beeline.task.lifted_state import Args, News, Semantics, Signed, State, Values


class _Join(NamedTuple):
    """What is left of a rule once the variables of an atom in its body are bound."""

    atom: model.Atom
    sign: bool  # whether the atom must be true, or false
    types: tuple[tuple[str, str], ...]  # of the atom's variables
    rest: model.Formula


class _Rule(NamedTuple):
    """An atom of `predicate` for all ways to make `body` true."""

    predicate: str
    words: tuple[str, ...]  # the variables of the atom
    body: model.Formula
    joins: tuple[_Join, ...]  # one for each atom of its body
    hidden: frozenset[str]  # predicates that are mentioned deeper inside


class _Layer(NamedTuple):
    derived: frozenset[str]
    asks: frozenset[tuple[str, bool]]  # predicates that must be true somewhere, and false
    rules: tuple[_Rule, ...]


class Derivation:
    """The axioms of a problem, applied by the meaning of its formulas."""

    def __init__(self, problem: model.Problem, semantics: Semantics) -> None:
        self._problem = problem
        self._semantics = semantics
        self._layers = [_layer(each) for each in strata(problem.domain.axioms)]

    def derive(self, state: State) -> None:
        """Make the atoms of derived predicates true or false as the others tell.

        A layer is looked at again only if something that it speaks of has changed, and goes on from
        its atoms if nothing has that could make one of them false.
        """
        news = state.news()
        for layer in self._layers:
            if news is None:
                self._anew(layer, state)
                continue
            told = {
                (predicate, sign): atoms
                for (predicate, sign), atoms in news.items()
                if not layer.asks.isdisjoint([(predicate, sign), (predicate, not sign)])
            }
            if any((predicate, not sign) in layer.asks for predicate, sign in told):
                news |= self._anew(layer, state)
            elif told:
                news |= self._close(layer, state, told)
        state.settle()

    def _anew(self, layer: _Layer, state: State) -> News:
        """Find all atoms of a layer; those that were false or true before."""
        before = {predicate: state.clear(predicate) for predicate in layer.derived}
        self._close(layer, state, None)
        after = {predicate: state.facts[predicate] for predicate in layer.derived}
        true = {(each, True): after[each] - before[each] for each in after}
        false = {(each, False): before[each] - after[each] for each in after}
        return {key: atoms for key, atoms in [*true.items(), *false.items()] if atoms}

    def _close(self, layer: _Layer, state: State, newest: News | None) -> News:
        """Add atoms to a layer until nothing new follows; all that were added."""
        added: News = {}
        while newest is None or any(newest.values()):
            newest = self._found(layer, state, newest)
            for key, atoms in newest.items():
                added.setdefault(key, set()).update(atoms)
        return {key: atoms for key, atoms in added.items() if atoms}

    def _found(self, layer: _Layer, state: State, newest: News | None) -> News:
        """New atoms of a layer, true from now on: all, or what the newest ones bring about."""
        all_found: News = {(predicate, True): set() for predicate in layer.derived}
        changed = set() if newest is None else {key[0] for key, atoms in newest.items() if atoms}
        for rule in layer.rules:
            if newest is None or not rule.hidden.isdisjoint(changed):
                instances = self._instances(rule, rule.body, {}, state)
            else:
                instances = self._brought_about(rule, newest, state)
            found = set(instances) - state.facts[rule.predicate]
            state.change((), [(rule.predicate, args) for args in found])
            all_found[rule.predicate, True] |= found
        return all_found

    def _brought_about(self, rule: _Rule, newest: News, state: State) -> Iterator[Args]:
        """What the newest atoms make true."""
        for join in rule.joins:
            for args in newest.get((join.atom.predicate, join.sign), ()):
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
    rules = [rule for axiom in axioms for rule in _rules(axiom)]
    asked = [literal for axiom in axioms for literal, _ in model.literals(axiom.condition)]
    asks = frozenset((literal.predicate, not literal.negated) for literal in asked)
    return _Layer(derived, asks, tuple(rules))


def _rules(axiom: model.Axiom) -> Iterator[_Rule]:
    words = tuple([name for name, _ in axiom.parameters])
    for parameters, parts in _cases([*axiom.parameters], [(axiom.condition, True)]):
        types = dict(parameters)
        joins: list[_Join] = []
        hidden: set[str] = set()
        for place, (part, sign) in enumerate(parts):
            if isinstance(part, model.Atom):
                bound = tuple([(name, types[name]) for name in model.free_variables(part)])
                rest = _existential(parameters, parts[:place] + parts[place + 1 :], dict(bound))
                joins.append(_Join(part, sign, bound, rest))
            else:
                hidden |= {literal.predicate for literal, _ in model.literals(part)}
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
