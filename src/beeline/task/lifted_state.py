"""What formulas, as they are written in a file, mean in a state.

Nothing is grounded, simplified or normalised: this is the judge of all that does so. Quantified
variables are bound one after another, each part of the formula is tested as soon as its variables
are bound, and where an atom must hold, its true instances tell the objects that are worth a try.
So few bindings are ever completed, and objects are enumerated only where no fact can do better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.pddl import model

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    Args = tuple[str, ...]
    Fact = tuple[str, Args]
    Values = Mapping[str, str]
    News = dict[tuple[str, bool], set[Args]]  # by predicate, and whether they are true
    Signed = tuple[model.Formula, bool]  # a formula, and whether it shall be true or false


class State:
    """The true atoms, by predicate; `index` finds those with a certain argument.

    It remembers what has changed since derived atoms were up to date: `news`, until they are
    `settled`.
    """

    __slots__ = ("_before", "_indices", "facts")

    def __init__(
        self, facts: dict[str, set[Args]], before: Mapping[Fact, bool] | None = None
    ) -> None:
        self.facts = facts
        self._before = None if before is None else {**before}  # None: they have never been
        self._indices: dict[str, dict[int, dict[str, list[Args]]]] = {}

    def copy(self) -> State:
        """A state that can be changed without changing this one."""
        facts = {predicate: set(args) for predicate, args in self.facts.items()}
        return State(facts, self._before)

    def change(self, deleted: Iterable[Fact], added: Iterable[Fact]) -> None:
        """Delete first, then add, so that what is in both is true."""
        for predicate, args in deleted:
            if args in self.facts[predicate]:
                self._remember((predicate, args), True)
                self.facts[predicate].discard(args)
                self._indices.pop(predicate, None)
        for predicate, args in added:
            if args not in self.facts[predicate]:
                self._remember((predicate, args), False)
                self.facts[predicate].add(args)
                for place, index in self._indices.get(predicate, {}).items():
                    index.setdefault(args[place], []).append(args)

    def _remember(self, fact: Fact, was: bool) -> None:
        if self._before is not None:
            self._before.setdefault(fact, was)

    def news(self) -> News | None:
        """The atoms that have become true, and false; None if nothing was ever settled."""
        if self._before is None:
            return None
        found: News = {}
        for (predicate, args), was in self._before.items():
            now = args in self.facts[predicate]
            if now is not was:
                found.setdefault((predicate, now), set()).add(args)
        return found

    def settle(self) -> None:
        """Derived atoms are as the others tell."""
        self._before = {}

    def clear(self, predicate: str) -> set[Args]:
        """Make all atoms of a predicate false; those that were true."""
        before, self.facts[predicate] = self.facts[predicate], set()
        self._indices.pop(predicate, None)
        return before

    def index(self, predicate: str, place: int) -> dict[str, list[Args]]:
        """The true atoms of a predicate by their argument at a place."""
        indices = self._indices.setdefault(predicate, {})
        found = indices.get(place)
        if found is None:
            found = indices[place] = {}
            for args in self.facts[predicate]:
                found.setdefault(args[place], []).append(args)
        return found

    def key(self) -> frozenset[tuple[str, frozenset[Args]]]:
        """The same for equal states."""
        return frozenset((name, frozenset(args)) for name, args in self.facts.items())


class _Guide(NamedTuple):
    """An atom that must hold: its variable at `place` is looked for, those at `bound` are known."""

    atom: model.Atom
    place: int
    bound: tuple[int, ...]


class _Stage(NamedTuple):
    """A quantified variable, its guides, and what can be tested once it is bound."""

    variable: str
    type_word: str
    guides: tuple[_Guide, ...]
    tests: tuple[Signed, ...]


class Semantics:
    """The meaning of the formulas of one problem in any of its states."""

    __slots__ = ("_indexed", "_problem", "_ranks", "_searches")

    def __init__(self, problem: model.Problem) -> None:
        self._problem = problem
        self._ranks = {name: rank for rank, name in enumerate(problem.objects)}
        domain = problem.domain
        # Predicates that never change, or change by additions that an index keeps up with.
        self._indexed = domain.predicates.keys() - domain.changed_predicates()
        self._indexed |= {axiom.predicate for axiom in domain.axioms}
        # By identity; the formula is kept with its search, so that nothing takes its place.
        self._searches: dict[tuple[int, bool], tuple[Any, list[Signed], list[_Stage]]] = {}

    def initial_state(self) -> State:
        """What the file says; nothing is derived."""
        facts: dict[str, set[Args]] = {name: set() for name in self._problem.domain.predicates}
        for fact in self._problem.init:
            facts[fact[0]].add(fact[1:])
        return State(facts)

    def holds(self, formula: model.Formula, values: Values, state: State) -> bool:
        """Whether a formula is true in `state` when `values` replace its free variables."""
        if isinstance(formula, model.Atom):
            return self._atom_holds(formula, values, state)
        if isinstance(formula, model.Not):
            return not self.holds(formula.part, values, state)
        if isinstance(formula, model.Quantified):
            exists = formula.word == "exists"
            found = next(self.bindings(formula, values, state, wanted=exists), None)
            return (found is not None) == exists
        if formula.word == "and":
            return all(self.holds(part, values, state) for part in formula.parts)
        if formula.word == "or":
            return any(self.holds(part, values, state) for part in formula.parts)
        premise, conclusion = formula.parts
        return not self.holds(premise, values, state) or self.holds(conclusion, values, state)

    def _atom_holds(self, atom: model.Atom, values: Values, state: State) -> bool:
        predicate, words = atom
        args = tuple([values.get(word, word) for word in words])
        facts = state.facts.get(predicate)
        if facts is not None:
            return args in facts
        if predicate == model.EQUALITY:
            return args[0] == args[1]
        return args[0] in self._problem.members(predicate.removeprefix(model.TYPE))

    def bindings(
        self, formula: model.Quantified, values: Values, state: State, *, wanted: bool = True
    ) -> Iterator[Values]:
        """All ways to bind the variables of a quantifier so that its part is true, or false.

        They come in the order of the objects. Each is good until the next one is asked for.
        """
        key = id(formula), wanted
        if key not in self._searches:
            self._searches[key] = (formula, *_stages(formula, wanted))
        _, before, stages = self._searches[key]
        if all(self.holds(part, values, state) is sign for part, sign in before):
            yield from self._bind(stages, 0, dict(values), state)

    def _bind(
        self, stages: list[_Stage], depth: int, values: dict[str, str], state: State
    ) -> Iterator[Values]:
        stage = stages[depth]
        for name in self._candidates(stage, values, state):
            values[stage.variable] = name
            for test, sign in stage.tests:
                if self.holds(test, values, state) is not sign:
                    break
            else:
                if depth + 1 == len(stages):
                    yield values
                else:
                    yield from self._bind(stages, depth + 1, values, state)

    def _candidates(self, stage: _Stage, values: Values, state: State) -> Collection[str]:
        """The objects of the type, in their order, or those of them that the best guide leaves."""
        objects = self._problem.objects_of_type(stage.type_word)
        fewest, best = len(objects), None
        for guide in stage.guides:
            facts: Collection[Args] = state.facts[guide.atom.predicate]
            # What changes all the time is not worth an index larger than what it saves.
            if guide.bound and (len(facts) <= fewest or guide.atom.predicate in self._indexed):
                word = guide.atom.args[guide.bound[0]]
                index = state.index(guide.atom.predicate, guide.bound[0])
                facts = index.get(values.get(word, word), ())
            if len(facts) < fewest:
                fewest, best = len(facts), (facts, guide.place)
        if best is None:
            return objects
        members = self._problem.members(stage.type_word)
        found = {args[best[1]] for args in best[0]}
        return sorted(found & members, key=self._ranks.__getitem__)

    def unsatisfied(
        self, formula: model.Formula, values: Values, state: State, *, wanted: bool = True
    ) -> list[str]:
        """The smallest parts that keep a formula from being true, or false if that is `wanted`.

        They are PDDL text; there are none if it is as wanted. For a universal condition these are
        the parts for the first object that breaks it.
        """
        if self.holds(formula, values, state) is wanted:
            return []
        if isinstance(formula, model.Not):
            return self.unsatisfied(formula.part, values, state, wanted=not wanted)
        if isinstance(formula, model.Quantified) and (formula.word == "forall") is wanted:
            found = next(self.bindings(formula, values, state, wanted=not wanted), values)
            return self.unsatisfied(formula.part, found, state, wanted=wanted)
        if isinstance(formula, model.Junction) and (
            (formula.word == "and") is wanted or len(formula.parts) == 1
        ):
            parts = [
                self.unsatisfied(part, values, state, wanted=sign)
                for part, sign in model.signed_parts(formula, wanted)
            ]
            return list(dict.fromkeys(text for texts in parts for text in texts))
        return [condition_text(formula, values, wanted=wanted)]


def conjuncts(formula: model.Formula, wanted: bool) -> list[Signed]:
    """What must all be the case so that a formula is true, or false."""
    if isinstance(formula, model.Not):
        return conjuncts(formula.part, not wanted)
    if isinstance(formula, model.Junction) and (formula.word == "and") is wanted:
        parts = model.signed_parts(formula, wanted)
        return [signed for part, sign in parts for signed in conjuncts(part, sign)]
    return [(formula, wanted)]


def _stages(formula: model.Quantified, wanted: bool) -> tuple[list[Signed], list[_Stage]]:
    """What needs no quantified variable, and the variables with what each of them allows."""
    parts = conjuncts(formula.part, wanted)
    waiting = [(part, sign, model.free_variables(part)) for part, sign in parts]
    unbound = {name for name, _ in formula.parameters}
    before = [(part, sign) for part, sign, free in waiting if unbound.isdisjoint(free)]
    stages = []
    for variable, type_word in formula.parameters:
        waiting = [each for each in waiting if not unbound.isdisjoint(each[2])]
        guides = [
            _Guide(
                part,
                part.args.index(variable),
                tuple(place for place, word in enumerate(part.args) if word not in unbound),
            )
            for part, sign, free in waiting
            if sign and isinstance(part, model.Atom) and variable in free and is_stored(part)
        ]
        unbound.discard(variable)
        tests = [(part, sign) for part, sign, free in waiting if unbound.isdisjoint(free)]
        stages.append(_Stage(variable, type_word, tuple(guides), tuple(tests)))
    return before, stages


def is_stored(atom: model.Atom) -> bool:
    """Whether states know its true instances: it is no equality and no type."""
    return atom.predicate != model.EQUALITY and not atom.predicate.startswith(model.TYPE)


def condition_text(formula: model.Formula, values: Values, *, wanted: bool = True) -> str:
    """A formula, or its negation, as PDDL in which only atoms are negated.

    `values` stand in place of its free variables.

    >>> implication = model.Junction("imply", (model.Atom("p", ("?x",)), model.Atom("q", ())))
    >>> condition_text(implication, {"?x": "a"})
    '(or (not (p a)) (q))'
    """
    if isinstance(formula, model.Atom):
        predicate = formula.predicate.removeprefix(model.TYPE)
        text = f"({' '.join([predicate, *[values.get(word, word) for word in formula.args]])})"
        return text if wanted else f"(not {text})"
    if isinstance(formula, model.Not):
        return condition_text(formula.part, values, wanted=not wanted)
    if isinstance(formula, model.Junction):
        parts = model.signed_parts(formula, wanted)
        texts = [condition_text(part, values, wanted=sign) for part, sign in parts]
        return f"({' '.join(['and' if (formula.word == 'and') is wanted else 'or', *texts])})"
    quantifier = "forall" if (formula.word == "forall") is wanted else "exists"
    words = [(name, model.type_names(word)) for name, word in formula.parameters]
    variables = " ".join(f"{name} - {model.type_text(types)}" for name, types in words)
    return f"({quantifier} ({variables}) {condition_text(formula.part, values, wanted=wanted)})"
