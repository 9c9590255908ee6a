"""A planner and a validator by the definition of PDDL, which share nothing with the package.

States are sets of tuples of words, conditions are trees of lists, every ground action is tried in
every state. It is slow, and short enough to be checked by reading.
"""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from math import prod
from typing import Any

Atom = tuple[str, ...]
State = frozenset[Atom]
Step = tuple[str, ...]

MAX_BINDINGS = 5000  # of one action or quantifier


class TooManyStatesError(Exception):
    """There are more states or ground actions than anybody wants to see."""


def read(text: str) -> Any:
    """Nested lists of lower-case words."""
    stack: list[list[Any]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", re.sub(";[^\n]*", "", text).lower()):
        if token == "(":
            stack.append([])
        elif token == ")":
            closed = stack.pop()
            stack[-1].append(closed)
        else:
            stack[-1].append(token)
    ((tree,),) = stack
    return tree


def typed(words: list[Any]) -> list[tuple[str, list[str]]]:
    """`a b - t c - (either u v) d` as names with the types of which one is meant."""
    result: list[tuple[str, list[str]]] = []
    pending: list[str] = []
    position = 0
    while position < len(words):
        if words[position] == "-":
            kind = words[position + 1]
            result += [(name, kind[1:] if isinstance(kind, list) else [kind]) for name in pending]
            pending = []
            position += 1
        else:
            pending.append(words[position])
        position += 1
    return result + [(name, ["object"]) for name in pending]


@dataclass(frozen=True)
class Schema:
    name: str
    parameters: list[tuple[str, list[str]]]
    precondition: Any
    effect: Any


@dataclass(frozen=True)
class GroundAction:
    """An action with objects; `effects` are (condition, positive?, atom)."""

    step: Step
    condition: Any
    effects: list[tuple[Any, bool, Atom]]
    cost: int


class PlainTask:
    """A task, given as the texts of its two files."""

    def __init__(self, domain: str, problem: str, *, unit_costs: bool = False) -> None:
        sections: dict[str, list[Any]] = defaultdict(list)
        for section in [*read(domain)[1:], *read(problem)[1:]]:
            sections[section[0]].append(section[1:])
        parents: dict[str, set[str]] = defaultdict(set)
        for name, supertypes in [pair for part in sections[":types"] for pair in typed(part)]:
            parents[name].update(supertypes)
        self._members: dict[str, set[str]] = defaultdict(set)
        self.objects: list[str] = []
        lists = [*sections[":constants"], *sections[":objects"]]
        for name, kinds in [pair for part in lists for pair in typed(part)]:
            if name not in self.objects:
                self.objects.append(name)
            pending = [*kinds, "object"]
            seen: set[str] = set()
            while pending:
                kind = pending.pop()
                if kind not in seen:
                    seen.add(kind)
                    pending += parents[kind]
                    self._members[kind].add(name)
        declared = {each[0] for part in sections[":predicates"] for each in part}
        self._type_words = {*parents, *self._members} - declared  # a type may be used as a test
        facts = [fact for part in sections[":init"] for fact in part]
        self.derived = {head[0] for head, _ in sections[":derived"]}
        self.axioms = [  # (atom, condition)
            ((head[0], *(values[name] for name, _ in typed(head[1:]))), self.instance(body, values))
            for head, body in sections[":derived"]
            for values in self.bindings(typed(head[1:]), {})
        ]
        self._completed: dict[State, State] = {}  # many actions lead to the same state
        self.initial: State = self.complete(
            frozenset(tuple(f) for f in facts if f[0] not in ("=", "not"))
        )
        self.values = {tuple(f[1]): int(Decimal(f[2])) for f in facts if f[0] == "="}
        self.uses_costs = bool(sections[":metric"]) and not unit_costs
        self.schemas = [self._schema(part) for part in sections[":action"]]
        self.goal = self.instance(["and", *(g for part in sections[":goal"] for g in part)], {})
        self.actions = [each for schema in self.schemas for each in self._ground(schema)]

    @staticmethod
    def _schema(part: list[Any]) -> Schema:
        fields = dict(zip(part[1::2], part[2::2], strict=True))
        effect = fields.get(":effect") or ["and"]
        condition = fields.get(":precondition") or ["and"]
        return Schema(part[0], typed(fields.get(":parameters", [])), condition, effect)

    def bindings(
        self, variables: list[tuple[str, list[str]]], values: dict[str, str]
    ) -> list[dict[str, str]]:
        """All ways to give objects of their types to variables."""
        choices = [
            [each for each in self.objects if any(each in self._members[kind] for kind in kinds)]
            for _, kinds in variables
        ]
        if prod(map(len, choices)) > MAX_BINDINGS:
            raise TooManyStatesError
        names = [name for name, _ in variables]
        return [{**values, **dict(zip(names, each, strict=True))} for each in product(*choices)]

    def instance(self, tree: Any, values: dict[str, str]) -> Any:
        """A condition without variables, made of True, False, atoms, "not", "and" and "or"."""
        if not tree:
            return True
        head, *rest = tree
        if head in ("and", "or"):
            return _joined(head, [self.instance(part, values) for part in rest])
        if head == "imply":
            return self.instance(["or", ["not", rest[0]], rest[1]], values)
        if head == "not":
            part = self.instance(rest[0], values)
            return not part if isinstance(part, bool) else ("not", part)
        if head in ("forall", "exists"):
            parts = [self.instance(rest[1], each) for each in self.bindings(typed(rest[0]), values)]
            return _joined("and" if head == "forall" else "or", parts)
        words = [values.get(word, word) for word in rest]
        if head in self._type_words:
            return words[0] in self._members[head]
        return words[0] == words[1] if head == "=" else ("atom", (head, *words))

    def _ground(self, schema: Schema) -> list[GroundAction]:
        result = []
        for values in self.bindings(schema.parameters, {}):
            condition = self.instance(schema.precondition, values)
            effects: list[tuple[Any, bool, Atom]] = []
            costs: list[int | None] = []
            self._effects(schema.effect, values, True, effects, costs)
            if condition is False or None in costs:
                continue  # a cost without a value: the effect is undefined, the action not possible
            cost = sum(each for each in costs if each is not None) if self.uses_costs else 1
            step = (schema.name, *(values[name] for name, _ in schema.parameters))
            result.append(GroundAction(step, condition, effects, cost))
        return result

    def _effects(
        self,
        tree: Any,
        values: dict[str, str],
        condition: Any,
        effects: list[tuple[Any, bool, Atom]],
        costs: list[int | None],
    ) -> None:
        if not tree:
            return
        head, *rest = tree
        if head == "and":
            for part in rest:
                self._effects(part, values, condition, effects, costs)
        elif head == "forall":
            for each in self.bindings(typed(rest[0]), values):
                self._effects(rest[1], each, condition, effects, costs)
        elif head == "when":
            inner = _joined("and", [condition, self.instance(rest[0], values)])
            self._effects(rest[1], values, inner, effects, costs)
        elif head == "increase":
            costs.append(self._amount(rest[1], values))
        elif head == "not":
            effects.append((condition, False, tuple(values.get(w, w) for w in rest[0])))
        else:
            effects.append((condition, True, tuple(values.get(word, word) for word in tree)))

    def _amount(self, tree: Any, values: dict[str, str]) -> int | None:
        if isinstance(tree, list):
            return self.values.get(tuple(values.get(word, word) for word in tree))
        return int(Decimal(tree))

    def complete(self, basic: State) -> State:
        """A state with all that axioms derive.

        The well-founded model, by alternating between what is derived if as much as possible is
        false and if as little as possible is; with stratified axioms, both become the same.
        """
        if not self.axioms:
            return basic
        if basic not in self._completed:
            surely, perhaps = basic, self._derived(basic, basic)
            while (more := self._derived(basic, perhaps)) != surely:
                surely, perhaps = more, self._derived(basic, more)
            assert perhaps == surely, "the axioms are not stratified"
            self._completed[basic] = surely
        return self._completed[basic]

    def _derived(self, basic: State, assumed: State) -> State:
        """What axioms derive where negated atoms are those not `assumed`."""
        found = basic
        while True:
            new = {atom for atom, when in self.axioms if holds_under(when, found, assumed)} - found
            if not new:
                return found
            found |= new

    def apply(self, action: GroundAction, state: State) -> State | None:
        """The state after an action, or None; what is both deleted and added is true."""
        if not holds(action.condition, state):
            return None
        active = [(positive, atom) for when, positive, atom in action.effects if holds(when, state)]
        deleted = {atom for positive, atom in active if not positive}
        added = {atom for positive, atom in active if positive}
        basic = {atom for atom in state if atom[0] not in self.derived}
        return self.complete(frozenset((basic - deleted) | added))

    def cost_of(self, plan: list[Step]) -> int | None:
        """The cost of a plan, None if it is none. Where several actions have the same name and
        objects, any of them may be meant."""
        reached = {self.initial: 0}
        for step in plan:
            after: dict[State, int] = {}
            for action in self.actions:
                if action.step == tuple(step):
                    for state, cost in reached.items():
                        successor = self.apply(action, state)
                        if successor is not None:
                            total = cost + action.cost
                            after[successor] = min(total, after.get(successor, total))
            reached = after
        return min((cost for s, cost in reached.items() if holds(self.goal, s)), default=None)

    def space(self, max_states: int) -> Space:
        """All reachable states."""
        states = {self.initial: 0}
        order = [self.initial]
        arcs: list[tuple[int, int, int]] = []
        for number, state in enumerate(order):  # which grows meanwhile
            for action in self.actions:
                successor = self.apply(action, state)
                if successor is None:
                    continue
                if successor not in states:
                    if len(order) == max_states:
                        raise TooManyStatesError
                    states[successor] = len(order)
                    order.append(successor)
                arcs.append((number, states[successor], action.cost))
        goals = [number for number, state in enumerate(order) if holds(self.goal, state)]
        return Space(order, arcs, goals, _distances(len(order), arcs, goals))


def holds_under(tree: Any, true: State, assumed: State) -> bool:
    """The truth of an instance of a condition where atoms below a "not" are true if `assumed`."""
    if isinstance(tree, bool):
        return tree
    word, part = tree
    if word == "atom":
        return part in true
    if word == "not":
        return not holds_under(part, assumed, true)
    return (all if word == "and" else any)(holds_under(each, true, assumed) for each in part)


@dataclass(frozen=True)
class Space:
    """Reachable states, the initial one first; `distances` to the goal, None for dead ends."""

    states: list[State]
    arcs: list[tuple[int, int, int]]
    goals: list[int]
    distances: list[int | None]

    @property
    def optimal_cost(self) -> int | None:
        return self.distances[0]

    @property
    def largest_path_cost(self) -> int:
        """No path that visits each state at most once costs more."""
        return len(self.states) * max((cost for _, _, cost in self.arcs), default=0)


def _joined(head: str, parts: list[Any]) -> Any:
    deciding = head == "or"
    if any(part is deciding for part in parts):
        return deciding
    left = [part for part in parts if not isinstance(part, bool)]
    return (head, left) if left else not deciding


def holds(condition: Any, state: State) -> bool:
    """Whether a condition without variables is true in a state."""
    if isinstance(condition, bool):
        return condition
    head, inner = condition
    if head == "atom":
        return inner in state
    if head == "not":
        return not holds(inner, state)
    return (all if head == "and" else any)(holds(part, state) for part in inner)


def _distances(count: int, arcs: list[tuple[int, int, int]], goals: list[int]) -> list[int | None]:
    """Dijkstra's algorithm, backwards from the goal states."""
    back: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for source, target, cost in arcs:
        back[target].append((source, cost))
    distances: list[int | None] = [None] * count
    queue = [(0, goal) for goal in goals]
    while queue:
        distance, number = heapq.heappop(queue)
        if distances[number] is None:
            distances[number] = distance
            for source, cost in back[number]:
                if distances[source] is None:
                    heapq.heappush(queue, (distance + cost, source))
    return distances
