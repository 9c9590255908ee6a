"""What normalisation produces: lifted actions with conjunctive conditions, as plain tuples."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

    from beeline.pddl.model import Cost, Problem

GOAL_ACTION = "@reach-goal"
GOAL_PREDICATE = "@goal-reached"


class LiftedLiteral(NamedTuple):
    """A literal over variables (`?x`) and object names.

    Predicate `=` is equality and `type@NAME` is membership in a type.
    """

    predicate: str
    args: tuple[str, ...]
    negated: bool


class LiftedEffect(NamedTuple):
    """For all values of `parameters` where the static `condition` holds, make `literal` true."""

    parameters: tuple[tuple[str, str], ...]
    condition: tuple[LiftedLiteral, ...]
    literal: LiftedLiteral


class LiftedAction(NamedTuple):
    """An action with (variable, type word) parameters, the first `external` of them in its name.

    `cost` is a constant, `(function, argument, ...)`, or None when no effect speaks of cost.
    """

    name: str
    parameters: tuple[tuple[str, str], ...]
    external: int
    precondition: tuple[LiftedLiteral, ...]
    effects: tuple[LiftedEffect, ...]
    cost: Cost


class NormalizedTask(NamedTuple):
    """A problem after normalisation.

    `goal` is a conjunction, or None if it is false for every state. When the goal has several
    disjuncts it is `(@goal-reached)`, and actions named `@reach-goal` make that true.
    `fluent_predicates` are those in some effect, also of actions that were dropped because
    their precondition is false. The translator's task, with its actions in the order of `actions`,
    is kept for the invariant finder.
    """

    problem: Problem
    actions: tuple[LiftedAction, ...]
    goal: tuple[LiftedLiteral, ...] | None
    fluent_predicates: frozenset[str]
    translator_task: Any

    def __repr__(self) -> str:
        return f"<NormalizedTask {self.problem.name}: {len(self.actions)} actions>"

    def __reduce__(self) -> tuple[Any, ...]:
        from beeline.pddl.normal_form import normalize

        return normalize, (self.problem,)
