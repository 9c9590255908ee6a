"""A replay of plans that shares nothing with the validator.

Nested lists, every object, no short cuts.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from beeline.pddl.writer import condition_to_list, effect_to_list

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from beeline.pddl.model import Problem

    Step = tuple[str, ...]
    State = frozenset[Step]


def substitute(tree: Any, values: dict[str, str]) -> Any:
    if isinstance(tree, str):
        return values.get(tree, tree)
    return [substitute(part, values) for part in tree]


def bindings(problem: Problem, words: list[str]) -> Iterator[dict[str, str]]:
    members = [problem.objects_of_type(word) for word in words[2::3]]
    for choice in product(*members):
        yield dict(zip(words[::3], choice, strict=True))


def truth(problem: Problem, tree: list[Any], state: State) -> bool:
    head, *rest = tree
    if head == "not":
        return not truth(problem, rest[0], state)
    if head in ("and", "or"):
        return (all if head == "and" else any)([truth(problem, part, state) for part in rest])
    if head == "imply":
        return not truth(problem, rest[0], state) or truth(problem, rest[1], state)
    if head in ("forall", "exists"):
        cases = [substitute(rest[1], values) for values in bindings(problem, rest[0])]
        return (all if head == "forall" else any)([truth(problem, case, state) for case in cases])
    if head == "=":
        return bool(rest[0] == rest[1])
    if head.startswith("type@"):
        return rest[0] in problem.objects_of_type(head.removeprefix("type@"))
    return tuple(tree) in state


def successor(problem: Problem, step: Step, state: State) -> tuple[State, int] | None:
    for action in problem.domain.actions:
        if action.name != step[0] or len(action.parameters) != len(step) - 1:
            continue
        values = {
            variable: name for (variable, _), name in zip(action.parameters, step[1:], strict=True)
        }
        typed = all(
            values[variable] in problem.objects_of_type(word)
            for variable, word in action.parameters
        )
        cost = action.cost or 0
        if isinstance(cost, tuple):
            cost = problem.function_values.get(tuple(substitute(list(cost), values)), -1)
        condition = substitute(condition_to_list(action.precondition), values)
        if not typed or cost < 0 or not truth(problem, condition, state):
            continue
        added, deleted = set(), set()
        for effect in action.effects:
            _, words, (_, when, literal) = effect_to_list(effect)
            for choice in bindings(problem, words):
                if truth(problem, substitute(when, {**values, **choice}), state):
                    made = substitute(literal, {**values, **choice})
                    if made[0] == "not":
                        deleted.add(tuple(made[1]))
                    else:
                        added.add(tuple(made))
        return (state - deleted) | added, cost if problem.minimize_cost else 1
    return None


def brute_force(problem: Problem, plan: list[Step]) -> tuple[bool, int | None, int | None]:
    """Valid?, cost, number of the first failing step."""
    state, total = frozenset(problem.init), 0
    for number, step in enumerate(plan, start=1):
        reached = successor(problem, step, state)
        if reached is None:
            return False, None, number
        state, total = reached[0], total + reached[1]
    if truth(problem, condition_to_list(problem.goal), state):
        return True, total, None
    return False, None, None


def all_steps(problem: Problem) -> list[Step]:
    return [
        (action.name, *choice)
        for action in problem.domain.actions
        for choice in product(*[problem.objects_of_type(word) for _, word in action.parameters])
    ]
