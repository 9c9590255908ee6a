"""What a domain file and a problem file say, checked but not normalised, and their normal form.

Formulas and effects are as the file has them: nothing is simplified or negated. The tree is made
of named tuples, so it can be compared, hashed and pickled as it is. No two kinds of node are equal
as tuples, because connectives cannot be names of predicates.

Normalisation produces lifted actions with conjunctive conditions, as plain tuples.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Formula: TypeAlias = "Atom | Not | Junction | Quantified"
    Parameters = tuple[tuple[str, str], ...]  # (variable, type word)
    Cost = int | tuple[str, ...] | None

EQUALITY = "="
TYPE = "type@"  # before the name of a type that is used as a predicate
EITHER = "either@"  # before the names of several types, in one word


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


class LiftedLiteral(NamedTuple):
    """An atom or its negation."""

    predicate: str
    args: tuple[str, ...]
    negated: bool


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
        for part, sign in signed_parts(formula, negated):
            yield from literals(part, quantified, negated=sign)


def signed_parts(formula: Junction, sign: bool) -> list[tuple[Formula, bool]]:
    """The parts, each with the sign of the whole, which is the opposite in a premise."""
    premise = sign != (formula.word == "imply")
    return [(part, sign if place else premise) for place, part in enumerate(formula.parts)]


def free_variables(formula: Formula) -> set[str]:
    """The variables of a formula that none of its quantifiers binds."""
    found = set()
    for literal, quantified in literals(formula):
        found |= {word for word in literal.args if word[0] == "?" and word not in quantified}
    return found


def lasting(effects: Sequence[Effect]) -> list[Effect]:
    """The effects without deletions that an addition under the same condition always undoes."""
    added = {each for each in effects if not each.literal.negated}

    def is_undone(each: Effect) -> bool:
        return each._replace(literal=each.literal._replace(negated=False)) in added

    return [each for each in effects if not each.literal.negated or not is_undone(each)]


class PddlWarning(NamedTuple):
    """Something sloppy that was repaired.

    >>> print(PddlWarning("task.pddl", 3, "object 'a' is declared twice"))
    task.pddl:3: object 'a' is declared twice
    """

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class Predicate(NamedTuple):
    """A predicate; each parameter has one type name, or several for `(either ...)`."""

    name: str
    parameter_types: tuple[tuple[str, ...], ...]

    @property
    def arity(self) -> int:
        """The number of arguments."""
        return len(self.parameter_types)


def type_word(names: tuple[str, ...]) -> str:
    """One word for one or several type names.

    >>> type_word(("truck",)), type_word(("truck", "boat", "truck"))
    ('truck', 'either@boat@truck')
    """
    if len(names) == 1:
        return names[0]
    unique = sorted(set(names))
    return unique[0] if len(unique) == 1 else EITHER + "@".join(unique)


def type_names(word: str) -> tuple[str, ...]:
    """The type names in a type word.

    >>> type_names("truck"), type_names("either@boat@truck")
    (('truck',), ('boat', 'truck'))
    """
    return tuple(word[len(EITHER) :].split("@")) if word.startswith(EITHER) else (word,)


def type_text(names: tuple[str, ...]) -> str:
    """Type names as PDDL.

    >>> type_text(("truck",)), type_text(("boat", "truck"))
    ('truck', '(either boat truck)')
    """
    return names[0] if len(names) == 1 else f"(either {' '.join(names)})"


class ActionSchema(NamedTuple):
    """An action as written: (variable, type word) pairs, condition, effects and cost.

    Without effects it is of no use to a search, but a plan may have it. `cost` is a constant,
    `(function, argument, ...)`, or None without a cost effect. `line` is known only for actions
    whose conditions have disjunctions or quantifiers.
    """

    name: str
    parameters: Parameters
    precondition: Formula
    effects: tuple[Effect, ...]
    cost: Cost
    line: int | None = None

    def __repr__(self) -> str:
        return f"<ActionSchema {self.name}/{len(self.parameters)}>"


class Axiom(NamedTuple):
    """An atom of a derived predicate is true where the condition holds, as written."""

    predicate: str
    parameters: Parameters
    condition: Formula
    line: int | None = None


class Domain:
    """A domain file: vocabulary, actions and axioms.

    `types` maps each type to itself and all its supertypes; `constants` maps names to declared
    types; `functions` maps names to arities; `requirements` holds what is declared or used.
    """

    def __init__(
        self,
        name: str,
        requirements: tuple[str, ...],
        types: Mapping[str, tuple[str, ...]],
        constants: Mapping[str, tuple[str, ...]],
        predicates: Mapping[str, Predicate],
        functions: Mapping[str, int],
        actions: tuple[ActionSchema, ...],
        file: str,
        warnings: tuple[PddlWarning, ...] = (),
        axioms: tuple[Axiom, ...] = (),
    ) -> None:
        self.name = name
        self.requirements = requirements
        self.types = types
        self.constants = constants
        self.predicates = predicates
        self.functions = functions
        self.actions = actions
        self.file = file
        self.warnings = warnings
        self.axioms = axioms

    def __repr__(self) -> str:
        return f"<Domain {self.name}: {len(self.actions)} actions>"

    def changed_predicates(self) -> frozenset[str]:
        """The predicates in an effect of some action, and derived ones; all others are static."""
        changed = [e.literal.predicate for action in self.actions for e in action.effects]
        return frozenset(changed) | self.derived_predicates()

    def derived_predicates(self) -> frozenset[str]:
        """The predicates that axioms define."""
        return frozenset(axiom.predicate for axiom in self.axioms)


class Problem:
    """A problem file together with its domain.

    `objects` maps names to declared types, constants first; `init` lists `(predicate, argument,
    ...)` in file order, each once, without equality; `function_values` gives the costs that
    actions may refer to; `warnings` includes those of the domain file. `goal_line` is known only
    for goals with disjunctions or quantifiers.
    """

    def __init__(
        self,
        domain: Domain,
        name: str,
        objects: Mapping[str, tuple[str, ...]],
        init: list[tuple[str, ...]],
        function_values: Mapping[tuple[str, ...], int],
        goal: Formula,
        minimize_cost: bool,
        file: str,
        warnings: tuple[PddlWarning, ...] = (),
        goal_line: int | None = None,
    ) -> None:
        self.domain = domain
        self.name = name
        self.objects = objects
        self.init = init
        self.function_values = function_values
        self.goal = goal
        self.minimize_cost = minimize_cost
        self.file = file
        self.warnings = warnings
        self.goal_line = goal_line
        self._members: dict[str, frozenset[str]] = {}

    def __repr__(self) -> str:
        return f"<Problem {self.name}: {len(self.objects)} objects, {len(self.init)} facts>"

    def objects_of_type(self, word: str) -> list[str]:
        """Names of the objects of a type word (`truck` or `either@boat@truck`), in order.

        The list is shared between calls and must not be changed.
        """
        found = self._by_type.get(word)
        if found is None:
            union = {each for name in type_names(word) for each in self._by_type.get(name, ())}
            found = self._by_type[word] = [name for name in self.objects if name in union]
        return found

    def members(self, word: str) -> frozenset[str]:
        """The objects of a type word, as a set."""
        found = self._members.get(word)
        if found is None:
            found = self._members[word] = frozenset(self.objects_of_type(word))
        return found

    @cached_property
    def _by_type(self) -> dict[str, list[str]]:
        supertypes = self.domain.types
        groups: dict[str, list[str]] = {name: [] for name in supertypes}
        above: dict[tuple[str, ...], dict[str, None]] = {}
        for name, declared in self.objects.items():
            if declared not in above:
                above[declared] = dict.fromkeys(s for each in declared for s in supertypes[each])
            for supertype in above[declared]:
                groups[supertype].append(name)
        return groups

    def __reduce__(self) -> tuple[Any, ...]:
        # The arguments of `__init__` in their order, without what is only kept to be quick.
        return Problem, tuple(value for name, value in vars(self).items() if name[0] != "_")


def domain_signature(domain: Domain) -> dict[str, Any]:
    """Name, types, constants, predicates and the actions that have an effect, as plain values.

    >>> from beeline.pddl import parse_domain
    >>> domain_signature(parse_domain("(define (domain d) (:predicates (p ?x)))"))["predicates"]
    {'p': [['object']]}
    """
    return {
        "name": domain.name,
        "types": {name: list(domain.types[name]) for name in sorted(domain.types)},
        "constants": {name: list(domain.constants[name]) for name in sorted(domain.constants)},
        "predicates": {
            name: [list(types) for types in domain.predicates[name].parameter_types]
            for name in sorted(domain.predicates)
        },
        "actions": {
            action.name: [list(type_names(word)) for _, word in action.parameters]
            for action in sorted(domain.actions, key=lambda action: action.name)
            if action.effects
        },
    }


GOAL_ACTION = "@reach-goal"
GOAL_PREDICATE = "@goal-reached"


class LiftedEffect(NamedTuple):
    """For all values of `parameters` where `condition` holds, make `literal` true."""

    parameters: Parameters
    condition: tuple[LiftedLiteral, ...]
    literal: LiftedLiteral


class LiftedAction(NamedTuple):
    """An action with (variable, type word) parameters, the first `external` of them in its name.

    `cost` is a constant, `(function, argument, ...)`, or None when no effect speaks of cost.
    """

    name: str
    parameters: Parameters
    external: int
    precondition: tuple[LiftedLiteral, ...]
    effects: tuple[LiftedEffect, ...]
    cost: Cost


class NormalizedTask(NamedTuple):
    """A problem after normalisation.

    `goal` is a conjunction, or None if it is false for every state. When the goal has several
    disjuncts it is `(@goal-reached)`, and actions named `@reach-goal` make that true.
    `fluent_predicates` are those in some effect, also of actions that were dropped because
    their precondition is false, and derived ones. An axiom is an action whose only effect is the
    derived atom. The invariant finder gets the translator's task, its actions in this order. If it
    is `exact`, the translator has it so; otherwise axioms may be multiplied out.
    """

    problem: Problem
    actions: tuple[LiftedAction, ...]
    goal: tuple[LiftedLiteral, ...] | None
    fluent_predicates: frozenset[str]
    axioms: tuple[LiftedAction, ...]
    translator_task: Any
    exact: bool

    def __repr__(self) -> str:
        return f"<NormalizedTask {self.problem.name}: {len(self.actions)} actions>"

    def __reduce__(self) -> tuple[Any, ...]:
        from beeline.pddl.normal_form import normalize

        return partial(normalize, exact=self.exact), (self.problem,)
