"""One ground task as a hypergraph: facts are vertices, operators without deletes are hyperedges.

After Shen, Trevizan and Thiébaux, "Learning Domain-Independent Planning Heuristics with
Hypergraph Networks" (2020): a hyperedge leads from an operator's preconditions (senders) to its
add effects (receivers). The negation of a fact is a vertex too where a precondition or the goal
asks for it and no other precondition implies it; operators that delete the fact lead to it.
Whatever grounding did to negations, such as splitting an operator into cases, is undone here,
so that the hypergraph depends on the task alone and not on the choice of variables.

All steps work on arrays of (operator, fact) pairs; there is no Python loop over operators unless
several operators have the same name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from beeline.models.rows import ranges_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from beeline.models.hgn import PlacedLiteral, SchemaSlots
    from beeline.task.ground_task import GroundTask

    Ints = NDArray[np.int64]

MISSING = -2  # pads lists of arguments; equal to no object


@dataclass(frozen=True, eq=False)
class Hypergraph:
    """The hypergraph of a task: facts by their numbers, then negated facts, are its vertices.

    Senders and receivers are triples (edge, vertex, place), in the order of edges.
    """

    facts: int
    negated: Ints  # the facts whose negations are vertices `facts`, `facts + 1`, ...
    in_goal: NDArray[np.bool_]  # [vertices]
    costs: Ints  # [edges]
    actions: Ints  # [edges]: places in the task's `action_names`
    senders: Ints  # [n, 3]
    receivers: Ints  # [n, 3]

    @property
    def vertices(self) -> int:
        """Facts and negated facts."""
        return self.facts + len(self.negated)

    @property
    def edges(self) -> int:
        """Operators that differ in more than what they delete."""
        return len(self.costs)


def hypergraph(task: GroundTask, slots: Mapping[str, SchemaSlots]) -> Hypergraph:
    """The hypergraph of a task, with the places that the slots of its actions say."""
    task.require_operators("a hypergraph of facts and operators")
    matching = _Matching(task, slots)
    needed, forbidden = _conditions(task, matching)
    added, deleted = _effects(task, matching)
    negative_goal = _negative_goal(task)
    negated = np.unique(np.concatenate([forbidden[:, 1], negative_goal]))
    negation = np.full(task.num_facts, -1, dtype=np.int64)
    negation[negated] = task.num_facts + np.arange(len(negated))
    deleted = deleted[negation[deleted[:, 1]] >= 0]
    for pairs in (forbidden, deleted):
        pairs[:, 1] = negation[pairs[:, 1]]
    in_goal = np.zeros(task.num_facts + len(negated), dtype=np.bool_)
    goal_facts = task.native.fact_of[task.goal]
    in_goal[goal_facts[goal_facts >= 0]] = True
    in_goal[negation[negative_goal]] = True
    senders = np.concatenate([needed, forbidden])
    edge_of = _edges(matching, senders)
    costs = np.zeros(edge_of.max(initial=-1) + 1, dtype=np.int64)
    actions = np.zeros_like(costs)
    costs[edge_of], actions[edge_of] = task.costs, matching.actions
    receivers = np.concatenate([added, deleted])
    for pairs in (senders, receivers):
        pairs[:, 0] = edge_of[pairs[:, 0]]
    ends = (_distinct(senders), _distinct(receivers))
    return Hypergraph(task.num_facts, negated, in_goal, costs, actions, *ends)


class _Matching:
    """Finds the places of facts in operators."""

    def __init__(self, task: GroundTask, slots: Mapping[str, SchemaSlots]) -> None:
        native = task.native
        self.actions = native.operator_actions.astype(np.int64)
        self.operator_arguments = _padded(*native.operator_args)
        self._fact_arguments = _padded(*native.fact_args)
        self._fact_predicates = native.fact_predicates
        self._predicates = {name: number for number, name in enumerate(task.predicates)}
        self._objects = {name: number for number, name in enumerate(task.objects)}
        self.slots = [slots.get(name) for name in task.action_names]

    def places(self, operators: Ints, facts: Ints, part: str) -> Ints:
        """The place of each fact in its operator, -1 if it plays no such part: int64[n]."""
        found = np.full(len(operators), -1, dtype=np.int64)
        if not len(operators):
            return found
        actions = self.actions[operators]
        for action in np.unique(actions).tolist():
            slots = self.slots[action]
            rows = np.flatnonzero(actions == action)
            literals: Sequence[PlacedLiteral] = () if slots is None else getattr(slots, part)
            for literal in literals:
                hits = rows[self._matches(literal, operators[rows], facts[rows])]
                found[hits] = np.where(found[hits] < 0, literal.place, found[hits])
        return found

    def _matches(self, literal: PlacedLiteral, operators: Ints, facts: Ints) -> NDArray[np.bool_]:
        result: NDArray[np.bool_] = self._fact_predicates[facts] == self._predicates.get(
            literal.predicate, MISSING
        )
        for position, argument in enumerate(literal.arguments):
            if isinstance(argument, str):
                wanted: Ints | int = self._objects.get(argument, MISSING)
            elif argument >= 0:
                wanted = self.operator_arguments[operators, argument]
            else:
                continue
            if position < self._fact_arguments.shape[1]:
                result &= self._fact_arguments[facts, position] == wanted
        return result


def _conditions(task: GroundTask, matching: _Matching) -> tuple[Ints, Ints]:
    """Facts that operators need and facts that they forbid: (operator, fact, place) triples."""
    native = task.native
    starts, values = native.conditions
    operators = np.repeat(np.arange(task.num_operators), np.diff(starts))
    facts = native.fact_of[values].astype(np.int64)
    artificial = np.array([slots is None for slots in matching.slots], dtype=np.bool_)
    no_schema = artificial[matching.actions[operators]]
    is_fact = facts >= 0
    places = np.full(len(facts), -1, dtype=np.int64)
    places[is_fact] = matching.places(operators[is_fact], facts[is_fact], "needed")
    places[is_fact & no_schema & (places < 0)] = 0
    needed = _triples(operators, facts, places)
    # What no positive literal explains stands for negated facts of the same variable.
    rest = places < 0
    held = facts[rest]
    pair, others = _facts_of_variables(task, native.variable_of[values[rest]])
    operators, no_schema = operators[rest][pair], no_schema[rest][pair]
    places = matching.places(operators, others, "forbidden")
    places[no_schema & (places < 0)] = 0
    places[others == held[pair]] = -1
    forbidden = _triples(operators, others, places)
    return needed, forbidden[~_implied(task, needed, forbidden)]


def _implied(task: GroundTask, needed: Ints, forbidden: Ints) -> NDArray[np.bool_]:
    """Which forbidden facts exclude a fact that their operator needs anyway: bool[n]."""
    result = np.zeros(len(forbidden), dtype=np.bool_)
    if not len(forbidden):
        return result
    native = task.native
    groups: list[set[int]] = [set() for _ in range(task.num_facts)]
    for fact, variable in enumerate(native.variable_of[native.fact_values].tolist()):
        groups[fact].add(variable)
    starts, values = native.mutex_groups
    numbers = np.repeat(np.arange(len(starts) - 1), np.diff(starts)) + task.num_variables
    for number, fact in zip(numbers.tolist(), native.fact_of[values].tolist(), strict=True):
        if fact >= 0:
            groups[fact].add(number)
    excluded: dict[int, set[int]] = {}
    for operator, fact, _ in needed.tolist():
        excluded.setdefault(operator, set()).update(groups[fact])
    for row, (operator, fact, _) in enumerate(forbidden.tolist()):
        result[row] = not groups[fact].isdisjoint(excluded.get(operator, ()))
    return result


def _effects(task: GroundTask, matching: _Matching) -> tuple[Ints, Ints]:
    """Facts that operators add and facts that they delete: (operator, fact, place) triples.

    Hyperedges have no place for conditions of effects: these count as if they held.
    """
    native = task.native
    starts, rows = native.effects
    values = rows[:, 1]
    operators = np.repeat(np.arange(task.num_operators), np.diff(starts))
    facts = native.fact_of[values].astype(np.int64)
    is_fact = facts >= 0
    added = np.full(len(facts), -1, dtype=np.int64)
    added[is_fact] = np.maximum(
        matching.places(operators[is_fact], facts[is_fact], "added"), 0
    )  # an artificial operator has no schema
    pair, others = _facts_of_variables(task, native.variable_of[values])
    deleted = matching.places(operators[pair], others, "deleted")
    deleted[others == facts[pair]] = -1
    return _triples(operators, facts, added), _triples(operators[pair], others, deleted)


def _negative_goal(task: GroundTask) -> Ints:
    """The facts that must be false in the end."""
    negated = [literal for literal in task.goal_literals if literal.negated]
    numbers = [task.fact_id(f"({' '.join([each.predicate, *each.args])})") for each in negated]
    return np.array([number for number in numbers if number is not None], dtype=np.int64)


def _edges(matching: _Matching, senders: Ints) -> Ints:
    """The hyperedge of each operator; cases that one operator was split into share theirs."""
    names = np.column_stack([matching.actions, matching.operator_arguments])
    count = len(names)
    if len(np.unique(names, axis=0)) == count:
        return np.arange(count)
    parts: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for operator, vertex, place in senders.tolist():
        parts[operator].append((vertex, place))
    numbers: dict[tuple[object, ...], int] = {}
    edges = [
        numbers.setdefault((*name, *sorted(part)), len(numbers))
        for name, part in zip(names.tolist(), parts, strict=True)
    ]
    return np.array(edges, dtype=np.int64)


def _facts_of_variables(task: GroundTask, variables: NDArray[np.int32]) -> tuple[Ints, Ints]:
    """All facts of each variable in a list: the place in the list, and the fact."""
    native = task.native
    sizes = np.diff(native.offsets)[variables]
    pair = np.repeat(np.arange(len(variables)), sizes)
    values = ranges_of(native.offsets[variables].astype(np.int64), sizes)
    facts = native.fact_of[values].astype(np.int64)
    return pair[facts >= 0], facts[facts >= 0]


def _triples(operators: Ints, facts: Ints, places: Ints) -> Ints:
    chosen = places >= 0
    return np.column_stack([operators[chosen], facts[chosen], places[chosen]])


def _distinct(triples: Ints) -> Ints:
    """Each triple once, in order."""
    return np.unique(triples, axis=0) if len(triples) else triples


def _padded(starts: NDArray[np.int64], items: NDArray[np.int32]) -> Ints:
    """Rows of a ragged array, padded to the longest: int64[rows, longest]."""
    sizes = np.diff(starts)
    rows = np.repeat(np.arange(len(sizes)), sizes)
    result = np.full((len(sizes), sizes.max(initial=0)), MISSING, dtype=np.int64)
    result[rows, np.arange(len(items)) - starts[rows]] = items
    return result
