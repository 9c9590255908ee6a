"""From two PDDL files, or a lifted problem, to a ground task.

The native grounder takes a normalised task as tuples of numbers. Objects and predicates are
numbered in the order of their names, so that the engine sorts by name when it sorts by number.
Predicates that no action, no axiom and no goal mentions stay behind.
"""

from __future__ import annotations

import math
from array import array
from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError, UnsupportedError
from beeline.pddl.model import EQUALITY, GOAL_ACTION, TYPE, LiftedLiteral, Problem
from beeline.task.ground_task import GroundTask

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from beeline.pddl.model import LiftedAction, LiftedEffect, NormalizedTask

    LiteralTuple = tuple[int, list[int], bool]
    EffectTuple = tuple[list[int], list[LiteralTuple], LiteralTuple]
    ActionTuple = tuple[
        int, int, list[int], list[LiteralTuple], list[EffectTuple], int, int, list[int]
    ]
    PredicateTuple = tuple[int, bool, int, bytes, bytes]
    Program = tuple[
        int, list[PredicateTuple], list[ActionTuple], list[ActionTuple], list[LiteralTuple]
    ]


FUNCTION = "function@"
FALSE = "@false"
# Operators that are written down: with more of them, actions with a large share stay schemas. So
# many take ten seconds and two gigabytes; half as many are planned well, with relaxed plans left
# out but all improvement of plans at work.
MOST_OPERATORS = 30_000_000


class Lowering:
    """The tables between names and numbers for one task, and the grounder's arguments."""

    def __init__(self, task: NormalizedTask, *, unit_costs: bool) -> None:
        self._task = task
        self._use_costs = task.problem.minimize_cost and not unit_costs
        self.objects = sorted(task.problem.objects)
        self._goal = (LiftedLiteral(FALSE, (), False),) if task.goal is None else task.goal
        self._object_ids = {name: number for number, name in enumerate(self.objects)}
        arities = dict(self._mentioned_predicates())
        self.predicates = sorted(arities)
        self._arities = [arities[name] for name in self.predicates]
        self._predicate_ids = {name: number for number, name in enumerate(self.predicates)}
        self.action_names = [action.name for action in task.actions]

    def program(self) -> Program:
        """The arguments of `_native.Grounder`: objects, predicates, actions, axioms, goal."""
        ranks = {name: rank for rank, name in enumerate(sorted(set(self.action_names)))}
        actions = [self._action(action, ranks[action.name]) for action in self._task.actions]
        axioms = [self._action(axiom, 0) for axiom in self._task.axioms]
        goal = self._literals(self._goal, {})
        return len(self.objects), self._predicates(), actions, axioms, goal

    def invariants(
        self, invariants: Iterable[Sequence[tuple[str, tuple[int, ...]]]]
    ) -> list[tuple[int, list[tuple[int, list[int]]]]]:
        """Lifted invariants with numbers for predicates, for `_native.Grounder.finish`."""
        ids = self._predicate_ids
        return [
            (sum(arg >= 0 for arg in parts[0][1]), [(ids[name], [*args]) for name, args in parts])
            for parts in invariants
        ]

    def _mentioned_predicates(self) -> Iterable[tuple[str, int]]:
        for literal in self._goal:
            yield literal.predicate, len(literal.args)
        for action in (*self._task.actions, *self._task.axioms):
            used = [*action.precondition, *(effect.literal for effect in action.effects)]
            typed = [action.parameters, *(effect.parameters for effect in action.effects)]
            for literal in (*used, *(each for e in action.effects for each in e.condition)):
                yield literal.predicate, len(literal.args)
            for _, type_word in chain.from_iterable(typed):
                yield TYPE + type_word, 1
            if isinstance(action.cost, tuple):
                yield FUNCTION + action.cost[0], len(action.cost) - 1

    def _predicates(self) -> list[PredicateTuple]:
        problem = self._task.problem
        ids = self._object_ids
        atoms = {name: array("i") for name in self.predicates}
        counts = dict.fromkeys(self.predicates, 0)
        values = {name: array("q") for name in self.predicates}  # of functions
        for name, *arguments in problem.init:
            if name in counts:
                counts[name] += 1
                atoms[name].extend([ids[argument] for argument in arguments])
        for (function, *arguments), value in problem.function_values.items():
            name = FUNCTION + function
            if name in counts:
                counts[name] += 1
                atoms[name].extend([ids[argument] for argument in arguments])
                values[name].append(value)
        for name in self.predicates:
            if name == EQUALITY:
                counts[name] = len(ids)
                atoms[name].extend([number for number in range(len(ids)) for _ in range(2)])
            elif name.startswith(TYPE):
                members = problem.objects_of_type(name[len(TYPE) :])
                counts[name] = len(members)
                atoms[name].extend([ids[member] for member in members])
        fluents = self._task.fluent_predicates
        return [
            (arity, name in fluents, counts[name], atoms[name].tobytes(), values[name].tobytes())
            for name, arity in zip(self.predicates, self._arities, strict=True)
        ]

    def _action(self, action: LiftedAction, name: int) -> ActionTuple:
        variables = {variable: place for place, (variable, _) in enumerate(action.parameters)}
        precondition = self._literals(action.precondition, variables)
        effects = [self._effect(effect, variables) for effect in action.effects]
        cost, function = 1, -1
        arguments: list[int] = []
        if isinstance(action.cost, tuple):
            function = self._predicate_ids[FUNCTION + action.cost[0]]
            arguments = self._arguments(action.cost[1:], variables)
            if not self._use_costs:  # an undefined cost makes the action inapplicable all the same
                precondition.append((function, arguments, False))
                function, arguments = -1, []
        elif self._use_costs:
            cost = action.cost or 0
        if action.name == GOAL_ACTION:
            cost = 0
        types = [self._predicate_ids[TYPE + word] for _, word in action.parameters]
        return name, action.external, types, precondition, effects, cost, function, arguments

    def _effect(self, effect: LiftedEffect, variables: dict[str, int]) -> EffectTuple:
        if effect.parameters:
            variables = dict(variables)
            for variable, _ in effect.parameters:
                variables[variable] = len(variables)
        types = [self._predicate_ids[TYPE + word] for _, word in effect.parameters]
        condition = self._literals(effect.condition, variables)
        return types, condition, self._literal(effect.literal, variables)

    def _literals(
        self, literals: Iterable[LiftedLiteral], variables: dict[str, int]
    ) -> list[LiteralTuple]:
        return [self._literal(literal, variables) for literal in literals]

    def _literal(self, literal: LiftedLiteral, variables: dict[str, int]) -> LiteralTuple:
        arguments = self._arguments(literal.args, variables)
        return self._predicate_ids[literal.predicate], arguments, literal.negated

    def _arguments(self, arguments: Iterable[str], variables: dict[str, int]) -> list[int]:
        # A constant is stored as the complement of its number, so that it is negative.
        return [
            variables[argument] if argument[0] == "?" else ~self._object_ids[argument]
            for argument in arguments
        ]


def load(
    domain: str | os.PathLike[str],
    task: str | os.PathLike[str],
    *,
    unit_costs: bool = False,
    as_translator: bool = False,
    most_operators: float = MOST_OPERATORS,
) -> GroundTask:
    """Read a domain and a task file and ground them.

    Args:
        domain: The file of the domain.
        task: The file of the task.
        unit_costs: Whether every operator costs 1, whatever the files say.
        as_translator: Whether universally quantified conditions become axioms, see `ground`.
        most_operators: How many operators are written down, see `ground`.

    >>> import pathlib, tempfile
    >>> from beeline.generators import domain_text, instances
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> ((_, task_text),) = instances("ferry", count=1, cars=2, locations=3)
    >>> _ = (folder / "domain.pddl").write_text(domain_text("ferry"))
    >>> _ = (folder / "task.pddl").write_text(task_text)
    >>> load(folder / "domain.pddl", folder / "task.pddl")
    <GroundTask ferry-0-0000: 12 facts, 18 operators, 4 variables>
    """
    from beeline.pddl import read_domain, read_problem

    start = perf_counter()
    problem = read_problem(read_domain(domain), task)
    ground_task = ground(
        problem,
        unit_costs=unit_costs,
        as_translator=as_translator,
        most_operators=most_operators,
    )
    ground_task.parse_time = perf_counter() - start - ground_task.ground_time
    return ground_task


def as_task(given: object) -> GroundTask:
    """The ground task of a problem; a ground task is one already."""
    if isinstance(given, GroundTask):
        return given
    if isinstance(given, Problem):
        return ground(given)
    kind = type(given).__name__
    raise BeelineError(
        f"there is {'an' if kind[0] in 'aeiou' else 'a'} {kind} where a task belongs",
        hint="beeline.load(domain_file, task_file) makes one",
    )


def ground(
    problem: Problem,
    *,
    unit_costs: bool = False,
    as_translator: bool = False,
    most_operators: float = MOST_OPERATORS,
) -> GroundTask:
    """All facts and operators of a lifted problem that can matter for its goal.

    Args:
        problem: The lifted problem.
        unit_costs: Whether every operator costs 1, whatever the problem says.
        as_translator: Whether universally quantified conditions, and goals that are no
            conjunctions, become axioms, as in Fast Downward's translator: `beeline inspect` counts
            so. Otherwise they become conditions of operators and goals, unless they have thousands
            of cases, since searches, heuristics and models do better with them. Domains with
            derived predicates are always as the translator has them, and all operators are
            written down.
        most_operators: In a task with more operators, actions that have many of them are not
            written down: their operators are found state by state, and heuristics that look at all
            operators refuse the task. `math.inf` writes all of them down.

    >>> from beeline.pddl import parse_domain, parse_problem
    >>> domain = parse_domain('''(define (domain lamps) (:predicates (on ?l))
    ...   (:action switch :parameters (?l) :precondition (not (on ?l)) :effect (on ?l)))''')
    >>> problem = parse_problem(domain, '''(define (problem two) (:domain lamps)
    ...   (:objects hall desk) (:init (on hall)) (:goal (and (on hall) (on desk))))''')
    >>> task = ground(problem)
    >>> task.fact_names, task.operator_names
    (['(on desk)'], ['(switch desk)'])
    """
    from beeline._native import Grounder
    from beeline.pddl.normal_form import find_invariants, normalize

    start = perf_counter()
    normalized = normalize(problem, exact=as_translator)
    lowering = Lowering(normalized, unit_costs=unit_costs)
    grounder = Grounder(*lowering.program())
    most = math.inf if as_translator else most_operators
    equal_parameters = grounder.explore(most)
    invariants = lowering.invariants(find_invariants(normalized, equal_parameters))
    inlined = bool(normalized.axioms) and not normalized.exact
    try:
        try:
            native = grounder.finish(invariants, inlined)
        except ValueError:  # conditional effects that the engine would have to multiply out
            if not inlined:
                raise
            grounder = Grounder(*lowering.program())
            grounder.explore(most)
            native = grounder.finish(invariants)
    except ValueError as error:
        hint = "use fewer conditional effects that add the same fact"
        if "negation" in str(error):
            hint = "a predicate may not be asked for inside a 'forall' of its own axiom"
        raise UnsupportedError(f"{error}", problem.domain.file, hint=hint) from None
    return GroundTask(
        problem,
        native,
        lowering.objects,
        lowering.predicates,
        lowering.action_names,
        goal_literals=normalized.goal or (),
        unit_costs=unit_costs,
        ground_time=perf_counter() - start,
    )
