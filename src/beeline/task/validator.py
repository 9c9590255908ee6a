"""Replaying a plan by what the files say, with nothing of normalising or grounding in between.

A step costs a handful of set look-ups, and objects are enumerated only where a quantifier asks
for it: ten thousand steps take well under a second.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from beeline.core.errors import BeelineError, suggestion
from beeline.pddl.model import TRUE, Problem, Quantified, type_names
from beeline.task.lifted_state import Semantics
from beeline.task.plan_file import Plan, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from beeline.pddl.model import ActionSchema, Formula, LiftedLiteral
    from beeline.task.ground_task import GroundTask
    from beeline.task.lifted_state import Args, Fact, State, Values
    from beeline.task.plan_file import Steps

    Branch = tuple[State, int]  # where the steps so far can lead to, at this cost


class FailureKind(str, Enum):
    """Why a plan is not valid; the values are the words in JSON output."""

    UNKNOWN_ACTION = "unknown_action"
    WRONG_ARITY = "wrong_number_of_arguments"
    UNKNOWN_OBJECT = "unknown_object"
    WRONG_TYPE = "wrong_type"
    UNDEFINED_COST = "undefined_cost"
    PRECONDITION = "precondition_not_satisfied"
    GOAL = "goal_not_reached"


class Failure(NamedTuple):
    """The first thing that is wrong with a plan.

    `step` counts from 1; it and `action` are None when all steps apply and only the goal is
    missed. `unsatisfied` lists preconditions or goal literals with objects substituted.
    """

    kind: FailureKind
    message: str
    step: int | None = None
    action: str | None = None
    unsatisfied: tuple[str, ...] = ()


class Validation(NamedTuple):
    """The verdict on a plan; `cost` is None unless the plan is valid."""

    length: int
    cost: int | None
    failure: Failure | None

    @property
    def valid(self) -> bool:
        """Whether every step applies and the goal holds in the end."""
        return self.failure is None


def validate(problem: Problem | GroundTask, plan: Steps, *, unit_costs: bool = False) -> Validation:
    """Judge a plan, or what `Plan` makes one of; of a ground task, only the problem is looked at.

    >>> from beeline.pddl import parse_domain, parse_problem
    >>> domain = parse_domain('''(define (domain lamps) (:predicates (on ?l))
    ...   (:action switch :parameters (?l) :precondition (not (on ?l)) :effect (on ?l)))''')
    >>> problem = parse_problem(domain, '''(define (problem two) (:domain lamps)
    ...   (:objects hall desk) (:init (on hall)) (:goal (and (on hall) (on desk))))''')
    >>> validate(problem, ["(switch desk)"])
    Validation(length=1, cost=1, failure=None)
    >>> validate(problem, ["(switch hall)"]).failure.message
    'precondition not satisfied: (not (on hall))'
    """
    whole = problem if isinstance(problem, Problem) else getattr(problem, "problem", None)
    if not isinstance(whole, Problem):
        message = f"a plan of a {type(problem).__name__} cannot be judged"
        raise BeelineError(message, hint="take a problem, or what beeline.load makes of two files")
    return replay(whole, plan, lambda _: None, unit_costs=unit_costs)


def replay(
    problem: Problem, plan: Steps, watch: Callable[[State], None], *, unit_costs: bool = False
) -> Validation:
    """Judge a plan, and show its states, from the initial one on, as long as steps apply.

    A state that is shown changes with the next step. Where several actions of one name apply to the
    same objects, the first is followed.
    """
    if isinstance(plan, str):
        plan = Plan(plan)  # which says what is wrong
    words = [Step.of(step).words for step in plan]
    try:
        return _Replay(problem, unit_costs=unit_costs).run(words, watch)
    except RecursionError:
        message = "conditions are nested too deeply"
        raise BeelineError(message, problem.file, hint="flatten nested and / or") from None


class _Action(NamedTuple):
    """An action schema made ready: variables, and effects as (literal, condition) pairs.

    The condition of a universal effect is existential: each witness is one instance.
    """

    schema: ActionSchema
    variables: tuple[str, ...]
    effects: tuple[tuple[LiftedLiteral, Formula], ...]


class _Replay:
    def __init__(self, problem: Problem, *, unit_costs: bool) -> None:
        self._problem = problem
        self._semantics = Semantics(problem)
        self._derive: Callable[[State], None] | None = None
        if problem.domain.axioms:
            from beeline.task.derivation import Derivation

            self._derive = Derivation(problem, self._semantics).derive
        self._use_costs = problem.minimize_cost and not unit_costs
        self._actions: dict[str, list[_Action]] = {}
        for schema in problem.domain.actions:
            effects: list[tuple[LiftedLiteral, Formula]] = []
            for parameters, condition, literal in schema.effects:
                if parameters:
                    condition = Quantified("exists", parameters, condition)
                effects.append((literal, TRUE if condition == TRUE else condition))
            variables = tuple(variable for variable, _ in schema.parameters)
            action = _Action(schema, variables, tuple(effects))
            self._actions.setdefault(schema.name, []).append(action)

    def run(self, plan: list[tuple[str, ...]], watch: Callable[[State], None]) -> Validation:
        # More than one branch only where several actions of one name apply to the same objects.
        initial = self._semantics.initial_state()
        if self._derive is not None:
            self._derive(initial)
        branches = [(initial, 0)]
        watch(initial)
        for number, step in enumerate(plan, start=1):
            actions, failure = self._matching_actions(step)
            if failure is None:
                branches, failure = self._apply(actions, step, branches)
            if failure is not None:
                action = f"({' '.join(step)})"
                return Validation(len(plan), None, failure._replace(step=number, action=action))
            watch(branches[0][0])
        goal = self._problem.goal
        costs = [cost for state, cost in branches if self._semantics.holds(goal, {}, state)]
        if costs:
            return Validation(len(plan), min(costs), None)
        missed = self._semantics.unsatisfied(goal, {}, branches[0][0])
        failure = _unsatisfied(FailureKind.GOAL, "goal not reached", missed)
        return Validation(len(plan), None, failure)

    def _matching_actions(self, step: tuple[str, ...]) -> tuple[list[_Action], Failure | None]:
        """The actions of this name whose parameters accept the objects."""
        name, objects = (step[0] if step else ""), step[1:]
        namesakes = self._actions.get(name)
        if namesakes is None:
            hint = suggestion(name, self._actions)
            message = f"unknown action '{name}'" + (f", {hint}" if hint else "")
            return [], Failure(FailureKind.UNKNOWN_ACTION, message)
        actions = [each for each in namesakes if len(each.variables) == len(objects)]
        if not actions:
            expected = " or ".join(str(n) for n in sorted({len(a.variables) for a in namesakes}))
            plural = "" if expected == "1" else "s"
            message = f"action '{name}' takes {expected} object{plural}, not {len(objects)}"
            return [], Failure(FailureKind.WRONG_ARITY, message)
        for each in objects:
            if each not in self._problem.objects:
                return [], Failure(FailureKind.UNKNOWN_OBJECT, f"unknown object '{each}'")
        misfits = [self._misfit(action.schema, objects) for action in actions]
        fitting = [each for each, misfit in zip(actions, misfits, strict=True) if misfit is None]
        return fitting, None if fitting else misfits[0]

    def _misfit(self, schema: ActionSchema, objects: tuple[str, ...]) -> Failure | None:
        for (variable, type_word), each in zip(schema.parameters, objects, strict=True):
            if each not in self._problem.members(type_word):
                wanted = "' or '".join(type_names(type_word))
                message = f"object '{each}' for {variable} is not of type '{wanted}'"
                return Failure(FailureKind.WRONG_TYPE, message)
        return None

    def _apply(
        self, actions: list[_Action], step: tuple[str, ...], branches: list[Branch]
    ) -> tuple[list[Branch], Failure | None]:
        """The branches after a step, or why it applies in none of them."""
        successors: list[Branch] = []
        failures: list[Failure] = []
        copy = len(actions) > 1  # otherwise nobody needs the old state any more
        for before, spent in branches:
            for action in actions:
                values = dict(zip(action.variables, step[1:], strict=True))
                cost, failure = self._cost(action.schema, values, before)
                if failure is not None:
                    failures.append(failure)
                    continue
                added, deleted = self._effects(action, values, before)
                state = before.copy() if copy else before
                state.change(deleted, added)
                if self._derive is not None:
                    self._derive(state)
                successors.append((state, spent + cost))
        if successors:
            return _distinct(successors) if len(successors) > 1 else successors, None
        return [], min(failures, key=lambda failure: len(failure.unsatisfied))

    def _cost(
        self, schema: ActionSchema, values: Values, state: State
    ) -> tuple[int, Failure | None]:
        """The cost of an action, or why it does not apply."""
        if not self._semantics.holds(schema.precondition, values, state):
            missed = self._semantics.unsatisfied(schema.precondition, values, state)
            what = f"precondition{'' if len(missed) == 1 else 's'} not satisfied"
            return 0, _unsatisfied(FailureKind.PRECONDITION, what, missed)
        cost = schema.cost
        if isinstance(cost, tuple):
            term = tuple([values.get(word, word) for word in cost])
            value = self._problem.function_values.get(term)
            if value is None:
                text = f"({' '.join(term)})"
                message = f"the cost {text} has no value in the initial state"
                return 0, Failure(FailureKind.UNDEFINED_COST, message, unsatisfied=(text,))
            cost = value
        return (cost or 0) if self._use_costs else 1, None

    def _effects(
        self, action: _Action, values: Values, state: State
    ) -> tuple[list[Fact], list[Fact]]:
        """The atoms that an action adds and deletes."""
        added: list[Fact] = []
        deleted: list[Fact] = []
        for (predicate, words, negated), condition in action.effects:
            target = deleted if negated else added
            for extended in self._cases(condition, values, state):
                target.append((predicate, tuple([extended.get(word, word) for word in words])))
        return added, deleted

    def _cases(self, condition: Formula, values: Values, state: State) -> Iterable[Values]:
        """All ways to make a condition true: `values`, extended if it is existential."""
        if condition is TRUE:
            return (values,)
        if isinstance(condition, Quantified) and condition.word == "exists":
            return self._semantics.bindings(condition, values, state)
        return (values,) if self._semantics.holds(condition, values, state) else ()


def _distinct(branches: list[Branch]) -> list[Branch]:
    """Each state once, with its lowest cost."""
    cheapest: dict[frozenset[tuple[str, frozenset[Args]]], Branch] = {}
    for state, cost in branches:
        key = state.key()
        if key not in cheapest or cost < cheapest[key][1]:
            cheapest[key] = state, cost
    return list(cheapest.values())


def _unsatisfied(kind: FailureKind, what: str, texts: Sequence[str]) -> Failure:
    more = f" and {len(texts) - 5} more" if len(texts) > 5 else ""
    return Failure(kind, f"{what}: {', '.join(texts[:5])}{more}", unsatisfied=tuple(texts))
