"""From a problem to actions whose conditions are conjunctions of literals.

Universal quantifiers are expanded over the objects, so that no axioms are needed. Then the
translator's normaliser splits disjunctions into several actions and makes existentially
quantified variables invisible parameters. A goal that is no conjunction of literals becomes the
precondition of an artificial action. Actions that can never apply or have no effect are left out,
and so are effects that never take place.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

from fast_downward.translate import pddl

from beeline.core.errors import UnsupportedError
from beeline.pddl.expansion import (
    MAX_DISJUNCTS,
    MAX_LITERALS,
    Expander,
    TooLargeError,
    free_in_universal_parts,
    normal_form_size,
)
from beeline.pddl.formula import lasting
from beeline.pddl.lifted import (
    GOAL_ACTION,
    GOAL_PREDICATE,
    LiftedAction,
    LiftedEffect,
    LiftedLiteral,
    NormalizedTask,
)
from beeline.pddl.translator import make_predicates, normalize_task

if TYPE_CHECKING:
    from typing import Any

    from beeline.pddl.model import ActionSchema, Problem


def normalize(problem: Problem) -> NormalizedTask:
    """Normalise a problem; the problem itself stays as it is.

    >>> from beeline import pddl
    >>> domain = pddl.parse_domain('''(define (domain d) (:predicates (p ?x) (q ?x))
    ...   (:action a :parameters (?x) :precondition (or (p ?x) (q ?x)) :effect (p ?x)))''')
    >>> problem = pddl.parse_problem(domain, '''(define (problem t) (:domain d)
    ...   (:objects o) (:init (q o)) (:goal (p o)))''')
    >>> [action.precondition[0].predicate for action in normalize(problem).actions]
    ['p', 'q']
    """
    domain = problem.domain
    expander = Expander(problem, domain.changed_predicates())
    limit = _DisjunctLimit()
    schemas = [schema for schema in domain.actions if schema.effects]
    actions = [action for schema in schemas for action in _expanded(schema, expander, limit)]
    arities = {predicate.name: predicate.arity for predicate in domain.predicates.values()}
    goal = _expanded_goal(problem, expander, limit)
    if goal is not None and not _is_conjunctive(goal):
        arities[GOAL_PREDICATE] = 0
        reached = pddl.Atom(GOAL_PREDICATE, [])
        effect = pddl.Effect([], pddl.Truth(), reached)
        actions.append(pddl.Action(GOAL_ACTION, [], 0, goal, [effect], 0))
        goal = reached
    task = pddl.Task(
        *(domain.name, problem.name, None, [], [], make_predicates(arities), [], []),
        *(pddl.Truth() if goal is None else goal, actions, [], problem.minimize_cost),
    )
    normalize_task(task, problem.file)
    changed = frozenset(e.literal.predicate for a in task.actions for e in a.effects)
    task.actions = [a for a in task.actions if not isinstance(a.precondition, pddl.Falsity)]
    for action in task.actions:
        possible = [e for e in action.effects if not isinstance(e.condition, pddl.Falsity)]
        action.effects = possible
    return NormalizedTask(
        problem,
        tuple(_lift_action(action) for action in task.actions),
        None if goal is None else _lift_conjunction(goal),
        changed,
        task,
    )


class _DisjunctLimit:
    """Refuses, before they are built, normal forms that would be too large together."""

    __slots__ = ("disjuncts", "literals")

    def __init__(self) -> None:
        self.disjuncts = 0
        self.literals = 0

    def check(self, condition: Any) -> None:
        if condition.has_disjunction():
            disjuncts, literals = normal_form_size(condition)
            disjuncts += self.disjuncts
            literals += self.literals
            if disjuncts > MAX_DISJUNCTS or literals > MAX_LITERALS:
                raise TooLargeError(
                    f"the disjunctive normal forms have more than {MAX_DISJUNCTS} disjuncts"
                    f" or {MAX_LITERALS} literals"
                )
            self.disjuncts, self.literals = disjuncts, literals


def _expanded(schema: ActionSchema, expander: Expander, limit: _DisjunctLimit) -> list[Any]:
    try:
        effects = []
        for effect in lasting(schema.effects):
            condition = expander.expand(effect.condition)
            limit.check(condition)
            parameters = [pddl.TypedObject(*pair) for pair in effect.parameters]
            effects.append(pddl.Effect(parameters, condition, _literal(effect.literal)))
        preconditions = _expanded_preconditions(schema, expander, limit)
    except TooLargeError as error:
        raise UnsupportedError(
            f"a condition of action '{schema.name}' is too large: {error}",
            expander.problem.domain.file,
            schema.line,
            "use fewer disjunctions and quantifiers",
        ) from None
    parameters = [pddl.TypedObject(*pair) for pair in schema.parameters]
    arguments = (schema.name, parameters, len(parameters))
    return [
        # Each action renames variables in its effects, so none may share them with another.
        pddl.Action(*arguments, precondition, [e.copy() for e in effects], schema.cost)
        for precondition in preconditions
    ]


def _expanded_preconditions(
    schema: ActionSchema, expander: Expander, limit: _DisjunctLimit
) -> list[Any]:
    """The precondition without universal quantifiers, or several that exclude each other.

    In `(forall (?y) (imply (near ?x ?y) (clear ?y)))` a static `near` can be evaluated only when
    ?x is known. If the condition is too large as it is, there is one for each value of ?x.
    """
    try:
        precondition = expander.expand(schema.precondition)
        limit.check(precondition)
        return [precondition]
    except TooLargeError:
        types = dict(schema.parameters)
        variables = sorted(free_in_universal_parts(schema.precondition))
        if not variables or not types.keys() >= set(variables):
            raise
        objects = [expander.problem.objects_of_type(types[name]) for name in variables]
        if prod(map(len, objects)) > MAX_DISJUNCTS:
            raise
    result = []
    for choice in product(*objects):
        values = dict(zip(variables, choice, strict=True))
        equalities = [pddl.Atom("=", pair) for pair in values.items()]
        instance = expander.expand(schema.precondition, values)
        if not isinstance(instance, pddl.Falsity):
            limit.check(instance)
            result.append(pddl.Conjunction([*equalities, instance]).simplified())
    return result or [pddl.Falsity()]


def _expanded_goal(problem: Problem, expander: Expander, limit: _DisjunctLimit) -> Any:
    """The goal without universal quantifiers; None if it is false."""
    try:
        goal = expander.expand(problem.goal)
        limit.check(goal)
    except TooLargeError as error:
        raise UnsupportedError(
            f"the goal is too large: {error}",
            problem.file,
            problem.goal_line,
            "use fewer disjunctions and quantifiers",
        ) from None
    return None if isinstance(goal, pddl.Falsity) else goal


def _is_conjunctive(condition: Any) -> bool:
    if isinstance(condition, pddl.Conjunction):
        return all(isinstance(part, pddl.Literal) for part in condition.parts)
    return isinstance(condition, (pddl.Literal, pddl.Truth))


def _lift_action(action: Any) -> LiftedAction:
    effects = [
        LiftedEffect(
            tuple((p.name, p.type_name) for p in effect.parameters),
            _lift_conjunction(effect.condition),
            _lift_literal(effect.literal),
        )
        for effect in action.effects
    ]
    return LiftedAction(
        action.name,
        tuple((parameter.name, parameter.type_name) for parameter in action.parameters),
        action.num_external_parameters,
        _lift_conjunction(action.precondition),
        tuple(effects),
        action.cost,
    )


def _lift_conjunction(condition: Any) -> tuple[LiftedLiteral, ...]:
    if isinstance(condition, pddl.Literal):
        return (_lift_literal(condition),)
    return tuple(_lift_literal(part) for part in condition.parts)


def _literal(literal: LiftedLiteral) -> Any:
    return (pddl.NegatedAtom if literal.negated else pddl.Atom)(literal.predicate, literal.args)


def _lift_literal(literal: Any) -> LiftedLiteral:
    return LiftedLiteral(literal.predicate, literal.args, literal.negated)
