"""Lifted invariants: sets of atoms of which at most one is true in every reachable state.

What makes an invariant is the translator's; which candidates are tried is `InvariantSearch`.
The translator's invariant finder wants to see the parameters of all reachable instances of an
action, but asks only whether two parameters are ever equal. A few witness tuples tell it the
same, so its result is what it would be for the full list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.pddl.invariant_search import InvariantSearch

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from beeline.pddl.lifted import NormalizedTask

    Invariant = tuple[tuple[str, tuple[int, ...]], ...]

COUNTED = -1


def find_invariants(
    normalized: NormalizedTask, equal_pairs: Sequence[Collection[tuple[int, int]] | None]
) -> list[Invariant]:
    """The invariants, each a sorted tuple of parts `(predicate, arguments)`.

    An argument is the number of an invariant parameter, or -1 for the counted position.
    `equal_pairs[i]` holds the positions p < q of parameters of action i that are equal in at
    least one reachable instance; None says that the action has no reachable instance.

    >>> from beeline import pddl
    >>> domain = pddl.parse_domain('''(define (domain d) (:predicates (at ?r))
    ...   (:action go :parameters (?a ?b) :precondition (at ?a)
    ...    :effect (and (not (at ?a)) (at ?b))))''')
    >>> problem = pddl.parse_problem(domain, '''(define (problem t) (:domain d)
    ...   (:objects x y) (:init (at x)) (:goal (at y)))''')
    >>> find_invariants(pddl.normalize(problem), [[]])
    [(('at', (-1,)),)]
    """
    actions = normalized.translator_task.actions
    reachable = {
        action: [] if pairs is None else _witnesses(len(action.parameters), pairs)
        for action, pairs in zip(actions, equal_pairs, strict=True)
    }
    found = InvariantSearch(normalized.translator_task, reachable).run()
    return [tuple(sorted((part.predicate, part.args) for part in parts)) for parts in found]


def _witnesses(arity: int, pairs: Collection[tuple[int, int]]) -> list[tuple[int, ...]]:
    different = tuple(range(arity))
    witnesses = [different]
    for first, second in pairs:
        witnesses.append((*different[:second], first, *different[second + 1 :]))
    return witnesses
